"""Entropy: keyed from the OS, never shared, never repeated, never silently weak."""

import copy
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from privet.errors import EntropyError, InvalidParameter
from privet.noise import Entropy, LaplaceLaw
from privet.noise import entropy as entropy_module
from privet.noise.for_tests import bit_string_for_tests, seeded_entropy_for_tests
from tests.support.statistics import assert_follows

STREAMS, DRAWS = 8, 10_000

FORK = """
import os, sys
from privet.noise import Entropy
entropy = Entropy()
entropy.words(5)
readers = []
for child in range(8):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, entropy.words(10_000)[:8000].tobytes())
        os.write(writer, entropy.words(2_000).tobytes())
        os._exit(0)
    os.close(writer)
    readers.append(os.fdopen(reader, "rb"))
sys.stdout.buffer.write(entropy.words(10_000).tobytes())
for reader in readers:
    sys.stdout.buffer.write(reader.read())
"""

FORK_WHILE_LOCKED = """
import os
from privet.noise import Entropy, LaplaceLaw
entropy = Entropy()
entropy.words(5)
entropy._lock.acquire()  # as if another thread were drawing at the moment of the fork
if os.fork() == 0:
    LaplaceLaw(2**60).one(entropy)  # also takes the lock on the working precision
    os._exit(7)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def run(script: str) -> bytes:
    return subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, timeout=60).stdout  # noqa: S603


def assert_no_shared_words(streams: list[np.ndarray[tuple[int, ...], np.dtype[np.uint64]]]) -> None:
    words = np.concatenate(streams)
    assert len(np.unique(words)) == len(words)  # 9 * 10^4 words collide by chance with probability below 2^-31


def test_forked_children_share_no_word() -> None:
    words = np.frombuffer(run(FORK), dtype=np.uint64)
    assert len(words) == (STREAMS + 1) * DRAWS
    assert_no_shared_words([words])


def test_a_copied_stream_would_be_caught() -> None:
    """The control: two streams under one key."""
    twins = [seeded_entropy_for_tests(1).words(DRAWS) for _ in range(2)]
    with pytest.raises(AssertionError):
        assert_no_shared_words(twins)


def test_a_fork_in_the_middle_of_a_draw_does_not_block_the_child() -> None:
    assert run(FORK_WHILE_LOCKED).split() == [b"7"]


def test_threads_share_one_entropy_but_no_word() -> None:
    entropy = Entropy()
    barrier = threading.Barrier(STREAMS)

    def draw(_: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
        barrier.wait()
        return np.concatenate([entropy.words(size) for size in [1] * 1000 + [7] * 1000 + [2000]])

    with ThreadPoolExecutor(STREAMS) as pool:
        assert_no_shared_words(list(pool.map(draw, range(STREAMS))))


def test_a_changed_process_id_rekeys(monkeypatch: pytest.MonkeyPatch) -> None:
    entropy = Entropy()
    entropy.words(1)
    keys = spy_on_urandom(monkeypatch)
    entropy.words(1)
    assert not keys
    monkeypatch.setattr(os, "getpid", lambda: -7)
    entropy.words(1)
    assert len(keys) == 1


def spy_on_urandom(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    asked: list[int] = []
    real = os.urandom

    def urandom(size: int) -> bytes:
        asked.append(size)
        return real(size)

    monkeypatch.setattr(os, "urandom", urandom)
    return asked


def test_the_key_comes_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = spy_on_urandom(monkeypatch)
    Entropy().words(3)
    assert asked == [32]


def test_a_key_serves_a_bounded_number_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entropy_module, "_REKEY_AFTER", 1000)
    asked = spy_on_urandom(monkeypatch)
    entropy = Entropy()
    for _ in range(30):
        entropy.words(100)
    assert len(asked) == 3
    entropy.words(5000)  # larger than a key's share: a key of its own
    assert len(asked) == 4


def test_words_given_out_are_not_kept() -> None:
    entropy = Entropy()
    first = entropy.words(10)
    assert first.base is None  # a copy: nobody can reach the words that come after it
    whole = entropy._block.base
    assert whole is not None
    assert not np.isin(first, whole).any()


@pytest.mark.parametrize("failure", [OSError("no file descriptors"), NotImplementedError("no generator")])
def test_fails_closed_when_the_system_fails(failure: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: int) -> bytes:
        raise failure

    monkeypatch.setattr(os, "urandom", broken)
    entropy = Entropy()
    with pytest.raises(EntropyError, match="nothing is released"):
        LaplaceLaw(1).one(entropy)
    with pytest.raises(EntropyError):  # and again: no fallback appeared
        entropy.words(1)
    monkeypatch.undo()
    assert entropy.words(1).shape == (1,)  # a passing fault passes


def test_fails_closed_on_a_short_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", lambda size: bytes(size - 1))
    with pytest.raises(EntropyError, match="31 random bytes"):
        Entropy().words(1)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps], ids=lambda f: f.__name__)
def test_cannot_be_duplicated(duplicate: object) -> None:
    assert callable(duplicate)
    with pytest.raises(TypeError, match="make a new Entropy"):
        duplicate(Entropy())


def test_cannot_be_seeded() -> None:
    with pytest.raises(TypeError):
        Entropy(42)  # type: ignore[call-arg]  # the point


def test_cannot_be_subclassed() -> None:
    with pytest.raises(TypeError, match="no other"):
        type("Weak", (Entropy,), {})


def test_known_sources_are_not_entropy() -> None:
    """A ledger asks for `Entropy` itself, which cannot be subclassed and which these are not."""
    assert not isinstance(seeded_entropy_for_tests(1), Entropy)
    assert not isinstance(bit_string_for_tests("0" * 64), Entropy)
    assert repr(seeded_entropy_for_tests(1)) == "seeded_entropy_for_tests(1)"
    assert repr(Entropy()) == "Entropy()"


def test_bits_are_even() -> None:
    words = Entropy().words(200_000)
    for place in range(64):
        assert_follows(((words >> np.uint64(place)) & np.uint64(1)).astype(np.int64), {0: 0.5, 1: 0.5})


def test_large_requests_cross_the_cipher_s_pieces() -> None:
    """One request of 3 MiB equals the same stream read in small pieces."""
    whole = seeded_entropy_for_tests(3).words(400_000)
    source = seeded_entropy_for_tests(3)
    assert (whole == np.concatenate([source.words(100_000) for _ in range(4)])).all()
    assert_no_shared_words([whole])


def test_bit_strings_end() -> None:
    source = bit_string_for_tests("1" * 64)
    assert int(source.words(1)[0]) == 2**64 - 1
    with pytest.raises(EntropyError, match="0 words left"):
        source.words(1)


@pytest.mark.parametrize("bits", ["01", "2" * 64])
def test_bit_strings_are_checked(bits: str) -> None:
    with pytest.raises(InvalidParameter, match="multiple of 64"):
        bit_string_for_tests(bits)
