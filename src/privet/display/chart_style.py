"""How charts look: colors, dashes and dots that are told apart in print, quiet axes, legends."""

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from privet.display.layer import Row

# Okabe and Ito's colors: told apart with every kind of color vision. Dashes tell lines apart without any color.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (12, 4), (4, 1), (1, 3))
DOTS = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-left")  # likewise for dots
INK, FAINT = "#222222", "#E4E4E4"
SIZE, SMALL = (480, 300), (270, 190)
BAR = 90  # the widest, with the room around it
GAPS = {"row": 92, "column": 80}  # of panels: room for titles and axes
ROW = 17  # of a legend
SHORT = "datum.value >= 0.001 && datum.value < 1e6 ? format(datum.value, ',~g') : format(datum.value, '.0e')"
SHADE = 0.35  # of an area: lines and axes are seen through it
RULED = {"line", "step", "area"}
FEW_DECADES = 2  # up to here, a logarithmic axis has room for 2 and 5 between its powers of ten
OWN = dict.fromkeys(("color", "strokeDash", "fill", "shape"), "independent")  # scales of panels


def columns(names: Sequence[str]) -> int:
    """How many names of a legend stand side by side below a small panel."""
    return max(1, SMALL[0] // (40 + 7 * max(map(len, names), default=0)))


def legend(altair: ModuleType, names: list[str], size: tuple[int, int], *, areas: bool) -> Any:  # noqa: ANN401 - altair's own
    """Beside a picture, or below a small panel."""
    below: dict[str, Any] = {"orient": "bottom", "columns": columns(names)} if size == SMALL else {}
    return altair.Legend(title=None, **below, **({"symbolType": "square"} if areas else {}))


def cycled(values: Sequence[Any], number: int) -> list[Any]:
    """So many of the values, from the first again after the last."""
    return [values[place % len(values)] for place in range(number)]


def scaled(channel: Any, layers: list[tuple[Row, ...]], key: str, *, log: bool) -> Any:  # noqa: ANN401 - altair's own
    """An axis: from zero only where bars stand on it; a logarithmic one has lines at few numbers."""
    if not log:
        whole = key == "x" and all(float(row["x"]).is_integer() for rows in layers for row in rows)
        linear = channel.scale(zero=False, nice=True)
        return linear.axis(tickMinStep=1) if whole else linear  # there is no half question
    used = ("x",) if key == "x" else ("y", "low", "high")
    values = [float(row[name]) for rows in layers for row in rows for name in used if name in row]
    first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    digits = (1,) if last - first > FEW_DECADES else (1, 2, 5)
    ticks = [digit * 10.0**decade for decade in range(first, last + 1) for digit in digits]
    return channel.scale(type="log", nice=False).axis(values=ticks, labelExpr=SHORT)


def styled(drawing: Any) -> Any:  # noqa: ANN401 - altair's own
    """The house style: quiet axes, words on the left, no frame."""
    plain = drawing.configure(background="white", font="sans-serif", padding=12).configure_view(stroke=None)
    axes = plain.configure_axis(
        gridColor=FAINT,
        domainColor=INK,
        tickColor=INK,
        labelColor=INK,
        titleColor=INK,
        labelFontSize=11,
        titleFontSize=12,
        titleFontWeight="normal",
        titlePadding=8,
    )
    legends = axes.configure_legend(labelFontSize=12, labelLimit=260, symbolStrokeWidth=2, labelColor=INK)
    return legends.configure_title(anchor="start", frame="group", fontSize=14, fontWeight="bold", color=INK, offset=10)


def in_the_pages_colors(drawing: str) -> str:
    """The drawing for a page that may be dark: no background, and ink of the color of the page's text."""
    clear = drawing.replace('fill="white"', 'fill="none"')
    for dark in (INK, "#000000", "#000"):
        clear = clear.replace(f'"{dark}"', '"currentColor"')
    return clear.replace(f'"{FAINT}"', '"rgba(128,128,128,.3)"')
