"""Margins: the two ends beside every number of an answer, or why it has none. All of it is post-processing.

An aggregate as it was released has the interval of its reading. What is computed from several has an exact one where it
is a weighted sum of them (`functions/weighted_sum.py`), and a simulated one otherwise (`simulated_columns.py`). Which
rows an answer shows is taken as given: HAVING, QUALIFY and LIMIT are not simulated.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.query.answering.postprocess import post_process
from privet.query.answering.quantile_ends import quantile_ends, why_no_ends
from privet.query.answering.released_table import ReleasedTable, number_array
from privet.query.answering.simulated_columns import (
    LINE,
    counts_of,
    is_never_negative,
    never_negative,
    replicated,
    simulated_values,
)
from privet.query.functions.weighted_sum import weighted_sum
from privet.query.measures.noise_margin import Floats, Noise, sum_margin
from privet.query.measures.readings import Average, Count, Linear, Reading, Total
from privet.query.measures.request import Shape
from privet.query.measures.sampling import Sampled
from privet.query.measures.sampling import why_not as no_sample
from privet.query.measures.simulated_noise import ends_of, replicates_for
from privet.query.measures.told_counts import told_ends
from privet.query.plan.statement import Output
from privet.query.scalars.expressions import Call, Column, Expression, Reference, columns_in
from privet.query.scalars.facts import Type

Ends = tuple[Floats, Floats]
Items = list[tuple[Column, Expression]]
MOST_ROWS = 4_000_000  # that are simulated, all replicates together
FEWEST = 0.4  # of the replicates that the confidence asks for, where there are many rows
NEARLY_ALL = 0.9  # of what the bounds allow

DISTINCT = "SELECT DISTINCT puts rows together whose numbers have margins of their own; leave DISTINCT out"
NAMED = "another column of the answer is called {0}_low or {0}_high; rename it"
CONFIDENCE = "a simulated one would take too long at this confidence; ask for 0.99 or less"
MANY = "a simulated one would take too long for so many rows; ask for fewer groups"
FAILED = "it could not be simulated"
OF_SAMPLES = 'how far it varies between samples is not computed; ask for interval="data"'
LARGEST = (
    "of its variance the largest is taken that mean and bounds allow; ask for STDDEV(x) beside it for a narrower one"
)


@dataclass(frozen=True)
class Margins:
    """An answer's table with the ends of its intervals, and what is said of the numbers that have none.

    Args:
        table: after a column x that has an interval come x_low and x_high; an end of NULL has no bound.
        intervals: the columns that have one.
        simulated: those of them whose interval is simulated.
        without: why a number that noise is in has no interval, by column.
        unclear: the rows, from 0, in which a number says next to nothing, by column.
        notes: what else a reader should know of an interval, by column.
    """

    table: pa.Table
    intervals: tuple[str, ...] = ()
    simulated: tuple[str, ...] = ()
    without: Mapping[str, str] = field(default_factory=dict)
    unclear: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """The rows that an output shows of a released table.

    Args:
        table: as it is shown.
        lines: which released row each is; None where DISTINCT put rows together.
    """

    table: pa.Table
    lines: list[int] | None


def shown_rows(released: ReleasedTable, output: Output) -> Shown:
    """What an output makes of a released table."""
    return rows_of(released.table, released.columns, output)


def rows_of(table: pa.Table, columns: Sequence[Column], output: Output) -> Shown:
    """What an output makes of a table."""
    if output.distinct:
        return Shown(post_process(output, table, columns), None)
    lines = pa.array(np.arange(table.num_rows, dtype=np.int64))
    with_line = replace(output, items=(*output.items, (LINE, Reference(LINE))))
    found = post_process(with_line, table.append_column("line", lines), (*columns, LINE))
    last = found.num_columns - 1
    return Shown(found.remove_column(last), found.column(last).to_pylist())


@dataclass(frozen=True)
class ColumnMargins:
    """Finds the ends of one released table's columns.

    Args:
        released: the table.
        output: what is shown of it.
        confidence: of each interval alone.
        population: whether an interval is for the population that the units are a sample of.
    """

    released: ReleasedTable
    output: Output
    confidence: float
    population: bool = False

    def of(self, shown: Shown) -> Margins:
        """The shown rows with their margins."""
        noisy = [(column, each) for column, each in self.output.items if self.readings(each)]
        noisy = [(column, each) for column, each in noisy if column.facts.type not in {Type.TEXT, Type.BOOLEAN}]
        without = {column.name: why for column, each in noisy if (why := self._why_not(column, each))}
        if shown.lines is None:
            return Margins(shown.table, without={column.name: DISTINCT for column, _ in noisy} | without)
        ends: dict[str, Ends] = {}
        simulated = []
        for column, expression in noisy:
            if column.name in without:
                continue
            known = self._known(expression)
            if known is None:
                simulated.append((column, expression))
            else:
                ends[column.name] = (known[0][shown.lines], known[1][shown.lines])
        for some, sampled in self._alike(simulated):
            found = self._simulated(some, shown.lines, sampled)
            if isinstance(found, str):
                without |= {column.name: found for column, _ in some}
            else:
                ends |= found
        unclear = {}
        for column, expression in noisy:
            if column.name in ends:
                cells = shown.table.column(column.name)
                if places := self._unclear(expression, cells, *ends[column.name]):
                    unclear[column.name] = places
        names = tuple(column.name for column, _ in noisy if column.name in ends)
        guessed = tuple(column.name for column, _ in simulated if column.name in ends)
        notes = {column.name: LARGEST for column, each in noisy if column.name in ends and self._largest(each)}
        return Margins(with_ends(shown.table, self.output, ends), names, guessed, without, unclear, notes)

    def _alike(self, items: Items) -> list[tuple[Items, Sampled | None]]:
        """Items that are simulated together: all, or for a population those that are read off the same draws alike."""
        if not self.population:
            return [(items, None)]
        found: dict[Sampled, Items] = {}
        for item in items:
            found.setdefault(self.sampled(self.readings(item[1])), []).append(item)
        return [(some, sampled) for sampled, some in found.items()]

    def sampled(self, readings: Sequence[Reading], *, stages: int = 0) -> Sampled:
        """Other samples of the units, as what is read off their numbers, and perhaps off those of stages, sees them."""
        draws = {each.draw for each in readings}
        more = {each.draw for each in readings if not isinstance(each, Count)}
        stage = self.released.stage
        measures = tuple(draw.measure if place in draws else None for place, draw in enumerate(stage.needs.draws))
        noises = tuple(map(stage.noise_of, range(len(measures))))
        together = bool(self.output.windows) or stages > 0
        return Sampled(stage.needs.request, measures, noises, together, max(stages, 1), frozenset(draws - more))

    def _largest(self, expression: Expression) -> bool:
        """Whether the variance of an average is not released, and the largest is taken for it."""
        mean = [each for each in self.readings(expression) if each.shape is Shape.MEAN]
        return self.population and any(isinstance(each, Average) for each in mean)

    def readings(self, expression: Expression) -> list[Reading]:
        """Those that an expression is computed from, through windows too."""
        windows = dict(self.output.windows)
        columns: set[Column] = set()
        for column in columns_in(expression):
            columns |= windows[column].columns if column in windows else {column}
        known = self.released.readings
        return [known[column] for column in columns if column in known]

    def _why_not(self, column: Column, expression: Expression) -> str:
        """Why a number cannot have ends, whatever it is."""
        if taken := name_taken(column, self.output):
            return taken
        if why := why_no_ends(self.released, expression, self.readings(expression)):
            return why
        return self.why_no_sample(expression) if self.population else ""

    def why_no_sample(self, expression: Expression) -> str:
        """Why a number cannot have an interval for the population."""
        readings = self.readings(expression)
        if not all(isinstance(each, Count | Total | Average) for each in readings):
            return OF_SAMPLES
        return no_sample([self.released.stage.needs.draws[each.draw].measure for each in readings])

    def _known(self, expression: Expression) -> Ends | None:
        """The ends of an aggregate as it was released, or of a weighted sum of them; None of all else."""
        released = self.released
        if self.population:
            return None
        if isinstance(expression, Reference) and expression.column in released.readings:
            reading = released.readings[expression.column]
            noise = released.stage.noise_of(reading.draw)
            if noise is not None:
                return self._ends(reading, noise)
        return quantile_ends(released, expression) or self._weighted(expression)

    def _ends(self, reading: Reading, noise: Noise) -> Ends | None:
        """The ends of an aggregate as it was released."""
        numbers = self.released.numbers[reading.draw]
        ends = reading.interval(numbers, noise, self.confidence)
        mechanism = self.released.stage.mechanisms[reading.draw]
        return None if ends is None else told_ends(reading.values(numbers), ends, mechanism, self.confidence)

    def _weighted(self, expression: Expression) -> Ends | None:
        added = weighted_sum(expression)
        if added is None:
            return None
        released = self.released
        weights = [np.zeros(numbers.shape[1]) for numbers in released.numbers]
        for column, weight in added.weights.items():
            reading = released.readings.get(column)
            if not isinstance(reading, Linear):
                return None
            weights[reading.draw] += weight * reading.weights
        noises = [(each, noise) for place, each in enumerate(weights) if (noise := released.stage.noise_of(place))]
        margin = sum_margin(noises, self.confidence)
        if margin is None:
            return None
        center = added.constant + sum(numbers @ each for numbers, each in zip(released.numbers, weights, strict=True))
        return np.asarray(center - margin), np.asarray(center + margin)

    def _simulated(self, items: Items, lines: list[int], sampled: Sampled | None) -> dict[str, Ends] | str:
        """The ends of computed columns, or why there are none."""
        if not items or not lines:
            return {column.name: (np.zeros(0), np.zeros(0)) for column, _ in items}
        rows = self.seen() if self.output.windows else lines
        number = replicates_within(self.confidence, len(rows))
        if isinstance(number, str):
            return number
        try:
            apart = bool(self.output.windows)
            copies = replicated(self.released, rows, number, apart=apart, sampled=sampled)
            values = simulated_values(self.output, items, copies, counts_of(self.released))
        except (duckdb.Error, InvalidParameter, MemoryError):
            return FAILED
        place_of = {line: place for place, line in enumerate(sorted(rows))}
        places = [place_of[line] for line in lines]
        return {
            column.name: ends_of(each[:, places], self.confidence)
            for (column, _), each in zip(items, values, strict=True)
        }

    def seen(self) -> list[int]:
        """The released rows that windows see: those that HAVING leaves."""
        every = Output((), condition=self.output.condition)
        lines = shown_rows(self.released, every).lines
        return [] if lines is None else lines

    def _unclear(self, expression: Expression, values: pa.ChunkedArray, low: Floats, high: Floats) -> tuple[int, ...]:
        """Where an end is missing, the interval nearly all that the bounds allow, or the margin not below the number.

        A count near 0 says that there are few, and a difference, or an average of numbers of both signs, near 0 that
        two are alike: they may well be smaller than their margin.
        """
        known = self.released.readings
        reading = known.get(expression.column) if isinstance(expression, Reference) else None
        with np.errstate(invalid="ignore"):
            wide = open_ended(low, high)
            of_one_sign = False
            if reading is not None and not isinstance(reading, Linear):
                facts = reading.column.facts
                if facts.low is not None and facts.high is not None:
                    wide |= high - low >= NEARLY_ALL * float(facts.high - facts.low)
                    of_one_sign = facts.type is Type.REAL and (facts.low >= 0 or facts.high <= 0)
            signs = never_negative(counts_of(self.released), self.output.windows)
            share = isinstance(expression, Call) and is_never_negative(expression, signs)
            if isinstance(reading, Total) or share or of_one_sign:
                shown = np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)
                wide |= ~(np.maximum(high - shown, shown - low) < np.abs(shown))  # the margin as it is printed
        return places_where(wide)


def open_ended(low: Floats, high: Floats) -> NDArray[np.bool_]:
    """Where an end is missing."""
    return np.asarray(~(np.isfinite(low) & np.isfinite(high)))


def places_where(marked: NDArray[np.bool_]) -> tuple[int, ...]:
    """The places of the rows that are marked."""
    return tuple(int(place) for place in np.flatnonzero(marked))


def name_taken(column: Column, output: Output) -> str:
    """Why a column has no margin where other columns have the names of its ends; "" if they have not."""
    taken = {each.name for each, _ in output.items}
    return NAMED.format(column.name) if taken & {f"{column.name}_low", f"{column.name}_high"} else ""


def replicates_within(confidence: float, rows: int) -> int | str:
    """How many replicates of so many rows are simulated, or why none are."""
    wanted = replicates_for(confidence)
    if wanted is None:
        return CONFIDENCE
    number = min(wanted, MOST_ROWS // max(rows, 1))
    return number if number >= math.ceil(wanted * FEWEST) else MANY


def with_ends(table: pa.Table, output: Output, ends: Mapping[str, Ends]) -> pa.Table:
    """The table with x_low and x_high after every column x that has ends; whole ones rounded outward."""
    found = {}
    for column, _ in output.items:
        found[column.name] = table.column(column.name)
        if column.name in ends:
            low, high = ends[column.name]
            kind = column.facts.type
            found[f"{column.name}_low"] = number_array(low, kind, np.floor)
            found[f"{column.name}_high"] = number_array(high, kind, np.ceil)
    return pa.table(found) if found else table
