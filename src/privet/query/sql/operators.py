"""Operators of a statement: arithmetic, comparisons, and functions of numbers and texts."""

from sqlglot import exp

from privet.query.functions import call, cast
from privet.query.scalars.expressions import Expression, Literal, facts_of
from privet.query.scalars.facts import Type
from privet.query.sql.date_functions import interval
from privet.query.sql.expression_reader import Readers, Reads
from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import because

BINARY: dict[type[exp.Expr], str] = {
    exp.EQ: "eq",
    exp.NEQ: "ne",
    exp.LT: "lt",
    exp.LTE: "le",
    exp.GT: "gt",
    exp.GTE: "ge",
    exp.And: "and",
    exp.Or: "or",
    exp.Mul: "multiply",
    exp.Div: "divide",
    exp.IntDiv: "integer_divide",
    exp.Mod: "modulo",
    exp.Pow: "power",
    exp.Nullif: "nullif",
    exp.StartsWith: "starts_with",
    exp.DPipe: "concat",
}


UNARY: dict[type[exp.Expr], str] = {
    exp.Neg: "negate",
    exp.Not: "not",
    exp.Abs: "abs",
    exp.Sign: "sign",
    exp.Floor: "floor",
    exp.Ceil: "ceil",
    exp.Sqrt: "sqrt",
    exp.Ln: "ln",
    exp.Exp: "exp",
    exp.Lower: "lower",
    exp.Upper: "upper",
    exp.Trim: "trim",
    exp.Length: "length",
    exp.Year: "year",
    exp.Quarter: "quarter",
    exp.Month: "month",
    exp.Day: "day",
    exp.DayOfMonth: "day",
    exp.Hour: "hour",
    exp.DayOfWeek: "day_of_week",
    exp.DayOfYear: "day_of_year",
}


FALSE = Literal(value=False, type=Type.BOOLEAN)


def _add(reader: Reads, node: exp.Expr, *, sign: int = 1) -> Expression:
    only(node, "this", "expression")
    left, right = node.this, node.expression
    if isinstance(right, exp.Interval):
        return call("add_days", reader.read(left), interval(reader, right, sign=sign))
    if isinstance(left, exp.Interval) and sign == 1:
        return call("add_days", reader.read(right), interval(reader, left, sign=1))
    a, b = reader.read(left), reader.read(right)
    times = {Type.DATE, Type.TIMESTAMP}
    if facts_of(a).type in times and facts_of(b).type is Type.INTEGER:
        return call("add_days", a, b if sign == 1 else call("negate", b))
    if facts_of(a).type in times and facts_of(b).type in times and sign == -1:
        return call("days_between", b, a)
    return call("add" if sign == 1 else "subtract", a, b)


def _subtract(reader: Reads, node: exp.Expr) -> Expression:
    return _add(reader, node, sign=-1)


def _is(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    value = reader.read(node.this)
    other = node.expression
    if isinstance(other, exp.Null):
        return call("is_null", value)
    if isinstance(other, exp.Boolean):
        return call("coalesce", call("eq", value, Literal(bool(other.this), Type.BOOLEAN)), FALSE)
    raise because(node, "unknown clause")


def _distinct_from(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    a, b = reader.read(node.this), reader.read(node.expression)
    both = call("and", call("is_null", a), call("is_null", b))
    same = call("or", call("coalesce", call("eq", a, b), FALSE), both)
    return same if isinstance(node, exp.NullSafeEQ) else call("not", same)


def _in(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expressions")
    return call("in", reader.read(node.this), *reader.all(node.expressions))


def _between(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "low", "high")
    value = reader.read(node.this)
    low, high = reader.read(node.args["low"]), reader.read(node.args["high"])
    return call("and", call("ge", value, low), call("le", value, high))


def _like(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "negate")
    text, pattern = reader.read(node.this), reader.read(node.expression)
    if isinstance(node, exp.ILike):
        text, pattern = call("lower", text), call("lower", pattern)
    found = call("like", text, pattern)
    return call("not", found) if node.args.get("negate") else found


def _log(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    if node.args.get("expression") is None:  # LOG of one argument is the decimal one, as in the engine
        return call("log10", reader.read(node.this))
    logarithm = call("ln", reader.read(node.expression))
    if isinstance(node.this, exp.Literal) and node.this.this == "10":
        return call("log10", reader.read(node.expression))
    return call("divide", logarithm, call("ln", reader.read(node.this)))


def _round(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "decimals")
    digits = node.args.get("decimals")
    return call("round", reader.read(node.this), *(() if digits is None else (reader.read(digits),)))


def _concat(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "expressions")
    parts = [cast(part, Type.TEXT) for part in reader.all(node.expressions)]
    return call("concat", *(call("coalesce", part, Literal("", Type.TEXT)) for part in parts))


def _substring(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "start", "length")
    length = node.args.get("length")
    size = Literal(1_000_000, Type.INTEGER) if length is None else reader.read(length)
    return call("substring", reader.read(node.this), reader.read(node.args["start"]), size)


def _left(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    return call("substring", reader.read(node.this), Literal(1, Type.INTEGER), reader.read(node.expression))


def _binary(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    return call(BINARY[type(node)], reader.read(node.this), reader.read(node.expression))


def _unary(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this")
    return call(UNARY[type(node)], reader.read(node.this))


OPERATORS: Readers = {
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(UNARY, _unary),
    exp.Add: _add,
    exp.Sub: _subtract,
    exp.Is: _is,
    exp.NullSafeEQ: _distinct_from,
    exp.NullSafeNEQ: _distinct_from,
    exp.In: _in,
    exp.Between: _between,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Log: _log,
    exp.Round: _round,
    exp.Concat: _concat,
    exp.Substring: _substring,
    exp.Left: _left,
}
