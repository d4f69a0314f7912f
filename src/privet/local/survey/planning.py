"""Planning a survey: how many answers it takes, and what a number of them can tell."""

import math
from typing import TYPE_CHECKING

from scipy.special import ndtr, ndtri

from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.loss.exact import exact_within, shown, whole

if TYPE_CHECKING:
    from privet.local.survey.design import SurveyDesign

BOTH = 2  # sides of a test


def deviation(design: "SurveyDesign", prevalence: float) -> float:
    """The standard deviation of the estimate from one answer: √(s (1 - s)) / |slope|, s = yes_if_no + slope * truth."""
    share = float(design.yes_if_no) + float(design.slope) * prevalence
    return math.sqrt(max(share * (1 - share), 0.0)) / abs(float(design.slope))


def answers_for_margin(design: "SurveyDesign", margin: float, confidence: float, prevalence: float | None) -> int:
    """How many answers make the interval value ± margin, by the normal law.

    Args:
        design: how people are asked.
        margin: half the width, above 0.
        confidence: of the interval.
        prevalence: the share that is expected; by default the one that needs most answers.

    Example:
        >>> from privet.local import survey
        >>> survey.TwoCoins().answers_for_margin(0.05)
        1537
    """
    refuse_certainty(confidence, "confidence")
    refuse_certainty(margin, "margin")
    half = (0.5 - float(design.yes_if_no)) / float(design.slope)  # where as many say yes as no, if that can be
    expected = min(max(half, 0.0), 1.0) if prevalence is None else _share(prevalence, "prevalence")
    return math.ceil((float(ndtri((1 + confidence) / 2)) * deviation(design, expected) / margin) ** 2)


def power_of(  # noqa: PLR0913, PLR0917 - the words of a test
    design: "SurveyDesign", prevalence: float, answers: int, against: float, significance: float, sides: int
) -> float:
    """The probability that a test rejects `against` when the truth is `prevalence`, by the normal law.

    Args:
        design: how people are asked.
        prevalence: the true share.
        answers: how many.
        against: the share that the test would reject.
        significance: how often it may reject a share that is true.
        sides: 1 if only a difference in this direction counts, else 2.

    The test rejects beyond z standard errors under `against`; of two sides, the one away from the truth is left out.

    Example:
        >>> from privet.local import survey
        >>> round(survey.ForcedResponse(truth="2/3").power(0.2, answers=200, significance=0.01, sides=1), 7)
        0.9868872
    """
    _refuse_other_sides(significance, sides)
    gap = abs(_share(prevalence, "prevalence") - _share(against, "against"))
    root = math.sqrt(whole(answers, "answers"))
    critical = -float(ndtri(significance / sides)) * deviation(design, against)
    spread = deviation(design, prevalence)
    return float(ndtr((gap * root - critical) / spread)) if spread else float(gap * root > critical)


def answers_for_power(  # noqa: PLR0913, PLR0917 - the words of a test
    design: "SurveyDesign", prevalence: float, power: float, against: float, significance: float, sides: int
) -> int:
    """How many answers give a test this power; the arguments are those of `power_of`.

    Example:
        >>> from privet.local import survey
        >>> survey.ForcedResponse(truth="2/3").answers_for_power(0.2, power=0.9, against=0.1)
        452
    """
    _refuse_other_sides(significance, sides)
    refuse_certainty(power, "power")
    gap = abs(_share(prevalence, "prevalence") - _share(against, "against"))
    if not gap:
        raise InvalidParameter("prevalence and against must differ: no number of answers tells a share from itself")
    critical = -float(ndtri(significance / sides)) * deviation(design, against)
    return max(1, math.ceil(((critical + float(ndtri(power)) * deviation(design, prevalence)) / gap) ** 2))


def _refuse_other_sides(significance: float, sides: int) -> None:
    refuse_certainty(significance, "significance")
    if whole(sides, "sides", high=BOTH) and significance >= sides / 2:
        raise InvalidParameter(f"significance must be below {sides / 2}, got {shown(significance)}")


def _share(value: float, name: str) -> float:
    return float(exact_within(value, name, low=0, high=1))
