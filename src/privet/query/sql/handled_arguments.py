"""Handled arguments: all that a parsed node has, so that nothing the parser knows slips through."""

from typing import TypeVar

from sqlglot import exp

from privet.query.sql.refuse import because

Node = TypeVar("Node", bound=exp.Expr)

REASON = {
    "sample": "sample",
    "qualify": "unknown clause",
    "laterals": "unknown clause",
    "pivots": "unknown clause",
    "hint": "unknown clause",
    "locks": "unknown clause",
}
HARMLESS = {"big_int", "typed", "safe", "ignore_nulls", "coalesce", "date_part_boundary", "nested"}  # of the dialect


def only(node: Node, *handled: str) -> Node:
    """The node, if it has no other arguments than these."""
    for name, value in node.args.items():
        if name in handled or name in HARMLESS or value is None or value is False or value == []:
            continue
        part = value[0] if isinstance(value, list) else value
        raise because(part if isinstance(part, exp.Expr) else node, REASON.get(name, "unknown clause"))
    return node
