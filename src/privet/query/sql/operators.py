"""Operators of a statement: arithmetic, comparisons, and functions that are called by one name."""

from sqlglot import exp

from privet.query.functions import call
from privet.query.scalars.expressions import Expression, Literal, facts_of
from privet.query.scalars.facts import Type
from privet.query.sql.date_arithmetic import is_interval, shifted
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
    exp.Atan2: "atan2",
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
    exp.Sin: "sin",
    exp.Cos: "cos",
    exp.Tan: "tan",
    exp.Asin: "asin",
    exp.Acos: "acos",
    exp.Atan: "atan",
    exp.Cbrt: "cbrt",
    exp.Lower: "lower",
    exp.Upper: "upper",
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
    if is_interval(right):
        return shifted(reader, left, right, sign=sign)
    if is_interval(left) and sign == 1:
        return shifted(reader, right, left, sign=1)
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
    only(node, "this", "low", "high", "symmetric")
    value = reader.read(node.this)
    low, high = reader.read(node.args["low"]), reader.read(node.args["high"])
    inside = call("and", call("ge", value, low), call("le", value, high))
    if not node.args.get("symmetric"):
        return inside
    return call("or", inside, call("and", call("ge", value, high), call("le", value, low)))


def _binary(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    values = [reader.read(node.this), reader.read(node.expression)]
    if isinstance(node, exp.EQ | exp.NEQ):
        values = [_as_truth(*values), _as_truth(*reversed(values))]
    return call(BINARY[type(node)], *values)


def _as_truth(value: Expression, other: Expression) -> Expression:
    """A literal 0 or 1 that is compared with a condition, as FALSE or TRUE."""
    truth = isinstance(value, Literal) and value.type is Type.INTEGER and value.value in {0, 1}
    if truth and facts_of(other).type is Type.BOOLEAN:
        return Literal(value=value.value == 1, type=Type.BOOLEAN)  # type: ignore[union-attr] # a literal
    return value


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
}
