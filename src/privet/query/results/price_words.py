"""Prices for people: what a statement costs, what is left afterwards, and what such a loss means for one unit."""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from privet.core import Unit
from privet.loss import Amount, Guarantee, Neighbors, PrivacyLoss, Promise
from privet.loss.exact import readable

WORDS = {"epsilon": "ε", "delta": "δ", "gamma": "γ", "rho": "ρ", "mu_squared": "μ²", "divergence": "a divergence of"}
RARE = Fraction(1, 10**6)  # how seldom a belief may go further, where nobody said so and no loss is certain
CERTAIN = 1 - 1e-5  # beliefs beyond are no longer told from certainty
ROW = "row"  # what a unit is called where every row is one
SHORT = 6  # digits of an amount, where they do not change what is said


def amount_words(amount: Amount, *, like: Amount | None = None) -> str:
    """An amount in words; with `like` only what that one counts, to as many digits as tell them apart.

    Example:
        >>> amount_words(Amount(Fraction(1), Fraction("1e-6"), units=("epsilon", "delta")))
        'ε 1 and δ 1e-6'
    """
    other = amount if like is None else like
    said = [
        f"{WORDS.get(unit, unit)} {readable(mine, beside=theirs)}"
        for unit, mine, theirs in zip(amount.units, amount.parts, other.parts, strict=True)
        if theirs
    ]
    return " and ".join(said) or "nothing"


def price_words(price: Amount, remaining: Amount, *, unit: Unit, what: str = "this") -> str:
    """What something costs, of what is left, and what is left afterwards."""
    if math.inf in price.parts:
        fix = "pass delta=1e-6 or so as well" if "delta" in price.units else "ask for what has such a loss"
        return f"{what} has no price in this ledger, which counts {counted(price)}: {fix}"
    shorter, room = shortened(price, up=True), shortened(remaining, up=False)
    if shorter.fits(room) == price.fits(remaining):
        price, remaining = shorter, room
    cost, left = amount_words(price), amount_words(remaining, like=price)
    if not price.fits(remaining):
        return f"{what} costs {cost} per {unit.name}, and only {left} is left: not enough"
    after = amount_words(remaining.less(price), like=price)
    are = "are" if " and " in after else "is"
    return f"{what} costs {cost} per {unit.name} of the {left} left; afterwards {after} {are} left"


def shortened(amount: Amount, *, up: bool) -> Amount:
    """The amount to a few digits, rounded up or down.

    Example:
        >>> shortened(Amount(Fraction("0.0999999998"), units=("rho",)), up=True)
        ρ=0.1
    """
    context = Context(prec=SHORT, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    parts = [
        part
        if isinstance(part, float)
        else Fraction(context.divide(Decimal(part.numerator), Decimal(part.denominator)))
        for part in amount.parts
    ]
    return Amount(*parts, units=amount.units)


def counted(amount: Amount) -> str:
    """What an amount counts, by its letters."""
    return " and ".join(WORDS.get(unit, unit) for unit in amount.units)


def meaning_of(loss: PrivacyLoss, *, promise: Promise, unit: Unit) -> str:
    """What a loss means for one unit: how far an attacker's belief can go from even odds.

    Proof: `PrivacyLoss.posterior`: odds after = odds before times e^loss.
    """
    most, failure = _belief(loss, promise)
    rows, whose = (
        (f"one {ROW}", f"one {ROW} is")
        if unit.name == ROW
        else (f"one {unit.name}'s rows", f"one {unit.name}'s rows are")
    )
    if unit.neighbors is Neighbors.ADD_REMOVE:
        before = f"so whoever was 50 % sure that {whose} in the data"
    else:
        before = f"so whoever held two versions of {rows} to be equally likely"
    if most > CERTAIN:
        return f"{before} can become practically certain: that protects nobody"
    but = f", but for one chance in {round(1 / failure):,}" if failure else ""
    return f"{before} can become at most {percent(most)} % sure by this alone, whatever else they know{but}"


def _belief(loss: PrivacyLoss, promise: Promise) -> tuple[float, Fraction]:
    """The largest belief that even odds can become, and how seldom it may be more.

    Where all losses but a part of probability `unbounded` are finite, the largest of them is passed that seldom.
    """
    beyond = max(loss.unbounded(adding=adding) for adding in (False, True))
    if not math.isinf(loss.largest_loss):
        return 1 / (1 + math.exp(-float(loss.largest_loss))) * (1 + 1e-12), beyond
    failure = promise.delta if isinstance(promise, Guarantee) and promise.delta else RARE
    if beyond:
        failure = max(failure, 10 * beyond)
    return loss.posterior(0.5, failure=float(failure))[1], failure


def percent(share: float) -> str:
    """A share as a percentage that is not below it, with a digit more for each nine it begins with.

    Example:
        >>> percent(0.731058), percent(0.9999546)
        ('73.2', '99.9955')
    """
    digits = max(1, math.ceil(-math.log10(max(1 - share, 1e-12))) - 1)
    return f"{math.ceil(share * 100 * 10**digits - 1e-9) / 10**digits:.{digits}f}"
