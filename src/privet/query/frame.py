"""The dataframe front door: a statement put together step by step.

Every step gives a new value, and the end of it is one SQL text that goes through the same front door as any other, so
it means, costs and is refused the same.

Rows      of a table:  where, with_columns, select, join, group_by, agg
Groups    of rows:     agg
Summary   of groups:   having, order_by, limit, sql, explain, answer
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, Unpack

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, whole
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.fragment import all_of, bare, quoted, refuse_fragment
from privet.query.options import Keywords
from privet.query.results.answer import Answer
from privet.query.results.explanation import Explanation
from privet.wording.nearest import nearest

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

    def where(self, *conditions: str) -> "Rows":
        """Only rows for which every condition holds.

        Args:
            conditions: SQL, such as "age > 40".
        """
        for each in conditions:
            refuse_fragment(each, "where")
        return replace(self, conditions=(*self.conditions, *conditions))

    def with_columns(self, **columns: str) -> "Rows":
        """The same rows with further columns.

        Args:
            columns: by name, SQL such as "cost / 100".
        """
        kept = [each for each in self.names if each.casefold() not in {name.casefold() for name in columns}]
        return self.select(*map(quoted, kept), **columns)

    def select(self, *columns: str, **named: str) -> "Rows":
        """The same rows with these columns only.

        Args:
            columns: names, as SQL.
            named: by name, SQL of new ones.
        """
        for each in (*columns, *named.values()):
            refuse_fragment(each, "select")
        if not columns and not named:
            raise InvalidParameter('select: name at least one column, such as select("age")')
        items = [*columns, *(f"({each}) AS {quoted(name)}" for name, each in named.items())]
        inner = f"SELECT {', '.join(items)} FROM {self.source}{_where(self.conditions)}"  # noqa: S608 - the front door checks it
        names = (*(bare(each) for each in columns), *named)
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

    def group_by(self, *keys: str, **named: str) -> "Groups":
        """These rows by group.

        Args:
            keys: SQL, such as "city".
            named: by name, SQL such as "YEAR(day)".
        """
        if not keys and not named:
            raise InvalidParameter('group_by: name at least one key, such as group_by("city"), or use agg at once')
        for each in (*keys, *named.values()):
            refuse_fragment(each, "group_by")
        shown = (*((each, None) for each in keys), *((each, name) for name, each in named.items()))
        return Groups(self, shown)

    def agg(self, **aggregates: str) -> "Summary":
        """Private aggregates of all these rows together."""
        return Groups(self, ()).agg(**aggregates)


@dataclass(frozen=True)
class Groups:
    """Rows by group.

    Args:
        rows: of which.
        keys: SQL of each key, and its name if it has one.
    """

    rows: Rows
    keys: tuple[tuple[str, str | None], ...]

    def agg(self, **aggregates: str) -> "Summary":
        """Private aggregates of each group.

        Args:
            aggregates: by name, SQL such as "AVG(salary)".
        """
        if not aggregates:
            raise InvalidParameter('agg: ask for at least one number, such as agg(n="COUNT(*)")')
        for each in aggregates.values():
            refuse_fragment(each, "agg")
        return Summary(self, tuple(aggregates.items()))


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

    def having(self, *conditions: str) -> "Summary":
        """Only groups whose released numbers satisfy every condition."""
        for each in conditions:
            refuse_fragment(each, "having")
        return replace(self, conditions=(*self.conditions, *conditions))

    def order_by(self, *order: str) -> "Summary":
        """In this order: SQL such as "pay DESC"."""
        for each in order:
            refuse_fragment(each, "order_by")
        return replace(self, order=order)

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


def _where(conditions: tuple[str, ...]) -> str:
    return f" WHERE {all_of(conditions)}" if conditions else ""
