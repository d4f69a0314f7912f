"""Group privacy: what a promise to one unit is worth to several at once, and to a c-stable map's output."""

from fractions import Fraction

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, whole
from privet.loss.outward import decimal_of, float_up, nonnegative, precise, probability_of
from privet.loss.renyi_orders import check_order


def group_epsilon(epsilon: Exact, *, size: int) -> float:
    """Return k ε, the level at which `group_delta` holds for k units.

    Example:
        >>> group_epsilon(0.5, size=3)
        1.5
    """
    return float_up(whole(size, "size") * nonnegative(epsilon, "epsilon"))


@precise()
def group_delta(epsilon: Exact, *, delta: Exact, size: int) -> float:
    """Return the δ of an (ε, δ)-DP mechanism for k units at level k ε: δ (e^{kε} - 1)/(e^ε - 1), at most 1.

    Args:
        epsilon: the promise to one unit.
        delta: its failure probability; it does not stay the same for a group.
        size: how many units change together.

    Proof: Along the chain of neighbours P_0, ..., P_k, P_0(S) <= e^ε P_1(S) + δ <= e^{2ε} P_2(S) + e^ε δ +
    δ, and so on: the δ's add up with weights 1, e^ε, ..., e^{(k-1)ε}.

    Example:
        >>> group_delta(0, delta="1e-6", size=3), round(group_delta(0.5, delta="1e-5", size=3), 9)
        (3e-06, 5.367e-05)
    """
    level, failure, count = (
        nonnegative(epsilon, "epsilon"),
        probability_of(delta, "delta"),
        whole(size, "size"),
    )
    if level == 0 or failure == 0 or count == 1:
        return min(1.0, float_up(count * failure))
    step = decimal_of(level)
    growth = ((count * step).exp() - 1) / (step.exp() - 1)
    return min(1.0, float_up(decimal_of(failure) * growth))


def group_zcdp(rho: Exact, *, size: int) -> float:
    """Return k² ρ (Bun and Steinke 2016, Proposition 1.9).

    Example:
        >>> group_zcdp(0.5, size=3)
        4.5
    """
    return float_up(whole(size, "size") ** 2 * nonnegative(rho, "rho"))


def group_renyi(bound: Exact, *, order: Exact, doublings: int) -> tuple[float, float]:
    """Return the order and the bound that hold for a group of 2^c units: order / 2^c and 3^c times the bound.

    Args:
        bound: Rényi divergence for one unit at `order`.
        order: at least 2^(c+1), so that the order that is left is at least 2.
        doublings: c; the group has 2^c units.

    Proof: Mironov 2017, Proposition 2, by the weak triangle inequality. The order falls by 2^c, not by 2:
    with the order halved only once the statement is false for Gaussian noise from c = 3 on.

    Example:
        >>> group_renyi(0.5, order=16, doublings=2)
        (4.0, 4.5)
    """
    level = check_order(order)
    steps = whole(doublings, "doublings", low=0)
    if level < 2 ** (steps + 1):
        raise InvalidParameter(
            f"order must be at least 2^(doublings + 1) = {2 ** (steps + 1)}; got {order}: "
            "give the bound at a higher order or take a smaller group."
        )
    return float(level / 2**steps), float_up(Fraction(3) ** steps * nonnegative(bound, "bound"))
