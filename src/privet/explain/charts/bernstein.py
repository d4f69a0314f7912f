"""basis_chart, bernstein_chart: how a function is released as a polynomial."""

from collections.abc import Callable

import numpy as np

from privet.display import Chart
from privet.errors import InvalidParameter
from privet.loss.exact import whole
from privet.mechanisms import Bernstein, BernsteinFunction
from privet.mechanisms.bernstein_function import bernstein_basis

POINTS = 201
MOST_LINES = 7


def basis_chart(degree: int = 2) -> Chart:
    """The Bernstein basis of a degree: polynomials >= 0 that add up to 1 everywhere.

    Example:
        >>> basis_chart(2)
        Chart(3 lines: 0 of 2, 1 of 2, 2 of 2)
    """
    order = whole(degree, "degree", high=MOST_LINES - 1)
    at = np.linspace(0, 1, POINTS)
    values = bernstein_basis(order, at).T
    names = (f"{place} of {order}" for place in range(order + 1))
    title = f"The Bernstein basis of degree {order} sums to 1"
    return Chart.lines({name: (at, each) for name, each in zip(names, values, strict=True)}, x="t", y="", title=title)


def bernstein_chart(
    function: Callable[[float], float], mechanism: Bernstein, released: BernsteinFunction, *, title: str = ""
) -> Chart:
    """A function, its polynomial without noise, and what was released; for an invented or public function.

    Args:
        function: of one variable, the target.
        mechanism: that released it; its grid and bounds are drawn.
        released: what came out.
        title: of the picture; put several of them into `Chart.panels`.

    Privacy: the target is drawn as it is. Draw released functions of protected rows without it: `Chart.lines`.

    Example:
        >>> import math
        >>> from privet import Ledger, Guarantee, Sensitive, Sensitivity, Unit
        >>> mechanism = Bernstein.calibrated(epsilon=1, function_sensitivity="0.01", degree=12)
        >>> ledger = Ledger(Guarantee(1), unit=Unit("person"))
        >>> values = mechanism.values_of(math.sin)
        >>> secret = Sensitive(values, Sensitivity("0.01", cells=13), Unit("person"))
        >>> bernstein_chart(math.sin, mechanism, ledger.release(secret, mechanism, purpose="a curve").value)
        Chart(3 lines: target, polynomial of degree 12, private)
    """
    if mechanism.dimension != 1:
        raise InvalidParameter(f"a function of one variable is drawn, got dimension={mechanism.dimension}")
    ((low, high),) = mechanism.bounds
    at = np.linspace(float(low), float(high), POINTS)
    plain = BernsteinFunction(mechanism.values_of(function), mechanism.order, mechanism.bounds)
    curves = {
        "target": [float(function(place)) for place in at],
        f"polynomial of degree {mechanism.degree}": plain(at),
        "private": released(at),
    }
    lines = {name: (at, values) for name, values in curves.items()}
    return Chart.lines(lines, x="x", y="value", title=title or "A function, its polynomial, and the private one")
