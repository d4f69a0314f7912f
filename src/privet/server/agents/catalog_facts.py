"""catalog_facts: what is public about the tables, as an agent reads it; told from the catalog alone."""

from typing import Any

from privet.query.catalog import Catalog, DeclaredTable
from privet.query.scalars.dates import iso_date
from privet.query.scalars.facts import Bound, Facts, Type
from privet.wording.printable import printable

LISTED = 200  # values of a column that are told
SQL = (
    "One SELECT that counts and sums up: COUNT, COUNT(DISTINCT …), SUM, AVG, MIN, MAX, MEDIAN, STDDEV, VARIANCE and so "
    "on, with WHERE, GROUP BY, HAVING, ORDER BY, joins, WITH and subqueries. Rows themselves (SELECT *) are refused. "
    "A column that is summed up needs bounds; groups of a column with values are shown even if they are empty."
)


def catalog_facts(catalog: Catalog) -> dict[str, Any]:
    """Tables, columns and who is protected.

    Args:
        catalog: as its owner wrote it: nothing here was read from data.
    """
    return {
        "dataset": catalog.name,
        "protects": _protected(catalog),
        "neighbors": catalog.unit.neighbors.value,
        "tables": [_table(table, catalog) for table in catalog.tables.values()],
        "sql": SQL,
    }


def _protected(catalog: Catalog) -> str:
    name, window = catalog.unit.name, catalog.window
    if window is None:
        return f"each {name}, with all of its rows"
    return f"{name}: its rows within any {window.length} values of {window.column} on end"


def _table(table: DeclaredTable, catalog: Catalog) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": table.name,
        "about": "public rows: nothing about them costs anything" if table.public else "private rows",
        "columns": [_column(name, facts, table) for name, facts in table.columns.items()],
    }
    if table.unit_path:
        told["belongs_by"] = [f"{step.column} is {step.table}.{step.key}" for step in table.unit_path]
    if not table.public and table.limits.said:
        told["limits"] = {"of": f"each {catalog.limited}", **table.limits.words}
    if table.expected is not None:
        told["rows_expected"] = table.expected.rows
    return told


def _column(name: str, facts: Facts, table: DeclaredTable) -> dict[str, Any]:
    told: dict[str, Any] = {"name": name, "type": facts.type.value}
    if name == table.unit_column and not table.unit_path:
        told["says"] = "whose a row is: count it with COUNT(DISTINCT …); it is never shown"
    if name in table.unique:
        told["unique"] = True
    if facts.values is not None:
        told["values"] = [printable(each) if isinstance(each, str) else each for each in facts.values[:LISTED]]
        if len(facts.values) > LISTED:
            told["values_in_all"] = len(facts.values)
    elif facts.low is not None or facts.high is not None:
        told["bounds"] = [_end(facts, facts.low), _end(facts, facts.high)]
    elif facts.type.numeric and not table.public:
        told["bounds"] = None
    if facts.other is not None:
        told["other_values_count_as"] = facts.other
    if facts.expected is not None:
        told["mean_expected"] = float(facts.expected.mean)
    if facts.nullable:
        told["nullable"] = True
    return told


def _end(facts: Facts, bound: Bound) -> str | int | float | None:
    if bound is None:
        return None
    if facts.type is Type.DATE and (day := iso_date(int(bound))) is not None:
        return day
    return int(bound) if bound.denominator == 1 else float(bound)
