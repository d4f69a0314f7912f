"""Weights: how likely a device tells what, as whole numbers that are published.

A device draws one uniform whole number below `WHOLE` for each decision. `WHOLE` is a power of two, so that no draw is
ever thrown away and every report takes the same time; and all weights are whole numbers below 2^53, which JSON and
JavaScript keep exactly.
"""

from fractions import Fraction

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact_within, shortest
from privet.loss.outward import exp_below, float_up, log_above

BITS = 52
WHOLE = 1 << BITS  # what all weights of one decision add up to
LEAST_EPSILON = Fraction(1, 10**6)
MOST_EPSILON = 20


def declared(epsilon: Exact) -> Fraction:
    """The ε that a protocol may cost, if it is one that these weights can say."""
    return exact_within(epsilon, "epsilon", low=LEAST_EPSILON, high=MOST_EPSILON)


def favored_weight(epsilon: Fraction, *, favored: int, others: int) -> int:
    """How much of `WHOLE` the `favored` outcomes get together, each e^epsilon times as likely as each of the `others`.

    Args:
        epsilon: > 0.
        favored: how many outcomes the truth makes likelier, >= 1.
        others: how many it does not, >= 1.

    Proof that the ratio is at most e^epsilon: with E <= e^epsilon and W <= E f/(E f + o) WHOLE, the odds W/(WHOLE - W)
        are at most E f/o, so one favored outcome has at most E times the weight of another.

    Example:
        >>> favored_weight(Fraction(1), favored=1, others=1) / WHOLE  # e/(1 + e)
        0.7310585786300048
    """
    grown = exp_below(epsilon) * favored
    weight = WHOLE * grown // (grown + others)
    if weight * others <= (WHOLE - weight) * favored:
        raise InvalidParameter(
            f"epsilon = {shortest(epsilon)} is too small for {others + favored:,} outcomes: nothing would be told"
        )
    return min(int(weight), WHOLE - 1)


def realised_epsilon(ratio: Fraction) -> float:
    """The ε of the largest ratio of two weights, rounded up."""
    return float_up(log_above(max(ratio, 1 / ratio)))


def checked_weight(weight: object, name: str) -> int:
    """A weight out of a configuration: a whole number between 0 and `WHOLE`, both excluded."""
    if isinstance(weight, bool) or not isinstance(weight, int) or not 0 < weight < WHOLE:
        raise InvalidParameter(f"{name} must be a whole number between 0 and 2^{BITS}, both excluded")
    return weight
