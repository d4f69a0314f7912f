"""Simulated columns: what computed columns would be if the noise had fallen otherwise, for all replicates at once.

Proof of coverage: let f be the computed number, x the exact numbers and r the released ones, r = x + z. Replicates are
f(r - z') for simulated z' of the same law. Where f is monotone in one weighted sum w of the numbers, its middle part
holds f(x) as often as w(z') <= q does: exactly the confidence. A quotient a/b of numbers with b above 0 is at most t
where a - t b <= 0, which is such a sum for each t: the ends are those t at which the released sum is at its own
quantile, which is Fieller's interval (1954), exact likewise. Elsewhere it is as good as f is smooth within its ends.
Where a divisor that is 0 or more in the data is 0 or less in a replicate, that replicate has no value, and counts
beyond both ends: the ends are then farther out, or missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from privet.query.answering.postprocess import post_process
from privet.query.answering.released_table import ReleasedTable, read_array
from privet.query.functions import call, substitute
from privet.query.measures.noise_margin import Floats
from privet.query.measures.readings import Count
from privet.query.measures.sampling import Sampled
from privet.query.measures.simulated_noise import noise_levels, shuffles
from privet.query.plan.released_window import ReleasedWindow, WindowFunction
from privet.query.plan.statement import Output
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Facts, Type

LINE = Column("line", Facts(Type.INTEGER, nullable=False))  # of a released row
REPLICATE = Column("replicate", Facts(Type.INTEGER, nullable=False))
DIVIDES = {"divide", "integer_divide", "modulo"}
KEEPS_SIGN = {"add", "multiply", "divide", "cast_real", "cast_integer", "nullif", "coalesce", "greatest", "least"}
KEEPS_SIGN |= {"round", "floor", "ceil", "abs", "sqrt"}
OF_SIGNS = {WindowFunction.SUM, WindowFunction.AVG, WindowFunction.MIN, WindowFunction.MAX}


@dataclass(frozen=True)
class Replicates:
    """A released table once for each replicate, one after the other.

    Args:
        columns: the released ones, then the line and the number of the replicate.
        table: the values.
        number: of replicates.
    """

    columns: tuple[Column, ...]
    table: pa.Table
    number: int


def replicated(
    released: ReleasedTable, rows: Sequence[int], number: int, *, apart: bool, sampled: Sampled | None = None
) -> Replicates:
    """The released table with other noise, `number` times.

    Args:
        released: the table.
        rows: which of its rows.
        number: of replicates.
        apart: whether every row has noise of its own, as it must where rows are added up or compared; else all rows
            have the same simulated noise, which is enough for each row alone.
        sampled: where other samples of the population are simulated too: which.
    """
    stage = released.stage
    simulated = []
    first = released.first if apart else 0
    for place, numbers in enumerate(released.numbers):
        noise = stage.noise_of(place)
        many = numbers.size if apart else numbers.shape[1]
        if noise is None:
            simulated.append(np.broadcast_to(numbers[rows], (number, len(rows), numbers.shape[1])))
        else:
            simulated.append(_less_noise(numbers, noise_levels(noise, number), rows, first, apart=apart))
        first += many
    if sampled is not None:
        moved = sampled.noise(released.numbers, number, released.first if apart else 0, apart=apart)
        simulated = [
            cells if measure is None else np.asarray(cells - move[:, rows])
            for cells, move, measure in zip(simulated, moved, sampled.measures, strict=True)
        ]
    lines = np.tile(np.asarray(rows, dtype=np.int64), number)
    keys = len(stage.needs.aggregate.keys)
    arrays = [released.table.column(place).take(pa.array(lines)) for place in range(keys)]
    for reading in stage.needs.readings:
        cells = simulated[reading.draw]
        arrays.append(read_array(reading, cells.reshape(number * len(rows), cells.shape[2])))
    arrays += [pa.array(lines), pa.array(np.repeat(np.arange(number), len(rows)))]
    table = pa.table(dict(zip([f"c{place}" for place in range(len(arrays))], arrays, strict=True)))
    return Replicates((*released.columns, LINE, REPLICATE), table, number)


def _less_noise(numbers: Floats, levels: Floats, rows: Sequence[int], first: int, *, apart: bool) -> Floats:
    """Replicates × rows × cells."""
    cells = numbers.shape[1]
    wanted = numbers[rows]
    if not apart:
        noise = levels[shuffles(first + cells, len(levels))[first:]].T[:, None, :]
    else:
        orders = shuffles(first + numbers.size, len(levels))[first:].reshape(len(numbers), cells, len(levels))
        noise = levels[orders[rows]].transpose(2, 0, 1)
    return np.asarray(wanted[None, :, :] - noise)


def simulated_table(
    output: Output,
    items: Sequence[tuple[Column, Expression]],
    table: pa.Table,
    columns: Sequence[Column],
    counts: frozenset[Column],
) -> pa.Table:
    """The items in all replicates.

    Args:
        output: with the condition, if it is simulated too, and the windows that items may use.
        items: what is computed.
        table: the rows of all replicates.
        columns: of the table; REPLICATE is among them.
        counts: columns that are never below 0 in the data.
    """
    signs = never_negative(counts, output.windows)
    windows = tuple(
        (column, seen_apart(window).changed(lambda each: guard(each, signs))) for column, window in output.windows
    )
    guarded = tuple((column, guard(expression, signs)) for column, expression in items)
    order = tuple((Reference(each), False) for each in (REPLICATE, LINE) if each in columns)
    condition = None if output.condition is None else guard(output.condition, signs)
    return post_process(Output(guarded, condition, order, windows=windows), table, columns)


def simulated_values(
    output: Output, items: Sequence[tuple[Column, Expression]], replicates: Replicates, counts: frozenset[Column]
) -> list[Floats]:
    """Replicates × rows of each item; NaN where there is no value. All rows that windows see are replicated."""
    every = replace(output, condition=None)
    table = simulated_table(every, items, replicates.table, replicates.columns, counts)
    return [_floats(table.column(place), replicates.number) for place in range(len(items))]


def seen_apart(window: ReleasedWindow) -> ReleasedWindow:
    """The window within each replicate."""
    return replace(window, partition=(*window.partition, Reference(REPLICATE)))


def _floats(column: pa.ChunkedArray, number: int) -> Floats:
    values = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.asarray(values, dtype=np.float64).reshape(number, -1)


def never_negative(counts: frozenset[Column], windows: Sequence[tuple[Column, ReleasedWindow]]) -> frozenset[Column]:
    """The columns that are 0 or more in the data: counts, and windows over them."""
    seen = {
        column
        for column, window in windows
        if window.function in OF_SIGNS and is_never_negative(window.arguments[0], counts)
    }
    return counts | seen


def counts_of(released: ReleasedTable) -> frozenset[Column]:
    """The released columns that are 0 or more in the data."""
    return frozenset(column for column, reading in released.readings.items() if isinstance(reading, Count))


def is_never_negative(expression: Expression, columns: frozenset[Column]) -> bool:
    """Whether it is 0 or more in the data, as far as its parts tell."""
    if isinstance(expression, Literal):
        return isinstance(expression.value, int | float) and expression.value >= 0
    if isinstance(expression, Reference):
        return expression.column in columns
    arguments = expression.arguments
    if expression.function == "case":
        arguments = (*arguments[1::2], arguments[-1])
    elif expression.function not in KEEPS_SIGN:
        return False
    elif expression.function in {"round", "nullif"}:
        arguments = arguments[:1]
    return all(is_never_negative(each, columns) or _is_null(each) for each in arguments)


def _is_null(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is None


def guard(expression: Expression, columns: frozenset[Column]) -> Expression:
    """The expression, without a value where a divisor that is never below 0 in the data is not above 0."""

    def swap(part: Expression) -> Expression | None:
        if not (isinstance(part, Call) and part.function in DIVIDES):
            return None
        top, bottom = (guard(each, columns) for each in part.arguments)
        if not is_never_negative(part.arguments[1], columns) or isinstance(bottom, Literal):
            return call(part.function, top, bottom)
        positive = call("gt", bottom, Literal(0, Type.INTEGER))
        above = call("case", positive, bottom, Literal(None, facts_of(bottom).type))
        return call(part.function, top, above)

    return substitute(expression, swap)
