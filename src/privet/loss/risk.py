"""Risk: what an attacker may gain, in words that people can weigh, and the promise that keeps it."""

import re
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact, readable
from privet.loss.guarantee import ConcentratedGuarantee, Guarantee, failing
from privet.loss.outward import decimal_of, precise

_SHORT = Context(prec=4, rounding=ROUND_FLOOR)  # of an ε that people read
_OUTWARD = Decimal("1e-40")
_ORDERS = tuple(map(Decimal, ("1.001", "1.25", "1.5", "2", "2.5", "3", "4", "6", "9", "16", "32")))
_SHARE = r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*"
_TEXTS = {
    "posterior": re.compile(f"(?:from)?{_SHARE}to{_SHARE}"),
    "advantage": re.compile(f"advantage{_SHARE}"),
    "power": re.compile(f"{_SHARE}at{_SHARE}"),
}
WAYS = '"50% to 60%" (a posterior), "advantage 10%" or "20% at 1%" (true positives at false positives)'


@dataclass(frozen=True)
class Risk:
    """The most that an attacker may gain about one unit; made by `posterior`, `advantage`, `power` or `of`.

    The attacker may know everything else about the data, and looks at all that a promise is about. ε is found so that
    the bound holds for every mechanism that keeps the promise; it is rounded down to four digits.

    Args:
        kind: "posterior", "advantage" or "power".
        most: what may at most be reached: the posterior, the advantage, the rate of true positives.
        base: what it starts from: the prior, 0, the rate of false positives.

    Example:
        >>> Risk.posterior(0.5, 0.6).guarantee(), Risk.advantage("0.1").guarantee()
        ((ε=0.4054)-DP, (ε=0.2006)-DP)
        >>> Risk.of("20% at 1%").guarantee(delta="1e-6")
        (ε=2.995, δ=1e-6)-DP
    """

    kind: str
    most: Fraction
    base: Fraction = Fraction(0)

    @classmethod
    def posterior(cls, prior: Exact, at_most: Exact) -> "Risk":
        """A belief in something about one unit moves from `prior` to `at_most` at most, whatever is released.

        Proof: by Bayes' rule the odds change by the ratio of the two probabilities of what is released, which pure
            ε-DP holds to e^ε. So ε = ln(odds of at_most / odds of prior); and from 1 - prior it falls to
            1 - at_most at most, by the same factor. It holds where the unit's data is independent of all others'
            (Kifer and Machanavajjhala 2011). A δ or a ρ allows any posterior with a small probability.
        """
        return cls._checked("posterior", at_most, prior, names=("at_most", "prior"))

    @classmethod
    def advantage(cls, at_most: Exact) -> "Risk":
        """Whoever guesses whether a unit is in the data has true positives less false positives of `at_most`.

        Proof: (ε, δ)-DP holds it to δ + (1 - δ) tanh(ε/2) (Kairouz, Oh and Viswanath 2015), so
            ε = ln((1 + t)/(1 - t)) with t = (at_most - δ)/(1 - δ). ρ-zCDP holds the Kullback-Leibler divergence to ρ,
            and the advantage to √(ρ/2) (Pinsker), so ρ = 2 at_most².
        """
        return cls._checked("advantage", at_most, 0, names=("at_most", "0"))

    @classmethod
    def power(cls, *, true_positive: Exact, false_positive: Exact) -> "Risk":
        """Who accuses absent units at the rate `false_positive` finds present ones at the rate `true_positive` at most.

        Proof: with a for the false and b for the true positives, (ε, δ)-DP has b <= e^ε a + δ and
            1 - a <= e^ε (1 - b) + δ (Wasserman and Zhou 2010). Either holds b to true_positive if ε is at most
            ln((b - δ)/a), or at most ln((1 - a - δ)/(1 - b)): the larger ε will do. With ρ-zCDP the
            Rényi divergence of the answers "accused" and "not" is at most ρ times its order, in both directions, and it
            grows with b above a. So any order gives a ρ that keeps b; the best of several is taken.
        """
        return cls._checked("power", true_positive, false_positive, names=("true_positive", "false_positive"))

    @classmethod
    def of(cls, said: "Risk | str") -> "Risk":
        """A risk, or a text that says one.

        Example:
            >>> Risk.of("50% to 60%"), Risk.of("advantage 0.1")
            (Risk: a belief of 50 % becomes at most 60 %, Risk: an attacker's advantage is at most 10 %)
        """
        if isinstance(said, Risk):
            return said
        if isinstance(said, str):
            for kind, pattern in _TEXTS.items():
                if found := pattern.fullmatch(said.strip().lower()):
                    first, *rest = _shares(found.groups())
                    if kind == "posterior":
                        return cls.posterior(first, rest[0])
                    return cls.power(true_positive=first, false_positive=rest[0]) if rest else cls.advantage(first)
        raise InvalidParameter(f"risk must be a Risk or a text such as {WAYS}, got {said!r:.80}")

    @classmethod
    def _checked(cls, kind: str, most: Exact, base: Exact, *, names: tuple[str, str]) -> "Risk":
        top, start = exact(most, names[0]), exact(base, names[1])
        least = 0 if kind == "advantage" else 1  # a prior of 0 stays 0, and so do no false positives
        if not (start < top < 1 and (start > 0 or not least)):
            asked = f"0 < {names[0]} < 1" if not least else f"0 < {names[1]} < {names[0]} < 1"
            got = f"{names[0]}={readable(top)}" + (f", {names[1]}={readable(start)}" if least else "")
            raise InvalidParameter(f"a risk of this kind needs {asked}, got {got}: say it as {WAYS}")
        return cls(kind, top, start)

    def guarantee(self, *, delta: Exact = 0) -> Guarantee:
        """The largest ε, rounded down, for which every (ε, delta)-DP answer keeps the risk."""
        failure = failing(delta, "delta")
        if self.kind == "posterior" and failure:
            raise InvalidParameter(
                "with a delta no posterior is certain: leave delta out, or say the risk as an advantage or as true "
                "positives at a rate of false positives"
            )
        if self.most - self.base <= failure:
            raise InvalidParameter(f"delta={readable(failure)} alone allows more than this risk: use a smaller delta")
        return Guarantee(_floor(_log(self._ratio(failure))), failure)

    def concentrated(self) -> ConcentratedGuarantee:
        """A ρ, rounded down, for which every ρ-zCDP answer keeps the risk."""
        if self.kind == "posterior":
            raise InvalidParameter(
                "rho holds no posterior with certainty: leave rho out, or say the risk as an advantage or as true "
                "positives at a rate of false positives"
            )
        if self.kind == "advantage":
            return ConcentratedGuarantee(_floor(2 * self.most * self.most))
        pairs = ((self.most, self.base), (self.base, self.most))
        return ConcentratedGuarantee(_floor(max(_divergence(*pair, order) for pair in pairs for order in _ORDERS)))

    def _ratio(self, delta: Fraction) -> Fraction:
        """What e^ε may be."""
        top, start = self.most, self.base
        if self.kind == "posterior":
            return top * (1 - start) / ((1 - top) * start)
        if self.kind == "advantage":
            part = (top - delta) / (1 - delta)
            return (1 + part) / (1 - part)
        return max((top - delta) / start, (1 - start - delta) / (1 - top))

    def __repr__(self) -> str:
        most, base = (f"{readable(100 * share)} %" for share in (self.most, self.base))
        match self.kind:
            case "posterior":
                return f"Risk: a belief of {base} becomes at most {most}"
            case "advantage":
                return f"Risk: an attacker's advantage is at most {most}"
        return f"Risk: at most {most} true positives at {base} false positives"


def _shares(groups: tuple[str, ...]) -> list[Fraction]:
    """Numbers of a text, each with or without a percent sign."""
    return [Fraction(number) / (100 if sign else 1) for number, sign in zip(groups[::2], groups[1::2], strict=True)]


@precise()
def _log(ratio: Fraction) -> Decimal:
    return decimal_of(ratio).ln()


@precise()
def _divergence(first: Fraction, second: Fraction, order: Decimal) -> Decimal:
    """The Rényi divergence of two coins, divided by its order."""
    pairs = [(decimal_of(one), decimal_of(two)) for one, two in ((first, second), (1 - first, 1 - second))]
    return sum((one**order * two ** (1 - order) for one, two in pairs), Decimal(0)).ln() / ((order - 1) * order)


@precise()
def _floor(number: Decimal | Fraction) -> Fraction:
    """Four digits, not above the number; what was computed with 80 digits first takes a step down."""
    if isinstance(number, Fraction):
        short = _SHORT.divide(Decimal(number.numerator), Decimal(number.denominator))
    else:
        short = _SHORT.create_decimal(number - abs(number) * _OUTWARD)
    if short <= 0:
        raise InvalidParameter("this risk allows no ε above 0: allow a little more")
    return Fraction(short)
