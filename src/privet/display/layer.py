"""Layer: one series of a chart, with its numbers checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import InvalidParameter

Curve: TypeAlias = tuple[ArrayLike, ArrayLike]  # where, and how high
Measured: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]  # where, how high, and its margin
Spanned: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike, ArrayLike]  # where, how high, and both ends of its interval
Height: TypeAlias = float | tuple[float, float, float]  # of a bar; or its interval's low end, the height, the high end
Row: TypeAlias = dict[str, float | str]


@dataclass(frozen=True)
class Layer:
    """How a series is drawn, what it is called, and its numbers.

    Args:
        kind: "line", "step", "point" or "bar".
        name: as it stands in the legend.
        rows: each with x and y; with low and high too, where there is a margin.
    """

    kind: str
    name: str
    rows: tuple[Row, ...]

    @classmethod
    def of(cls, kind: str, name: str, numbers: Any) -> "Layer":  # noqa: ANN401 - a curve, perhaps measured
        """Return the series through these points; what cannot be drawn is refused."""
        if not isinstance(numbers, tuple) or len(numbers) not in (2, 3, 4):
            raise InvalidParameter(
                f"the series {name!r} must be (where, how high), and may end in a margin, or in low and high ends"
            )
        x, y = (_numbers(each, f"the series {name!r}") for each in numbers[:2])
        if x.shape != y.shape:
            raise InvalidParameter(f"the series {name!r} needs as many heights as places, got {len(y)} and {len(x)}")
        rows: list[Row] = [{"x": at, "y": high} for at, high in zip(x.tolist(), y.tolist(), strict=True)]
        if len(numbers) == 3:  # noqa: PLR2004 - with a margin
            margin = _numbers(numbers[2], f"the margins of {name!r}")
            if len(margin) not in (1, len(y)) or min(margin) < 0:
                raise InvalidParameter(f"the series {name!r} needs one margin >= 0, or as many as heights")
            _span(rows, y - margin, y + margin)
        if len(numbers) == 4:  # noqa: PLR2004 - with both ends of an interval
            low, high = (_numbers(each, f"the intervals of {name!r}") for each in numbers[2:])
            if low.shape != y.shape or high.shape != y.shape or (low > high).any():
                raise InvalidParameter(f"the series {name!r} needs an interval for each height, its low end first")
            _span(rows, low, high)
        return cls(kind, name, tuple(rows))

    @classmethod
    def of_bars(cls, name: str, heights: Mapping[str, Height]) -> "Layer":
        """Return the series of bars of these heights, by what they stand for; some may have intervals."""
        spans = [each if isinstance(each, tuple) else (None, each, None) for each in heights.values()]
        values = _numbers([each for _, each, _ in spans], f"the heights of {name!r}")
        rows: list[Row] = [{"x": str(label), "y": high} for label, high in zip(heights, values.tolist(), strict=True)]
        for row, (low, _, high) in zip(rows, spans, strict=True):
            if low is not None and high is not None:
                ends = _numbers([low, high], f"the intervals of {name!r}")
                row |= {"low": float(ends.min()), "high": float(ends.max())}
        return cls("bar", name, tuple(rows))

    def refuse_below_zero(self, *, log_x: bool, log_y: bool) -> None:
        """Raise if a logarithmic axis could not show all of it."""
        across = [float(row["x"]) for row in self.rows if log_x]
        upward = [float(row[key]) for row in self.rows if log_y for key in ("y", "low") if key in row]
        if min(across + upward, default=1.0) <= 0:
            raise InvalidParameter(f"the series {self.name!r} must be > 0 on a logarithmic axis: use a linear one")


def _span(rows: list[Row], low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
    """Give each row the ends of its interval."""
    for row, least, most in zip(rows, low.tolist(), high.tolist(), strict=True):
        row |= {"low": least, "high": most}


def _numbers(values: Any, what: str) -> NDArray[np.float64]:  # noqa: ANN401 - whatever the caller has
    try:
        array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (ValueError, TypeError):
        array = np.empty(0)
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        raise InvalidParameter(f"{what} must be a row of at least one finite number: leave out what is not")
    return array
