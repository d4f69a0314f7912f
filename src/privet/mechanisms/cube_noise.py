"""CubeNoise: pure privacy for rows of numbers that all move together."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from privet.core import Mechanism, Sensitivity, Uncertainty
from privet.core.sensitivity import refuse_undeclared
from privet.core.uncertainty import UP
from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.mechanisms.additive import Numbers, positive
from privet.mechanisms.whole_noise import whole_array, within_int64
from privet.noise import BitSource, CubeLaw

CLOSE = 1e-12  # more than the special functions lose, as a share


@dataclass(frozen=True)
class CubeError(Uncertainty):
    """One coordinate of a vector of whole numbers k with Pr[k] proportional to exp(-max|k_j| / scale).

    Args:
        width: how many coordinates.
        scale: > 0.

    Example:
        >>> round(CubeError(width=1, scale=1000).margin(0.95))  # nearly Laplace noise, of which it is 2996
        2997
    """

    independent: ClassVar[bool] = False  # large coordinates come together

    width: int
    scale: float

    def tail(self, distance: float) -> float:
        """An upper bound of Pr[|K| > d], near for scales of many steps.

        Proof: a real x with density exp(-max|x_j|/scale) is R times a uniform number, R gamma of shape width + 1, so
            Pr[|X| > t] = Pr[R > t] - E[t/R, R > t] = Q(w + 1, t/scale) - t/(scale w) Q(w, t/scale). In the unit cube
            around k densities differ from that of k by at most exp(1/(2 scale)), and so do both sums of them.
        """
        least = (math.floor(max(distance, 0.0)) + 0.5) / self.scale
        beyond = special.gammaincc(self.width + 1, least) - least / self.width * special.gammaincc(self.width, least)
        return min(1.0, (max(float(beyond), 0.0) + CLOSE) * math.exp(1 / self.scale) * UP)

    def distance(self, tail: float) -> float:
        """The least whole distance whose tail is small enough; none has a tail below a part in 10^12."""
        if tail <= 2 * CLOSE * math.exp(1 / self.scale):
            return math.inf
        least, most = -1, 1
        while self.tail(most) > tail:
            least, most = most, 2 * most
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (middle, most) if self.tail(middle) > tail else (least, middle)
        return float(most)


@dataclass(frozen=True, init=False, repr=False)
class CubeNoise(Mechanism[Numbers, NDArray[np.int64]]):
    """Adds noise to rows of whole numbers that depends on the largest move of a row, not on how many numbers move.

    Args:
        width: how many numbers a row has; 1 to 4096.
        reach: >= 1; the largest move of a number, added up over the rows that one unit can move.
        scale: > 0; a row of noise k has probability proportional to exp(-max|k_j| / scale).
        added_up: True for values of several rows. You say with it that declared sensitivities are those of all rows
            together: their largest move is the sum, over the rows that one unit can move, of the largest move in each.

    Privacy: (reach / scale)-DP. A sensitivity does not say in how many rows its moves are. So several rows are refused
        unless `added_up` says that moves were added up: one unit is in one row (a class, a cluster), or is moved from
        one row to another, each by half of `reach`.
    Proof: rows have independent noise, so the probability of an answer changes by exp(Σ max_j |move_j| / scale) at
        most: max|·| is a norm (Hardt and Talwar 2010, whose mechanism this is for cubes; Steinke and Ullman 2016).
        A number errs by about width/(√3 ε), where Laplace noise for a move of `width` in L1 errs by √2 width/ε.
    Not covered: time.

    Example:
        >>> noise = CubeNoise.calibrated(epsilon=1, width=20, sensitivity=Sensitivity(2**20, cells=20))
        >>> noise.loss.epsilon(delta=0), round(noise.standard_deviation / 2**20, 2)  # Laplace noise: 28.28
        (1.0, 12.41)
    """

    width: int
    reach: int
    scale: Fraction
    added_up: bool

    def __init__(self, width: int, *, reach: int, scale: Exact, added_up: bool = False) -> None:
        self._keep(width=whole(width, "width"), reach=whole(reach, "reach"), scale=positive(scale, "scale"))
        self._keep(added_up=bool(added_up))
        _ = self.law  # refuses what it cannot draw

    @classmethod
    def calibrated(cls, *, epsilon: Exact, width: int, sensitivity: Sensitivity, added_up: bool = False) -> "CubeNoise":
        """Return the mechanism with the least noise that is epsilon-DP for this sensitivity."""
        refuse_undeclared(sensitivity)
        number = whole(width, "width")
        reach = max(math.floor(sensitivity.linf), math.ceil(sensitivity.l1 / number), 1)
        return cls(number, reach=reach, scale=reach / positive(epsilon, "epsilon"), added_up=added_up)

    @cached_property
    def law(self) -> CubeLaw:
        """The noise of a row."""
        return CubeLaw(self.width, self.scale)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Pure."""
        return PrivacyLoss.of(ApproximateCurve(self.reach / self.scale))

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared by the largest move; moves that are longer in L1 than full rows of it touch more rows."""
        return math.floor(sensitivity.linf) <= self.reach and math.floor(sensitivity.l1) <= self.width * self.reach

    def check(self, value: Numbers) -> None:
        """Refuse what is not a row of so many whole numbers, or several of them where moves were added up."""
        array = whole_array(value)
        if array.dtype.kind not in "biu" or array.dtype == np.uint64:
            raise InvalidParameter(f"the value must hold whole numbers within int64, got {array.dtype}: round them")
        if not array.ndim or array.shape[-1] != self.width:
            raise InvalidParameter(
                f"the value must be rows of {self.width} numbers, got an array of shape {array.shape}"
            )
        if array.size > self.width and not self.added_up:
            raise InvalidParameter(
                f"the value must be one row, got {array.size // self.width}: where one unit can move several, declare "
                "the sum of their largest moves, and say added_up=True"
            )

    def sample(self, value: Numbers, source: BitSource) -> NDArray[np.int64]:
        """The numbers plus noise, cut off at the ends of int64."""
        self.check(value)
        array = whole_array(value).astype(np.int64)
        noise = self.law.many(source, array.size // self.width)
        sums: NDArray[np.int64] = within_int64(array.ravel(), noise.ravel()).astype(np.int64, copy=False)
        return sums.reshape(array.shape)

    @property
    def standard_deviation(self) -> float:
        """Of the noise of a number, for scales of many steps: √((w + 1)(w + 2)/3) scale."""
        return math.sqrt((self.width + 1) * (self.width + 2) / 3) * float(self.scale)

    @property
    def expected_error(self) -> float:
        """Of a number, for scales of many steps: half the mean of a gamma of shape w + 1."""
        return (self.width + 1) / 2 * float(self.scale)

    @cached_property
    def uncertainty(self) -> CubeError:
        """Of each number."""
        return CubeError(self.width, float(self.scale) * UP)
