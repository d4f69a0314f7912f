"""SurveyEstimate: how many would truly say yes, as far as randomized answers tell."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.special import ndtri

from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.local.share_interval import exact_interval
from privet.loss import PrivacyLoss
from privet.loss.exact import readable, shown

if TYPE_CHECKING:
    from privet.local.survey.design import SurveyDesign

Method: TypeAlias = Literal["exact", "wilson", "wald"]
Interval: TypeAlias = tuple[float, float]
METHODS = ("exact", "wilson", "wald")


@dataclass(frozen=True, repr=False)
class SurveyEstimate:
    """The share of people whose truth is yes, with its uncertainty.

    Args:
        design: how they were asked.
        yes: how many answered yes.
        answers: how many answered.

    Privacy: computed from answers that are already private: it may be shown, stored and computed with for nothing.
    """

    design: "SurveyDesign"
    yes: int
    answers: int

    @property
    def value(self) -> float:
        """The unbiased estimate: (share of yes - yes_if_no) / slope. It may lie below 0 or above 1."""
        return self._truth(Fraction(self.yes, self.answers))

    @property
    def likeliest(self) -> float:
        """The maximum likelihood estimate: the possible share under which these answers are likeliest.

        Proof: the likelihood of y yes among n has one peak, at a share y/n of yes, and falls to both sides.
        """
        return min(max(self.value, 0.0), 1.0)

    @property
    def no(self) -> float:
        """The unbiased estimate of the share whose truth is no: 1 - value."""
        return 1.0 - self.value

    @property
    def standard_error(self) -> float:
        """The deviation of the estimate over people and draws: √(s (1 - s) / n) / |slope|, s the share of yes.

        It is 0 if all answers are equal; the exact interval is not fooled by that.
        """
        seen = self.yes / self.answers
        return math.sqrt(seen * (1 - seen) / self.answers) / abs(float(self.design.slope))

    @property
    def loss(self) -> PrivacyLoss:
        """What each answer cost its person."""
        return self.design.loss

    def interval(self, confidence: float = 0.95, *, method: Method = "exact") -> Interval:
        """An interval that holds the true share of the population the people were drawn from.

        Args:
            confidence: between 0 and 1, both excluded.
            method: "exact" (Clopper and Pearson): at least this confidence for every share and number of answers;
                "wilson": about this confidence on average, narrower; "wald": value plus or minus z standard errors, as
                in textbooks: too narrow near 0 and 1 and for few answers, and it may leave 0 to 1.

        Proof: the number of yes is binomial; an interval of its share maps to one of the truth, because the map is
            strictly monotone, and cutting it at 0 and 1 loses no possible truth. For the very people who were asked,
            it holds too: their number of yes spreads less than a binomial one of the same mean (Hoeffding 1956).

        Example:
            >>> from privet.local import survey
            >>> found = survey.ForcedResponse(truth="2/3").estimate(yes=60, answers=200)
            >>> [tuple(round(end, 5) for end in found.interval(method=m)) for m in ("exact", "wilson", "wald")]
            [(0.10608, 0.30297), (0.11112, 0.30019), (0.10473, 0.29527)]
        """
        refuse_certainty(confidence, "confidence")
        if method not in METHODS:
            raise InvalidParameter(f"method must be one of {', '.join(METHODS)}, got {shown(method)}")
        tail = (1 - confidence) / 2
        if method == "wald":
            margin = -float(ndtri(tail)) * self.standard_error
            return self.value - margin, self.value + margin
        ends = self._clopper_pearson(tail) if method == "exact" else self._wilson(tail)
        low, high = sorted(min(max(self._truth(end), 0.0), 1.0) for end in ends)
        return low, high

    def _clopper_pearson(self, tail: float) -> Interval:
        low, high = exact_interval(np.array([self.yes], dtype=np.float64), self.answers, tail)
        return float(low[0]), float(high[0])

    def _wilson(self, tail: float) -> Interval:
        n, z = self.answers, -float(ndtri(tail))
        seen = self.yes / n
        middle = seen + z * z / (2 * n)
        reach = z * math.sqrt(seen * (1 - seen) / n + z * z / (4 * n * n))
        return (middle - reach) / (1 + z * z / n), (middle + reach) / (1 + z * z / n)

    def _truth(self, share: float | Fraction) -> float:
        """The share of true yes at which this share of the answers is yes, on average."""
        return float((Fraction(share) - self.design.yes_if_no) / self.design.slope)

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for a table or a file: one row."""
        low, high = self.interval()
        return {
            "value": self.value,
            "standard_error": self.standard_error,
            "low": low,
            "high": high,
            "likeliest": self.likeliest,
            "yes": self.yes,
            "answers": self.answers,
            "epsilon": self.design.epsilon,
        }

    def __repr__(self) -> str:
        low, high = self.interval()
        digits = max(2, 1 - math.floor(math.log10(max(high - low, 1e-9))))
        unit = 10.0**digits
        ends = (self.value, math.floor(low * unit) / unit, math.ceil(high * unit) / unit)  # outward: it must still hold
        numbers = "{:.{d}f} of the people would truly say yes: from {:.{d}f} to {:.{d}f}".format(*ends, d=digits)
        said = f"{numbers}, 95 % sure ({self.answers:,} answers, {self.yes:,} of them yes)"
        cost = f"each answer costs its person ε={readable(self.design.epsilon)}, asked by {self.design!r}"
        note = f"\n{self.design.assumption}" if self.design.assumption else ""
        return f"{said}\n{cost}{note}"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from privet.display import Card  # noqa: PLC0415 - for notebooks

        title, *lines = repr(self).split("\n")
        return Card(title, lines=lines).html()
