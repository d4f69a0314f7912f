"""Unit types: how units are read and compared. A unit is never rounded, and never written in two ways.

Rounded, two people would be one unit; written differently in two tables, one person would be two. Either voids what one
unit moves an answer by, so what cannot be read exactly, or compared by value, is refused when a catalog is opened.
"""

import re

from privet.query.scalars.engine_types import type_of
from privet.query.scalars.facts import Type

TEXTS = {"varchar", "text", "string", "enum", "name", "character_varying", "large_string", "string_view", '"char"'}
PADDED = {"char", "character", "bpchar"}  # blanks at the end count in some tables only
BYTES = {"blob", "bytea", "binary", "varbinary"}
WIDE = {"ubigint", "uint64", "hugeint", "uhugeint", "timestamp_ns"}  # more than our types of numbers and times hold
DECIMALS = {"decimal", "numeric", "decimal128", "decimal256"}
LONGEST = 18  # digits of a decimal that fits 64 bits


def unit_type(engine_type: str) -> Type | None:
    """The type that units of an engine's type are read as, every one exactly; None if there is none.

    Example:
        >>> unit_type("DECIMAL(10,0)"), unit_type("DECIMAL(20,0)"), unit_type("HUGEINT")
        (<Type.INTEGER: 'integer'>, <Type.TEXT: 'text'>, <Type.TEXT: 'text'>)
    """
    name, digits = _parts(engine_type)
    if name in DECIMALS:
        return Type.INTEGER if _whole(digits) else Type.TEXT
    return Type.TEXT if name in WIDE else type_of(engine_type)


def unit_kind(engine_type: str, declared: Type | None = None) -> str | None:  # noqa: PLR0911 - one for each kind
    """What units of a column are compared as: in words, the same for two columns that write each value in one way.

    Args:
        engine_type: of the column.
        declared: its type in the catalog, if it is declared.

    Returns:
        None if they cannot be units: they would be rounded, or one of them may be written in several ways.

    Example:
        >>> unit_kind("BIGINT"), unit_kind("DECIMAL(10,0)"), unit_kind("VARCHAR", Type.INTEGER), unit_kind("INTERVAL")
        ('whole number', 'whole number', 'whole number', None)
    """
    name, _ = _parts(engine_type)
    exact = unit_type(engine_type)
    wanted = declared or exact
    if name in BYTES and declared is None:
        return "bytes"
    if name in TEXTS:
        return {Type.TEXT: "text", Type.INTEGER: "whole number"}.get(wanted or Type.TEXT)
    if exact is Type.INTEGER:
        return "whole number" if wanted in {Type.INTEGER, Type.REAL} else None
    if exact is Type.DATE:
        return wanted.value if wanted in {Type.DATE, Type.TIMESTAMP} else None
    if exact is None or wanted is not exact:
        return None
    if name in PADDED:
        return "padded text"
    return exact.value if exact in {Type.TIMESTAMP, Type.BOOLEAN} else engine_type.lower().replace(" ", "")


def unit_fix(engine_type: str) -> str:
    """What to do about a unit that is refused."""
    if unit_type(engine_type) not in {None, type_of(engine_type)}:
        return 'declare type = "text", because a unit is never rounded'
    return "convert it to whole numbers or plain texts in the data, for each unit is written in one way"


def _parts(engine_type: str) -> tuple[str, tuple[str, ...]]:
    """A type's name, and what stands in its parentheses."""
    name, _, rest = engine_type.strip().lower().partition("(")
    within, _, after = rest.partition(")")
    return "_".join(re.sub(r"\[[a-z]+\]", "", name + after).split()), tuple(part.strip() for part in within.split(","))


def _whole(digits: tuple[str, ...]) -> bool:
    """Whether a decimal with these digits, in all and after the point, is a whole number that fits 64 bits."""
    return digits[0].isdigit() and int(digits[0]) <= LONGEST and digits[1:] in {(), ("0",)}
