"""Windows: window functions, each within one unit, as columns that are computed beforehand."""

from fractions import Fraction

from sqlglot import exp

from privet.query.functions import call
from privet.query.plan.build import clipped, windowed
from privet.query.plan.relations import Ranking
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, columns_in, facts_of
from privet.query.scalars.facts import Facts, Type
from privet.query.sql.aggregates import exact_facts, is_aggregate, read_aggregation, refuse_window
from privet.query.sql.choices import choice
from privet.query.sql.clauses import ordered, shallow
from privet.query.sql.context import Context
from privet.query.sql.handled_arguments import only
from privet.query.sql.name_scope import NameScope, renewed
from privet.query.sql.names import matching, spelled
from privet.query.sql.refuse import because, clause, refuse
from privet.query.sql.scalar_expressions import Scalars
from privet.query.sql.window_frames import frame_of, whole_number

RANKINGS: dict[type[exp.Expr], Ranking] = {
    exp.RowNumber: Ranking.ROW_NUMBER,
    exp.Rank: Ranking.RANK,
    exp.DenseRank: Ranking.DENSE_RANK,
    exp.Ntile: Ranking.NTILE,
    exp.Lag: Ranking.LAG,
    exp.Lead: Ranking.LEAD,
}
Order = tuple[tuple[Expression, bool], ...]


def with_windows(scope: NameScope, items: list[exp.Expr], context: Context) -> NameScope:
    """The scope with a column for every window function of the items."""
    for item in items:
        for node in shallow(item):
            if isinstance(node, exp.Window):
                scope = _with_window(scope, node, context)
    return scope


def named_windows(select: exp.Select) -> None:
    """Write what WINDOW names where it is used: OVER w."""
    named: list[exp.Window] = select.args.get("windows") or []
    for part in (*select.expressions, select.args.get("qualify"), select.args.get("order")):
        for node in shallow(part) if part is not None else ():
            if not isinstance(node, exp.Window) or node.args.get("alias") is None:
                continue
            found = matching(node.args["alias"], named, name=lambda window: window.name)
            if not found:
                raise refuse(node, f"there is no window {spelled(node.args['alias'])}", "define it: WINDOW w AS (…)")
            for word in ("partition_by", "order", "spec"):
                if found[0].args.get(word) and not node.args.get(word):
                    node.set(word, found[0].args[word])
            node.set("alias", None)


def _with_window(scope: NameScope, node: exp.Window, context: Context) -> NameScope:
    only(node, "this", "partition_by", "order", "spec", "over")
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
    ranking = RANKINGS.get(type(node.this))
    if ranking is None:
        return _aggregate(scope, node, context, partition, sorted_by)
    if not sorted_by:
        raise because(node, "window frame", "add ORDER BY to the window")
    if node.args.get("spec") is not None and frame_of(node) is not None:
        raise because(node, "window frame", "leave the frame out: it means nothing here")
    if ranking in {Ranking.LAG, Ranking.LEAD}:
        return _neighbor(scope, node, context, ranking, partition, sorted_by)
    only(node.this, *(("this",) if ranking is Ranking.NTILE else ()))
    number = whole_number(node.this.this, node, low=1) if ranking is Ranking.NTILE else 1
    most = Fraction(number) if ranking is Ranking.NTILE else None
    column = Column(clause(node), Facts(Type.INTEGER, nullable=False, low=Fraction(1), high=most))
    relation, renewal = windowed(
        scope.relation,
        column,
        ranking,
        argument=None,
        partition=partition,
        order=sorted_by,
        marks=context.marks,
        number=number,
    )
    return _ready(scope.over(relation, renewal), node, Reference(column))


def _aggregate(
    scope: NameScope, node: exp.Window, context: Context, partition: tuple[Expression, ...], order: Order
) -> NameScope:
    """An aggregate of the partition, of the rows up to the one at hand, or of those of a frame."""
    if not is_aggregate(node.this):
        raise because(node, "unknown function")
    scalars = Scalars(scope, _refuse_aggregate)
    aggregation = read_aggregation(node.this, scalars, relation=scope.relation, marks=context.marks)
    refuse_window(node, aggregation, ordered=bool(order))
    limits = scope.relation.owner.limits if scope.relation.owner is not None else None
    raw, facts = exact_facts(aggregation, limits=limits)
    column = Column(clause(node), raw)
    _mark(column, aggregation.arguments, context)
    relation, renewal = windowed(
        scope.relation,
        column,
        aggregation,
        argument=aggregation.argument,
        partition=partition,
        order=order,
        marks=context.marks,
        frame=frame_of(node),
    )
    shown = clipped(column, facts.low, facts.high) if facts != raw else Reference(column)
    return _ready(scope.over(relation, renewal), node, shown)


def _neighbor(  # noqa: PLR0913, PLR0917 - the parts of one window
    scope: NameScope,
    node: exp.Window,
    context: Context,
    ranking: Ranking,
    partition: tuple[Expression, ...],
    order: Order,
) -> NameScope:
    """The value of a row before or after; where there is none, NULL or the default, which is the row's at hand."""
    inner = only(node.this, "this", "offset", "default")
    offset = inner.args.get("offset")
    number = 1 if offset is None else whole_number(offset, node, low=0)
    argument = Scalars(scope, _refuse_aggregate).read(inner.this)
    default = inner.args.get("default")
    wanted = [argument] if default is None else [argument, Literal(1, Type.INTEGER)]
    columns: list[Column] = []
    for part in wanted:
        column = Column(clause(node), facts_of(part).where(nullable=True))
        _mark(column, (part,), context)
        relation, renewal = windowed(
            scope.relation,
            column,
            ranking,
            argument=part,
            partition=partition,
            order=order,
            marks=context.marks,
            number=number,
        )
        scope = scope.over(relation, renewal)
        partition = tuple(renewed(each, renewal) for each in partition)
        order = tuple((renewed(each, renewal), down) for each, down in order)
        columns = [*(renewal[old] for old in columns), column]
    if default is None:
        return _ready(scope, node, Reference(columns[0]))
    otherwise = Scalars(scope, _refuse_aggregate).read(default)
    nothing = call("is_null", Reference(columns[1]))
    return _ready(scope, node, choice(nothing, otherwise, Reference(columns[0])))


def _mark(column: Column, read: tuple[Expression, ...], context: Context) -> None:
    """Remember what is made from the unit's column."""
    if any(columns_in(part) & context.marks.from_unit for part in read):
        context.marks.from_unit.add(column)


def _ready(scope: NameScope, node: exp.Window, shown: Expression) -> NameScope:
    return NameScope(scope.relation, scope.names, {**scope.ready, id(node): shown}, scope.outer)


def _refuse_aggregate(node: exp.Expr) -> None:
    if is_aggregate(node):
        raise because(node, "nested aggregate")
