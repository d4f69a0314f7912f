"""Numbers of a statement: logarithms, rounding, angles and buckets."""

import math
from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from privet.query.functions import call, cast
from privet.query.scalars.expressions import Expression, Literal, facts_of
from privet.query.scalars.facts import Type
from privet.query.sql.choices import choice
from privet.query.sql.expression_reader import Readers, Reads
from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import refuse

ZERO, ONE = Literal(0, Type.INTEGER), Literal(1, Type.INTEGER)
PI = Literal(math.pi, Type.REAL)
MOST_BUCKETS = 10_000
MOST_SHIFTED = 62  # bits


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


def _truncate(reader: Reads, node: exp.Expr) -> Expression:
    """Toward 0."""
    if node.args.get("decimals") is not None:
        raise refuse(node, "only whole numbers are cut off to", "write ROUND(x, 2), or DATE_TRUNC('month', day)")
    value = reader.read(only(node, "this", "decimals").this)
    if facts_of(value).type is Type.INTEGER:
        return value
    return choice(call("lt", value, ZERO), call("ceil", value), call("floor", value))


def _scaled(factor: float) -> Callable[[Reads, exp.Expr], Expression]:
    def read(reader: Reads, node: exp.Expr) -> Expression:
        return call("multiply", reader.read(only(node, "this").this), Literal(factor, Type.REAL))

    return read


def _pi(_: Reads, node: exp.Expr) -> Expression:
    only(node)
    return PI


def _cotangent(reader: Reads, node: exp.Expr) -> Expression:
    return call("divide", ONE, call("tan", reader.read(only(node, "this").this)))


def _bucket(reader: Reads, node: exp.Expr) -> Expression:
    """Which of so many buckets of one width, from 1; 0 below the first and one more than there are above the last.

    All that is known is a whole number from 0 to that one, so it is a public key.
    """
    only(node, "this", "min_value", "max_value", "num_buckets")
    value = reader.read(node.this)
    names = ("min_value", "max_value", "num_buckets")
    parts = [None if node.args.get(name) is None else reader.read(node.args[name]) for name in names]
    ends = [part.value if isinstance(part, Literal) else None for part in parts]
    low, high, count = ends
    if not (
        isinstance(low, int | float) and isinstance(high, int | float) and type(count) is int
        and low < high and 1 <= count <= MOST_BUCKETS
    ):  # fmt: skip
        takes = f"literals: a lower end, a higher one, and 1 to {MOST_BUCKETS:,} buckets"
        raise refuse(node, f"WIDTH_BUCKET takes a number and {takes}", "write WIDTH_BUCKET(age, 0, 100, 10)")
    step = Literal(float((Fraction(str(high)) - Fraction(str(low))) / count), Type.REAL)
    ends_ = [Literal(float(end), Type.REAL) for end in (low, high)]
    place = call("floor", call("divide", call("subtract", cast(value, Type.REAL), ends_[0]), step))
    inside = call("clip", cast(place, Type.INTEGER), ZERO, Literal(count - 1, Type.INTEGER))
    return choice(
        call("lt", value, ends_[0]),
        ZERO,
        call("ge", value, ends_[1]),
        Literal(count + 1, Type.INTEGER),
        call("add", inside, ONE),
    )


def _shift(function: str) -> Callable[[Reads, exp.Expr], Expression]:
    """So many bits to the left or right: multiplied, or divided and floored."""

    def read(reader: Reads, node: exp.Expr) -> Expression:
        only(node, "this", "expression")
        value, bits = reader.read(node.this), reader.read(node.expression)
        count = bits.value if isinstance(bits, Literal) else None
        if type(count) is not int or not 0 <= count < MOST_SHIFTED or facts_of(value).type is not Type.INTEGER:
            raise refuse(
                node, "a whole number is shifted by a literal number of bits below 62", "write x * 4 or x // 4"
            )
        return call(function, value, Literal(1 << count, Type.INTEGER))

    return read


def square(reader: Reads, node: exp.Anonymous) -> Expression:
    """SQUARE(x)."""
    size = call("abs", *reader.all(node.expressions))
    return call("multiply", size, size)


NUMBERS: Readers = {
    exp.Log: _log,
    exp.Round: _round,
    exp.Trunc: _truncate,
    exp.Degrees: _scaled(180 / math.pi),
    exp.Radians: _scaled(math.pi / 180),
    exp.Pi: _pi,
    exp.Cot: _cotangent,
    exp.WidthBucket: _bucket,
    exp.BitwiseLeftShift: _shift("multiply"),
    exp.BitwiseRightShift: _shift("integer_divide"),
}
