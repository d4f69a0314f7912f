# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Requests: the bounded sums of an owned relation as one statement of a fixed shape.

    found    each row: unit u1.., keys k1.., argument x1.. of each measure (NULL if its condition is not true)
    placed   the same with places a1.. on the lattice: whole numbers from 0 to `steps`, whatever was found
    pairs    for each unit and group: rows n, and what each measure adds up                      (unless by_row)
    kept     of those, the first `groups` of each unit by a hash of unit and group               (if cap_groups)
    weights  for each unit (and group): `weight`, in parts of a row                              (if by_row)
    weighed  what a unit adds to a group: each number held to cap / have of itself
    last     sums over units, by group, and how many units there are

The text is canonical: a second computation of the price reads limits and clips back from it.

Nothing overflows with up to 2^33 rows: a place is at most 2^32 and a number of a row at most `size` <= 2^60, so a
unit's sum is below 2^93, and times a cap of at most 2^31 below 2^124: `wide`, 127 bits, holds that, and sums over
units are no larger than over rows. Where size × cap < 2^30, 63 bits hold a unit's sum times the cap, and are used.
"""

from privet.errors import InvalidParameter
from privet.query.bounded import PART, Bounded, Lattice, Measure, Shape, rank_shift
from privet.query.expressions import Expression, facts_of
from privet.query.facts import Type
from privet.query.plan import Key
from privet.query.printing.dialect import Dialect
from privet.query.printing.relations import Chain
from privet.query.printing.sources import Sources

MOST_CAP = 1 << 31
FARTHEST = 1 << 60  # the largest place of a lattice


def print_request(request: Bounded, dialect: Dialect, sources: Sources) -> str:
    """The statement for a request.

    Its columns are the keys k1.., then m1_1.. for each measure's numbers, then `units` (unless by_row). A request of
    RANKS has k1.., `place` and m1_1; one of DISTINCT has k1.. and m1_1.

    Raises:
        InvalidParameter: if measures are asked for together that cannot be, or limits are beyond what can be computed.
    """
    _refuse(request)
    return _Request(request, dialect, sources).text()


def split(request: Bounded) -> tuple[Bounded, ...]:
    """Requests that can each be one statement: DISTINCT measures stand alone."""
    together = tuple(each for each in request.measures if each.shape is not Shape.DISTINCT)
    alone = tuple((each,) for each in request.measures if each.shape is Shape.DISTINCT)
    parts = ((together,) if together or not alone else ()) + alone
    return tuple(
        Bounded(request.source, request.keys, request.limits, each, cap_groups=request.cap_groups) for each in parts
    )


def _refuse(request: Bounded) -> None:
    if request.source.owner is None:
        raise InvalidParameter("a bounded request needs an owned relation")
    shapes = [measure.shape for measure in request.measures]
    if len(shapes) > 1 and (Shape.RANKS in shapes or Shape.DISTINCT in shapes):
        raise InvalidParameter("RANKS and DISTINCT are asked for alone")
    if Shape.UNITS in shapes and request.by_row:
        raise InvalidParameter("units are counted by group only if each is held to so many groups: set cap_groups")
    limits = (request.limits.rows, request.groups, _cap(request))
    if not all(1 <= limit <= MOST_CAP for limit in limits):
        raise InvalidParameter(f"limits must be from 1 to {MOST_CAP}; declare smaller ones")
    for measure in request.measures:
        lattice = measure.lattice
        if max(abs(lattice.first), abs(lattice.last), lattice.steps) > FARTHEST or float(lattice.step) <= 0:
            raise InvalidParameter("the bounds of an aggregate are too close for their size; declare wider ones")


def _cap(request: Bounded) -> int:
    """Rows of a unit that count: in all, or in each group."""
    limits = request.limits
    return limits.rows_per_unit or limits.rows_per_group or 1


class _Request:
    """One request while it is printed."""

    def __init__(self, request: Bounded, dialect: Dialect, sources: Sources) -> None:
        self.request, self.dialect = request, dialect
        self.chain = Chain(dialect, sources)
        self.cap = _cap(request)
        assert request.source.owner is not None  # noqa: S101 - refused before
        self.unit = [f"u{number}" for number in range(1, len(request.source.owner.unit) + 1)]
        self.keys = [f"k{number}" for number in range(1, len(request.keys) + 1)]
        self.integer = dialect.types[Type.INTEGER]

    def text(self) -> str:
        rows = self._placed(self._found())
        if any(measure.shape is Shape.DISTINCT for measure in self.request.measures):
            return self._distinct(rows)
        return self._by_row(rows) if self.request.by_row else self._by_pair(rows)

    # --- rows ---

    def _found(self) -> str:
        source = self.chain.add(self.request.source)
        owner = self.request.source.owner
        assert owner is not None  # noqa: S101 - refused before
        items = [f"{self.chain.name(column)} AS {name}" for column, name in zip(owner.unit, self.unit, strict=True)]
        items += [f"{self.chain.print(key.expression)} AS {name}" for key, name in self._named_keys()]
        items += [
            f"{self._argument(measure)} AS x{number}"
            for number, measure in enumerate(self.request.measures, 1)
            if not _plain(measure)
        ]
        once = self.request.by_row and not self.chain.steady
        return self.chain.append("found", f"SELECT {', '.join(items)} FROM {source}", once=once)

    def _named_keys(self) -> list[tuple[Key, str]]:
        return list(zip(self.request.keys, self.keys, strict=True))

    def _argument(self, measure: Measure) -> str:
        """The argument where the condition is true, else NULL; 1 if there is no argument."""
        text = self.dialect.literal(1, Type.INTEGER) if measure.argument is None else self.chain.print(measure.argument)
        return text if measure.condition is None else f"CASE WHEN {self.chain.print(measure.condition)} THEN {text} END"

    def _placed(self, found: str) -> str:
        items = [*self.unit, *self.keys]
        for number, measure in enumerate(self.request.measures, 1):
            if not _plain(measure):
                items.append(f"{self._place(measure, f'x{number}')} AS a{number}")
        inside = [self._inside(key, name) for key, name in self._named_keys() if key.domain is not None]
        where = f" WHERE {' AND '.join(inside)}" if inside else ""
        return self.chain.append("placed", f"SELECT {', '.join(items)} FROM {found}{where}")

    def _inside(self, key: Key, name: str) -> str:
        """Whether a key is one of its public domain; rows outside do not count, nor use up what a unit may add."""
        values = [value for value in key.domain or () if value is not None]
        kind = facts_of(key.expression).type
        options = ", ".join(self.dialect.literal(value, kind) for value in values)
        known = f"{name} IN ({options})" if values else "FALSE"
        return f"({known} OR {name} IS NULL)" if None in (key.domain or ()) else known

    def _place(self, measure: Measure, text: str) -> str:
        if measure.shape is Shape.DISTINCT:
            return text
        if measure.shape in {Shape.ROWS, Shape.UNITS}:
            return f"CASE WHEN {text} IS NOT NULL THEN {self.dialect.literal(1, Type.INTEGER)} END"
        place = self._on_lattice(measure.lattice, measure.argument, text)
        if measure.shape is Shape.RANKS and (shift := rank_shift(measure.lattice)):
            place = self.dialect.quotient(place, self.dialect.literal(1 << shift, Type.INTEGER))
        return f"CASE WHEN {text} IS NOT NULL THEN {place} END"

    def _on_lattice(self, lattice: Lattice, argument: Expression | None, text: str) -> str:
        """The place from 0 to `steps`, computed from the value alone and clipped."""
        kind = Type.INTEGER if argument is None else facts_of(argument).type
        if kind is Type.INTEGER and lattice.step == 1:
            low, high = (self.dialect.literal(end, Type.INTEGER) for end in (lattice.first, lattice.last))
            return f"(LEAST(GREATEST({text}, {low}), {high}) - {low})"
        value = text if kind is Type.REAL else self.dialect.convert(text, kind, Type.REAL)
        origin, step, half, zero, steps = (
            self.dialect.literal(float(number), Type.REAL)
            for number in (lattice.first * lattice.step, lattice.step, 0.5, 0, lattice.steps)
        )
        near = f"FLOOR(({value} - {origin}) / {step} + {half})"
        return f"CAST(LEAST(GREATEST({near}, {zero}), {steps}) AS {self.integer})"

    # --- sums of a unit in a group, weighed down ---

    def _by_pair(self, rows: str) -> str:
        group = [*self.unit, *self.keys]
        sums = ["COUNT(*) AS n"]
        for number, measure in enumerate(self.request.measures, 1):
            sums += self._sums(measure, number)
        self.chain.append("pairs", f"SELECT {', '.join([*group, *sums])} FROM {rows} GROUP BY {', '.join(group)}")
        source, have = self._kept("pairs")
        cells = [
            f"{self._weighed(cell, have, measure)} AS m{number}_{place}"
            for number, measure in enumerate(self.request.measures, 1)
            for place, cell in enumerate(self._cells_of_pair(measure, number), 1)
        ]
        self.chain.append("weighed", f"SELECT {', '.join([*self.keys, *cells]) or '1 AS one'} FROM {source}")
        return self._last(["COUNT(*) AS units"])

    def _sums(self, measure: Measure, number: int) -> list[str]:
        if _plain(measure):
            return []
        count = f"COUNT(a{number}) AS n{number}"
        if measure.shape in {Shape.ROWS, Shape.UNITS}:
            return [count]
        total = f"CAST(SUM(a{number}) AS {self._width(measure)}) AS s{number}"
        if measure.shape is not Shape.SPREAD:
            return [count, total]
        return [count, total, f"CAST(SUM(a{number} * a{number}) AS {self._width(measure)}) AS q{number}"]

    def _cells_of_pair(self, measure: Measure, number: int) -> list[str]:
        """What a unit adds to a group before it is weighed, for each number of the measure."""
        count = "n" if _plain(measure) else f"n{number}"
        width = self._width(measure)
        first, steps = (f"CAST({end} AS {width})" for end in (measure.lattice.first, measure.lattice.steps))
        total = f"COALESCE(s{number}, 0)"
        match measure.shape:
            case Shape.UNITS:
                return ["1" if _plain(measure) else f"LEAST({count}, 1)"]
            case Shape.ROWS:
                return [f"{count} * CAST({self.request.part} AS {width})"]
            case Shape.SUM:
                return [f"{first} * {count} + {total}"]
            case Shape.MEAN:
                return [total, f"{steps} * {count} - {total}"]
            case _:
                squares = f"COALESCE(q{number}, 0)"
                cross = f"{steps} * {total} - {squares}"
                return [squares, f"2 * ({cross})", f"{steps} * {steps} * {count} - 2 * {steps} * {total} + {squares}"]

    def _weighed(self, cell: str, have: str, measure: Measure) -> str:
        """The number itself, or what cap / have of it is, rounded toward 0."""
        if measure.shape is Shape.UNITS:
            return cell
        width, cap = self._width(measure), self._whole(self.cap)
        number = f"CAST({cell} AS {width})"
        share = self.dialect.quotient(f"{number} * {cap}", have)
        if _signed(measure):
            back = self.dialect.quotient(f"-({number}) * {cap}", have)
            share = f"CASE WHEN {cell} < 0 THEN -({back}) ELSE {share} END"
        return f"CASE WHEN {have} <= {cap} THEN {number} ELSE {share} END"

    def _width(self, measure: Measure) -> str:
        """Whole numbers that hold a unit's sum times the cap."""
        far = max(abs(measure.lattice.first), abs(measure.lattice.last), measure.lattice.steps, self.request.part)
        size = measure.lattice.steps**2 if measure.shape is Shape.SPREAD else far
        return self.integer if size * self.cap < 1 << 30 else self.dialect.wide

    def _kept(self, pairs: str) -> tuple[str, str]:
        """The pairs that count, and the rows that a unit has, to be compared with the cap."""
        request = self.request
        if request.cap_groups and self.keys:
            owner, place = ", ".join(self.unit), ", ".join(f"{key} NULLS FIRST" for key in self.keys)
            order = f"PARTITION BY {owner} ORDER BY {self.dialect.digest((*self.unit, *self.keys))}, {place}"
            ranked = f"SELECT *, ROW_NUMBER() OVER ({order}) AS place FROM {pairs}"
            pairs = self.chain.append("kept", f"SELECT * FROM ({ranked}) WHERE place <= {request.groups}")
        if request.spread and self.keys:
            whole = f"CAST(SUM(n) OVER (PARTITION BY {', '.join(self.unit)}) AS {self.integer}) AS have"
            return self.chain.append("owned", f"SELECT *, {whole} FROM {pairs}"), "have"
        return pairs, "n"

    # --- each row, weighed down ---

    def _by_row(self, rows: str) -> str:
        request = self.request
        matched = self.unit
        if request.cap_groups or not (request.spread and self.keys):
            matched = [*self.unit, *self.keys]
            group = ", ".join(matched)
            self.chain.append("pairs", f"SELECT {group}, COUNT(*) AS n FROM {rows} GROUP BY {group}")
            source, have = self._kept("pairs")
            self.chain.append("weights", f"SELECT {group}, {self._weight(have)} AS weight FROM {source}")
        else:
            group = ", ".join(self.unit)
            weights = f"SELECT {group}, {self._weight('COUNT(*)')} AS weight FROM {rows} GROUP BY {group}"
            self.chain.append("weights", weights)
        same = " AND ".join(
            f"{rows}.{name} {'=' if name in self.unit else 'IS NOT DISTINCT FROM'} weights.{name}" for name in matched
        )
        source = f"{rows} JOIN weights ON {same}"
        if any(measure.shape is Shape.RANKS for measure in request.measures):
            return self._ranks(rows, source)
        cells = [
            f"{self._weighed_row(cell, measure)} AS m{number}_{place}"
            for number, measure in enumerate(request.measures, 1)
            for place, cell in enumerate(self._cells_of_row(measure, f"a{number}"), 1)
        ]
        keys = [f"{rows}.{key}" for key in self.keys]
        self.chain.append("weighed", f"SELECT {', '.join([*keys, *cells])} FROM {source}")
        return self._last([])

    def _weight(self, have: str) -> str:
        whole, most = self._whole(PART), self._whole(self.cap * PART)
        return f"CASE WHEN {have} <= {self._whole(self.cap)} THEN {whole} ELSE {self.dialect.quotient(most, have)} END"

    def _cells_of_row(self, measure: Measure, place: str) -> list[str]:
        steps = self._whole(measure.lattice.steps)
        match measure.shape:
            case Shape.ROWS:
                return ["1" if _plain(measure) else place]
            case Shape.SUM:
                return [f"({self._whole(measure.lattice.first)} + {place})"]
            case Shape.MEAN:
                return [place, f"({steps} - {place})"]
            case _:
                rest = f"({steps} - {place})"
                return [f"{place} * {place}", f"2 * {place} * {rest}", f"{rest} * {rest}"]

    def _weighed_row(self, cell: str, measure: Measure) -> str:
        """The weight's share of a row's number, rounded toward 0."""
        if measure.shape is Shape.ROWS:
            return "weight" if cell == "1" else f"CASE WHEN {cell} IS NOT NULL THEN weight END"
        lattice = measure.lattice
        far = (
            lattice.steps**2
            if measure.shape is Shape.SPREAD
            else max(abs(lattice.first), abs(lattice.last), lattice.steps)
        )
        number = cell if far < 1 << 42 else f"CAST({cell} AS {self.dialect.wide})"
        share = self.dialect.quotient(f"{number} * weight", self._whole(PART))
        if not _signed(measure):
            return share
        back = self.dialect.quotient(f"-({number}) * weight", self._whole(PART))
        return f"CASE WHEN {cell} < 0 THEN -({back}) ELSE {share} END"

    def _ranks(self, rows: str, source: str) -> str:
        keys = [f"{rows}.{key}" for key in self.keys]
        group = ", ".join([*self.keys, "place"])
        counted = ", ".join([*keys, f"{rows}.a1 AS place", "weight AS m1_1"])
        self.chain.append("weighed", f"SELECT {counted} FROM {source} WHERE {rows}.a1 IS NOT NULL")
        return f"{self.chain.text()}\nSELECT {group}, SUM(m1_1) AS m1_1 FROM weighed GROUP BY {group}"

    # --- distinct values ---

    def _distinct(self, rows: str) -> str:
        """At most `cap` values of each unit, in each group or in all, chosen by a hash; then how many there are."""
        request, pair = self.request, [*self.unit, *self.keys]
        if request.cap_groups and self.keys:
            group = ", ".join(pair)
            self.chain.append("pairs", f"SELECT {group}, COUNT(*) AS n FROM {rows} GROUP BY {group}")
            source, _ = self._kept("pairs")
            same = " AND ".join(f"{rows}.{name} IS NOT DISTINCT FROM {source}.{name}" for name in pair)
            rows_of = ", ".join(f"{rows}.{name}" for name in [*pair, "a1"])
            rows = self.chain.append("held", f"SELECT {rows_of} FROM {rows} JOIN {source} ON {same}")
        whole = ", ".join([*pair, "a1"])
        self.chain.append("values_of", f"SELECT {whole} FROM {rows} WHERE a1 IS NOT NULL GROUP BY {whole}")
        owner = ", ".join(self.unit if request.spread else pair)
        places = ", ".join(f"{name} NULLS FIRST" for name in [*self.keys, "a1"])
        order = f"PARTITION BY {owner} ORDER BY {self.dialect.digest((*pair, 'a1'))}, {places}"
        ranked = f"SELECT *, ROW_NUMBER() OVER ({order}) AS place FROM values_of"
        self.chain.append("weighed", f"SELECT * FROM ({ranked}) WHERE place <= {self.cap}")
        keys = ", ".join(self.keys)
        last = ", ".join([*self.keys, "COUNT(DISTINCT a1) AS m1_1"])
        return f"{self.chain.text()}\nSELECT {last} FROM weighed" + (f" GROUP BY {keys}" if keys else "")

    # --- the end ---

    def _last(self, more: list[str]) -> str:
        cells = [
            f"SUM(m{number}_{place}) AS m{number}_{place}"
            for number, measure in enumerate(self.request.measures, 1)
            for place in range(1, measure.cells + 1)
        ]
        keys = ", ".join(self.keys)
        items = ", ".join([*self.keys, *cells, *more])
        return f"{self.chain.text()}\nSELECT {items} FROM weighed" + (f" GROUP BY {keys}" if keys else "")

    def _whole(self, number: int) -> str:
        """A whole number as a literal, as wide as it needs to be."""
        return self.dialect.literal(number, Type.INTEGER)


def _plain(measure: Measure) -> bool:
    """Whether every row counts."""
    return measure.shape in {Shape.ROWS, Shape.UNITS} and measure.argument is None and measure.condition is None


def _signed(measure: Measure) -> bool:
    """Whether what a row adds can be below 0."""
    return measure.shape is Shape.SUM and measure.lattice.first < 0
