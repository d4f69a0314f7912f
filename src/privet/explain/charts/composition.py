"""composition_chart: what each theorem promises for many releases."""

import numpy as np

from privet.display import Chart
from privet.explain.theorems.comparison import THEOREMS
from privet.loss.exact import Exact, exact_within, readable, whole

POINTS = 20
ALIKE = {
    "zCDP, standard conversions",
    "Rényi, standard conversion",
}  # within a hair of others: a table tells them apart


def composition_chart(epsilon: Exact, *, most: int, delta: Exact) -> Chart:
    """The total ε that each theorem promises, by how many releases there are; the lowest line is exact.

    Args:
        epsilon: the promise of one release.
        most: the largest number of releases.
        delta: the failure probability allowed in total.

    Example:
        >>> chart = composition_chart("0.1", most=100, delta="1e-5")
        >>> chart.title, len(chart.layers)
        ('Releases of ε = 0.1 each, at δ = 1e-5 in all', 7)
    """
    last = whole(most, "most", low=2, high=10_000)
    level, failure = exact_within(epsilon, "epsilon", low=0), exact_within(delta, "delta", low=0, high=1)
    counts = np.unique(np.linspace(1, last, POINTS).astype(np.int64)).tolist()
    lines = {
        name: (counts, [theorem(level, times=count, delta=failure) for count in counts])
        for name, theorem in THEOREMS
        if name not in ALIKE
    }
    title = f"Releases of ε = {readable(level)} each, at δ = {readable(failure)} in all"
    return Chart.lines(lines, x="releases", y="total ε", title=title)
