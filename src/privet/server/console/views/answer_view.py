"""answer_view: an answer as a page shows it: numbers with their margins, whiskers, charts, notes and the receipt."""

import math
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from markupsafe import Markup

from privet.query.results.answer import Answer, span_of
from privet.server.console.charts.answer_chart import Series, answer_charts, overlapping
from privet.server.console.charts.marks import whisker
from privet.server.console.views.amounts import amount_words
from privet.server.console.views.times import time_words
from privet.wording.printable import printable
from privet.wording.shown_value import shown_margin, shown_value

if TYPE_CHECKING:
    from privet.server.console.texts import Texts
    from privet.server.desk import Asked

SHOWN = 200  # rows of a table
TITLE = 120  # letters
MARGIN = " ± "


@dataclass(frozen=True)
class Cell:
    """A value and, where it has one, its margin; the two are never apart."""

    value: str
    margin: str = ""
    right: bool = False
    unclear: bool = False
    whiskers: bool = False
    whisker: Markup | None = None


@dataclass(frozen=True)
class Heading:
    """The head of a column."""

    heading: str
    right: bool
    whiskers: bool


@dataclass(frozen=True)
class AnswerView:
    """All that a page says of an answer."""

    number: str
    title: str
    sub: Markup
    columns: list[Heading]
    rows: list[list[Cell]]
    more: Markup | None
    charts: Markup
    overlap: Markup | None
    confidence: str
    notes: list[str | Markup]
    spent: str
    at: str
    left: str
    purpose: str
    sql: str
    repeated: bool


def answer_view(t: "Texts", asked: "Asked", *, left: str = "") -> AnswerView:
    """What a page says of an answer.

    Args:
        t: the texts.
        asked: the answer, with how it was asked.
        left: what is left of the asker's budget now; "" if it is not said.
    """
    answer = asked.answer
    count = answer.table.num_rows
    confidence = f"{100 * answer.confidence:g}"
    columns = _columns(answer)
    shown = answer.table.slice(0, SHOWN).to_pylist()
    series = _series(answer, shown)
    met = [each for each in series if len(each.drawn) > 2 and overlapping(each)]  # noqa: PLR2004 - a pair is no pattern
    return AnswerView(
        number=asked.number,
        title=title_of(asked.purpose, asked.text),
        sub=t(
            "answer.sub",
            rows=t("answer.one_row") if count == 1 else t("answer.rows", count=f"{count:,}"),
            share=confidence,
        ),
        columns=[
            Heading(_heading(answer, name), right=_right(answer, name), whiskers=name in answer.intervals)
            for name in columns
        ],
        rows=_rows(t, answer, columns, shown),
        more=t("answer.more", count=f"{count - SHOWN:,}") if count > SHOWN else None,
        charts=answer_charts(series, title=t.plain("answer.chart")),
        overlap=t("answer.overlap_why", columns=", ".join(each.name for each in met)) if met else None,
        confidence=confidence,
        notes=answer_notes(t, answer),
        spent=amount_words(answer.spent, up=True),
        at=time_words(asked.at),
        left=left,
        purpose=printable(asked.purpose),
        sql=asked.text,
        repeated=asked.repeated,
    )


def title_of(purpose: str, text: str) -> str:
    """What an answer is called: its purpose, or the statement on one line."""
    words = printable(" ".join((purpose or text).split()))
    return words if len(words) <= TITLE else words[: TITLE - 1] + "…"


def answer_notes(t: "Texts", answer: Answer) -> list[str | Markup]:
    """What a reader should know, a sentence each."""
    share = f"{100 * answer.confidence:g}"
    found: list[str | Markup] = []
    if answer.intervals:
        found.append(t("answer.population" if answer.interval == "population" else "answer.each_alone", share=share))
    found += [t("answer.clipped", column=name, low=low, high=high) for name, (low, high) in answer.clipped.items()]
    found += [
        t("answer.rank", column=name, rows=shown_margin(rows), share=share)
        for name, rows in answer.rank_margins.items()
    ]
    found += [
        t("answer.no_margin", column=name, why=why)
        for name, why in answer.without_margin.items()
        if name not in answer.rank_margins
    ]
    found += [t("answer.stand_in", column=name, what=what) for name, what in answer.stand_ins.items()]
    found += [f"{name}: {note}" for name, note in answer.notes.items()]
    found += [*answer.limits, *answer.advice]
    if answer.hidden:
        found += answer.hidden.split("\n")
    return [each if isinstance(each, Markup) else printable(each) for each in found]


def _columns(answer: Answer) -> list[str]:
    ends = {f"{name}{end}" for name in answer.intervals for end in ("_low", "_high")}
    return [name for name in answer.table.column_names if name not in ends]


def _heading(answer: Answer, name: str) -> str:
    words = f"{name} ({answer.stand_ins[name]})" if name in answer.stand_ins else name
    return printable(words)


def _right(answer: Answer, name: str) -> bool:
    kind = answer.table.schema.field(name).type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _rows(t: "Texts", answer: Answer, columns: list[str], shown: list[dict[str, Any]]) -> list[list[Cell]]:
    scales = {name: _scale([span_of(row, name) for row in shown]) for name in answer.intervals}
    found = []
    for place, row in enumerate(shown):
        cells = []
        for name in columns:
            right = _right(answer, name)
            if name not in answer.intervals:
                cells.append(Cell(value_words(row[name]), right=right))
                continue
            text = shown_value(row[name], low=row[f"{name}_low"], high=row[f"{name}_high"])
            value, _, margin = text.partition(MARGIN)
            span = span_of(row, name)
            picture: Markup | None = None
            if span is not None and all(map(math.isfinite, span)) and (scale := scales[name]) is not None:
                words = t.plain(
                    "answer.whisker", low=value_words(row[f"{name}_low"]), high=value_words(row[f"{name}_high"])
                )
                picture = whisker(span, least=scale[0], most=scale[1], words=words)
            unclear = place in answer.unclear.get(name, ())
            cells.append(Cell(value, margin, right, unclear, whiskers=True, whisker=picture))
        found.append(cells)
    return found


def value_words(value: object) -> str:
    """A released value on one line, with nothing in it that could move a cursor."""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    return printable(shown_value(value))


def _scale(spans: list[tuple[float, float, float] | None]) -> tuple[float, float] | None:
    """The scale that the whiskers of a column share: from 0 unless all is far from it."""
    ends = [end for span in spans if span is not None for end in span if math.isfinite(end)]
    if not ends:
        return None
    low, high = min(ends), max(ends)
    return (0.0, high) if 0 <= low < 0.6 * high else (low, high)


def _series(answer: Answer, shown: list[dict[str, Any]]) -> list[Series]:
    keys = [name for name in _columns(answer) if name not in answer.measured]
    if not shown or not answer.intervals or (not keys and len(answer.intervals) > 1):
        return []
    labels = [" · ".join(value_words(row[name]) for name in keys) for row in shown] if keys else [""] * len(shown)
    found = []
    for name in answer.intervals:
        if not _right(answer, name):
            continue
        spans = [span_of(row, name) for row in shown]
        finite = [None if span is None or not all(abs(end) < 1e300 for end in span) else span for span in spans]  # noqa: PLR2004 - no end
        counted = bool(pa.types.is_integer(answer.table.schema.field(name).type))
        found.append(Series(printable(name), labels, finite, counted))
    return found if len(shown) > 1 else []
