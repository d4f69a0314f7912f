"""Tally: an amount while it is added up, without reducing a fraction at every step."""

import math
from fractions import Fraction
from functools import cached_property

from privet.core.journals.terms import FINEST, kept
from privet.loss import Amount


class Tally(Amount):
    """An amount whose parts are whole numbers over whole numbers, reduced only when somebody looks.

    A ledger adds up a few kinds of costs very often. Over a common denominator that is one addition of whole numbers
    for each part, and the sum is the same: a fraction is what it is, reduced or not.

    Args:
        wholes: the numerators.
        overs: the denominators, each at most `FINEST`.
        units: what is counted.
    """

    def __init__(self, wholes: tuple[int, ...], overs: tuple[int, ...], units: tuple[str, ...]) -> None:
        known = self.__dict__  # frozen, and made for every spend
        known["wholes"] = wholes
        known["overs"] = overs
        known["units"] = units

    wholes: tuple[int, ...]
    overs: tuple[int, ...]

    @cached_property
    def parts(self) -> tuple[Fraction | float, ...]:
        """The numbers themselves."""
        return tuple(map(Fraction, self.wholes, self.overs))

    def fits(self, limit: Amount) -> bool:
        """Return whether every part is within the limit."""
        if type(limit) is not Tally:
            return super().fits(limit)
        for mine, over, most, below in zip(self.wholes, self.overs, limit.wholes, limit.overs, strict=True):
            if mine * below > most * over:  # for every spend, so without a generator
                return False
        return True

    def __eq__(self, other: object) -> bool:
        return self.parts == other.parts if isinstance(other, Amount) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.parts,))  # as its parent's


def tallied(amount: Amount) -> Amount:
    """The amount as a tally; one that is infinite stays what it is."""
    parts = amount.parts
    if type(amount) is Tally or any(isinstance(part, float) for part in parts):
        return amount
    return Tally(
        tuple(part.numerator for part in parts if not isinstance(part, float)),
        tuple(part.denominator for part in parts if not isinstance(part, float)),
        amount.units,
    )


def added(spent: Amount, cost: Amount) -> Amount:
    """Their sum, as `kept` leaves it."""
    if type(spent) is not Tally or type(cost) is not Tally:
        return tallied(kept(spent + cost))
    if spent.overs == cost.overs:
        return Tally(tuple([a + b for a, b in zip(spent.wholes, cost.wholes, strict=True)]), spent.overs, spent.units)
    wholes, overs = [], []
    for mine, over, more, under in zip(spent.wholes, spent.overs, cost.wholes, cost.overs, strict=True):
        whole, common = _sum(mine, over, more, under) if more else (mine, over)
        wholes.append(whole)
        overs.append(common)
    return Tally(tuple(wholes), tuple(overs), spent.units)


def _sum(mine: int, over: int, more: int, under: int) -> tuple[int, int]:
    """The sum of two fractions as numerator and denominator, as `kept` leaves it.

    Proof: the reduced denominator divides each one used here. So up to `FINEST` there is nothing to round, and beyond
    the fraction is reduced before its denominator is judged.
    """
    if over % under == 0:
        return mine + more * (over // under), over
    common = math.lcm(over, under)
    whole = mine * (common // over) + more * (common // under)
    if common <= FINEST:
        return whole, common
    shared = math.gcd(whole, common)
    if common // shared <= FINEST:
        return whole // shared, common // shared
    return -(-whole * FINEST // common), FINEST
