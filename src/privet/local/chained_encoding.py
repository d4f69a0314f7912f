"""ChainedEncoding: a row of bits reported again and again, at a price for each report and one for all of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.categories import Categories
from privet.local.chained_response import MANY
from privet.local.protocol import Reports
from privet.local.unary_bits import UnaryBits
from privet.local.unary_encoding import UnaryEncoding
from privet.local.weights import WHOLE, checked_weight, declared, realised_epsilon
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.loss.outward import exp_below
from privet.noise import BitSource, Entropy
from privet.noise.coins import CoinLaw


@dataclass(frozen=True, init=False, repr=False)
class ChainedEncoding(UnaryBits):
    """Unary encoding in two rounds: the first is drawn once for a value and kept, the second every time.

    The L-OSUE of Arcolezi and others (2022). One report is as accurate as an optimised `UnaryEncoding` at ε₁: the
    bound on all reports costs no accuracy. For few values and a large ε, `ChainedResponse` errs less.

    Args:
        categories: k, or the list of values; see `Categories`.
        epsilon: ε₁, what one report may cost.
        lifetime: ε∞, what all reports about a value may cost together, above ε₁.

    The first round is an optimised unary encoding; the second lets each kept bit stand with the weight `stay` out of
    2^52, and turns it otherwise.

    Privacy: one report is ε₁-DP; `epsilon_after(n)` says what n reports about one value cost, exactly: it grows from ε₁
        to ε∞ and never beyond. A device that reports d different values pays for d (`MemoizedDevice.spent`).
    Proof: with q₁ the first round's probability of a one for another value, and s that a bit stands, the own bit is set
        in a report with probability 1/2 whatever s is, and each other with q = 1/2 - (s - 1/2)(1 - 2 q₁). The ratio is
        (1 - q)/q, at most e^ε₁ if s <= 1/2 + (1/2 - 1/(e^ε₁ + 1))/(1 - 2 q₁); e^ε₁ and s are rounded down. All reports
        are made of the kept bits alone, so they cost at most what those do: ε∞.
    Not covered: when a value changes. Reports show it to whoever can link them, whatever ε is; so the lifetime's price
        holds for values exchanged for others, not for other times of change. Fresh noise instead of kept bits would
        cost ε₁ with every report. And k kept bits are a mark: whoever sees many reports can tell a device from others
        by them, so send reports without names, and do not let them be linked.

    Example:
        >>> protocol = ChainedEncoding(categories=100, epsilon=1, lifetime=2)
        >>> round(protocol.variance(), 4), [round(protocol.epsilon_after(n), 3) for n in (1, 2, 10)]
        (3.6827, [1.0, 1.642, 2.0])
    """

    name: ClassVar[str] = "chained_encoding"
    categories: Categories
    first: UnaryEncoding
    stay: int

    def __init__(self, categories: Any, epsilon: Exact, *, lifetime: Exact) -> None:  # noqa: ANN401 - any list
        once, always = declared(epsilon), declared(lifetime)
        if not once < always:
            raise InvalidParameter("lifetime must be above epsilon: what all reports cost, and what one of them costs")
        first = UnaryEncoding(categories, always)
        self._fill(first, _stay_weight(first.other_support, exp_below(once)))

    def _fill(self, first: UnaryEncoding, stay: int) -> None:
        if stay <= WHOLE // 2:
            raise InvalidParameter("stay must be above 2^51: otherwise a report tells nothing")
        self._keep(categories=first.categories, first=first, stay=stay)

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        first = UnaryEncoding.__new__(UnaryEncoding)
        other = config["first_other"]
        first._fill_from({"categories": config["categories"], "own": WHOLE // 2, "other": other})  # noqa: SLF001 - its own part
        self._fill(first, checked_weight(config["stay"], "stay"))

    @property
    def parameters(self) -> dict[str, Any]:
        """The values, the first round's weight of a one for each other value, and that a bit stands; out of 2^52."""
        return {"categories": self.categories.config, "first_other": self.first.other, "stay": self.stay}

    def epsilon_after(self, reports: int) -> float:
        """What so many reports about one value cost together, exactly but for rounding up.

        Proof: bits are independent, and two values v and w differ in the laws of two. n reports of a bit of which c
            are ones have the likelihood ratio L(r) = (r + 1)/(2 (q₁ r + 1 - q₁)) of an own against another bit, with
            r = (s/(1 - s))^(2c - n). It grows with r, so L(r)/L(r') is largest if all reports have a one at v and a
            zero at w: with R = (s/(1 - s))^n it is (K R + 1)/(K + R), K = (1 - q₁)/q₁ the ratio of the first round.
        """
        count = whole(reports, "reports")
        if count > MANY:
            return self.lifetime
        grown, kept = Fraction(self.stay, WHOLE - self.stay) ** count, self.first.ratio
        return realised_epsilon((kept * grown + 1) / (kept + grown))

    @property
    def lifetime(self) -> float:
        """What all reports about one value cost together."""
        return self.first.epsilon

    @property
    def lifetime_loss(self) -> PrivacyLoss:
        """Of all reports about one value."""
        return self.first.loss

    @property
    def true_support(self) -> Fraction:
        """The own bit is set by half of the devices, in every round."""
        return self._after(self.first.true_support)

    @property
    def other_support(self) -> Fraction:
        """Another bit was set and stands, or was not and is turned."""
        return self._after(self.first.other_support)

    def _after(self, kept: Fraction) -> Fraction:
        stands = Fraction(self.stay, WHOLE)
        return kept * stands + (1 - kept) * (1 - stands)

    def permanent(self, values: Any, *, entropy: BitSource | None = None) -> Reports:  # noqa: ANN401 - any column
        """The first round: bits for each value, which its device keeps and never sends."""
        return self.first.privatize(values, entropy=entropy)

    def fresh(self, kept: Reports, *, entropy: BitSource | None = None) -> Reports:
        """The second round: a report of each row of kept bits."""
        return self._turned(self._checked(np.asarray(kept)), entropy or Entropy())

    def _turned(self, kept: Reports, source: BitSource) -> Reports:
        size, turned = len(self.categories), CoinLaw(WHOLE - self.stay)
        reports = np.empty_like(kept)
        for part in self._parts(len(kept)):
            turns = turned.many(source, len(kept[part]) * size).reshape(-1, size)
            reports[part] = kept[part] ^ np.packbits(turns, axis=1)
        return reports

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        return self._turned(self.first._drawn(inputs, source), source)  # noqa: SLF001 - its own part


def _stay_weight(other: Fraction, once: Fraction) -> int:
    """How likely a kept bit stands, out of `WHOLE`, rounded down: a report then costs no more than asked for."""
    share = Fraction(1, 2) + (Fraction(1, 2) - 1 / (once + 1)) / (1 - 2 * other)
    return min(int(WHOLE * share), WHOLE - 1)
