"""Windows: window functions, each within one unit, as columns that are computed beforehand."""

from fractions import Fraction

from sqlglot import exp

from privet.query.plan.aggregation import Aggregation
from privet.query.plan.build import clipped, windowed
from privet.query.plan.relations import Ranking
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, columns_in, facts_of
from privet.query.scalars.facts import Facts, Type
from privet.query.sql.aggregates import exact_facts, is_aggregate, read_aggregation, refuse_window
from privet.query.sql.clauses import ordered, shallow
from privet.query.sql.context import Context
from privet.query.sql.handled_arguments import only
from privet.query.sql.name_scope import NameScope
from privet.query.sql.refuse import because, clause
from privet.query.sql.scalar_expressions import Scalars

RANKINGS: dict[type[exp.Expr], Ranking] = {
    exp.RowNumber: Ranking.ROW_NUMBER,
    exp.Rank: Ranking.RANK,
    exp.Lag: Ranking.LAG,
    exp.Lead: Ranking.LEAD,
}


def with_windows(scope: NameScope, items: list[exp.Expr], context: Context) -> NameScope:
    """The scope with a column for every window function of the items."""
    for item in items:
        for node in shallow(item):
            if isinstance(node, exp.Window):
                scope = _with_window(scope, node, context)
    return scope


def _with_window(scope: NameScope, node: exp.Window, context: Context) -> NameScope:
    only(node, "this", "partition_by", "order", "spec", "over")
    _check_frame(node)
    scalars = Scalars(scope, _refuse_aggregate)
    partition = tuple(scalars.all(node.args.get("partition_by") or []))
    order = node.args.get("order")
    keys = [ordered(part) for part in only(order, "expressions").expressions] if order is not None else []
    sorted_by = tuple((scalars.read(key), descending) for key, descending in keys)
    owner = scope.relation.owner
    if owner is not None:
        if context.catalog.row_level:
            raise because(node, "row level")
        missing = [unit.name for unit in owner.unit if Reference(unit) not in partition]
        if missing:
            raise because(node, "window unit", f"add {', '.join(missing)} to PARTITION BY")
    function, argument, raw, facts = _function(node, scope, scalars, context, ranked=bool(sorted_by))
    column = Column(clause(node), raw)
    read = function.arguments if isinstance(function, Aggregation) else (argument,)
    if any(part is not None and columns_in(part) & context.marks.from_unit for part in read):
        context.marks.from_unit.add(column)
    relation, renewal = windowed(
        scope.relation,
        column,
        function,
        argument=argument,
        partition=partition,
        order=sorted_by,
        marks=context.marks,
    )
    after = scope.over(relation, renewal)
    shown = clipped(column, facts.low, facts.high) if facts != raw else Reference(column)
    return NameScope(after.relation, after.names, {**after.ready, id(node): shown}, after.outer)


def _function(
    node: exp.Window, scope: NameScope, scalars: Scalars, context: Context, *, ranked: bool
) -> tuple[Ranking | Aggregation, Expression | None, Facts, Facts]:
    """The function, its argument, and its facts before and after clipping."""
    inner = node.this
    ranking = RANKINGS.get(type(inner))
    if ranking is None:
        if not is_aggregate(inner):
            raise because(node, "unknown function")
        aggregation = read_aggregation(inner, scalars, relation=scope.relation, marks=context.marks)
        refuse_window(node, aggregation, ordered=ranked)
        limits = scope.relation.owner.limits if scope.relation.owner is not None else None
        raw, facts = exact_facts(aggregation, limits=limits)
        return aggregation, aggregation.argument, raw, facts
    if not ranked:
        raise because(node, "window frame", "add ORDER BY to the window")
    if ranking in {Ranking.ROW_NUMBER, Ranking.RANK}:
        only(inner)
        facts = Facts(Type.INTEGER, nullable=False, low=Fraction(1))
        return ranking, None, facts, facts
    only(inner, "this", "offset")
    offset = inner.args.get("offset")
    if offset is not None and scalars.read(offset) != Literal(1, Type.INTEGER):
        raise because(node, "window frame", "LAG and LEAD look one row away; leave the offset out")
    argument = scalars.read(inner.this)
    facts = facts_of(argument).where(nullable=True)
    return ranking, argument, facts, facts


def _check_frame(node: exp.Window) -> None:
    """Only the frame that is meant when none is written."""
    spec = node.args.get("spec")
    if spec is None:
        return
    words = [str(spec.args.get(name) or "") for name in ("kind", "start", "start_side", "end", "end_side")]
    others = {name for name, value in spec.args.items() if value} - {"kind", "start", "start_side", "end", "end_side"}
    if words != ["RANGE", "UNBOUNDED", "PRECEDING", "CURRENT ROW", ""] or others or node.args.get("order") is None:
        raise because(node, "window frame")


def _refuse_aggregate(node: exp.Expr) -> None:
    if is_aggregate(node):
        raise because(node, "nested aggregate")
