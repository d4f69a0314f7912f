"""Chart: a picture in the house style, for a file, a page or a notebook."""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from privet.display.chart_style import (
    BAR,
    COLORS,
    DASHES,
    DOTS,
    GAPS,
    INK,
    OWN,
    ROW,
    RULED,
    SHADE,
    SIZE,
    SMALL,
    columns,
    cycled,
    in_the_pages_colors,
    legend,
    scaled,
    styled,
)
from privet.display.layer import Curve, Height, Layer, Measured, Spanned
from privet.errors import InvalidParameter

FORMATS = (".svg", ".png", ".html")


@dataclass(frozen=True)
class Chart:
    """Lines, steps, areas, bars, points with margins, or panels of them; made by the methods named so.

    Privacy: a chart shows what it is given. Give it released numbers, laws and losses; never data.

    Example:
        >>> chart = Chart.lines({"density": ([0, 1, 2], [0.5, 0.2, 0.1])}, x="error (people)", y="density")
        >>> chart
        Chart(1 line: density)
        >>> chart + Chart.points({"seen": ([0, 1], [0.4, 0.3], 0.1)}, x="", y="")
        Chart(1 line, 1 point: density, seen)
    """

    layers: tuple[Layer, ...] = ()
    title: str = ""
    x: str = ""
    y: str = ""
    log_x: bool = False
    log_y: bool = False
    parts: tuple["Chart", ...] = field(default=())
    columns: int = 2
    days: bool = False  # True where the horizontal axis is of time: numbers on it are milliseconds since 1970

    # --- making one -------------------------------------------------------------------------------------------

    @classmethod
    def lines(  # noqa: PLR0913 - the words on a picture, each by name
        cls,
        series: Mapping[str, Curve],
        *,
        x: str,
        y: str,
        title: str = "",
        log_x: bool = False,
        log_y: bool = False,
        days: bool = False,
    ) -> "Chart":
        """A line through the points of each series.

        Args:
            series: by name, where the points are and how high; the names form the legend.
            x: what the horizontal axis shows, with its unit.
            y: what the vertical axis shows, with its unit.
            title: what the picture says.
            log_x: True for a logarithmic horizontal axis; its numbers must be > 0.
            log_y: the same for the vertical axis.
            days: True for an axis of time; its numbers are milliseconds since 1970.
        """
        return cls._of("line", series, title=title, x=x, y=y, log_x=log_x, log_y=log_y, days=days)

    @classmethod
    def steps(cls, series: Mapping[str, Curve], *, x: str, y: str, title: str = "", days: bool = False) -> "Chart":
        """A staircase for each series: a height holds from its point to the next."""
        return cls._of("step", series, title=title, x=x, y=y, days=days)

    @classmethod
    def areas(cls, series: Mapping[str, Measured], *, x: str, y: str, title: str = "") -> "Chart":
        """What lies between two lines, shaded: of each series (where, low, high). Lines that are added lie above it."""
        spans = {name: _between(name, numbers) for name, numbers in series.items()}
        return cls._of("area", spans, title=title, x=x, y=y)

    @classmethod
    def points(  # noqa: PLR0913 - the words on a picture, each by name
        cls,
        series: Mapping[str, Curve | Measured | Spanned],
        *,
        x: str,
        y: str,
        title: str = "",
        log_x: bool = False,
        log_y: bool = False,
        days: bool = False,
    ) -> "Chart":
        """Dots; of three, (where, how high, margin), and of four, (where, how high, low, high), with whiskers."""
        return cls._of("point", series, title=title, x=x, y=y, log_x=log_x, log_y=log_y, days=days)

    @classmethod
    def bars(cls, series: Mapping[str, Mapping[str, Height]], *, x: str, y: str, title: str = "") -> "Chart":
        """Upright bars: for each series a height by category, or (low, height, high) for one with a whisker.

        Several series stand side by side.
        """
        return cls(_some([Layer.of_bars(name, heights) for name, heights in series.items()]), title, x, y)

    @classmethod
    def panels(cls, charts: Iterable["Chart"], *, columns: int = 2, title: str = "") -> "Chart":
        """Several charts side by side, so many in a row."""
        parts = tuple(charts)
        if not parts or columns < 1 or any(part.parts for part in parts):
            raise InvalidParameter(
                f"panels needs at least one chart that is not itself panels, and columns >= 1, got {len(parts)} charts "
                f"and columns={columns}: give it the charts of each panel"
            )
        return cls((), title, parts=parts, columns=columns)

    @classmethod
    def _of(cls, kind: str, series: Mapping[str, Any], **words: Any) -> "Chart":  # noqa: ANN401 - the words above
        layers = _some([Layer.of(kind, name, numbers) for name, numbers in series.items()])
        for layer in layers:
            layer.refuse_below_zero(log_x=words.get("log_x", False), log_y=words.get("log_y", False))
        return cls(layers, **words)

    def __add__(self, other: "Chart") -> "Chart":
        """Both in one picture, with the words and axes of the first."""
        if self.parts or other.parts:
            raise InvalidParameter("panels cannot be laid over one another: add the charts before making panels")
        if (self.log_x, self.log_y, self.days) != (other.log_x, other.log_y, other.days):
            raise InvalidParameter("charts that are added must have the same axes: set log_x, log_y and days alike")
        if len({layer.kind == "bar" for layer in self.layers + other.layers}) > 1:
            raise InvalidParameter("bars stand over names, other series over numbers: put them into panels instead")
        return replace(self, layers=self.layers + other.layers)

    # --- showing one ------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write the picture to a file ending in .svg, .png or .html, and return where it is.

        An .html file holds all it needs, and shows without a network.
        """
        file = Path(path)
        if file.suffix not in FORMATS:
            raise InvalidParameter(f"a chart is saved as {', '.join(FORMATS)}, got {file.name!r}: end its name in one")
        drawing = self.to_altair()
        file.parent.mkdir(parents=True, exist_ok=True)
        options: dict[str, dict[str, Any]] = {".png": {"scale_factor": 2}, ".html": {"inline": True}}
        drawing.save(str(file), **options.get(file.suffix, {}))
        return file

    def to_altair(self) -> Any:  # noqa: ANN401 - altair is not there for everyone
        """The chart as an altair object, for changes that Privet does not offer."""
        altair = _altair()
        if self.parts:
            cells = [part._drawn(altair, SMALL) for part in self.parts]  # noqa: SLF001 - its own class
            gaps = GAPS | {"row": GAPS["row"] + ROW * max(part._legend_rows() for part in self.parts)}  # noqa: SLF001
            drawing = altair.concat(*cells, columns=self.columns, bounds="flush", spacing=gaps)
            drawing = drawing.resolve_scale(**OWN)
            drawing = drawing.properties(title=self.title) if self.title else drawing
        else:
            drawing = self._drawn(altair, SIZE)
        return styled(drawing)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """What a notebook shows: a drawing that needs no network, in the page's own colors where it is a page."""
        drawing = io.StringIO()
        self.to_altair().save(drawing, format="svg")
        return {"text/html": in_the_pages_colors(drawing.getvalue()), "image/svg+xml": drawing.getvalue()}

    def _drawn(self, altair: ModuleType, size: tuple[int, int]) -> Any:  # noqa: ANN401 - altair's own
        names = self._names()
        marks = [mark for kind in _kinds(self.layers) for mark in self._marks(altair, kind, names, size)]
        bars = {str(row["x"]) for layer in self.layers if layer.kind == "bar" for row in layer.rows}
        width = min(size[0], BAR * len(bars) * len(names)) if bars else size[0]  # a lone bar is no wall
        drawing = altair.layer(*marks).properties(width=width, height=size[1])
        return drawing.properties(title=self.title) if self.title else drawing

    def _names(self) -> list[str]:
        """Of all series, in order."""
        return list(dict.fromkeys(layer.name for layer in self.layers))

    def _shaded(self) -> set[str]:
        """The names of areas."""
        return {layer.name for layer in self.layers if layer.kind == "area"}

    def _legend_rows(self) -> int:
        """How many rows its legends have below a small panel."""
        parts = ([each for each in self._names() if (each in self._shaded()) == inside] for inside in (True, False))
        return sum(-(-len(part) // columns(part)) for part in parts if part) if len(self._names()) > 1 else 0

    def _colored(self, altair: ModuleType, names: list[str], size: tuple[int, int], *, areas: bool) -> Any:  # noqa: ANN401 - altair's own
        """The colors of lines, dots and bars, or those of areas, which have a legend of squares."""
        mine = [name for name in names if (name in self._shaded()) == areas]
        colors = [color for name, color in zip(names, cycled(COLORS, len(names)), strict=True) if name in mine]
        channel = altair.Fill if areas else altair.Color
        shown = legend(altair, mine, size, areas=areas) if len(names) > 1 else None
        return channel("series:N", legend=shown).scale(domain=mine, range=colors)

    def _marks(self, altair: ModuleType, kind: str, names: list[str], size: tuple[int, int]) -> list[Any]:
        rows = [{"series": layer.name, **row} for layer in self.layers if layer.kind == kind for row in layer.rows]
        plot = altair.Chart(altair.InlineData(values=rows))
        color = self._colored(altair, names, size, areas=kind == "area")
        y = scaled(altair.Y("y:Q", title=self.y), [layer.rows for layer in self.layers], "y", log=self.log_y)
        if kind == "bar":
            labels = list(dict.fromkeys(str(row["x"]) for row in rows))
            x = altair.X("x:N", title=self.x, sort=labels).axis(labelAngle=0)
            beside = {"xOffset": altair.XOffset("series:N", sort=names)} if len(names) > 1 else {}
            bars = plot.mark_bar().encode(x=x, y=y.scale(zero=True, nice=True), color=color, **beside)
            spans = altair.Chart(altair.InlineData(values=[row for row in rows if "low" in row]))
            low = altair.Y("low:Q", title=self.y)
            whiskers = spans.mark_errorbar(ticks={"size": 8}, color=INK).encode(x=x, y=low, y2="high:Q", **beside)
            return [bars, whiskers] if any("low" in row for row in rows) else [bars]
        x = altair.X(f"x:{'T' if self.days else 'Q'}", title=self.x)
        x = x.scale(type="utc") if self.days else scaled(x, [layer.rows for layer in self.layers], "x", log=self.log_x)
        if {layer.kind for layer in self.layers} <= RULED and not self.log_x and not self.days:
            x = x.scale(nice=False, zero=False)  # a line ends where its numbers do; a dot at the edge would be cut
        if kind == "point":
            shown = legend(altair, names, size, areas=False) if len(names) > 1 else None
            shape = altair.Shape("series:N", legend=shown).scale(domain=names, range=cycled(DOTS, len(names)))
            several = {"shape": shape} if {layer.kind for layer in self.layers} == {"point"} else {}
            dots = plot.mark_point(filled=True, size=45, opacity=1).encode(x=x, y=y, color=color, **several)
            spans = altair.Chart(altair.InlineData(values=[row for row in rows if "low" in row]))
            bars = spans.mark_rule(strokeWidth=1.5).encode(
                x=x, y=altair.Y("low:Q", title=self.y), y2="high:Q", color=color
            )
            return [bars, dots] if any("low" in row for row in rows) else [dots]
        if kind == "area":
            low = altair.Y("low:Q", title=self.y)
            return [plot.mark_area(opacity=SHADE).encode(x=x, y=low, y2="high:Q", fill=color)]
        alone = {layer.kind for layer in self.layers} <= RULED  # a dashed dot in a legend looks broken
        ruled = [name for name in names if name not in self._shaded()]
        dash = altair.StrokeDash("series:N", legend=None).scale(domain=ruled, range=cycled(DASHES, len(ruled)))
        looks = {"color": color, "strokeDash": dash} if alone else {"color": color}
        shape = {"interpolate": "step-after"} if kind == "step" else {}
        return [plot.mark_line(strokeWidth=2, **shape).encode(x=x, y=y, order="x:Q", **looks)]

    def __repr__(self) -> str:
        if self.parts:
            return f"Chart({len(self.parts)} panels)"
        counted = [(kind, sum(layer.kind == kind for layer in self.layers)) for kind in _kinds(self.layers)]
        words = ", ".join(f"{number} {kind}{'s' if number > 1 else ''}" for kind, number in counted)
        return f"Chart({words}: {', '.join(layer.name for layer in self.layers)})"


def _between(name: str, numbers: Any) -> Spanned:  # noqa: ANN401 - an edge, perhaps
    """The rows of an area: as high as its upper line."""
    if not isinstance(numbers, tuple) or len(numbers) != 3:  # noqa: PLR2004 - an edge has two sides
        raise InvalidParameter(f"the area {name!r} must be (where, low, high)")
    where, low, high = numbers
    return where, high, low, high


def _some(layers: list[Layer]) -> tuple[Layer, ...]:
    if not layers:
        raise InvalidParameter("a chart needs at least one series, got none: give it {name: numbers}")
    return tuple(layers)


def _kinds(layers: Sequence[Layer]) -> list[str]:
    """The kinds of marks, in the order in which they are drawn."""
    return list(dict.fromkeys(layer.kind for layer in layers))


def _altair() -> ModuleType:
    """The one door to altair, and to vl_convert behind it."""
    try:
        import altair  # noqa: ICN001, PLC0415 - an extra: only those who draw need it
        import vl_convert  # noqa: F401, PLC0415 - what writes files for altair
    except ImportError as problem:
        raise InvalidParameter("a chart needs altair and vl-convert: run `pip install 'privet[charts]'`") from problem
    return altair
