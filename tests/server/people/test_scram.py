"""SCRAM: what RFC 7677 has, and what a client proves."""

import base64
import hashlib
import hmac

from privet.server.people.scram import ScramVerifier


def test_the_example_of_rfc_7677() -> None:
    salt = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    verifier = ScramVerifier.of("pencil", salt=salt, iterations=4096)
    message = (
        b"n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,"
        b"i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    )
    server = base64.b64decode("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
    assert hmac.digest(verifier.server_key, message, "sha256") == server
    proof = base64.b64decode("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
    signature = hmac.digest(verifier.stored_key, message, "sha256")
    client_key = bytes(a ^ b for a, b in zip(proof, signature, strict=True))
    assert hashlib.sha256(client_key).digest() == verifier.stored_key


def test_a_verifier_is_read_as_it_was_written_and_hides_itself() -> None:
    verifier = ScramVerifier.of("pencil", salt=b"0" * 16, iterations=4096)
    assert ScramVerifier.read(verifier.text) == verifier
    assert repr(verifier) == "ScramVerifier(hidden)"


def test_nobodys_verifier_is_steady_looks_the_same_and_differs_by_name_and_installation() -> None:
    one, again = (ScramVerifier.of_nobody("ada", "00" * 32) for _ in range(2))
    real = ScramVerifier.of("pencil", salt=b"0" * 16)
    assert one == again
    assert (one.iterations, *map(len, (one.salt, one.stored_key, one.server_key))) == (
        real.iterations,
        *map(len, (real.salt, real.stored_key, real.server_key)),
    )
    others = (ScramVerifier.of_nobody("bob", "00" * 32), ScramVerifier.of_nobody("ada", "11" * 32))
    assert len({one.salt, *(each.salt for each in others)}) == 3
