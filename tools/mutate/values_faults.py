# ruff: noqa: INP001, E501 - a script, not a package; old texts stand as they are in the source
"""The faults of values: the same rows written differently, and what converts whatever it is."""

from fault import Fault

UNITS = ("tests/query/scalars/test_unit_types.py",)
ZEROS = ("tests/query/engines/test_values.py",)

VALUES = (
    Fault(
        "a key of a public domain of dates may not be NULL",
        "query/backends/group_keys.py",
        "found is None or facts_of(key.expression).type not in {Type.DATE, Type.TIMESTAMP}:\n        return found\n    moment = second_of(str(found))\n",
        "facts_of(key.expression).type not in {Type.DATE, Type.TIMESTAMP}:\n        return found\n    moment = second_of(found)\n",
        UNITS,
    ),
    Fault(
        "a zone takes a moment beyond the last year",
        "query/backends/group_keys.py",
        "    except OverflowError:\n        return None\n",
        "    except ValueError:\n        return None\n",
        UNITS,
    ),
    Fault(
        "a NaN that is a decimal raises an error",
        "query/backends/group_keys.py",
        "return None if value.is_nan() else int(value)",
        "return int(value)",
        UNITS,
    ),
    Fault(
        "a key beyond 64 bits raises an error",
        "query/answering/released_table.py",
        "case _ if isinstance(value, str) or (isinstance(value, int) and not -(1 << 63) <= value < 1 << 63):",
        "case _ if isinstance(value, str):",
        UNITS,
    ),
    Fault(
        "a moment beyond the last year raises an error",
        "query/answering/released_table.py",
        "*REACH.get(kind, (-LARGEST, LARGEST))",
        "-LARGEST, LARGEST",
        UNITS,
    ),
    Fault(
        "groups with NULL come as they were found",
        "query/backends/group_keys.py",
        "[(key is None, str(type(key)), 0 if key is None else key) for key in keys])",
        "[(key is None,) for key in keys])",
        UNITS,
    ),
    Fault(
        "a real column keeps the sign of a zero in DuckDB",
        "query/backends/duckdb/dialect.py",
        "return self.number(self.one_zero(real)) if kind in REALS else real",
        "return self.number(real) if kind in REALS else real",
        ZEROS,
    ),
    Fault(
        "a real column keeps the sign of a zero in PostgreSQL",
        "query/backends/postgres/dialect.py",
        "return self.number(self.one_zero(known)) if kind in REALS else known",
        "return self.number(known) if kind in REALS else known",
        ZEROS,
    ),
    Fault(
        "a computed key keeps the sign of a zero",
        "query/printing/function_templates.py",
        "    return dialect.one_zero(text) if can_be_negative_zero(expression) else text\n",
        "    return text\n",
        ZEROS,
    ),
    Fault(
        "a product is never -0.0",
        "query/functions/zeros.py",
        'NEVER = {"abs",',
        'NEVER = {"multiply", "abs",',
        ZEROS,
    ),
    Fault(
        "a text shows the sign of a zero",
        "query/printing/function_templates.py",
        "as_typed(dialect, dialect.one_zero(text) if shows_sign else text, source, call)",
        "as_typed(dialect, text, source, call)",
        ZEROS,
    ),
    Fault(
        "the reference has two zeros",
        "query/functions/evaluate.py",
        "    return value + 0.0 if isinstance(value, float) else value\n",
        "    return value\n",
        ZEROS,
    ),
    Fault(
        "collated texts are not told from others",
        "query/backends/duckdb/engine.py",
        '            return "VARCHAR COLLATE"\n',
        '            return "VARCHAR"\n',
        UNITS,
    ),
    Fault(
        "decimals of any width are whole numbers",
        "query/scalars/unit_types.py",
        "return Type.INTEGER if _whole(digits) else Type.TEXT",
        "return Type.REAL",
        UNITS,
    ),
    Fault(
        "wide integers are units as they are declared",
        "query/scalars/unit_types.py",
        "return Type.TEXT if name in WIDE else type_of(engine_type)",
        "return type_of(engine_type)",
        UNITS,
    ),
    Fault(
        "units are compared whatever wrote them",
        "query/backends/sql_engine.py",
        "        if len(kinds) > 1:\n            names",
        "        if not kinds:\n            names",
        UNITS,
    ),
    Fault(
        "keys of a path are compared whatever wrote them",
        "query/backends/sql_engine.py",
        "        if len(kinds) > 1:\n            raise",
        "        if not kinds:\n            raise",
        UNITS,
    ),
    Fault(
        "other adds a NULL group",
        "query/sql/grouping.py",
        '(call("is_null", expression), Literal(None, facts.type)) if facts.nullable else ()',
        '(call("is_null", expression), Literal(None, facts.type))',
        UNITS,
    ),
    Fault(
        "whole numbers beyond 64 bits are NULL",
        "query/backends/shared_dialect.py",
        'return f"COALESCE({whole}, CASE WHEN {number} >= 0 THEN {high} WHEN {number} < 0 THEN {low} END)"',
        'return f"COALESCE({whole}, NULL)"',
        UNITS,
    ),
    Fault(
        "PostgreSQL reads whole numbers from few digits",
        "query/backends/postgres/text_values.py",
        "float_arithmetic.whole(from_text(text, Type.REAL))",
        'named("CASE WHEN ABS({a}) < 1e30 THEN ROUND(CAST(CAST({a} AS TEXT) AS NUMERIC), 0) END", a=from_text(text, Type.REAL))',
        ZEROS,
    ),
)
