"""notion_chart: what pure and Rényi promises say of the same events and groups."""

import math

import numpy as np

from privet.display import Chart
from privet.explain.theorems.events import event_bounds
from privet.explain.theorems.group import group_epsilon, group_renyi
from privet.loss.exact import Exact, exact_within, readable

POINTS = 60
DOUBLINGS = 3


def notion_chart(*, epsilon: Exact, order: Exact, bound: Exact) -> Chart:
    """Two panels for a pure promise and a Rényi one: how likely an event can become, and what groups cost.

    `compare_notions` has the same in numbers, with four more properties.

    Args:
        epsilon: the pure promise.
        order: of the Rényi promise, at least 16, so that groups of 8 have an order.
        bound: the Rényi divergence promised at that order.

    Example:
        >>> notion_chart(epsilon=1, order=16, bound="0.5")
        Chart(2 panels)
    """
    level, loss = (exact_within(number, name, low=0) for number, name in ((epsilon, "epsilon"), (bound, "bound")))
    a = exact_within(order, "order", low=2 ** (DOUBLINGS + 1))
    chances = np.geomspace(1e-4, 1, POINTS)
    pure = [event_bounds(float(chance), bound=level, order=math.inf)[1] for chance in chances]
    renyi = [event_bounds(float(chance), bound=loss, order=a)[1] for chance in chances]
    names = f"pure ε = {readable(level)}", f"Rényi {readable(loss)} at order {readable(a)}"
    events = Chart.lines(
        {names[0]: (chances, pure), names[1]: (chances, renyi), "unchanged": (chances, chances)},
        x="probability without one unit",
        y="with it, at most",
        title="Events",
        log_x=True,
        log_y=True,
    )
    sizes = [2**power for power in range(DOUBLINGS + 1)]
    groups = Chart.points(
        {
            names[0]: (sizes, [group_epsilon(level, size=size) for size in sizes]),
            names[1]: (sizes, [float(loss), *(group_renyi(loss, order=a, doublings=c)[1] for c in (1, 2, 3))]),
        },
        x="units at once",
        y="ε, or divergence at a lower order",
        title="Groups",
    )
    return Chart.panels([events, groups])
