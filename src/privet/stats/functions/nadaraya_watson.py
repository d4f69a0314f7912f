"""NadarayaWatson: kernel regression by the weighted mean of what is near."""

import math
from dataclasses import dataclass

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.exact import Exact
from privet.stats.functions.kernel_regression import Floats, KernelRegression, turns_of


@dataclass(frozen=True, init=False)
class NadarayaWatson(KernelRegression):
    """The mean of all y, weighted by the kernel of the distance of their x; `otherwise` where no x is near.

    Args:
        bandwidth: > 0; the width of the Gaussian kernel.
        bounds: public lowest and highest x.
        otherwise: what the curve is where all weights vanish; public.

    Not covered: where data are sparse, one row is nearly all of the mean, so its sensitivity is the width of y.

    Example:
        >>> x = np.linspace(0, 1, 11)
        >>> round(NadarayaWatson("0.1")(np.stack((x, 3 + x), axis=1))(0.5), 6)
        3.5
    """

    otherwise: float

    def __init__(self, bandwidth: Exact, *, bounds: tuple[Exact, Exact] = (0, 1), otherwise: float = 0.0) -> None:
        super().__init__(bandwidth, bounds=bounds)
        if not math.isfinite(otherwise):
            raise InvalidParameter(f"otherwise must be a finite number, got {otherwise}")
        object.__setattr__(self, "otherwise", float(otherwise))

    def _values(self, rows: Floats, points: Floats) -> Floats:
        return self._ratio(*self._sums(rows, points))

    def _sums(self, rows: Floats, points: Floats) -> tuple[Floats, Floats]:
        """The weighted sum of y and the sum of weights at each point."""
        x, y, known = self._clean(rows)
        both = np.stack((y, known.astype(np.float64)), axis=-1)
        parts = [np.einsum("...nk,...np->...kp", both, self._kernel(some, x)) for some in turns_of(points, x.size)]
        found = np.concatenate(parts, axis=-1)
        return found[..., 0, :], found[..., 1, :]

    def _ratio(self, total: Floats, weight: Floats) -> Floats:
        return np.divide(total, weight, out=np.full_like(total, self.otherwise), where=weight > 0)

    def _move(self, shared: Floats, one: Floats, other: Floats, points: Floats) -> Floats:
        """The sums of the shared rows serve both."""
        total, weight = self._sums(shared, points)
        first, second = (self._sums(each, points) for each in (one, other))
        return self._ratio(total + first[0], weight + first[1]) - self._ratio(total + second[0], weight + second[1])
