"""tradeoff_chart: what no test can do, and by how much."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from privet.display import Chart
from privet.explain.charts.named_losses import named_losses
from privet.loss import PrivacyLoss

POINTS = 81
CROWDED = (1e-4, 1e-3, 3e-3, 0.01, 0.02, 0.03)  # a curve is steep where alarms are few


def tradeoff_chart(losses: PrivacyLoss | Mapping[str, PrivacyLoss]) -> Chart:
    """Errors of tests for one unit: those in the shaded region are possible, those below its edge are not.

    Args:
        losses: one, or several by name: the first has its region shaded, the others have lines.

    Proof: a test that accuses the absent at rate a misses the present at a rate of at least the trade-off curve at a.
        Guessing lies on the diagonal a + b = 1, and answering the opposite mirrors a test through its middle, so all
        possible tests lie between the curve and its mirror image (Wasserman and Zhou 2010; Dong, Roth and Su 2022).

    Example:
        >>> from privet.loss import ApproximateCurve
        >>> tradeoff_chart({f"ε = {e}": PrivacyLoss.of(ApproximateCurve(e)) for e in (1, 2)})
        Chart(1 area, 3 lines: possible at ε = 1, ε = 1, ε = 2, guessing)
    """
    named = named_losses(losses)
    corners = [(1 - loss.advantage()) / 2 for loss in named.values()]  # where both errors are equal
    rates = np.unique([*np.linspace(0, 1, POINTS), *CROWDED, *corners])
    rates = np.unique(np.round([*rates, *(1 - rates)], 12))
    curves = {name: np.array([loss.tradeoff(float(rate)) for rate in rates]) for name, loss in named.items()}
    first = next(iter(curves))
    words: dict[str, Any] = {"x": "wrong alarms (share of those absent)", "y": "missed (share of those present)"}
    title = "Errors of any test for one unit"
    mirrored = 1 - np.interp(1 - rates, rates, curves[first])
    region = Chart.areas({f"possible at {first}": (rates, curves[first], mirrored)}, **words, title=title)
    lines = {name: (rates, curve) for name, curve in curves.items()}
    return region + Chart.lines({**lines, "guessing": ([0, 1], [1, 0])}, **words)


def conditional_chart(*, most: float = 3.0) -> Chart:
    """The least sum of both errors, by ε: the tight value, and the bound of conditional tests e^(-2ε), which is loose.

    Conditional tests compare two values of one unit given all others' data. Ferrari's bound of the sum of their errors
    is e^(-2ε); 2/(1 + e^ε) holds for them as well, and is attained.

    Args:
        most: the largest ε drawn.

    Example:
        >>> conditional_chart()
        Chart(2 lines: 2/(1 + e^ε): attained, e^(-2ε): conditional bound)
    """
    level = np.linspace(0, most, POINTS)
    return Chart.lines(
        {
            "2/(1 + e^ε): attained": (level, 2 / (1 + np.exp(level))),
            "e^(-2ε): conditional bound": (level, np.exp(-2 * level)),
        },
        x="ε",
        y="wrong alarms + missed, at least",
        title="The least sum of errors",
    )
