"""Scalars: an expression of the statement as one of the plan. What has no line here is refused."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from privet.errors import InvalidParameter
from privet.query.expressions import Call, Expression, Literal, Reference, facts_of
from privet.query.facts import Type
from privet.query.functions import call, cast
from privet.query.functions.rule import LARGEST
from privet.query.narrowing import case_facts
from privet.query.sql.refusals import because, refuse
from privet.query.sql.scope import Scope
from privet.query.sql.strict import only

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
PARTS = {
    "year": "year",
    "quarter": "quarter",
    "month": "month",
    "day": "day",
    "hour": "hour",
    "dow": "day_of_week",
    "dayofweek": "day_of_week",
    "isodow": "isodow",
    "doy": "day_of_year",
    "dayofyear": "day_of_year",
}
STARTS = {"year": "trunc_year", "month": "trunc_month", "week": "trunc_week", "day": "trunc_day"}
FALSE = Literal(value=False, type=Type.BOOLEAN)
TYPES: dict[object, Type] = {
    **dict.fromkeys((exp.DataType.Type.INT, exp.DataType.Type.BIGINT, exp.DataType.Type.SMALLINT), Type.INTEGER),
    **dict.fromkeys((exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT, exp.DataType.Type.DECIMAL), Type.REAL),
    **dict.fromkeys((exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR), Type.TEXT),
    exp.DataType.Type.BOOLEAN: Type.BOOLEAN,
    exp.DataType.Type.DATE: Type.DATE,
    **dict.fromkeys((exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ), Type.TIMESTAMP),
}
Special = Callable[[exp.Expr], Expression | None]


@dataclass(frozen=True)
class Scalars:
    """Reads expressions.

    Args:
        scope: the names that can be used.
        special: reads nodes that mean something in this clause only, such as aggregates; None for the others.
    """

    scope: Scope
    special: Special

    def read(self, node: exp.Expr) -> Expression:
        """The expression a node stands for."""
        ready = self.scope.ready.get(id(node))
        if ready is not None:
            return ready
        special = self.special(node)
        if special is not None:
            return special
        try:
            return self._read(node)
        except InvalidParameter as error:
            raise refuse(node, str(error)) from None

    def all(self, nodes: list[exp.Expr]) -> list[Expression]:
        """Several."""
        return [self.read(node) for node in nodes]

    def _read(self, node: exp.Expr) -> Expression:
        kind = type(node)
        if kind in BINARY:
            only(node, "this", "expression")
            return call(BINARY[kind], self.read(node.this), self.read(node.expression))
        if kind in UNARY:
            only(node, "this")
            return call(UNARY[kind], self.read(node.this))
        reader = READERS.get(kind)
        if reader is None:
            raise _unknown(node)
        return reader(self, node)

    def named(self, node: exp.Anonymous) -> Expression:
        """A function the parser has no class for."""
        only(node, "this", "expressions")
        reader = NAMED.get(str(node.this).lower())
        if reader is None:
            raise because(node, "unknown function")
        return reader(self, node, self.all(node.expressions))


def _unknown(node: exp.Expr) -> Exception:  # noqa: PLR0911 - one return for each reason
    """Why a node has no meaning here."""
    if isinstance(node, exp.Placeholder | exp.Parameter | exp.SessionParameter):
        return because(node, "parameter")
    if isinstance(node, exp.Window):
        return because(node, "window here")
    if isinstance(node, exp.Exists):
        return because(node, "exists")
    if isinstance(node, exp.Subquery | exp.Query):
        return because(node, "late subquery")
    if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
        return because(node, "aggregate here")
    if isinstance(node, exp.Func):
        return because(node, "unknown function")
    if isinstance(node, exp.Star):
        return because(node, "unknown clause")
    return because(node, "unknown clause", "see docs/sql.md for what is")


def _literal(_: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "is_string")
    if node.args["is_string"]:
        return Literal(node.this, Type.TEXT)
    return number(node)


def number(node: exp.Expr) -> Literal:
    """A number as it is written; whole if it is written so and fits."""
    text = str(node.this)
    if text.isdecimal() and int(text[:30]) <= LARGEST:
        return Literal(int(text), Type.INTEGER)
    try:
        value = float(text)
    except ValueError:
        raise because(node, "unknown clause") from None
    if value in {float("inf"), float("-inf")} or value != value:  # noqa: PLR0124 - NaN
        raise refuse(node, "the number is too large", "write one below 1e308")
    return Literal(value, Type.REAL)


def _column(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "table")
    if isinstance(node.this, exp.Star):
        raise because(node, "star")
    assert isinstance(node, exp.Column)  # noqa: S101 - registered for it
    return Reference(reader.scope.find(node))


def _add(reader: Scalars, node: exp.Expr, *, sign: int = 1) -> Expression:
    only(node, "this", "expression")
    left, right = node.this, node.expression
    if isinstance(right, exp.Interval):
        return call("add_days", reader.read(left), _interval(reader, right, sign=sign))
    if isinstance(left, exp.Interval) and sign == 1:
        return call("add_days", reader.read(right), _interval(reader, left, sign=1))
    a, b = reader.read(left), reader.read(right)
    times = {Type.DATE, Type.TIMESTAMP}
    if facts_of(a).type in times and facts_of(b).type is Type.INTEGER:
        return call("add_days", a, b if sign == 1 else call("negate", b))
    if facts_of(a).type in times and facts_of(b).type in times and sign == -1:
        return call("days_between", b, a)
    return call("add" if sign == 1 else "subtract", a, b)


def _subtract(reader: Scalars, node: exp.Expr) -> Expression:
    return _add(reader, node, sign=-1)


def _interval(reader: Scalars, node: exp.Interval, *, sign: int) -> Expression:
    only(node, "this", "unit")
    unit = str(node.args.get("unit") or "day").upper().rstrip("S")
    factor = {"DAY": 1, "WEEK": 7}.get(unit)
    if factor is None:
        raise refuse(node, "only days and weeks can be added", "write INTERVAL 30 DAY")
    count = node.this
    amount = number(exp.Literal.number(count.this)) if isinstance(count, exp.Literal) else reader.read(count)
    return call("multiply", cast(amount, Type.INTEGER), Literal(sign * factor, Type.INTEGER))


def _is(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    value, other = reader.read(node.this), node.expression
    if isinstance(other, exp.Null):
        return call("is_null", value)
    if isinstance(other, exp.Boolean):
        return call("coalesce", call("eq", value, Literal(bool(other.this), Type.BOOLEAN)), FALSE)
    raise because(node, "unknown clause")


def _distinct_from(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    a, b = reader.read(node.this), reader.read(node.expression)
    both = call("and", call("is_null", a), call("is_null", b))
    same = call("or", call("coalesce", call("eq", a, b), FALSE), both)
    return same if isinstance(node, exp.NullSafeEQ) else call("not", same)


def _in(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "expressions")
    return call("in", reader.read(node.this), *reader.all(node.expressions))


def _between(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "low", "high")
    value = reader.read(node.this)
    low, high = reader.read(node.args["low"]), reader.read(node.args["high"])
    return call("and", call("ge", value, low), call("le", value, high))


def _case(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "ifs", "default")
    subject = reader.read(node.this) if node.this else None
    arguments: list[Expression] = []
    for branch in node.args["ifs"]:
        only(branch, "this", "true")
        condition = reader.read(branch.this)
        arguments += [
            condition if subject is None else call("eq", subject, condition),
            reader.read(branch.args["true"]),
        ]
    default = node.args.get("default")
    return choice(*arguments, Literal(None, Type.TEXT) if default is None else reader.read(default))


def choice(*arguments: Expression) -> Expression:
    """A CASE, with what its conditions tell about its values."""
    made = call("case", *arguments)
    return Call(made.function, made.arguments, case_facts(made)) if isinstance(made, Call) else made


def _if(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "true", "false")
    default = node.args.get("false")
    otherwise = Literal(None, Type.TEXT) if default is None else reader.read(default)
    return choice(reader.read(node.this), reader.read(node.args["true"]), otherwise)


def _cast(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "to", "_type")
    to = only(node.args["to"], "this", "expressions")
    type_ = TYPES.get(to.this)
    if type_ is None or (to.expressions and type_ is not Type.REAL):
        raise refuse(node, "there is no such type", f"use one of {', '.join(one.value for one in Type)}")
    value = reader.read(node.this)
    made = cast(value, type_)
    if isinstance(made, Literal) and made.value is None and isinstance(value, Literal) and value.value is not None:
        raise refuse(node, f"this is no {type_.value}", "write dates as DATE '2024-12-31'")
    return made


def _log(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    if node.args.get("expression") is None:  # LOG of one argument is the decimal one, as in the engine
        return call("log10", reader.read(node.this))
    logarithm = call("ln", reader.read(node.expression))
    if isinstance(node.this, exp.Literal) and node.this.this == "10":
        return call("log10", reader.read(node.expression))
    return call("divide", logarithm, call("ln", reader.read(node.this)))


def _round(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "decimals")
    digits = node.args.get("decimals")
    return call("round", reader.read(node.this), *(() if digits is None else (reader.read(digits),)))


def _several(function: str) -> Callable[[Scalars, exp.Expr], Expression]:
    def read(reader: Scalars, node: exp.Expr) -> Expression:
        only(node, "this", "expressions")
        return call(function, reader.read(node.this), *reader.all(node.expressions))

    return read


def _concat(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "expressions")
    parts = [cast(part, Type.TEXT) for part in reader.all(node.expressions)]
    return call("concat", *(call("coalesce", part, Literal("", Type.TEXT)) for part in parts))


def _substring(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "start", "length")
    length = node.args.get("length")
    size = Literal(1_000_000, Type.INTEGER) if length is None else reader.read(length)
    return call("substring", reader.read(node.this), reader.read(node.args["start"]), size)


def _left(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    return call("substring", reader.read(node.this), Literal(1, Type.INTEGER), reader.read(node.expression))


def part_of(part: str, value: Expression, node: exp.Expr) -> Expression:
    """A part of a date, by its name."""
    function = PARTS.get(part.lower())
    if function is None:
        raise refuse(node, "there is no such part of a date", f"use one of {', '.join(sorted(PARTS))}")
    if function == "isodow":
        six, seven, one = (Literal(value, Type.INTEGER) for value in (6, 7, 1))
        return call("add", call("modulo", call("add", call("day_of_week", value), six), seven), one)
    return call(function, value)


def _extract(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    return part_of(node.this.name, reader.read(node.expression), node)


def _iso_weekday(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this")
    return part_of("isodow", reader.read(node.this), node)


def _truncate(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "unit")
    function = STARTS.get(node.args["unit"].name.lower())
    if function is None:
        raise refuse(node, "dates can be cut to year, month, week or day", "use one of these")
    return call(function, reader.read(node.this))


def _date_difference(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "unit")
    unit = node.args.get("unit")
    if unit is not None and unit.name.upper() != "DAY":
        raise refuse(node, "only days between dates are counted", "write DATE_DIFF('day', a, b)")
    return call("days_between", reader.read(node.expression), reader.read(node.this))


def _date_part(reader: Scalars, node: exp.Anonymous, values: list[Expression]) -> Expression:
    del reader
    if len(values) != 2 or not isinstance(values[0], Literal):  # noqa: PLR2004 - part and date
        raise refuse(node, "it takes a literal part and a date", "write DATE_PART('month', day)")
    return part_of(str(values[0].value), values[1], node)


def _plain(function: str) -> Callable[[Scalars, exp.Anonymous, list[Expression]], Expression]:
    return lambda _reader, _node, values: call(function, *values)


def _constant(value: bool | None, type_: Type) -> Callable[[Scalars, exp.Expr], Expression]:  # noqa: FBT001 - a literal
    return lambda _reader, _node: Literal(value, type_)


def _boolean(_: Scalars, node: exp.Expr) -> Expression:
    return Literal(bool(only(node, "this").this), Type.BOOLEAN)


def _paren(reader: Scalars, node: exp.Expr) -> Expression:
    return reader.read(only(node, "this").this)


def _like(reader: Scalars, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "negate")
    text, pattern = reader.read(node.this), reader.read(node.expression)
    if isinstance(node, exp.ILike):
        text, pattern = call("lower", text), call("lower", pattern)
    found = call("like", text, pattern)
    return call("not", found) if node.args.get("negate") else found


def _named(reader: Scalars, node: exp.Expr) -> Expression:
    assert isinstance(node, exp.Anonymous)  # noqa: S101 - registered for it
    return reader.named(node)


NAMED: dict[str, Callable[[Scalars, exp.Anonymous, list[Expression]], Expression]] = {
    "clip": _plain("clip"),
    "clamp": _plain("clip"),
    "date_part": _date_part,
    "datepart": _date_part,
    "iff": lambda _reader, _node, values: choice(*values),
}
READERS: dict[type[exp.Expr], Callable[[Scalars, exp.Expr], Expression]] = {
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Null: _constant(None, Type.TEXT),
    exp.Column: _column,
    exp.Paren: _paren,
    exp.Add: _add,
    exp.Sub: _subtract,
    exp.Is: _is,
    exp.NullSafeEQ: _distinct_from,
    exp.NullSafeNEQ: _distinct_from,
    exp.In: _in,
    exp.Between: _between,
    exp.Case: _case,
    exp.If: _if,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Log: _log,
    exp.Round: _round,
    exp.Coalesce: _several("coalesce"),
    exp.Least: _several("least"),
    exp.Greatest: _several("greatest"),
    exp.Concat: _concat,
    exp.Substring: _substring,
    exp.Left: _left,
    exp.Extract: _extract,
    exp.DayOfWeekIso: _iso_weekday,
    exp.TimestampTrunc: _truncate,
    exp.DateTrunc: _truncate,
    exp.DateDiff: _date_difference,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Anonymous: _named,
}
