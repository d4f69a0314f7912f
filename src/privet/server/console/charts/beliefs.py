"""Beliefs: how sure anybody can become about one unit, as pictures; rounded against us."""

import math
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from privet.server.console.charts.marks import svg

if TYPE_CHECKING:
    from privet.server.console.texts import Texts

FINE = 0.2  # an ε below which shares need a digit after the point
LATE = 0.93  # a share from which its words stand to the left


def at_most(share: float, digits: int = 0) -> str:
    r"""A share as a percentage, rounded up: a promise never looks better than it is.

    Example:
        >>> at_most(0.7311), at_least(0.7311), at_most(0.99999)
        ('74\xa0%', '73\xa0%', '99.999\xa0%')
    """
    while digits < 6 and share < 1 and math.ceil(100 * share * 10**digits - 1e-9) >= 100 * 10**digits:  # noqa: PLR2004
        digits += 1
    return f"{math.ceil(100 * share * 10**digits - 1e-9) / 10**digits:.{digits}f}\N{NO-BREAK SPACE}%"


def at_least(share: float, digits: int = 0) -> str:
    """A share as a percentage, rounded down."""
    return f"{math.floor(100 * share * 10**digits + 1e-9) / 10**digits:.{digits}f}\N{NO-BREAK SPACE}%"


def after(prior: float, epsilon: float) -> float:
    """The belief that odds e^ε times as large make.

    Example:
        >>> round(after(0.5, math.log(3)), 9)
        0.75
    """
    if prior in (0.0, 1.0):
        return prior
    odds = math.log(prior / (1 - prior)) + epsilon
    return 1 / (1 + math.exp(-odds)) if odds > 0 else math.exp(odds) / (1 + math.exp(odds))


def belief_words(epsilon: float) -> tuple[str, str]:
    """The least and the largest that 50 % can become."""
    fine = 1 if epsilon < FINE else 0
    return at_least(after(0.5, -epsilon), fine), at_most(after(0.5, epsilon), fine)


def posterior(t: "Texts", epsilon: float, name: str, *, size: int = 300, also: float | None = None) -> Markup:
    """Belief before (across) and the least and the largest belief after (up).

    Args:
        t: the texts.
        epsilon: of all answers.
        name: an id of the page.
        size: in pixels.
        also: another ε, dashed.
    """

    def x(share: float) -> float:
        return 58 + (size - 76) * share

    def y(share: float) -> float:
        return size - 38 - (size - 56) * share

    grid = [each / 60 for each in range(61)]

    def line(epsilon: float, shares: list[float]) -> str:
        return "L".join(f"{x(share):.1f} {y(after(share, epsilon)):.1f}" for share in shares)

    least, most = belief_words(epsilon)
    low, high = after(0.5, -epsilon), after(0.5, epsilon)
    title = t.plain("belief.title", epsilon=f"{epsilon:g}", least=least, most=most)
    out = [
        (
            f'<svg class="fig" viewBox="0 0 {size} {size}" role="img" aria-labelledby="{name}-t">'
            f'<title id="{name}-t">{escape(title)}</title>'
        )
    ]
    out.extend(
        f'<line x1="{x(0)}" x2="{x(1)}" y1="{y(share):.1f}" y2="{y(share):.1f}" class="l-grid"/>'
        f'<line x1="{x(share):.1f}" x2="{x(share):.1f}" y1="{y(0)}" y2="{y(1)}" class="l-grid"/>'
        f'<text x="{x(0) - 6}" y="{y(share) + 4:.1f}" class="endt">{100 * share:.0f} %</text>'
        f'<text x="{x(share):.1f}" y="{y(0) + 15}" class="mid">{100 * share:.0f} %</text>'
        for share in (0.0, 0.5, 1.0)
    )
    if also is not None:
        out.append(f'<path d="M{line(also, grid)}" class="l-data2 l-dash"/>')
    out.append(
        f'<path d="M{line(epsilon, grid)}L{line(-epsilon, grid[::-1])}Z" class="f-data-soft"/>'
        f'<path d="M{line(epsilon, grid)}" class="l-data"/><path d="M{line(-epsilon, grid)}" class="l-data"/>'
        f'<line x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}" class="l-axis l-dash"/>'
        f'<line x1="{x(0.5)}" x2="{x(0.5)}" y1="{y(low):.1f}" y2="{y(high):.1f}" class="err"/>'
        f'<circle cx="{x(0.5)}" cy="{y(high):.1f}" r="4.5" class="f-data"/>'
        f'<circle cx="{x(0.5)}" cy="{y(low):.1f}" r="4.5" class="f-data"/>'
        f'<circle cx="{x(0.5)}" cy="{y(0.5)}" r="3.5" class="f-surface l-ink"/>'
        f'<text x="{x(0.5) - 9}" y="{y(high) - 5:.1f}" class="endt t-data">{most}</text>'
        f'<text x="{x(0.5) + 9}" y="{y(low) + (-8 if low < 0.08 else 12):.1f}" class="t-data">{least}</text>'  # noqa: PLR2004 - near the axis it stands above
        f'<text x="{(x(0) + x(1)) / 2}" y="{size - 4}" class="mid">{t("belief.before")}</text>'
        f'<text x="12" y="{(y(0) + y(1)) / 2}" class="mid" transform="rotate(-90 12 {(y(0) + y(1)) / 2})">'
        f"{t('belief.after')}</text>"
    )
    return svg("".join(out) + "</svg>")


def before_after(t: "Texts", epsilon: float) -> Markup:
    """Two lines: 50 of 100 before, so many after."""
    share = after(0.5, epsilon)
    least, most = belief_words(epsilon)

    def at(share: float) -> float:
        return 10 + 400 * share

    words = t.plain("belief.both", least=least, most=most)
    out = [f'<svg class="fig" viewBox="0 0 420 132" role="img" aria-label="{escape(words)}">']
    for mark in (0, 0.25, 0.5, 0.75, 1):
        anchor = "" if mark == 0 else "endt" if mark == 1 else "mid"
        out.append(
            f'<line x1="{at(mark)}" x2="{at(mark)}" y1="18" y2="112" class="l-grid"/>'
            f'<text x="{at(mark)}" y="128" class="{anchor}">{100 * mark:.0f} %</text>'
        )
    out.append(
        f'<text x="10" y="12" class="t-ink">{t("belief.huber")}</text>'
        f'<text x="16" y="42">{t("belief.none")}</text>'
        f'<circle cx="{at(0.5)}" cy="38" r="7" class="f-surface l-ink"/>'
        f'<text x="16" y="90">{t("belief.all")}</text>'
        f'<rect x="{at(1 - share):.1f}" y="76" width="{400 * (2 * share - 1):.1f}" height="20" rx="4" '
        f'class="f-data-soft"/><path d="M{at(1 - share):.1f} 70v32M{at(share):.1f} 70v32" class="l-data"/>'
        f'<circle cx="{at(0.5)}" cy="86" r="4" class="f-surface l-ink"/>'
    )
    said = t("belief.most", most=most)
    if share > LATE:
        out.append(f'<text x="{at(share) - 6:.1f}" y="64" class="endt t-data">{said}</text>')
    elif share > 0.6:  # noqa: PLR2004 - below, the words stand beside the bar
        out.append(f'<text x="{at(share) + 6:.1f}" y="64" class="t-data">{said}</text>')
    else:
        out.append(f'<text x="{at(share) + 8:.1f}" y="91" class="t-data">{said}</text>')
    return svg("".join(out) + "</svg>")
