"""sample_and_aggregate: what any function says, asked about many small blocks of the data."""

from collections.abc import Callable, Iterable
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.called_as import called_as
from privet.asking.column import ArrayColumn
from privet.asking.payment import Payment
from privet.asking.table import Table
from privet.core import Release, Sensitivity
from privet.errors import InvalidParameter
from privet.mechanisms import GroupedRows, SampleAndAggregate


@called_as("sample_and_aggregate(np.median, ages, blocks=100, bounds=(0, 110), epsilon=1)")
def sample_and_aggregate(
    f: Callable[[NDArray[Any]], Any],
    data: Any,  # noqa: ANN401 - rows in an array, a list or a frame
    *,
    blocks: int,
    bounds: Iterable[Any],
    **asking: Unpack[Asking],
) -> Release[Any]:
    """Release the mean of f over random blocks of the rows, whatever f computes.

    Args:
        f: a function of a block's rows (a numpy array, perhaps empty) to a number, or an array of numbers.
        data: rows on the first axis. A numpy array is handed on as it is; a list of numbers, a column or a frame
            becomes an array of float64, NaN where a value is missing or not a number.
        blocks: how many. The noise falls as 1/blocks, and the blocks grow smaller.
        bounds: public lowest and highest answer, one pair or one for each number. Answers are clipped to them.
        asking: epsilon, delta, ledger, purpose, key, neighbors, unit; and unit_ids, one for each row: all rows of a
            unit stay together, however many they are, and rows without an id are one unit. See `Asking`.

    Privacy: as `SampleAndAggregate`: (epsilon, delta)-DP under either neighbor relation. The margin is of the noise:
        how far the answer lies from the mean of the block answers, not from f of all the data.

    Example:
        >>> ages = np.linspace(20, 60, 10_001)
        >>> median = sample_and_aggregate(np.median, ages, blocks=100, bounds=(0, 100), epsilon=1)
        >>> round(median.margin(0.95), 2), abs(median.value - 40) < 20
        (3.0, True)
    """
    payment = Payment.of("sample_and_aggregate", asking, also=("unit_ids",))
    if payment.price.epsilon is None:
        raise InvalidParameter("sample_and_aggregate is priced by epsilon, or epsilon and delta: give one of these")
    mechanism = SampleAndAggregate(
        f, blocks=blocks, bounds=bounds, epsilon=payment.price.epsilon, delta=payment.price.delta
    )
    if isinstance(data, np.ndarray):
        mechanism.check(data)
    table = Table.of(data)
    owners = None if asking.get("unit_ids") is None else ArrayColumn.of(asking["unit_ids"], "unit_ids")
    if owners is not None and owners.length != table.length:
        raise InvalidParameter("unit_ids must hold one id for each row")
    return payment.release(lambda: _rows(table, owners), Sensitivity(1), mechanism)


def _rows(table: Table, owners: ArrayColumn | None) -> NDArray[Any] | GroupedRows:
    """The rows in an array whose type no row can change."""
    return table.read() if owners is None else GroupedRows(table.read(), owners.owners())
