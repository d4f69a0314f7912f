"""proportion: the share of true values."""

from fractions import Fraction
from typing import Any, Unpack

from privet.asking.asking import Asking
from privet.asking.bounds import Bounds
from privet.asking.called_as import called_as
from privet.asking.column import NUMBERS, ArrayColumn
from privet.asking.question import Question
from privet.core import Release
from privet.stats.sums.mean import mean_of


@called_as("proportion(ill, epsilon=1)")
def proportion(values: Any, **asking: Unpack[Asking]) -> Release[Any]:  # noqa: ANN401 - any column
    """Return the share of the values that are true (not zero, not False) among those that are not missing.

    Args:
        values: a column of true and false, or of numbers.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing.

    Privacy: that of `mean` with bounds 0 and 1: if the number of rows n is public, one row moves it by 1/n; else the
        numbers of true and of false values are released together, of which one row moves one.

    Example:
        >>> import numpy as np
        >>> answer = proportion(np.array([True, False, True, True]), epsilon=1, neighbors="replace")
        >>> answer.mechanism
        '0.25 × Staircase(sensitivity=1, epsilon=1)'
    """
    question = Question.of("proportion", (ArrayColumn.of(values).truth(),), asking, kinds=NUMBERS)
    return mean_of(question, Bounds(Fraction(0), Fraction(1)))
