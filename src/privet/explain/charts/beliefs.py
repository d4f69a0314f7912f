"""belief_chart: how far a belief about one unit can move."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from privet.display import Chart
from privet.explain.charts.named_losses import named_losses
from privet.explain.stated import beliefs
from privet.loss import PrivacyLoss

POINTS = 101


def belief_chart(losses: PrivacyLoss | Mapping[str, PrivacyLoss], *, failure: float = 1e-6) -> Chart:
    """The highest and the lowest belief after a release, by the belief before.

    Args:
        losses: one, whose beliefs are shaded between both ends; or several by name, each with its upper end.
        failure: of losses that are not bounded: the probability that an end is passed, or half of it.

    The belief is about one unit whose data is independent of all others', or exchangeable with them given a common
    cause that the attacker knows.

    Example:
        >>> from privet.loss import ApproximateCurve
        >>> belief_chart(PrivacyLoss.of(ApproximateCurve(1)))
        Chart(1 area, 3 lines: possible, at most, at least, nothing learned)
    """
    named = named_losses(losses)
    before = np.linspace(0, 1, POINTS)
    ends = {
        name: np.array([(each.at_least, each.at_most) for each in beliefs(loss, before.tolist(), failure=failure)])
        for name, loss in named.items()
    }
    words: dict[str, Any] = {"x": "belief before", "y": "belief after"}
    title = "How far a belief can move"
    same = {"nothing learned": ([0, 1], [0, 1])}
    if len(named) > 1:
        lines = {name: (before, both[:, 1]) for name, both in ends.items()}
        return Chart.lines({**lines, **same}, **words, title=f"{title}, at most")
    (both,) = ends.values()
    region = Chart.areas({"possible": (before, both[:, 0], both[:, 1])}, **words, title=title)
    return region + Chart.lines({"at most": (before, both[:, 1]), "at least": (before, both[:, 0]), **same}, **words)
