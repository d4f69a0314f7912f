"""PriestleyChao: kernel regression that weighs each point by its distance from the one before."""

import math
from dataclasses import dataclass

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.exact import Exact
from privet.stats.functions.kernel_regression import Floats, KernelRegression, turns_of

KERNEL_MASS = math.sqrt(2 * math.pi)  # of exp(-u²/2)


@dataclass(frozen=True, init=False)
class PriestleyChao(KernelRegression):
    """The sum of y_i (x_i - x_{i-1}) K((x - x_i) / bandwidth) / bandwidth over the points in the order of x.

    Args:
        bandwidth: > 0; the width of the Gaussian kernel.
        bounds: public lowest and highest x.
        normalized: False takes exp(-u²/2) for K, which lacks 1/√(2π): the curve is then 2.5066 times too large. It is
            here because published code has it so.
        spacing: "gaps" between the points, the first point having none, or "even", the width of the bounds over n,
            for points that are spread evenly.

    Not covered: near the ends the kernel hangs over, and the curve falls to about half; `NadarayaWatson` does not.

    Example:
        >>> x = np.linspace(0, 1, 1001)
        >>> curve = PriestleyChao("0.05")(np.stack((x, 3 + x), axis=1))
        >>> round(curve(0.5), 6), round(PriestleyChao("0.05", normalized=False)(np.stack((x, 3 + x), axis=1))(0.5), 6)
        (3.5, 8.773199)
    """

    normalized: bool
    spacing: str

    def __init__(
        self,
        bandwidth: Exact,
        *,
        bounds: tuple[Exact, Exact] = (0, 1),
        normalized: bool = True,
        spacing: str = "gaps",
    ) -> None:
        super().__init__(bandwidth, bounds=bounds)
        if spacing not in ("gaps", "even"):
            raise InvalidParameter(f'spacing must be "gaps" or "even", got {spacing!r}')
        object.__setattr__(self, "normalized", bool(normalized))
        object.__setattr__(self, "spacing", spacing)

    @property
    def _factor(self) -> float:
        """What every term is multiplied by."""
        return 1 / (float(self.bandwidth) * (KERNEL_MASS if self.normalized else 1.0))

    @property
    def _width(self) -> float:
        return float(self.bounds[1] - self.bounds[0])

    def _values(self, rows: Floats, points: Floats) -> Floats:
        x, y, _ = self._clean(rows)
        if self.spacing == "even":
            weights = y * (self._width / x.shape[-1])
        else:
            order = np.argsort(x, axis=-1, kind="stable")
            x, y = np.take_along_axis(x, order, axis=-1), np.take_along_axis(y, order, axis=-1)
            weights = np.diff(x, axis=-1, prepend=x[..., :1]) * y
        return self._weighted(x, weights, points)

    def _weighted(self, x: Floats, weights: Floats, points: Floats) -> Floats:
        """The sum of kernels around each x with these weights, some points at a time."""
        parts = [np.einsum("...n,...np->...p", weights, self._kernel(some, x)) for some in turns_of(points, x.size)]
        found: Floats = np.concatenate(parts, axis=-1) * self._factor
        return found

    def _move(self, shared: Floats, one: Floats, other: Floats, points: Floats) -> Floats:
        """Of the gaps only those of a new point and of the one after it differ; with even spacing its own term.

        Proof: let a new point z stand between the shared neighbors p <= z < q in the order of x. Its gap is z - p, and
            q's is q - z instead of q - p; all other terms are as without it. Without a p (or a q) there is no gap
            (or no term). Of equal x only the order among equals is free, and with a stable sort the new point, given
            last, comes after its equals.
        """
        if self.spacing == "even" and one.shape != other.shape:  # the width over n is another one for every point
            return self._values(_with(shared, one), points) - self._values(_with(shared, other), points)
        if self.spacing == "even":
            share = self._width / (shared.shape[-2] + 1)
            x, y, _ = self._clean(one)
            also, values, _ = self._clean(other)
            return self._weighted(x, y * share, points) - self._weighted(also, values * share, points)
        known_x, known_y, _ = self._clean(shared)
        return self._added(known_x, known_y, one, points) - self._added(known_x, known_y, other, points)

    def _added(self, x: Floats, y: Floats, new: Floats, points: Floats) -> Floats:
        """By how much a new row moves the curve of the rows (x, y); nothing if there is none."""
        if new.shape[-2] == 0:
            return np.zeros((*x.shape[:-1], len(points)))
        at, value, _ = self._clean(new)
        below = np.where(x <= at, x, -np.inf).max(axis=-1, keepdims=True, initial=-np.inf)
        after = np.where(x > at, x, np.inf)
        place = np.argmin(after, axis=-1, keepdims=True) if x.shape[-1] else np.zeros((*x.shape[:-1], 1), dtype=np.intp)
        # of several rows at the next x the first in the order of rows has the gap, as in a stable sort
        above = np.take_along_axis(after, place, axis=-1) if x.shape[-1] else np.full_like(at, np.inf)
        first, last = np.isneginf(below), np.isposinf(above)
        own = np.where(first, 0.0, at - np.where(first, at, below)) * value
        gap_before = np.where(first, 0.0, np.where(last, at, above) - np.where(first, at, below))
        gap_after = np.where(last, at, above) - at
        height = np.where(last, 0.0, np.take_along_axis(y, place, axis=-1)) if x.shape[-1] else np.zeros_like(at)
        changed = np.where(last, 0.0, gap_after - gap_before) * height
        centers = np.concatenate((at, np.where(last, at, above)), axis=-1)
        return self._weighted(centers, np.concatenate((own, changed), axis=-1), points)


def _with(shared: Floats, new: Floats) -> Floats:
    return np.concatenate((shared, new), axis=-2)
