"""NoiseParts: a budget spent in parts that are fixed before anything is read."""

from dataclasses import dataclass
from fractions import Fraction

from privet.asking.budget import Budget
from privet.core import Sensitivity
from privet.core.sensitivity import root_above
from privet.loss import ConcentratedGuarantee
from privet.mechanisms import DiscreteLaplace, Gaussian


@dataclass(frozen=True)
class NoiseParts:
    """Laplace noise where only an ε may be spent, Gaussian noise where there is a δ or a ρ.

    Args:
        epsilon: the pure ε; None for Gaussian noise.
        ratio: the deviation of Gaussian noise that would spend the whole budget on a move of length 1.

    Privacy: parts whose shares add up to 1 keep the budget together, and may follow each other's answers.
    Proof: pure ε add up. Gaussian noise of ratio/√share on a move of length 1 has μ² = share/ratio², and μ² add up
        (Dong, Roth and Su 2022, Corollary 3.3), to what Gaussian noise was calibrated for; roots are rounded up.

    Example:
        >>> parts = NoiseParts.of(Budget.of(epsilon=2))
        >>> parts.noise(Fraction(1, 4), Sensitivity(1, cells=3))
        DiscreteLaplace(l1_sensitivity=3, scale=6)
    """

    epsilon: Fraction | None
    ratio: Fraction | None

    @classmethod
    def of(cls, budget: Budget) -> "NoiseParts":
        """Return the parts of a budget."""
        one = Sensitivity(1)
        if isinstance(budget.promise, ConcentratedGuarantee):
            return cls(None, Gaussian.calibrated(rho=budget.promise.rho, sensitivity=one).scale)
        epsilon, delta = budget.promise.epsilon, budget.promise.delta
        if not delta:
            return cls(epsilon, None)
        return cls(None, Gaussian.calibrated(epsilon=epsilon, delta=delta, sensitivity=one).scale)

    def noise(self, share: Fraction, sensitivity: Sensitivity) -> DiscreteLaplace | Gaussian:
        """Return the noise on whole numbers that spends a share of the budget."""
        if self.epsilon is not None:
            moved = Fraction(max(int(sensitivity.l1), 1))
            return DiscreteLaplace(moved, moved / (self.epsilon * share))
        return Gaussian(sensitivity.l2, sensitivity.l2 * self._ratio * root_above(1 / share))

    @property
    def gaussian(self) -> bool:
        """Whether the noise is Gaussian."""
        return self.epsilon is None

    @property
    def strength(self) -> float:
        """How many rows a count would have to have to be as large as the noise on it, inverted: ε, or μ."""
        return float(self.epsilon) if self.epsilon is not None else 1 / float(self._ratio)

    @property
    def _ratio(self) -> Fraction:
        if self.ratio is None:
            raise TypeError("pure parts have no Gaussian noise")
        return self.ratio


def deviation(noise: DiscreteLaplace | Gaussian) -> float:
    """Return the standard deviation of the noise on each number."""
    return float(noise.scale) if isinstance(noise, Gaussian) else noise.variance**0.5
