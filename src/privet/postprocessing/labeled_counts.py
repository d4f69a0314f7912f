"""LabeledCounts: released counts that know what they count."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.core import Release
from privet.core.release import CONFIDENCE
from privet.errors import InvalidParameter
from privet.loss.exact import whole
from privet.postprocessing.simplex import nonnegative, whole_numbers, with_total

Labels = tuple[str, ...]
ROWS = 24  # of a table that are printed
TRIED = 64  # thresholds that are compared


@dataclass(frozen=True, repr=False, eq=False)
class LabeledCounts(Release[NDArray[Any]]):
    """A release whose value is an array of counts, with the labels of every axis.

    Args:
        axes: the labels along each axis of the value.
        edges: the edges of the bins along each axis; None where it has categories.

    Privacy: labels and edges are the caller's own; the views below see released numbers only, so they are free. They
        are never applied silently: the value itself stays unbiased, which cut-off counts are not.
    """

    axes: tuple[Labels, ...]
    edges: tuple[NDArray[Any] | None, ...]

    @classmethod
    def of(
        cls, release: Release[Any], axes: tuple[Labels, ...], edges: tuple[NDArray[Any] | None, ...] = ()
    ) -> "LabeledCounts":
        """Return the release with labels."""
        shaped = np.asarray(release.value).reshape([len(labels) for labels in axes])
        known = edges or (None,) * len(axes)
        parts = (release.loss, release.purpose, release.mechanism, release.unit)
        more: dict[str, Any] = {"gamma": release.gamma, "sampling": release.sampling}
        return cls(shaped, release.uncertainty, *parts, axes, known, **more)

    @property
    def labels(self) -> Labels:
        """The labels along the first axis."""
        return self.axes[0]

    def to_dict(self) -> dict[str, Any]:
        """The counts by label; of two axes, by label and label."""
        if self.value.ndim == 1:
            return dict(zip(self.labels, self.value.tolist(), strict=True))
        return {
            label: dict(zip(self.axes[1], row, strict=True))
            for label, row in zip(self.labels, self.value.tolist(), strict=True)
        }

    def nonnegative(self) -> "LabeledCounts":
        """The nearest counts that are not negative. Their error is no longer symmetric, so its law is dropped."""
        return self._seen(np.rint(nonnegative(self.value)).astype(np.int64))

    def thresholded(self, confidence: float | None = None) -> "LabeledCounts":
        """The counts that are likely more than noise; all others are zero. For histograms with mostly empty cells.

        Args:
            confidence: of the margin that a count must exceed. An empty cell is shown with half the rest. By default
                the counts decide (`least_shown`).

        Where cells are mostly empty their noise adds up to more than what small cells hold, and the sum of all errors
        falls: among 10,000 cells of which 300 are filled, to a third of what `with_total` leaves. Where few are empty
        it rises. Counts that stay are as they were; zeros are biased downwards, so the law of the error is dropped.

        Example:
            >>> from privet import histogram
            >>> answer = histogram(["a"] * 500, categories=["a", "b", "c"], epsilon=5)
            >>> answer.thresholded(0.999999).value[1:].tolist()
            [0, 0]
        """
        least = least_shown(self) if confidence is None else self.margin(confidence)
        return self._seen(np.where(self.value > least, self.value, 0))

    def with_total(self, total: Any, *, whole_counts: bool = False) -> "LabeledCounts":  # noqa: ANN401 - a number or a release
        """The nearest counts that are not negative and add up to a total.

        Args:
            total: a public number, such as the number of rows where units are replaced, or a release of a count.
            whole_counts: True rounds the counts to whole numbers that still add up; then the total is rounded too.
        """
        goal = total.value if isinstance(total, Release) else total
        if not np.isscalar(goal) or isinstance(goal, str | bool) or not np.isfinite(float(goal)):  # type: ignore[arg-type]
            raise InvalidParameter(f"total must be a number or the release of one, got {type(goal).__name__}")
        if whole_counts:
            aim = max(round(float(goal)), 0)  # type: ignore[arg-type]
            near: NDArray[Any] = whole_numbers(with_total(self.value, aim), aim)
        else:
            near = with_total(self.value, float(goal))  # type: ignore[arg-type]
        return self._seen(near, total if isinstance(total, Release) else None)

    def _seen(self, value: NDArray[Any], other: Release[Any] | None = None) -> "LabeledCounts":
        """Return a view, which has cost what the releases it was made of cost together."""
        if other is None:
            return replace(self, value=value, uncertainty=None)
        loss = self.loss + other.loss
        mechanism = f"{self.mechanism} with {other.mechanism}"
        gamma = self.gamma + other.gamma  # either sensitivity may fail
        return replace(self, value=value, uncertainty=None, loss=loss, mechanism=mechanism, gamma=gamma)

    def table(self, rows: int = ROWS) -> str:
        """The counts beside their labels, the first rows of them."""
        shown = [] if self.value.ndim == 1 else [("", *self.axes[1])]
        cells = self.value.reshape(len(self.labels), -1).tolist()
        shown += [(label, *map(_written, row)) for label, row in zip(self.labels, cells, strict=True)]
        most = whole(rows, "rows")
        widths = [max(map(len, column)) for column in zip(*shown[: most + 1], strict=True)]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
            for row in shown[:most]
        ]
        left = len(shown) - len(lines)
        return "\n".join([*lines, *([f"… {left:,} more"] if left else [])])

    def _shown(self) -> str:
        return self.table() if self.uncertainty is None else f"{self.table()}\n{self._margins()}"

    def _margins(self) -> str:
        each = self.margin(CONFIDENCE)
        together = self.margin(CONFIDENCE, simultaneous=True)
        return f"each ± {each:,.4g}, all together ± {together:,.4g} ({CONFIDENCE:.0%})"

    def _repr_html_(self) -> str:
        """What a notebook shows: a table of the counts, of one axis with whiskers, and what it cost."""
        from privet.display import Card, Column  # noqa: PLC0415 - for notebooks

        cells = self.value.reshape(len(self.labels), -1)[:ROWS]
        margin = None if self.uncertainty is None or self.value.ndim > 1 else self.margin(CONFIDENCE)
        columns = [Column("", self.labels[:ROWS])]
        for name, counts in zip(("count",) if self.value.ndim == 1 else self.axes[1], cells.T.tolist(), strict=True):
            spans = [] if margin is None else [(count - margin, count, count + margin) for count in counts]
            columns.append(Column(name, [_written(count) for count in counts], right=True, spans=spans))
        left = len(self.labels) - len(cells)
        said = repr(self).removeprefix(f"{self.table()}\n").split("\n")
        return Card(columns=columns, lines=(*([f"… {left:,} more"] if left else ()), *said)).html()


def _written(count: float) -> str:
    return f"{count:,}" if isinstance(count, int) else f"{count:,.1f}"


def least_shown(counts: Release[Any]) -> float:
    """Return the threshold above which counts are shown: noisy counts near it are as often filled cells as empty ones.

    It starts where hardly one cell of all would be shown by noise alone, and falls while, of the cells just above it,
    more are there than the noise of empty ones explains. (A count just above is off by as much if it is shown and the
    cell is empty as if it is not shown and the cell is filled.)
    """
    noisy = np.ravel(counts.value)
    law = counts.uncertainty
    if law is None:
        raise InvalidParameter("a view has no noise to compare with: take thresholded() of the counts themselves")
    highest = law.distance(min(2 / max(len(noisy), 2), 1 / 2))
    least, width = highest, max(highest / TRIED, 1.0)  # counts are whole numbers
    for tried in np.arange(highest, 0, -width):
        by_noise = len(noisy) * (law.tail(tried) - law.tail(2 * tried)) / 2
        filled = np.count_nonzero((noisy > tried) & (noisy <= 2 * tried)) - by_noise
        just_above = len(noisy) * (law.tail(tried) - law.tail(tried + width)) / 2
        if just_above > filled * width / tried:
            break
        least = float(tried)
    return least
