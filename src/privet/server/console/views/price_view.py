"""price_view: what a question would cost, how good its answer would be, and ways out if it is too dear."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from privet.loss import ConcentratedGuarantee, Guarantee, Promise
from privet.loss.exact import shortest
from privet.server.console.charts.marks import gauge
from privet.server.console.views.amounts import (
    GAP,
    amount_words,
    delta_of,
    delta_words,
    first_of,
    letter_of,
    limit_of,
    number_words,
)
from privet.server.console.views.question_form import nearest_stop, stops
from privet.wording.printable import printable
from privet.wording.shown_value import shown_margin

if TYPE_CHECKING:
    from privet.query.results.explanation import Explanation
    from privet.server.console.texts import Texts
    from privet.server.desk import BudgetFacts


@dataclass(frozen=True)
class Fix:
    """A way out, with a button."""

    words: Markup
    amount: str
    button: str


@dataclass(frozen=True)
class Over:
    """It costs more than is left."""

    title: Markup
    fixes: list[Fix]


@dataclass(frozen=True)
class MarginView:
    """The margin that a column will have."""

    name: str
    margin: str
    rest: str


@dataclass(frozen=True)
class PriceView:
    """All that the strip under the editor says."""

    free: bool
    letter: str
    amount: str
    typed: str
    delta: str
    wanted: str
    column: str
    slider: int
    stops: int
    confidence: str
    columns: list[MarginView]
    left: Markup | str
    limit: str
    spent: str
    gauge: Markup
    notes: list[str]
    over: Over | None
    approval: Markup | None
    cost: str
    keywords: dict[str, Any] = field(default_factory=dict)


def price_view(
    t: "Texts", told: "Explanation", budget: "BudgetFacts", *, room: Fraction, keywords: dict[str, Any]
) -> PriceView:
    """What the strip says.

    Args:
        t: the texts.
        told: the explanation of the question.
        budget: of who asks.
        room: the largest price that the slider has.
        keywords: by which it will be asked.
    """
    letter = letter_of(told.price)
    cost, left = first_of(told.price), first_of(budget.remaining)
    limit = limit_of(budget.limit, budget.spent, budget.remaining)
    asked = asked_of(told.promise)
    among = stops(room)
    fits = told.price.fits(budget.remaining)
    margins = [_margin(each) for each in told.columns]
    first = next((each for each in told.columns if each.noise is not None and each.noise > 0), None)
    amount = number_words(told.price.parts[0], up=True)
    spent = number_words(first_of(budget.spent), up=True)
    after: Markup | str = f"{letter}{GAP}{number_words(max(left - cost, Fraction(0)), up=False)}"
    if not fits and cost > left:
        after = t("price.short", letter=letter, amount=number_words(cost - left, up=True))
    words = t.plain("price.gauge", letter=letter, spent=spent, limit=number_words(limit, up=False), ask=amount)
    picture = gauge(
        "g-price", cap=float(limit), spent=float(max(limit - left, Fraction(0))), ask=float(cost), words=words
    )
    return PriceView(
        free=not told.loss.parts,
        letter=letter,
        amount=amount,
        typed=shortest(asked),
        delta=delta_words(delta) if (delta := delta_of(told.price)) else "",
        wanted=shown_margin(first.noise).replace(",", "") if first is not None and first.noise is not None else "",
        column=first.name if first is not None else "",
        slider=nearest_stop(among, asked) if asked else 0,
        stops=len(among) - 1,
        confidence=f"{100 * told.confidence:g}",
        columns=margins,
        left=after,
        limit=f"{letter}{GAP}{number_words(limit, up=False)}",
        spent=number_words(max(limit - left, Fraction(0)), up=True),
        gauge=picture,
        notes=[printable(each) for each in told.rules],
        over=None if fits or not told.loss.parts else _over(t, told, budget),
        approval=_approval(t, budget, told),
        cost=str(told.price),
        keywords=keywords,
    )


def asked_of(promise: Promise) -> Fraction:
    """The ε or ρ that was asked for, or found."""
    return promise.rho if isinstance(promise, ConcentratedGuarantee) else promise.epsilon


def _margin(plan: Any) -> MarginView:  # noqa: ANN401 - a ColumnPlan, whose room imports nothing of ours
    margin, _, rest = plan.margin.partition(" ")
    words = "; ".join(each for each in (rest, plan.remark) if each)
    return MarginView(printable(plan.name), printable(margin), printable(words))


def _over(t: "Texts", told: "Explanation", budget: "BudgetFacts") -> Over:
    left = first_of(budget.remaining)
    title = t("price.over", price=amount_words(told.price, up=True), left=amount_words(budget.remaining, up=False))
    if told.price.units and told.price.units[0] not in ("epsilon", "rho"):
        return Over(title, [])
    if not left:
        return Over(title, [Fix(t("price.nothing_left"), "", "")])
    if first_of(told.price) <= left:
        return Over(title, [Fix(t("price.no_delta"), "", "")])
    letter = letter_of(told.price)
    fixes = []
    for word, part in (("use_half", left / 2), ("use_all", left)):
        amount = number_words(part, up=False)
        fixes.append(
            Fix(
                t(f"price.{word}", letter=letter, amount=amount),
                amount,
                t.plain("price.use", letter=letter, amount=amount),
            )
        )
    return Over(title, fixes)


def _approval(t: "Texts", budget: "BudgetFacts", told: "Explanation") -> Markup | None:
    """What is said where the owner has to look first; None where not."""
    if not told.loss.parts:
        return None
    if budget.needs_approval:
        return t("price.approval_always")
    if budget.largest_epsilon is None:
        return None
    known = isinstance(told.promise, Guarantee) and letter_of(told.price) == "ε"
    if known and first_of(told.price) <= budget.largest_epsilon:
        return None
    return t("price.approval", largest=number_words(budget.largest_epsilon, up=False))
