"""The dataframe front door: a statement put together step by step.

Every step gives a new value, and the end of it is one SQL text that goes through the same front door as any other, so
it means, costs and is refused the same. A step takes SQL, or an expression of columns: "age > 40", or t.age > 40.

Rows      of a table:  where (or filter), with_columns, select, join, group_by, agg; t.age and t["age"] are its columns
Groups    of rows:     agg
Summary   of groups:   having, order_by, limit, sql, explain, answer
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, Unpack

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, whole
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.column_expression import Expression
from privet.query.fragment import all_of, bare, quoted, refuse_fragment
from privet.query.options import Keywords
from privet.query.results.answer import Answer
from privet.query.results.explanation import Explanation
from privet.wording.nearest import nearest

Piece = str | Expression
SIDES = {"inner": "JOIN", "left": "LEFT JOIN", "full": "FULL JOIN"}


class Asks(Protocol):
    """Where a statement is asked: a session."""

    @property
    def catalog(self) -> Catalog:
        """The public facts."""
        ...

    def sql(
        self,
        text: str,
        *,
        purpose: str | None = None,
        key: str | None = None,
        weights: Mapping[str, Exact] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Answer:
        """See `Session.sql`."""
        ...

    def explain(
        self, text: str, *, weights: Mapping[str, Exact] | None = None, **keywords: Unpack[Keywords]
    ) -> Explanation:
        """See `Session.explain`."""
        ...


@dataclass(frozen=True)
class Rows:
    """The rows of a table, some of them, or new columns of them.

    Args:
        session: where the statement will be asked.
        source: what stands after FROM.
        names: the columns that can be named, in order.
        conditions: all of them hold.
    """

    session: Asks = field(repr=False)
    source: str
    names: tuple[str, ...]
    conditions: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Expression:
        """A column, to write conditions and aggregates with."""
        return Expression(quoted(_column(self.names, name)), str(name), self, plain=True)

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("_"):  # Python and notebooks ask for such names, and no column is meant
            raise AttributeError(name)
        try:
            return self[name]
        except InvalidParameter as problem:
            raise AttributeError(str(problem)) from None

    def count(self) -> Expression:
        """How many rows there are, for `agg`; or by itself, `t.count().answer(epsilon=1)`."""
        return Expression("COUNT(*)", "count", self)

    def where(self, *conditions: Piece) -> "Rows":
        """Only rows for which every condition holds; `filter` is the same.

        Args:
            conditions: SQL, such as "age > 40", or t.age > 40.
        """
        return replace(self, conditions=(*self.conditions, *(_sql(each, "where") for each in conditions)))

    filter = where

    def with_columns(self, **columns: Piece) -> "Rows":
        """The same rows with further columns.

        Args:
            columns: by name, SQL such as "cost / 100", or t.cost / 100.
        """
        kept = [each for each in self.names if each.casefold() not in {name.casefold() for name in columns}]
        return self.select(*map(quoted, kept), **columns)

    def select(self, *columns: Piece, **named: Piece) -> "Rows":
        """The same rows with these columns only.

        Args:
            columns: names, as SQL, or t.age.
            named: by name, SQL of new ones, or t.age * 2.
        """
        given = [_named(each, "select") for each in columns] + [
            (_sql(each, "select"), name) for name, each in named.items()
        ]
        if not given:
            raise InvalidParameter('select: name at least one column, such as select("age")')
        items = [each if name is None else f"({each}) AS {quoted(name)}" for each, name in given]
        inner = f"SELECT {', '.join(items)} FROM {self.source}{_where(self.conditions)}"  # noqa: S608 - the front door checks it
        names = tuple(bare(each) if name is None else name for each, name in given)
        return Rows(self.session, f"({inner}) AS {quoted('rows')}", names)

    def join(self, table: "str | Rows", *, using: str | Iterable[str], how: str = "inner") -> "Rows":
        """Pairs of rows that agree in some columns.

        Args:
            table: the other table, or rows of it.
            using: the columns that agree; two private tables must agree in the unit.
            how: "inner", "left" or "full".
        """
        if how not in SIDES:
            raise InvalidParameter(f"how: there is no {how!r} join{nearest(str(how), SIDES)}")
        other = table if isinstance(table, Rows) else table_of(self.session, table)
        keys = (using,) if isinstance(using, str) else tuple(using)
        for key in keys:
            for side in (self, other):
                if key.casefold() not in {each.casefold() for each in side.names}:
                    raise InvalidParameter(f"using: {side.source} has no column {key}{nearest(key, side.names)}")
        left, right = self._closed("one"), other._closed("other")  # noqa: SLF001 - its own class
        agreed = {key.casefold() for key in keys}
        names = (*self.names, *(each for each in other.names if each.casefold() not in agreed))
        return Rows(
            self.session,
            f"{left} {SIDES[how]} {right} USING ({', '.join(map(quoted, keys))})",
            tuple(dict.fromkeys(names)),
        )

    def _closed(self, name: str) -> str:
        """These rows as one side of a join."""
        if not self.conditions and " " not in self.source:
            return self.source
        inner = f"SELECT {', '.join(map(quoted, self.names))} FROM {self.source}{_where(self.conditions)}"  # noqa: S608 - the same
        return f"({inner}) AS {quoted(name)}"

    def group_by(self, *keys: Piece, **named: Piece) -> "Groups":
        """These rows by group.

        Args:
            keys: SQL, such as "city", or t.city.
            named: by name, SQL such as "YEAR(day)", or t.day.dt.year().
        """
        if not keys and not named:
            raise InvalidParameter('group_by: name at least one key, such as group_by("city"), or use agg at once')
        given = [_named(each, "group_by") for each in keys] + [
            (_sql(each, "group_by"), name) for name, each in named.items()
        ]
        return Groups(self, tuple(given))

    def agg(self, *aggregates: Expression, **named: Piece) -> "Summary":
        """Private aggregates of all these rows together; see `Groups.agg`."""
        return Groups(self, ()).agg(*aggregates, **named)


@dataclass(frozen=True)
class Groups:
    """Rows by group.

    Args:
        rows: of which.
        keys: SQL of each key, and its name if it has one.
    """

    rows: Rows
    keys: tuple[tuple[str, str | None], ...]

    def agg(self, *aggregates: Expression, **named: Piece) -> "Summary":
        """Private aggregates of each group.

        Args:
            aggregates: expressions, each with a name: t.salary.mean(), or t.count().alias("n").
            named: by name, SQL such as "AVG(salary)", or t.salary.mean().
        """
        asked: dict[str, str] = {}
        for each in aggregates:
            if not getattr(each, "name", ""):
                raise InvalidParameter(f"agg: give each number a name, such as agg(pay={each!r:.60})")
            if asked.setdefault(each.name, each.sql) is not each.sql:
                raise InvalidParameter(f"agg: two numbers are called {each.name}: name them, by keywords or alias")
        for name, piece in named.items():
            if name in asked:
                raise InvalidParameter(f"agg: two numbers are called {name}: name them, by keywords or alias")
            asked[name] = _sql(piece, "agg")
        if not asked:
            raise InvalidParameter('agg: ask for at least one number, such as agg(n="COUNT(*)")')
        return Summary(self, tuple(asked.items()))


@dataclass(frozen=True, repr=False)
class Summary:
    """A whole statement: private aggregates, and what is done with them once they are released, which is free."""

    groups: Groups
    aggregates: tuple[tuple[str, str], ...]
    conditions: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    first: int | None = None
    skipped: int = 0

    def __repr__(self) -> str:
        return f"Summary({self.sql})"

    def __getitem__(self, name: str) -> Expression:
        """A column of the answer, for `having` and `order_by`."""
        keys = [bare(each) if known is None else known for each, known in self.groups.keys]
        return Expression(quoted(_column([*keys, *(each for each, _ in self.aggregates)], name)), str(name))

    def having(self, *conditions: Piece) -> "Summary":
        """Only groups whose released numbers satisfy every condition: SQL such as "n > 10", or summary["n"] > 10."""
        return replace(self, conditions=(*self.conditions, *(_sql(each, "having") for each in conditions)))

    def order_by(self, *order: Piece) -> "Summary":
        """In this order: SQL such as "pay DESC", or summary["pay"].desc()."""
        return replace(self, order=tuple(_sql(each, "order_by") for each in order))

    def limit(self, rows: int, *, offset: int = 0) -> "Summary":
        """Only so many rows of the answer."""
        for name, number in (("limit", rows), ("offset", offset)):
            whole(number, name, low=0)
        return replace(self, first=rows, skipped=offset)

    @property
    def sql(self) -> str:
        """The statement."""
        rows, keys = self.groups.rows, self.groups.keys
        items = [each if name is None else f"({each}) AS {quoted(name)}" for each, name in keys]
        items += [f"{each} AS {quoted(name)}" for name, each in self.aggregates]
        text = f"SELECT {', '.join(items)} FROM {rows.source}{_where(rows.conditions)}"  # noqa: S608 - the same
        if keys:
            text += f" GROUP BY {', '.join(each for each, _ in keys)}"
        if self.conditions:
            text += f" HAVING {all_of(self.conditions)}"
        if self.order:
            text += f" ORDER BY {', '.join(self.order)}"
        if self.first is not None:
            text += f" LIMIT {self.first}"
        return text + (f" OFFSET {self.skipped}" if self.skipped else "")

    def explain(self, *, weights: Mapping[str, Exact] | None = None, **keywords: Unpack[Keywords]) -> Explanation:
        """What the statement would cost and how far off it would be; spends nothing. See `Session.explain`."""
        return self.groups.rows.session.explain(self.sql, weights=weights, **keywords)

    def answer(
        self,
        *,
        purpose: str | None = None,
        key: str | None = None,
        weights: Mapping[str, Exact] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Answer:
        """Ask it. See `Session.sql`."""
        return self.groups.rows.session.sql(self.sql, purpose=purpose, key=key, weights=weights, **keywords)


def table_of(session: Asks, name: str) -> Rows:
    """The rows of a table of the session's catalog."""
    tables: Mapping[str, DeclaredTable] = session.catalog.tables
    known = {each.casefold(): each for each in tables}
    if (found := known.get(str(name).casefold())) is None:
        raise InvalidParameter(f"there is no table {name}{nearest(str(name), tables)}")
    table = tables[found]
    names = dict.fromkeys(table.columns)
    if table.unit_column is not None and not table.unit_path:
        names.setdefault(table.unit_column)
    return Rows(session, quoted(table.name), tuple(names))


def _column(names: Iterable[str], name: object) -> str:
    """The name as it was declared, whatever its letters' case."""
    known = {each.casefold(): each for each in names}
    found = known.get(str(name).casefold())
    if found is None:
        raise InvalidParameter(f"there is no column {name}{nearest(str(name), known.values())}")
    return found


def _sql(piece: object, place: str) -> str:
    """A piece of SQL, as text or as an expression."""
    if isinstance(piece, Expression):
        return piece.sql
    refuse_fragment(piece, place)
    return str(piece)


def _named(piece: Piece, place: str) -> tuple[str, str | None]:
    """A piece that stands without a keyword, and the name it has besides."""
    if isinstance(piece, Expression) and not piece.plain:
        if not piece.name:
            raise InvalidParameter(f"{place}: name it, such as {place}(name={piece.sql})")
        return piece.sql, piece.name
    return _sql(piece, place), None


def _where(conditions: tuple[str, ...]) -> str:
    return f" WHERE {all_of(conditions)}" if conditions else ""
