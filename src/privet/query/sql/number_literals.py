"""Numbers of a statement, as they are written."""

from sqlglot import exp

from privet.query.functions.rule import LARGEST
from privet.query.scalars.expressions import Literal
from privet.query.scalars.facts import Type
from privet.query.sql.refuse import because, refuse


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
