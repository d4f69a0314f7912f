"""SurveyDesign: how a question is asked so that no answer gives its person away."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import InvalidParameter
from privet.local.survey.hidden_regression import HiddenRegression, fitted
from privet.local.survey.planning import answers_for_margin, answers_for_power, power_of
from privet.local.survey.survey_estimate import SurveyEstimate
from privet.local.survey.worksheet import Worksheet
from privet.loss import PrivacyLoss, RandomizedResponseCurve
from privet.loss.exact import Exact, exact_within, readable, shown, whole
from privet.noise import BitSource, Entropy, UniformLaw

Answers: TypeAlias = ArrayLike  # a row of true and false, or of 1 and 0
Bits: TypeAlias = NDArray[np.bool_]
Share: TypeAlias = tuple[str, Fraction, tuple[bool, bool]]  # words, how often, and what is said


@dataclass(frozen=True)
class Instruction:
    """What a person may be told to do, unseen by everybody else.

    Args:
        words: what the person reads.
        weight: how often it is drawn: this whole number, divided by the sum of all.
        says: what is then answered by somebody whose truth is no, and by one whose truth is yes.
    """

    words: str
    weight: int
    says: tuple[bool, bool]


@dataclass(frozen=True, repr=False)
class SurveyDesign:
    """A way of asking a yes-or-no question: chance decides, unseen, what a person is to answer.

    Args:
        instructions: what a person may be told, each with a whole weight.

    Privacy: one answer is ε-DP with e^ε the larger of P[yes|yes]/P[yes|no] and P[no|no]/P[no|yes] (or its inverse),
        exact, whoever sees the answer and whoever collects it: `loss`. Asked again, the same person pays again.
    Proof: these are the ratios of the 2 by 2 table of answers; what a person does depends on nothing but the own truth
        and a fresh draw, so an answer says nothing about others (Warner 1965).
    Not covered: a person who does not follow the instruction is not protected by it, and spoils the estimate. Who took
        part is not hidden. See `assumption` for designs that draw from a fact about the person.

    Example:
        >>> from privet.local import survey
        >>> survey.TwoCoins().estimate(yes=40, answers=100)
        0.30 of the people would truly say yes: from 0.10 to 0.51, 95 % sure (100 answers, 40 of them yes)
        each answer costs its person ε=1.09861229, asked by TwoCoins()
    """

    instructions: tuple[Instruction, ...]
    assumption: ClassVar[str] = ""  # what must hold for the loss, beyond a fair draw that nobody sees

    def __post_init__(self) -> None:
        if not self.slope:
            raise InvalidParameter("the answers must depend on the truth: tell the truth more or less often than not")

    # --- what it is -------------------------------------------------------------------------------------------

    @cached_property
    def yes_if_yes(self) -> Fraction:
        """The probability that somebody whose truth is yes answers yes."""
        return self._chance(truth=True)

    @cached_property
    def yes_if_no(self) -> Fraction:
        """The probability that somebody whose truth is no answers yes."""
        return self._chance(truth=False)

    @property
    def slope(self) -> Fraction:
        """How much more often people answer yes if it is the truth: the share of yes is yes_if_no + slope * truth."""
        return self.yes_if_yes - self.yes_if_no

    @property
    def total(self) -> int:
        """The sum of all weights."""
        return sum(each.weight for each in self.instructions)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """What one answer reveals, exact."""
        return PrivacyLoss.of(RandomizedResponseCurve(self.yes_if_no, 1 - self.yes_if_yes))

    @property
    def epsilon(self) -> float:
        """The ε of one answer, rounded up; infinite if an answer can prove the truth."""
        return self.loss.epsilon(0)

    @property
    def config(self) -> dict[str, Any]:
        """The public facts that a page which asks needs, as JSON holds them."""
        told = [{"words": each.words, "weight": each.weight, "says": list(each.says)} for each in self.instructions]
        return {"protocol": "survey", "instructions": told}

    def channel(self) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """The probabilities of answering no and yes: one row for the truth no, one for yes."""
        return (1 - self.yes_if_no, self.yes_if_no), (1 - self.yes_if_yes, self.yes_if_yes)

    # --- asking -----------------------------------------------------------------------------------------------

    def instruct(self, people: int = 1, *, source: BitSource | None = None) -> NDArray[np.int64]:
        """Draw an instruction for each person, as its number in `instructions`, exactly as often as its weight says."""
        drawn = UniformLaw(self.total).many(source or Entropy(), whole(people, "people"))
        edges = np.cumsum([each.weight for each in self.instructions], dtype=drawn.dtype)
        return np.searchsorted(edges, drawn, side="right").astype(np.int64)

    def privatize(self, truths: Answers, *, source: BitSource | None = None) -> Bits:
        """What these people answer, each after a draw of the own."""
        hidden = bits_of(truths, "truths")
        says = np.array([each.says for each in self.instructions], dtype=np.bool_)
        return says[self.instruct(len(hidden), source=source), hidden.astype(np.int64)]

    def worksheet(self, truths: Answers = (1, 0, 0, 1, 0), *, source: BitSource | None = None) -> Worksheet:
        """A sheet for the blackboard: each truth beside the answer that was drawn for it, and what a class learns.

        Args:
            truths: invented ones: the sheet shows them.
            source: where the coins come from.
        """
        hidden = bits_of(truths, "truths")
        drawn = self.instruct(len(hidden), source=source)
        rows = [
            (bool(truth), self.instructions[told].words, self.instructions[told].says[int(truth)])
            for truth, told in zip(hidden, drawn.tolist(), strict=True)
        ]
        return Worksheet(tuple(rows), self.estimate([answer for *_, answer in rows]))

    # --- estimating -------------------------------------------------------------------------------------------

    def estimate(
        self, reports: Answers | None = None, *, yes: int | None = None, answers: int | None = None
    ) -> SurveyEstimate:
        """How many would truly say yes, from the answers, or from how many of them are yes.

        Args:
            reports: the answers of all who gave one; or instead of them:
            yes: how many answered yes.
            answers: how many answered.
        """
        if reports is not None:
            if yes is not None or answers is not None:
                raise InvalidParameter("give either the reports, or yes and answers, not both")
            bits = bits_of(reports, "reports")
            return SurveyEstimate(self, int(bits.sum()), len(bits))
        if yes is None or answers is None:
            raise InvalidParameter("estimate needs the reports, or how many they are: estimate(yes=40, answers=100)")
        number = whole(answers, "answers")
        return SurveyEstimate(self, whole(yes, "yes", low=0, high=number), number)

    def regress(
        self, reports: Answers, *, covariates: ArrayLike, names: Sequence[str] | None = None
    ) -> HiddenRegression:
        """How the hidden answer depends on what else is known of the people: a logistic regression.

        Args:
            reports: the answers.
            covariates: one row for each answer, one column for each thing known; an intercept is added.
            names: of the columns.

        Privacy: answers cost what they cost; covariates are not protected by the design.
        """
        bits = bits_of(reports, "reports")
        return fitted(bits, covariates, float(self.yes_if_no), float(self.slope), names)

    # --- planning ---------------------------------------------------------------------------------------------

    def answers_for_margin(self, margin: float, *, confidence: float = 0.95, prevalence: float | None = None) -> int:
        """How many answers it takes for an interval of plus or minus `margin`: see `planning.answers_for_margin`."""
        return answers_for_margin(self, margin, confidence, prevalence)

    def power(
        self, prevalence: float, *, answers: int, against: float = 0.0, significance: float = 0.05, sides: int = 2
    ) -> float:
        """How likely a test tells `prevalence` from `against`: see `planning.power_of`."""
        return power_of(self, prevalence, answers, against, significance, sides)

    def answers_for_power(
        self, prevalence: float, *, power: float, against: float = 0.0, significance: float = 0.05, sides: int = 2
    ) -> int:
        """How many answers it takes to tell `prevalence` from `against`: see `planning.answers_for_power`."""
        return answers_for_power(self, prevalence, power, against, significance, sides)

    # --- inside -----------------------------------------------------------------------------------------------

    def _chance(self, *, truth: bool) -> Fraction:
        return Fraction(sum(each.weight for each in self.instructions if each.says[truth]), self.total)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._words()})"

    def _words(self) -> str:
        """The arguments, as a reader would type them."""
        chances = (readable(self.yes_if_yes), readable(self.yes_if_no))
        return "yes_if_yes={}, yes_if_no={}".format(*chances)


def weighted(shares: Sequence[Share]) -> tuple[Instruction, ...]:
    """Instructions with whole weights, from how often each is drawn; those that never are, are left out."""
    unit = lcm(*(share.denominator for _, share, _ in shares))
    return tuple(Instruction(words, int(share * unit), says) for words, share, says in shares if share)


def chance(value: Exact, name: str) -> Fraction:
    """A probability as it was typed."""
    return exact_within(value, name, low=0, high=1)


def bits_of(answers: Any, name: str) -> Bits:  # noqa: ANN401 - whatever holds answers
    """Answers as true and false; the refusal says what to do, and no answer."""
    array = np.asarray(answers)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "biu" or not ((array == 0) | (array == 1)).all():
        raise InvalidParameter(
            f"{name} must be a row of at least one True or False (or 1 and 0), got {shown(answers)}: leave out people "
            "who gave none"
        )
    return array.astype(np.bool_)
