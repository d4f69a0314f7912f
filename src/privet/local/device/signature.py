"""SigningKey: who publishes a collection signs it, so that no device can be handed a collection of its own."""

from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from privet.errors import InvalidParameter
from privet.noise import Entropy

KEY_BYTES = 32
CONTEXT = b"privet collection 1\n"  # nothing else that the key signs begins so


class SigningKey:
    """An Ed25519 key of whoever runs collections.

    Args:
        secret: 32 secret bytes; drawn if none are given.

    Example:
        >>> key = SigningKey(bytes(32))
        >>> verified(b"what is collected", key.sign(b"what is collected"), key.public)
        True
    """

    def __init__(self, secret: bytes | None = None) -> None:
        drawn = Entropy().words(KEY_BYTES // 8).tobytes() if secret is None else secret
        if len(drawn) != KEY_BYTES:
            raise InvalidParameter(f"a signing key has {KEY_BYTES} bytes: the file of the key is damaged")
        self._secret = drawn
        self._key = Ed25519PrivateKey.from_private_bytes(drawn)

    @property
    def public(self) -> str:
        """The public key, as 64 hexadecimal digits: devices are given it once, beside the collector's address."""
        return self._key.public_key().public_bytes_raw().hex()

    def sign(self, text: bytes) -> str:
        """The signature, as hexadecimal digits."""
        return self._key.sign(CONTEXT + text).hex()

    @classmethod
    def kept_in(cls, path: Path) -> "SigningKey":
        """The key in a file that only its owner reads; made if it is not there."""
        try:
            return cls(bytes.fromhex(path.read_text(encoding="ascii").strip()))
        except FileNotFoundError:
            made = cls()
        except ValueError:
            raise InvalidParameter(f"{path.name} holds no signing key: restore it, or move it away") from None
        path.touch(mode=0o600, exist_ok=False)
        path.write_text(made._secret.hex() + "\n", encoding="ascii")
        return made

    def __repr__(self) -> str:
        return f"SigningKey(public={self.public})"


def verified(text: bytes, signature: str, public: str) -> bool:
    """Whether the owner of the public key has signed this text."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), CONTEXT + text)
    except (InvalidSignature, ValueError):
        return False
    return True
