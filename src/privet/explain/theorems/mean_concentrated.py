"""Mean-concentrated privacy (mCDP): the first kind of concentrated privacy, and how it stands to the others.

A loss is (mean, spread)-mCDP if it is `mean` at most on average and, less its average, no wider than a normal law of
standard deviation `spread` (Dwork and Rothblum 2016). Post-processing may break it, which zCDP mends (Bun and Steinke
2016); so nothing is charged by it.
"""

import math
from fractions import Fraction

from privet.explain.theorems.conversion import pure_to_zcdp
from privet.loss.exact import Exact, exact_within
from privet.loss.outward import decimal_of, float_up, nonnegative, precise, probability_of


def pure_to_mcdp(epsilon: Exact) -> tuple[float, float]:
    """Return the mean ε tanh(ε/2) and the spread ε of any ε-DP mechanism.

    Proof: randomized response has the largest mean loss; and a variable between -ε and ε, less its mean, is no wider
        than a normal law of standard deviation ε (Hoeffding's lemma).

    Example:
        >>> [round(number, 6) for number in pure_to_mcdp(1)]
        [0.462117, 1.0]
    """
    level = nonnegative(epsilon, "epsilon")
    return pure_to_zcdp(level), float_up(level)


def gaussian_to_mcdp(mu: Exact) -> tuple[float, float]:
    """Return mu²/2 and mu: the loss of Gaussian noise is itself normal, with just these.

    Example:
        >>> gaussian_to_mcdp(1)
        (0.5, 1.0)
    """
    level = nonnegative(mu, "mu")
    return float_up(level**2 / 2), float_up(level)


def mcdp_to_renyi(*, mean: Exact, spread: Exact, order: Exact) -> float:
    """Return mean + spread² (order - 1)/2, the Rényi divergence that mCDP allows at an order above 1.

    Proof: the divergence is ln E[e^((a-1) L)] / (a - 1), and (a - 1) (L - E[L]) adds ((a - 1) spread)²/2 at most.

    Example:
        >>> mcdp_to_renyi(mean="0.5", spread=1, order=10)  # of Gaussian noise, exactly: 10 · 1/2
        5.0
    """
    a = exact_within(order, "order", low=1)
    return float_up(nonnegative(mean, "mean") + nonnegative(spread, "spread") ** 2 * (a - 1) / 2)


@precise()
def mcdp_to_epsilon(*, mean: Exact, spread: Exact, delta: Exact) -> float:
    """Return mean + spread √(2 ln(1/δ)): the loss is larger with probability δ at most.

    Example:
        >>> round(mcdp_to_epsilon(mean="0.5", spread=1, delta="1e-5"), 6)  # exact for this Gaussian: 4.377178
        5.298526
    """
    failure = probability_of(delta, "delta")
    if failure == 0:
        return math.inf
    width = decimal_of(nonnegative(spread, "spread")) * (2 * -decimal_of(Fraction(failure)).ln()).sqrt()
    return float_up(decimal_of(nonnegative(mean, "mean")) + width)
