"""smooth_sensitivity: noise in proportion to how sensitive a function is at the data, made smooth."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from privet.asking.asking import Asking
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.column import NUMBERS, ArrayColumn
from privet.asking.payment import Payment
from privet.core import Release, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.loss.exact import Exact, whole
from privet.mechanisms import SmoothCauchy, SmoothGaussian, SmoothLaplace, SmoothValue, smooth_bound
from privet.mechanisms import smooth_median as median_with_bound
from privet.mechanisms.quietly import quietly
from privet.mechanisms.smooth import SmoothNoise
from privet.stats.functions.total_function import answer_of


@called_as("smooth_sensitivity(f, rows, local_sensitivities=moves, step=0.1, epsilon=1)")
def smooth_sensitivity(  # noqa: PLR0913 - a function, its sensitivities, and how to ask, each by name
    f: Callable[[Any], Any],
    data: Any,  # noqa: ANN401 - whatever f takes
    *,
    local_sensitivities: Callable[[Any], ArrayLike],
    step: Exact,
    global_sensitivity: Exact | None = None,
    size: int = 1,
    **asking: Unpack[Asking],
) -> Release[Any]:
    """Release f(data) with noise in proportion to its smooth sensitivity.

    Args:
        f: any function of the data, to a number, or to `size` numbers. Where it fails or says no finite number, it
            counts as 0, and its sensitivities must hold for that.
        data: the protected data; f sees it after the charge.
        local_sensitivities: a function of the data to a list: how far one unit can move f of this data, then after one
            unit was changed, and so on; see `smooth_bound`. For the unit's neighbors. Where it fails, the global
            sensitivity is taken, or noise in which everything drowns.
        step: the public resolution of answers.
        global_sensitivity: what the list would go on with, if there is a bound for all data.
        size: how many numbers f has, a public constant; several need a delta.
        asking: epsilon, delta, ledger, purpose, key, neighbors, unit; see `Asking`. With a delta the noise is Laplace's
            (or Gaussian, for several numbers), without one Cauchy's.

    Privacy: as `SmoothLaplace`, `SmoothCauchy`, `SmoothGaussian`. The answer has no margin: its noise would tell the
        data. For planning on invented data there is `noise_margin` of these mechanisms, and `compare_with_global`.

    Example:
        >>> def second(ages):  # the second largest of ages in [0, 100]
        ...     return sorted(ages)[-2]
        >>> def moves(ages):  # k changes bring values k + 1 places apart next to each other, one more jumps over
        ...     n, known = len(ages), [100] * len(ages) + sorted(ages)[::-1] + [0] * len(ages)
        ...     return [max(known[n + 1 - i] - known[n + 2 + k - i] for i in range(k + 2)) for k in range(n - 1)]
        >>> release = smooth_sensitivity(
        ...     second, [97, 20, 99, 98, 96], local_sensitivities=moves, global_sensitivity=100, step="0.1", epsilon=1,
        ...     neighbors="replace"
        ... )
        >>> release.loss.epsilon(delta=0), release.uncertainty is None
        (1.0, True)
    """
    _refuse_other_than_functions(f, local_sensitivities)
    payment = Payment.of("smooth_sensitivity", asking)
    mechanism = _mechanism(payment, step, whole(size, "size"))
    overall = Sensitivity(1 if global_sensitivity is None else global_sensitivity, cells=mechanism.size)

    def compute() -> SmoothValue:
        shape = () if mechanism.size == 1 else (mechanism.size,)
        value = answer_of(lambda: f(data), shape=shape, largest=mechanism.largest_value)
        return SmoothValue(value, _bound(local_sensitivities, data, mechanism, global_sensitivity))

    return payment.release(compute, overall, mechanism)


@called_as('smooth_median(ages, bounds=(0, 110), step=0.1, epsilon=1, neighbors="replace")')
def smooth_median(
    data: Any,  # noqa: ANN401 - any column
    *,
    bounds: tuple[Exact, Exact],
    step: Exact,
    **asking: Unpack[Asking],
) -> Release[float]:
    """Release the median of numbers whose count is public, with noise in proportion to its smooth sensitivity.

    Args:
        data: one number a unit. They are clipped to the bounds; what is not a number counts as their middle.
        bounds: public lowest and highest value.
        step: the public resolution of answers.
        asking: epsilon, delta, ledger, purpose, key, neighbors (must be "replace"), unit; see `Asking`.

    Privacy: as `smooth_sensitivity`, under "one unit replaced" only: the number of rows is taken as public. Of an even
        number of rows the median is the lower of the middle two.

    Example:
        >>> ages = np.linspace(20, 60, 10_001)
        >>> median = smooth_median(ages, bounds=(0, 120), step="0.01", epsilon=1, delta=1e-6, neighbors="replace")
        >>> 35 < median.value < 45
        True
    """
    payment = Payment.of("smooth_median", asking)
    if payment.unit.neighbors is not Neighbors.REPLACE:
        raise InvalidParameter(
            'smooth_median takes the number of rows as public, so it needs neighbors="replace" (and a ledger of such a '
            "unit): otherwise ask for privet.median"
        )
    declared = Bounds.of(bounds)
    low, high = declared.low, declared.high
    mechanism = _mechanism(payment, step, 1)
    column = ArrayColumn.of(data, "data")
    column.refuse_other_than(NUMBERS, "data")
    if not column.length:
        raise InvalidParameter("smooth_median needs at least one row, got an empty column")

    def compute() -> SmoothValue:
        rows = column.numbers().astype(np.float64)
        rows = np.where(np.isnan(rows), float((low + high) / 2), rows)
        rows = np.clip(rows, float(low), float(high))
        return median_with_bound(rows, bounds=(low, high), smoothness=mechanism.smoothness)

    return payment.release(compute, Sensitivity(high - low), mechanism)


def _bound(moves: Callable[[Any], ArrayLike], data: Any, mechanism: SmoothNoise, overall: Exact | None) -> Exact:  # noqa: ANN401 - whatever f takes
    """The smooth sensitivity; where the function fails, the global one, or as much noise as there can be."""

    def found() -> Exact:
        bound = smooth_bound(moves(data), smoothness=mechanism.smoothness, global_sensitivity=overall)
        return min(Fraction(bound), mechanism.largest_bound)

    return quietly(found, mechanism.largest_bound if overall is None else overall)


def _refuse_other_than_functions(*functions: object) -> None:
    if not all(map(callable, functions)):
        raise InvalidParameter("f and local_sensitivities must be functions of the data")


def _mechanism(payment: Payment, step: Exact, size: int) -> SmoothNoise:
    """The mechanism for this price, chosen from public numbers."""
    price = payment.price
    if price.epsilon is None:
        raise InvalidParameter("smooth sensitivity is priced by epsilon, or epsilon and delta: give one of these")
    if not price.delta:
        if size > 1:
            raise InvalidParameter("several numbers need a delta with smooth sensitivity: Cauchy noise is for one")
        return SmoothCauchy(price.epsilon, step=step)
    if size > 1:
        return SmoothGaussian(price.epsilon, price.delta, dimension=size, step=step)
    return SmoothLaplace(price.epsilon, price.delta, step=step)
