"""Aggregates: COUNT, SUM, AVG and their kin, and what is known about their results."""

from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from privet.errors import InvalidParameter, QueryRefused
from privet.query.functions import call, cast
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.limits import Limits
from privet.query.plan.provenance import Marks
from privet.query.plan.relations import Relation
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, columns_in, facts_of
from privet.query.scalars.facts import Facts, Type
from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import because, clause, refuse
from privet.query.sql.scalar_expressions import Scalars

SIMPLE: dict[type[exp.Expr], Aggregation] = {
    exp.Sum: Aggregation(Function.SUM),
    exp.Avg: Aggregation(Function.AVG),
    exp.Variance: Aggregation(Function.VARIANCE),
    exp.VariancePop: Aggregation(Function.VARIANCE, sample=False),
    exp.Stddev: Aggregation(Function.STDDEV),
    exp.StddevSamp: Aggregation(Function.STDDEV),
    exp.StddevPop: Aggregation(Function.STDDEV, sample=False),
    exp.Median: Aggregation(Function.QUANTILE, fraction=Fraction(1, 2)),
    exp.Min: Aggregation(Function.MINIMUM),
    exp.Max: Aggregation(Function.MAXIMUM),
}
NAMED = {"mean": Aggregation(Function.AVG)}
PLACES = {Function.QUANTILE, Function.MINIMUM, Function.MAXIMUM}  # they pick one of the values, or between two
COUNTS = {Function.COUNT_ROWS, Function.COUNT, Function.COUNT_DISTINCT, Function.COUNT_UNITS}


def is_aggregate(node: exp.Expr) -> bool:
    """Whether a node is an aggregate, answered or not."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower() in NAMED
    kinds = exp.AggFunc | exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls
    return isinstance(node, kinds) and not isinstance(node, exp.Lag | exp.Lead | exp.RowNumber)


def read_aggregation(node: exp.Expr, scalars: Scalars, *, relation: Relation, marks: Marks) -> Aggregation:
    """The aggregation a node stands for; its argument is read by `scalars`."""
    if isinstance(node, exp.Filter):
        only(node, "this", "expression")
        inner = read_aggregation(node.this, scalars, relation=relation, marks=marks)
        condition = scalars.read(only(node.expression, "this").this)
        if facts_of(condition).type is not Type.BOOLEAN:
            raise refuse(node, "FILTER takes a condition", "write FILTER (WHERE cost > 100)")
        return _filtered(inner, condition)
    if isinstance(node, exp.Count):
        return _count(node, scalars, relation, marks)
    if isinstance(node, exp.CountIf):
        return Aggregation(Function.COUNT_ROWS, condition=scalars.read(only(node, "this").this))
    if isinstance(node, exp.WithinGroup | exp.PercentileCont | exp.Quantile):
        return _quantile(node, scalars)
    shape = NAMED.get(str(node.this).lower()) if isinstance(node, exp.Anonymous) else SIMPLE.get(type(node))
    if shape is None:
        raise because(node, "no mechanism")
    arguments = only(node, "this", "expressions").expressions if isinstance(node, exp.Anonymous) else [node.this]
    if not isinstance(node, exp.Anonymous):
        only(node, "this")
    if len(arguments) != 1 or arguments[0] is None:
        raise refuse(node, "it takes one argument", "write AVG(x)")
    return replace(shape, argument=_number(node, arguments[0], scalars, shape.function))


def _filtered(inner: Aggregation, condition: Expression) -> Aggregation:
    both = condition if inner.condition is None else call("and", inner.condition, condition)
    return replace(inner, condition=both)


def _count(node: exp.Count, scalars: Scalars, relation: Relation, marks: Marks) -> Aggregation:
    only(node, "this")
    if node.this is None or isinstance(node.this, exp.Star):
        if node.this is not None:
            only(node.this)
        return Aggregation(Function.COUNT_ROWS)
    if not isinstance(node.this, exp.Distinct):
        argument = scalars.read(node.this)
        if isinstance(argument, Literal) and argument.value is not None:
            return Aggregation(Function.COUNT_ROWS)
        return Aggregation(Function.COUNT, argument)
    listed = only(node.this, "expressions").expressions
    if len(listed) != 1:
        text = f"COUNT(DISTINCT {', '.join(clause(one) for one in listed)})"
        raise refuse(text, "one expression can be counted distinctly", "count each one, or concatenate them")
    argument = scalars.read(listed[0])
    owner = relation.owner
    if owner is not None and len(owner.unit) == 1 and isinstance(argument, Reference):
        if argument.column is owner.unit[0]:
            return Aggregation(Function.COUNT_UNITS)
        if argument.column in marks.unit_or_null:
            return Aggregation(Function.COUNT_UNITS, condition=call("not", call("is_null", argument)))
    return Aggregation(Function.COUNT_DISTINCT, argument)


def _number(node: exp.Expr, argument: exp.Expr, scalars: Scalars, function: Function) -> Expression:
    """The argument of an aggregate of numbers; a condition counts as 0 or 1."""
    if isinstance(argument, exp.Distinct):
        raise refuse(node, "only COUNT can be of distinct values", "leave DISTINCT out")
    value = scalars.read(argument)
    type_ = facts_of(value).type
    if type_ is Type.BOOLEAN and function not in PLACES:
        return cast(value, Type.INTEGER)
    if type_.numeric or (type_ is Type.DATE and function in PLACES):
        return value
    raise refuse(node, f"{function.value} takes numbers, got {type_.value}", "CAST it first, or COUNT it")


def _quantile(node: exp.Expr, scalars: Scalars) -> Aggregation:
    descending = False
    if isinstance(node, exp.WithinGroup):
        only(node, "this", "expression")
        inner = node.this
        order = only(node.expression, "expressions").expressions
        if not isinstance(inner, exp.PercentileCont) or inner.args.get("expression") is not None or len(order) != 1:
            raise because(node, "no mechanism", "write PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY cost)")
        only(order[0], "this", "desc", "nulls_first")
        value = order[0].this
        fraction = inner.this
        descending = bool(order[0].args.get("desc"))
    elif isinstance(node, exp.Quantile):
        only(node, "this", "quantile")
        value = node.this
        fraction = node.args.get("quantile")
    else:
        only(node, "this", "expression")
        value = node.this
        fraction = node.args.get("expression")
    share = scalars.read(fraction) if fraction is not None else None
    if not (isinstance(share, Literal) and isinstance(share.value, int | float) and 0 <= share.value <= 1):
        raise refuse(node, "a quantile takes a literal between 0 and 1", "write QUANTILE_CONT(cost, 0.9)")
    exact = Fraction(str(share.value))
    argument = _number(node, value, scalars, Function.QUANTILE)
    return Aggregation(Function.QUANTILE, argument, fraction=1 - exact if descending else exact)


def check_bounds(node: exp.Expr, aggregation: Aggregation, *, marks: Marks) -> None:
    """A private aggregate of numbers needs both bounds."""
    if aggregation.function in COUNTS or aggregation.argument is None:
        return
    facts = facts_of(aggregation.argument)
    if facts.bounded:
        return
    if isinstance(node, exp.Filter):
        node = node.this
    loose = sorted(
        {
            marks.places[column]
            for column in columns_in(aggregation.argument)
            if column.facts.type in {Type.INTEGER, Type.REAL, Type.DATE}
            and not column.facts.bounded
            and column in marks.places
            and column not in marks.from_unit
        }
    )
    argument = clause(node.find(exp.Column) or node) if node.this is None else _argument_text(node)
    declare = f"declare {' and '.join(loose)} as [lower, upper] in the catalog, " if loose else ""
    pay = "or pass automatic_bounds=0.2 to pay for finding them"
    raise QueryRefused(f"{clause(node)} needs bounds: {declare}write CLIP({argument}, lower, upper), {pay}")


def _argument_text(node: exp.Expr) -> str:
    if isinstance(node, exp.WithinGroup):
        return clause(node.expression.expressions[0].this)
    if isinstance(node, exp.Anonymous):
        return clause(node.expressions[0])
    return clause(node.this)


def released_facts(aggregation: Aggregation) -> Facts:
    """What is known about a released aggregate: averages and places lie between the bounds of their argument."""
    function = aggregation.function
    if function in COUNTS:
        return Facts(Type.INTEGER, nullable=False)
    assert aggregation.argument is not None  # noqa: S101 - only counts have none
    known = facts_of(aggregation.argument)
    if function is Function.SUM:
        return Facts(known.type, nullable=True)
    return _spread(function, known).where(type=Type.REAL)


def _spread(function: Function, known: Facts) -> Facts:
    """Of averages and places: within the bounds. Of spreads: at most what two values at the bounds have."""
    if function not in {Function.VARIANCE, Function.STDDEV}:
        return Facts(known.type, nullable=True, low=known.low, high=known.high)
    width = None if known.low is None or known.high is None else known.high - known.low
    if width is not None and function is Function.VARIANCE:
        width = width * width
    return Facts(Type.REAL, nullable=True, low=Fraction(0), high=width)


def exact_facts(aggregation: Aggregation, *, limits: Limits | None) -> tuple[Facts, Facts]:
    """What holds for an exact aggregate as computed, and after clipping to what limits of one unit allow."""
    function = aggregation.function
    if function in COUNTS:
        free = Facts(Type.INTEGER, nullable=False)
        sure = function is Function.COUNT_ROWS and aggregation.condition is None
        least = Fraction(1 if sure else 0)
        return free, free if limits is None else free.where(low=least, high=Fraction(max(limits.rows, 1)))
    assert aggregation.argument is not None  # noqa: S101 - only counts have none
    known = facts_of(aggregation.argument)
    if function is Function.SUM:
        free = Facts(known.type, nullable=True)
        if limits is None or known.low is None or known.high is None:
            return free, free
        low, high = min(known.low, known.low * limits.rows), max(known.high, known.high * limits.rows)
        return free, free.where(low=low, high=high)
    facts = _spread(function, known)
    if function in {Function.MINIMUM, Function.MAXIMUM}:
        return facts, facts
    facts = facts.where(type=Type.REAL)
    return facts, facts


def as_number(node: exp.Expr, aggregation: Aggregation) -> Aggregation:
    """A place among dates is found among days since 1970-01-01."""
    argument = aggregation.argument
    if argument is None or facts_of(argument).type is not Type.DATE or aggregation.function not in PLACES:
        return aggregation
    try:
        days = call("days_between", Literal("1970-01-01", Type.DATE), argument)
    except InvalidParameter as error:
        raise refuse(node, str(error)) from None
    return replace(aggregation, argument=days)


def as_date(column: Column) -> Expression:
    """A released place among days as a date again."""
    days = cast(call("round", Reference(column)), Type.INTEGER)
    return call("add_days", Literal("1970-01-01", Type.DATE), days)
