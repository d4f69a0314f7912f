"""Marks: the small pictures that stand in tables and lines: gauges, keys of legends, whiskers, icons."""

from markupsafe import Markup, escape

ICONS = {
    "ok": '<circle cx="8" cy="8" r="6.5"/><path d="m5 8.2 2.1 2.1L11.2 6"/>',
    "no": '<circle cx="8" cy="8" r="6.5"/><path d="M5.5 5.5l5 5m0-5l-5 5"/>',
    "warn": '<path d="M8 2 14.5 13.5h-13z"/><path d="M8 6.2v3.6M8 11.4v.6"/>',
    "open": '<circle cx="8" cy="8" r="6.5" stroke-dasharray="3 2.4"/>',
    "stop": '<path d="M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3z"/><path d="M5 8h6"/>',
    "chain": (
        '<path d="M6.5 9.5l3-3M5.2 7.4 3.4 9.2a2.4 2.4 0 0 0 3.4 3.4l1.8-1.8M10.8 8.6l1.8-1.8a2.4 2.4 0 0 0-3.4-3.4'
        'L7.4 5.2"/>'
    ),
    "copy": '<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 3.5v-1h-8v8h1"/>',
    "down": '<path d="M8 2v8m-3-3 3 3 3-3M2.5 13.5h11"/>',
    "sun": (
        '<circle cx="8" cy="8" r="3"/><path d="M8 1v2m0 10v2M1 8h2m10 0h2M3 3l1.5 1.5m7 7L13 13M13 3l-1.5 1.5m-7 7'
        'L3 13"/>'
    ),
    "moon": '<path d="M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z"/>',
    "half": '<circle cx="8" cy="8" r="6"/><path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor"/>',
    "lock": '<rect x="3" y="7" width="10" height="7" rx="1.5"/><path d="M5 7V5a3 3 0 0 1 6 0v2"/>',
    "wait": '<circle cx="8" cy="8" r="6.5"/><path d="M8 4.5V8l2.5 1.5"/>',
}
KEYS = {
    "spent": '<rect width="12" height="12" class="f-ink3"/>',
    "ask": '<rect width="12" height="12" class="hatch-bg"/><path d="M-1 9 9 -1M3 13 13 3" class="hatch-line"/>',
    "left": '<rect x=".5" y=".5" width="11" height="11" rx="2.5" class="f-accent-soft l-axis"/>',
}
WIDTH = 300  # of a gauge
CAPS = 8  # pixels from which a whisker has caps


def svg(text: str) -> Markup:
    """A picture that was put together here: whatever came from outside was escaped before."""
    return Markup(text)  # noqa: S704 - see above


def icon(name: str, size: int = 16) -> Markup:
    """A small sign, beside a word that says the same."""
    return svg(
        f'<svg width="{size}" height="{size}" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" '
        f'stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">{ICONS[name]}</svg>'
    )


def key(kind: str) -> Markup:
    """The sign of a part of a gauge, in its legend."""
    return svg(f'<svg class="key" viewBox="0 0 12 12" aria-hidden="true">{KEYS[kind]}</svg>')


def hatch(name: str) -> str:
    """The pattern of what is not spent yet."""
    return (
        f'<pattern id="{name}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect width="6" height="6" class="hatch-bg"/><line x1="0" y1="0" x2="0" y2="6" class="hatch-line"/></pattern>'
    )


def gauge(name: str, *, cap: float, spent: float, ask: float = 0.0, words: str) -> Markup:
    """Spent, what this question would take (hatched), and what is left, of a cap.

    Args:
        name: an id of the page.
        cap: what may be spent in all.
        spent: so far.
        ask: what this question would take.
        words: for who does not see it.
    """
    whole = cap if cap > 0 else 1.0
    first = WIDTH * min(max(spent / whole, 0.0), 1.0)
    second = WIDTH * min(max((spent + ask) / whole, 0.0), 1.0)
    asked = f'<rect x="{first:.1f}" width="{second - first:.1f}" height="14" fill="url(#{name})"/>' if ask else ""
    pattern = f"<defs>{hatch(name)}</defs>" if ask else ""
    return svg(
        f'<svg class="gauge" viewBox="0 0 {WIDTH} 14" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(words)}">{pattern}<rect width="{WIDTH}" height="14" class="g-left"/>'
        f'<rect width="{first:.1f}" height="14" class="g-spent"/>{asked}'
        '<rect x="0.5" y="0.5" width="299" height="13" rx="6.5" class="g-edge" vector-effect="non-scaling-stroke"/>'
        "</svg>"
    )


def whisker(span: tuple[float, float, float], *, least: float, most: float, words: str) -> Markup:
    """A small interval in a cell: all cells of a column share one scale from least to most."""
    wide = most - least if most > least else 1.0
    low, value, high = (4 + 112 * min(max((each - least) / wide, 0.0), 1.0) for each in span)
    caps = f'<path d="M{low:.1f} 4v8M{high:.1f} 4v8" class="iv-line"/>' if high - low > CAPS else ""
    return svg(
        f'<svg viewBox="0 0 120 16" width="120" height="16" role="img" aria-label="{escape(words)}">'
        '<line x1="4" x2="116" y1="8" y2="8" class="iv-track"/>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="8" y2="8" class="iv-line"/>{caps}'
        f'<circle cx="{value:.1f}" cy="8" r="3" class="f-data"/></svg>'
    )
