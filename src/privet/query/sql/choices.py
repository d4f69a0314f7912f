"""Choices of a statement: CASE, IF, COALESCE and kin, and CAST."""

import math
from collections.abc import Callable

from sqlglot import exp

from privet.query.functions import call, cast
from privet.query.plan.refine_facts import case_facts
from privet.query.scalars.expressions import Call, Expression, Literal
from privet.query.scalars.facts import Type
from privet.query.sql.expression_reader import Readers, Reads
from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import refuse

WHOLE = ("TINYINT", "SMALLINT", "INT", "BIGINT", "INT128", "UTINYINT", "USMALLINT", "UINT", "UBIGINT", "UINT128")
TYPES: dict[object, Type] = {
    **dict.fromkeys(("UINT8", "UINT16", "UINT32", "UINT64"), Type.INTEGER),  # names that the parser does not know
    "FLOAT64": Type.REAL,
    **dict.fromkeys((exp.DataType.Type[name] for name in WHOLE), Type.INTEGER),
    **dict.fromkeys((exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT, exp.DataType.Type.DECIMAL), Type.REAL),
    **dict.fromkeys((exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR), Type.TEXT),
    exp.DataType.Type.BOOLEAN: Type.BOOLEAN,
    exp.DataType.Type.DATE: Type.DATE,
    **dict.fromkeys((exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ), Type.TIMESTAMP),
}


def _case(reader: Reads, node: exp.Expr) -> Expression:
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


def _if(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "true", "false")
    default = node.args.get("false")
    otherwise = Literal(None, Type.TEXT) if default is None else reader.read(default)
    return choice(reader.read(node.this), reader.read(node.args["true"]), otherwise)


def _cast(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "to", "_type")
    to = only(node.args["to"], "this", "expressions", "kind")
    type_ = TYPES.get(str(to.args.get("kind") or "").upper() or to.this)
    if type_ is None or (to.expressions and type_ is not Type.REAL):
        raise refuse(node, "there is no such type", f"use one of {', '.join(one.value for one in Type)}")
    value = reader.read(node.this)
    made = cast(value, type_)
    given = isinstance(value, Literal) and value.value is not None
    if given and isinstance(made, Literal) and made.value in {None, math.inf, -math.inf}:
        fix = "write one below 1e308" if type_ is Type.REAL else "write dates as DATE '2024-12-31'"
        raise refuse(node, f"this is no {type_.value}", fix)
    return made


def _several(function: str) -> Callable[[Reads, exp.Expr], Expression]:
    def read(reader: Reads, node: exp.Expr) -> Expression:
        only(node, "this", "expressions")
        return call(function, reader.read(node.this), *reader.all(node.expressions))

    return read


def _nvl2(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "true", "false")
    there = call("not", call("is_null", reader.read(node.this)))
    return choice(there, reader.read(node.args["true"]), reader.read(node.args["false"]))


def if_else(reader: Reads, node: exp.Anonymous) -> Expression:
    """IFF(condition, value, other)."""
    return choice(*reader.all(node.expressions))


def is_null(reader: Reads, node: exp.Anonymous) -> Expression:
    """ISNULL(x); with a second argument, as COALESCE."""
    values = reader.all(node.expressions)
    return call("is_null" if len(values) == 1 else "coalesce", *values)


def zero_if_null(reader: Reads, node: exp.Anonymous) -> Expression:
    """ZEROIFNULL(x)."""
    return call("coalesce", *reader.all(node.expressions), Literal(0, Type.INTEGER))


def null_if_zero(reader: Reads, node: exp.Anonymous) -> Expression:
    """NULLIFZERO(x)."""
    return call("nullif", *reader.all(node.expressions), Literal(0, Type.INTEGER))


CHOICES: Readers = {
    exp.Case: _case,
    exp.If: _if,
    exp.Nvl2: _nvl2,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Coalesce: _several("coalesce"),
    exp.Least: _several("least"),
    exp.Greatest: _several("greatest"),
}
