# ruff: noqa: INP001 - a script, not a package; old texts stand as they are in the source
"""The faults of public sizes: texts, rows that multiply, what is computed once."""

from fault import Fault

SIZES = ("tests/query/plan/test_join_size.py",)
FLAT = ("tests/query/plan/test_join_size.py::test_every_level_is_light_and_flat",)  # others take exponential time
WORK = (
    Fault(
        "a text is not cut as it is read",
        "query/printing/catalog_tables.py",
        "return column.facts.type is Type.TEXT and not self._public",
        "return column.facts.type is Type.TEXT and self._public",
        SIZES,
    ),
    Fault(
        "joined texts are not cut",
        "query/printing/function_templates.py",
        "return (text, total) if total <= most else",
        "return (text, total) if total <= most * 9 else",
        SIZES,
    ),
    Fault(
        "the reference does not cut joined texts",
        "query/functions/evaluate.py",
        "return value[: expression.facts.longest]",
        "return value",
        SIZES,
    ),
    Fault(
        "what is repeated is computed in place",
        "query/printing/shared_expressions.py",
        "(heavy and often > 1) or _deep(part)",
        "_deep(part)",
        FLAT,
    ),
    Fault(
        "what is deep stays deep",
        "query/printing/shared_expressions.py",
        "return part.depth >= DEEPEST",
        "return part.depth >= DEEPEST * 9",
        FLAT,
    ),
    Fault(
        "all rows are joined",
        "query/plan/join_size.py",
        "pair = _held(left, marks), _held(right, marks)",
        "pair = left, right",
        SIZES,
    ),
    Fault(
        "all rows meet public ones",
        "query/plan/join_size.py",
        "        held = _held(owned, marks)\n",
        "        held = owned\n",
        SIZES,
    ),
    Fault(
        "rows are chosen by where they are stored",
        "query/printing/few_rows.py",
        "ORDER BY {digest}, {ties}) AS place",
        "ORDER BY 1) AS place",
        SIZES,
    ),
    Fault(
        "a union doubles without end",
        "query/plan/build.py",
        "    refuse_many_scans([relation for relation, _ in parts], marks)\n",
        "",
        SIZES,
    ),
    Fault(
        "an expression grows without end",
        "query/scalars/expressions.py",
        "if size > LARGEST_EXPRESSION or depth > DEEPEST_EXPRESSION:",
        "if depth > DEEPEST_EXPRESSION:",
        SIZES,
    ),
)
