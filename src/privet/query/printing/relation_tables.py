# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Relations: one common table for each node of a plan, with names of our own for tables and columns."""

from collections.abc import Callable, Iterable

from privet.errors import InvalidParameter
from privet.query.aggregates import rule_of
from privet.query.plan.aggregation import Aggregation
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
from privet.query.printing.catalog_tables import OnlyRows, known, print_table
from privet.query.printing.dialect import Dialect
from privet.query.printing.exact_aggregates import print_aggregation, print_places
from privet.query.printing.few_rows import print_few, print_many
from privet.query.printing.function_templates import coerced, print_column, print_expression
from privet.query.printing.shared_expressions import MOST_INLINED, Once, refuse_heavy
from privet.query.printing.table_locations import Sources
from privet.query.printing.window_frames import print_frame
from privet.query.scalars.expressions import Column, Expression, Reference, columns_in
from privet.query.scalars.facts import Type

JOINS = {JoinKind.INNER: "JOIN", JoinKind.LEFT: "LEFT JOIN", JoinKind.FULL: "FULL JOIN", JoinKind.CROSS: "CROSS JOIN"}


def print_relation(relation: Relation, dialect: Dialect, sources: Sources) -> str:
    """A statement that gives the relation's columns, in order, numbered: c1, c2."""
    chain = Chain(dialect, sources)
    last = chain.add(relation)
    items = ", ".join(f"{chain.name(column)} AS c{place + 1}" for place, column in enumerate(relation.columns))
    return f"{chain.text()} SELECT {items} FROM {last}"


class Chain:
    """Common tables r1, r2, … that stand for nodes, and names n1, n2, … that stand for column versions."""

    def __init__(self, dialect: Dialect, sources: Sources) -> None:
        self.dialect = dialect
        self.sources = sources
        self.only = OnlyRows()  # of tables that are read
        self.steady = True  # whether computing a table twice surely gives the same rows
        self._names: dict[Column, str] = {}
        self._made: dict[int, str] = {}
        self._tables: list[tuple[str, str, str]] = []
        self._open: set[str] = set()
        self._weights: dict[Column, int] = {}  # of columns that are computed, if the engine inlines them
        self._parts = 0

    def name(self, column: Column) -> str:
        """What a column version is called."""
        return self._names.setdefault(column, f"n{len(self._names) + 1}")

    def print(self, expression: Expression) -> str:
        """An expression over columns of the chain, as a column or key."""
        return print_column(expression, self.dialect, self.name)

    def computed(self, expression: Expression) -> str:
        """The same where nothing sees the sign of a zero: a condition, or what is placed on a lattice."""
        return print_expression(expression, self.dialect, self.name)

    def apart(self, source: str, expressions: Iterable[Expression]) -> tuple[str, list[Expression]]:
        """A table with what these expressions repeat, or nest deeply, as columns; and what is left of them."""
        once = Once(self.dialect, self._inlined)
        left = [once.split(expression) for expression in expressions]
        for level in once.levels:
            self._weigh(once, level)
            items = ", ".join(self._as(self.print(part), column) for column, part in level)
            self._parts += 1
            source = self.append(f"p{self._parts}", f"SELECT *, {items} FROM {source}")
        return source, left

    def weight(self, expression: Expression) -> int:
        """How many parts an engine evaluates that inlines the columns of tables below."""
        return Once(self.dialect, self._inlined).weight(expression)

    def keep_heavy(self, source: str, columns: Iterable[Column], *expressions: Expression) -> None:
        """See to it that a condition can be pushed down no farther than here, if it grows heavy on the way.

        Filters move through tables, and carry what columns are made of along, each as often as it is mentioned.
        """
        if all(self.weight(expression) <= MOST_INLINED for expression in expressions):
            return
        if not self.dialect.kept:
            refuse_heavy(MOST_INLINED + 1)
        self._keep(source)
        self._weights |= dict.fromkeys(columns, 1)

    def _keep(self, source: str) -> None:
        """See to it that a table is computed once."""
        self._tables = [
            (name, self.dialect.kept if name == source else how, select) for name, how, select in self._tables
        ]

    def _inlined(self, column: Column) -> int:
        return 1 if self.dialect.fence else self._weights.get(column, 1)

    def _weigh(self, once: Once, items: Iterable[tuple[Column, Expression]]) -> None:
        self._weights |= {column: once.weight(expression) for column, expression in items}

    def text(self) -> str:
        """WITH and all tables."""
        names = [name for name, _, _ in self._tables]
        fence = self.dialect.fence
        return "WITH " + ",\n".join(
            f"{name} AS {how} ({self.dialect.common(name, select, names)}{'' if name in self._open else fence})"
            for name, how, select in self._tables
        )

    def dissolve(self, *names: str) -> None:
        """Leave out the fence of tables whose columns are each computed about once by what stands above them."""
        self._open.update(names)

    def append(self, name: str, select: str, *, once: bool = False) -> str:
        """Add a table."""
        self._tables.append((name, self.dialect.kept if once else self.dialect.inlined, select))
        return name

    def add(self, relation: Relation) -> str:
        """The table that stands for a node, added with those it is made of; a node that occurs twice is one table."""
        if id(relation) not in self._made:
            select, once = self._select(relation)
            self._made[id(relation)] = self.append(f"r{len(self._made) + 1}", select, once=once)
        return self._made[id(relation)]

    def _select(self, relation: Relation) -> tuple[str, bool]:  # noqa: C901, PLR0911 - one return for each node
        match relation:
            case Table():
                read = print_table(relation, self.dialect, self.sources, self.name, self.only)
                self.steady = self.steady and read.steady
                return read.select, read.once
            case Released():
                return self._released(relation), False
            case Values():
                return self._values(relation), False
            case Filter():
                source, (condition,) = self.apart(self.add(relation.source), [relation.condition])
                self.keep_heavy(source, (*relation.source.columns, *columns_in(condition)), condition)
                return f"SELECT {self._renewed(relation)} FROM {source} WHERE {self.print(condition)}", False
            case Project():
                return self._project(relation), False
            case Join():
                return self._join(relation), False
            case Union():
                return self._union(relation), False
            case Group():
                return self._group(relation), False
            case Few():
                return self._few(relation), False
            case Window():
                self.steady = False
                return self._window(relation), False

    def _project(self, relation: Project) -> str:
        source, parts = self.apart(self.add(relation.source), (expression for _, expression in relation.items))
        items = tuple((column, part) for (column, _), part in zip(relation.items, parts, strict=True))
        self._weigh(Once(self.dialect, self._inlined), items)
        return f"SELECT {self._items(items)} FROM {source}"

    def _as(self, text: str, column: Column) -> str:
        return f"{text} AS {self.name(column)}"

    def _items(self, items: tuple[tuple[Column, Expression], ...]) -> str:
        return ", ".join(
            self._as(coerced(expression, column.facts.type, self.dialect, self.name), column)
            for column, expression in items
        )

    def _renewed(self, relation: Filter | Window) -> str:
        self._weights |= {new: self._inlined(old) for new, old in relation.renewed}
        return ", ".join(self._as(self.name(old), new) for new, old in relation.renewed)

    def _released(self, relation: Released) -> str:
        if relation.stage not in self.sources.released:
            raise InvalidParameter(f"stage {relation.stage} has not been answered yet")
        table = self.sources.released[relation.stage]
        items = []
        for place_, column in enumerate(relation.columns):
            text = f"c{place_ + 1}"
            kind = column.facts.type
            cast = f"CAST({text} AS {self.dialect.types[kind]})"
            items.append(self._as(self.dialect.number(cast) if kind is Type.REAL else cast, column))
        return f"SELECT {', '.join(items)} FROM {table}"

    def _values(self, relation: Values) -> str:
        rows = [
            ", ".join(
                self._as(self.dialect.literal(value, column.facts.type), column)
                for value, column in zip(row, relation.columns, strict=True)
            )
            for row in relation.rows
        ]
        if not rows:
            nothing = ", ".join(self._as(self.dialect.literal(None, c.facts.type), c) for c in relation.columns)
            return f"SELECT {nothing} WHERE FALSE"
        return " UNION ALL ".join(f"SELECT {row}" for row in rows)

    def _few(self, relation: Few) -> str:
        source = self.add(relation.source)
        if relation.owner is None:
            raise InvalidParameter("rows are left out of private tables only")
        if not self.steady:
            self._keep(source)
        unit = [self.name(column) for column in relation.owner.unit]
        many = self.append(f"many_{source}", print_many(source, unit, relation.rows), once=True)
        columns = [(self.name(column), column.facts.type) for column in relation.columns]
        return print_few(source, many, unit, columns, relation.rows, self.dialect)

    def _join(self, relation: Join) -> str:
        left, right = self.add(relation.left), self.add(relation.right)
        if left == right:
            raise InvalidParameter("a relation joined with itself needs new versions of its columns")
        self._weigh(Once(self.dialect, self._inlined), relation.items)
        conditions = [] if relation.condition is None else [self._joining(relation, relation.condition, left, right)]
        if relation.left.owner is not None and relation.right.owner is not None:
            pairs = zip(relation.left.owner.unit, relation.right.owner.unit, strict=True)
            conditions += [f"({self.name(one)} = {self.name(other)})" for one, other in pairs]
        elif relation.same_unit:
            raise InvalidParameter("only two owned relations can be joined by their unit")
        kind = relation.kind if not conditions or relation.kind is not JoinKind.CROSS else JoinKind.INNER
        if not conditions and kind is not JoinKind.CROSS:
            conditions = ["TRUE"]
        condition = f" ON {' AND '.join(conditions)}" if conditions else ""
        sides = ((relation.left, left), (relation.right, right))
        whole = next((self.dialect.sent_whole(name) for side, name in sides if self._is_small(side)), "")
        return f"SELECT {whole}{self._items(relation.items)} FROM {left} {JOINS[kind]} {right}{condition}"

    def _joining(self, relation: Join, condition: Expression, left: str, right: str) -> str:
        """The condition of a join; what it compares is of two tables, so that nothing of it is computed below."""
        once = Once(self.dialect)
        once.split(condition)
        if once.levels:
            raise InvalidParameter("the condition of a join is nested too deeply; compute parts of it in subqueries")
        for side, source in ((relation.left, left), (relation.right, right)):
            self.keep_heavy(source, side.columns, condition)
        return self.print(condition)

    def _is_small(self, relation: Relation) -> bool:
        """Whether it is made of one public table that is small."""
        if relation.owner is not None:
            return False
        while isinstance(relation, Filter | Project | Group | Window):
            relation = relation.source
        return isinstance(relation, Released | Values) or (
            isinstance(relation, Table) and known(self.sources.tables, relation.name).small
        )

    def _union(self, relation: Union) -> str:
        parts = []
        for source in relation.sources:
            table = self.add(source)
            items = tuple((new, Reference(old)) for new, old in zip(relation.columns, source.columns, strict=True))
            for new, old in zip(relation.columns, source.columns, strict=True):
                self._weights[new] = max(self._weights.get(new, 1), self._inlined(old))
            parts.append(f"SELECT {self._items(items)} FROM {table}")
        return " UNION ALL ".join(parts)

    def _group(self, relation: Group) -> str:
        wanted, keyed_by = [item for _, item in relation.items], [expression for _, expression in relation.keys]
        source, parts = self.apart(self.add(relation.source), [*keyed_by, *_of(wanted)])
        self._weigh(
            Once(self.dialect, self._inlined), zip((column for column, _ in relation.keys), parts, strict=False)
        )
        keys = [f"{self.print(part)} AS k{number}" for number, part in enumerate(parts[: len(keyed_by)], 1)]
        keyed = [self._as(f"k{number}", column) for number, (column, _) in enumerate(relation.keys, 1)]
        wanted = _with(wanted, parts[len(keyed_by) :])
        pairs = tuple((column, item) for (column, _), item in zip(relation.items, wanted, strict=True))
        arguments, places, items = self._aggregates(pairs, "")
        inner = f"SELECT {', '.join([*keys, *arguments]) or '1 AS one'} FROM {source}"
        inner = f"SELECT *, {', '.join(places)} FROM ({inner}) AS t" if places else inner
        by = ", ".join(f"k{number}" for number in range(1, len(keys) + 1))
        outer = f"SELECT {', '.join([*keyed, *items])} FROM ({inner}) AS t"
        return f"{outer} GROUP BY {by}" if by else outer

    def _aggregates(
        self, items: tuple[tuple[Column, Aggregation], ...], over: str
    ) -> tuple[list[str], list[str], list[str]]:
        """Columns x1, f1, … with arguments and conditions, p1, … with their places, and aggregates of those."""
        arguments, places, results = [], [], []
        for number, (column, wanted) in enumerate(items, 1):
            condition = None
            names = (f"x{number}", f"y{number}")[: len(wanted.arguments)]
            arguments += [f"{self.print(part)} AS {name}" for part, name in zip(wanted.arguments, names, strict=True)]
            placed = print_places(wanted, names, self.dialect)
            places += [f"{text} AS {name}{number}" for name, text in zip("pq", placed, strict=False)]
            if wanted.condition is not None:
                condition = f"f{number}"
                arguments.append(f"{self.print(wanted.condition)} AS {condition}")
            result = print_aggregation(wanted, (f"p{number}", f"q{number}"), condition, over, self.dialect)
            results.append(self._as(self._typed(result, wanted, column), column))
        return arguments, places, results

    def _typed(self, text: str, wanted: Aggregation, column: Column) -> str:
        """An aggregate as the type its column has."""
        source = rule_of(wanted).exact_facts(wanted, None)[0].type
        return text if source is column.facts.type else self.dialect.convert(text, source, column.facts.type)

    def _window(self, relation: Window) -> str:
        wanted = [relation.function] if isinstance(relation.function, Aggregation) else []
        argument = [] if relation.argument is None else [relation.argument]
        ordering = [expression for expression, _ in relation.order]
        source, found = self.apart(self.add(relation.source), [*relation.partition, *ordering, *argument, *_of(wanted)])
        left = iter(found)
        by = ", ".join(self.print(next(left)) for _ in relation.partition)
        order = [self._ordered(self.print(next(left)), descending=down) for _, down in relation.order]
        argument = [next(left) for _ in argument]
        if _by_place(relation.function) or relation.frame is not None:
            # so that rows which are equal in the order come in an order that depends on the unit's own rows only
            order += [self._ordered(self.name(column), descending=False) for column in relation.source.columns]
        parts = ([f"PARTITION BY {by}"] if by else []) + ([f"ORDER BY {', '.join(order)}"] if order else [])
        parts += [] if relation.frame is None else [print_frame(relation.frame)]
        over = f" OVER ({' '.join(parts)})"
        if wanted:
            arguments, places, (item,) = self._aggregates(((relation.item, _with(wanted, left)[0]),), over)
        else:
            arguments = []
            places = []
            item = self._as(self._ranking(relation, argument, over), relation.item)
        inner = f"(SELECT *, {', '.join(arguments)} FROM {source}) AS t" if arguments else source
        inner = f"(SELECT *, {', '.join(places)} FROM {inner}) AS t" if places else inner
        return f"SELECT {self._renewed(relation)}, {item} FROM {inner}"

    def _ranking(self, relation: Window, argument: list[Expression], over: str) -> str:
        assert isinstance(relation.function, Ranking)  # noqa: S101 - the other kind is printed above
        if relation.function in {Ranking.LAG, Ranking.LEAD}:
            if not argument:
                raise InvalidParameter(f"{relation.function.value} needs an argument")
            return f"{relation.function.value}({self.print(argument[0])}, {relation.number:d}){over}"
        if relation.function is Ranking.NTILE:
            return f"NTILE({relation.number:d}){over}"
        return f"{relation.function.value}(){over}"

    def _ordered(self, text: str, *, descending: bool) -> str:
        return ordered(text, descending=descending)


def _by_place(function: Ranking | Aggregation) -> bool:
    """Whether it depends on which of several rows that are equal in the order comes first."""
    if isinstance(function, Aggregation):
        return rule_of(function).ordered
    return function not in {Ranking.RANK, Ranking.DENSE_RANK}


def _of(items: Iterable[Aggregation]) -> list[Expression]:
    """What aggregates are computed of."""
    return [part for item in items for part in item.parts]


def _with(items: Iterable[Aggregation], parts: Iterable[Expression]) -> list[Aggregation]:
    """The aggregates, computed of these."""
    left = iter(parts)
    return [item.changed(lambda _: next(left)) for item in items]


def ordered(text: str, *, descending: bool) -> str:
    """A term of ORDER BY; NULLs come last either way."""
    return f"{text} {'DESC' if descending else 'ASC'} NULLS LAST"


Name = Callable[[Column], str]
