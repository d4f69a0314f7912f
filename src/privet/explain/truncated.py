"""truncated_laplace: noise with an end, whose pure ε is infinite and whose δ is tiny; both are reported."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, shortest
from privet.loss.outward import decimal_of, precise

_DIGITS = Context(prec=6, rounding=ROUND_CEILING, Emin=-(10**9), Emax=10**9)


@dataclass(frozen=True)
class TruncatedLaplace:
    """Laplace noise that is never above a limit, because larger values are drawn again.

    Args:
        epsilon: sensitivity / scale, the ε that holds but for δ.
        delta: rounded up, as a decimal: it may be far below any float.
        pure_epsilon: infinite: an answer above the limit of one neighbor is possible for the other only.
        beyond: the probability that noise without a limit would have been above it, rounded up.

    Example:
        >>> truncated_laplace(scale=1, limit=3).delta
        Decimal('0.0438661')
    """

    epsilon: Fraction
    delta: Decimal
    pure_epsilon: float
    beyond: Decimal

    def __str__(self) -> str:
        return f"(ε={shortest(self.epsilon)}, δ={self.delta})-DP; without a δ no ε holds"


@precise()
def truncated_laplace(*, scale: Exact, limit: Exact, sensitivity: Exact = 1) -> TruncatedLaplace:
    """What Laplace noise of this scale promises if values above `limit` are drawn again; a limit below too is the same.

    Args:
        scale: > 0.
        limit: at least the sensitivity.
        sensitivity: > 0; how far one unit moves the answer.

    Proof: where both neighbors can lead to an answer, the densities differ by e^(sensitivity/scale) at most, for both
        are divided by the same 1 - e^(-limit/scale)/2. Answers within one sensitivity of the upper end come from one
        neighbor alone: their probability, (e^((sensitivity - limit)/scale) - e^(-limit/scale))/2 over that, is δ.
    Not covered: nothing in Privet is truncated so; its noise is exact however far it reaches.

    Example:
        >>> found = truncated_laplace(scale=1, limit=1000)
        >>> print(found)
        (ε=1, δ=4.36097E-435)-DP; without a δ no ε holds
        >>> found.beyond, found.pure_epsilon
        (Decimal('2.53798E-435'), inf)
    """
    width, end, moved = (exact(value, name) for value, name in ((scale, "scale"), (limit, "limit"), (sensitivity, "s")))
    if not 0 < moved <= end or width <= 0:
        raise InvalidParameter("scale and sensitivity must be > 0, and limit at least the sensitivity")
    beyond = (-decimal_of(end / width)).exp() / 2
    near = (decimal_of((moved - end) / width)).exp() / 2
    delta = (near - beyond) / (1 - beyond)
    above = Decimal(1) + Decimal("1e-40")
    return TruncatedLaplace(
        moved / width, _DIGITS.create_decimal(delta * above), float("inf"), _DIGITS.create_decimal(beyond * above)
    )
