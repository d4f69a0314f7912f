"""Regular expressions of a statement: searches, pieces and replacements, of patterns that mean the same everywhere."""

from sqlglot import exp

from privet.query.functions import call
from privet.query.functions.pattern_reader import read_pattern
from privet.query.scalars.expressions import Expression, Literal
from privet.query.scalars.facts import Type
from privet.query.sql.expression_reader import Readers, Reads
from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import refuse


def _pattern(reader: Reads, node: exp.Expr, *, fold: bool = False, whole: bool = False) -> Literal:
    """The pattern of a node as one that needs no options: what they change is written out."""
    literal = reader.read(node.expression)
    if not (isinstance(literal, Literal) and isinstance(literal.value, str)):
        raise refuse(node, "the pattern must be a literal text", "write REGEXP_MATCHES(name, '^[A-Z]')")
    if not fold and not whole:
        return literal
    return Literal(read_pattern(literal.value, fold=fold, whole=whole).printed(), Type.TEXT)


def _flags(reader: Reads, node: exp.Expr, name: str, allowed: str) -> str:
    """The options of a node, if all are known."""
    part = node.args.get(name)
    literal = None if part is None else reader.read(part)
    word = "" if literal is None else literal.value if isinstance(literal, Literal) else None
    if not isinstance(word, str) or not set(word) <= set(allowed):
        raise refuse(
            node, "an option of the pattern is not known", f"use {' and '.join(repr(one) for one in allowed)} alone"
        )
    return word


def _search(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "flag")
    fold = "i" in _flags(reader, node, "flag", "ic") or isinstance(node, exp.RegexpILike)
    pattern = _pattern(reader, node, fold=fold)
    if not node.meta and not (str(pattern.value).startswith("^") and str(pattern.value).endswith("$")):
        fix = "write REGEXP_MATCHES(x, 'pattern') or REGEXP_FULL_MATCH(x, 'pattern')"
        raise refuse(node, "PostgreSQL looks for the pattern, and DuckDB compares it with the whole text", fix)
    return call("regexp_matches", reader.read(node.this), pattern)


def _full_match(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "options")
    fold = "i" in _flags(reader, node, "options", "ic")
    return call("regexp_matches", reader.read(node.this), _pattern(reader, node, fold=fold, whole=True))


def _extract(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "group", "null_if_pos_overflow")
    group = node.args.get("group")
    number = Literal(0, Type.INTEGER) if group is None else reader.read(group)
    return call("regexp_extract", reader.read(node.this), _pattern(reader, node), number)


def _replace(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "replacement", "modifiers", "single_replace")
    flags = _flags(reader, node, "modifiers", "gic")
    if "g" not in flags:
        fix = "write REGEXP_REPLACE(x, 'pattern', 'new', 'g')"
        raise refuse(node, "engines do not agree whether the first piece is replaced or all", fix)
    pattern = _pattern(reader, node, fold="i" in flags)
    return call("regexp_replace", reader.read(node.this), pattern, reader.read(node.args["replacement"]))


PATTERNS: Readers = {
    exp.RegexpLike: _search,
    exp.RegexpILike: _search,
    exp.RegexpFullMatch: _full_match,
    exp.RegexpExtract: _extract,
    exp.RegexpReplace: _replace,
}
