"""QuantileRelease: a released quantile, whose error is known in ranks."""

from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from privet.core import Release
from privet.core.release import CONFIDENCE
from privet.errors import InvalidParameter
from privet.mechanisms.halving_quantiles import HalvingQuantiles
from privet.mechanisms.interval_quantile import IntervalQuantile

T = TypeVar("T")


@dataclass(frozen=True, repr=False, eq=False)
class QuantileRelease(Release[T]):
    """A released quantile, or several.

    Args:
        ranks: the mechanism, which says how far ranks may be off.

    Privacy: the rank margin depends on public parameters only. In the unit of the values no margin is known without
        the data: between two neighboring values there may lie a mile.
    """

    ranks: IntervalQuantile | HalvingQuantiles

    @classmethod
    def of(cls, release: Release[Any], ranks: IntervalQuantile | HalvingQuantiles) -> "QuantileRelease[Any]":
        """Return the release with its rank margin."""
        words = (release.purpose, release.mechanism)
        gamma = release.gamma
        return cls(release.value, None, release.loss, *words, release.unit, ranks, gamma=gamma)

    def rank_margin(self, confidence: float = CONFIDENCE) -> float:
        """How many rows the answer may be away from the quantile's place in the order, at worst; a safe bound."""
        return self.ranks.rank_margin(confidence)

    def margin(
        self, confidence: float = CONFIDENCE, *, simultaneous: bool = False, population: bool = False
    ) -> NoReturn:
        """Refuse: only the rank has a margin."""
        del confidence, simultaneous
        if population:
            raise InvalidParameter(
                "how far quantiles of samples differ depends on how dense the values are: ask privet.quantiles for two "
                "places, 2 √(q (1 - q)/n) below and above q for n rows; up to noise, the population's lies between them"
            )
        raise InvalidParameter(
            "how far a quantile may be off depends on how dense the values are, so no margin is known without the "
            "data: take rank_margin(), or ask for privet.quantile_interval at its own price"
        )

    def _shown(self) -> str:
        return f"{super()._shown()}, within {self.rank_margin():,.0f} rows of its place ({CONFIDENCE:.0%})"
