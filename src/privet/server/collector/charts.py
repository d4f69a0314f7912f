"""chart_of: results drawn by the server as SVG, without a script and without anybody else's address."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import Any

from privet.local.device import Collection
from privet.loss.exact import readable

WIDTH, ROW, LEFT, RIGHT = 680, 34, 150, 30
TALL, TOP, BOTTOM = 268, 20, 42
STYLE = (
    "<style>text{font:13px system-ui,sans-serif;fill:#454d48}.end{text-anchor:end}.mid{text-anchor:middle}"
    ".grid{stroke:#dfe2dc}.axis{stroke:#828981}.band{fill:#cfe1f2}.line{fill:none;stroke:#0b5a9e;stroke-width:2}"
    ".dot{fill:#0b5a9e}.cost{fill:none;stroke:#a94a06;stroke-width:2;stroke-dasharray:6 3}</style>"
)
Point = tuple[float, float]


def chart_of(facts: Collection, results: Sequence[Mapping[str, Any]]) -> str:
    """One result as rows with whiskers; several as a line over periods, with what a device has spent at most."""
    if len(results) == 1:
        return _framed(*interval_rows(results[0]))
    return _framed(*daily_lines(facts, results))


def interval_rows(result: Mapping[str, Any]) -> tuple[int, str, str]:
    """Height, title and drawing of one result."""
    rows = result["rows"]
    key = _number(rows)
    ends = [end for row in rows for end in (row.get(f"{key}_low"), row.get(f"{key}_high"), row[key]) if end is not None]
    low, high = (0.0, 1.0) if key == "share" else (min(ends), max(ends))
    room = WIDTH - LEFT - RIGHT

    def at(value: float) -> float:
        return LEFT + room * (min(max(value, low), high) - low) / ((high - low) or 1)

    parts = []
    for place in range(5):
        value = low + (high - low) * place / 4
        parts.append(f'<path class="grid" d="M{at(value):.1f} 8V{len(rows) * ROW + 12}"/>')
        parts.append(f'<text class="mid" x="{at(value):.1f}" y="{len(rows) * ROW + 30}">{_tick(value, key)}</text>')
    for place, row in enumerate(rows):
        y = place * ROW + 26
        first, last = row.get(f"{key}_low"), row.get(f"{key}_high")
        name = escape(str(row.get("value", result["title"])))[:40]
        parts.append(f'<text class="end" x="{LEFT - 12}" y="{y + 4}">{name}</text>')
        if first is not None and last is not None:
            parts.append(
                f'<rect class="band" x="{at(first):.1f}" y="{y - 8}" width="{at(last) - at(first):.1f}" height="16"/>'
                f'<path class="line" d="M{at(first):.1f} {y - 8}v16M{at(last):.1f} {y - 8}v16"/>'
            )
        parts.append(f'<circle class="dot" cx="{at(row[key]):.1f}" cy="{y}" r="5"/>')
    title = f"{result['title']}: {result['reports']:,} reports, 95% intervals"
    return len(rows) * ROW + 44, title, "".join(parts)


def daily_lines(facts: Collection, results: Sequence[Mapping[str, Any]]) -> tuple[int, str, str]:
    """Height, title and drawing of the last value's share in each range of periods, and the cost of a device's life."""
    key = _number(results[0]["rows"])
    last = [result["rows"][-1] for result in results]
    room, tall = WIDTH - 60 - 60, TALL - TOP - BOTTOM
    ends = [end for row in last for end in (row[f"{key}_low"], row[f"{key}_high"])]
    low, high = max(0.0, min(ends)) if key == "share" else min(ends), max(ends)

    def at(place: float, value: float) -> Point:
        return 60 + room * place / max(len(last) - 1, 1), TOP + tall * (high - min(value, high)) / ((high - low) or 1)

    upper = [at(place, row[f"{key}_high"]) for place, row in enumerate(last)]
    lower = [at(place, max(row[f"{key}_low"], low)) for place, row in enumerate(last)]
    middle = [at(place, row[key]) for place, row in enumerate(last)]
    spent, most = lifetime_bounds(facts, results), float(Fraction(facts.lifetime))
    costs = [
        (60 + room * place / max(len(last) - 1, 1), TOP + tall * (1 - cost / most)) for place, cost in enumerate(spent)
    ]
    parts = [f'<path class="band" d="{_path([*upper, *reversed(lower)])}Z"/>']
    parts += [f'<path class="line" d="{_path(middle)}"/>', f'<path class="cost" d="{_path(costs)}"/>']
    for place in range(3):
        value, cost = low + (high - low) * place / 2, most * place / 2
        y = at(0, value)[1]
        parts.append(f'<path class="grid" d="M60 {y:.1f}H{WIDTH - 60}"/>')
        parts.append(f'<text class="end" x="52" y="{y + 4:.1f}">{_tick(value, key)}</text>')
        parts.append(f'<text x="{WIDTH - 52}" y="{y + 4:.1f}">ε {cost:.3g}</text>')
    name = escape(str(last[-1].get("value", facts.title)))
    words = f"{name}, by period, 95% intervals; dashed: the ε that a device can have spent at most"
    parts.append(f'<text x="60" y="{TALL - 6}">{words}</text>')
    title = (
        f"{facts.title}: {len(last)} estimates; a device's reports cost at most ε={readable(Fraction(facts.lifetime))}"
    )
    return TALL, title, "".join(parts)


def lifetime_bounds(facts: Collection, results: Sequence[Mapping[str, Any]]) -> list[float]:
    """What all reports of a device up to the end of each range can have cost, whatever it told."""
    most = float(Fraction(facts.lifetime))
    done = [int(result["last"]) + 1 for result in results]
    return [min(most, float(facts.cost_of_period) * times) for times in done]


def _number(rows: Sequence[Mapping[str, Any]]) -> str:
    """The column that has an interval."""
    return next((name.removesuffix("_low") for name in rows[0] if name.endswith("_low") and name != "all_low"), "share")


def _tick(value: float, key: str) -> str:
    return f"{100 * value:.3g} %" if key == "share" else f"{value:.4g}"


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _framed(height: int, title: str, drawing: str) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="t">'
    return f'{head}<title id="t">{escape(title)}</title>{STYLE}{drawing}</svg>'
