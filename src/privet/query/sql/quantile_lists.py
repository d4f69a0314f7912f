"""Quantile lists: QUANTILE_CONT(x, [0.25, 0.5]) AS q as columns q_25 and q_50, so that each has a rank margin."""

from decimal import Decimal, InvalidOperation
from typing import TypeVar

from sqlglot import exp

Tree = TypeVar("Tree", bound=exp.Expr)


def expanded(tree: Tree) -> Tree:
    """The statement with a column for each quantile of a list that stands by itself in SELECT; the tree is changed.

    Example:
        >>> import sqlglot
        >>> tree = sqlglot.parse_one("SELECT QUANTILE_CONT(x, [0.5, 0.975]) AS q FROM t", dialect="duckdb")
        >>> expanded(tree).named_selects
        ['q_50', 'q_97_5']
    """
    for select in list(tree.find_all(exp.Select)):
        found = [_columns(item) for item in select.expressions]
        if [column for columns in found for column in columns] != select.expressions:
            _move(select, [len(columns) for columns in found])
            select.set("expressions", [column for columns in found for column in columns])
    return tree


def list_in(node: exp.Expr) -> exp.Array | None:
    """The list of a quantile that has one in the place of a fraction."""
    inner = node.this if isinstance(node, exp.Filter | exp.WithinGroup) else node
    inner = inner.this if isinstance(inner, exp.WithinGroup) else inner
    if not isinstance(inner, exp.PercentileCont | exp.PercentileDisc | exp.Quantile | exp.ApproxQuantile):
        return None
    parts = (inner.args.get(name) for name in ("this", "expression", "quantile"))
    return next((part for part in parts if isinstance(part, exp.Array)), None)


def _columns(item: exp.Expr) -> list[exp.Expr]:
    """One column for each quantile; the item itself if it is anything else."""
    listed = list_in(item.unalias())
    names = [] if listed is None else [_percent(part) for part in listed.expressions]
    if listed is None or not names or None in names:
        return [item]
    made: list[exp.Expr] = []
    for part, name in zip(listed.expressions, names, strict=True):
        one = item.unalias().copy()
        own = list_in(one)
        assert own is not None  # noqa: S101 - a copy
        own.replace(part.copy())
        made.append(exp.alias_(one, f"{item.alias or 'quantile'}_{name}", quoted=True))
    return made


def _percent(part: exp.Expr) -> str | None:
    """The name of a quantile: 97_5 of 0.975."""
    if not isinstance(part, exp.Literal) or part.is_string:
        return None
    try:
        percent = (Decimal(part.this) * 100).normalize()
    except InvalidOperation:
        return None
    return f"{percent:f}".replace(".", "_")


def _move(select: exp.Select, sizes: list[int]) -> None:
    """Let GROUP BY 2 and ORDER BY 2 name what they named before there were more columns."""
    for clause in (select.args.get("group"), select.args.get("order")):
        for part in clause.expressions if clause is not None else []:
            number = part.this if isinstance(part, exp.Ordered) else part
            if isinstance(number, exp.Literal) and not number.is_string and number.this.isdecimal():
                place = int(number.this)
                if 1 <= place <= len(sizes):
                    number.replace(exp.Literal.number(1 + sum(sizes[: place - 1])))
