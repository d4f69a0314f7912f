"""search_budget: what one run of a search may cost, so that all of them together keep the price."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from privet.asking.budget import Budget
from privet.errors import InvalidParameter
from privet.loss import Guarantee, PrivacyLoss
from privet.mechanisms.random_runs import RandomRuns

LOOKS = 6  # at the price of the first setting
LEAST = Fraction(1, 4)  # of the ε of all runs: less is looked for where even that is too much
HALVINGS = 10
DIGITS = 10**6
STRIDE, STRIDES = Fraction(103, 100), 100  # from there on with all settings

Price = Callable[[Budget], PrivacyLoss]


@dataclass(frozen=True)
class SearchBudget:
    """What one run may cost.

    Args:
        limit: what all runs together may cost.
        runs: how many there will be.
        first: what a run with the first setting costs, if its fit may cost so much; it is asked often.
        every: what a run costs.
    """

    limit: Guarantee
    runs: RandomRuns
    first: Price
    every: Price

    def largest(self) -> Budget:
        """Nearly the largest price of a fit that keeps the limit, which is checked, for all settings."""
        epsilon = self._of_first()
        if self._keeps(epsilon, self.every):
            while epsilon < self.limit.epsilon and self._keeps(epsilon * STRIDE, self.every):
                epsilon *= STRIDE
            return self._at(epsilon)
        for _ in range(STRIDES):
            epsilon /= STRIDE
            if self._keeps(epsilon, self.every):
                return self._at(epsilon)
        raise InvalidParameter(
            f"no price of a single fit keeps {self.limit!r} for {self.runs!r}: ask for a larger epsilon or delta"
        )

    def _of_first(self) -> Fraction:
        """Of the first setting alone; one that has no plan at a price, because it is too small, has one at a larger."""
        low, high = self.limit.epsilon * LEAST, self.limit.epsilon
        for _ in range(HALVINGS):
            if self._is_small(low):
                break
            low, high = low / 2, low
        for _ in range(LOOKS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._is_small(middle) else (low, middle)
        return low

    def _is_small(self, epsilon: Fraction) -> bool:
        try:
            return self._keeps(epsilon, self.first)
        except InvalidParameter:
            return True  # what is found is checked for all settings, the first among them

    def _keeps(self, epsilon: Fraction, price: Price) -> bool:
        return self.runs.best_of(price(self._at(epsilon))).meets(self.limit)

    def _at(self, epsilon: Fraction) -> Budget:
        """The price of a fit at this ε, in six digits."""
        delta = one_delta(self.limit.delta, float(self.runs.mean))
        return Budget.of(epsilon=Fraction(int(epsilon * DIGITS), DIGITS) or epsilon, delta=delta)


def one_delta(delta: Fraction, mean: float) -> Fraction:
    """The δ of one run: it happens in any of them with at most the δ of all. Three digits, rounded down.

    Example:
        >>> one_delta(Fraction(1, 10**6), 20.0)
        Fraction(1, 20000000)
    """
    share = delta / Fraction(max(mean, 1.0))
    if not share:
        return Fraction(0)
    digits = 10 ** (2 + len(str(share.denominator // share.numerator)))
    return Fraction(int(share * digits), digits)
