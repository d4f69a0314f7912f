"""Answer: a table that may be shown to anybody, with its margins and what it cost."""

import base64
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from rich import box
from rich.console import Console
from rich.table import Table

from privet.core import Unit
from privet.display import Card, Column
from privet.errors import InvalidParameter
from privet.loss import Amount, PrivacyLoss
from privet.query.results.at_bounds import bound_words
from privet.query.results.found_limits import FoundLimit, limits_of_facts
from privet.query.results.limit_words import clipped_words
from privet.query.results.on_lines import on_lines
from privet.query.results.reported_shares import Share, share_words
from privet.wording.printable import plain
from privet.wording.shown_value import shown_margin, shown_value

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from privet.display import Chart

SHOWN = 30  # rows printed
SAMPLED = "from the noise and from sampling: for the population, of which each {} here is one drawn by itself"
UNCLEAR = "? too few rows to say: the margin is as large as the number, or nearly all that the bounds allow"


@dataclass(frozen=True, repr=False)
class Answer:
    """What a statement gave.

    Args:
        table: an Arrow table; after a column x that has an interval come x_low and x_high.
        loss: what the answer reveals, under the unit's neighbors.
        spent: what the ledger charged for it; of one of a batch, what it would have charged for this one alone.
        unit: who is protected.
        purpose: as recorded in the ledger.
        confidence: of each interval alone. It is about the noise: what the limits and bounds cut off is not in it.
        intervals: the columns that have one.
        hidden: which groups were probably not shown, or None if all groups are public.
        notes: what a reader should know about a column, by name.
        bounds: of columns whose bounds were found with part of the budget, by name: what lay beyond was clipped.
        rank_margins: of quantiles, by name: by how many rows their rank is off at most, at this confidence. What that
            is in value depends on the data.
        joint: what was charged for the batch that it is one of; None if it was asked alone.
        clipped: the declared bounds in force, by column: values outside counted as the nearest bound.
        limits: what each unit's data was held to, a sentence each.
        stand_ins: columns that are not what they are called, by name: a maximum that is the "99 % quantile".
        clipping: with clipping="report", shares and the ends of their intervals, by what they are of: rows whose value
            was outside its bounds, and units that have more rows or groups than count.
        at_bounds: columns that in some row cannot be told from a bound of what they are of, and that bound.
        simulated: the columns whose interval is from simulated noise: what they are computed from is no weighted sum.
        without_margin: why a number that noise is in has no interval, by name.
        unclear: where a number says next to nothing, by name: the places of the rows, from 0. The interval is nearly
            all that the bounds allow, or as wide as twice the number, or has no end.
        advice: what would err less, where limits or bounds probably err more than the noise; see `explain`.
        interval: what the intervals are for: the "data" at hand, or the "population" that its units are a sample of.
        found_limits: how much of each unit counted, where that was found with part of the budget.

    Privacy: an answer may be printed, stored, sent and computed with; nothing done to it costs more.
    """

    table: pa.Table
    loss: PrivacyLoss
    spent: Amount
    unit: Unit
    purpose: str
    confidence: float = 0.95
    intervals: tuple[str, ...] = ()
    hidden: str | None = None
    notes: dict[str, str] = field(default_factory=dict)
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    rank_margins: dict[str, float] = field(default_factory=dict)
    joint: Amount | None = None
    clipped: dict[str, tuple[str, str]] = field(default_factory=dict)
    limits: tuple[str, ...] = ()
    stand_ins: dict[str, str] = field(default_factory=dict)
    clipping: dict[str, Share] = field(default_factory=dict)
    at_bounds: dict[str, str] = field(default_factory=dict)
    simulated: tuple[str, ...] = ()
    without_margin: dict[str, str] = field(default_factory=dict)
    unclear: dict[str, tuple[int, ...]] = field(default_factory=dict)
    interval: str = "data"
    advice: tuple[str, ...] = ()
    found_limits: tuple[FoundLimit, ...] = ()

    def to_pandas(self) -> "pd.DataFrame":
        """The table as a pandas frame; needs pandas."""
        try:
            return self.table.to_pandas()
        except ModuleNotFoundError as problem:
            raise InvalidParameter("to_pandas needs pandas: pip install pandas, or use .table") from problem

    def to_polars(self) -> "pl.DataFrame":
        """The table as a polars frame; needs polars."""
        try:
            import polars as pl  # noqa: PLC0415 - only if somebody asks for it
        except ModuleNotFoundError as problem:
            raise InvalidParameter("to_polars needs polars: pip install polars, or use .table") from problem
        frame = pl.from_arrow(self.table)
        return frame if isinstance(frame, pl.DataFrame) else frame.to_frame()

    def plot(self, y: str | None = None) -> "Chart":
        """A chart with intervals: lines over days and numbers, bars over names; needs `pip install 'privet[charts]'`.

        Args:
            y: the one column to draw; by default a panel for each that was measured.
        """
        from privet.query.results.answer_chart import answer_chart  # noqa: PLC0415 - for those who draw

        return answer_chart(self.table, intervals=self.intervals, measures=self.measured, y=y)

    @property
    def measured(self) -> tuple[str, ...]:
        """The columns that were measured: those with an interval, a rank margin or a note; others are keys."""
        said = {*self.intervals, *self.rank_margins, *self.notes}
        return tuple(name for name in self.table.column_names if name in said)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for any library that speaks Arrow: `pl.DataFrame(answer)`, `pa.table(answer)`, "FROM answer"."""
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        found: list[dict[str, Any]] = self.table.to_pylist()
        return found

    def to_json(self) -> str:
        """Everything, as `from_json` reads it."""
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, self.table.schema) as stream:
            stream.write_table(self.table)
        return json.dumps(
            {
                "table": base64.b64encode(sink.getvalue()).decode(),
                "loss": json.loads(self.loss.to_json()),
                "spent": amount_facts(self.spent),
                "unit": {"name": self.unit.name, "neighbors": self.unit.neighbors.name.lower()},
                "purpose": self.purpose,
                "confidence": self.confidence,
                "intervals": self.intervals,
                "hidden": self.hidden,
                "notes": self.notes,
                "bounds": self.bounds,
                "joint": None if self.joint is None else amount_facts(self.joint),
                "rank_margins": self.rank_margins,
                "clipped": self.clipped,
                "limits": self.limits,
                "stand_ins": self.stand_ins,
                "clipping": self.clipping,
                "at_bounds": self.at_bounds,
                "simulated": self.simulated,
                "without_margin": self.without_margin,
                "unclear": self.unclear,
                "interval": self.interval,
                "advice": self.advice,
                "found_limits": [each.facts for each in self.found_limits],
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> "Answer":
        """The answer that `to_json` wrote."""
        facts = json.loads(text)
        return cls(
            pa.ipc.open_stream(base64.b64decode(facts["table"])).read_all(),
            PrivacyLoss.from_json(json.dumps(facts["loss"])),
            amount_of(facts["spent"]),
            Unit(**facts["unit"]),
            facts["purpose"],
            facts["confidence"],
            tuple(facts["intervals"]),
            facts["hidden"],
            facts["notes"],
            {name: (low, high) for name, (low, high) in facts.get("bounds", {}).items()},
            facts.get("rank_margins", {}),
            None if facts.get("joint") is None else amount_of(facts["joint"]),
            {name: (low, high) for name, (low, high) in facts.get("clipped", {}).items()},
            tuple(facts.get("limits", ())),
            facts.get("stand_ins", {}),
            clipping={name: (share, low, high) for name, (share, low, high) in facts.get("clipping", {}).items()},
            at_bounds=facts.get("at_bounds", {}),
            simulated=tuple(facts.get("simulated", ())),
            without_margin=facts.get("without_margin", {}),
            unclear={name: tuple(places) for name, places in facts.get("unclear", {}).items()},
            interval=facts.get("interval", "data"),
            advice=tuple(facts.get("advice", ())),
            found_limits=limits_of_facts(facts.get("found_limits", ())),
        )

    def __repr__(self) -> str:
        return on_lines(self)

    def __rich_console__(self, console: Console, options: object) -> Any:  # noqa: ANN401 - rich's own types
        """A table with margins, and the receipt."""
        columns = self._shown()
        table = Table(box=box.SIMPLE_HEAD)
        for column in columns:
            table.add_column(plain(column.name), justify="right" if column.right else "left")
        for cells in zip(*(column.cells for column in columns), strict=True):
            table.add_row(*map(plain, cells))
        yield table
        yield from map(plain, self._words())

    def _repr_html_(self) -> str:
        """What a notebook shows: the same table with whiskers, and the same words."""
        return Card(columns=self._shown(), lines=tuple(self._words())).html()

    def _shown(self) -> list[Column]:
        """The columns as people see them: the first rows, each number with its margin."""
        ends = {f"{name}{end}" for name in self.intervals for end in ("_low", "_high")}
        rows = self.table.slice(0, SHOWN).to_pylist()
        columns = []
        for name in self.table.column_names:
            if name in ends:
                continue
            kind = self.table.schema.field(name).type
            right = pa.types.is_integer(kind) or pa.types.is_floating(kind)
            heading = f"{name} ({self.stand_ins[name]})" if name in self.stand_ins else name
            cells = [self._cell(row, name, place) for place, row in enumerate(rows)]
            spans = [span_of(row, name) for row in rows] if name in self.intervals and right else []
            columns.append(Column(heading, cells, right=right, spans=spans))
        return columns

    def _words(self) -> Iterator[str]:
        """What is said below the table."""
        if (left := self.table.num_rows - SHOWN) > 0:
            yield f"… {left:,} more rows"
        yield from self._about_margins()
        if bounds := clipped_words(f"{name} [{low}, {high}]" for name, (low, high) in self.clipped.items()):
            yield bounds
        for name, ends in self.at_bounds.items():
            yield bound_words(name, ends)
        yield from self.limits
        for name, share in self.clipping.items():
            yield share_words(name, share)
        yield from self.advice
        if self.hidden:
            yield self.hidden
        for name in self.bounds:
            yield f"{name}: {self.notes.get(name, '')}"
        if self.joint is None:
            yield f"spent {self.spent} per {self.unit.name} on {self.purpose!r}"
        else:
            yield (f"one of a batch that spent {self.joint} per {self.unit.name}; alone it would cost {self.spent}")

    def _about_margins(self) -> Iterator[str]:
        """What the margins are, and why some numbers have none."""
        if self.intervals:
            about = SAMPLED.format(self.unit.name) if self.interval == "population" else "from the noise only"
            yield f"± at {100 * self.confidence:g} % for each number alone, {about}"
        if self.unclear:
            yield UNCLEAR
        if shown := [f"{name} ± {shown_margin(rows)} rows" for name, rows in self.rank_margins.items()]:
            yield f"quantiles are off in rank, in each group at {100 * self.confidence:g} %: {', '.join(shown)}"
        for name, what in self.stand_ins.items():
            if name not in self.table.column_names:
                yield f"{name} is answered by the {what}"
        for name, why in self.without_margin.items():
            if name not in self.rank_margins:
                yield f"{name} has no ±: {why}"

    def _cell(self, row: dict[str, Any], name: str, place: int) -> str:
        if name not in self.intervals:
            return shown_value(row[name])
        mark = " ?" if place in self.unclear.get(name, ()) else ""
        return shown_value(row[name], low=row[f"{name}_low"], high=row[f"{name}_high"]) + mark


def span_of(row: Mapping[str, Any], name: str) -> tuple[float, float, float] | None:
    """Low end, value and high end of a number in a row, or None if one of them is missing."""
    low, value, high = row[f"{name}_low"], row[name], row[f"{name}_high"]
    return None if low is None or value is None or high is None else (float(low), float(value), float(high))


def amount_facts(amount: Amount) -> dict[str, Any]:
    """An amount as JSON."""
    return {"parts": [str(part) for part in amount.parts], "units": amount.units}


def amount_of(facts: Mapping[str, Any]) -> Amount:
    """The amount that `amount_facts` wrote."""
    parts = [Fraction(part) if part != "inf" else float("inf") for part in facts["parts"]]
    return Amount(*parts, units=tuple(facts["units"]))
