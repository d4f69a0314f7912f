"""trust_chart: what trusting nobody costs, by how many people there are."""

import numpy as np

from privet.display import Chart
from privet.explain.trust import trust_models
from privet.loss.exact import Exact, exact_within, readable, whole

SIZES = 7


def trust_chart(*, epsilon: Exact, delta: Exact, most: int = 1_000_000) -> Chart:
    """The error of a count in the central, the local and the shuffle model, as a share of the people.

    Args:
        epsilon: the promise in all three.
        delta: what the shuffle model may fail by.
        most: the largest number of people, from 1,000 to 2^22.

    Example:
        >>> trust_chart(epsilon=1, delta=1e-6, most=10_000)
        Chart(3 lines: central, local, shuffle)
    """
    sizes = np.unique(np.geomspace(100, whole(most, "most", low=1000, high=1 << 22), SIZES).astype(np.int64)).tolist()
    found = {size: trust_models(size, epsilon=epsilon, delta=delta) for size in sizes}
    names = [model.name for model in found[sizes[0]]]
    lines = {name: (sizes, [found[size][place].deviation / size for size in sizes]) for place, name in enumerate(names)}
    said = (readable(exact_within(number, "", low=0)) for number in (epsilon, delta))
    title = "A count at ε = {}, δ = {}".format(*said)
    words = {"x": "people", "y": "standard deviation, as a share of the people"}
    return Chart.lines(lines, x=words["x"], y=words["y"], title=title, log_x=True, log_y=True)
