"""QuestionForm: what the form of a question said, and which of its three views of one number was moved."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, Promise
from privet.server.console.texts import Texts
from privet.server.console.views.amounts import typed_number

STEPS = (1, "1.2", "1.5", 2, "2.5", 3, 4, 5, 6, 8)  # of the slider, in each power of ten
LEAST = -3  # the power of ten it begins at
PLACES = 6  # digits of a place of the slider
USUAL = Fraction(1, 10)
SMALLEST_DELTA = Fraction(1, 10**6)
LONGEST = 500  # letters of a purpose


@dataclass(frozen=True)
class QuestionForm:
    """A question as it was typed.

    Args:
        sql: the statement.
        purpose: what it is for.
        key: of this form: who sends it twice pays once.
        amount: the price that was typed.
        wanted: the margin that was typed.
        column: whose margin that is.
        slider: where the slider stands.
        was: all three as the page showed them: what differs was moved.
    """

    sql: str = ""
    purpose: str = ""
    key: str = ""
    amount: str = ""
    wanted: str = ""
    column: str = ""
    slider: str = ""
    was: tuple[str, str, str] = ("", "", "")

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> "QuestionForm":
        """What a form said; files and whatever is no text are left out."""

        def text(name: str) -> str:
            value = said.get(name, "")
            return value if isinstance(value, str) else ""

        taken = text("take")
        was = ("", "", "") if taken else (text("was_amount"), text("was_wanted"), text("was_slider"))
        return cls(
            sql=text("sql").replace("\r\n", "\n"),
            purpose=text("purpose").strip()[:LONGEST],
            key=text("key"),
            amount=taken or text("amount"),
            wanted="" if taken else text("wanted"),
            column=text("column"),
            slider="" if taken else text("slider"),
            was=was,
        )

    @property
    def moved(self) -> str:
        """What was moved: "slider", "wanted" or "amount"."""
        _, wanted, slider = self.was
        if self.slider and slider and self.slider != slider:
            return "slider"
        if self.wanted and self.column and self.wanted != wanted:
            return "wanted"
        return "amount"


def stops(limit: Fraction) -> list[Fraction]:
    """The prices that the slider stops at, up to the limit.

    Example:
        >>> [str(each) for each in stops(Fraction("0.003"))]
        ['1/1000', '3/2500', '3/2000', '1/500', '1/400', '3/1000']
    """
    found: list[Fraction] = []
    power = LEAST
    while True:
        for step in STEPS:
            each = Fraction(step) * Fraction(10) ** power
            if found and (each > limit or len(found) > 100):  # noqa: PLR2004 - beyond all reason
                return found
            found.append(each)
        power += 1


def nearest_stop(among: list[Fraction], amount: Fraction) -> int:
    """The place of the nearest, by ratio."""
    return min(range(len(among)), key=lambda place: max(among[place] / amount, amount / among[place]))


def keywords_of(
    t: Texts, form: QuestionForm, *, limit: Promise, budget: Promise | None, room: Fraction
) -> dict[str, Any]:
    """What is said about the question besides it: an ε (or ρ), or the error that will do.

    Args:
        t: the texts.
        form: what was typed.
        limit: of the dataset, whose kind says what is spent.
        budget: what a question costs that does not say.
        room: the largest price that the slider has.

    Raises:
        InvalidParameter: what was typed is no number above 0.
    """
    word = "rho" if isinstance(limit, ConcentratedGuarantee) else "epsilon"
    if form.moved == "wanted":
        wanted = typed_number(form.wanted)
        if wanted is None:
            raise InvalidParameter(t.plain("price.number", what=t.plain("price.what_wanted")))
        return {"error": {form.column: wanted}}
    if form.moved == "slider":
        among = stops(room)
        known = form.slider.isascii() and form.slider.isdigit() and len(form.slider) < PLACES
        place = int(form.slider) if known else 0
        return {word: among[min(place, len(among) - 1)]}
    if not form.amount.strip():
        usual = budget.epsilon if isinstance(budget, Guarantee) and word == "epsilon" else USUAL
        return {word: min(usual, room) if room > 0 else usual}
    amount = typed_number(form.amount)
    if amount is None:
        raise InvalidParameter(t.plain("price.number", what=t.plain("price.what_price")))
    return {word: amount}


def usual_delta(limit: Promise, budget: Promise | None) -> Fraction | None:
    """The δ of an answer that needs one: as the catalog says, or a tenth of the limit's, at most one in a million."""
    if isinstance(budget, Guarantee) and budget.delta:
        return budget.delta
    delta = limit.delta if isinstance(limit, Guarantee) else SMALLEST_DELTA
    return min(delta / 10, SMALLEST_DELTA) if delta else None
