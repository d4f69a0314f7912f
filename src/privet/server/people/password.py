"""Passwords: hashed by scrypt, checked with the same work whether there is one or not."""

import hashlib
import threading
from dataclasses import dataclass

from privet.errors import InvalidParameter
from privet.server.people.scram import prepared
from privet.server.people.secret import new_secret, same

SHORTEST, LONGEST = 10, 256  # letters
AT_ONCE = threading.BoundedSemaphore(2)  # hashes: each needs much memory, and whoever asks needs no account


@dataclass(frozen=True)
class Work:
    """How much one hash costs: scrypt's n, r and p. The default needs 32 MiB."""

    n: int = 1 << 15
    r: int = 8
    p: int = 3

    def hashed(self, password: str, salt: str) -> str:
        """The hash of a password."""
        text = prepared(password).encode("utf-8", "surrogatepass")
        with AT_ONCE:
            found = hashlib.scrypt(
                text, salt=bytes.fromhex(salt), n=self.n, r=self.r, p=self.p, maxmem=256 * self.n * self.r, dklen=32
            )
        return f"scrypt${self.n}${self.r}${self.p}${salt}${found.hex()}"


def new_password(password: object, work: Work) -> str:
    """What is kept of a new password.

    Raises:
        InvalidParameter: if it is short or long.
    """
    if not isinstance(password, str) or not SHORTEST <= len(password) <= LONGEST:
        raise InvalidParameter(f"a password has {SHORTEST} to {LONGEST} letters: a sentence is a good one")
    if any(each == "\0" or "\ud800" <= each <= "\udfff" for each in password):
        raise InvalidParameter("a password is made of letters: this one has half a character, or none")
    if len(set(password)) < 4:  # noqa: PLR2004 - letters that differ
        raise InvalidParameter("a password needs at least 4 letters that differ: a sentence is a good one")
    return work.hashed(password, new_secret(128))


def fits(password: str, hashed: str | None, work: Work) -> bool:
    """Whether a password is the one that was kept; without one, the same work for nothing."""
    if hashed is None or "\0" in password:  # scrypt does not see that letter at the end
        work.hashed(password[: LONGEST + 1], "00" * 16)
        return False
    _, n, r, p, salt, _ = hashed.split("$")
    return same(Work(int(n), int(r), int(p)).hashed(password[: LONGEST + 1], salt), hashed)
