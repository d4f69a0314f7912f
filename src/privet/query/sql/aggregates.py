"""Aggregates in a statement: which rule of `aggregates/` is meant, of what, and whether it may stand where it does."""

from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from privet.errors import InvalidParameter, QueryRefused
from privet.query.aggregates import NAMES, RULES, bounded_arguments, rule_of
from privet.query.aggregates.rule import MOMENTS, NUMBERS, Added
from privet.query.functions import call, cast
from privet.query.functions.moments import since_1970
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.limits import Limits
from privet.query.plan.provenance import Marks
from privet.query.plan.relations import Relation
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, columns_in, facts_of
from privet.query.scalars.facts import Facts, Type
from privet.query.sql.clauses import shallow
from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import because, clause, refuse
from privet.query.sql.refused_functions import own_reason
from privet.query.sql.scalar_expressions import Scalars

DISCRETE = (exp.PercentileDisc, exp.Quantile, exp.ApproxQuantile)
TAKES = {1: ("it takes one argument", "write AVG(x)"), 2: ("it takes two arguments", "write CORR(x, y)")}


def is_aggregate(node: exp.Expr) -> bool:
    """Whether a node is an aggregate, answered or not."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower() in NAMES
    kinds = exp.AggFunc | exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls
    return isinstance(node, kinds) and not isinstance(node, exp.Lag | exp.Lead | exp.RowNumber)


def aggregates(item: exp.Expr | Column) -> bool:
    """Whether an item of SELECT holds an aggregate; one that is a window is none."""
    if isinstance(item, Column):
        return False
    own = {id(node.this) for node in shallow(item) if isinstance(node, exp.Window)}
    own |= {
        id(node.this) for node in shallow(item) if isinstance(node, exp.Filter | exp.IgnoreNulls) and id(node) in own
    }
    return any(is_aggregate(node) for node in shallow(item) if id(node) not in own)


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
    if isinstance(node, exp.ApproxDistinct):  # an exact one is better than any other, and the noise is the same
        counted = exp.Count(this=exp.Distinct(expressions=[only(node, "this").this]))
        return _count(counted, scalars, relation, marks)
    if isinstance(node, (exp.PercentileCont, *DISCRETE)) or _is_percentile(node):
        return _quantile(node, scalars)
    asked = _named(node)
    if asked is None:
        raise own_reason(node) or because(node, "no mechanism")
    takes = RULES[asked.function].takes
    arguments = _arguments(node, len(takes))
    fitted = [_fitted(node, each, scalars, asked.function, place) for place, each in enumerate(arguments)]
    return replace(asked, argument=fitted[0], second=fitted[1] if len(fitted) > 1 else None)


def _named(node: exp.Expr) -> Aggregation | None:
    """What a function asks for by its name, or None if there is no rule for it."""
    if isinstance(node, exp.Anonymous):
        return NAMES.get(str(node.this).lower())
    names = type(node).sql_names() if isinstance(node, exp.Func) else []
    return next((NAMES[name.lower()] for name in names if name.lower() in NAMES), None)


def _arguments(node: exp.Expr, many: int) -> list[exp.Expr]:
    """The arguments as they are written, if there are so many."""
    if isinstance(node, exp.Anonymous):
        found = only(node, "this", "expressions").expressions
    elif many == 1:
        found = [only(node, "this").this]
    else:
        found = [only(node, "this", "expression").this, node.args.get("expression")]
    if len(found) != many or None in found:
        raise refuse(node, *TAKES[many])
    return found


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


def _fitted(node: exp.Expr, argument: exp.Expr, scalars: Scalars, function: Function, place: int) -> Expression:
    """An argument, if its type is one that is taken; where numbers are, a condition counts as 0 or 1."""
    if isinstance(argument, exp.Distinct):
        raise refuse(node, "no mechanism adds up distinct values", "leave DISTINCT out, or write COUNT(DISTINCT x)")
    value = scalars.read(argument)
    if isinstance(value, Literal) and value.value is None:
        raise refuse(node, f"NULL is no value, so that {function.value} is NULL whatever the rows are", "leave it out")
    type_ = facts_of(value).type
    types = RULES[function].takes[place]
    if type_ is Type.BOOLEAN and types == NUMBERS:
        return cast(value, Type.INTEGER)
    if type_ in types:
        return value
    raise _wrong_type(node, function, type_)


def _written(node: exp.Expr) -> exp.Expr | str:
    """The aggregate as it was written: the parser's printer adds a CAST to BOOL_OR and BOOL_AND."""
    for kind, name in ((exp.LogicalOr, "BOOL_OR"), (exp.LogicalAnd, "BOOL_AND")):
        if isinstance(node, kind):
            return f"{name}({clause(node.this)})"
    return node


def _wrong_type(node: exp.Expr, function: Function, type_: Type) -> QueryRefused:
    if Type.INTEGER not in RULES[function].takes[0]:
        return refuse(
            _written(node), f"{function.value} takes a condition, got {type_.value}", f"write {function.value}(x > 0)"
        )
    return refuse(node, f"{function.value} takes numbers, got {type_.value}", "CAST it first, or COUNT it")


def refuse_across_units(node: exp.Expr, aggregation: Aggregation) -> None:
    """Raise if an aggregate has no private mechanism, or none for arguments of this type."""
    rule = rule_of(aggregation)
    node = node.this if isinstance(node, exp.Filter) else node
    if not rule.across:
        raise because(_written(node), "no mechanism", rule.instead)
    for argument in aggregation.arguments[:1]:
        if facts_of(argument).type not in rule.across:
            raise _wrong_type(node, aggregation.function, facts_of(argument).type)


def refuse_without_order(node: exp.Expr, aggregation: Aggregation) -> None:
    """Raise if an aggregate is about the first rows, and nothing says which they are."""
    if rule_of(aggregation).ordered:
        text = f"write {aggregation.function.value}(x) OVER (PARTITION BY … ORDER BY …), or ARG_MIN(x, y)"
        raise refuse(node, "which row comes first is not said", text)


def refuse_window(node: exp.Expr, aggregation: Aggregation, *, ordered: bool) -> None:
    """Raise if an aggregate cannot stand over a window."""
    rule = rule_of(aggregation)
    refuse_exact_place(node.this, aggregation)
    if not rule.windows:
        raise refuse(node, "it has no form OVER a window", "use GROUP BY in a subquery, or FIRST_VALUE(x) OVER (…)")
    if rule.ordered and not ordered:
        raise because(node, "window frame", "add ORDER BY to the window")
    if rule.ordered and aggregation.condition is not None:
        raise refuse(node, "it has no FILTER", "leave it out, or filter rows in a subquery")


def _quantile(node: exp.Expr, scalars: Scalars) -> Aggregation:
    descending = False
    if isinstance(node, exp.WithinGroup):
        only(node, "this", "expression")
        inner = node.this
        order = only(node.expression, "expressions").expressions
        if inner.args.get("expression") is not None or len(order) != 1:
            raise because(node, "no mechanism", "write PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY cost)")
        only(order[0], "this", "desc", "nulls_first")
        value = order[0].this
        fraction = inner.this
        descending = bool(order[0].args.get("desc"))
    elif isinstance(node, exp.Quantile | exp.ApproxQuantile):
        only(node, "this", "quantile")
        value = node.this
        fraction = node.args.get("quantile")
    else:
        only(node, "this", "expression")
        value = node.this
        fraction = node.args.get("expression")
    if isinstance(fraction, exp.Array):
        raise refuse(node, "a list of quantiles stands by itself in SELECT", "write each one: QUANTILE_CONT(cost, 0.9)")
    share = scalars.read(fraction) if fraction is not None else None
    if not (isinstance(share, Literal) and isinstance(share.value, int | float) and 0 <= share.value <= 1):
        raise refuse(node, "a quantile takes a literal between 0 and 1", "write QUANTILE_CONT(cost, 0.9)")
    exact = Fraction(str(share.value))
    argument = _fitted(node, value, scalars, Function.QUANTILE, 0)
    return Aggregation(Function.QUANTILE, argument, fraction=1 - exact if descending else exact)


def _is_percentile(node: exp.Expr) -> bool:
    return isinstance(node, exp.WithinGroup) and isinstance(node.this, exp.PercentileCont | exp.PercentileDisc)


def refuse_exact_place(node: exp.Expr, aggregation: Aggregation) -> None:
    """Raise if an exact quantile is asked for that engines do not compute alike: of moments, or one that occurs."""
    inner = node.this if isinstance(node, exp.Filter) else node
    inner = inner.this if isinstance(inner, exp.WithinGroup) else inner
    if aggregation.function is not Function.QUANTILE or aggregation.argument is None:
        return
    if isinstance(inner, DISCRETE):
        fix = "write QUANTILE_CONT(x, 0.5), which lies between two values"
        raise refuse(node, "quantiles that are no estimates are not the same on every engine", fix)
    if not facts_of(aggregation.argument).type.numeric:
        fix = "write MEDIAN(DATE_DIFF('day', DATE '2000-01-01', day))"
        raise refuse(node, "quantiles that are no estimates are of numbers", fix)


def check_bounds(node: exp.Expr, aggregation: Aggregation, *, marks: Marks) -> None:
    """A private aggregate of numbers needs both bounds of each argument."""
    if isinstance(node, exp.Filter):
        node = node.this
    for place, argument in enumerate(bounded_arguments(aggregation)):
        if not facts_of(argument).bounded:
            raise _without_bounds(node, argument, place, marks)


def _without_bounds(node: exp.Expr, argument: Expression, place: int, marks: Marks) -> QueryRefused:
    loose = sorted(
        {
            marks.places[column]
            for column in columns_in(argument)
            if column.facts.type in {Type.INTEGER, Type.REAL, Type.DATE}
            and not column.facts.bounded
            and column in marks.places
            and column not in marks.from_unit
        }
    )
    text = clause(node.find(exp.Column) or node) if node.this is None else _argument_text(node, place)
    declare = f"declare {' and '.join(loose)} as [lower, upper] in the catalog, " if loose else ""
    pay = 'or pass automatic_bounds="auto" to pay for finding them'
    return QueryRefused(f"{clause(node)} needs bounds: {declare}write CLIP({text}, lower, upper), {pay}")


def _argument_text(node: exp.Expr, place: int) -> str:
    if isinstance(node, exp.WithinGroup):
        return clause(node.expression.expressions[0].this)
    if isinstance(node, exp.Anonymous):
        return clause(node.expressions[place])
    return clause(node.expression if place else node.this)


def released_facts(aggregation: Aggregation) -> Facts:
    """What is known about a released aggregate: averages and places lie between the bounds of their argument."""
    facts = rule_of(aggregation).facts
    assert facts is not None  # noqa: S101 - refused before
    return facts(aggregation)


def exact_facts(aggregation: Aggregation, *, limits: Limits | None) -> tuple[Facts, Facts]:
    """What holds for an exact aggregate as computed, and after clipping to what limits of one unit allow."""
    known = None if limits is None or limits.automatic else limits  # what is found later bounds nothing now
    return rule_of(aggregation).exact_facts(aggregation, known)


def as_number(node: exp.Expr, aggregation: Aggregation) -> Aggregation:
    """A place among dates is found among days since 1970-01-01, one among timestamps among seconds since then."""
    argument = aggregation.argument
    type_ = None if argument is None else facts_of(argument).type
    if argument is None or type_ not in MOMENTS or Added.RANKS not in rule_of(aggregation).added:
        return aggregation
    try:
        return replace(aggregation, argument=since_1970(argument, type_))
    except InvalidParameter as error:
        raise refuse(node, str(error)) from None
