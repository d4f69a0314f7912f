"""Lipschitz constants of functions on a few points: how far an answer moves for each step of its input."""

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from itertools import permutations
from typing import Any, TypeVar

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact

P = TypeVar("P", bound=Hashable)


def apart(one: Any, other: Any) -> Fraction:  # noqa: ANN401 - any two numbers
    """Return the distance of two numbers."""
    return abs(exact(one, "point") - exact(other, "point"))


def lipschitz_at(
    function: Callable[[P], Exact], points: Iterable[P], *, distance: Callable[[P, P], Fraction | int] = apart
) -> dict[P, Fraction]:
    """Return for each point the smallest κ with |f(x) - f(point)| <= κ distance(x, point) for all x.

    Args:
        function: gives a number for each point.
        points: all points; at least one.
        distance: of two points; that of numbers by default.

    Privacy: the constant at one point is a fact about one dataset, so noise scaled to it is not private: the scale
        tells neighbors apart. A promise needs the constant over all points.

    Example:
        >>> {x: str(k) for x, k in lipschitz_at({0: 0, 1: 1, 2: 2, 3: 5}.get, range(4)).items()}
        {0: '5/3', 1: '2', 2: '3', 3: '3'}
    """
    values = {point: exact(function(point), "the value of the function") for point in points}
    if not values:
        raise InvalidParameter("points must hold at least one point, got none")
    constants = dict.fromkeys(values, Fraction(0))
    for here, there in permutations(values, 2):
        steps = Fraction(distance(here, there))
        if steps <= 0:
            raise InvalidParameter("distance must be > 0 for two different points")
        constants[here] = max(constants[here], abs(values[here] - values[there]) / steps)
    return constants


def lipschitz(
    function: Callable[[P], Exact], points: Iterable[P], *, distance: Callable[[P, P], Fraction | int] = apart
) -> Fraction:
    """Return the smallest κ with |f(x) - f(y)| <= κ distance(x, y) for all x and y.

    Example:
        >>> lipschitz({0: 0, 1: 1, 2: 2, 3: 5}.get, range(4)), lipschitz(lambda x: x, range(4))
        (Fraction(3, 1), Fraction(1, 1))
    """
    return max(lipschitz_at(function, points, distance=distance).values())


def is_lipschitz(
    function: Callable[[P], Exact],
    points: Iterable[P],
    *,
    bound: Callable[[P], Exact],
    distance: Callable[[P, P], Fraction | int] = apart,
) -> bool:
    """Return whether |f(x) - f(y)| <= bound(y) distance(x, y) for all x and y: a bound that may differ from y to y.

    Example:
        >>> f = {0: 0, 1: 1, 2: 2, 3: 5}.get
        >>> is_lipschitz(f, range(4), bound=lambda y: max(2, y)), is_lipschitz(f, range(4), bound=lambda _: 2)
        (False, False)
        >>> is_lipschitz(f, range(4), bound=lambda y: [2, 2, 3, 3][y])
        True
    """
    constants = lipschitz_at(function, points, distance=distance)
    return all(constant <= exact(bound(point), "bound") for point, constant in constants.items())
