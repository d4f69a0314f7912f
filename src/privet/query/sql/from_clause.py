"""From clause: the FROM of a SELECT: tables, subqueries and joins. Two private tables meet on their unit only."""

from dataclasses import dataclass, replace
from typing import Protocol

from sqlglot import exp

from privet.errors import InvalidParameter, QueryRefused
from privet.query.functions import call
from privet.query.functions.logic import conjuncts
from privet.query.plan.build import joined, projected
from privet.query.plan.relations import JoinKind, Relation
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference, columns_in, facts_of
from privet.query.scalars.facts import Type
from privet.query.sql.context import Context
from privet.query.sql.handled_arguments import only
from privet.query.sql.literal_rows import values_scope
from privet.query.sql.name_scope import Name, NameScope, merged
from privet.query.sql.names import matching, same, spelled
from privet.query.sql.refuse import because, refuse
from privet.query.sql.reuse import aliased, fresh, one_row
from privet.query.sql.scalar_expressions import Scalars
from privet.query.sql.table_relation import refuse_schema, table_scope

Names = dict[str, NameScope]


class Query(Protocol):
    """Reads a subquery."""

    def __call__(self, node: exp.Expr, ctes: Names, name: str, outer: tuple[Name, ...] = ()) -> NameScope:
        """The subquery as a relation."""


@dataclass(frozen=True)
class Sources:
    """Reads FROM.

    Args:
        context: of the statement.
        ctes: what WITH named so far.
        query: reads a subquery.
        where: the conditions of WHERE, in which the units of tables listed with commas may be compared.
    """

    context: Context
    ctes: Names
    query: Query
    where: list[exp.Expr]

    def read(self, select: exp.Select) -> NameScope:
        """All of FROM as one relation."""
        start = only(select.args["from_"], "this").this
        scope = self.joins(start, self.one(start))
        for join in select.args.get("joins") or []:
            scope = self.join(scope, join)
        return scope

    def joins(self, node: exp.Expr, scope: NameScope) -> NameScope:
        """Joins that hang on a table in parentheses."""
        for join in node.args.get("joins") or []:
            scope = self.join(scope, join)
        return scope

    def one(self, node: exp.Expr) -> NameScope:
        """One table, subquery or list of values, under its alias."""
        alias = node.args.get("alias")
        if isinstance(node, exp.Table):
            scope = self._table(node)
        elif isinstance(node, exp.Subquery):
            only(node, "this", "alias", "joins")
            if isinstance(node.this, exp.Table | exp.Subquery):
                scope = self.joins(node.this, self.one(node.this))
            else:
                scope = self.query(node.this, self.ctes, alias.name if alias else "subquery").called("")
        elif isinstance(node, exp.Values):
            scope = values_scope(only(node, "expressions", "alias"))
        elif isinstance(node, exp.Unnest):
            raise because(node, "list")
        else:
            raise because(node, "table function" if isinstance(node, exp.Func) else "unknown clause")
        return aliased(scope, alias, node)

    def _table(self, node: exp.Table) -> NameScope:
        refuse_schema(node, self.context)
        only(node, "this", "alias", "joins", "db", "catalog")
        if not isinstance(node.this, exp.Identifier):
            raise because(node, "table function")
        found = matching(node.this, self.ctes if node.args.get("db") is None else (), name=str)
        if found:
            return fresh(self.ctes[found[0]], self.context).called(found[0])
        return table_scope(node, self.context)

    def join(self, left: NameScope, node: exp.Join) -> NameScope:
        """Two relations side by side."""
        only(node, "this", "side", "kind", "on", "using", "method")
        right = self.joins(node.this, self.one(node.this))
        side, kind = str(node.args.get("side") or ""), str(node.args.get("kind") or "")
        if side not in {"", "LEFT", "RIGHT", "FULL"} or kind not in {"", "INNER", "OUTER", "CROSS"}:
            raise because(node, "unknown clause", "use JOIN, LEFT JOIN, FULL JOIN or CROSS JOIN")
        both = NameScope(left.relation, merged(left, right, node=node), outer=left.outer)
        using = self._using(node, left, right)
        condition = self._condition(node, both, using)
        if side == "RIGHT":
            turned = [(name, b, a) for name, a, b in using]
            scope = self._joined(node, right, left, JoinKind.LEFT, condition, both, turned)
        else:
            kinds = {"LEFT": JoinKind.LEFT, "FULL": JoinKind.FULL}
            scope = self._joined(node, left, right, kinds.get(side, JoinKind.INNER), condition, both, using)
        return scope

    def _using(self, node: exp.Join, left: NameScope, right: NameScope) -> list[tuple[str, Column, Column]]:
        pairs = []
        for identifier in self._natural(node, left, right) or node.args.get("using") or []:
            column = exp.Column(this=identifier)
            pairs.append((spelled(identifier), left.find(column), right.find(column)))
        return pairs

    @staticmethod
    def _natural(node: exp.Join, left: NameScope, right: NameScope) -> list[exp.Identifier]:
        """The columns that NATURAL JOIN compares: those that both sides name alike."""
        method = str(node.args.get("method") or "")
        if method not in {"", "NATURAL"}:
            raise because(node, "unknown clause", "use JOIN, LEFT JOIN, FULL JOIN or CROSS JOIN")
        if not method:
            return []
        names = [name.name for name in right.visible]
        shared = [name.name for name in left.visible if any(same(name.name, other) for other in names)]
        if not shared:
            raise refuse(node, "the two have no column of one name", "write JOIN … ON")
        return [exp.to_identifier(name, quoted=True) for name in dict.fromkeys(shared)]

    def _condition(self, node: exp.Join, both: NameScope, using: list[tuple[str, Column, Column]]) -> list[Expression]:
        parts: list[Expression] = []
        for _, a, b in using:
            try:
                parts.append(call("eq", Reference(a), Reference(b)))
            except InvalidParameter as error:
                raise refuse(node, str(error)) from None
        on = node.args.get("on")
        if on is not None:
            read = Scalars(both, _plain).read(on)
            if facts_of(read).type is not Type.BOOLEAN:
                raise refuse(on, "a join takes a condition", "write ON a.x = b.x")
            parts += conjuncts(read)
        return [part for part in parts if part != Literal(True, Type.BOOLEAN)]  # noqa: FBT003 - ON TRUE says nothing

    def _joined(  # noqa: PLR0913, PLR0917 - the parts of one join
        self,
        node: exp.Join,
        left: NameScope,
        right: NameScope,
        kind: JoinKind,
        parts: list[Expression],
        both: NameScope,
        using: list[tuple[str, Column, Column]],
    ) -> NameScope:
        a, b = left.relation, right.relation
        if a.owner is not None and b.owner is not None:
            parts = self._on_unit(node, a, b, parts, both)
        elif a.owner is not None or b.owner is not None:
            self._with_public(node, a, b, kind, parts)
        public_kept = kind is JoinKind.LEFT and a.owner is None and b.owner is not None
        kind = JoinKind.INNER if public_kept else kind
        condition = None if not parts else parts[0] if len(parts) == 1 else call("and", *parts)
        if condition is None and kind is JoinKind.INNER and (a.owner is None or b.owner is None):
            kind = JoinKind.CROSS
        relation, renewal = joined(a, b, kind, condition, marks=self.context.marks, public_kept=public_kept)
        if public_kept and relation.owner is not None:
            self.context.marks.kept.update(renewal[column] for column in a.columns)
            self.context.marks.partnered.update(relation.owner.unit)
        scope = NameScope(relation, both.names).over(relation, renewal)
        return self._merge(scope, kind, right, [(name, renewal[x], renewal[y]) for name, x, y in using])

    def _merge(
        self, scope: NameScope, kind: JoinKind, right: NameScope, using: list[tuple[str, Column, Column]]
    ) -> NameScope:
        """After USING one name stands for both columns."""
        for name, a, b in using:
            if kind is JoinKind.FULL:
                scope, column = self._either(scope, name, a, b)
            else:
                public = kind is JoinKind.INNER and right.relation.owner is None
                column = b if public and scope.relation.owner is not None else a
                if column is b and kind is JoinKind.LEFT:
                    column = a
            names = tuple(replace(n, alone=n.alone and n.column not in {a, b}) for n in scope.names)
            at = next((i for i, n in enumerate(names) if n.column in {a, b}), 0)
            names = (*names[:at], Name("", name, column), *names[at:])
            scope = replace(scope, names=names)
        return scope

    def _either(self, scope: NameScope, name: str, a: Column, b: Column) -> tuple[NameScope, Column]:
        """The first of two that is not NULL; the unit itself if both are that."""
        owner = scope.relation.owner
        if owner is not None and {a, b} <= self.context.marks.unit_or_null and len(owner.unit) == 1:
            return scope, owner.unit[0]
        olds = list(scope.relation.columns)
        items: list[tuple[str, Expression]] = [(old.name, Reference(old)) for old in olds]
        items.append((name, call("coalesce", Reference(a), Reference(b))))
        relation, made = projected(scope.relation, items, marks=self.context.marks)
        return scope.over(relation, dict(zip(olds, made, strict=False))), made[-1]

    def _on_unit(
        self, node: exp.Join, a: Relation, b: Relation, parts: list[Expression], both: NameScope
    ) -> list[Expression]:
        """What is left of the condition once the units of both are said to be equal."""
        assert a.owner is not None  # noqa: S101 - both are owned
        assert b.owner is not None  # noqa: S101 - both are owned
        if self.context.catalog.row_level:
            raise because(node, "row level", "join with public tables only")
        listed = parts if node.args.get("on") or node.args.get("using") else [*parts, *self._compared(both)]
        rest = list(parts)
        for x, y in zip(a.owner.unit, b.owner.unit, strict=True):
            same = [part for part in listed if _equates(part, x, y)]
            if not same:
                raise because(node, "cross join", f"add {self._unit_fix(node, both, x, y)}")
            rest = [part for part in rest if part not in same]
        return rest

    def _compared(self, both: NameScope) -> list[Expression]:
        """Equalities of WHERE between columns that are known here."""
        found = []
        for part in self.where:
            columns = (part.this, part.expression) if isinstance(part, exp.EQ) else ()
            if columns and all(isinstance(one, exp.Column) and len(both.candidates(one)) == 1 for one in columns):
                try:
                    found.append(Scalars(both, _plain).read(part))
                except QueryRefused:
                    continue
        return found

    def _unit_fix(self, node: exp.Join, both: NameScope, x: Column, y: Column) -> str:
        names = [next((f"{n.table}.{n.name}" for n in both.names if n.column is column), "") for column in (x, y)]
        if not all(names):
            return "the unit's column of both to ON"
        if node.args.get("using") and x.name == y.name:
            return f"{x.name} to USING"
        word = "AND" if node.args.get("on") or self.where else "WHERE"
        return f"{word} {names[0]} = {names[1]}"

    def _with_public(self, node: exp.Join, a: Relation, b: Relation, kind: JoinKind, parts: list[Expression]) -> None:
        """At row level a public table gives each row at most one partner.

        Where a LEFT JOIN keeps public rows, those without a partner have no unit, and do not count, like all rows
        without one: the join is an inner one. That they are there is seen in the groups, which are the public table's
        (`Grouping.released`).
        """
        if kind is JoinKind.FULL:
            raise because(node, "owner lost")
        public = b if b.owner is None else a
        if self.context.catalog.row_level and not one_row(public, self.context):
            unique = self.context.marks.unique.intersection(public.columns)
            if not any(_picks(part, unique, public) for part in parts):
                raise because(node, "row join")


def _plain(node: exp.Expr) -> None:
    """No node means anything special in a join's condition."""
    del node


def _equates(part: Expression, x: Column, y: Column) -> bool:
    if not (isinstance(part, Call) and part.function == "eq"):
        return False
    return part.arguments in {(Reference(x), Reference(y)), (Reference(y), Reference(x))}


def _picks(part: Expression, unique: set[Column], public: Relation) -> bool:
    """Whether a condition equates a unique column with something of the other side."""
    if not (isinstance(part, Call) and part.function == "eq"):
        return False
    own = set(public.columns)
    for this, other in (part.arguments, part.arguments[::-1]):
        if isinstance(this, Reference) and this.column in unique and not columns_in(other) & own:
            return True
    return False
