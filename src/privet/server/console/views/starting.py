"""cards_of: questions to begin with, made from the catalog alone, each with its price."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from markupsafe import Markup

from privet.errors import PrivetError
from privet.loss import ConcentratedGuarantee
from privet.server.console.views.amounts import letter_of, number_words
from privet.server.console.views.question_form import USUAL, usual_delta
from privet.wording.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from privet.query.catalog import Catalog
    from privet.query.results.explanation import Explanation
    from privet.server.console.texts import Texts
    from privet.server.desk import Asker, Desk

MOST = 3
PLAIN = "abcdefghijklmnopqrstuvwxyz_0123456789"


@dataclass(frozen=True)
class Card:
    """A question to begin with."""

    title: Markup
    sql: str
    foot: str


def cards_of(t: "Texts", desk: "Desk", asker: "Asker") -> list[Card]:
    """At most three: a count, a count by groups, an average. Nothing is read or spent."""
    found = []
    for title, sql in _questions(t, desk.catalog):
        foot = _foot(t, desk, asker, sql)
        if foot is not None:
            found.append(Card(title, sql, foot))
        if len(found) == MOST:
            break
    return found


def _questions(t: "Texts", catalog: "Catalog") -> "Iterator[tuple[Markup, str]]":
    private = [table for table in catalog.tables.values() if not table.public]
    for table in private[:1]:
        yield t("start.count", table=printable(table.name)), f"SELECT COUNT(*) AS n FROM {_name(table.name)}"  # noqa: S608 - it is shown, and read as any question
    for table in private:
        for name, facts in table.columns.items():
            if facts.values is not None and name != table.unit_column:
                sql = f"SELECT {_name(name)}, COUNT(*) AS n FROM {_name(table.name)} GROUP BY {_name(name)}"  # noqa: S608 - likewise
                yield t("start.groups", column=printable(name)), sql
                break
    for table in private:
        for name, facts in table.columns.items():
            if facts.bounded and facts.type.numeric and name != table.unit_column:
                sql = f"SELECT AVG({_name(name)}) AS mean FROM {_name(table.name)}"  # noqa: S608 - likewise
                yield t("start.mean", column=printable(name)), sql
                break


def _name(name: str) -> str:
    return (
        name
        if name and all(each in PLAIN for each in name) and not name[0].isdigit()
        else '"' + name.replace('"', '""') + '"'
    )


def _foot(t: "Texts", desk: "Desk", asker: "Asker", sql: str) -> str | None:
    """The price of a question and its margin; None if it cannot be asked."""
    catalog = desk.catalog
    said: dict[str, Any] = {}
    if catalog.budget is None:
        said = {"rho": Fraction(1, 100)} if isinstance(catalog.limit, ConcentratedGuarantee) else {"epsilon": USUAL}
    try:
        told = cast("Explanation", desk.explain(asker, sql, **said))
    except PrivetError:
        try:
            told = cast(
                "Explanation", desk.explain(asker, sql, **said, delta=usual_delta(catalog.limit, catalog.budget))
            )
        except PrivetError:
            return None
    letter, amount = letter_of(told.price), number_words(told.price.parts[0], up=True)
    margin = next((each.margin for each in told.columns if each.noise is not None), "")
    if not margin:
        return t.plain("start.card_plain", letter=letter, amount=amount)
    return t.plain("start.card", margin=margin, letter=letter, amount=amount)
