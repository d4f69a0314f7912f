"""LossCurve: the one thing a mechanism author must prove."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from privet.loss.exact import Exact, exact_within
from privet.loss.guarantee import Guarantee
from privet.loss.neighbors import EITHER, Neighbors

Array = NDArray[np.float64]

ROUNDING = 2.0**-48  # 16 units in the last place: more than any closed form below loses


def rounded_up(delta: Array) -> Array:
    """A probability that a few rounding errors cannot have pushed below the truth."""
    return np.minimum(np.maximum(delta * (1.0 + ROUNDING), 0.0), 1.0)


@dataclass(frozen=True)
class Moments:
    """log E[e^(t loss)] at several tilts t, with mean and variance of the finite losses."""

    logs: Array
    mean: float
    variance: float


class LossCurve(ABC):
    """The privacy profile of one run of one mechanism. Subclasses are frozen dataclasses of public numbers.

    Let P be the law of the output with one unit present and Q the law with that unit absent (or replaced). Then
        removing(e) = sup_S P(S) - exp(e) Q(S)      and      adding(e) = sup_S Q(S) - exp(e) P(S),
    each for an array of e >= 0 (inf included: the probability of unbounded loss). An upper bound is also
    valid; it only costs accuracy. Everything else has a default that is valid for every curve.

    Example:
        >>> import numpy as np
        >>> from privet.loss import GaussianCurve
        >>> curve = GaussianCurve(1)
        >>> isinstance(curve, LossCurve), round(float(curve.removing(np.array([1.0]))[0]), 6)
        (True, 0.126937)
    """

    valid_for: ClassVar[frozenset[Neighbors]] = EITHER

    @abstractmethod
    def removing(self, epsilon: Array) -> Array:
        """Delta at each epsilon >= 0 when a unit leaves the data."""

    def adding(self, epsilon: Array) -> Array:
        """Delta at each epsilon >= 0 when a unit joins the data; override if the two differ."""
        return self.removing(epsilon)

    @property
    def neighbors(self) -> frozenset[Neighbors]:
        """The relations this curve holds for."""
        return self.valid_for

    @property
    def symmetric(self) -> bool:
        """True if removing and adding are the same curve."""
        return type(self).adding is LossCurve.adding

    @property
    def largest_loss(self) -> Fraction | float:
        """The largest loss that is not infinite: beyond this epsilon the curve is flat."""
        return math.inf

    def unbounded(self, *, adding: bool) -> Fraction | None:  # noqa: ARG002 - part of the interface
        """The exact probability of infinite loss in one direction; None: not known, the curve says it from above."""
        return None

    def keeps(self, promise: Guarantee) -> bool:  # noqa: ARG002 - part of the interface
        """True if one run keeps the promise for a reason that needs no rounding; False: ask the curve."""
        return False

    @property
    def spacing(self) -> float | None:
        """A grid whose step divides this number holds the kinks of the curve exactly; None: no such number."""
        return None

    @property
    def atomic(self) -> bool:
        """True if every loss is a whole multiple of `spacing`, so that a grid of that step is exact."""
        return False

    @property
    def slow(self) -> bool:
        """True if every value is a computation of its own: a reading then asks for few. Finite `largest_loss` only."""
        return False

    @property
    def known_by_renyi(self) -> bool:
        """True if the curve is only a conversion of Rényi divergences, which add better than the curve composes."""
        return False

    def renyi(self, order: float) -> tuple[float, float]:
        """Rényi divergence of an order in (1, inf), removing and adding; inf where the curve does not bound it.

        Proof: the divergence is a positive mixture of hockey sticks (Sason and Verdú 2016), so the loss
        distribution that dominates the curve from above has the larger divergence.
        """
        from privet.loss.pricing.grid import renyi_from_curve  # noqa: PLC0415 - the grid is built on curves

        return renyi_from_curve(self, order)

    def moments(self, tilts: Array) -> Moments | None:  # noqa: ARG002 - part of the interface
        """The moments of the loss in closed form, if there is one that is the same in both directions.

        Only plans use them: they decide how fast and how tight a price is, never whether it is valid.
        """
        return None

    def zcdp(self) -> float:
        """Smallest known rho with renyi(order) <= rho * order for every order > 1."""
        from privet.loss.pricing.grid import zcdp_from_renyi  # noqa: PLC0415 - the grid is built on curves

        return zcdp_from_renyi(self)

    def grouped(self, size: int) -> "LossCurve":
        """The curve of the same mechanism for neighbors that are `size` units apart."""
        from privet.loss.curves.group import GroupCurve  # noqa: PLC0415 - a group curve is itself a curve

        return self if size == 1 else GroupCurve(self, size)

    @classmethod
    def fused(cls, parts: "Iterable[tuple[Self, int]]") -> "LossCurve | None":  # noqa: ARG003 - part of the interface
        """One curve equal to the composition of these, where a closed form exists."""
        return None

    def __hash__(self) -> int:
        """The hash of the facts, computed once: curves are looked up far more often than they are made."""
        known = self.__dict__.get("_hash")
        if known is None:
            known = hash((type(self).__name__, *(getattr(self, field.name) for field in fields(self))))  # type: ignore[arg-type]
            self.__dict__["_hash"] = known
        return int(known)

    def __getstate__(self) -> dict[str, object]:
        """All but the hash, which differs from process to process."""
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    def _keep_exact(self, name: str, *, low: Exact = 0, high: Exact = math.inf) -> None:
        """Store a field as the exact number that was typed, after checking its range."""
        object.__setattr__(self, name, exact_within(getattr(self, name), name, low=low, high=high))
