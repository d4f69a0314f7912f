"""Selects: one SELECT as a draft: its rows, what is made of them, and what is shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from privet.query.functions.logic import conjuncts
from privet.query.plan.build import filtered, joined, united
from privet.query.plan.relations import JoinKind, Relation
from privet.query.plan.statement import Output
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference, columns_in, facts_of
from privet.query.scalars.facts import Type
from privet.query.sql.aggregates import aggregates, is_aggregate
from privet.query.sql.clauses import (
    Draft,
    by_alias,
    conjunct_nodes,
    distinct_names,
    identity,
    limited,
    ordered,
    ordinal,
    output_expressions,
    renewed_output,
    shallow,
    star,
    unalias,
)
from privet.query.sql.context import Context
from privet.query.sql.from_clause import Names, Query, Sources
from privet.query.sql.grouping import Grouping
from privet.query.sql.grouping_sets import Sets, sets_of
from privet.query.sql.handled_arguments import only
from privet.query.sql.literal_rows import NOTHING
from privet.query.sql.name_scope import Name, NameScope, own_name
from privet.query.sql.names import same
from privet.query.sql.refuse import because, refuse
from privet.query.sql.reuse import fresh
from privet.query.sql.scalar_expressions import Scalars
from privet.query.sql.subqueries import Begun, Reads, Subqueries
from privet.query.sql.windows import named_windows, with_windows

ROWS = ("with_", "expressions", "from_", "joins", "where", "windows")
OF_GROUPS = "qualify"
HANDLED = (*ROWS, "group", "having", OF_GROUPS, "order", "limit", "offset", "distinct")
Item = tuple[str, exp.Expr | Column]
Reader = Callable[[exp.Expr], Expression]


@dataclass(frozen=True)
class Select:
    """Reads one SELECT.

    Args:
        context: of the statement.
        node: the SELECT.
        ctes: what WITH named.
        query: reads a subquery.
        place: makes a relation of what was read.
        outer: names of the statement around it.
    """

    context: Context
    node: exp.Select
    ctes: Names
    query: Query
    place: Callable[[Draft, str], NameScope]
    outer: tuple[Name, ...] = ()

    def draft(self, rows: NameScope | None = None) -> Draft:
        """What the SELECT means; its rows may have been read."""
        only(self.node, *HANDLED)
        named_windows(self.node)
        distinct = self.node.args.get("distinct")
        scope = self._rows() if rows is None else rows
        items = self._items(scope)
        nodes = [node for _, node in items if isinstance(node, exp.Expr)]
        if self._groups(nodes):
            return self._grouped(scope, items)
        first = self._first_of_each(scope)
        kept = [part for part in (self._qualify(), first) if part is not None]
        scope = with_windows(scope, [*nodes, *self._order_nodes(), *kept], self.context)
        for part in kept:
            scope = self._where(scope, part, aliases=nodes)
        items = self._items(scope)
        if distinct is not None and first is None and scope.relation.owner is not None:
            return self._grouped(scope, items)
        return self._plain(scope, items, distinct=distinct is not None and first is None)

    def _qualify(self) -> exp.Expr | None:
        """The condition of QUALIFY."""
        qualify = self.node.args.get("qualify")
        return None if qualify is None else only(qualify, "this").this

    def _first_of_each(self, scope: NameScope) -> exp.Expr | None:
        """DISTINCT ON (a): the first row of each a, in the order of ORDER BY, as a condition on its number."""
        distinct = self.node.args.get("distinct")
        on = None if distinct is None else only(distinct, "on").args.get("on")
        if on is None or distinct is None:
            return None
        keys = [only(part, "this").this if isinstance(part, exp.Paren) else part for part in on.expressions]
        listed = Scalars(scope, _refuse_key).all(keys)
        for unit in () if scope.relation.owner is None else scope.relation.owner.unit:
            if self.context.catalog.row_level:
                raise because(distinct, "row level")
            if Reference(unit) not in listed:
                raise because(distinct, "distinct unit", f"add {scope.spoken(unit)} to DISTINCT ON")
        order = self.node.args.get("order") or exp.Order(expressions=[exp.Ordered(this=key.copy()) for key in keys])
        number = exp.Window(this=exp.RowNumber(), partition_by=keys, order=order, over="OVER")
        return exp.EQ(this=number, expression=exp.Literal.number(1))

    def _rows(self) -> NameScope:
        """FROM, subqueries of all clauses, and WHERE."""
        return self._kept([])

    def rows_apart(self) -> tuple[NameScope, list[exp.Expr]]:
        """The same of a subquery, and the conditions that use names of the statement around it, left out."""
        apart: list[exp.Expr] = []
        return self._kept(apart, tied=True), apart

    def _kept(self, apart: list[exp.Expr], *, tied: bool = False) -> NameScope:
        where = self.node.args.get("where")
        condition = only(where, "this").this if where is not None else None
        if self.node.args.get("from_") is None:
            scope = NOTHING
        else:
            scope = Sources(self.context, self.ctes, self.query, conjunct_nodes(condition)).read(self.node)
            scope = replace(scope, outer=self.outer)
        conditions = [] if condition is None else [condition]
        if tied:
            apart += [part for part in conjunct_nodes(condition) if _uses_outer(part, scope)]
            conditions = [part for part in conjunct_nodes(condition) if part not in apart]
        others = [self.node.args.get(name) for name in ("group", "having", OF_GROUPS, "order")]
        clauses = [*conditions, *self.node.expressions, *(other for other in others if other is not None)]
        scope = Subqueries(self.context, self._reads(scope)).joined_to(scope, clauses)
        for part in conditions:
            scope = self._where(scope, part)
        return scope

    def _reads(self, scope: NameScope) -> Reads:
        def whole(node: exp.Expr) -> NameScope:
            return self.query(node, self.ctes, "subquery", scope.names)

        def begin(node: exp.Select) -> Begun:
            select = replace(self, node=node, outer=scope.names)
            rows, apart = select.rows_apart()
            return Begun(rows, apart, lambda: self.place(select.draft(rows), "subquery"))

        return Reads(whole, begin)

    def _where(self, scope: NameScope, condition: exp.Expr, aliases: Sequence[exp.Expr] = ()) -> NameScope:
        def special(node: exp.Expr) -> Expression | None:
            if is_aggregate(node):
                raise because(node, "aggregate here")
            named = None if not aliases or self._is_column(scope, node) else by_alias(node, list(aliases))
            return None if named is None else Scalars(scope, _refuse_key).read(named)

        read = Scalars(scope, special).read(condition)
        if facts_of(read).type is not Type.BOOLEAN:
            raise refuse(condition, "WHERE takes a condition", "write a comparison")
        if read == Literal(True, Type.BOOLEAN):  # noqa: FBT003 - WHERE TRUE says nothing
            return scope
        self._refuse_no_partner(scope, condition, read)
        relation, renewal = filtered(scope.relation, read, marks=self.context.marks)
        return scope.over(relation, renewal)

    def _refuse_no_partner(self, scope: NameScope, node: exp.Expr, condition: Expression) -> None:
        """Raise if public rows without a partner are asked for, where a join keeps them: they are not there."""
        owner, marks = scope.relation.owner, self.context.marks
        if owner is None or not set(owner.unit) & marks.partnered:
            return
        for part in conjuncts(condition):
            if isinstance(part, Call) and part.function == "is_null" and not columns_in(part) & marks.kept:
                raise because(node, "no partner")

    def _items(self, scope: NameScope) -> list[Item]:
        """The items of SELECT, stars spelled out."""
        found: list[Item] = []
        for node in self.node.expressions:
            names = star(node, scope)
            if names is None:
                found.append((own_name(node), node))
            else:
                found += [(name.name, name.column) for name in names]
        names_ = distinct_names([name for name, _ in found])
        return [(name, item) for name, (_, item) in zip(names_, found, strict=True)]

    def _order_nodes(self) -> list[exp.Expr]:
        order = self.node.args.get("order")
        parts = [] if order is None else only(order, "expressions").expressions
        if len(parts) == 1 and isinstance(parts[0].this, exp.Var) and parts[0].this.name.upper() == "ALL":
            down = parts[0].args.get("desc")
            places = range(1, len(self.node.expressions) + 1)
            return [exp.Ordered(this=exp.Literal.number(place), desc=down) for place in places]
        return list(parts)

    def _groups(self, nodes: list[exp.Expr]) -> bool:
        """Whether the SELECT aggregates."""
        if self.node.args.get("group") is not None or self.node.args.get("having") is not None:
            return True
        return any(aggregates(node) for node in [*nodes, *self._order_nodes()])

    @staticmethod
    def _is_column(scope: NameScope, node: exp.Expr) -> bool:
        return isinstance(node, exp.Column) and bool(scope.candidates(node))

    def _plain(self, scope: NameScope, items: list[Item], *, distinct: bool) -> Draft:
        """A SELECT that shows each row."""
        aliases = [node for _, node in items if isinstance(node, exp.Expr)]
        plain = Scalars(scope, lambda _: None)
        shown = [(name, _read(item, plain.read, Reference)) for name, item in items]

        def by_name(node: exp.Expr) -> Expression | None:
            other = by_alias(node, aliases)
            return plain.read(other) if other is not None else None

        order = self._ordered(Scalars(scope, by_name).read, [expression for _, expression in shown])
        output = replace(self._output(shown, order), distinct=distinct)
        if scope.relation.owner is not None:
            if output.limit is not None or output.offset:
                raise because(self.node.args.get("limit") or self.node.args["offset"], "limit rows")
            output = replace(output, order=())
        return Draft(scope.relation, output, single=scope is NOTHING)

    def _output(self, shown: list[tuple[str, Expression]], order: tuple[tuple[Expression, bool], ...]) -> Output:
        columns = tuple((self.context.marks.computed(name, expression), expression) for name, expression in shown)
        output = Output(columns, order=order, distinct=self.node.args.get("distinct") is not None)
        return limited(output, self.node)

    def _ordered(self, read: Reader, shown: list[Expression]) -> tuple[tuple[Expression, bool], ...]:
        found = []
        for part in self._order_nodes():
            node, descending = ordered(part)
            place = ordinal(node, len(shown))
            found.append((read(node) if place is None else shown[place], descending))
        return tuple(found)

    def _grouped(self, scope: NameScope, items: list[Item]) -> Draft:
        """A SELECT with aggregates or GROUP BY, or of distinct rows of units."""
        distinct = self.node.args.get("distinct")
        if distinct is not None:
            only(distinct)
        sets = sets_of(self.node.args.get("group"))
        if sets is not None:
            return self._by_sets(scope, items, sets)
        return self._grouped_by(scope, items, self._keys(scope, items))

    def _by_sets(self, scope: NameScope, items: list[Item], sets: Sets) -> Draft:
        """Several groupings, one under the other; a key that is not grouped by is NULL."""
        if self.node.args.get(OF_GROUPS) is not None:
            raise because(self.node.args[OF_GROUPS], "window here", "name the groupings in a CTE, and use it outside")
        chosen = [self._keys_of(scope, items, nodes) for nodes in sets]
        every = [expression for keys in chosen for _, expression in keys]
        alone = replace(self, node=_without_order(self.node))
        parts = []
        for keys in chosen:
            here = [expression for _, expression in keys]
            rolled = [expression for expression in every if expression not in here]
            parts.append(self.place(alone._grouped_by(scope, items, keys, rolled), "grouping"))  # noqa: SLF001 - its own
        if len({part.relation.owner is None for part in parts}) > 1:
            raise because(self.node.args["group"], "unit shown", "group by the unit in every grouping, or in none")
        names = [name for name, _ in items]
        relation, columns = united([(one.relation, one.columns) for one in parts], names, marks=self.context.marks)
        output = limited(Output(identity(columns), order=self._order_of(items, columns)), self.node)
        if relation.owner is not None:
            if output.limit is not None or output.offset:
                raise because(self.node.args.get("limit") or self.node.args["offset"], "limit rows")
            output = replace(output, order=())
        return Draft(relation, output)

    def _order_of(self, items: list[Item], columns: tuple[Column, ...]) -> tuple[tuple[Expression, bool], ...]:
        """ORDER BY of several groupings: by columns of SELECT."""
        found: list[tuple[Expression, bool]] = []
        for part in self._order_nodes():
            node, descending = ordered(part)
            place = ordinal(node, len(columns))
            for number, (name, item) in enumerate(items):
                named = isinstance(node, exp.Column) and node.args.get("table") is None and same(node.name, name)
                if place is None and (named or (isinstance(item, exp.Expr) and unalias(item) == node)):
                    place = number
            if place is None:
                raise refuse(node, "several groupings are ordered by columns of SELECT", "add it to SELECT")
            found.append((Reference(columns[place]), descending))
        return tuple(found)

    def _grouped_by(
        self,
        scope: NameScope,
        items: list[Item],
        keys: list[tuple[exp.Expr, Expression]],
        rolled: list[Expression] | None = None,
    ) -> Draft:
        nodes = [node for _, node in items if isinstance(node, exp.Expr)]
        grouping = Grouping(self.context, scope, keys, nodes, rolled=rolled or [])
        shown = [(name, _read(item, grouping.read, grouping.show)) for name, item in items]
        having = self.node.args.get("having")
        condition = None if having is None else grouping.read(only(having, "this").this, having=True)
        if having is not None and condition is not None and facts_of(condition).type is not Type.BOOLEAN:
            raise refuse(having, "HAVING takes a condition", "write a comparison")
        if having is not None and grouping.windows_in(having):
            raise because(having, "window here", "use QUALIFY instead of HAVING")
        order = self._ordered(lambda node: grouping.read(node, aliases_first=True), [e for _, e in shown])
        qualify = self._qualified(grouping) if self._groups(nodes) else None  # or else it was a condition on rows
        output = replace(self._output(shown, order), condition=condition, qualify=qualify)
        output = replace(output, windows=tuple(grouping.windows))
        if self.node.args.get("group") is None and not self._groups(nodes):
            output = replace(output, distinct=False)  # the keys are distinct
        return self._drafted(grouping, output)

    def _qualified(self, grouping: Grouping) -> Expression | None:
        """QUALIFY: which rows are shown, seen through windows."""
        node = self.node.args.get(OF_GROUPS)
        if node is None:
            return None
        condition = grouping.read(only(node, "this").this)
        if facts_of(condition).type is not Type.BOOLEAN:
            raise refuse(node, "QUALIFY takes a condition", "write a comparison")
        if not grouping.windows:
            raise refuse(node, "QUALIFY is about windows, and there is none", "use HAVING")
        return condition

    def _drafted(self, grouping: Grouping, output: Output) -> Draft:
        if not grouping.private:
            if grouping.owner is not None and (output.limit is not None or output.offset):
                raise because(self.node.args.get("limit") or self.node.args["offset"], "limit rows")
            return self._with_constants(Draft(grouping.exact(), output, single=_single(grouping, output)))
        if not grouping.keys and not grouping.found:
            raise because(self.node, "rows")
        aggregate, released = grouping.released()
        output = output.changed(released)
        output = replace(output, items=tuple((Column(c.name, facts_of(e)), e) for c, e in output.items))
        return self._with_constants(Draft(aggregate, output, single=_single(grouping, output)))

    def _with_constants(self, draft: Draft) -> Draft:
        """Single values beside aggregates: the aggregates become a stage, and the values are joined to it."""
        output = draft.output
        used = set().union(*(columns_in(expression) for expression in output_expressions(output)))
        constants = sorted(used & set(self.context.marks.constant), key=lambda column: column.name)
        if not constants:
            return draft
        computed = {column for column, _ in output.windows}
        own = sorted(used - set(self.context.marks.constant) - computed, key=lambda column: column.name)
        if getattr(draft.source, "owner", None) is not None:
            raise because(self.node, "late subquery")
        items = tuple((Column(f"{place}", column.facts), Reference(column)) for place, column in enumerate(own))
        if not items:
            raise because(self.node, "late subquery")
        relation: Relation = self.context.stage(draft.source, Output(items), name="aggregates", single=draft.single)
        renewal = dict(zip(own, relation.columns, strict=True))
        for constant in constants:
            value = fresh(self.context.scalars[self.context.marks.constant[constant]], self.context)
            relation, again = joined(relation, value.relation, JoinKind.CROSS, None, marks=self.context.marks)
            renewal = {old: again[new] for old, new in renewal.items()} | {constant: again[value.columns[0]]}
        return Draft(relation, renewed_output(output, renewal), single=draft.single)

    def _keys(self, scope: NameScope, items: list[Item]) -> list[tuple[exp.Expr, Expression]]:
        """The expressions of GROUP BY; of DISTINCT without aggregates all items."""
        plain = Scalars(scope, _refuse_key)
        group = self.node.args.get("group")
        nodes = [item for _, item in items]
        if group is None:
            if any(aggregates(node) for node in nodes) or self.node.args.get("having") is not None:
                return []
            return [self._key(node, plain) for node in nodes]
        only(group, "expressions", "all")
        if group.args.get("all"):
            return [self._key(node, plain) for node in nodes if not aggregates(node)]
        return self._keys_of(scope, items, group.expressions)

    def _keys_of(
        self, scope: NameScope, items: list[Item], written: list[exp.Expr]
    ) -> list[tuple[exp.Expr, Expression]]:
        """What keys stand for: a place in SELECT, an item's name, or an expression of the rows."""
        plain = Scalars(scope, _refuse_key)
        nodes = [item for _, item in items]
        keys = []
        for node in written:
            place = ordinal(node, len(items))
            named = by_alias(node, [one for one in nodes if isinstance(one, exp.Expr)])
            if place is not None:
                keys.append(self._key(nodes[place], plain))
            elif named is not None and not (isinstance(node, exp.Column) and scope.candidates(node)):
                keys.append((node, plain.read(named)))
            else:
                keys.append((node, plain.read(node)))
        return keys

    def _key(self, item: exp.Expr | Column, plain: Scalars) -> tuple[exp.Expr, Expression]:
        if isinstance(item, Column):
            return exp.column(item.name), Reference(item)
        inner = unalias(item)
        return (exp.column(item.alias) if isinstance(item, exp.Alias) else inner), plain.read(inner)


def _single(grouping: Grouping, output: Output) -> bool:
    """Whether there is exactly one row."""
    chosen = output.condition is not None or output.qualify is not None
    return not (grouping.keys or chosen or output.limit is not None or output.offset)


def _without_order(node: exp.Select) -> exp.Select:
    """The SELECT without what is done with all groupings together; its other parts are the same nodes."""
    kept = {word: value for word, value in node.args.items() if word not in {"order", "limit", "offset"}}
    copy = exp.Select()
    copy.args = kept
    return copy


def _uses_outer(node: exp.Expr, scope: NameScope) -> bool:
    """Whether a condition of a subquery names a column that only the statement around it has."""
    columns = [part for part in shallow(node) if isinstance(part, exp.Column)]
    return any(not scope.candidates(column) and scope.around(column) for column in columns)


def _refuse_key(node: exp.Expr) -> None:
    if is_aggregate(node):
        raise because(node, "aggregate here")


def _read(item: exp.Expr | Column, read: Reader, show: Callable[[Column], Expression]) -> Expression:
    return show(item) if isinstance(item, Column) else read(unalias(item))
