"""neighbor_chart, family_chart, delta_chart: what noise does to the answers of two neighbors."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from privet.core import Mechanism
from privet.display import Chart
from privet.errors import InvalidParameter
from privet.explain.shapes import Shape, shape_of
from privet.explain.shapes.shape import Floats
from privet.loss.exact import readable

POINTS = 401
TALLEST = 3  # times the density beside it, that a curve is drawn
REACH = 0.01  # of an answer's law, what lies beyond each end of an axis


def neighbor_ratio(noise: Mechanism[Any, Any], at: Any, *, answers: tuple[float, float]) -> Floats:  # noqa: ANN401 - places
    """How many times likelier each place is under the first exact answer than under the second.

    Example:
        >>> from privet.mechanisms import Laplace
        >>> noise = Laplace(l1_sensitivity=10, scale=10)
        >>> neighbor_ratio(noise, [10, 12.5, 15, 20], answers=(10, 20)).round(6).tolist()
        [2.718282, 1.648721, 1.0, 0.367879]
    """
    shape, places = shape_of(noise), np.asarray(at, dtype=np.float64)
    first, second = (shape.density(places - answer) for answer in answers)
    if not second.all():
        raise InvalidParameter("the second answer never leads to one of these places: choose others")
    return first / second


def neighbor_chart(noise: Mechanism[Any, Any], *, answers: tuple[float, float] = (0, 1)) -> Chart:
    """Two panels: the densities of noisy answers to two neighbors, and how many times likelier one is than the other.

    Args:
        noise: a mechanism that adds noise.
        answers: the exact answers of the neighbors; invented ones.

    Example:
        >>> from privet.mechanisms import Laplace
        >>> neighbor_chart(Laplace(l1_sensitivity=10, scale=10), answers=(10, 20))
        Chart(2 panels)
    """
    at, (first, second) = _places(noise, answers)
    words: dict[str, Any] = {"x": "noisy answer"}
    names = [f"exact answer {readable(answer)}" for answer in answers]
    draw = Chart.points if shape_of(noise).whole else Chart.lines
    both: dict[str, Any] = {name: (at, density) for name, density in zip(names, (first, second), strict=True)}
    left = draw(both, **words, y=_height(noise), title=f"{type(noise).__name__} noise on two neighbors")
    seen = second > 0
    ratio: dict[str, Any] = {"ratio": (at[seen], (first / np.where(seen, second, 1))[seen])}
    epsilon = noise.loss.epsilon(0)
    if not 0 < epsilon < math.inf:
        return Chart.panels([left, draw(ratio, **words, y="ratio", title="Their ratio has no bound", log_y=True)])
    ends = at[[0, -1]]
    bounds = {"e^ε": (ends, [math.exp(epsilon)] * 2), "e^-ε": (ends, [math.exp(-epsilon)] * 2)}
    right = draw(ratio, **words, y="ratio", title=f"Their ratio stays within e^±ε, ε = {epsilon:.3g}")
    return Chart.panels([left, right + Chart.lines(bounds, **words, y="ratio")])


def family_chart(shapes: Mapping[str, Shape], *, reach: float = 8.0) -> Chart:
    """Two panels: density and distribution of several laws.

    Args:
        shapes: by name; see `shape_of` and `privet.explain.shapes`.
        reach: how far to each side of zero.

    Example:
        >>> from privet.explain.shapes import LaplaceShape
        >>> family_chart({f"scale {b}": LaplaceShape(b) for b in (1, 2, 4)})
        Chart(2 panels)
    """
    at = np.linspace(-reach, reach, POINTS)
    if any(shape.whole for shape in shapes.values()):
        at = np.arange(-math.floor(reach), math.floor(reach) + 1.0)
    densities = {name: (at, shape.density(at)) for name, shape in shapes.items()}
    below = {name: (at, shape.cdf(at)) for name, shape in shapes.items()}
    whole = "probability" if any(shape.whole for shape in shapes.values()) else "density"
    return Chart.panels(
        [
            Chart.lines(densities, x="noise", y=whole, title=whole.capitalize()),
            Chart.lines(below, x="noise", y="probability of at most this", title="Distribution"),
        ]
    )


def delta_chart(noise: Mechanism[Any, Any], *, epsilon: float, answers: tuple[float, float] = (0, 1)) -> Chart:
    """δ as an area: what the density of one neighbor has above e^ε times that of the other.

    Args:
        noise: a mechanism that adds continuous noise; its loss says how large the area is.
        epsilon: >= 0.
        answers: the exact answers of the neighbors, as far apart as the noise covers; the lower one first.

    Example:
        >>> from privet.mechanisms import Gaussian
        >>> chart = delta_chart(Gaussian(l2_sensitivity=1, scale=1), epsilon=1)
        >>> chart.title
        'The shaded area is δ(1) = 0.12694'
    """
    at, (first, second) = _places(noise, answers, reach=REACH / 10)
    raised = math.exp(epsilon) * second
    words: dict[str, Any] = {"x": "noisy answer", "y": "density"}
    title = f"The shaded area is δ({readable(epsilon)}) = {noise.loss.delta(epsilon):.5g}"
    risen = np.flatnonzero(raised > TALLEST * float(first.max()))  # what rises far above is cut off: its rise matters
    shown = slice(0, int(risen[0]) if len(risen) else len(at))
    area = Chart.areas({"δ": (at, np.minimum(first, raised), first)}, **words, title=title)
    other = {f"e^{readable(epsilon)} times the other": (at[shown], raised[shown])}
    return area + Chart.lines({"one neighbor": (at, first), **other}, **words)


def _places(
    noise: Mechanism[Any, Any], answers: tuple[float, float], *, reach: float = REACH
) -> tuple[Floats, tuple[Floats, Floats]]:
    """Where both answers may come out, and how dense each is there; answers themselves are among the places."""
    low, high = sorted(map(float, answers))
    if not low < high or not math.isfinite(high - low):
        raise InvalidParameter(f"answers must be two different finite numbers, got {answers!r}")
    shape = shape_of(noise)
    ends = low + shape.quantile(reach), high + shape.quantile(1 - reach)
    if shape.whole:
        if not all(each.is_integer() for each in (low, high)):
            raise InvalidParameter(f"answers of whole noise must be whole numbers, got {answers!r}")
        at = np.arange(math.floor(ends[0]), math.ceil(ends[1]) + 1.0)
    else:
        at = np.unique([*np.linspace(*ends, POINTS), low, high, (low + high) / 2])
    first, second = (shape.density(at - answer) for answer in map(float, answers))
    return at, (first, second)


def _height(noise: Mechanism[Any, Any]) -> str:
    return "probability" if shape_of(noise).whole else "density"
