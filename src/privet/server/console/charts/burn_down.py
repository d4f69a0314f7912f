"""burn_down: what is left of a limit, day by day, and how long it lasts at this pace."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from markupsafe import Markup, escape

from privet.server.console.charts.marks import svg
from privet.server.console.charts.ticks import tick_words, ticks

LEFT, RIGHT, TOP, BASE = 44, 640, 22, 236
FORESEEN = 40  # times as long as was seen: beyond, nothing is foretold
NAMED = 4  # days below the axis


@dataclass(frozen=True)
class Spends:
    """What was spent, and when.

    Args:
        limit: what there was at the beginning.
        start: when the ledger was opened.
        now: the end of the picture, but for what is foretold.
        steps: when something was spent and how much was left then, in order of time.
        letter: of the amount, such as "ε".
    """

    limit: float
    start: datetime
    now: datetime
    steps: Sequence[tuple[datetime, float]]
    letter: str = "ε"

    @property
    def left(self) -> float:
        """What is left now."""
        return self.steps[-1][1] if self.steps else self.limit

    @property
    def empty_at(self) -> datetime | None:
        """When nothing will be left at this pace; None if that cannot be said."""
        seen = self.now - self.start
        gone = self.limit - self.left
        if gone <= 0 or self.left <= 0 or seen <= timedelta(hours=1):
            return None
        more = self.left / gone
        return self.now + seen * more if more <= FORESEEN else None


def day_words(at: datetime, *, year: bool = False) -> str:
    """A day as the British write it."""
    return f"{at.day} {at:%B %Y}" if year else f"{at.day} {at:%B}"


def _axis_words(at: datetime, whole: timedelta, *, first: bool) -> str:
    if whole > timedelta(days=NAMED):
        return day_words(at)
    return f"{day_words(at)}, {at:%H:%M}" if first else f"{at:%H:%M}"


def burn_down(spends: Spends, *, title: str, words: str, left: str, pace: str) -> Markup:
    """The picture.

    Args:
        spends: what it shows.
        title: of the picture, and the words that say what is to be seen.
        words: the same for who does not see it.
        left: what is written at the last point.
        pace: what is written at the line that goes on; "" if there is none.
    """
    until = spends.empty_at
    end = spends.now if until is None else min(until, spends.now + 2 * (spends.now - spends.start))
    whole = max((end - spends.start).total_seconds(), 1.0)
    marks = ticks(0, spends.limit, most=4)
    most = max(marks[-1], spends.limit)

    def across(at: datetime) -> float:
        return LEFT + (RIGHT - 50 - LEFT) * (at - spends.start).total_seconds() / whole

    def down(value: float) -> float:
        return BASE - (BASE - TOP) * value / most

    out = [
        (
            '<svg class="fig" viewBox="0 0 660 266" role="img" aria-labelledby="burn-t burn-d">'
            f'<title id="burn-t">{escape(title)}</title><desc id="burn-d">{escape(words)}</desc>'
        )
    ]
    out.extend(
        (
            f'<line x1="{LEFT}" x2="{RIGHT}" y1="{down(mark):.1f}" y2="{down(mark):.1f}" '
            f'class="{"l-grid" if mark else "l-axis"}"/><text x="36" y="{down(mark) + 4:.1f}" class="endt">'
            f"{spends.letter} {tick_words(mark, marks[1] if len(marks) > 1 else 1)}</text>"
        )
        for mark in marks
    )
    for place in range(NAMED):
        at = spends.start + (end - spends.start) * place / (NAMED - 1)
        words_at = _axis_words(at, end - spends.start, first=not place)
        out.append(
            f'<line x1="{across(at):.1f}" x2="{across(at):.1f}" y1="{BASE}" y2="{BASE + 5}" class="l-axis"/>'
            f'<text x="{across(at):.1f}" y="{BASE + 21}" class="{"mid" if place else ""}">{words_at}</text>'
        )
    path = f"M{across(spends.start):.1f} {down(spends.limit):.1f}"
    for at, value in spends.steps:
        path += f"H{across(at):.1f}V{down(value):.1f}"
    path += f"H{across(spends.now):.1f}"
    out.append(
        f'<path d="{path}V{down(0)}H{across(spends.start):.1f}Z" class="f-accent-soft"/>'
        f'<path d="{path}" class="l-accent"/>'
    )
    x, y = across(spends.now), down(spends.left)
    if until is not None:
        share = (end - spends.now) / (until - spends.now)
        out.append(
            f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{across(end):.1f}" y2="{down(spends.left * (1 - share)):.1f}" '
            'class="l-data2 l-dash"/>'
            f'<text x="{RIGHT}" y="{min(y + 28, BASE - 12):.1f}" class="endt t-data2">{escape(pace)}</text>'
        )
    anchor = "endt t-b" if x > RIGHT - 180 else "t-b"
    out.append(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" class="f-accent"/>'
        f'<text x="{x - 8 if "endt" in anchor else x + 10:.1f}" y="{y - 8:.1f}" class="{anchor}">{escape(left)}</text>'
    )
    return svg("".join(out) + "</svg>")
