"""answer_chart: the numbers of an answer with their intervals: bars from zero, or dots on a cut axis."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from privet.server.console.charts.marks import svg
from privet.server.console.charts.ticks import tick_words, ticks

STEP = 26  # pixels from row to row
TOP = 30
LEFT, RIGHT = 112, 330
LONGEST = 16  # letters of a label
ROWS = 30  # that are drawn
WHISKER = 6  # pixels from which whiskers have caps
COLUMNS = 4
TOGETHER = 0.6  # where an interval of values begins so far from zero, in shares of its end, bars would hide differences


@dataclass(frozen=True)
class Series:
    """One column of an answer, to be drawn.

    Args:
        name: of the column.
        labels: of its rows.
        spans: low end, value, high end of each row; None where there is no number.
        counted: whether it is a count or a sum, whose bars begin at zero.
    """

    name: str
    labels: Sequence[str]
    spans: Sequence[tuple[float, float, float] | None]
    counted: bool

    @property
    def drawn(self) -> list[tuple[str, tuple[float, float, float]]]:
        """The rows that have a number."""
        pairs = zip(self.labels, self.spans, strict=True)
        return [(label, span) for label, span in pairs if span is not None][:ROWS]


def answer_charts(series: Sequence[Series], *, title: str) -> Markup:
    """A picture for each column, so that they stack on a phone.

    Args:
        series: the columns.
        title: what a picture is of, with {name} for the column.
    """
    figures = [_figure(each, f"chart-{place}", title) for place, each in enumerate(series[:COLUMNS]) if each.drawn]
    return svg(f'<div class="charts">{"".join(figures)}</div>') if figures else Markup()


def overlapping(series: Series) -> bool:
    """Whether most pairs of rows cannot be told apart by their intervals."""
    spans = [span for _, span in series.drawn]
    pairs = [(a, b) for place, a in enumerate(spans) for b in spans[place + 1 :]]
    met = sum(a[0] <= b[2] and b[0] <= a[2] for a, b in pairs)
    return len(pairs) > 1 and 2 * met > len(pairs)


def from_zero(series: Series) -> bool:
    """Whether bars from zero show it: counts and sums, unless all of them are far from zero."""
    ends = [end for _, span in series.drawn for end in span]
    return series.counted or not ends or min(ends) <= TOGETHER * max(ends)


def _figure(series: Series, name: str, title: str) -> str:
    rows = series.drawn
    ends = [end for _, span in rows for end in span]
    bars = from_zero(series)
    low, high = min(ends), max(ends)
    if bars:
        low, high = min(low, 0.0), max(high, 0.0)
    if high <= low:
        low, high = low - 1, high + 1
    marks = ticks(low, high)
    step = marks[1] - marks[0] if len(marks) > 1 else 1.0
    least, most = min(marks[0], low), max(marks[-1], high)
    base = TOP + STEP * len(rows)

    def across(value: float) -> float:
        return LEFT + (RIGHT - LEFT - 10) * (value - least) / (most - least)

    out = [
        (
            f'<svg class="fig" viewBox="0 0 340 {base + 22}" role="img" aria-labelledby="{name}">'
            f'<title id="{name}">{escape(title.format(name=series.name))}</title>'
            f'<text x="{LEFT}" y="12" class="t-b">{escape(shortened(series.name, 30))}</text>'
        )
    ]
    for mark in marks:
        line = "l-axis" if bars and abs(mark) < step / 1e6 else "l-grid"
        out.append(
            f'<line x1="{across(mark):.1f}" x2="{across(mark):.1f}" y1="{TOP - 8}" y2="{base}" class="{line}"/>'
            f'<text x="{across(mark):.1f}" y="{base + 16}" class="mid">{tick_words(mark, step)}</text>'
        )
    for place, (label, span) in enumerate(rows):
        down = TOP + STEP * place + 6
        out.append(f'<text x="{LEFT - 8}" y="{down + 4}" class="endt t-ink">{escape(shortened(label))}</text>')
        out.append(_row(down, tuple(map(across, span)), across(0.0) if bars else None))
    return "".join(out) + "</svg>"


def _row(down: int, ends: tuple[float, ...], zero: float | None) -> str:
    low, value, high = ends
    caps = f"M{low:.1f} {down - 5}v10M{high:.1f} {down - 5}v10" if high - low > WHISKER else ""
    line = f'<path d="M{low:.1f} {down}H{high:.1f}{caps}" class="err"/>'
    if zero is None:
        return f'{line}<circle cx="{value:.1f}" cy="{down}" r="4.5" class="f-data"/>'
    left, wide = min(zero, value), abs(value - zero)
    return (
        f'<rect x="{left:.1f}" y="{down - 7}" width="{wide:.1f}" height="14" class="f-data-soft"/>'
        f'<line x1="{value:.1f}" x2="{value:.1f}" y1="{down - 7}" y2="{down + 7}" class="l-data"/>{line}'
    )


def shortened(text: str, longest: int = LONGEST) -> str:
    """A label that fits; the table beside the picture has all of it."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
