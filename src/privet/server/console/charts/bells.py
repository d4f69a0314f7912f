"""Bells: the chance of each answer with and without one unit, and the price of a margin."""

import math
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from privet.server.console.charts.marks import hatch, svg

if TYPE_CHECKING:
    from collections.abc import Callable

    from privet.server.console.texts import Texts

SEEN = 0.0005  # a δ from which it is an area that can be seen
TOP = 16


def _density(at: float) -> float:
    return math.exp(-at * at / 2) / math.sqrt(2 * math.pi)


def _below(at: float) -> float:
    return 0.5 * math.erfc(-at / math.sqrt(2))


def delta_of(epsilon: float) -> float:
    """The δ of Gaussian noise as wide as one unit moves an answer.

    Example:
        >>> round(delta_of(1), 4)
        0.1269
    """
    return _below(0.5 - epsilon) - math.exp(epsilon) * _below(-0.5 - epsilon)


def small_words(number: float) -> str:
    """A small probability for people.

    Example:
        >>> small_words(0.127), small_words(0.00002)
        ('0.13', '2 · 10⁻⁵')
    """
    if number > SEEN:
        return f"{number:.2g}"
    power = math.floor(math.log10(number))
    digits = str(-power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{math.ceil(number / 10.0**power - 1e-9):d} · 10⁻{digits}"


def bells(t: "Texts", epsilon: float, name: str) -> Markup:
    """Two answers' bells one unit apart, and the part above e^ε times the other: δ."""

    def x(at: float) -> float:
        return 330 + 92 * at

    def y(height: float) -> float:
        return 196 - 390 * height

    def with_her(at: float) -> float:
        return _density(at - 1)

    def lifted(at: float) -> float:
        return math.exp(epsilon) * _density(at)

    grid = [-3.5 + 7.5 * each / 150 for each in range(151)]

    def path(height: "Callable[[float], float]", places: list[float]) -> str:
        return "M" + "L".join(f"{x(at):.1f} {y(height(at)):.1f}" for at in places)

    delta = delta_of(epsilon)
    title = t.plain("bells.title", delta=small_words(delta))
    out = [
        (
            f'<svg class="fig" viewBox="0 0 700 236" role="img" aria-labelledby="{name}-t">'
            f'<title id="{name}-t">{escape(title)}</title><defs>{hatch(name)}</defs>'
            '<line x1="10" x2="690" y1="196" y2="196" class="l-axis"/>'
        )
    ]
    out.extend(f'<text x="{x(each):.1f}" y="213" class="mid">{41 + each}</text>' for each in range(-3, 4))
    out.append(f'<text x="350" y="232" class="mid">{t("bells.axis")}</text>')
    cross = epsilon + 0.5
    over = [at for at in grid if at >= cross]
    if over:
        back = "L".join(f"{x(at):.1f} {y(lifted(at)):.1f}" for at in reversed(over))
        out.append(f'<path d="{path(with_her, [cross, *over])}L{back}Z" fill="url(#{name})"/>')
    under = [at for at in grid if y(lifted(at)) > TOP and (at > 0 or lifted(0) < 0.45)]  # noqa: PLR2004 - what fits
    out.append(
        f'<path d="{path(_density, grid)}" class="l-data"/><path d="{path(with_her, grid)}" class="l-data2"/>'
        f'<path d="{path(lifted, under)}" class="l-data l-dash"/>'
        f'<text x="{x(-1.15):.1f}" y="{y(0.24):.1f}" class="endt t-data">{t("bells.without")}</text>'
        f'<text x="{x(2.1):.1f}" y="{y(0.24):.1f}" class="t-data2">{t("bells.with")}</text>'
    )
    words = f"δ = {small_words(delta)}"
    if delta > SEEN:
        at = max(cross + 0.45, 1.5)
        out.append(
            f'<text x="{x(3.0):.1f}" y="{y(0.14):.1f}" class="t-b">{words}</text>'
            f'<line x1="{x(2.95):.1f}" y1="{y(0.13):.1f}" x2="{x(at):.1f}" y2="{y(max(with_her(at) * 0.8, 0.02)):.1f}" '
            'class="l-ink"/>'
        )
    else:
        out.append(f'<text x="{x(3.0):.1f}" y="{y(0.18):.1f}" class="t-b">{words}</text>')
    return svg("".join(out) + "</svg>")


def price_of_margin(t: "Texts") -> Markup:
    """ε against the margin of a count, both on logarithmic scales: ε = ln 20 / ±."""

    def x(margin: float) -> float:
        return 48 + 360 * math.log10(margin) / 3

    def y(epsilon: float) -> float:
        return 244 - 214 * (math.log10(epsilon) + 3) / 3.7

    out = [
        (
            '<svg class="fig" viewBox="0 0 430 288" role="img" aria-labelledby="pm-t">'
            f'<title id="pm-t">{t("margin.title")}</title>'
        )
    ]
    out.extend(
        f'<line x1="48" x2="412" y1="{y(each):.1f}" y2="{y(each):.1f}" class="l-grid"/>'
        f'<text x="40" y="{y(each) + 4:.1f}" class="endt">{each:g}</text>'
        for each in (0.001, 0.01, 0.1, 1)
    )
    out.extend(
        f'<line x1="{x(each):.1f}" x2="{x(each):.1f}" y1="{y(0.001):.1f}" y2="{y(0.001) + 5:.1f}" class="l-axis"/>'
        f'<text x="{x(each):.1f}" y="264" class="{"endt" if each > 100 else "mid"}">± {each:,}</text>'  # noqa: PLR2004 - the last
        for each in (1, 10, 100, 1000)
    )
    out.append(f'<line x1="{x(1)}" y1="{y(3):.1f}" x2="{x(1000)}" y2="{y(0.003):.1f}" class="l-data"/>')
    for margin, epsilon in ((3, 1), (10, 0.3), (30, 0.1), (100, 0.03)):
        strong = epsilon == 0.3  # noqa: PLR2004 - the one that the page is about
        out.append(
            f'<circle cx="{x(margin):.1f}" cy="{y(epsilon):.1f}" r="{6.5 if strong else 4}" class="f-data"/>'
            f'<text x="{x(margin) + 12:.1f}" y="{y(epsilon) - 7:.1f}" class="{"t-b" if strong else "t-ink"}">'
            f"± {margin}: ε {epsilon:g}</text>"
        )
    out.append(
        f'<text x="230" y="284" class="mid">{t("margin.axis")}</text><text x="40" y="14" class="endt">ε</text></svg>'
    )
    return svg("".join(out))
