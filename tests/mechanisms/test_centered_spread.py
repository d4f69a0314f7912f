"""CenteredSpread: the contract by quadrature over the center, and what it releases."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import pytest
from scipy.integrate import quad

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.mechanisms import CenteredSpread, Gaussian, Laplace
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract

MEANS = (-math.inf, -2.0, 0.0, 1.0, 2.0, math.inf)  # where noisy sums are told apart
SPREADS = (-math.inf, -1.0, 0.0, 1.0, math.inf)


def below(x: float, scale: float) -> float:
    return math.exp(x / scale) / 2 if x < 0 else 1 - math.exp(-x / scale) / 2


def law(value: Sequence[Any], mechanism: CenteredSpread, factor: float = 1.0) -> dict[int, float]:
    """The chance of each pair of intervals, for one column: an integral over the noisy sum, by the definition."""
    first, both = (float(each) for each in value)
    rough, last = (float(each.scale) * factor for each in (mechanism.center, mechanism.spread))  # type: ignore[union-attr] # Laplace
    n, k = mechanism.rows, mechanism.moved

    def shifted(noisy: float) -> tuple[float, float]:
        center = min(max(noisy * k / n, -1.0), 2.0)
        high, low = max(center**2, (1 - center) ** 2), 0.0 if 0 <= center <= 1 else min(center**2, (1 - center) ** 2)
        around = both - 2 * center * first + n * center**2
        return (around - n * (low + high) / 2) / (k * (high - low)), 0.0

    def density(noisy: float, low: float, high: float) -> float:
        at, _ = shifted(noisy)
        chance = below(high - at, last) - below(low - at, last)
        return chance * math.exp(-abs(noisy - first / k) / rough) / (2 * rough)

    masses = {}
    for i, j in product(range(len(MEANS) - 1), range(len(SPREADS) - 1)):
        start, end = max(MEANS[i], -60.0), min(MEANS[i + 1], 60.0)
        breaks = [p for p in (first / k, n / 2 / k, -n / k, 2 * n / k, 0.0, n / k) if start < p < end]
        found, _ = quad(density, start, end, args=(SPREADS[j], SPREADS[j + 1]), points=breaks or None, limit=200)
        masses[i * len(SPREADS) + j] = found
    return masses


def outcome(answer: Any) -> int:  # noqa: ANN401 - two numbers
    noisy, spread = (float(each) for each in answer)
    i = sum(noisy >= end for end in MEANS[1:-1])
    return i * len(SPREADS) + sum(spread >= end for end in SPREADS[1:-1])


def example(rows: int, moved: int, pair: tuple[Any, Any], scales: tuple[Any, Any]) -> Example:
    mechanism = CenteredSpread(rows, moved=moved, center=Laplace(1, scales[0]), spread=Laplace(1, scales[1]))
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda value: law(value, mechanism),
        wrong_law=lambda value: law(value, mechanism, 1.5),
        outcome=outcome,
        sensitivity=Sensitivity(moved, cells=2),
        too_far=Sensitivity(moved + 1, cells=2),
        trials=6000,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(2, 1, ([Fraction(0), Fraction(0)], [Fraction(1), Fraction(1)]), (2, 1)),
        example(2, 1, ([Fraction(1, 2), Fraction(1, 4)], [Fraction(3, 2), Fraction(5, 4)]), (1, 1)),
        example(3, 2, ([Fraction(1), Fraction(1)], [Fraction(3), Fraction(3)]), (2, 2)),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [[1], [1, 2, 3], 4]


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("center", [-1, Fraction(-1, 3), 0, Fraction(1, 3), Fraction(1, 2), 1, Fraction(3, 2), 2])
def test_no_product_of_distances_lies_beyond_the_range(columns: int, center: Fraction) -> None:
    mechanism = CenteredSpread(5, center=Laplace(1, 1), spread=Laplace(1, 1), columns=columns)
    places = [Fraction(place, 16) for place in range(17)]
    for other in (center, Fraction(1, 5), Fraction(5, 4)) if columns == 2 else (center,):
        low, high = mechanism.range_around([center, other][:columns])
        rows = [(u, u) for u in places] if columns == 1 else list(product(places, repeat=2))
        products = [(u - center) * (v - other) for u, v in rows]
        assert low <= min(products) <= low + Fraction(1, 500)
        assert max(products) == high


class Silent:
    """No noise, and a note of what it was asked to hide."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def sample(self, value: float, source: BitSource) -> float:  # noqa: ARG002 - no bits are needed
        self.seen.append(value)
        return 0.375 if len(self.seen) % 2 else value  # a center at a quarter


def test_replaced_rows_move_each_number_by_at_most_one() -> None:
    """All tables of three rows on five places, two of them replaced, with the same released center."""
    mechanism = CenteredSpread(3, moved=2, center=Laplace(1, 1), spread=Laplace(1, 1))
    places = [Fraction(place, 4) for place in range(5)]
    seen: dict[Any, list[list[float]]] = {}
    for table in product(places, repeat=3):
        silent: Any = Silent()
        mechanism._keep(center=silent, spread=silent)  # a test's own noise
        mechanism.sample([sum(table), sum(u * u for u in table)], silent)
        seen.setdefault(table[0], []).append(silent.seen)
    for asked in seen.values():  # what two rows can do beside the same third
        for number in zip(*asked, strict=True):
            assert max(number) - min(number) <= 1
    assert max(max(s[1] for s in asked) - min(s[1] for s in asked) for asked in seen.values()) == 1


def test_the_average_is_the_covariance_and_the_product_of_errors(source: BitSource) -> None:
    tiny = Laplace(1, Fraction(1, 10**6))
    mechanism = CenteredSpread(4, center=tiny, spread=tiny, columns=2)
    u, v = [0.0, 0.5, 1.0, 0.25], [1.0, 0.5, 0.75, 0.0]
    sums = [Fraction(sum(u)), Fraction(sum(v)), Fraction(sum(a * b for a, b in zip(u, v, strict=True)))]
    average, unit = mechanism.average(mechanism.sample(sums, source).tolist())
    covariance = sum(sums[2:]) / 4 - sums[0] * sums[1] / 16
    assert average == pytest.approx(float(covariance), abs=1e-4)
    assert 0 < unit <= 0.25


def test_bad_parameters_are_refused() -> None:
    noise = Laplace(1, 1)
    with pytest.raises(InvalidParameter, match="columns must be 1 or 2"):
        CenteredSpread(5, center=noise, spread=noise, columns=3)
    with pytest.raises(InvalidParameter, match="that move by 1"):
        CenteredSpread(5, center=Gaussian("0.5", 1), spread=noise)
    with pytest.raises(InvalidParameter, match="that move by 1"):
        CenteredSpread(5, center=noise, spread=Laplace("0.5", 1))


def test_every_center_is_paid_for() -> None:
    mechanism = CenteredSpread(5, center=Laplace(1, 10), spread=Laplace(1, 2), columns=2)
    assert mechanism.loss.epsilon(0) == pytest.approx(0.7)
