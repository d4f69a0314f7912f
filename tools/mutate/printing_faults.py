# ruff: noqa: INP001 - a script, not a package; texts stand as they are in the source
"""Faults in printed expressions: what is known of an argument is believed where it must not be."""

from fault import Fault

RANGES = "tests/query/engines/test_known_ranges.py"
INSIDE = f"{RANGES}::test_functions_are_what_they_are_without_it"
BEYOND = f"{RANGES}::test_numbers_beyond_their_range_do_not_raise"
INFINITE = f"{RANGES}::test_one_number_is_known_and_the_other_may_be_infinite"

PRINTING: tuple[Fault, ...] = (
    Fault(
        "printing: nothing times what is infinite is no number",
        "query/printing/function_templates.py",
        '"multiply": _arithmetic("{0} * {1}", "{0} * {1}", _all_finite)',
        '"multiply": _arithmetic("{0} * {1}", "{0} * {1}", _one_finite)',
        (f"{INFINITE}[0_to_9-duckdb]",),
    ),
    Fault(
        "printing: the rest of what is infinite is no number",
        "query/printing/function_templates.py",
        '"modulo": _arithmetic("{0} % {2}", "{0} % {2}", _first_finite)',
        '"modulo": _arithmetic("{0} % {2}", "{0} % {2}", _one_finite)',
        (f"{INFINITE}[1_to_9-duckdb]",),
    ),
    Fault(
        "printing: what two TRYs have in common is not tried",
        "query/printing/function_templates.py",
        "(TRY(({0}) % {2}) + ({1}))",
        "((({0}) % {2}) + ({1}))",
        (f"{BEYOND}[-9_to_9-integer-duckdb]",),
    ),
    Fault(
        "printing: NULL is clipped to the lower end",
        "query/printing/function_templates.py",
        "CASE WHEN {0} IS NULL THEN NULL ELSE LEAST(GREATEST({0}, {1}), {2}) END",
        "LEAST(GREATEST({0}, {1}), {2})",
        ("tests/query/printing/test_function_templates.py",),
    ),
    Fault(
        "printing: roots of numbers below 0 are drawn",
        "query/printing/function_templates.py",
        '_partial("SQRT", Fraction(0),',
        '_partial("SQRT", Fraction(-99),',
        (f"{INSIDE}[-9_to_9-real-duckdb]",),
    ),
    Fault(
        "printing: every real number fits 62 bits",
        "query/backends/duckdb/dialect.py",
        "            if fits:\n",
        "            if fits or source is Type.REAL:\n",
        ("tests/query/printing/test_function_templates.py",),
    ),
    Fault(
        "printing: a number at the end of two bins is in the wrong one",
        "query/measures/automatic_bounds.py",
        '"ge" if above[0] > 0 else "gt"',
        '"ge"',
        ("tests/query/measures/test_automatic_bounds.py",),
    ),
    Fault(
        "printing: bounds are those of rows that do not count",
        "query/measures/automatic_bounds.py",
        "condition=Reference(counts[0]) if counts else None",
        "condition=None",
        ("tests/query/measures/test_automatic_bounds.py",),
    ),
)
