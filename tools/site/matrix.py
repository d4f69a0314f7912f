# ruff: noqa: INP001 - part of a script, not of a package
"""The matrix of engines: which statements and functions run where, from the tables that the tests run."""

from collections.abc import Iterator
from typing import Any

from privet.errors import InvalidParameter
from privet.query.backends.duckdb.dialect import DuckDBDialect
from privet.query.backends.postgres.dialect import PostgresDialect
from privet.query.backends.spark.dialect import SparkDialect
from privet.query.functions.function_table import FUNCTIONS
from tests.golden.corpus import accepted
from tests.query.engines.test_golden import REFUSED

ENGINES = {"DuckDB": "duckdb", "PostgreSQL": "postgres", "Spark": "spark"}
YES = "yes"
INTRODUCTION = (
    "Every one of {} statements is asked of each engine on databases made to break it, and what would reach the noise "
    "must be the same number on all; what an engine cannot compute to the same last digit it refuses by name. This "
    "page is made from the tables of those tests."
)
HEAD = f"| | {' | '.join(ENGINES)} |\n|---|{'---|' * len(ENGINES)}"


def matrix_page() -> str:
    """The page: refusals first, then every function, then every statement of the corpus."""
    statements = accepted()
    lines = [
        "# Statements and functions by engine",
        "",
        INTRODUCTION.format(len(statements)),
        "",
        "## What an engine refuses",
        "",
        *_refusals(statements),
        "",
        "## Functions",
        "",
        HEAD,
        *(f"| `{name.upper()}` | {' | '.join(_function(name))} |" for name in sorted(FUNCTIONS)),
        "",
        "## Statements",
        "",
        HEAD,
        *(f"| `{_cell(text)}` | {' | '.join(_statement(name))} |" for name, text in statements.items()),
        "",
    ]
    return "\n".join(lines)


def _refusals(statements: dict[str, str]) -> Iterator[str]:
    for title, engine in ENGINES.items():
        for name, reason in REFUSED.get(engine, {}).items():
            if name in statements:
                yield f"* {title}: `{' '.join(statements[name].split())}`: it {reason}"


def _function(name: str) -> list[str]:
    dialects = (DuckDBDialect(), PostgresDialect(), SparkDialect())
    return [YES if writes(dialect, name) else "refused" for dialect in dialects]


def writes(dialect: Any, name: str) -> bool:  # noqa: ANN401 - any dialect
    """Whether an engine writes a function: a template that refuses does so whatever it is given."""
    template = dialect.templates.get(name)
    if template is None:
        return True  # the common one, which every engine has
    try:
        template(dialect, None, [])
    except InvalidParameter:
        return False
    except Exception:  # noqa: BLE001 - it wanted a call
        return True
    return True


def _statement(name: str) -> list[str]:
    return [YES if name not in REFUSED.get(engine, {}) else "refused" for engine in ENGINES.values()]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
