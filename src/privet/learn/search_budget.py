"""search_budget: what one run of a search may cost, so that all of them together keep the price."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from privet.asking.budget import Budget
from privet.errors import InvalidParameter
from privet.loss import Guarantee, PrivacyLoss
from privet.mechanisms.random_runs import RandomRuns

LOOKS = 9  # at the price of one setting: the last two are less than a half percent apart
DIGITS = 10**6
STEP = Fraction(98, 100)
MOST = 60  # steps down for dearer settings

Price = Callable[[Budget], PrivacyLoss]


def largest_budget(limit: Guarantee, runs: RandomRuns, *, first: Price, every: Price) -> tuple[Budget, Guarantee]:
    """The largest price of a run that was found to keep the limit, and the part of the limit that it needs.

    Args:
        limit: what all runs together may cost.
        runs: how many there will be.
        first: what a run with the first setting costs if its fit may cost so much.
        every: the same, of the worst setting.

    Privacy: what is returned was checked; nothing is assumed of how prices grow.
    """
    delta = one_delta(limit.delta, float(runs.mean))

    def at(epsilon: Fraction) -> Budget:
        return Budget.of(epsilon=Fraction(int(epsilon * DIGITS), DIGITS) or epsilon, delta=delta)

    for budget in _smaller(at, limit, runs, first):
        loss = runs.best_of(every(budget))
        if loss.meets(limit):
            return budget, Guarantee(limit.epsilon) if loss.meets(Guarantee(limit.epsilon)) else limit
    raise InvalidParameter(
        f"no price of a single fit keeps {limit!r} for {runs!r}: ask for a larger epsilon or delta, or fewer runs"
    )


def _smaller(at: Callable[[Fraction], Budget], limit: Guarantee, runs: RandomRuns, price: Price) -> Iterator[Budget]:
    """Prices from the largest at which the first setting keeps the limit, and then smaller ones."""
    low, high = Fraction(0), limit.epsilon
    for _ in range(LOOKS):
        middle = (low + high) / 2 if low else high * Fraction(1, 2)
        keeps = runs.best_of(price(at(middle))).meets(limit)
        low, high = (middle, high) if keeps else (low, middle)
    epsilon = low or high
    for _ in range(MOST):
        yield at(epsilon)
        epsilon *= STEP


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
