"""ChainedResponse: one value reported again and again, at a price for each report and one for all of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.categories import Categories
from privet.local.frequency_estimate import FrequencyEstimate
from privet.local.frequency_protocol import FrequencyProtocol
from privet.local.kary_response import KaryResponse
from privet.local.number_reports import NumberReports
from privet.local.protocol import Reports
from privet.local.tally import Counts
from privet.local.weights import MOST_EPSILON, declared, realised_epsilon
from privet.loss import KaryResponseCurve, PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.loss.outward import exp_below, log_above
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, Entropy

MANY = 64  # reports of which more are priced as if they told the kept answer
PRECISE = Fraction(1, 10**15)  # by which the second round's ε is rounded down


@dataclass(frozen=True, init=False, repr=False)
class ChainedResponse(NumberReports[FrequencyEstimate], FrequencyProtocol):
    """k-ary randomized response in two rounds: the first is drawn once for a value and kept, the second every time.

    Args:
        categories: k, or the list of values; see `Categories`.
        epsilon: ε₁, what one report may cost.
        lifetime: ε∞, what all reports about a value may cost together, above ε₁.

    Privacy: one report is ε₁-DP; `epsilon_after(n)` says what n reports about one value cost, exactly: it grows from ε₁
        to ε∞ and never beyond. A device that reports d different values pays for d (`MemoizedDevice.spent`).
    Proof: with weights p₁ and q₁ in the first round, p₂ = a q₂ and q₂ in the second, one report has the probability
        p₁ p₂ + (k-1) q₁ q₂ of the truth and q₁ p₂ + p₁ q₂ + (k-2) q₁ q₂ of another value. The ratio is e^ε₁ for
        a = (e^ε₁ (e^ε∞ + k - 2) - (k - 1))/(e^ε∞ - e^ε₁). All reports are made of the kept answer alone, so they
        cost at most what that one does: ε∞.
    Not covered: when a value changes. Reports show it to whoever can link them, whatever ε is; so the lifetime's price
        holds for values exchanged for others, not for other times of change. Fresh noise instead of a kept answer
        would cost ε₁ with every report.

    Example:
        >>> protocol = ChainedResponse(categories=4, epsilon=1, lifetime=2)
        >>> round(protocol.second.epsilon, 6), [round(protocol.epsilon_after(n), 3) for n in (1, 2, 10)]
        (1.573172, [1.0, 1.678, 2.0])
    """

    name: ClassVar[str] = "chained_response"
    categories: Categories
    first: KaryResponse
    second: KaryResponse

    def __init__(self, categories: Any, epsilon: Exact, *, lifetime: Exact) -> None:  # noqa: ANN401 - any list
        known = Categories(categories)
        once, always = declared(epsilon), declared(lifetime)
        if not once < always:
            raise InvalidParameter("lifetime must be above epsilon: what all reports cost, and what one of them costs")
        first = KaryResponse(known, always)
        self._fill(first, KaryResponse(known, _second_epsilon(first.ratio, exp_below(once), len(known))))

    def _fill(self, first: KaryResponse, second: KaryResponse) -> None:
        self._keep(categories=first.categories, first=first, second=second)

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        rounds = [_round(config, name) for name in ("first", "second")]
        self._fill(*rounds)

    @property
    def parameters(self) -> dict[str, Any]:
        """The values, and for both rounds the weight of each other value, out of 2^52."""
        weights = {"first_other": self.first.other, "second_other": self.second.other}
        return {"categories": self.categories.config, **weights}

    @property
    def ratio(self) -> Fraction:
        """Of one report."""
        return self._ratio_after(1)

    def epsilon_after(self, reports: int) -> float:
        """What so many reports about one value cost together, exactly but for rounding up.

        Proof: for values v and w the kept answer b makes n reports likely by a^(how many of them say b). The ratio
            (p₁ a^c(v) + q₁ (a^c(w) + S))/(p₁ a^c(w) + q₁ (a^c(v) + S)) is largest if all of them say v.
        """
        return realised_epsilon(self._ratio_after(whole(reports, "reports")))

    def _ratio_after(self, reports: int) -> Fraction:
        if reports > MANY:
            return self.first.ratio
        grown = self.second.ratio**reports
        kept, others = self.first.ratio, len(self.categories) - 1
        return (kept * grown + others) / (kept + grown + others - 1)

    @property
    def lifetime(self) -> float:
        """What all reports about one value cost together."""
        return self.first.epsilon

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Of one report: a k-ary response, by the two rounds."""
        return PrivacyLoss.of(KaryResponseCurve(len(self.categories), log_above(self.ratio)))

    @property
    def lifetime_loss(self) -> PrivacyLoss:
        """Of all reports about one value."""
        return self.first.loss

    @property
    def true_support(self) -> Fraction:
        """Both rounds tell the truth, or the second undoes the first."""
        one, two = self.first, self.second
        stay = one.true_support * two.true_support
        return stay + (len(self.categories) - 1) * one.other_support * two.other_support

    @property
    def other_support(self) -> Fraction:
        """The rest, for each other value."""
        return (1 - self.true_support) / (len(self.categories) - 1)

    @property
    def numbers(self) -> int:
        """One report for each value."""
        return len(self.categories)

    def permanent(self, values: Any, *, entropy: BitSource | None = None) -> Reports:  # noqa: ANN401 - any column
        """The first round: an answer for each value, which its device keeps and never sends."""
        return self.first.privatize(values, entropy=entropy)

    def fresh(self, kept: Reports, *, entropy: BitSource | None = None) -> Reports:
        """The second round: a report of each kept answer."""
        return self.second._drawn(self.second._checked(np.asarray(kept)), entropy or Entropy())  # noqa: SLF001 - its part

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        return self.second._drawn(self.first._drawn(inputs, source), source)  # noqa: SLF001 - its own parts

    def _supports(self, counts: Counts) -> NDArray[np.int64]:
        return counts

    def channel(self) -> FiniteMechanism:
        """Of one report: the product of both rounds'."""
        return self.first.channel() @ self.second.channel()


def _second_epsilon(kept: Fraction, once: Fraction, size: int) -> Fraction:
    """The second round's ε, rounded down: a whole chain of it then costs no more than asked for."""
    if kept <= once:
        return Fraction(MOST_EPSILON)  # the first round's weights were rounded down to that: it alone is enough
    ratio = (once * (kept + size - 2) - (size - 1)) / (kept - once)
    return min(log_above(ratio) * (1 - PRECISE), Fraction(MOST_EPSILON))


def _round(config: Mapping[str, Any], name: str) -> KaryResponse:
    made = KaryResponse.__new__(KaryResponse)
    made._fill_from({"categories": config["categories"], "other": config[f"{name}_other"]})  # noqa: SLF001 - its own part
    return made
