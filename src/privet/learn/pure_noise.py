"""PureNoise: noise of which nothing is told but its ε, so that its kind can be chosen after it was paid for."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from privet.core import Mechanism, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, PrivacyLoss
from privet.noise import BitSource


@dataclass(frozen=True, repr=False)
class PureNoise(Mechanism[Any, Any]):
    """A mechanism that is priced as the worst of its ε.

    Args:
        noise: what is drawn.
        epsilon: the pure ε that it is priced at.

    Privacy: epsilon-DP.
    Proof: every ε-DP mechanism is a post-processing of randomized response with that ε (Kairouz, Oh and Viswanath
        2015, Theorem 3.1), whose curve this is; and the noise is asked whether it is ε-DP.

    Example:
        >>> from privet.mechanisms import Laplace
        >>> PureNoise(Laplace(1, 2), Fraction(1, 2)).loss.epsilon(delta=0)
        0.5
    """

    noise: Mechanism[Any, Any]
    epsilon: Fraction

    def __post_init__(self) -> None:
        if not self.noise.loss.epsilon(delta=0) <= self.epsilon * (1 + Fraction(1, 2**40)):
            raise InvalidParameter(f"{self.noise!r} costs more than ε={float(self.epsilon):g}: add more noise")

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Pure, and nothing more is known."""
        return PrivacyLoss.of(ApproximateCurve(self.epsilon))

    def covers(self, sensitivity: Sensitivity) -> bool:
        """What the noise covers."""
        return self.noise.covers(sensitivity)

    def check(self, value: Any) -> None:  # noqa: ANN401 - what the noise takes
        """Refuse what the noise refuses."""
        self.noise.check(value)

    def sample(self, value: Any, source: BitSource) -> Any:  # noqa: ANN401 - what the noise gives
        """One answer of the noise."""
        return self.noise.sample(value, source)
