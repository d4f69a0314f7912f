"""Subqueries inside expressions: EXISTS, lists after IN, and single values. They become joins before the rest is read.

One that is tied to the statement around it (`sql/correlation.py`) is grouped by what ties it, and met by at most one
row; one that is not stands for the same rows everywhere, which must be public.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from privet.errors import InvalidParameter
from privet.query.functions import call, substitute
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.build import Renewal, grouped, joined
from privet.query.plan.relations import Group, JoinKind
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Facts, Type
from privet.query.sql.aggregates import aggregates, is_aggregate
from privet.query.sql.choices import choice
from privet.query.sql.clauses import count_of, shallow, unalias
from privet.query.sql.context import Context
from privet.query.sql.correlation import Correlation, by_pairs, correlated, met, refuse_other_units
from privet.query.sql.grouping import Grouping
from privet.query.sql.handled_arguments import only
from privet.query.sql.name_scope import NameScope, renewed
from privet.query.sql.refuse import because, refuse
from privet.query.sql.reuse import one_row
from privet.query.sql.scalar_expressions import Scalars

TRUE, FALSE = Literal(True, Type.BOOLEAN), Literal(False, Type.BOOLEAN)  # noqa: FBT003 - the two values
UNKNOWN = Literal(None, Type.BOOLEAN)
TIED = ("expressions", "from_", "joins", "where", "distinct", "order", "limit")  # what a tied subquery may have
FEWER = ("group", "having", "qualify", "offset")  # what may make another number of rows of an aggregate's one


@dataclass(frozen=True)
class Begun:
    """A SELECT of which FROM and WHERE were read.

    Args:
        rows: what they give.
        apart: conditions of WHERE that were left out, because they use names of the statement around it.
        finish: reads the rest, if there is none of these.
    """

    rows: NameScope
    apart: list[exp.Expr]
    finish: Callable[[], NameScope]


@dataclass(frozen=True)
class Reads:
    """How subqueries are read.

    Args:
        whole: any query, as a relation.
        begin: a SELECT, of which the end is read once it is known whether it is tied: nothing is read twice.
    """

    whole: Callable[[exp.Expr], NameScope]
    begin: Callable[[exp.Select], Begun]


@dataclass(frozen=True)
class Subqueries:
    """Reads the subqueries of clauses.

    Args:
        context: of the statement.
        reads: how.
    """

    context: Context
    reads: Reads

    def joined_to(self, scope: NameScope, clauses: list[exp.Expr]) -> NameScope:
        """The scope with an expression ready for every subquery in the clauses."""
        for part in clauses:
            for node in shallow(part):
                if isinstance(node, exp.Exists):
                    scope = self._exists(scope, node)
                elif isinstance(node, exp.In) and node.args.get("query") is not None:
                    scope = self._in(scope, node)
                elif isinstance(node, exp.Subquery) and not isinstance(node.parent, exp.In):
                    scope = self._value(scope, node)
        return scope

    def _read(self, scope: NameScope, node: exp.Expr, query: exp.Expr) -> tuple[Correlation | None, NameScope]:
        """What ties a subquery to the statement around it, or None; and its rows, or all that it says."""
        if not isinstance(query, exp.Select) or query.args.get("with_"):
            return None, self.reads.whole(query)
        begun = self.reads.begin(query)
        if not begun.apart:
            return None, begun.finish()
        return correlated(node, scope, begun.rows, begun.apart), begun.rows

    # --- EXISTS ---

    def _exists(self, scope: NameScope, node: exp.Exists) -> NameScope:
        """Whether there is a row: one that is tied has a group, or none; one that is not has a count."""
        query = only(node, "this").this
        query = query.this if isinstance(query, exp.Subquery) else query
        if count_of(query.args.get("limit")) == 0:
            return _ready(scope, node, FALSE)
        if _is_single(query):
            return _ready(scope, node, TRUE)  # an aggregate has one row, whatever it is of
        tied, rows = self._read(scope, node, query)
        if tied is None:
            return self._any_row(scope, node, rows)
        for name in ("group", "having", "offset", "qualify"):
            if query.args.get(name) is not None:
                raise because(query.args[name], "exists grouped")
        only(query, *TIED)
        refuse_other_units(node, scope, tied, self.context)
        after, partner, _ = self._partner(scope, tied)
        return _ready(after, node, call("not", call("is_null", partner)))

    def _any_row(self, scope: NameScope, node: exp.Exists, listed: NameScope) -> NameScope:
        if listed.relation.owner is not None:
            raise because(node, "exists", self._fix())
        after, rows, _ = self._counts(scope, Correlation(listed, ()), Reference(listed.relation.columns[0]))
        return _ready(after, node, call("gt", rows, Literal(0, Type.INTEGER)))

    def _partner(self, scope: NameScope, tied: Correlation) -> tuple[NameScope, Expression, Renewal]:
        """The rows with what they are equal to in the subquery, or NULL: no NULL equals anything."""
        keys, pairs = by_pairs(tied, self.context)
        group = grouped(tied.rows.relation, keys, [], marks=self.context.marks)
        after, renewal = met(scope, group, pairs, self.context)
        return after, Reference(renewal[keys[0][0]]), renewal

    def _fix(self) -> str:
        unit = self.context.unit_name
        return f"compare {unit} with the {unit} outside in its WHERE"

    # --- IN ---

    def _in(self, scope: NameScope, node: exp.In) -> NameScope:
        """X IN (SELECT y …): true if some y is x; else unknown if x or some y is NULL and there is any; else false."""
        only(node, "this", "query")
        query = node.args["query"]
        query = only(query, "this").this if isinstance(query, exp.Subquery) else query
        if isinstance(node.this, exp.Tuple):
            raise refuse(node, "a list after IN is of one column", "write EXISTS with a condition for each column")
        value = Scalars(scope, _refuse_aggregate).read(node.this)
        tied, item = self._listed(scope, node, query)
        try:
            call("eq", value, item)
        except InvalidParameter as error:
            raise refuse(node, str(error)) from None
        compared = Correlation(tied.rows, (*tied.pairs, (value, item)))
        self._refuse_list_of_others(node, scope, compared)
        after, partner, renewal = self._partner(scope, compared)
        found = call("not", call("is_null", partner))
        if not facts_of(value).nullable and not facts_of(item).nullable:
            return _ready(after, node, found)
        after = _ready(after, node, found)
        pairs = tuple((renewed(around, renewal), inner) for around, inner in tied.pairs)
        after, rows, values = self._counts(after, Correlation(tied.rows, pairs), item)
        null = call("is_null", Scalars(after, _refuse_aggregate).read(node.this))
        unknown = call("or", null, call("lt", values, rows))
        empty = call("eq", rows, Literal(0, Type.INTEGER))
        return _ready(after, node, choice(after.ready[id(node)], TRUE, empty, FALSE, unknown, UNKNOWN, FALSE))

    def _listed(self, scope: NameScope, node: exp.In, query: exp.Expr) -> tuple[Correlation, Expression]:
        """The rows of a list, and what of them is listed."""
        tied, listed = self._read(scope, node, query)
        if tied is None:
            if len(listed.columns) != 1:
                raise refuse(node, "a list after IN has one column", "select one column")
            return Correlation(listed, ()), Reference(listed.columns[0])
        only(query, *TIED[:-1])
        if len(query.expressions) != 1 or query.expressions[0].is_star:
            raise refuse(node, "a list after IN has one column", "select one column")
        return tied, Scalars(tied.rows, _refuse_aggregate).read(unalias(query.expressions[0]))

    def _refuse_list_of_others(self, node: exp.In, scope: NameScope, compared: Correlation) -> None:
        if compared.rows.relation.owner is None:
            return
        around, inside = scope.relation.owner, compared.rows.relation.owner
        if around is not None and len(around.unit) == len(inside.unit) == 1 and not self.context.catalog.row_level:
            if (Reference(around.unit[0]), Reference(inside.unit[0])) in compared.pairs:
                return
            unit = self.context.unit_name
            fix = f"write {unit} IN (SELECT {unit} FROM …)"  # noqa: S608 - words of a message
            raise because(node, "semi-join", f"{fix}, or {self._fix()}")
        refuse_other_units(node, scope, compared, self.context)

    def _counts(
        self, scope: NameScope, tied: Correlation, item: Expression
    ) -> tuple[NameScope, Expression, Expression]:
        """How many rows there are for each row of the scope, and how many of them are not NULL."""
        keys, pairs = by_pairs(tied, self.context)
        whole = Facts(Type.INTEGER, nullable=False)
        rows, values = Column("rows", whole), Column("values", whole)
        wanted = [(rows, Aggregation(Function.COUNT_ROWS)), (values, Aggregation(Function.COUNT, item))]
        group = grouped(tied.rows.relation, keys, wanted, marks=self.context.marks)
        after, renewal = met(scope, group, pairs, self.context)
        return after, _or_zero(renewal[rows]), _or_zero(renewal[values])

    # --- values ---

    def _value(self, scope: NameScope, node: exp.Subquery) -> NameScope:
        query = only(node, "this").this
        tied, rows = self._read(scope, node, query)
        return self._constant(scope, node, rows) if tied is None else self._tied_value(scope, node, query, tied)

    def _tied_value(self, scope: NameScope, node: exp.Subquery, query: exp.Expr, tied: Correlation) -> NameScope:
        """An aggregate of the rows that are tied to each; of none, COUNT is 0 and the others are NULL."""
        only(query, "expressions", "from_", "joins", "where")
        refuse_other_units(node, scope, tied, self.context)
        item = unalias(query.expressions[0])
        if len(query.expressions) != 1 or item.is_star:
            raise because(node, "scalar rows", "select one column")
        if not _is_single(query):
            return self._looked_up(scope, node, item, tied)
        keys, pairs = by_pairs(tied, self.context)
        listed: list[tuple[exp.Expr, Expression]] = [
            (exp.column(column.name), expression) for column, expression in keys
        ]
        grouping = Grouping(self.context, tied.rows, listed, [])
        value = grouping.read(item)
        group = grouping.exact()
        assert isinstance(group, Group)  # noqa: S101 - what exact gives
        again = {old: new for (old, _), (new, _) in zip(keys, group.keys, strict=True)}
        after, renewal = met(scope, group, tuple((one, renewed(key, again)) for one, key in pairs), self.context)
        counts = [shown for column, _, shown in grouping.found if not column.facts.nullable]
        return _ready(after, node, _of_none(value, counts, renewal))

    def _looked_up(self, scope: NameScope, node: exp.Subquery, item: exp.Expr, tied: Correlation) -> NameScope:
        """A value of the one public row whose column, declared unique, is equated."""
        unique = self.context.marks.unique
        if tied.rows.relation.owner is not None or not any(
            isinstance(inner, Reference) and inner.column in unique for _, inner in tied.pairs
        ):
            raise because(node, "scalar rows", "aggregate it, such as (SELECT COUNT(*) …) or (SELECT MAX(x) …)")
        value = Scalars(tied.rows, _refuse_aggregate).read(item)
        parts = [call("eq", around, inner) for around, inner in tied.pairs]
        condition = parts[0] if len(parts) == 1 else call("and", *parts)
        made, renewal = joined(scope.relation, tied.rows.relation, JoinKind.LEFT, condition, marks=self.context.marks)
        return _ready(scope.over(made, renewal), node, renewed(value, renewal))

    def _constant(self, scope: NameScope, node: exp.Subquery, single: NameScope) -> NameScope:
        """(SELECT …) as a value: a cross join with its one row."""
        if single.relation.owner is not None:
            raise because(node, "rows")
        if len(single.columns) != 1 or not one_row(single.relation, self.context):
            raise because(node, "scalar rows")
        made, renewal = joined(scope.relation, single.relation, JoinKind.CROSS, None, marks=self.context.marks)
        column = renewal[single.columns[0]]
        self.context.marks.constant[column] = len(self.context.scalars)
        self.context.scalars.append(single)
        return _ready(scope.over(made, renewal), node, Reference(column))


def _is_single(query: exp.Expr) -> bool:
    """Whether a query has one row, whatever it is of: an aggregate without groups."""
    if not isinstance(query, exp.Select) or any(query.args.get(name) for name in FEWER):
        return False
    return any(aggregates(item) for item in query.expressions)


def _of_none(value: Expression, counts: list[Expression], renewal: Renewal) -> Expression:
    """A value over a group's columns, where there may be no group: then what counts is 0."""

    def swap(part: Expression) -> Expression | None:
        if any(part == shown for shown in counts):
            return call("coalesce", renewed(part, renewal), Literal(0, Type.INTEGER))
        return Reference(renewal[part.column]) if isinstance(part, Reference) and part.column in renewal else None

    return substitute(value, swap)


def _or_zero(column: Column) -> Expression:
    return call("coalesce", Reference(column), Literal(0, Type.INTEGER))


def _ready(scope: NameScope, node: exp.Expr, expression: Expression) -> NameScope:
    return replace(scope, ready={**scope.ready, id(node): expression})


def _refuse_aggregate(node: exp.Expr) -> None:
    if is_aggregate(node):
        raise because(node, "late subquery")
