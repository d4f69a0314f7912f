"""The only door to randomness: nothing else in Privet may ask the operating system or numpy for it.

`Entropy` is an AES-256 counter-mode keystream under a key from the operating system. With a secret key its
output cannot be told from uniform bits (that is what AES is trusted for), at several gigabytes a second.
"""

import os
import threading
import weakref
from typing import NoReturn, Protocol, TypeAlias, final

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from privet.errors import EntropyError

Words: TypeAlias = NDArray[np.uint64]

_KEY_BYTES = 32
_BLOCK = 512  # words kept ready for single draws
_REKEY_AFTER = 1 << 23  # words under one key, 64 MiB: 2^22 AES blocks, told from uniform with advantage < 2^-84
_ZEROS = memoryview(bytes(1 << 20))


class BitSource(Protocol):
    """Where samplers get their bits: `Entropy` for releases, the sources of `noise.for_tests` for tests.

    Example:
        >>> from privet.noise import Entropy
        >>> source: BitSource = Entropy()
        >>> len(source.words(3)), source.words(3).dtype.name
        (3, 'uint64')
    """

    def words(self, count: int) -> Words:
        """Return `count` fresh uniform 64-bit words."""
        ...


class Keystream:
    """AES-256 in counter mode as a stream of 64-bit words: whoever knows the key knows the stream."""

    def __init__(self, key: bytes) -> None:
        self._encryptor = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()

    def words(self, count: int) -> Words:
        """Return the next `count` words of the stream."""
        words = np.empty(count + 2, dtype=np.uint64)  # the cipher wants 15 bytes of room behind its output
        target = words.data.cast("B")
        for start in range(0, 8 * count, len(_ZEROS)):
            size = min(len(_ZEROS), 8 * count - start)
            self._encryptor.update_into(_ZEROS[:size], target[start:])
        return words[:count]


@final
class Entropy:
    """Uniform bits fit for a release: an AES-256-CTR keystream keyed by the operating system.

    Privacy:
        A new key is taken from the operating system at the first draw, in every forked child, whenever the
        process id has changed, and after every 64 MiB. One instance may be shared by threads. It cannot be
        seeded, copied or pickled, so two owners never see the same stream. If the operating system fails,
        `EntropyError` is raised and there is no fallback.

    Not covered:
        A virtual machine resumed twice from one snapshot repeats the stream until the next new key; a
        debugger or core dump that reads this process's memory.

    Example:
        >>> Entropy().words(3).shape
        (3,)
    """

    __slots__ = ("__weakref__", "_block", "_left", "_lock", "_owner", "_stream")

    def __init__(self) -> None:
        self._stream: Keystream
        self._block: Words
        self._left: int
        self._owner: int
        self._forget()
        _LIVING.add(self)

    def words(self, count: int) -> Words:
        """Return `count` fresh uniform 64-bit words."""
        with self._lock:
            if self._owner != os.getpid() or self._left < count:
                self._rekey(count)
            self._left -= count
            if count >= _BLOCK:
                return self._stream.words(count)
            if count > len(self._block):
                self._block = self._stream.words(_BLOCK)
            taken = self._block[:count].copy()
            self._block[:count] = 0  # what has been handed out is not kept
            self._block = self._block[count:]
            return taken

    def _rekey(self, count: int) -> None:
        try:
            key = os.urandom(_KEY_BYTES)
        except (OSError, NotImplementedError) as error:
            raise EntropyError(
                "the operating system gave no randomness, so nothing is released: "
                "check /dev/urandom and the limit on open files, then try again"
            ) from error
        if len(key) != _KEY_BYTES:
            raise EntropyError(f"the operating system gave {len(key)} random bytes where {_KEY_BYTES} are needed")
        self._stream = Keystream(key)
        self._block = np.empty(0, dtype=np.uint64)
        self._left = max(_REKEY_AFTER, count)
        self._owner = os.getpid()

    def _forget(self) -> None:
        """Drop the key and every bit kept ready; also the lock, which another thread may have held at a fork."""
        self._lock = threading.Lock()
        self._owner = -1
        self._left = 0
        self._block = np.empty(0, dtype=np.uint64)

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("Entropy cannot be subclassed: a ledger trusts this class and no other")

    def __repr__(self) -> str:
        return "Entropy()"

    def __copy__(self) -> NoReturn:
        raise TypeError("Entropy cannot be copied: two copies would draw the same noise; make a new Entropy()")

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__copy__()

    def __reduce__(self) -> NoReturn:
        raise TypeError("Entropy cannot be pickled: two copies would draw the same noise; make a new Entropy()")


_LIVING: weakref.WeakSet[Entropy] = weakref.WeakSet()


def _forget_in_child() -> None:
    for entropy in _LIVING:
        entropy._forget()  # noqa: SLF001 - the class and its fork hook are one thing


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
