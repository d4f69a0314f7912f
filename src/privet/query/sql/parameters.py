"""Parameters of a statement: each ? and :name of the parsed tree becomes a literal of its value's type.

The tree has been parsed by then, so that no value can change what the statement says.
"""

import datetime as dt

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.dialects.duckdb import DuckDB

from privet.query.scalars.parameters import Given, Parameters
from privet.query.sql.refuse import because, refuse


def numbered(text: str) -> str:
    """The text with $1, $2, … for each ? outside of quotes and comments: a parsed tree does not keep their order."""
    if "?" not in text:
        return text
    try:
        tokens = [each for each in sqlglot.tokenize(text, dialect=DuckDB) if each.token_type is TokenType.PLACEHOLDER]
    except sqlglot.errors.SqlglotError:
        return text  # which the parser will refuse
    parts, end = [], 0
    for number, token in enumerate(tokens, 1):
        parts += [text[end : token.start], f"${number}"]
        end = token.end + 1
    return "".join([*parts, text[end:]])


def with_parameters(tree: exp.Query, given: Parameters | None) -> exp.Query:
    """The tree with literals in the place of its parameters; each of both is used."""
    used: set[str] = set()
    for node in list(tree.find_all(exp.Placeholder, exp.Parameter)):
        if given is None:
            raise because(node, "parameter")
        name = node.name
        if not given.listed and name.isdecimal():
            raise refuse("?", "params is a mapping, and this has no name", "write :name, or pass a list")
        if name not in given.values:
            raise refuse(f"${name}", "it has no value", f"params has {', '.join(given.values) or 'none'}")
        used.add(name)
        node.replace(_literal(given.values[name]))
    left = [] if given is None or given.shared else [name for name in given.values if name not in used]
    if left:
        raise refuse(f"params: {left[0]}", "no part of the statement takes this value", "leave it out, or write :name")
    return tree


def _literal(value: Given) -> exp.Expr:
    if value is None:
        return exp.Null()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, dt.datetime):
        return exp.cast(exp.Literal.string(value.isoformat(sep=" ")), exp.DataType.Type.TIMESTAMP)
    if isinstance(value, dt.date):
        return exp.cast(exp.Literal.string(value.isoformat()), exp.DataType.Type.DATE)
    number = exp.Literal(this=repr(abs(value)), is_string=False)
    return exp.Paren(this=exp.Neg(this=number)) if value < 0 else number
