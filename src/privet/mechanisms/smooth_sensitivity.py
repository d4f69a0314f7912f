"""Smooth bounds of local sensitivities, and when noise in proportion to them is worth it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact
from privet.mechanisms.additive import finite_numbers, positive
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.smooth import SmoothNoise, SmoothValue
from privet.mechanisms.smooth_gaussian import SmoothGaussian
from privet.noise.lazy import Floats

_DEEPEST = 64.0  # bounds stay above e^-64 of the largest: the larger of a bound and a constant is as smooth
_LOSS = 2.0**-49  # of a logarithm, relative and absolute: more than two products and a logarithm lose


def smooth_bound(
    local_sensitivities: ArrayLike, *, smoothness: Exact, global_sensitivity: Exact | None = None
) -> float:
    """Return max over k of e^(-smoothness k) times the local sensitivity at distance k, rounded up.

    Args:
        local_sensitivities: the first is how far one unit can move the answer of this dataset; the next how far one
            can move it after one unit was changed, at most; and so on. None may be smaller than the one before.
        smoothness: > 0; that of the mechanism.
        global_sensitivity: what the list would go on with; without it the last number must bound all that follow.

    Privacy: the result depends on the data and is as secret as they are.
    Proof: it bounds the first, and at a neighbor each distance is one more or one less (Nissim, Raskhodnikova and
        Smith 2007, Lemma 2.3). Rounding moves its logarithm by less than 2^-40, which the mechanisms allow for.

    Example:
        >>> round(smooth_bound([1, 1, 3], smoothness="0.009465"), 4)
        2.9437
    """
    listed = finite_numbers(local_sensitivities).astype(np.float64).ravel()
    if global_sensitivity is not None:
        listed = np.append(listed, math.nextafter(float(positive(global_sensitivity, "global_sensitivity")), math.inf))
    if (listed < 0).any() or (np.diff(listed) < 0).any() or listed[-1] <= 0:
        raise InvalidParameter(
            "local sensitivities must be >= 0, none smaller than the one before, and the last > 0: what one unit can "
            "do after k changes, it can do after k + 1"
        )
    rate = float(positive(smoothness, "smoothness"))
    with np.errstate(divide="ignore"):
        logarithms = np.log(listed / listed[-1]) - rate * np.arange(len(listed))
    return _raised(float(logarithms.max()), float(listed[-1]))


def median_smooth_sensitivity(data: ArrayLike, *, bounds: tuple[Exact, Exact], smoothness: Exact) -> float:
    """Return the smooth sensitivity of the median under "one unit replaced", one row a unit, rounded up.

    Args:
        data: the rows, in any order; they are clipped to the bounds. The median of an even number of rows is the
            lower of the middle two, as `smooth_median` returns it.
        bounds: lowest and highest possible value, declared without looking at the data.
        smoothness: > 0; that of the mechanism.

    Privacy: the result depends on the data and is as secret as they are. Only for units with neighbors "replace": the
        number of rows is taken as public.
    Proof: k changes move x_i and x_j, i <= m <= j, next to each other if j - i <= k + 1, and one more moves the median
        from one to the other; so the answer is max (x_j - x_i) e^(-β (j - i - 1)), with the bounds in place of rows
        beyond the ends (Nissim, Raskhodnikova and Smith 2007, Claim 3.3). In O(n log n), because the best j does not
        fall with i: (x_j' - c) w^(j'-j) - (x_j - c) rises with c = x_i.

    Example:
        >>> points = 100 * np.arange(1, 1002) / 1002
        >>> round(median_smooth_sensitivity(points, bounds=(0, 100), smoothness="1/6"), 6)
        0.260238
    """
    low, high = exact(bounds[0], "bounds"), exact(bounds[1], "bounds")
    if not low < high:
        raise InvalidParameter(f"bounds must be a lower and a higher number, got {bounds!r}")
    rate = float(positive(smoothness, "smoothness"))
    width = math.nextafter(float(high - low), math.inf)
    rows = _clipped(data, float(low), float(high))
    padded = np.concatenate(([float(low)], rows, [float(high)]))
    return _raised(_best_pair(padded, (len(rows) + 1) // 2, rate, width), width)


def smooth_median(data: ArrayLike, *, bounds: tuple[Exact, Exact], smoothness: Exact) -> SmoothValue:
    """Return the median of clipped rows (of an even number the lower) with its smooth sensitivity.

    Example:
        >>> smooth_median([1, 2, 7], bounds=(0, 10), smoothness="0.1")
        SmoothValue(hidden)
    """
    bound = median_smooth_sensitivity(data, bounds=bounds, smoothness=smoothness)
    rows = _clipped(data, float(exact(bounds[0], "bounds")), float(exact(bounds[1], "bounds")))
    return SmoothValue(float(rows[(len(rows) + 1) // 2 - 1]), bound)


def _clipped(data: ArrayLike, low: float, high: float) -> Floats:
    """The rows within the bounds, in order."""
    rows: Floats = np.sort(np.clip(finite_numbers(data).astype(np.float64).ravel(), low, high))
    return rows


def _best_pair(rows: Floats, middle: int, rate: float, width: float) -> float:
    """The largest ln((x_j - x_i) / width) - rate (j - i - 1) over i <= middle <= j, by halving the range of i.

    A level of halvings at a time. Where rounding leaves open which j is the best, all that may be stay in the range.
    """
    best = -math.inf
    ranges: NDArray[np.intp] = np.array([[0, middle, middle, len(rows) - 1]])  # first and last i, first and last j
    while len(ranges):
        first, last, low, high = ranges.T
        center = (first + last) // 2
        counts = high - low + 1
        owner = np.repeat(np.arange(len(center)), counts)
        starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
        j = low[owner] + np.arange(len(owner)) - starts[owner]
        with np.errstate(divide="ignore"):
            values = np.log((rows[j] - rows[center[owner]]) / width) - rate * (j - center[owner] - 1)
        tops = np.maximum.reduceat(values, starts)
        best = max(best, float(tops.max()))
        near = np.flatnonzero(values >= (tops - 2 * _LOSS * (1 + np.abs(tops)))[owner])
        from_left = np.full(len(center), len(rows))
        from_right = np.full(len(center), -1)
        np.minimum.at(from_left, owner[near], j[near])
        np.maximum.at(from_right, owner[near], j[near])
        left = np.stack((first, center - 1, low, from_right), axis=1)
        right = np.stack((center + 1, last, from_left, high), axis=1)[tops > -math.inf]  # else no later row is lower
        both = np.concatenate((left, right))
        ranges = both[both[:, 0] <= both[:, 1]]
    return best


def _raised(logarithm: float, largest: float) -> float:
    """Largest e^logarithm, rounded up; at least e^-64 of the largest."""
    kept = max(logarithm, -_DEEPEST)
    raised = largest * math.exp(kept + 2 * _LOSS * (1 + abs(kept)))
    if not math.isfinite(raised) or raised <= 0:
        raise InvalidParameter("the sensitivities are beyond the range of floats: choose another unit of measurement")
    return raised


@dataclass(frozen=True)
class NoiseComparison:
    """Noise in proportion to the smooth sensitivity against noise for the global one, at the same promise.

    Args:
        smooth_scale: of the noise for the smooth sensitivities asked about, smallest first.
        smooth_margin: how far answers may lie off then, with 95 % confidence.
        global_scale: of the noise that does not depend on the data.
        global_margin: the same for it.
    """

    smooth_scale: tuple[float, ...]
    smooth_margin: tuple[float, ...]
    global_scale: float
    global_margin: float

    @property
    def smaller(self) -> str:
        """Say "smooth" if all of its margins are smaller, "global" if none is, else "depends"."""
        better = [margin < self.global_margin for margin in self.smooth_margin]
        return "smooth" if all(better) else "depends" if any(better) else "global"

    def __str__(self) -> str:
        advice = {
            "smooth": "noise in proportion to the smooth sensitivity is the smaller on all of these datasets",
            "global": "noise for the global sensitivity is the smaller on all of these datasets",
            "depends": "it depends on the dataset: decide by the one most like yours, never by yours",
        }[self.smaller]
        margins = ", ".join(f"{margin:.6g}" for margin in self.smooth_margin)
        return f"margin (95%) smooth: {margins}; global: {self.global_margin:.6g}: {advice}"


def compare_with_global(
    mechanism: SmoothNoise, smooth_sensitivities: Sequence[float], sensitivity: Sensitivity
) -> NoiseComparison:
    """Compare a smooth mechanism with the plain one that keeps the same promise, to choose before any data is seen.

    Args:
        mechanism: a smooth mechanism.
        smooth_sensitivities: of public or invented datasets. Never of the secret one: the choice would depend on it.
        sensitivity: the global one.

    Returns:
        Both scales and margins; the plain mechanism is Gaussian for `SmoothGaussian`, else Laplace.

    Example:
        >>> from privet.mechanisms import SmoothLaplace
        >>> from privet.core import Sensitivity
        >>> mechanism = SmoothLaplace(epsilon=1, delta=1e-6, step="0.001")
        >>> compared = compare_with_global(mechanism, [0.5, 1.0], Sensitivity(100))
        >>> compared.smooth_scale, round(compared.global_scale)
        ((1.0, 2.0), 100)
    """
    if not len(smooth_sensitivities) or not all(0 < number < math.inf for number in smooth_sensitivities):
        raise InvalidParameter("smooth_sensitivities must hold at least one finite number > 0")
    chosen = sorted(smooth_sensitivities)
    promise = mechanism.promise
    plain: Laplace | Gaussian
    if isinstance(mechanism, SmoothGaussian):
        plain = Gaussian.calibrated(epsilon=promise.epsilon, delta=promise.delta, sensitivity=sensitivity)
    else:
        plain = Laplace.calibrated(epsilon=promise.epsilon, delta=promise.delta, sensitivity=sensitivity)
    return NoiseComparison(
        tuple(number * float(mechanism.spread) for number in chosen),
        tuple(mechanism.noise_margin(number) for number in chosen),
        float(plain.noise_scale),
        plain.uncertainty.margin(0.95),
    )


def localized_gaussian(*_: object, **__: object) -> NoReturn:
    """Refuse: Gaussian noise scaled to the local sensitivity is not private, though a proposition claims it.

    The scale itself tells the data. Of f = (0, 1, 2, 5) at ε = 0.5, δ = 1e-5 the true δ is 0.11 (tests/golden).

    Example:
        >>> from privet.errors import InvalidParameter
        >>> try:
        ...     localized_gaussian(epsilon=0.5, delta=1e-5)
        ... except InvalidParameter as refused:
        ...     "not differentially private" in str(refused)
        True
    """
    raise InvalidParameter(
        "noise scaled to the local sensitivity is not differentially private, because its width tells the data: use "
        "SmoothGaussian with smooth_bound, or Gaussian with the global sensitivity"
    )
