"""Queries: WITH, UNION and SELECT, nested in any way, until everything is a stage."""

from dataclasses import dataclass, replace

from sqlglot import exp

from privet.query.plan.build import filtered, grouped, projected, united
from privet.query.plan.relations import Relation
from privet.query.plan.statement import Aggregate, Output, Stage
from privet.query.scalars.expressions import Column, Expression, Reference
from privet.query.scalars.facts import Type
from privet.query.sql.clauses import Draft, identity, limited, ordered, ordinal, visible_scope
from privet.query.sql.context import LAST, Context
from privet.query.sql.from_clause import Names
from privet.query.sql.handled_arguments import only
from privet.query.sql.name_scope import Name, NameScope, renewed
from privet.query.sql.names import matching, spelled
from privet.query.sql.refuse import because, refuse
from privet.query.sql.reuse import aliased
from privet.query.sql.scalar_expressions import Scalars
from privet.query.sql.selects import Select
from privet.query.sql.set_operations import intersected

WIDER = ({Type.INTEGER, Type.REAL}, {Type.DATE, Type.TIMESTAMP})


@dataclass(frozen=True)
class Queries:
    """Reads queries of one statement."""

    context: Context

    def answer(self, node: exp.Expr) -> None:
        """The whole statement; its last stage is the answer."""
        draft = self.draft(node, {}, ())
        source = draft.source
        if not isinstance(source, Aggregate) and source.owner is not None:
            if any(item.is_star for item in node.expressions):
                raise because(node, "star")
            visible = any(column in self.context.marks.from_unit for column, _ in draft.output.items)
            raise because(node, "unit shown" if visible else "rows")
        self.context.stages.append(Stage(LAST, source, draft.output))

    def scope(self, node: exp.Expr, ctes: Names, name: str, outer: tuple[Name, ...] = ()) -> NameScope:
        """A query as a relation of another one."""
        return self.placed(self.draft(node, ctes, outer), name)

    def draft(self, node: exp.Expr, ctes: Names, outer: tuple[Name, ...]) -> Draft:
        """What a query means."""
        if isinstance(node, exp.Subquery):
            only(node, "this", "with_")
            return self.draft(node.this, self._with(node, ctes), outer)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, self._with(node, ctes), outer)
        if isinstance(node, exp.Select):
            named = self._with(node, ctes)
            return Select(self.context, node, named, self.scope, self.placed, outer).draft()
        if isinstance(node, exp.Values):
            raise because(node, "unknown clause", "write SELECT * FROM (VALUES …) AS t(x)")
        raise because(node, "unknown clause")

    def _with(self, node: exp.Expr, ctes: Names) -> Names:
        """The names of WITH, each read whether it is used or not."""
        with_ = node.args.get("with_")
        if with_ is None:
            return ctes
        if with_.args.get("recursive"):
            raise because("WITH RECURSIVE", "recursive")
        only(with_, "expressions")
        found = dict(ctes)
        own = set()
        for cte in with_.expressions:
            only(cte, "this", "alias")
            alias = cte.args["alias"]
            name = spelled(alias.this)
            if name.casefold() in own:
                raise refuse(alias, "two queries of WITH have this name", "rename one")
            own.add(name.casefold())
            scope = aliased(self.scope(cte.this, found, name), alias, cte)
            for old in matching(exp.to_identifier(name), list(found), name=str):
                del found[old]
            found[name] = scope
        return found

    def placed(self, draft: Draft, name: str) -> NameScope:
        """A draft as a relation: private aggregates and limited public rows become stages."""
        source, output = draft.source, draft.output
        if isinstance(source, Aggregate) or output.limit is not None or output.offset or output.windows:
            released = self.context.stage(source, output, name=name, single=draft.single)
            return visible_scope(released, released.columns)
        items = [(column.name, expression) for column, expression in output.items]
        relation: Relation = source
        if output.condition is not None:
            relation, renewal = filtered(relation, output.condition, marks=self.context.marks)
            items = [(name_, renewed(expression, renewal)) for name_, expression in items]
        relation, columns = projected(relation, items, marks=self.context.marks)
        if output.distinct and relation.owner is None:
            relation, columns = self._distinct(relation, columns)
        return visible_scope(relation, columns)

    def _distinct(self, relation: Relation, columns: tuple[Column, ...]) -> tuple[Relation, tuple[Column, ...]]:
        keys: list[tuple[Column, Expression]] = [
            (self.context.marks.renewed(column), Reference(column)) for column in columns
        ]
        return grouped(relation, keys, [], marks=self.context.marks), tuple(column for column, _ in keys)

    def _set_operation(self, node: exp.SetOperation, ctes: Names, outer: tuple[Name, ...]) -> Draft:
        """UNION ALL of private or of public rows; the others of rows that carry their unit, or of public ones."""
        only(node, "this", "expression", "distinct", "with_", "order", "limit", "offset")
        parts = [self.scope(side, ctes, "part", outer) for side in (node.this, node.expression)]
        self._check_union(node, parts)
        relation, columns = (
            self._union(node, parts) if isinstance(node, exp.Union) else intersected(node, parts, self.context)
        )
        output = limited(Output(identity(columns), order=self._order(node, relation, columns)), node)
        if relation.owner is not None:
            if output.limit is not None or output.offset:
                raise because(node.args.get("limit") or node.args["offset"], "limit rows")
            output = replace(output, order=())
        return Draft(relation, output)

    def _union(self, node: exp.Union, parts: list[NameScope]) -> tuple[Relation, tuple[Column, ...]]:
        names = [name.name for name in parts[0].visible]
        pairs = [(part.relation, part.columns) for part in parts]
        relation, columns = united(pairs, names, marks=self.context.marks)
        if not node.args.get("distinct"):
            return relation, columns
        if relation.owner is not None and not set(relation.owner.unit) <= set(columns):
            raise because(node, "distinct unit", "write UNION ALL, or select the unit's column too")
        return self._distinct(relation, columns)

    def _order(
        self, node: exp.SetOperation, relation: Relation, columns: tuple[Column, ...]
    ) -> tuple[tuple[Expression, bool], ...]:
        order = node.args.get("order")
        scalars = Scalars(visible_scope(relation, columns), lambda _: None)
        found: list[tuple[Expression, bool]] = []
        for part in [] if order is None else only(order, "expressions").expressions:
            key, descending = ordered(part)
            place = ordinal(key, len(columns))
            found.append((scalars.read(key) if place is None else Reference(columns[place]), descending))
        return tuple(found)

    def _check_union(self, node: exp.SetOperation, parts: list[NameScope]) -> None:
        owners = [part.relation.owner for part in parts]
        if len({len(part.columns) for part in parts}) != 1:
            raise refuse(node, "its parts have different numbers of columns", "select as many in each")
        if len({owner is None for owner in owners}) != 1:
            raise because(node, "mixed union")
        if owners[0] is not None and self.context.catalog.row_level:
            raise because(node, "row level")
        kinds = {tuple(unit.facts.type for unit in owner.unit) for owner in owners if owner is not None}
        if len(kinds) > 1:
            raise refuse(node, "the units of its parts have different types", "declare them alike in the catalog")
        for a, b in zip(*(part.columns for part in parts), strict=True):
            types = {a.facts.type, b.facts.type}
            if len(types) > 1 and types not in WIDER:
                raise refuse(node, f"{a.name} is {a.facts.type.value} in one part and {b.facts.type.value} in another")
