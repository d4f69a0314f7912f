"""Which of our types an engine's type is read as."""

import re

from privet.query.scalars.facts import Type

NAMES = {
    Type.BOOLEAN: "boolean bool logical",
    Type.INTEGER: (
        "tinyint smallint integer int bigint hugeint utinyint usmallint uinteger ubigint uhugeint int1 int2 int4 int8 "
        "int16 int32 int64 uint8 uint16 uint32 uint64 short long byte"
    ),
    Type.REAL: "float double real decimal numeric float4 float8 double_precision halffloat",
    Type.TEXT: "varchar text char bpchar string uuid enum name character character_varying large_string string_view",
    Type.DATE: "date date32",
    Type.TIMESTAMP: "timestamp datetime timestamp_s timestamp_ms timestamp_ns timestamp_us timestamp_without_time_zone",
}
KNOWN = {name: kind for kind, names in NAMES.items() for name in names.split()}
READABLE = {  # besides itself, what a declared type may find in the engine: every value of that is one of this
    Type.REAL: {Type.INTEGER},
    Type.TIMESTAMP: {Type.DATE},
}


def type_of(name: str) -> Type | None:
    """The type that an engine's type is read as; None if Privet does not read it.

    Example:
        >>> type_of("DECIMAL(18,3)"), type_of("BIGINT"), type_of("BLOB")
        (<Type.REAL: 'real'>, <Type.INTEGER: 'integer'>, None)
    """
    plain = re.sub(r"\(.*?\)|\[[a-z]+\]", "", name.strip().lower(), flags=re.DOTALL)
    return KNOWN.get("_".join(plain.split()))


def readable_as(found: Type | None, declared: Type) -> bool:
    """Whether a column of the type found can be declared so."""
    return found is declared or found in READABLE.get(declared, set())
