"""Scalars: an expression of the statement as one of the plan. What has no line in a table of readers is refused."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from privet.errors import InvalidParameter
from privet.query.functions import call
from privet.query.scalars.expressions import Expression, Literal, Reference
from privet.query.scalars.facts import Type
from privet.query.sql.choices import CHOICES, if_else, is_null, null_if_zero, zero_if_null
from privet.query.sql.date_arithmetic import ARITHMETIC, date_sub, dateadd
from privet.query.sql.date_formats import FORMATS, strptime, to_date
from privet.query.sql.date_functions import DATES, date_part, part_by_name
from privet.query.sql.expression_reader import Readers, Reads
from privet.query.sql.handled_arguments import only
from privet.query.sql.name_scope import NameScope
from privet.query.sql.number_functions import NUMBERS, square
from privet.query.sql.number_literals import number
from privet.query.sql.operators import OPERATORS
from privet.query.sql.pattern_functions import PATTERNS
from privet.query.sql.refuse import because, refuse
from privet.query.sql.refused_functions import own_reason
from privet.query.sql.text_functions import TEXTS, btrim, prefix, suffix

Special = Callable[[exp.Expr], Expression | None]


@dataclass(frozen=True)
class Scalars:
    """Reads expressions.

    Args:
        scope: the names that can be used.
        special: reads nodes that mean something in this clause only, such as aggregates; None for the others.
    """

    scope: NameScope
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
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Anonymous):
            return self._named(node)
        reader = READERS.get(type(node))
        if reader is None:
            raise _unknown(node)
        return reader(self, node)

    def _column(self, node: exp.Column) -> Expression:
        only(node, "this", "table", "db", "catalog")
        if isinstance(node.this, exp.Star):
            raise because(node, "star")
        return Reference(self.scope.find(node))

    def _named(self, node: exp.Anonymous) -> Expression:
        """A function the parser has no class for."""
        only(node, "this", "expressions")
        reader = NAMED.get(str(node.this).lower())
        if reader is None:
            raise _unknown(node)
        return reader(self, node)


def _unknown(node: exp.Expr) -> Exception:  # noqa: PLR0911 - one return for each reason
    """Why a node has no meaning here."""
    own = own_reason(node)
    if own is not None:
        return own
    if isinstance(node, exp.Placeholder | exp.Parameter | exp.SessionParameter):
        return because(node, "parameter")
    if isinstance(node, exp.Window):
        return because(node, "window here")
    if isinstance(node, exp.Exists):
        return because(node, "subquery here")
    if isinstance(node, exp.Subquery | exp.Query):
        return because(node, "late subquery")
    if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
        return because(node, "aggregate here")
    if isinstance(node, exp.Func | exp.Anonymous):
        return because(node, "unknown function")
    if isinstance(node, exp.Star):
        return because(node, "unknown clause")
    return because(node, "unknown clause", "see docs/sql.md for what is")


def _literal(_: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "is_string")
    if node.args["is_string"]:
        return Literal(node.this, Type.TEXT)
    return number(node)


def _boolean(_: Reads, node: exp.Expr) -> Expression:
    return Literal(bool(only(node, "this").this), Type.BOOLEAN)


def _null(_: Reads, node: exp.Expr) -> Expression:
    only(node)
    return Literal(None, Type.TEXT)


def _paren(reader: Reads, node: exp.Expr) -> Expression:
    return reader.read(only(node, "this").this)


def _clip(reader: Reads, node: exp.Anonymous) -> Expression:
    return call("clip", *reader.all(node.expressions))


NAMED: dict[str, Callable[[Reads, exp.Anonymous], Expression]] = {
    "clip": _clip,
    "clamp": _clip,
    "date_part": date_part,
    "datepart": date_part,
    **dict.fromkeys(("isoyear", "decade", "century", "weekday"), part_by_name),
    "date_sub": date_sub,
    "dateadd": dateadd,
    "to_date": to_date,
    "try_strptime": strptime,
    "iff": if_else,
    "isnull": is_null,
    "zeroifnull": zero_if_null,
    "nullifzero": null_if_zero,
    "btrim": btrim,
    "suffix": suffix,
    "prefix": prefix,
    "square": square,
}
READERS: Readers = {
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Paren: _paren,
    **OPERATORS,
    **CHOICES,
    **NUMBERS,
    **TEXTS,
    **PATTERNS,
    **DATES,
    **ARITHMETIC,
    **FORMATS,
}
