"""WeightedLaw: every short bit string, the law at n = 10^6, and the words on which it must ask for more."""

from fractions import Fraction

import numpy as np
import pytest

from privet.errors import EntropyError, InvalidParameter
from privet.noise import BitSource
from privet.noise.for_tests import bit_string_for_tests
from privet.noise.weighted import WeightedLaw
from tests.support.statistics import assert_does_not_follow, assert_follows

TABLES = [
    [Fraction(1)],
    [Fraction(1, 3), Fraction(2, 3)],
    [Fraction(0), Fraction(1, 7), Fraction(0), Fraction(3, 7), Fraction(3, 7), Fraction(0)],
    [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)],
    [Fraction(k + 1, 10**6 + 3) for k in range(20)],
    [Fraction(1, 2**100), Fraction(1), Fraction(1, 3**70)],
]


def shares(weights: list[Fraction]) -> list[Fraction]:
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("weights", TABLES, ids=lambda weights: f"{len(weights)} weights")
@pytest.mark.parametrize("bits", [8, 12, 16])
def test_every_short_string_brackets_the_probabilities(weights: list[Fraction], bits: int) -> None:
    outcomes, undecided = WeightedLaw(weights).decide(np.arange(2**bits, dtype=np.uint64), bits=bits)
    left = int(undecided.sum())
    assert left < len(weights)  # at most one string for each edge
    for outcome, share in enumerate(shares(weights)):
        decided = int((outcomes[~undecided] == outcome).sum())
        assert Fraction(decided, 2**bits) <= share <= Fraction(decided + left, 2**bits)


@pytest.mark.parametrize("weights", TABLES[:5], ids=lambda weights: f"{len(weights)} weights")
def test_a_million_follow_the_law(weights: list[Fraction], source: BitSource) -> None:
    pmf = {outcome: float(share) for outcome, share in enumerate(shares(weights)) if share}
    draws = WeightedLaw(weights).many(source, 1_000_000)
    assert_follows(draws, pmf)
    if len(pmf) > 1:
        tilted = {outcome: share * (1.3 if outcome == max(pmf) else 1) for outcome, share in pmf.items()}
        assert_does_not_follow(draws, {outcome: share / sum(tilted.values()) for outcome, share in tilted.items()})


def words(*numbers: int) -> str:
    return "".join(f"{number:064b}" for number in numbers)


def test_a_word_on_an_edge_asks_for_more() -> None:
    """1/3 is 0x5555…; a real that begins so is below or above only by later words."""
    law = WeightedLaw([1, 2])
    tie = 0x5555555555555555
    assert law.one(bit_string_for_tests(words(tie - 1))) == 0
    assert law.one(bit_string_for_tests(words(tie + 1))) == 1
    assert law.one(bit_string_for_tests(words(tie, tie - 1))) == 0
    assert law.one(bit_string_for_tests(words(tie, tie + 1))) == 1
    assert law.one(bit_string_for_tests(words(tie, tie, tie, tie + 1))) == 1
    with pytest.raises(EntropyError):
        law.one(bit_string_for_tests(words(tie)))


def test_edges_that_share_64_bits_are_told_apart() -> None:
    law = WeightedLaw([Fraction(1, 2**65), Fraction(1, 2**66), 1 - Fraction(3, 2**66)])
    assert law.one(bit_string_for_tests(words(0, 2**63 - 1))) == 0
    assert law.one(bit_string_for_tests(words(0, 2**63))) == 1
    assert law.one(bit_string_for_tests(words(0, 2**63 + 2**62))) == 2
    assert law.one(bit_string_for_tests(words(1))) == 2


def test_dyadic_edges_need_one_word() -> None:
    law = WeightedLaw([1, 1, 2])
    assert [law.one(bit_string_for_tests(words(k << 62))) for k in range(4)] == [0, 1, 2, 2]


@pytest.mark.parametrize("weights", [[], [0], [0, 0], [1, -1], [float("nan")], [float("inf")], ["1"], [True]])
def test_bad_weights_are_refused(weights: list[float]) -> None:
    with pytest.raises(InvalidParameter, match="weight"):
        WeightedLaw(weights)


def test_its_repr_is_short() -> None:
    assert repr(WeightedLaw([1, 2, 3])) == "WeightedLaw(3 outcomes)"
