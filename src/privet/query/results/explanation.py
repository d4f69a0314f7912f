"""Explanation: what a statement would cost and how good its answer would be, before anything is spent or read."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from privet.core import Unit
from privet.display import Card
from privet.loss import Amount, PrivacyLoss, Promise
from privet.mechanisms.chosen_way import ChosenWay
from privet.query.results.answer_columns import AnswerColumn
from privet.query.results.column_plans import ColumnPlan
from privet.query.results.limit_words import clipped_words
from privet.query.results.on_lines import on_lines
from privet.query.results.price_words import meaning_of, price_words
from privet.wording.printable import plain
from privet.wording.shown_value import roughly

UNKNOWN = "comes with the answer"
FREE = "this costs nothing: only public and released tables are read"


@dataclass(frozen=True, repr=False)
class Explanation:
    """Price and margins of a statement, in plain words; `details` has mechanisms and scales.

    Args:
        statement: its text.
        price: what the ledger would charge.
        remaining: what may still be charged.
        promise: what was asked to be kept.
        loss: of the whole.
        unit: who is protected.
        columns: how each is released.
        groups: which groups are shown.
        contributions: what each unit's data is held to.
        confidence: of the margins.
        queries: the engine's SQL, for the owner.
        clipped: the bounds in force, by column: values outside count as the nearest bound.
        bounding: how rows beyond the limits are treated, and why.
        choices: between ways of doing it, with the errors that were compared.
        advice: what would err less, where limits or bounds probably err more than the noise.
        answer: the columns that the answer will have.
    """

    statement: str
    price: Amount
    remaining: Amount
    promise: Promise
    loss: PrivacyLoss
    unit: Unit
    columns: tuple[ColumnPlan, ...]
    groups: tuple[str, ...]
    contributions: tuple[str, ...]
    confidence: float
    queries: tuple[str, ...] = ()
    clipped: dict[str, tuple[str, str]] = field(default_factory=dict)
    bounding: tuple[str, ...] = ()
    choices: tuple[ChosenWay, ...] = ()
    advice: tuple[str, ...] = ()
    answer: tuple[AnswerColumn, ...] = ()

    @property
    def affordable(self) -> bool:
        """Whether what remains covers the price."""
        return self.price.fits(self.remaining)

    @property
    def meaning(self) -> str:
        """What the loss means for one unit, in a sentence."""
        return meaning_of(self.loss, promise=self.promise, unit=self.unit)

    @property
    def details(self) -> "Details":
        """The same with mechanisms, sensitivities, scales, and how rows beyond the limits are treated."""
        more = (f"neighbors: {self.unit.neighbors.value}",) if self.loss.parts else ()
        return Details((*self.opening, *more), (("", self),))

    @property
    def opening(self) -> tuple[str, ...]:
        """The price and what it means, a sentence each; nothing if it is free."""
        if not self.loss.parts:
            return ()
        return price_words(self.price, self.remaining, unit=self.unit), self.meaning

    @property
    def rules(self) -> tuple[str, ...]:
        """What is clipped, what is left of each unit's data, which groups are shown, what was chosen, in sentences."""
        bounds = clipped_words(f"{name} [{low}, {high}]" for name, (low, high) in self.clipped.items())
        chosen = (each.words for each in self.choices)
        return tuple(line for line in (*self.advice, bounds, *self.contributions, *self.groups, *chosen) if line)

    @property
    def shown(self) -> dict[str, list[str]]:
        """The table of the columns, by heading: the margins, and what is cut off where that is foreseen."""
        plans = self.columns
        table = {
            "column": [each.name for each in plans],
            f"expected ± at {100 * self.confidence:g} %": [each.margin or UNKNOWN for each in plans],
        }
        if any(each.cut is not None for each in plans):
            table["limits and bounds cut off"] = [each.cut_words for each in plans]
            table["in all"] = ["" if each.total is None else roughly(each.total) for each in plans]
            table["mostly by"] = [each.mostly for each in plans]
        if any(each.remark for each in plans):
            table["remark"] = [each.remark for each in plans]
        return table

    def to_dict(self) -> dict[str, Any]:
        """All of it for programs, as JSON can hold it."""
        from privet.query.results.explanation_facts import explanation_facts  # noqa: PLC0415 - for programs

        return explanation_facts(self)

    def __repr__(self) -> str:
        return on_lines(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from privet.query.results.explanation_card import explanation_card  # noqa: PLC0415 - for notebooks

        return (explanation_card(self) if self.loss.parts else Card(lines=(FREE,))).html()

    def __rich_console__(self, console: Console, options: object) -> Any:  # noqa: ANN401 - rich's own types
        """The price and what it means, then a row for each column, then the rules."""
        if not self.loss.parts:
            yield FREE
            return
        yield from map(plain, self.opening)
        yield from self.body()

    def body(self) -> Iterator[object]:
        """All but the price."""
        table = Table(box=box.SIMPLE_HEAD)
        for name in self.shown:
            table.add_column(name, overflow="fold")
        for cells in zip(*self.shown.values(), strict=True):
            table.add_row(*map(plain, cells))
        yield table
        yield from map(plain, self.rules)


@dataclass(frozen=True, repr=False)
class Details:
    """Explanations with all that is behind them, for those who check them.

    Args:
        opening: the price and what it means.
        parts: what each is about, "" if there is one alone, and its explanation.
    """

    opening: tuple[str, ...]
    parts: tuple[tuple[str, Explanation], ...]

    def __repr__(self) -> str:
        return on_lines(self)

    def __rich_console__(self, console: Console, options: object) -> Any:  # noqa: ANN401 - rich's own types
        """A mechanism and a note for each column, then the rules."""
        yield from map(plain, self.opening)
        for name, about in self.parts:
            if name:
                yield plain(name)
            if not about.loss.parts:
                yield FREE
                continue
            table = Table(box=box.SIMPLE_HEAD)
            for heading in ("column", f"± at {100 * about.confidence:g} %", "mechanism", "note"):
                table.add_column(heading, overflow="fold")
            for each in about.columns:
                table.add_row(*map(plain, (each.name, each.margin or UNKNOWN, each.mechanism, each.note)))
            yield table
            yield from map(plain, (*about.rules, *about.bounding))
