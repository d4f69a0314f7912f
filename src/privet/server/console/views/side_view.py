"""side_view: the asker's budget, history and requests, as the side of the workbench shows them."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from markupsafe import Markup

from privet.loss import Guarantee
from privet.server.console.charts.marks import gauge
from privet.server.console.views.amounts import (
    delta_of,
    delta_words,
    first_of,
    letter_of,
    limit_of,
    number_words,
)
from privet.server.console.views.answer_view import title_of
from privet.server.console.views.times import short_words, time_words
from privet.wording.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from privet.server.console.texts import Texts
    from privet.server.desk import AskedSummary, BudgetFacts
    from privet.server.desk.requests import Request

STATES = {
    "waiting": "waiting.state_waiting",
    "approved": "waiting.state_approved",
    "declined": "waiting.state_declined",
}
SHORT = 34


@dataclass(frozen=True)
class BudgetView:
    """What is left for the asker: the smaller of their cap and the dataset's."""

    letter: str
    left: str
    limit: str
    gauge: Markup
    delta: Markup | None
    each: Markup | None
    words: Markup


@dataclass(frozen=True)
class HistoryLine:
    """A question of the asker."""

    number: str
    title: str
    at: str
    amount: str
    sql: str
    short: str
    day: str
    first: str


@dataclass(frozen=True)
class RequestLine:
    """A question that the asker wants approved."""

    number: str
    title: str
    state: Markup
    amount: str


def budget_view(t: "Texts", budget: "BudgetFacts") -> BudgetView:
    """What is said of a budget."""
    letter = letter_of(budget.remaining)
    limit = limit_of(budget.limit, budget.spent, budget.remaining)
    left = first_of(budget.remaining)
    spent = max(limit - left, Fraction(0))
    limited = budget.limit if "delta" in budget.remaining.units else None
    delta = limited.delta if isinstance(limited, Guarantee) else Fraction(0)
    largest = budget.largest_epsilon
    words = t.plain(
        "budget.gauge", letter=letter, spent=number_words(spent, up=True), limit=number_words(limit, up=False)
    )
    left_words, limit_words = number_words(left, up=False), number_words(limit, up=False)
    return BudgetView(
        letter=letter,
        left=left_words,
        limit=limit_words,
        gauge=gauge("g-own", cap=float(limit), spent=float(spent), words=words),
        delta=t("budget.delta", left=delta_words(delta_of(budget.remaining), up=False), limit=delta_words(delta))
        if delta
        else None,
        each=None if largest is None else t("budget.each", largest=number_words(largest, up=False)),
        words=t("answer.left_of", left=f"{letter} {left_words}", limit=limit_words),
    )


def history_lines(asked: "Iterable[AskedSummary]") -> list[HistoryLine]:
    """What is said of questions; one without an answer has nothing to open."""
    return [
        HistoryLine(
            each.number if each.state == "answered" else "",
            title_of(each.purpose, each.text),
            time_words(each.at),
            spent_words(each.spent),
            each.text,
            shortened(each.text),
            short_words(each.at),
            spent_words(each.spent).partition(" · ")[0],
        )
        for each in asked
    ]


def spent_words(spent: str | None) -> str:
    r"""What an answer cost, as its summary says it: ε=0.3, δ=0 becomes ε 0.3.

    Example:
        >>> spent_words("ε=0.3, δ=0"), spent_words(None)
        ('ε\xa00.3', '–')
    """
    if spent is None:
        return "–"
    parts = [each.partition("=") for each in spent.split(", ")]
    return " · ".join(f"{letter}\N{NO-BREAK SPACE}{number}" for letter, _, number in parts if number != "0") or "0"


def shortened(text: str) -> str:
    """The beginning of a statement, on one line."""
    words = printable(" ".join(text.split()))
    return words if len(words) <= SHORT else words[: SHORT - 1] + "…"


def request_lines(t: "Texts", requests: "Iterable[Request]") -> list[RequestLine]:
    """The requests that wait, or were decided and not yet used."""
    return [
        RequestLine(
            each.number,
            title_of(each.purpose or "", each.text),
            t(STATES[each.state]),
            spent_words(each.price).partition(" · ")[0],
        )
        for each in requests
        if each.state in STATES
    ][:5]
