"""NameScope: the names a SELECT can use, and the relation they are columns of."""

from dataclasses import dataclass, field, replace

from sqlglot import exp

from privet.query.functions import substitute
from privet.query.plan.build import Renewal
from privet.query.plan.relations import Relation
from privet.query.scalars.expressions import Column, Expression, Reference
from privet.query.sql.names import matching, same, spelled
from privet.query.sql.refuse import because, refuse
from privet.wording.nearest import close


@dataclass(frozen=True)
class Name:
    """One column that can be named.

    Args:
        table: the alias of its table; "" for a column that USING made of two.
        name: its own.
        column: the version it stands for.
        alone: whether it can be named without its table; not if USING merged it.
    """

    table: str
    name: str
    column: Column
    alone: bool = True


@dataclass(frozen=True)
class NameScope:
    """What the clauses of a SELECT see.

    Args:
        relation: whose columns the names stand for.
        names: in the order of FROM.
        ready: expressions for parts of the statement that were computed beforehand: subqueries and windows.
        outer: names of the statement around this one, which can be compared with in WHERE alone.
    """

    relation: Relation
    names: tuple[Name, ...]
    ready: dict[int, Expression] = field(default_factory=dict)
    outer: tuple[Name, ...] = ()

    def over(self, relation: Relation, renewal: Renewal) -> "NameScope":
        """The same names over a new relation."""
        names = tuple(replace(name, column=renewal.get(name.column, name.column)) for name in self.names)
        ready = {place: renewed(expression, renewal) for place, expression in self.ready.items()}
        return replace(self, relation=relation, names=names, ready=ready)

    def called(self, alias: str) -> "NameScope":
        """The same columns under one table name."""
        return replace(self, names=tuple(Name(alias, name.name, name.column) for name in self.visible))

    @property
    def visible(self) -> tuple[Name, ...]:
        """What a star stands for."""
        return tuple(name for name in self.names if name.alone)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns a star stands for."""
        return tuple(name.column for name in self.visible)

    def find(self, node: exp.Column) -> Column:
        """The column a name stands for."""
        found = self.candidates(node)
        if len({name.column for name in found}) == 1:
            return found[0].column
        if found:
            tables = " or ".join(sorted({f"{name.table}.{name.name}" for name in found}))
            raise refuse(node, "this name could be several columns", f"write {tables}")
        if self.around(node):
            raise because(node, "correlated")
        raise refuse(node, "there is no such column here", self._known(node))

    def around(self, node: exp.Column) -> bool:
        """Whether a name is one of the statement around this one."""
        return bool(_candidates(node, self.outer))

    def candidates(self, node: exp.Column) -> list[Name]:
        """The names a column could be."""
        return _candidates(node, self.names)

    def _known(self, node: exp.Column) -> str:
        """What was meant, or what there is."""
        names = sorted({name.name for name in self.names})
        table = node.args.get("table")
        if table is not None and not any(same(spelled(table), name) for name in self.tables()):
            return f"there is no table {spelled(table)}, only {', '.join(sorted(self.tables()))}" if self.names else ""
        meant = close(spelled(node.this), names)
        if meant is not None:
            return f"did you mean {meant}?"
        return f"there are {', '.join(names[:12])}{', …' if len(names) > 12 else ''}" if names else ""  # noqa: PLR2004 - a line's worth

    def spoken(self, column: Column) -> str:
        """What a column is called here, with its table if that has a name."""
        found = next((name for name in self.names if name.column is column), None)
        return column.name if found is None or not found.table else f"{found.table}.{found.name}"

    def tables(self) -> set[str]:
        """The aliases in use."""
        return {name.table for name in self.names if name.table}


def _candidates(node: exp.Column, names: tuple[Name, ...]) -> list[Name]:
    table = node.args.get("table")
    if table is None:
        return matching(node.this, [name for name in names if name.alone], name=lambda name: name.name)
    inside = matching(table, [name for name in names if name.table], name=lambda name: name.table)
    return matching(node.this, inside, name=lambda name: name.name)


def renewed(expression: Expression, renewal: Renewal) -> Expression:
    """The expression over new versions of its columns."""
    return substitute(
        expression,
        lambda part: (
            Reference(renewal[part.column]) if isinstance(part, Reference) and part.column in renewal else None
        ),
    )


def merged(left: NameScope, right: NameScope, *, node: exp.Expr) -> tuple[Name, ...]:
    """The names of two tables side by side; each table has a name of its own."""
    for a in left.tables():
        for b in right.tables():
            if same(a, b):
                raise refuse(node, f"two tables are called {b}", "give one an alias: FROM visit AS v")
    return left.names + right.names


def own_name(item: exp.Expr) -> str:
    """What an item of SELECT is called."""
    if isinstance(item, exp.Alias):
        return spelled(item.args["alias"])
    if isinstance(item, exp.Column):
        return spelled(item.this)
    return item.sql(dialect="duckdb")
