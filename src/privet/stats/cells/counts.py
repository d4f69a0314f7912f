"""counts: many counting questions about the same rows, for one price."""

from collections.abc import Callable, Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.called_as import called_as
from privet.asking.column import ANYTHING, NUMBERS, ArrayColumn
from privet.asking.question import Arrays, Question
from privet.asking.stored import Read, nothing_missing
from privet.errors import InvalidParameter
from privet.loss.exact import whole
from privet.mechanisms.quietly import quietly
from privet.postprocessing.labeled_counts import LabeledCounts
from privet.stats.cells.cell_moves import cell_moves
from privet.stats.sampled_units import sampled_counts


@called_as('counts({"old": ages > 65, "ill": ill}, epsilon=1)')
def counts(
    queries: Any,  # noqa: ANN401 - columns, or functions of a column, by name
    *,
    values: Any = None,  # noqa: ANN401 - any column
    per_row: int | None = None,
    **asking: Unpack[Asking],
) -> LabeledCounts:
    """Return how many rows each of several questions is true for.

    Args:
        queries: the questions by name: columns of true and false (one row each), or functions of one value, which
            are asked about every row of `values` by itself. A list instead of names is numbered.
        values: a column; only for functions.
        per_row: in how many of the questions one row can count, if not in all: 1 for questions that exclude each other.
            It is kept, not believed: a row counts in the first so many that are true for it.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing. What is missing is not true.

    Privacy: a row moves every count by at most 1, so m counts together by m (by `per_row`, or twice that if units are
        replaced, where that is less). One price for all, and one noise: Laplace, or Gaussian with a delta where many
        counts make it the smaller.
    Proof: see `cell_moves`. A function sees one value at a time, so a row cannot depend on another.

    Example:
        >>> answer = counts({"old": [True, False, True], "ill": [True, False, False]}, epsilon=1)
        >>> answer.mechanism, answer.labels
        ('DiscreteLaplace(l1_sensitivity=2, scale=2)', ('old', 'ill'))
        >>> asked = {"old": lambda age: age > 65, "child": lambda age: age < 18}
        >>> counts(asked, values=[70, 5], per_row=1, epsilon=1).mechanism
        'DiscreteLaplace(l1_sensitivity=1, scale=1)'
    """
    named = _named(queries)
    most = len(named) if per_row is None else min(whole(per_row, "per_row"), len(named))
    columns = tuple(_column(query, values, name) for name, query in named.items())
    question = Question.of("counts", columns, asking)
    if not isinstance(question.missing, str):
        raise InvalidParameter('missing must be "drop" or "none" for counts: what is missing is not true')
    sensitivity = cell_moves(question, len(named), per_row=most)
    released = question.release(lambda arrays: _counted(arrays, most), sensitivity, integers=True)
    return LabeledCounts.of(sampled_counts(question, released), (tuple(named),))


def _named(queries: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever a caller hands over
    if isinstance(queries, Mapping):
        named = {str(name): query for name, query in queries.items()}
    elif isinstance(queries, list | tuple):
        named = {str(number): query for number, query in enumerate(queries)}
    else:
        raise InvalidParameter(f"queries must be columns or functions by name, got {type(queries).__name__}")
    if not named:
        raise InvalidParameter("queries must hold at least one question, got none")
    return named


def _column(query: Any, values: Any, name: str) -> ArrayColumn:  # noqa: ANN401 - whatever a caller hands over
    """The column of true and false that answers one question; what is missing or no truth value is not true."""
    if isinstance(query, str):
        raise InvalidParameter(
            f"the question {name!r} must be a column of true and false, or a function of one value, got str: how often "
            "each of some labels occurs is histogram(cities, categories=[…])"
        )
    if not callable(query):
        column = ArrayColumn.of(query, name)
        column.refuse_other_than(("truth", *NUMBERS), name)
        return _filled(column)
    if values is None:
        raise InvalidParameter(f"the question {name!r} is a function, so it needs values, the column it is asked about")
    return _asked(query, ArrayColumn.of(values))


def _filled(column: ArrayColumn) -> ArrayColumn:
    def read() -> Read:
        values, missing = column.truth().read()
        return nothing_missing(values & ~missing)

    return ArrayColumn(column.length, "truth", column.dtype, nullable=False, read=read)


def _asked(function: Callable[[Any], Any], column: ArrayColumn) -> ArrayColumn:
    column.refuse_other_than(ANYTHING, "values")

    def answer(value: Any) -> bool:  # noqa: ANN401 - whatever a row holds
        return quietly(lambda: bool(function(value)), default=False)  # one row must not stop the others, nor say why

    def read() -> Read:
        found = column.read()[0].tolist()
        absent = column.presence().read()[1]
        known = (~absent).tolist()
        return nothing_missing(
            np.array([there and answer(v) for v, there in zip(found, known, strict=True)], dtype=np.bool_)
        )

    return ArrayColumn(column.length, "truth", column.dtype, nullable=False, read=read)


def _counted(arrays: Arrays, most: int) -> NDArray[np.int64]:
    """How many rows are true in each column, a row counting in the first `most` of its own only."""
    if most >= len(arrays):
        return np.array([np.count_nonzero(array) for array in arrays], dtype=np.int64)
    used = np.zeros(len(arrays[0]), dtype=np.int64)
    found = []
    for array in arrays:
        taken = array.astype(np.bool_) & (used < most)
        used += taken
        found.append(np.count_nonzero(taken))
    return np.array(found, dtype=np.int64)
