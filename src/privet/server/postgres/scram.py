"""Scram: SCRAM-SHA-256 (RFC 5802, RFC 7677), the server's side of one dialogue."""

import base64
import binascii
import hashlib
import hmac
from typing import Protocol

from privet.noise import Entropy

METHOD = "SCRAM-SHA-256"
WORDS = 3  # of 64 bits: 24 bytes of a nonce


class Verifier(Protocol):
    """What is kept of a password."""

    @property
    def salt(self) -> bytes:
        """Of the derivation."""

    @property
    def iterations(self) -> int:
        """Of the derivation."""

    @property
    def stored_key(self) -> bytes:
        """The hash of the client's key."""

    @property
    def server_key(self) -> bytes:
        """With which the server shows that it knows the password, too."""


class RefusedError(Exception):
    """The dialogue is over: a wrong password, an unknown name or a broken message, which nobody is told apart."""


class Scram:
    """One dialogue.

    Args:
        verifier: of whoever wants to sign in; of an unknown name a made-up one, which no password meets.

    Privacy: what is sent is the same for names that exist and others, and comparing takes the same time.
    """

    def __init__(self, verifier: Verifier, entropy: Entropy) -> None:
        self._verifier = verifier
        self._nonce = base64.b64encode(entropy.words(WORDS).tobytes()).decode()
        self._header = ""
        self._first = ""
        self._challenge = ""

    def challenge(self, body: bytes) -> bytes:
        """Answer the client's first message, which names the method."""
        method, found, rest = body.partition(b"\0")
        if method != METHOD.encode() or not found or len(rest) < 4:  # noqa: PLR2004 - a length
            raise RefusedError
        said = _ascii(rest[4:])
        flag, _, after = said.partition(",")
        name, _, bare = after.partition(",")
        if flag not in ("n", "y") or name or len(rest) - 4 != int.from_bytes(rest[:4]):
            raise RefusedError  # channel binding was not offered, and nobody speaks for others
        self._header, self._first = f"{flag},,", bare
        nonce = _fields(bare, "nr")["r"]
        if not nonce:
            raise RefusedError
        salt = base64.b64encode(self._verifier.salt).decode()
        self._nonce = nonce + self._nonce
        self._challenge = f"r={self._nonce},s={salt},i={self._verifier.iterations}"
        return self._challenge.encode()

    def signature(self, body: bytes) -> bytes:
        """Check the client's proof, and prove in turn."""
        said = _ascii(body)
        without, _, _ = said.rpartition(",")
        fields = _fields(said, "crp")
        proof = _decoded(fields["p"])
        bound = base64.b64encode(self._header.encode()).decode()
        signed = f"{self._first},{self._challenge},{without}".encode()
        stored = self._verifier.stored_key
        if len(proof) != len(stored) or fields["c"] != bound or not self._header:
            raise RefusedError
        client_signature = hmac.digest(stored, signed, "sha256")
        key = bytes(a ^ b for a, b in zip(proof, client_signature, strict=True))
        same = hmac.compare_digest(hashlib.sha256(key).digest(), stored)
        if not same or not hmac.compare_digest(fields["r"].encode(), self._nonce.encode()):
            raise RefusedError
        server_signature = hmac.digest(self._verifier.server_key, signed, "sha256")
        return b"v=" + base64.b64encode(server_signature)


def _ascii(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        raise RefusedError from None


def _fields(text: str, wanted: str) -> dict[str, str]:
    """The fields of a message, which begins with those that are wanted, or has others only before the last."""
    found: dict[str, str] = {}
    for part in text.split(","):
        name, same, value = part.partition("=")
        if len(name) != 1 or not same or name in found:
            raise RefusedError
        found[name] = value
    names = "".join(found)
    if not (names.startswith(wanted) or (names.startswith(wanted[:-1]) and names.endswith(wanted[-1]))):
        raise RefusedError
    return found


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise RefusedError from None
