"""Card: a table, a gauge and a few sentences as HTML, for a notebook, in light and dark."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from privet.wording.printable import printable

# Grays with transparency stand on any background; the text has the color of the page around it.
FRAME = "font:14px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums;max-width:64rem;overflow-x:auto"
LINE, FAINT = "rgba(128,128,128,.45)", "opacity:.75;font-size:13px;margin:2px 0"
DATA, THIS, LEFT, GONE = (
    "#3B8ECB",
    "#D55E00",
    "#2E8B57",
    "#888888",
)  # seen on white and on black, and told apart by everybody
WIDE, HIGH = 84, 12  # of a whisker, in pixels
BAR, TALL = 280, 10  # of a gauge


@dataclass(frozen=True)
class Column:
    """One column of a card's table.

    Args:
        name: its heading.
        cells: as texts, one for each row.
        right: True for numbers, which stand below each other by their last digit.
        spans: of columns with intervals, for each row (low, value, high), or None where there is none: drawn as a dot
            with a whisker, all on one scale.

    Example:
        >>> column = Column("patients", ["41", "7"], right=True)
        >>> len(column.html())
        2
    """

    name: str
    cells: Sequence[str]
    right: bool = False
    spans: Sequence[tuple[float, float, float] | None] = ()

    def html(self) -> list[str]:
        """The cells of this column, each with its whisker."""
        side = f' style="text-align:{"right" if self.right else "left"};padding:2px 8px"'
        drawn = _whiskers(self.spans) if any(self.spans) else [""] * len(self.cells)
        return [f"<td{side}>{safe(cell)}</td>{mark}" for cell, mark in zip(self.cells, drawn, strict=True)]

    def heading(self) -> str:
        """The name above it."""
        side = "right" if self.right else "left"
        below = f"border-bottom:1px solid {LINE}"
        empty = f'<th style="{below}"></th>' if any(self.spans) else ""
        return f'<th style="text-align:{side};padding:2px 8px;white-space:nowrap;{below}">{safe(self.name)}</th>{empty}'


@dataclass(frozen=True)
class Gauge:
    """How much of a limit is used: a bar, and the same in words.

    Args:
        spent: the share that is gone, from 0 to 1.
        asked: the share that the question at hand would take.
        words: what the bar says.

    Example:
        >>> "a quarter is gone" in Gauge(0.25, "a quarter is gone").html()
        True
    """

    spent: float
    words: str
    asked: float = 0.0

    def html(self) -> str:
        """The bar with its words beside it; what is asked for is hatched, so that no color is needed to see it."""
        spent = min(max(self.spent, 0.0), 1.0) * BAR
        asked = min(max(self.asked, 0.0) * BAR, BAR - spent)
        stripes = "".join(
            f'<path d="M{spent + at:.1f} {TALL}l4 -{TALL}" stroke="#fff" stroke-width="1.2"/>'
            for at in range(0, max(int(asked) - 3, 0), 6)
        )
        return (
            f'<div style="display:flex;gap:10px;align-items:center;flex-wrap:wrap"><svg width="{BAR}" height="{TALL}" '
            f'role="img"><title>{safe(self.words)}</title>'
            f'<rect width="{BAR}" height="{TALL}" rx="3" fill="{LEFT}"/>'
            f'<rect width="{spent:.1f}" height="{TALL}" rx="3" fill="{GONE}"/>'
            f'<rect x="{spent:.1f}" width="{asked:.1f}" height="{TALL}" fill="{THIS}"/>{stripes}</svg>'
            f"<span>{safe(self.words)}</span></div>"
        )


@dataclass(frozen=True)
class Card:
    """What a notebook shows of a thing: a title, a gauge, a table and sentences, each where it has one.

    Everything is escaped: names and values were written by others. Nothing is loaded, and no script runs.

    Example:
        >>> card = Card("people", columns=(Column("city", ["Bern"]),), lines=("spent ε=1 per person",))
        >>> "<td" in card.html(), "<script" in Card("<script>").html()
        (True, False)
    """

    title: str = ""
    columns: Sequence[Column] = ()
    lines: Sequence[str] = field(default=())
    gauge: Gauge | None = None

    def html(self) -> str:
        """The card as one element."""
        parts = [f'<div style="font-weight:600">{safe(self.title)}</div>'] if self.title else []
        if self.gauge is not None:
            parts.append(self.gauge.html())
        if self.columns:
            parts.append(self._table())
        parts += [f'<div style="{FAINT}">{safe(line)}</div>' for line in self.lines]
        return f'<div class="privet" style="{FRAME}">{"".join(parts)}</div>'

    def _table(self) -> str:
        head = "".join(column.heading() for column in self.columns)
        rows = zip(*(column.html() for column in self.columns), strict=True)
        body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
        style = "border-collapse:collapse;margin:4px 0;font:inherit;color:inherit"
        return f'<table style="{style}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def safe(text: object) -> str:
    """A text in which nothing is a tag or a command."""
    return escape("\n".join(map(printable, str(text).split("\n")))).replace("\n", "<br>")


def _whiskers(spans: Sequence[tuple[float, float, float] | None]) -> list[str]:
    """A dot and a line for each interval, all on one scale; nothing where there is none."""
    ends = [end for span in spans if span is not None for end in span if math.isfinite(end)]
    low, high = min(ends, default=0.0), max(ends, default=0.0)
    unit = (WIDE - 6) / (high - low) if high > low else 0.0

    def place(value: float) -> float:
        return 3 + (min(max(value, low), high) - low) * unit

    def drawn(span: tuple[float, float, float] | None) -> str:
        if span is None or not all(map(math.isfinite, span)):
            return "<td></td>"
        left, at, right = map(place, span)
        caps = "".join(f"M{end:.1f} 3V{HIGH - 3}" for end in (left, right) if right - left > HIGH - 4)
        line = f'<path d="M{left:.1f} {HIGH / 2}H{right:.1f}{caps}" stroke="{DATA}" fill="none" stroke-width="1.5"/>'
        dot = f'<circle cx="{at:.1f}" cy="{HIGH / 2}" r="2.6" fill="{DATA}"/>'
        return f'<td><svg width="{WIDE}" height="{HIGH}" aria-hidden="true">{line}{dot}</svg></td>'

    return [drawn(span) for span in spans]
