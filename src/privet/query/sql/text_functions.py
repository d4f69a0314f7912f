"""Texts of a statement: patterns, finding, cutting and joining."""

from collections.abc import Callable

from sqlglot import exp

from privet.query.functions import call, cast
from privet.query.functions.texts import MOST_PARTS
from privet.query.scalars.expressions import Expression, Literal
from privet.query.scalars.facts import Type
from privet.query.sql.expression_reader import Readers, Reads
from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import refuse

REST = Literal(1_000_000, Type.INTEGER)  # letters: more than a text has
ZERO, ONE = Literal(0, Type.INTEGER), Literal(1, Type.INTEGER)
EMPTY = Literal("", Type.TEXT)
TRIMS = {"LEADING": "ltrim", "TRAILING": "rtrim"}


def _like(reader: Reads, node: exp.Expr) -> Expression:
    return _matched(reader, node, ())


def _escape(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    if not isinstance(node.this, exp.Like | exp.ILike):
        raise refuse(node, "ESCAPE belongs to LIKE", "leave it out")
    return _matched(reader, node.this, (reader.read(node.expression),))


def _matched(reader: Reads, node: exp.Expr, sign: tuple[Expression, ...]) -> Expression:
    only(node, "this", "expression", "negate")
    text, pattern = reader.read(node.this), reader.read(node.expression)
    if isinstance(node, exp.ILike):
        text, pattern = call("lower", text), call("lower", pattern)
    found = call("like", text, pattern, *sign)
    return call("not", found) if node.args.get("negate") else found


def _concat(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "expressions")
    parts = [cast(part, Type.TEXT) for part in reader.all(node.expressions)]
    return call("concat", *(call("coalesce", part, EMPTY) for part in parts))


def _concat_with(reader: Reads, node: exp.Expr) -> Expression:
    """Each part behind its separator, where it is not NULL, and then all but the first separator."""
    only(node, "expressions")
    between, *parts = reader.all(node.expressions)
    if not (isinstance(between, Literal) and isinstance(between.value, str)) or not parts:
        raise refuse("CONCAT_WS", "it takes a literal separator and texts", "write CONCAT_WS('-', a, b)")
    joined = [call("coalesce", call("concat", between, cast(part, Type.TEXT)), EMPTY) for part in parts]
    return call("substring", call("concat", *joined), Literal(len(between.value) + 1, Type.INTEGER), REST)


def _substring(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "start", "length")
    length = node.args.get("length")
    text, start = reader.read(node.this), reader.read(node.args["start"])
    if isinstance(start, Literal) and type(start.value) is int and start.value < 0:
        if length is not None:  # engines do not agree which letters these are of a text that is shorter
            raise refuse(node, "SUBSTRING from the end takes no length", "write LEFT(RIGHT(name, 3), 2)")
        return call("right", text, Literal(-start.value, Type.INTEGER))
    return call("substring", text, start, REST if length is None else reader.read(length))


def _left(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    return call("substring", reader.read(node.this), ONE, reader.read(node.expression))


def _trim(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "position")
    letters = node.args.get("expression")
    name = TRIMS.get(str(node.args.get("position") or "").upper(), "trim")
    return call(name, reader.read(node.this), *(() if letters is None else (reader.read(letters),)))


def btrim(reader: Reads, node: exp.Anonymous) -> Expression:
    """BTRIM(text, letters)."""
    return call("trim", *reader.all(node.expressions))


def _of(function: str, *names: str) -> Callable[[Reads, exp.Expr], Expression]:
    """A function of what a node has under these names; some may be missing at the end."""

    def read(reader: Reads, node: exp.Expr) -> Expression:
        only(node, *names)
        parts = [node.args.get(name) for name in names]
        return call(function, *(reader.read(part) for part in parts if part is not None))

    return read


def _pad(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression", "fill_pattern", "is_left")
    fill = node.args.get("fill_pattern")
    parts = [node.this, node.expression, *([] if fill is None else [fill])]
    return call("lpad" if node.args.get("is_left") else "rpad", *reader.all(parts))


def _contains(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    return call("gt", call("position", reader.read(node.this), reader.read(node.expression)), ZERO)


def _ends_with(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "expression")
    return ends_with(reader.read(node.this), reader.read(node.expression), node)


def ends_with(text: Expression, end: Expression, node: exp.Expr) -> Expression:
    """Whether a text has this end."""
    if not (isinstance(end, Literal) and isinstance(end.value, str)):
        raise refuse(node, "it takes a text and a literal text", "write ENDS_WITH(name, 'son')")
    return call("eq", call("right", text, Literal(len(end.value), Type.INTEGER)), end)


def suffix(reader: Reads, node: exp.Anonymous) -> Expression:
    """SUFFIX(text, end)."""
    if len(node.expressions) != 2:  # noqa: PLR2004 - a text and its end
        raise refuse(node, "it takes a text and a literal text", "write ENDS_WITH(name, 'son')")
    text, end = reader.all(node.expressions)
    return ends_with(text, end, node)


def prefix(reader: Reads, node: exp.Anonymous) -> Expression:
    """PREFIX(text, start)."""
    return call("starts_with", *reader.all(node.expressions))


def _repeat(reader: Reads, node: exp.Expr) -> Expression:
    """The text joined with itself, as often as a literal says, and cut as joined texts are."""
    only(node, "this", "times")
    text, times = cast(reader.read(node.this), Type.TEXT), reader.read(node.args["times"])
    count = times.value if isinstance(times, Literal) else None
    if type(count) is not int or not 0 <= count <= MOST_PARTS:
        raise refuse(node, f"REPEAT takes a literal number of times from 0 to {MOST_PARTS}", "write REPEAT(name, 3)")
    return call("concat", *[text] * count) if count else call("substring", text, ONE, ZERO)


def _letter(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "expressions")
    values = reader.all(node.expressions)
    code = values[0].value if len(values) == 1 and isinstance(values[0], Literal) else None
    if type(code) is not int or not 1 <= code < 0x110000 or 0xD800 <= code < 0xE000:  # noqa: PLR2004 - Unicode
        raise refuse(node, "CHR takes the literal number of a letter", "write CHR(10)")
    return Literal(chr(code), Type.TEXT)


TEXTS: Readers = {
    exp.Like: _like,
    exp.ILike: _like,
    exp.Escape: _escape,
    exp.Concat: _concat,
    exp.ConcatWs: _concat_with,
    exp.Substring: _substring,
    exp.Left: _left,
    exp.Right: _of("right", "this", "expression"),
    exp.Trim: _trim,
    exp.Pad: _pad,
    exp.Contains: _contains,
    exp.EndsWith: _ends_with,
    exp.StrPosition: _of("position", "this", "substr"),
    exp.SplitPart: _of("split_part", "this", "delimiter", "part_index"),
    exp.Replace: _of("replace", "this", "expression", "replacement"),
    exp.Reverse: _of("reverse", "this"),
    exp.Repeat: _repeat,
    exp.Chr: _letter,
}
