"""Date formats of a statement: dates as texts and back, by the directives that mean the same everywhere.

All are cut out of one text, 2024-12-31 23:59:59, so that no language or setting of an engine plays a part.
"""

import re
from dataclasses import dataclass

from sqlglot import exp

from privet.query.functions import call, cast
from privet.query.scalars.expressions import Expression, Literal, facts_of
from privet.query.scalars.facts import Type
from privet.query.sql.choices import choice
from privet.query.sql.date_arithmetic import whole
from privet.query.sql.date_functions import day_name, month_name, part_of
from privet.query.sql.expression_reader import Readers, Reads
from privet.query.sql.handled_arguments import only
from privet.query.sql.refuse import clause, refuse

PLACES = {"Y": (1, 4), "m": (6, 2), "d": (9, 2), "H": (12, 2), "M": (15, 2), "S": (18, 2)}  # in the text above
CANONICAL = "%Y-%m-%d %H:%M:%S"
SHORT = {"F": "%Y-%m-%d", "T": "%H:%M:%S", "D": "%m/%d/%y"}
NUMBERED = {"j": ("doy", 3), "V": ("week", 2), "G": ("isoyear", 4), "u": ("isodow", 1), "w": ("dow", 1)}
NAMED = {"A": (day_name, 9), "a": (day_name, 3), "B": (month_name, 9), "b": (month_name, 3)}
TEMPLATES = {"YYYY": "%Y", "YY": "%y", "MM": "%m", "DDD": "%j", "DD": "%d", "HH24": "%H", "MI": "%M", "SS": "%S"}
TEMPLATES |= {"IYYY": "%G", "IW": "%V"}
KNOWN = "%Y %y %m %d %H %M %S %j %V %G %u %w %a %A %b %B %F %T %%"
TIME = {"H", "M", "S"}


@dataclass(frozen=True)
class Piece:
    """A directive, by its letter, or letters as they are."""

    letter: str
    text: str = ""


def pieces_of(format_: str, node: exp.Expr | str) -> list[Piece]:
    """The directives of a format and what stands between them."""
    for letter, long in SHORT.items():
        format_ = format_.replace(f"%{letter}", long)
    found: list[Piece] = []
    for text in re.findall(r"%.|%$|[^%]+", format_, re.DOTALL):
        letter = text[1:] if text.startswith("%") else ""
        if not text.startswith("%"):
            found.append(Piece("", text))
        elif letter == "%":
            found.append(Piece("", "%"))
        elif letter in PLACES or letter in NUMBERED or letter in NAMED or letter == "y":
            found.append(Piece(letter))
        else:
            raise refuse(node, f"{text} has no one meaning on every engine", f"use {KNOWN}")
    return found


def _format_of(reader: Reads, node: exp.Expr | str, format_: exp.Expr | None, *, words: bool) -> list[Piece]:
    """The pieces of a literal format; with `words`, of one that is written YYYY-MM-DD."""
    literal = None if format_ is None else reader.read(format_)
    if not (isinstance(literal, Literal) and isinstance(literal.value, str)):
        raise refuse(node, "the format must be a literal text", "write STRFTIME(day, '%Y-%m')")
    if not words:
        return pieces_of(literal.value, node)
    pattern = "|".join(sorted(TEMPLATES, key=len, reverse=True))
    parts = re.split(f"({pattern})", literal.value)
    if any(re.search(r"[A-Za-z\"%]", part) for part in parts[::2]):
        raise refuse(node, "part of the format has no one meaning on every engine", f"use {', '.join(TEMPLATES)}")
    return pieces_of("".join(TEMPLATES.get(part, part) for part in parts), node)


def written(value: Expression, pieces: list[Piece]) -> Expression:
    """A date or timestamp as a text."""
    timed = any(piece.letter in TIME for piece in pieces)
    text = cast(cast(value, Type.TIMESTAMP if timed else Type.DATE), Type.TEXT)
    parts: list[Expression] = []
    start, end, gap = 0, 0, ""  # what is cut out next, and what stands behind it

    def done() -> None:
        nonlocal start, gap
        parts.extend([call("substring", text, whole(start), whole(end - start))] if start else [])
        parts.extend([Literal(gap, Type.TEXT)] if gap else [])
        start, gap = 0, ""

    for piece in pieces:
        place = PLACES.get(piece.letter)
        if piece.letter == "":
            gap += piece.text
        elif place is None:
            done()
            parts.append(_computed(value, text, piece.letter))
        elif start and end + len(gap) == place[0] and _between(end, gap):
            end, gap = sum(place), ""
        else:
            done()
            start, end = place[0], sum(place)
    done()
    return call("concat", *parts) if len(parts) > 1 else parts[0] if parts else Literal("", Type.TEXT)


def _between(end: int, gap: str) -> bool:
    """Whether these letters stand there in the text above."""
    return "2024-12-31 23:59:59"[end - 1 : end - 1 + len(gap)] == gap and not any(map(str.isdigit, gap))


def _computed(value: Expression, text: Expression, letter: str) -> Expression:
    if letter == "y":
        return call("substring", text, whole(3), whole(2))
    if letter in NUMBERED:
        part, size = NUMBERED[letter]
        return call("lpad", cast(part_of(part, value, letter), Type.TEXT), whole(size), Literal("0", Type.TEXT))
    name, size = NAMED[letter]
    return call("substring", name(value), whole(1), whole(size))


def read_as(text: Expression, pieces: list[Piece], type_: Type, node: exp.Expr | str) -> Expression:
    """What date or timestamp a text says, if it is written exactly so; else NULL."""
    letters = [piece.letter for piece in pieces if piece.letter]
    clock = [letter for letter in letters if letter in TIME]
    if sorted(letters) != sorted(["Y", "m", "d", *clock]) or sorted(clock) != sorted("HMS"[: len(clock)]):
        raise refuse(node, "a date needs %Y, %m and %d, once each, and a time %H:%M or %H:%M:%S", "write '%Y-%m-%d'")
    if facts_of(text).type is not Type.TEXT:
        raise refuse(node, "it takes a text", "leave it out, or CAST it")
    at, found, conditions = 1, {}, []
    for piece in pieces:
        size = PLACES[piece.letter][1] if piece.letter else len(piece.text)
        part = call("substring", text, whole(at), whole(size))
        if piece.letter:
            found[piece.letter] = part
        else:
            conditions.append(call("eq", part, Literal(piece.text, Type.TEXT)))
        at += size
    conditions.append(call("eq", call("length", text), whole(at - 1)))
    joined: list[Expression] = []
    for letter, before in zip("YmdHMS", ("", "-", "-", " ", ":", ":"), strict=True):
        joined += [Literal(before, Type.TEXT), found[letter]] if letter in found else []
    plain = cast(call("concat", *joined[1:]), type_)
    return choice(conditions[0] if len(conditions) == 1 else call("and", *conditions), plain)


def _written(reader: Reads, node: exp.Expr, *, words: bool = False) -> Expression:
    only(node, "this", "format")
    value, format_ = node.this, node.args.get("format")
    if isinstance(value, exp.Literal):
        value, format_ = format_, value
    moment = reader.read(value)
    if facts_of(moment).type not in {Type.DATE, Type.TIMESTAMP}:
        raise refuse(node, "it takes a date or timestamp", "CAST a number to a text: CAST(x AS VARCHAR)")
    return written(moment, _format_of(reader, _spoken(node, value, format_), format_, words=words))


def _to_char(reader: Reads, node: exp.Expr) -> Expression:
    return _written(reader, node, words=True)


def _spoken(node: exp.Expr, value: exp.Expr, format_: exp.Expr | None) -> str:
    """As it was written: the parser's printer makes a CAST of TO_CHAR."""
    name = "TO_CHAR" if isinstance(node, exp.ToChar) else "STRFTIME"
    return f"{name}({clause(value)}{'' if format_ is None else f', {clause(format_)}'})"


def _parsed(reader: Reads, node: exp.Expr) -> Expression:
    only(node, "this", "format")
    pieces = _format_of(reader, node, node.args.get("format"), words=False)
    return read_as(reader.read(node.this), pieces, Type.TIMESTAMP, node)


def strptime(reader: Reads, node: exp.Anonymous) -> Expression:
    """TRY_STRPTIME(text, '%d.%m.%Y')."""
    text, format_ = _two(node)
    return read_as(reader.read(text), _format_of(reader, node, format_, words=False), Type.TIMESTAMP, node)


def to_date(reader: Reads, node: exp.Anonymous) -> Expression:
    """TO_DATE(text, 'DD.MM.YYYY')."""
    text, format_ = _two(node)
    percent = isinstance(format_, exp.Literal) and "%" in str(format_.this)
    return read_as(reader.read(text), _format_of(reader, node, format_, words=not percent), Type.DATE, node)


def _two(node: exp.Anonymous) -> list[exp.Expr]:
    if len(node.expressions) != 2:  # noqa: PLR2004 - a text and a format
        raise refuse(node, "it takes a text and a format", "write TO_DATE(text, 'YYYY-MM-DD')")
    return node.expressions


FORMATS: Readers = {exp.TimeToStr: _written, exp.ToChar: _to_char, exp.StrToTime: _parsed}
