"""WithinFoundBounds: the law of what it releases, by other means; what one unit moves; columns made to break it."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.asking.bounds import Bounds
from privet.asking.within_found_bounds import WithinFoundBounds, count_moves, counted, read_found
from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Laplace
from privet.noise import Entropy
from privet.postprocessing.bins import Bins, Expected
from tests.contracts.mechanism import Example, Law, MechanismContract

EXPECTED = Expected.of(sign="positive", scale=1)  # 21 bins
REACH = 400  # farther no noise is here


def mechanism(rows: int = 1, moved: int = 1, scale: int = 4) -> WithinFoundBounds:
    """It releases how many rows there are, whatever the bounds."""
    return WithinFoundBounds(
        "rows",
        rows,
        moved,
        DiscreteLaplace(moved, scale),
        Fraction(1, 10),
        DiscreteLaplace(moved, 2 * scale),
        DiscreteLaplace(moved, 2),
        EXPECTED,
        lambda values, _: len(values),
    )


def chances(scale: float) -> np.ndarray:
    left = math.exp(-1 / scale)
    return (1 - left) / (1 + left) * left ** np.abs(np.arange(-REACH, REACH + 1))


def missed(rows: int, scale: float) -> float:
    """The chance that a bin with so many rows passes the threshold neither in the first look nor in both together."""
    tail = 1e-4 / 21
    alone = scale * math.log(1 / tail) + 1
    one, two = 0.8, 0.2  # a quarter of the variance, and so four times the weight
    both = one * scale * math.log(4 / 3 / tail) + 1
    first = rows + np.arange(-REACH, REACH + 1)
    below = np.concatenate([[0.0], np.cumsum(chances(2 * scale))])
    most = np.floor((both - one * first) / two - rows + 1e-9)
    chance = below[np.clip(most + REACH + 1, 0, 2 * REACH + 1).astype(int)]
    return float(np.sum(chances(scale) * (first <= alone) * chance))


def law(values: Any, wider: float = 1.0) -> Law:  # noqa: ANN401 - a column
    rows = len(values)
    found = 1 - missed(rows, 4 * wider) * missed(0, 4 * wider) ** 20
    more = float(np.sum(chances(2 * wider)[REACH + 1 :]))  # the sum comes out above 41, of 41
    above = {42: 1 - more, 41: more}[rows]
    return {0: (1 - found) * (1 - above), 1: found * (1 - above), 2: (1 - found) * above, 3: found * above}


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        Example(
            mechanism=mechanism(),
            pair=(np.full(41, 1.5), np.full(42, 1.5)),
            law=law,
            wrong_law=lambda values: law(values, 1.3),
            outcome=lambda answer: int(answer[0] + 2 * (answer[6] > 41)),
            sensitivity=Sensitivity(1),
            too_far=Sensitivity(1, cells=2),
            trials=4000,
        )
    ]
    REFUSED: ClassVar[Sequence[Any]] = [np.zeros((2, 2)), np.array(["a"]), "text"]


def test_the_law_of_the_test_is_the_whole_one() -> None:
    assert sum(law(np.full(41, 1.5)).values()) == pytest.approx(1)
    assert 0.2 < law(np.full(41, 1.5))[1] + law(np.full(41, 1.5))[3] < 0.8


@pytest.mark.parametrize(("rows", "moved"), [(1, 1), (1, 2), (3, 3), (3, 6)])
def test_noise_for_other_moves_is_refused(rows: int, moved: int) -> None:
    assert mechanism(rows, moved).covers(count_moves(rows, moved))
    assert not mechanism(rows, moved).covers(count_moves(rows + 1, moved + 1))
    if moved > 1:
        length = count_moves(rows, moved).l2
        pairs: list[tuple[Any, Any]] = [(DiscreteLaplace(moved, 2), DiscreteLaplace(moved - 1, 2))]
        pairs += [(DiscreteGaussian(length, 5), DiscreteGaussian(length * Fraction(9, 10), 5))]
        for look, again in (*pairs, *((two, one) for one, two in pairs)):
            with pytest.raises(InvalidParameter, match="look and again must be noise"):
                WithinFoundBounds("x", rows, moved, look, Fraction(1), again, Laplace(1, 1), EXPECTED, lambda *_: 0)


def test_a_promise_that_is_not_kept_is_refused() -> None:
    made = mechanism()
    with pytest.raises(InvalidParameter, match="does not keep"):
        replace(made, promise=Guarantee("0.9"))  # of 1/4 + 1/10 + 1/8 + 1/2
    assert replace(made, promise=Guarantee("0.98")).promise is not None


LAYOUTS = (Expected().bins, EXPECTED.bins, Bins.around(Fraction(1000), (Fraction(512), Fraction(2048))))
ODD = (math.inf, -math.inf, 0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 2.0**63, 1000.0, 999.9999, 2.0**-20, 2.0**51)


@given(st.lists(st.sampled_from(ODD) | st.floats(allow_nan=False), max_size=6), st.floats(allow_nan=False))
def test_one_row_moves_one_count_by_one(values: list[float], more: float) -> None:
    for bins in LAYOUTS:
        counts, others = counted(np.array(values), bins), counted(np.array([*values, more]), bins)
        assert counts.sum() == len(values)
        assert len(counts) == len(others) == len(bins)
        assert sorted((others - counts).tolist())[-2:] == [0, 1]
        assert np.abs(others - counts).sum() == 1


@pytest.mark.parametrize("scale", [4, 400])
def test_no_column_makes_it_fail(scale: int) -> None:
    made = mechanism(scale=scale)
    columns: list[Any] = [[value] * 300 for value in ODD]
    columns += [[first, second] * 200 for first, second in product(ODD[:7], repeat=2)]
    columns += [[], [math.nan] * 300, [2**63 - 1] * 300, np.array([2**64 - 1] * 300, dtype=np.uint64), [True] * 300]
    for column in columns:
        answer = made.sample(np.asarray(column), Entropy())
        found, bounds, sums = read_found(answer)
        assert np.isfinite(answer).all()
        assert bounds.low < bounds.high
        assert found.ends is None or found.ends == (bounds.low, bounds.high)
        assert len(sums) == 1


def test_what_follows_is_clipped_to_what_was_found() -> None:
    seen: list[Bounds] = []

    def weigh(values: Any, bounds: Bounds) -> float:  # noqa: ANN401 - a column
        seen.append(bounds)
        return float(np.clip(values, float(bounds.low), float(bounds.high)).mean())

    made = WithinFoundBounds(
        "mean", 1, 1, DiscreteLaplace(1, 2), Fraction(1), DiscreteLaplace(1, 4), Laplace(1, "1e-6"), EXPECTED, weigh
    )
    answer = made.sample(np.r_[np.full(2000, 37.25), 1e300], Entropy())
    assert seen[0].low <= Fraction("37.25") <= seen[0].high
    assert seen[0].width < Fraction(1, 10**6)
    assert answer[6] == pytest.approx(37.25, abs=1e-3)
