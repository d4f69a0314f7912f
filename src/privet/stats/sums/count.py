"""count: how many rows there are, or how many of them are true."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, Unpack

import numpy as np

from privet.asking.asking import Asking
from privet.asking.called_as import called_as
from privet.asking.column import ANYTHING, NUMBERS, ArrayColumn
from privet.asking.question import Arrays, Question
from privet.core import Release, Sensitivity
from privet.core.like_its_value import Sampling
from privet.errors import InvalidParameter
from privet.loss.exact import shown
from privet.postprocessing.sampling import mean_deviation
from privet.stats.sampled_units import SampledUnits


@called_as("count(ages, epsilon=1)")
def count(values: Any, *, of: Literal["rows", "true"] | None = None, **asking: Unpack[Asking]) -> Release[Any]:  # noqa: ANN401 - any column
    """Return how many values are there (not missing), or how many are true.

    Args:
        values: a column.
        of: "true" counts values other than zero and False, "rows" all that are not missing. By default "true" for a
            column whose type is boolean, and "rows" for all others, a plain list included. In object arrays and in
            pandas, where one missing value hides that a column is boolean, a row counts unless it is False or missing.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing.

    Privacy: one unit moves the count by at most its rows, whether added, removed or replaced. Under "replace" the
        number of rows itself may be public, and then there is nothing to ask.

    Example:
        >>> ill = np.array([True, False, True, True])
        >>> answer = count(ill, epsilon=1, unit="patient")
        >>> answer.margin(0.95), answer.mechanism
        (3.0, 'DiscreteLaplace(l1_sensitivity=1, scale=1)')
    """
    if of is not None and str(of) not in {"rows", "true"}:
        raise InvalidParameter(f'of must be "rows" or "true", got {shown(of)}')
    column = ArrayColumn.of(values)
    truths = of == "true" or (of is None and column.kind == "truth")
    column.refuse_other_than(NUMBERS if truths else ANYTHING, "values")
    plain = asking.get("unit_ids") is None and asking.get("missing", "drop") == "drop"
    counted = column if truths else column.presence(as_false=plain, but_false=of is None and column.mixed)
    question = Question.of("count", (counted,), asking)
    if question.public_rows and not truths:
        raise InvalidParameter(
            "the number of rows is public here, because units are replaced and none is missing: it is len(values)"
        )
    fill = _filled(question.missing) if truths else int(question.missing != "drop")
    found = question.release(lambda arrays: _true(arrays, fill), Sensitivity(question.rows), integers=True)
    return replace(found, sampling=_sampling(question, float(found.value)))


def _sampling(question: Question, counted: float) -> Sampling:
    """Of a public number of rows, the true ones are a share; else how many rows there are is random too."""
    units, rows = SampledUnits.of(question), question.length if question.public_rows else 0
    return units.differ(rows * mean_deviation(counted / rows, rows)) if rows else units.counts(counted)


def _filled(missing: Fraction | str) -> int:
    """What a missing value counts as among true ones."""
    return 0 if isinstance(missing, str) else int(missing != 0)


def _true(arrays: Arrays, fill: int) -> int:
    """How many values are not zero; a missing one counts as `fill`."""
    array = arrays[0]
    if array.dtype.kind != "f":
        return int(np.count_nonzero(array))
    absent = int(np.count_nonzero(np.isnan(array)))
    return int(np.count_nonzero(array != 0)) - absent + fill * absent  # NaN is not zero
