"""histogram, histogram2d: how many rows lie in each bin or have each label."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.called_as import called_as
from privet.asking.column import ArrayColumn
from privet.asking.labeled import distinct_labels, labeled
from privet.asking.question import Arrays, Question
from privet.errors import InvalidParameter
from privet.loss.exact import shown
from privet.postprocessing.labeled_counts import LabeledCounts, Labels
from privet.stats.cells.binning import Edges, bin_counts, bin_labels, bin_numbers, increasing_edges
from privet.stats.cells.cell_moves import cell_moves
from privet.stats.sampled_units import sampled_counts

OTHER = "other"
Outside = Literal["drop", "clip"]


@dataclass(frozen=True)
class Axis:
    """One axis of a histogram: bins between edges, or a list of labels.

    Args:
        labels: of the cells, in words.
        edges: the edges of bins; None for labels.
        column: what is binned, read after the charge.
        clip: whether values beyond the edges count in the end bins; for labels, whether there is a cell for the others.
    """

    labels: Labels
    edges: Edges | None
    column: ArrayColumn
    clip: bool

    @classmethod
    def of(cls, values: Any, *, edges: Any, categories: Any, outside: str, other: bool) -> "Axis":  # noqa: ANN401 - the caller's own
        """Return the axis, or refuse it with the reason; nothing is read."""
        if (edges is None) == (categories is None):
            raise InvalidParameter(
                "give either edges, such as edges=range(0, 111, 10), or categories, a list of the labels to count: "
                "what can be counted must be public, so it is not taken from the data"
            )
        if str(outside) not in {"drop", "clip"}:
            raise InvalidParameter(f'outside must be "drop" or "clip", got {shown(outside)}')
        if categories is None:
            if other is not False:
                raise InvalidParameter('other goes with categories: for edges use outside="clip"')
            known = increasing_edges(edges)
            return cls(bin_labels(known), known, ArrayColumn.of(values), outside == "clip")
        labels = distinct_labels(categories)
        if not isinstance(other, bool):
            raise InvalidParameter(f"other must be True or False, got {shown(other)}")
        words = tuple(map(str, labels)) + ((OTHER,) if other else ())
        return cls(words, None, labeled(values, labels), other)

    def counts(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """How many values lie in each cell."""
        if self.edges is not None:
            return bin_counts(values, self.edges, clip=self.clip)
        numbers = self.numbers(values)
        return np.bincount(numbers[numbers >= 0], minlength=len(self.labels)).astype(np.int64)

    def numbers(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """The cell of each value, -1 for none."""
        if self.edges is not None:
            return bin_numbers(values, self.edges, clip=self.clip).astype(np.int64)
        absent = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=np.bool_)
        numbers = np.where(absent, -1, values).astype(np.int64)
        if self.clip:
            numbers[(numbers < 0) & ~absent] = len(self.labels) - 1
        return numbers


@called_as("histogram(ages, edges=range(0, 111, 10), epsilon=1)")
def histogram(
    values: Any,  # noqa: ANN401 - any column
    *,
    edges: Any = None,  # noqa: ANN401 - any increasing numbers
    categories: Any = None,  # noqa: ANN401 - any labels
    outside: Outside = "drop",
    other: bool = False,
    **asking: Unpack[Asking],
) -> LabeledCounts:
    """Return how many values lie in each bin, or how many rows have each label.

    Args:
        values: a column; of numbers for edges, of anything for categories.
        edges: increasing numbers. Bins hold their left edge, the last one both, as numpy's do.
        categories: the labels to count, each once; give either edges or these. Both must be public.
        outside: values beyond the edges: "drop" (count nowhere) or "clip" (count in the first and the last bin).
        other: with categories, True adds a last cell for all other labels; without it they count nowhere.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing. A missing value counts nowhere, or as the
            number that `missing` names.

    Privacy: a row lies in one cell, so a unit with k rows moves the counts by k in all if it comes or goes, and by 2k
        if it is replaced: out of some cells, into others. All counts together cost one price.
    Proof: see `cell_moves`.

    Example:
        >>> answer = histogram([31, 44, 47, 68], edges=range(0, 111, 10), epsilon=1, neighbors="replace")
        >>> answer.labels[3], answer.value.shape, answer.mechanism
        ('[30, 40)', (11,), 'DiscreteLaplace(l1_sensitivity=2, scale=2)')
        >>> answer.margin(0.95), answer.margin(0.95, simultaneous=True)
        (6.0, 11.0)
    """
    axis = Axis.of(values, edges=edges, categories=categories, outside=outside, other=other)
    question = Question.of("histogram", (axis.column,), asking)
    fill = filling(question, axis)
    released = question.release(
        lambda arrays: axis.counts(fill(arrays[0])), cell_moves(question, len(axis.labels)), integers=True
    )
    sampled = sampled_counts(question, released)
    return LabeledCounts.of(sampled, (axis.labels,), (axis.edges,))


@called_as('histogram2d(ages, wards, edges=(range(0, 111, 10), None), categories=(None, ["a", "b"]), epsilon=1)')
def histogram2d(  # noqa: PLR0913 - two columns and their cells, each by name
    first: Any,  # noqa: ANN401 - any column
    second: Any,  # noqa: ANN401 - any column
    *,
    edges: tuple[Any, Any] = (None, None),
    categories: tuple[Any, Any] = (None, None),
    outside: Outside = "drop",
    other: bool = False,
    **asking: Unpack[Asking],
) -> LabeledCounts:
    """Return how many rows lie in each cell of a table: the first column downwards, the second across.

    Args:
        first: a column.
        second: another column of the same length.
        edges: a pair, one for each column; None for a column with categories.
        categories: a pair, one for each column; None for a column with edges.
        outside: as in `histogram`.
        other: as in `histogram`, for columns with categories.
        **asking: see `Asking`: epsilon, delta, rho, mechanism, ledger, purpose, key, neighbors, unit, unit_ids,
            rows_per_unit, times, window, rows_per_time, missing. A row that misses either value counts nowhere.

    Privacy: as `histogram`: a row lies in one cell of the table, however many cells there are.

    Example:
        >>> ages, wards = [31, 62, 70], ["a", "b", "b"]
        >>> answer = histogram2d(ages, wards, edges=([0, 50, 100], None), categories=(None, ["a", "b"]), epsilon=1)
        >>> answer.value.shape, answer.axes
        ((2, 2), (('[0, 50)', '[50, 100]'), ('a', 'b')))
    """
    axes = tuple(
        Axis.of(
            values,
            edges=_of_pair(edges, place, "edges"),
            categories=_of_pair(categories, place, "categories"),
            outside=outside,
            other=other if _of_pair(categories, place, "categories") is not None else False,
        )
        for place, values in enumerate((first, second))
    )
    question = Question.of("histogram2d", tuple(axis.column for axis in axes), asking)
    cells = len(axes[0].labels) * len(axes[1].labels)
    fills = [filling(question, axis) for axis in axes]

    def compute(arrays: Arrays) -> NDArray[np.int64]:
        rows, columns = (axis.numbers(fill(array)) for axis, fill, array in zip(axes, fills, arrays, strict=True))
        inside = (rows >= 0) & (columns >= 0)
        flat = rows[inside] * len(axes[1].labels) + columns[inside]
        return np.bincount(flat, minlength=cells).astype(np.int64)

    released = question.release(compute, cell_moves(question, cells), integers=True)
    return LabeledCounts.of(
        sampled_counts(question, released), tuple(axis.labels for axis in axes), tuple(axis.edges for axis in axes)
    )


def filling(question: Question, axis: Axis) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Return what puts the number that `missing` names in place of missing values, which count nowhere else."""
    if isinstance(question.missing, str):
        return lambda values: values
    if axis.edges is None:
        raise InvalidParameter(
            'missing must be "drop" or "none" for categories: list a label for missing values instead'
        )
    number = float(question.missing)
    return lambda values: np.where(np.isnan(values), number, values) if values.dtype.kind == "f" else values


def _of_pair(pair: Any, place: int, name: str) -> Any:  # noqa: ANN401 - whatever a caller hands over
    if not isinstance(pair, tuple | list) or len(pair) != 2:  # noqa: PLR2004 - two columns
        raise InvalidParameter(
            f"{name} must be a pair, one for each column (None where it has none), got {shown(pair)}"
        )
    return pair[place]
