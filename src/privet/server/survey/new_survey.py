"""new_survey: the collection of one question that people answer on a page."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from privet.errors import InvalidParameter
from privet.local import BinaryResponse
from privet.local.device import Collection
from privet.local.survey import Disguised, ForcedResponse, MirroredQuestion, SurveyDesign, TwoCoins, Warner
from privet.local.weights import WHOLE, declared, favored_weight
from privet.loss.exact import Exact
from privet.wording.nearest import nearest

LANGUAGES = ("en", "de")
QUARTER = Fraction(3, 4)
Make: TypeAlias = Callable[[Fraction | None], SurveyDesign]


def _truth(epsilon: Fraction | None) -> Fraction:
    """How likely an answer is true, at most, at this ε: a little below e^ε / (1 + e^ε), in whole weights."""
    if epsilon is None:
        return QUARTER
    return Fraction(favored_weight(declared(epsilon), favored=1, others=1), WHOLE)


def _forced(epsilon: Fraction | None) -> SurveyDesign:
    return ForcedResponse(2 * _truth(epsilon) - 1)


def _fixed(design: SurveyDesign) -> Make:
    def made(epsilon: Fraction | None) -> SurveyDesign:
        if epsilon is not None:
            raise InvalidParameter("real coins have ε = ln 3 = 1.0986: leave epsilon out, or take the design forced")
        return design

    return made


DESIGNS: Mapping[str, Make] = {
    "two-coins": _fixed(TwoCoins()),
    "forced": _forced,
    "warner": lambda epsilon: Warner(_truth(epsilon)),
    "mirrored": lambda epsilon: MirroredQuestion(_truth(epsilon)),
    "disguised": lambda epsilon: Disguised(_truth(epsilon), 1 - _truth(epsilon)),
    "classroom": _fixed(Warner(QUARTER)),  # two coins: both heads, and the opposite is told
}
PURPOSE = {
    "en": "To learn how many of those who take part would say yes. Nobody's own answer is learnt.",
    "de": "Zu erfahren, wie viele der Teilnehmenden mit Ja antworten würden. Niemandes eigene Antwort wird bekannt.",
}
CONSENT = {
    "en": "I take part. It is voluntary, and I can stop until it is sent.",
    "de": "Ich nehme teil. Das ist freiwillig, und bis zum Absenden kann ich aufhören.",
}
CLASSROOM = {
    "en": "Have you ever copied in an exam?",
    "de": "Haben Sie schon einmal in einer Prüfung abgeschrieben?",
}


def new_survey(  # noqa: PLR0913 - what a survey says, each by name
    question: str,
    *,
    design: str = "two-coins",
    epsilon: Exact | None = None,
    language: str = "en",
    controller: str,
    purpose: str | None = None,
    minimum: int = 10,
    step: int | None = 5,
    retention_days: int = 30,
) -> Collection:
    """The collection of a question.

    Args:
        question: answered with yes or no.
        design: one of `DESIGNS`: "two-coins", "forced", "warner", "mirrored", "disguised", "classroom".
        epsilon: what an answer may cost; real coins have ln 3.
        language: of the page: "en" or "de"; each page has the other, too.
        controller: who asks, and where to reach them.
        purpose: what the result is for.
        minimum: how many answers a result needs.
        step: how many new answers a live result needs; None: no result before the survey is closed.
        retention_days: for how long counts are kept after it is closed.

    Privacy: one answer costs the ε of the design, whoever sees it: `Collection.epsilon`.

    Example:
        >>> made = new_survey("Have you ever copied in an exam?", controller="Class 10b")
        >>> made.survey["question"], round(float(made.epsilon), 4)
        ('Have you ever copied in an exam?', 1.0986)
    """
    if design not in DESIGNS:
        raise InvalidParameter(f"design must be one of {', '.join(DESIGNS)}{nearest(design, DESIGNS)}")
    if language not in LANGUAGES:
        raise InvalidParameter("language must be en or de")
    asked = DESIGNS[design](None if epsilon is None else declared(epsilon))
    answers = BinaryResponse(flip_zero=asked.yes_if_no, flip_one=1 - asked.yes_if_yes)
    return Collection.of(
        answers,
        title=question,
        purpose=PURPOSE[language] if purpose is None else purpose,
        consent=CONSENT[language],
        controller=controller,
        minimum_batch=minimum,
        live_step=step,
        retention_days=retention_days,
        survey={"question": question, "design": design, "language": language, **_draws(asked)},
    )


def classroom(question: str | None = None, *, language: str = "en", controller: str = "This class") -> Collection:
    """The activity of a lesson: two coins, both heads answer the opposite; results for a projector from 10 answers on.

    Example:
        >>> classroom().randomizer.flip_zero
        Fraction(1, 4)
    """
    asked = CLASSROOM.get(language, "") if question is None else question
    return new_survey(asked, design="classroom", language=language, controller=controller)


def _draws(design: SurveyDesign) -> dict[str, Any]:
    """What the page draws from: whole weights, and what is then said."""
    return {"instructions": [{"weight": each.weight, "says": list(each.says)} for each in design.instructions]}
