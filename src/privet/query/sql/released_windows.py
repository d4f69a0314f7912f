"""Released windows: window functions beside aggregates, over rows that are released: free, as post-processing is."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from privet.query.functions import call
from privet.query.plan.released_window import ReleasedWindow, WindowFunction
from privet.query.scalars.expressions import Expression, Literal, facts_of
from privet.query.scalars.facts import Facts, Type
from privet.query.sql.clauses import ordered, shallow
from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import refuse
from privet.query.sql.window_frames import frame_of

Reader = Callable[[exp.Expr], Expression]
RANKS: dict[type[exp.Expr], WindowFunction] = {
    exp.RowNumber: WindowFunction.ROW_NUMBER,
    exp.Rank: WindowFunction.RANK,
    exp.DenseRank: WindowFunction.DENSE_RANK,
    exp.PercentRank: WindowFunction.PERCENT_RANK,
    exp.CumeDist: WindowFunction.CUME_DIST,
}
OF_ONE: dict[type[exp.Expr], WindowFunction] = {
    exp.Sum: WindowFunction.SUM,
    exp.Avg: WindowFunction.AVG,
    exp.Count: WindowFunction.COUNT,
    exp.Min: WindowFunction.MIN,
    exp.Max: WindowFunction.MAX,
    exp.FirstValue: WindowFunction.FIRST_VALUE,
    exp.LastValue: WindowFunction.LAST_VALUE,
}
AROUND: dict[type[exp.Expr], WindowFunction] = {exp.Lag: WindowFunction.LAG, exp.Lead: WindowFunction.LEAD}
NUMBERS = {WindowFunction.SUM, WindowFunction.AVG}
SHARES = {WindowFunction.PERCENT_RANK, WindowFunction.CUME_DIST}
FARTHEST = 1 << 31  # rows that a frame, LAG or LEAD looks away


@dataclass(frozen=True)
class ReadWindow:
    """A window as it was read, and what is known of its value."""

    window: ReleasedWindow
    facts: Facts


def read_released_window(node: exp.Window, read: Reader) -> ReadWindow:
    """The window that a node stands for.

    Args:
        node: a function OVER (…).
        read: reads an expression over keys and aggregates.
    """
    only(node, "this", "partition_by", "order", "spec", "over")
    for part in (node.this, *(node.args.get("partition_by") or []), node.args.get("order")):
        if part is not None and any(isinstance(each, exp.Window) for each in shallow(part)):
            raise refuse(node, "a window cannot hold another one", "compute the inner one in a CTE")
    order = node.args.get("order")
    keys = [ordered(part) for part in only(order, "expressions").expressions] if order is not None else []
    function, arguments = _function(node, read)
    window = ReleasedWindow(
        function,
        arguments,
        tuple(read(part) for part in node.args.get("partition_by") or []),
        tuple((read(key), descending) for key, descending in keys),
        frame_of(node, needs_order=False),
    )
    return ReadWindow(window, _facts(window))


def _function(node: exp.Window, read: Reader) -> tuple[WindowFunction, tuple[Expression, ...]]:
    inner = node.this
    kind = type(inner)
    if kind in RANKS:
        only(inner)
        return RANKS[kind], ()
    if kind is exp.Ntile:
        return WindowFunction.NTILE, (_whole(only(inner, "this").this, read, least=1),)
    if kind in AROUND:
        return AROUND[kind], _around(inner, read)
    if kind not in OF_ONE:
        fix = f"over released rows there are {', '.join(each.value for each in WindowFunction)}"
        raise refuse(node, "it has no form OVER a window", fix)
    function = OF_ONE[kind]
    only(inner, "this")
    if function is WindowFunction.COUNT and isinstance(inner.this, exp.Star | None):
        return function, ()
    if isinstance(inner.this, exp.Distinct):
        raise refuse(node, "windows are over all rows", "leave DISTINCT out")
    argument = read(inner.this)
    if function in NUMBERS and facts_of(argument).type not in {Type.INTEGER, Type.REAL}:
        raise refuse(node, f"{function.value} takes numbers, got {facts_of(argument).type.value}", "CAST it first")
    return function, (argument,)


def _around(inner: exp.Expr, read: Reader) -> tuple[Expression, ...]:
    only(inner, "this", "offset", "default")
    value = read(inner.this)
    offset, default = inner.args.get("offset"), inner.args.get("default")
    if offset is None:
        return (value,)
    far = _whole(offset, read, least=0)
    if default is None:
        return value, far
    other = read(default)
    if not isinstance(other, Literal):
        raise refuse(inner, "what stands for a missing row is a literal", "write LAG(x, 1, 0)")
    both = call("coalesce", value, other)  # makes their types agree, or refuses
    if facts_of(both).type is not facts_of(value).type:
        raise refuse(inner, "what stands for a missing row has another type", "write a literal of the same type")
    return value, far, other


def _whole(node: exp.Expr, read: Reader, *, least: int) -> Literal:
    number = read(node)
    value = number.value if isinstance(number, Literal) else None
    if not isinstance(number, Literal) or type(value) is not int or not least <= value <= FARTHEST:
        raise refuse(node, f"a literal whole number from {least} is needed here", f"write {max(least, 1)}")
    return number


def _facts(window: ReleasedWindow) -> Facts:
    function = window.function
    if function in SHARES:
        return Facts(Type.REAL, nullable=False, low=Fraction(0), high=Fraction(1))
    if function is WindowFunction.COUNT:
        return Facts(Type.INTEGER, nullable=False, low=Fraction(0))
    if not window.arguments or function is WindowFunction.NTILE:
        return Facts(Type.INTEGER, nullable=False, low=Fraction(1))
    of = facts_of(window.arguments[0])
    if function is WindowFunction.SUM:
        return Facts(of.type, nullable=True)
    if function is WindowFunction.AVG:
        return Facts(Type.REAL, nullable=True, low=of.low, high=of.high)
    return Facts(of.type, nullable=True, longest=of.longest)
