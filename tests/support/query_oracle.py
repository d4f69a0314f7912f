"""The oracle: what relations and bounded requests mean, in plain Python over lists of rows. Slow, exact, and its own.

Scalars are those of `privet.query.functions.evaluate`. Nothing here is shared with the printers.
"""

import atexit
import functools
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import duckdb

from privet.query.backends.backend import Sums
from privet.query.catalog import Catalog
from privet.query.functions import evaluate
from privet.query.measures.request import PART, Bounded, Measure, Shape, Span
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.relations import (
    Few,
    Filter,
    Group,
    Join,
    JoinKind,
    Project,
    Ranking,
    Relation,
    Released,
    Table,
    Union,
    Values,
    Window,
)
from privet.query.scalars.dates import day_of, iso_date, iso_timestamp, second_of
from privet.query.scalars.expressions import Column, Expression, Reference, facts_of
from privet.query.scalars.facts import Facts, Type, Value

Row = dict[Column, Value]
Data = Mapping[str, Sequence[Mapping[str, Value]]]


class Oracle:
    """Reads the rows it is given; `released` holds rows of earlier stages, by position."""

    def __init__(
        self, catalog: Catalog, data: Data, released: Mapping[str, list[tuple[Value, ...]]] | None = None
    ) -> None:
        self.catalog = catalog
        self.data = data
        self.released = released or {}

    def rows(self, relation: Relation) -> list[Row]:  # noqa: C901, PLR0911 - one return for each node
        match relation:
            case Table():
                return self._table(relation)
            case Released():
                return [dict(zip(relation.columns, row, strict=True)) for row in self.released[relation.stage]]
            case Values():
                return [dict(zip(relation.columns, row, strict=True)) for row in relation.rows]
            case Few():
                rows = self.rows(relation.source)
                assert len(rows) <= relation.rows, "so few rows that none of a unit's is left out"
                return rows
            case Filter():
                rows = [row for row in self.rows(relation.source) if evaluate(relation.condition, row) is True]
                return [{new: row[old] for new, old in relation.renewed} for row in rows]
            case Project():
                return [
                    {new: evaluate(item, row) for new, item in relation.items} for row in self.rows(relation.source)
                ]
            case Join():
                return self._join(relation)
            case Union():
                return [
                    {new: row[old] for new, old in zip(relation.columns, source.columns, strict=True)}
                    for source in relation.sources
                    for row in self.rows(source)
                ]
            case Group():
                return self._group(relation)
            case Window():
                return self._window(relation)

    # --- tables ---

    def _table(self, table: Table) -> list[Row]:
        made = []
        for number, row in enumerate(self.data[table.name]):
            for unit in self._units(table, row, number):
                if None in unit:
                    continue
                held = {column: clipped(row.get(column.name), column.facts) for column in table.columns}
                if table.owner is not None:
                    held |= dict(zip(table.owner.unit, unit, strict=True))
                made.append(held)
        return made

    def _units(self, table: Table, row: Mapping[str, Value], number: int) -> list[tuple[Value, ...]]:
        if table.owner is None:
            return [()]
        declared = self.catalog.tables[table.name]
        if self.catalog.row_level:
            return [(number,)]
        here = [row]
        for step in declared.unit_path:
            here = [
                there
                for one in here
                for there in self.data[step.table]
                if one[step.column] is not None and one[step.column] == there[step.key]
            ]
        assert declared.unit_column is not None
        units = [plain(one[declared.unit_column]) for one in here]
        if self.catalog.window is None:
            return [(unit,) for unit in units]
        return [(unit, plain(row[self.catalog.window.column])) for unit in units]

    # --- several rows ---

    def _join(self, join: Join) -> list[Row]:
        left, right = self.rows(join.left), self.rows(join.right)
        units: list[tuple[Column, Column]] = []
        if join.left.owner is not None and join.right.owner is not None:
            units = list(zip(join.left.owner.unit, join.right.owner.unit, strict=True))
        pairs: list[Row] = []
        matched: set[int] = set()
        for one in left:
            found = False
            for place, other in enumerate(right):
                both = one | other
                if all(both[a] == both[b] and both[a] is not None for a, b in units) and (
                    join.condition is None or evaluate(join.condition, both) is True
                ):
                    pairs.append(both)
                    matched.add(place)
                    found = True
            if not found and join.kind in {JoinKind.LEFT, JoinKind.FULL}:
                pairs.append(one | dict.fromkeys(join.right.columns, None))
        if join.kind is JoinKind.FULL:
            lonely = [other for place, other in enumerate(right) if place not in matched]
            pairs += [dict.fromkeys(join.left.columns, None) | other for other in lonely]
        return [{new: evaluate(item, row) for new, item in join.items} for row in pairs]

    def _group(self, group: Group) -> list[Row]:
        groups: dict[tuple[Value, ...], list[Row]] = defaultdict(list)
        for row in self.rows(group.source):
            groups[tuple(evaluate(item, row) for _, item in group.keys)].append(row)
        if not group.keys and not groups:
            groups[()] = []
        return [
            {column: value for (column, _), value in zip(group.keys, keys, strict=True)}
            | {column: aggregated(wanted, rows, column.facts.type) for column, wanted in group.items}
            for keys, rows in groups.items()
        ]

    def _window(self, window: Window) -> list[Row]:
        partitions: dict[tuple[Value, ...], list[Row]] = defaultdict(list)
        for row in self.rows(window.source):
            partitions[tuple(evaluate(item, row) for item in window.partition)].append(row)
        made = []
        for rows in partitions.values():
            for row, value in self._windowed(window, rows):
                made.append({new: row[old] for new, old in window.renewed} | {window.item: value})
        return made

    def _windowed(self, window: Window, rows: list[Row]) -> Iterable[tuple[Row, Value]]:  # noqa: C901 - one branch each
        by_order = [(functools.partial(evaluate, item), down) for item, down in window.order]
        if isinstance(window.function, Aggregation) and window.frame is None:
            for row in rows:
                upto = [other for other in rows if not by_order or compared(other, row, by_order) <= 0]
                if window.function.function is Function.FIRST:
                    upto = self._first(window, rows, by_order)
                yield row, aggregated(window.function, upto, window.item.facts.type)
            return
        ties = [(functools.partial(_column, column), False) for column in window.source.columns]

        def before(one: Row, other: Row) -> int:
            return compared(one, other, by_order + ties)

        ordered = sorted(rows, key=functools.cmp_to_key(before))
        for place, row in enumerate(ordered):
            match window.function:
                case Aggregation():
                    assert window.frame is not None
                    first = 0 if window.frame.first is None else max(place + window.frame.first, 0)
                    last = len(rows) if window.frame.last is None else max(place + window.frame.last + 1, 0)
                    yield row, aggregated(window.function, ordered[first:last], window.item.facts.type)
                case Ranking.ROW_NUMBER:
                    yield row, place + 1
                case Ranking.RANK:
                    yield row, 1 + sum(compared(other, row, by_order) < 0 for other in rows)
                case Ranking.DENSE_RANK:
                    sooner = [other for other in ordered if compared(other, row, by_order) < 0]
                    steps = itertools.pairwise(sooner)
                    yield row, 1 + bool(sooner) + sum(compared(one, other, by_order) < 0 for one, other in steps)
                case Ranking.NTILE:
                    size, larger = divmod(len(ordered), window.number)
                    split = larger * (size + 1)
                    yield row, 1 + (place // (size + 1) if place < split else larger + (place - split) // max(size, 1))
                case _:
                    near = place + (window.number if window.function is Ranking.LEAD else -window.number)
                    assert window.argument is not None
                    yield row, evaluate(window.argument, ordered[near]) if 0 <= near < len(ordered) else None

    def _first(
        self, window: Window, rows: list[Row], by_order: Sequence[tuple[Callable[[Row], Value], bool]]
    ) -> list[Row]:
        """The first row of a window; of equal ones that whose columns come first."""
        ties: list[tuple[Callable[[Row], Value], bool]] = [
            (functools.partial(_column, column), False) for column in window.source.columns
        ]

        def before(one: Row, other: Row) -> int:
            return compared(one, other, [*by_order, *ties])

        return [min(rows, key=functools.cmp_to_key(before))]

    # --- bounded requests ---

    def sums(self, request: Bounded) -> Sums:
        units = self._kept(request)
        totals: dict[tuple[Value, ...], list[list[int]]] = {}
        counts: dict[tuple[Value, ...], int] = defaultdict(int)
        distinct: dict[tuple[int, tuple[Value, ...]], set[Value]] = defaultdict(set)
        nothing = [[0] * measure.cells for measure in request.measures]
        if not request.keys:
            totals[()] = [list(cells) for cells in nothing]
        for unit, groups in units.items():
            for keys, rows in groups.items():
                counts[keys] += 1
                have = sum(map(len, groups.values())) if request.spread else len(rows)
                cells = totals.setdefault(keys, [list(cells) for cells in nothing])
                for number, measure in enumerate(request.measures):
                    if measure.shape is not Shape.DISTINCT:
                        added = _added(request, measure, rows, have)
                        cells[number] = [a + b for a, b in zip(cells[number], added, strict=True)]
            for number, measure in enumerate(request.measures):
                if measure.shape is Shape.DISTINCT:
                    for keys, value in _few(request, measure, unit, groups):
                        distinct[number, keys].add(value)
        for (number, keys), values in distinct.items():
            totals[keys][number] = [len(values)]
        return Sums({keys: tuple(map(tuple, cells)) for keys, cells in totals.items()}, dict(counts))

    def ranks(self, request: Bounded) -> dict[tuple[Value, ...], dict[int, int]]:
        (measure,) = request.measures
        totals: dict[tuple[Value, ...], dict[int, int]] = defaultdict(lambda: defaultdict(int))
        coarse = 0
        while (measure.span.steps >> coarse) > 4095:
            coarse += 1
        for groups in self._kept(request).values():
            for keys, rows in groups.items():
                have = sum(map(len, groups.values())) if request.spread else len(rows)
                for place in places(measure, rows):
                    totals[keys][place >> coarse] += weight(request, have)
        return {keys: dict(counts) for keys, counts in totals.items()}

    def _kept(self, request: Bounded) -> dict[tuple[Value, ...], dict[tuple[Value, ...], list[Row]]]:
        """The rows of each unit by group, in public domains and in the groups that count."""
        assert request.source.owner is not None
        units: dict[tuple[Value, ...], dict[tuple[Value, ...], list[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in self.rows(request.source):
            keys = tuple(evaluate(key.expression, row) for key in request.keys)
            if all(key.domain is None or value in key.domain for key, value in zip(request.keys, keys, strict=True)):
                unit = tuple(row[column] for column in request.source.owner.unit)
                if None not in unit:
                    units[unit][keys].append(row)
        if request.sample:
            marked = () if self.catalog.row_level else None
            units = {unit: _sampled(request, unit if marked is None else marked, units[unit]) for unit in units}
        if not request.cap_groups or not request.keys:
            return units
        return {
            unit: {
                keys: groups[keys] for keys in sorted(groups, key=lambda keys: _digest(*unit, *keys))[: request.groups]
            }
            for unit, groups in units.items()
        }


def _column(column: Column, row: Row) -> Value:
    return row[column]


def plain(value: Value) -> Value:
    return None if isinstance(value, float) and math.isnan(value) else value


def clipped(value: Value, facts: Facts) -> Value:
    """A value as a table gives it: NaN is NULL, what is outside the bounds is at them."""
    value = plain(value)
    if value is None or (facts.low is None and facts.high is None) or facts.type in {Type.TEXT, Type.BOOLEAN}:
        return value
    if facts.type.numeric:
        assert isinstance(value, int | float)
        kind = int if facts.type is Type.INTEGER else float
        value = kind(value)
        if facts.low is not None and value < facts.low:
            return kind(facts.low)
        return kind(facts.high) if facts.high is not None and value > facts.high else value
    number: Fraction | int | None = day_of(str(value)) if facts.type is Type.DATE else second_of(str(value))
    assert number is not None
    number = number if facts.low is None else max(number, facts.low)
    number = number if facts.high is None else min(number, facts.high)
    return iso_date(int(number)) if facts.type is Type.DATE else iso_timestamp(Fraction(number))


def compared(one: Row, other: Row, order: Sequence[tuple[Callable[[Row], Value], bool]]) -> int:
    """-1, 0 or 1; NULLs come last."""
    for value_of, down in order:
        a, b = value_of(one), value_of(other)
        if a is None or b is None:
            if (a is None) != (b is None):
                return 1 if a is None else -1
        elif a != b:
            return (1 if a > b else -1) * (-1 if down else 1)  # type: ignore[operator] # of one type
    return 0


# --- exact aggregates ---


def aggregated(wanted: Aggregation, rows: list[Row], type_: Type) -> Value:
    kept = [row for row in rows if wanted.condition is None or evaluate(wanted.condition, row) is True]
    if wanted.function is Function.COUNT_ROWS:
        return len(kept)
    if wanted.function is Function.COUNT_UNITS:
        return min(len(kept), 1)
    assert wanted.argument is not None
    if wanted.second is not None:
        both = [(evaluate(wanted.argument, row), evaluate(wanted.second, row)) for row in kept]
        return _joined(wanted, [(one, other) for one, other in both if one is not None and other is not None])
    values = [value for row in kept if (value := evaluate(wanted.argument, row)) is not None]
    result = _aggregated(wanted, values)
    if type_ is Type.REAL and result is not None:
        return float(result)
    return result


def _aggregated(wanted: Aggregation, values: Sequence[Value]) -> Value:  # noqa: C901, PLR0911 - one for each function
    assert wanted.argument is not None
    match wanted.function:
        case Function.COUNT:
            return len(values)
        case Function.FIRST:
            return values[0] if values else None
        case Function.COUNT_DISTINCT:
            return len(set(values))
        case Function.MINIMUM | Function.ALL:
            return min(values, default=None)  # type: ignore[type-var] # of one type
        case Function.MAXIMUM | Function.ANY:
            return max(values, default=None)  # type: ignore[type-var] # of one type
    if not values:
        return None
    squared = wanted.function in {Function.VARIANCE, Function.STDDEV}
    step, exact = _exact(facts_of(wanted.argument), values, squared=squared)
    total, count = sum(exact), len(exact)
    if wanted.function is Function.SUM:
        if facts_of(wanted.argument).type is Type.INTEGER:
            return total if -(1 << 63) <= total < 1 << 63 else None
        return float(total) * step
    if wanted.function is Function.AVG:
        return float(total) * step / count
    others = count - 1 if wanted.sample else count
    if others == 0:
        return None
    variance = (
        float(count * sum(place * place for place in exact) - total * total) * step * step / (float(count) * others)
    )
    return math.sqrt(variance) if wanted.function is Function.STDDEV else variance


def _joined(wanted: Aggregation, pairs: Sequence[tuple[Value, Value]]) -> Value:
    """An aggregate of two arguments, of the rows that have both."""
    if wanted.function is Function.PAIRS:
        return len(pairs)
    if not pairs:
        return None
    if wanted.function in {Function.LEAST_BY, Function.MOST_BY}:
        chosen = min if wanted.function is Function.LEAST_BY else max
        return chosen(pairs, key=lambda pair: (pair[1], pair[0]))[0]
    assert wanted.argument is not None
    assert wanted.second is not None
    (step, first), (other, second) = (
        _exact(facts_of(argument), [pair[place] for pair in pairs], squared=True)
        for place, argument in enumerate((wanted.argument, wanted.second))
    )
    return _fitted(wanted, (step, first), (other, second))


def _fitted(wanted: Aggregation, one: tuple[float, list[int]], two: tuple[float, list[int]]) -> float | None:
    (step, first), (other, second) = one, two
    count = len(first)

    def gap(left: list[int], right: list[int]) -> float:
        return float(count * sum(a * b for a, b in zip(left, right, strict=True)) - sum(left) * sum(right))

    if wanted.function is Function.COVARIANCE:
        others = count - 1 if wanted.sample else count
        return gap(first, second) * step * other / (float(count) * others) if others else None
    if wanted.function is Function.CORRELATION:
        spread = math.sqrt(gap(first, first)) * math.sqrt(gap(second, second))
        return gap(first, second) / spread if spread else None
    square = gap(second, second)
    if not square:
        return None
    slope = gap(first, second) / square * (step / other)
    if wanted.function is Function.SLOPE:
        return slope
    return (float(sum(first)) * step - slope * float(sum(second)) * other) / count


def _exact(facts: Facts, values: Sequence[Value], *, squared: bool) -> tuple[float, list[int]]:
    """Places at which numbers are added up, and how far apart those are."""
    whole = facts.type is Type.INTEGER
    if whole and not squared:
        return 1.0, [int(v) for v in values]  # type: ignore[arg-type] # numbers
    if facts.bounded:
        assert facts.low is not None
        assert facts.high is not None
        power = -100
        while Fraction(2) ** power < max(abs(facts.low), abs(facts.high)):
            power += 1
        exponent = power - (30 if squared else 40)
        step = 2.0 ** (max(exponent, 0) if whole else exponent)
        most = 2.0**power
    elif whole:
        step = 1.0
        most = 2.0**30
    else:
        step, most = (2.0**-10, 2.0**20) if squared else (2.0**-20, 2.0**42)
    return step, [math.floor(max(-most, min(most, float(v))) / step + 0.5) for v in values]  # type: ignore[arg-type] # numbers


# --- what a unit adds ---


def place_on(span: Span, value: float) -> int:
    """Where a value lies, from 0 to `steps`."""
    if isinstance(value, int) and span.step == 1:
        return max(span.first, min(span.last, value)) - span.first
    near = (float(value) - float(span.first * span.step)) / float(span.step) + 0.5
    return math.floor(max(0.0, min(float(span.steps), math.floor(near) if math.isfinite(near) else near)))


def pairs_of_places(measure: Measure, rows: list[Row]) -> list[tuple[int, int]]:
    """The places of both arguments, of the rows that have both."""
    found = []
    for row in rows:
        one, other = places(measure, [row]), places(replace(measure.of_second, condition=None), [row])
        found += [(one[0], other[0])] if one and other else []
    return found


def places(measure: Measure, rows: list[Row]) -> list[int]:
    """The places of the rows that count; 1 where there is no argument."""
    found = []
    for row in rows:
        if measure.condition is not None and evaluate(measure.condition, row) is not True:
            continue
        value: Value = 1 if measure.argument is None else evaluate(measure.argument, row)
        if value is None:
            continue
        if measure.shape in {Shape.ROWS, Shape.UNITS}:
            found.append(1)
        else:
            found.append(place_on(measure.span, value))  # type: ignore[arg-type] # a number
    return found


def cap_of(request: Bounded) -> int:
    return request.limits.rows_per_unit or request.limits.rows_per_group or 1


def weight(request: Bounded, have: int) -> int:
    cap = cap_of(request)
    return PART if have <= cap else cap * PART // have


def _toward_zero(number: int, top: int, bottom: int) -> int:
    return abs(number) * top // bottom * (-1 if number < 0 else 1)


def _shares(numbers: list[int], share: int) -> list[int]:
    """The share of each number of a row; the last of several is what is left of the row's."""
    first = [_toward_zero(number, share, PART) for number in numbers[: max(1, len(numbers) - 1)]]
    return first if len(numbers) == 1 else [*first, _toward_zero(sum(numbers), share, PART) - sum(first)]


def _numbers(measure: Measure, place: int | tuple[int, int]) -> list[int]:
    """What one row adds."""
    if isinstance(place, tuple):
        return _products(measure, *place)
    steps, first = measure.span.steps, measure.span.first
    match measure.shape:
        case Shape.SUM:
            return [first + place]
        case Shape.MEAN:
            return [place, steps - place]
        case Shape.SPREAD:
            return [place**2, 2 * place * (steps - place), (steps - place) ** 2]
        case _:
            return [1]


def _products(measure: Measure, one: int, other: int) -> list[int]:
    """What each place is in squares, times each of the other; in parts of 2^28 at most, and the last what is left."""
    first, second = (
        [place**2, 2 * place * (steps - place), (steps - place) ** 2]
        for place, steps in ((one, measure.span.steps), (other, measure.second_span.steps))
    )
    whole = (measure.span.steps * measure.second_span.steps) ** 2
    parts = 1
    while whole // parts >= 2**29:
        parts *= 2
    cells = [a * b // parts for a in first for b in second][:8]
    return [*cells, whole // parts - sum(cells)]


def _added(request: Bounded, measure: Measure, rows: list[Row], have: int) -> list[int]:
    found: Sequence[int | tuple[int, int]] = places(measure, rows)
    if measure.shape is Shape.PRODUCTS:
        found = pairs_of_places(measure, rows)
    cap = cap_of(request)
    if measure.shape is Shape.UNITS:
        return [min(len(found), 1)]
    if request.by_row:
        share = weight(request, have)
        each = [[share] if measure.shape is Shape.ROWS else _shares(_numbers(measure, place), share) for place in found]
        return [sum(column) for column in zip(*each, strict=True)] if each else [0] * measure.cells
    part = request.part if measure.shape is Shape.ROWS else 1
    each = [[part * number for number in _numbers(measure, place)] for place in found]
    whole = [sum(column) for column in zip(*each, strict=True)] if each else [0] * measure.cells
    return whole if have <= cap else [_toward_zero(number, cap, have) for number in whole]


def _sampled(
    request: Bounded, unit: tuple[Value, ...], groups: Mapping[tuple[Value, ...], list[Row]]
) -> dict[tuple[Value, ...], list[Row]]:
    """The rows of a unit that are chosen: by a hash of what is in them, equal ones being numbered."""
    copies: dict[tuple[Value, ...], int] = defaultdict(int)
    ordered = []
    for keys, rows in groups.items():
        for row in rows:
            seen = (_seen(measure, row) for measure in request.measures if not _counts_all(measure))
            here = (*keys, *(place for found in seen for place in found))
            copies[here] += 1
            ordered.append((_digest(*unit, *here, copies[here]), keys, row))
    ordered.sort(key=lambda each: each[0])
    chosen: dict[tuple[Value, ...], list[Row]] = defaultdict(list)
    for number, (_, keys, row) in enumerate(ordered):
        if number < cap_of(request) if request.spread else len(chosen[keys]) < cap_of(request):
            chosen[keys].append(row)
    return chosen


def _counts_all(measure: Measure) -> bool:
    return measure.shape in {Shape.ROWS, Shape.UNITS} and measure.argument is None and measure.condition is None


def _seen(measure: Measure, row: Row) -> list[int | None]:
    """The places of a row as the engine has them."""
    coarse = 0
    while measure.shape is Shape.RANKS and (measure.span.steps >> coarse) > 4095:
        coarse += 1
    first = next((place >> coarse for place in places(measure, [row])), None)
    if measure.second is None:
        return [first]
    return [first, next(iter(places(replace(measure.of_second, condition=None), [row])), None)]


def _few(
    request: Bounded, measure: Measure, unit: tuple[Value, ...], groups: Mapping[tuple[Value, ...], list[Row]]
) -> Iterable[tuple[tuple[Value, ...], Value]]:
    """The distinct values of a unit that count."""
    assert measure.argument is not None
    found = {
        (keys, value)
        for keys, rows in groups.items()
        for row in rows
        if (measure.condition is None or evaluate(measure.condition, row) is True)
        and (value := evaluate(measure.argument, row)) is not None
    }
    ordered = sorted(found, key=lambda pair: _digest(*unit, *pair[0], pair[1]))
    if request.spread:
        return ordered[: cap_of(request)]
    by_group: dict[tuple[Value, ...], list[Value]] = defaultdict(list)
    for keys, value in ordered:
        by_group[keys].append(value)
    return [(keys, value) for keys, values in by_group.items() for value in values[: cap_of(request)]]


@functools.cache
def _digest(*values: Value) -> int:
    """DuckDB's hash of values as it holds them; which rows are chosen by it is the oracle's own."""
    held = ", ".join(f"CAST(? AS {_held(value)})" for value in values)
    numbers = [_place(value) if isinstance(value, float) else value for value in values]
    (found,) = _HASHES.execute(f"SELECT HASH(HASH({held}))", numbers).fetchone() or (0,)
    return int(found)


_HASHES = duckdb.connect()
atexit.register(_HASHES.close)


def _held(value: Value) -> str:
    kinds = {bool: "BOOLEAN", int: "BIGINT", float: "BIGINT", str: "VARCHAR"}
    return kinds.get(type(value), "VARCHAR")


def _place(value: float) -> int:
    return math.floor(min(max(value, -(2.0**42)), 2.0**42) * 2**20)


def references(*columns: Column) -> tuple[Expression, ...]:
    return tuple(Reference(column) for column in columns)
