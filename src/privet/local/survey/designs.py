"""The designs of randomized response that surveys use, each a few instructions."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privet.errors import InvalidParameter
from privet.local.survey.design import SurveyDesign, chance, weighted
from privet.local.weights import WHOLE, declared, favored_weight
from privet.loss.exact import Exact, readable

NO, YES = (False, False), (True, True)
TRUTH, LIE = (False, True), (True, False)
FACT = (
    "the loss holds against everybody who does not know {fact}, and if it has nothing to do with the question: "
    "let a coin decide where that is in doubt"
)


@dataclass(frozen=True, repr=False, init=False)
class Warner(SurveyDesign):
    """Says the truth with a known probability, else the opposite (Warner 1965).

    Args:
        truth: the probability of the truth, not 1/2.

    Privacy: ε = |ln(truth / (1 - truth))|.

    Example:
        >>> round(Warner(truth=0.75).epsilon, 6), round(Warner(truth=0.4).epsilon, 6)
        (1.098612, 0.405465)
    """

    words: ClassVar[tuple[str, str]] = ("answer truthfully", "answer the opposite of the truth")

    def __init__(self, truth: Exact) -> None:
        share = chance(truth, "truth")
        said, opposite = self.words
        _keep(self, weighted([(said, share, TRUTH), (opposite, 1 - share, LIE)]))

    @classmethod
    def calibrated(cls, *, epsilon: Exact) -> "Warner":
        """The most truthful one whose answers cost at most ε, from a millionth to 20; weights of 52 bits."""
        return cls(Fraction(favored_weight(declared(epsilon), favored=1, others=1), WHOLE))

    def _words(self) -> str:
        return f"truth={readable(self.yes_if_yes)}"


class MirroredQuestion(Warner):
    """Asks the question or its opposite, as chance decides: Warner's design as questionnaires print it.

    Args:
        truth: the probability that the question itself is asked, not 1/2.

    Privacy: that of `Warner`.

    Example:
        >>> MirroredQuestion(truth="2/3").instructions[1].words
        'say whether the opposite is true of you'
    """

    words = ("say whether it is true of you", "say whether the opposite is true of you")


@dataclass(frozen=True, repr=False, init=False)
class Disguised(SurveyDesign):
    """Two decks of cards: draw from one if the truth is yes, from the other if it is no, and name the color (Kuk 1990).

    Args:
        red_if_yes: the share of red cards in the deck of those whose truth is yes; red is reported as yes.
        red_if_no: the same in the other deck.

    Privacy: ln of the largest ratio of the two decks' shares of one color.

    Example:
        >>> round(Disguised(red_if_yes=0.7, red_if_no=0.1).epsilon, 6)
        1.94591
    """

    def __init__(self, red_if_yes: Exact, red_if_no: Exact) -> None:
        yes, no = chance(red_if_yes, "red_if_yes"), chance(red_if_no, "red_if_no")
        both = min(yes, no)
        apart = TRUTH if yes > no else LIE
        _keep(
            self,
            weighted(
                [
                    ("both decks show red", both, YES),
                    ("the decks differ", abs(yes - no), apart),
                    ("both decks show black", 1 - max(yes, no), NO),
                ]
            ),
        )

    def _words(self) -> str:
        return f"red_if_yes={readable(self.yes_if_yes)}, red_if_no={readable(self.yes_if_no)}"


@dataclass(frozen=True, repr=False, init=False)
class ForcedResponse(SurveyDesign):
    """Says the truth, or yes, or no, as chance decides (Boruch 1971).

    Args:
        truth: the probability of the truth.
        yes: the probability of a forced yes; by default half of what is left.

    Privacy: ε = ln max{(truth + yes)/yes, (truth + no)/no}; infinite if yes or no is never forced.

    Example:
        >>> round(ForcedResponse(truth="2/3").epsilon, 6)  # ln 5
        1.609438
    """

    def __init__(self, truth: Exact, *, yes: Exact | None = None) -> None:
        share = chance(truth, "truth")
        forced = (1 - share) / 2 if yes is None else chance(yes, "yes")
        if share + forced > 1:
            raise InvalidParameter("truth and yes must add up to at most 1: what is left is the chance of a forced no")
        cards = [("answer truthfully", share, TRUTH), ("say yes", forced, YES), ("say no", 1 - share - forced, NO)]
        _keep(self, weighted(cards))

    def _words(self) -> str:
        return f"truth={readable(self.slope)}, yes={readable(self.yes_if_no)}"


class TwoCoins(ForcedResponse):
    """Flip a coin. Heads: the truth. Tails: flip again, heads is yes and tails is no.

    Privacy: ε = ln 3: three of four answers are true, whatever the truth is.

    Example:
        >>> TwoCoins().yes_if_yes, round(TwoCoins().epsilon, 6)
        (Fraction(3, 4), 1.098612)
    """

    def __init__(self) -> None:
        super().__init__(Fraction(1, 2))

    def _words(self) -> str:
        return ""


@dataclass(frozen=True, repr=False, init=False)
class UnrelatedQuestion(SurveyDesign):
    """Asks the question, or another one that embarrasses nobody, as chance decides (Greenberg and others 1969).

    Args:
        truth: the probability that the question itself is asked.
        prevalence: the known share of people who answer the other question with yes.

    Privacy: as `ForcedResponse` with yes = (1 - truth) prevalence, under `assumption`.

    Example:
        >>> round(UnrelatedQuestion(truth="2/3", prevalence="1/3").epsilon, 6)  # ln 7
        1.94591
    """

    assumption: ClassVar[str] = FACT.format(fact="the person's answer to the other question")

    def __init__(self, truth: Exact, *, prevalence: Exact) -> None:
        share, other = chance(truth, "truth"), chance(prevalence, "prevalence")
        asked = "answer the other question"
        cards = [("answer truthfully", share, TRUTH), (asked, (1 - share) * other, YES)]
        _keep(self, weighted([*cards, (asked, (1 - share) * (1 - other), NO)]))

    def _words(self) -> str:
        other = self.yes_if_no / (1 - self.slope) if self.slope < 1 else Fraction(0)
        return f"truth={readable(self.slope)}, prevalence={readable(other)}"


@dataclass(frozen=True, repr=False, init=False)
class Crosswise(SurveyDesign):
    """Asks two questions at once: only whether both answers are the same is told (Yu, Tian and Tang 2008).

    Args:
        prevalence: the known share of people who answer the other question with yes, not 1/2. "The same" counts as yes.

    Privacy: ε = |ln(prevalence / (1 - prevalence))|, under `assumption`.

    Example:
        >>> round(Crosswise(prevalence=0.25).epsilon, 6)
        1.098612
    """

    assumption: ClassVar[str] = FACT.format(fact="the person's answer to the other question")

    def __init__(self, prevalence: Exact) -> None:
        share = chance(prevalence, "prevalence")
        other = "say whether your two answers are the same"
        _keep(self, weighted([(other, share, TRUTH), (other, 1 - share, LIE)]))

    def _words(self) -> str:
        return f"prevalence={readable(self.yes_if_yes)}"


def _keep(design: SurveyDesign, instructions: tuple[object, ...]) -> None:
    """Store what a design draws from, and check it."""
    object.__setattr__(design, "instructions", instructions)
    design.__post_init__()
