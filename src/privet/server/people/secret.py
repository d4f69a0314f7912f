"""Secrets: made from the operating system's bits, kept as hashes, compared in constant time."""

import hashlib
import hmac

from privet.noise import Entropy

_ENTROPY = Entropy()


def new_secret(bits: int = 256) -> str:
    """Fresh random bits as hexadecimal digits."""
    return _ENTROPY.words(bits // 64).tobytes().hex()


def kept(secret: str) -> str:
    """What is stored of a secret of 256 random bits: nobody finds them from their hash."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two texts are equal, in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def derived(key: str, *about: str) -> bytes:
    """A pseudorandom number that only who has the key can compute."""
    text = "".join(f"{len(each)}:{each}" for each in about)
    return hmac.digest(bytes.fromhex(key), text.encode("utf-8", "surrogatepass"), "sha256")
