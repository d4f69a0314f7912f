"""accuracy_chart, people_chart: what an ε buys, before anything is spent."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from privet.core import Mechanism
from privet.display import Chart
from privet.errors import InvalidParameter
from privet.explain.shapes import shape_of
from privet.loss.exact import exact_within, readable, whole
from privet.mechanisms import DiscreteLaplace

POINTS = 25
FIRST, LAST = 0.01, 10.0
Maker = Callable[[float], Mechanism[Any, Any]]
SAMPLING = 1.959964 / 2  # of a share near one half, in units of 1/√n


def accuracy_chart(makers: Mapping[str, Maker], *, confidence: float = 0.95, y: str = "margin of the answer") -> Chart:
    """The margin of answers by ε, for several mechanisms.

    Args:
        makers: by name, what makes the mechanism for an ε.
        confidence: of the margin.
        y: what the margin is of, with its unit.

    Example:
        >>> from privet import Sensitivity
        >>> from privet.mechanisms import Gaussian, Laplace
        >>> ten = Sensitivity(1, cells=10)
        >>> makers = {
        ...     "Laplace": lambda e: Laplace.calibrated(epsilon=e, sensitivity=ten),
        ...     "Gaussian, δ = 1e-6": lambda e: Gaussian.calibrated(epsilon=e, delta="1e-6", sensitivity=ten),
        ... }
        >>> accuracy_chart(makers, y="± of each of ten counts (people)")
        Chart(2 lines: Laplace, Gaussian, δ = 1e-6)
    """
    levels = np.geomspace(FIRST, LAST, POINTS)
    lines = {name: (levels, [_margin(make(float(e)), confidence) for e in levels]) for name, make in makers.items()}
    title = f"What an ε buys ({confidence:.0%} margins)"
    return Chart.lines(lines, x="ε", y=y, title=title, log_x=True, log_y=True)


def people_chart(*, epsilons: tuple[float, ...] = (0.1, 1.0), most: int = 1_000_000) -> Chart:
    """The margin of a share of people by how many they are: that of the noise, and that of sampling them at all.

    A share near one half, of a public number of people, one of whom is replaced. Noise falls with 1/(ε n), sampling
    with 1/√n: from about 9/ε² people on, privacy costs less than the sample did.

    Args:
        epsilons: one line for each.
        most: the largest number of people, from 100 on.

    Example:
        >>> people_chart()
        Chart(3 lines: noise at ε = 0.1, noise at ε = 1, sampling alone)
    """
    sizes = np.unique(np.geomspace(10, whole(most, "most", low=100, high=10**12), POINTS).astype(np.int64))
    lines = {}
    for epsilon in epsilons:
        count = DiscreteLaplace(1, 1 / exact_within(epsilon, "epsilon", low=1e-6))  # one replaced: the count moves by 1
        margin = max(shape_of(count).quantile(0.975), 0.5)
        lines[f"noise at ε = {readable(epsilon)}"] = (sizes, np.minimum(margin / sizes, 1))
    lines["sampling alone"] = (sizes, np.minimum(SAMPLING / np.sqrt(sizes), 1))
    title = "A share of people: noise and sampling (95% margins)"
    return Chart.lines(lines, x="people", y="margin of the share", title=title, log_x=True, log_y=True)


def _margin(noise: Mechanism[Any, Any], confidence: float) -> float:
    if noise.uncertainty is None:
        raise InvalidParameter(f"the error of {noise!r} is not known without the data: leave it out")
    return noise.uncertainty.margin(confidence)
