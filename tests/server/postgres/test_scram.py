"""SCRAM-SHA-256: the published exchange, and what must not pass."""

import base64
from dataclasses import dataclass

import pytest

from privet.noise import Entropy
from privet.server.people import ScramVerifier
from privet.server.postgres.scram import METHOD, RefusedError, Scram

# RFC 7677, section 3
SALT = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
SERVER = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
FIRST = "n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
CHALLENGE = f"r=rOprNGfwEbeRWgbNEkqO{SERVER},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
BARE = f"c=biws,r=rOprNGfwEbeRWgbNEkqO{SERVER}"
PROOF = "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
SIGNATURE = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


@dataclass
class Fixed:
    verifier: ScramVerifier

    def scram(self) -> Scram:
        found = Scram(self.verifier, Entropy())
        found._nonce = SERVER
        return found


def begun(first: str = FIRST, password: str = "pencil") -> tuple[Scram, bytes]:  # noqa: S107 - as published
    scram = Fixed(ScramVerifier.of(password, salt=SALT, iterations=4096)).scram()
    body = METHOD.encode() + b"\0" + len(first).to_bytes(4) + first.encode()
    return scram, scram.challenge(body)


def test_the_published_exchange() -> None:
    scram, challenge = begun()
    assert challenge.decode() == CHALLENGE
    assert scram.signature(f"{BARE},p={PROOF}".encode()).decode() == SIGNATURE


@pytest.mark.parametrize(
    "last",
    [
        f"{BARE},p={base64.b64encode(bytes(32)).decode()}",
        f"{BARE},p=",
        f"{BARE},p=!!!",
        f"{BARE}",
        f"c=eSws,r=rOprNGfwEbeRWgbNEkqO{SERVER},p={PROOF}",
        f"c=biws,r=rOprNGfwEbeRWgbNEkqO,p={PROOF}",
        f"r=x,c=biws,p={PROOF}",
        f"{BARE},p={PROOF},p={PROOF}",
        "",
        "\0",
    ],
)
def test_no_other_proof_passes(last: str) -> None:
    scram, _ = begun()
    with pytest.raises(RefusedError):
        scram.signature(last.encode())


def test_the_proof_of_another_password_does_not_pass() -> None:
    scram, _ = begun(password="pencils")  # noqa: S106 - as published, and one letter more
    with pytest.raises(RefusedError):
        scram.signature(f"{BARE},p={PROOF}".encode())


@pytest.mark.parametrize("first", ["p=tls-unique,,n=,r=x", "n,a=admin,n=,r=x", "n,,n=", "n,,n=,r=", "", "n,,r=x,n="])
def test_other_first_messages_are_refused(first: str) -> None:
    with pytest.raises(RefusedError):
        begun(first)


@pytest.mark.parametrize(
    "body", [b"", b"SCRAM-SHA-256-PLUS\0\0\0\0\1n", METHOD.encode(), METHOD.encode() + b"\0\xff\xff\xff\xff"]
)
def test_other_methods_and_lengths_are_refused(body: bytes) -> None:
    scram = Fixed(ScramVerifier.of("x" * 10, salt=SALT, iterations=4096)).scram()
    with pytest.raises(RefusedError):
        scram.challenge(body)


def test_a_proof_before_a_challenge_is_refused() -> None:
    with pytest.raises(RefusedError):
        Fixed(ScramVerifier.of("pencil", salt=SALT, iterations=4096)).scram().signature(f"{BARE},p={PROOF}".encode())
