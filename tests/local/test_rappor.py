"""RAPPOR: published vectors, what it costs, and decoding against candidates."""

import math
from collections import Counter

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import Rappor, RapporDevice
from privet.local.bloom_bits import bloom_bits
from privet.noise import BitSource
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(
            Rappor(bits=4, hashes=1, cohorts=3, f=0.25, p=0.25, q=0.75, categories=["a", "d"]),
            math.nextafter(math.log((11 / 16 / (5 / 16)) ** 2), 9),
            ["a", "d"],
            shares=(0.7, 0.3),
            exact=False,
            covers=True,
            reports=4_000,
        ),
    )
    REFUSED = (None, 0.5, b"a", "\ud800")


MAP = {
    "apple": [5, 1, 26, 26, 38, 34, 63, 62],
    "banana": [12, 14, 28, 24, 37, 34, 62, 49],
    "carrot": [4, 12, 25, 21, 48, 38, 61, 54],
}


@pytest.mark.parametrize("word", MAP)
def test_the_published_map_of_candidates(word: str) -> None:
    found = [cohort * 16 + bit + 1 for cohort in range(4) for bit in bloom_bits(word, cohort, hashes=2, bits=16)]
    assert found == MAP[word]


class Uniforms:
    """The published mock: for each of the two rows of coins the numbers 0, 0.6, 0, again and again."""

    def words(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        octets = np.array([0, 0x99, 0] * (8 * count), dtype=np.uint8)[: 8 * count]  # 0.6 is 0x99.99…
        return octets.view(np.uint64)


def test_the_published_report() -> None:
    protocol = Rappor(bits=16, hashes=2, cohorts=64, f=0.5, p=0.5, q=0.75)
    device = RapporDevice(protocol, b"secret", cohort=0)  # shorter than `device` takes
    assert device.bloom("abc") == 8256
    assert device.permanent("abc") == 57576
    report = device.report("abc", entropy=Uniforms())
    assert report == bytes([0]) + (64493).to_bytes(2, "big")


def test_the_published_sums_of_bits() -> None:
    protocol = Rappor(bits=16, hashes=2, cohorts=2)
    reports = [bytes([1]) + int(each, 2).to_bytes(2, "big") for each in ("0000111100001111", "0000000000111100")]
    wanted = [2, 1, 1, 2, 2, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0]
    assert protocol.tally(reports).counts[1].tolist() == wanted


@pytest.mark.parametrize(
    ("parameters", "stars", "once", "lifetime"),
    [
        ((0.5, 0.75, 0.5, 2), (0.5625, 0.6875), 1.074286, 4.394449),
        ((0.5, 0.75, 0.75, 2), (0.59375, 0.65625), 0.534275, 2.043302),
        ((0.25, 0.75, 0.5, 2), (0.375, 0.625), 2.043302, 4.394449),
        ((0.25, 0.75, 0.25, 2), (0.3125, 0.6875), 3.153829, 7.783641),
        ((0.25, 0.75, 0.5, 1), (0.375, 0.625), 1.021651, 2.197225),
        ((0.225, 0.775, 0, 2), (0.225, 0.775), 4.947051, math.inf),
    ],
)
def test_what_published_parameters_cost(
    parameters: tuple[float, float, float, int], stars: tuple[float, float], once: float, lifetime: float
) -> None:
    p, q, f, h = parameters
    protocol = Rappor(p=p, q=q, f=f, hashes=h)
    assert (float(protocol.one_of_zero), float(protocol.one_of_one)) == pytest.approx(stars)
    assert protocol.epsilon == pytest.approx(once, abs=5e-7)
    assert protocol.lifetime_epsilon == pytest.approx(lifetime, abs=5e-7)
    assert protocol.loss.epsilon(0) == pytest.approx(protocol.epsilon)


def test_a_coin_that_is_no_multiple_of_128_lies_more_often_and_is_decoded_so() -> None:
    """Clients of different languages round f = 0.45 to 57 or 58 of 128, and a decoder that assumes 0.45 is off."""
    protocol = Rappor(p=0.39, q=0.61, f=0.45, hashes=2)
    assert protocol.permanent == 58
    assert protocol.config["permanent"] == 58
    assert protocol.lifetime_epsilon < 4.947051


def test_a_device_says_the_same_for_ever_and_lies_about_ones_too() -> None:
    """A client of another library never cleared a bit that is set: here f/2 of them are cleared, for ever.

    2,000 devices, f = 1/2: between 400 and 600 ones of each kind, at a chance of 1e-6.
    """
    protocol = Rappor(bits=16, hashes=1, cohorts=4, f=0.5)
    device = protocol.device()
    assert device.permanent("x") == device.permanent("x")
    assert "secret" not in repr(device)
    cleared = set_anyway = 0
    for number in range(2_000):
        each = protocol.device(number.to_bytes(16, "big"))
        own = each.bloom("x")
        cleared += not each.permanent("x") & own
        set_anyway += bool(each.permanent("x") & (own << 1 if own < 1 << 15 else 1))
    assert 400 < cleared < 600
    assert 400 < set_anyway < 600


def test_cohorts_of_devices_are_spread(source: BitSource) -> None:
    protocol = Rappor(cohorts=8)
    seen = Counter(protocol.device(number.to_bytes(16, "big")).cohort for number in range(4_000))
    assert len(seen) == 8
    assert min(seen.values()) > 390
    assert {report[0] for report in protocol.privatize(["a"] * 500, entropy=source)} == set(range(8))


@pytest.mark.parametrize("secret", [5, "0123456789abcdef", b"", b"short"])
def test_secrets_that_can_be_guessed_are_refused(secret: object) -> None:
    with pytest.raises(InvalidParameter, match="16 random bytes"):
        Rappor().device(secret)


def test_long_filters_have_as_many_bytes_of_noise() -> None:
    device = Rappor(bits=128, hashes=2, cohorts=8).device(bytes(32))
    assert len(device._noise(0)) == 128
    assert device._noise(0)[:32] != device._noise(0)[32:64]


@pytest.mark.whole
@pytest.mark.parametrize("power", [0, 1])
def test_the_regression_case_of_32_bits_and_64_cohorts(power: int, source: BitSource) -> None:
    """k=32, h=1, m=64, p=.25, q=.75, f=.5: 100 values, a million reports, uniform or Zipf.

    There are 100 candidates that nobody has, and every tenth value is not looked for.

    Errors stay within the published tolerances of the decoder's own test of as many values and reports: half of the sum
    of errors below 300 √N, the largest below 100 √(largest count). Here also: far below, none named that nobody has.
    """
    names = [f"v{number}" for number in range(1, 101)]
    shares = np.arange(1.0, 101.0) ** -power
    counts = np.floor(shares / shares.sum() * 1_000_000).astype(int)
    listed = [name for name in names if not name.endswith("9")] + [f"w{number}" for number in range(100)]
    protocol = Rappor(bits=32, hashes=1, cohorts=64, f=0.5, p=0.25, q=0.75, categories=listed)
    estimate = protocol.estimate(protocol.privatize(np.repeat(names, counts), entropy=source))
    truth = np.array([dict(zip(names, counts, strict=True)).get(name, 0) for name in listed])
    errors = np.abs(estimate.value * counts.sum() - truth)
    assert errors.sum() / 2 < 300 * math.sqrt(counts.sum())
    assert errors.max() < 100 * math.sqrt(counts.max())
    assert np.abs(estimate.value - truth / counts.sum()).max() < 6 * estimate.standard_error.max()
    assert not estimate.significant(0.999)[90:].any()
    assert estimate.significant()[0] or not power
    assert estimate.unlisted == pytest.approx(1 - truth.sum() / counts.sum(), abs=0.1)
    assert estimate.consistent.sum() <= 1 + 1e-9


def test_values_that_cannot_be_told_apart_are_refused(source: BitSource) -> None:
    protocol = Rappor(bits=4, hashes=1, cohorts=1)
    with pytest.raises(InvalidParameter, match="told apart"):
        protocol.looking_for(list("abcdefgh")).estimate(protocol.privatize(["a"] * 50, entropy=source))
    with pytest.raises(InvalidParameter, match="looking_for"):
        protocol.estimate(protocol.privatize(["a"] * 50, entropy=source))


@pytest.mark.parametrize(
    "words", [{"bits": 48}, {"bits": 512}, {"hashes": 17}, {"cohorts": 129}, {"p": 0.8}, {"q": 1}, {"p": 0}, {"f": 1}]
)
def test_parameters_that_are_none_are_refused(words: dict[str, float]) -> None:
    with pytest.raises(InvalidParameter):
        Rappor(**words)  # type: ignore[arg-type]
