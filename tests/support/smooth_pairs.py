"""What the tests of smooth mechanisms share: neighbors as far apart as a smooth bound allows, and their exact laws."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from privet.core import Sensitivity
from privet.mechanisms.smooth import SmoothNoise, SmoothValue
from privet.noise import BitSource
from tests.contracts.mechanism import Cells, Example

Cdf = Callable[[float, float], Callable[[Any], Any]]  # center and scale to distribution function


def example(  # noqa: PLR0913 - the test's own numbers, each by name
    mechanism: SmoothNoise, *, cdf: Cdf, spread: float, smoothness: float, narrow: bool, tightness: float = 0.0
) -> Example:
    """A pair a smooth sensitivity of 1 apart, the second with its noise wider or narrower by e^smoothness.

    The spread and the smoothness are the test's own numbers, not the mechanism's.
    """
    ratio = math.exp(-smoothness if narrow else smoothness)
    pair = (SmoothValue(0.0, 1.0), SmoothValue(min(1.0, ratio), ratio))
    cells = Cells(width=spread / 8, low=-8 * 12, high=8 * 12)

    def law(value: SmoothValue, *, wrong: float = 1.0) -> dict[int, float]:
        center, bound = float(value.value), float(value.smooth_sensitivity)  # type: ignore[arg-type]
        return cells.law(cdf(center, bound * spread * wrong))

    def draw(value: SmoothValue, source: BitSource, count: int) -> list[int]:
        """As `sample` does, with the value repeated; `sample` itself answers the first hundred."""
        mechanism.check(value)
        centers = np.repeat(mechanism._centers(mechanism._numbers(value)), count - 100)
        singles = np.array([mechanism.sample(value, source) for _ in range(100)])
        return cells.of(np.concatenate((singles, mechanism._answers(centers, mechanism._scale(value), source))))

    return Example(
        mechanism=mechanism,
        pair=pair,
        law=law,
        wrong_law=lambda value: law(value, wrong=1.3),
        sensitivity=Sensitivity(100),
        draw=draw,
        too_far=Sensitivity(1, cells=2),
        tightness=tightness,
    )


def neighbors(smoothness: float) -> Iterator[tuple[float, float]]:
    """Moves and logarithms of scale ratios up to what a smooth bound of 1 allows, the corners and between."""
    for change in np.multiply(smoothness, (-1, -0.5, 0, 0.5, 1)):
        for share in (0, 0.5, 1):
            yield share * min(1.0, math.exp(change)), float(change)


def worst_delta(log_density: Callable[[Any], Any], spread: float, smoothness: float, epsilon: float) -> float:
    """The largest hockey stick over `neighbors`, by integration of a density of scale 1 over 500 scales."""
    z = np.sinh(np.linspace(-7, 7, 20_001)) * spread
    worst = 0.0
    for move, change in neighbors(smoothness):
        own = log_density(z / spread) - math.log(spread)
        other = log_density((z - move) / (spread * math.exp(change))) - math.log(spread) - change
        excess = np.exp(own) * np.maximum(-np.expm1(np.minimum(epsilon - own + other, 0)), 0)
        worst = max(worst, float(np.trapezoid(excess, z)))
    return worst


REFUSED: list[Any] = [
    1.0,
    None,
    "1",
    (1.0, 1.0),
    SmoothValue(float("nan"), 1),
    SmoothValue(float("inf"), 1),
    SmoothValue([], 1),
    SmoothValue("1", 1),
    SmoothValue(1.0, 0),
    SmoothValue(1.0, -1.0),
    SmoothValue(1.0, float("nan")),
    SmoothValue(1.0, float("inf")),
    SmoothValue(1.0, bool(1)),
    SmoothValue(1.0, "one"),
    SmoothValue(1.0, None),  # type: ignore[arg-type]
    SmoothValue(1.0, 1e300),
    SmoothValue(1.7e308, 1),
    SmoothValue([1.0, 2.0], 1),
    SmoothValue(2**53 + 1, 1),
    SmoothValue(2**80, 1),
]
