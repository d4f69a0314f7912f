# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""PlacedRows: the rows of a request, with unit, keys and places on the lattice. The first tables of its statement."""

from collections.abc import Iterator
from fractions import Fraction

from privet.query.measures.request import Bounded, Measure, Shape, rank_shift
from privet.query.plan.relations import Owner, Table
from privet.query.plan.statement import Key
from privet.query.printing.catalog_tables import uncut
from privet.query.printing.dialect import Dialect
from privet.query.printing.relation_tables import Chain
from privet.query.printing.shared_expressions import MOST_INLINED
from privet.query.printing.table_locations import Sources
from privet.query.scalars.expressions import Expression, Reference, facts_of
from privet.query.scalars.facts import Type

FEW = {Shape.ROWS, Shape.SUM, Shape.MEAN}  # shapes that use the place of a row once or twice


class PlacedRows:
    """A request while it is printed: its tables so far, and the names that all of them use."""

    def __init__(self, request: Bounded, owner: Owner, dialect: Dialect, sources: Sources) -> None:
        self.request = request
        self.dialect = dialect
        self.sources = sources
        self._owner = owner
        self.chain = Chain(dialect, sources)
        self.cap = request.limits.cap
        self.unit = [f"u{number}" for number in range(1, len(owner.unit) + 1)]
        self.keys = [f"k{number}" for number in range(1, len(request.keys) + 1)]
        # where a row is stored is nobody's own: rows that come and go would move the places of all others
        self.hashed = [] if sources.catalog.row_level else self.unit
        self.marks = [dialect.hashable(name, facts_of(key.expression).type) for key, name in self._named_keys()]
        self.integer = dialect.types[Type.INTEGER]

    @property
    def straight(self) -> bool:
        """Whether keys and arguments are columns of one table as they are, and arguments real numbers clipped there.

        So every column is computed about once between the table and its place on the lattice.
        """
        wanted = [measure for measure in self.request.measures if not plain(measure)]
        return (
            isinstance(self.request.source, Table)
            and all(measure.second is None for measure in wanted)
            and all(
                isinstance(each, Reference)
                for each in [*(key.expression for key in self.request.keys), *(measure.argument for measure in wanted)]
            )
            and all(
                measure.condition is None
                and on_steps(measure)
                and kind_of(measure) is Type.REAL
                and facts_of(measure.argument).bounded
                for measure in wanted
                if measure.argument is not None
            )
        )

    def counted(self, rows: str) -> str:
        """What stands after FROM where the rows of each unit are counted."""
        return self.dialect.counted(rows, *self.unit) if self.sources.whole_units and len(self.unit) == 1 else rows

    def rows(self) -> str:
        """Add these tables."""
        return self._placed(self._found())

    def _found(self) -> str:
        wanted = [measure for measure in self.request.measures if not plain(measure)]
        parts = [(measure.condition, measure.argument, measure.second) for measure in wanted]
        asked = [key.expression for key in self.request.keys]
        asked += [part for each in parts for part in each if part is not None]
        table = self.chain.add(self.request.source)
        source, found = self.chain.apart(table, asked)
        heavy = any(self.chain.weight(each) > MOST_INLINED for each in found)
        left = iter(found)
        items = [
            f"{self.chain.name(column)} AS {name}" for column, name in zip(self._owner.unit, self.unit, strict=True)
        ]
        items += [f"{self._key(key, next(left), stored=source == table)} AS {name}" for key, name in self._named_keys()]
        for number, measure in enumerate(self.request.measures, 1):
            if not plain(measure):
                items.append(f"{self._argument(measure, left)} AS x{number}")
            if measure.second is not None:
                items.append(f"{self.chain.computed(next(left))} AS y{number}")
        # a row without a unit is nobody's: tables leave them out, but a unit may be computed later, such as a day
        known = " AND ".join(f"{self.chain.name(column)} IS NOT NULL" for column in self._owner.unit)
        once = heavy or (self.request.by_row and not self.chain.steady)
        if self.straight:
            self.chain.dissolve(source, "found")
        return self.chain.append("found", f"SELECT {', '.join(items)} FROM {source} WHERE {known}", once=once)

    def _key(self, key: Key, part: Expression, *, stored: bool) -> str:
        """A key; a text of a table that must be one of a few short ones as it is stored, which engines find faster.

        What is cut to `longest` letters equals a shorter text only if it was that text before.
        """
        facts = facts_of(part)
        source = self.request.source
        if (
            stored
            and isinstance(part, Reference)
            and isinstance(source, Table)
            and part.column not in self._owner.unit
            and facts.type is Type.TEXT
            and key.domain is not None
            and all(len(str(value)) < (facts.longest or 0) for value in key.domain)
        ):
            return uncut(self.chain.name(part.column))
        return self.chain.print(part)

    def _named_keys(self) -> list[tuple[Key, str]]:
        return list(zip(self.request.keys, self.keys, strict=True))

    def _argument(self, measure: Measure, parts: Iterator[Expression]) -> str:
        """The argument where the condition is true, else NULL; 1 if there is no argument. Both are the next parts."""
        condition = None if measure.condition is None else self.chain.print(next(parts))
        one = self.dialect.literal(1, Type.INTEGER)
        write = self.chain.print if measure.shape is Shape.DISTINCT else self.chain.computed
        text = one if measure.argument is None else write(next(parts))
        return text if condition is None else f"CASE WHEN {condition} THEN {text} END"

    def _placed(self, found: str) -> str:
        named = [*self.unit, *self.keys]
        near, items = [*named], [*named]
        for number, measure in enumerate(self.request.measures, 1):
            if not plain(measure):
                near.append(f"{self._near(measure, f'x{number}')} AS x{number}")
                items.append(f"{self._place(measure, f'x{number}')} AS a{number}")
            if measure.second is not None:
                near.append(f"{self._near(measure.of_second, f'y{number}')} AS y{number}")
                items.append(f"{self._place(measure.of_second, f'y{number}')} AS b{number}")
        inside = [self._inside(key, name) for key, name in self._named_keys() if key.domain is not None]
        where = f" WHERE {' AND '.join(inside)}" if inside else ""
        if any(on_steps(measure) or on_steps(measure.of_second) for measure in self.request.measures):
            found = self.chain.append("near", f"SELECT {', '.join(near)} FROM {found}{where}")
            where = ""
            if not self.request.sample and all(measure.shape in FEW for measure in self.request.measures):
                self.chain.dissolve("placed")
        return self.chain.append("placed", f"SELECT {', '.join(items)} FROM {found}{where}")

    def _inside(self, key: Key, name: str) -> str:
        """Whether a key is one of its public domain; rows outside do not count, nor use up what a unit may add."""
        values = [value for value in key.domain or () if value is not None]
        known = self.dialect.among(name, values, facts_of(key.expression).type) if values else "FALSE"
        return f"({known} OR {name} IS NULL)" if None in (key.domain or ()) else known

    def _near(self, measure: Measure, text: str) -> str:
        """How many steps an argument is from the first place, rounded but not yet clipped; others as they are."""
        if not on_steps(measure):
            return text
        kind = kind_of(measure)
        span = measure.span
        value = text if kind is Type.REAL else self.dialect.convert(text, kind, Type.REAL)
        first = span.first * span.step
        most = self._most(measure) if self.straight else None
        return f"FLOOR({self.dialect.place(value, first, span.step, most=most)})"

    def _most(self, measure: Measure) -> Fraction:
        """How large an argument can be that is a column as its table clips it."""
        facts = None if measure.argument is None else facts_of(measure.argument)
        return max(abs(Fraction(end or 0)) for end in (facts.low, facts.high)) if facts is not None else Fraction(1)

    def _place(self, measure: Measure, text: str) -> str:
        """The place from 0 to `steps`, computed from the value alone and clipped; NULL stays NULL."""
        if measure.shape is Shape.DISTINCT:
            return text
        if measure.shape in {Shape.ROWS, Shape.UNITS}:
            return f"CASE WHEN {text} IS NOT NULL THEN {self.dialect.literal(1, Type.INTEGER)} END"
        span = measure.span
        if on_steps(measure):
            low, high = (self.dialect.literal(float(end), Type.REAL) for end in (0, span.steps))
            few = measure.shape is Shape.RANKS and span.steps < 1 << 31  # then groups of places are found faster
            place = f"CAST({_between(text, low, high)} AS {'INTEGER' if few else self.integer})"
        else:
            low, high = (self.dialect.literal(end, Type.INTEGER) for end in (span.first, span.last))
            place = f"({_between(text, low, high)} - {low})"
        if measure.shape is Shape.RANKS and (shift := rank_shift(span, fine=measure.fine)):
            place = self.dialect.quotient(place, self.dialect.literal(1 << shift, Type.INTEGER))
        return place

    def places(self) -> list[str]:
        """The columns of places on the lattice that rows have."""
        named = enumerate(self.request.measures, 1)
        return [
            name
            for number, measure in named
            for name, there in ((f"a{number}", not plain(measure)), (f"b{number}", measure.second is not None))
            if there
        ]

    def kept(self, pairs: str) -> tuple[str, str]:
        """The pairs that count, and the rows that a unit has, to be compared with the cap."""
        pairs = self.capped(pairs)
        if self.request.spread and self.keys:
            whole = f"CAST(SUM(n) OVER (PARTITION BY {', '.join(self.unit)}) AS {self.integer}) AS have"
            return self.chain.append("owned", f"SELECT *, {whole} FROM {pairs}"), "have"
        return pairs, "n"

    def capped(self, pairs: str) -> str:
        """The pairs in those groups of each unit that count, where they are capped."""
        if not (self.request.cap_groups and self.keys):
            return pairs
        owner = ", ".join(self.unit)
        place = ", ".join(f"{key} NULLS FIRST" for key in self.keys)
        order = f"PARTITION BY {owner} ORDER BY {self.dialect.digest((*self.hashed, *self.marks))}, {place}"
        ranked = f"SELECT *, ROW_NUMBER() OVER ({order}) AS place FROM {pairs}"
        return self.chain.append("kept", f"SELECT * FROM ({ranked}) AS t WHERE place <= {self.request.groups}")

    def last(self, more: list[str]) -> str:
        """The end of a statement of sums."""
        cells = [
            f"{self.dialect.added(f'm{number}_{place}', self.most(measure))} AS m{number}_{place}"
            for number, measure in enumerate(self.request.measures, 1)
            for place in range(1, measure.cells + 1)
        ]
        keys = ", ".join(self.keys)
        items = ", ".join([*self.keys, *cells, *more])
        return f"{self.chain.text()}\nSELECT {items} FROM weighed" + (f" GROUP BY {keys}" if keys else "")

    def most(self, measure: Measure) -> int:
        """How large a number is that a row, or a unit in a group, adds to a measure."""
        return size_of(measure, self.request.part) * (1 if self.request.by_row else self.cap)

    def whole(self, number: int) -> str:
        """A whole number as a literal, as wide as it needs to be."""
        return self.dialect.literal(number, Type.INTEGER)


def size_of(measure: Measure, part: int) -> int:
    """How large a number is that one row adds to a measure, and every step on the way to it."""
    span = measure.span
    if measure.shape is Shape.SPREAD:
        return 2 * span.steps**2
    if measure.shape is Shape.PRODUCTS:
        return measure.product_size
    return max(abs(span.first), abs(span.last), span.steps, part)


def kind_of(measure: Measure) -> Type:
    """The type of a measure's argument."""
    return Type.INTEGER if measure.argument is None else facts_of(measure.argument).type


def on_steps(measure: Measure) -> bool:
    """Whether places are computed from real numbers; whole ones on a lattice of step 1 are places as they are."""
    counted = measure.shape in {Shape.ROWS, Shape.UNITS, Shape.DISTINCT}
    return not counted and not (kind_of(measure) is Type.INTEGER and measure.span.step == 1)


def _between(text: str, low: str, high: str) -> str:
    """A number held between two ends; NULL stays NULL. The text is repeated, so it is a plain name."""
    return f"CASE WHEN {text} < {low} THEN {low} WHEN {text} > {high} THEN {high} ELSE {text} END"


def products(measure: Measure, number: int, dialect: Dialect) -> list[str]:
    """The nine numbers that a row adds: products of what each place is, made smaller; the last is what is left."""
    first, second = (
        (f"{place} * {place}", f"2 * {place} * ({steps} - {place})", f"({steps} - {place}) * ({steps} - {place})")
        for place, steps in (
            (f"a{number}", dialect.literal(measure.span.steps, Type.INTEGER)),
            (f"b{number}", dialect.literal(measure.second_span.steps, Type.INTEGER)),
        )
    )
    parts = dialect.literal(1 << measure.product_shift, Type.INTEGER)
    cells = [dialect.quotient(f"{one} * {other}", parts) for one in first for other in second][:-1]
    return [*cells, f"({dialect.literal(measure.product_size, Type.INTEGER)} - {' - '.join(cells)})"]


def plain(measure: Measure) -> bool:
    """Whether every row counts."""
    return measure.shape in {Shape.ROWS, Shape.UNITS} and measure.argument is None and measure.condition is None


def signed(measure: Measure) -> bool:
    """Whether what a row adds can be below 0."""
    return measure.shape is Shape.SUM and measure.span.first < 0
