"""BinaryResponse: yes or no, now and then the other one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.local.categories import Categories
from privet.local.frequency_estimate import FrequencyEstimate
from privet.local.frequency_protocol import FrequencyProtocol
from privet.local.number_reports import NumberReports
from privet.local.protocol import Reports
from privet.local.tally import Counts, Tally
from privet.local.weights import WHOLE, declared, favored_weight
from privet.loss import PrivacyLoss, RandomizedResponseCurve
from privet.loss.exact import Exact, exact_within, whole
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw

VALUES = (False, True)


@dataclass(frozen=True, init=False, repr=False)
class BinaryResponse(NumberReports[FrequencyEstimate], FrequencyProtocol):
    """Randomized response (Warner 1965), also with two different coins.

    Args:
        epsilon: what a report may cost, from a millionth to 20; both answers are then flipped equally often.
        flip_zero: instead of an ε, the probability that a no is reported as yes, exact: 0.1 is one tenth.
        flip_one: the probability that a yes is reported as no.

    A report is 0 or 1: yes with the weight `yes_of_no` or `yes_of_yes` out of `whole`.

    Privacy: `epsilon`-DP for each report; with flips p and q, ε = ln max{(1-p)/q, q/(1-p), p/(1-q), (1-q)/p}.
    Proof: these are the four ratios of the table with rows (1-p, p) and (q, 1-q).

    Example:
        >>> round(BinaryResponse(flip_zero=0.25, flip_one=0.25).epsilon, 6)  # ln 3: the two coins of a classroom
        1.098612
        >>> protocol = BinaryResponse(epsilon=1)
        >>> estimate = protocol.estimate(protocol.privatize([True] * 300 + [False] * 700))
        >>> estimate.value.shape  # the shares of no and of yes
        (2,)
    """

    name: ClassVar[str] = "binary_response"
    categories: Categories
    yes_of_no: int
    yes_of_yes: int
    whole: int

    def __init__(
        self, epsilon: Exact | None = None, *, flip_zero: Exact | None = None, flip_one: Exact | None = None
    ) -> None:
        if epsilon is not None and flip_zero is None and flip_one is None:
            truth = favored_weight(declared(epsilon), favored=1, others=1)
            self._fill(WHOLE - truth, truth, WHOLE)
        elif epsilon is None and flip_zero is not None and flip_one is not None:
            zero = exact_within(flip_zero, "flip_zero", low=0, high=1)
            one = exact_within(flip_one, "flip_one", low=0, high=1)
            unit = int(np.lcm(zero.denominator, one.denominator, dtype=object))
            self._fill(int(zero * unit), int((1 - one) * unit), unit)
        else:
            raise InvalidParameter("give either epsilon, or flip_zero and flip_one")

    def _fill(self, yes_of_no: int, yes_of_yes: int, total: int) -> None:
        if not 0 < yes_of_no < total or not 0 < yes_of_yes < total or yes_of_no == yes_of_yes or total > WHOLE:
            raise InvalidParameter(
                "flip_zero and flip_one must lie between 0 and 1, both excluded, must not add up to 1, and must be "
                "fractions of whole numbers up to 2^52: otherwise a report tells all, or nothing"
            )
        self._keep(categories=Categories(VALUES), yes_of_no=yes_of_no, yes_of_yes=yes_of_yes, whole=total)

    def _fill_from(self, config: Mapping[str, Any]) -> None:
        self._fill(*(whole(config[name], name) for name in ("yes_of_no", "yes_of_yes", "whole")))

    @property
    def parameters(self) -> dict[str, Any]:
        """The weights of a yes for a no and for a yes, and what weights add up to."""
        return {"yes_of_no": self.yes_of_no, "yes_of_yes": self.yes_of_yes, "whole": self.whole}

    @property
    def flip_zero(self) -> Fraction:
        """The probability that a no is reported as yes."""
        return Fraction(self.yes_of_no, self.whole)

    @property
    def flip_one(self) -> Fraction:
        """The probability that a yes is reported as no."""
        return 1 - Fraction(self.yes_of_yes, self.whole)

    @property
    def ratio(self) -> Fraction:
        """Of the yes, or of the no."""
        yes = Fraction(self.yes_of_yes, self.yes_of_no)
        no = Fraction(self.whole - self.yes_of_no, self.whole - self.yes_of_yes)
        return max(yes, 1 / yes, no, 1 / no)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The exact curve of the two rows."""
        return PrivacyLoss.of(RandomizedResponseCurve(self.flip_zero, self.flip_one))

    @property
    def true_support(self) -> Fraction:
        """A yes supports yes; whoever says no has said nothing else."""
        return 1 - self.flip_one

    @property
    def other_support(self) -> Fraction:
        """A yes of a device that would say no."""
        return self.flip_zero

    @property
    def numbers(self) -> int:
        """No and yes."""
        return len(VALUES)

    def _drawn(self, inputs: NDArray[Any], source: BitSource) -> Reports:
        drawn = UniformLaw(self.whole).many(source, len(inputs))
        return (drawn < np.where(inputs == 1, self.yes_of_yes, self.yes_of_no)).astype(np.int64)

    def _supports(self, counts: Counts) -> NDArray[np.int64]:
        return counts

    def _estimated(self, tally: Tally) -> FrequencyEstimate:
        zero, one = float(self.flip_zero), float(self.flip_one)
        return replace(
            super()._estimated(tally), true_support=np.array([1 - zero, 1 - one]), other_support=np.array([one, zero])
        )

    def channel(self) -> FiniteMechanism:
        """The rows of a no and of a yes."""
        return FiniteMechanism([[1 - self.flip_zero, self.flip_zero], [self.flip_one, 1 - self.flip_one]])
