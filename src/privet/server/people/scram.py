"""ScramVerifier: what a server keeps of a password so that a client can prove it by SCRAM-SHA-256 (RFC 5802, 7677)."""

import hashlib
import hmac
import unicodedata
from dataclasses import dataclass
from typing import Self

from privet.server.people.secret import derived

ITERATIONS = 32_768
SALT = 16  # bytes


@dataclass(frozen=True, repr=False)
class ScramVerifier:
    """What is kept of one password; it does not suffice to sign in.

    Args:
        salt: random.
        iterations: how often the password is hashed.
        stored_key: SHA-256 of the client's key.
        server_key: by which the server proves that it knows the verifier.
    """

    salt: bytes
    iterations: int
    stored_key: bytes
    server_key: bytes

    @classmethod
    def of(cls, password: str, *, salt: bytes, iterations: int = ITERATIONS) -> Self:
        """The verifier of a password."""
        salted = hashlib.pbkdf2_hmac("sha256", prepared(password).encode(), salt, iterations)
        client_key = hmac.digest(salted, b"Client Key", "sha256")
        return cls(salt, iterations, hashlib.sha256(client_key).digest(), hmac.digest(salted, b"Server Key", "sha256"))

    @classmethod
    def of_nobody(cls, name: str, key: str, *, iterations: int = ITERATIONS) -> Self:
        """Of a name without an account: the same each time, so that nobody sees that there is none; no proof fits."""
        parts = [derived(key, "scram", what, name) for what in ("salt", "stored", "server")]
        return cls(parts[0][:SALT], iterations, parts[1], parts[2])

    @classmethod
    def read(cls, text: str) -> Self:
        """The verifier that `text` wrote."""
        iterations, salt, stored, server = text.split("$")
        return cls(bytes.fromhex(salt), int(iterations), bytes.fromhex(stored), bytes.fromhex(server))

    @property
    def text(self) -> str:
        """As it is kept."""
        return f"{self.iterations}${self.salt.hex()}${self.stored_key.hex()}${self.server_key.hex()}"

    def __repr__(self) -> str:
        return "ScramVerifier(hidden)"


def prepared(password: str) -> str:
    """A password as all clients send it: one form for what is typed in several (SASLprep, but for what it forbids)."""
    spaced = "".join(" " if each.isspace() else each for each in password)
    return unicodedata.normalize("NFKC", spaced)
