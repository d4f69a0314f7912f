"""Refusals: why a statement is not answered. Each reason has one wording: the clause, the reason, the fix."""

import textwrap

import sqlglot
from sqlglot import exp

from privet.errors import QueryRefused

LONGEST_CLAUSE = 90


def clause(node: exp.Expr | str) -> str:
    """A part of the statement as the analyst would write it, shortened."""
    if isinstance(node, str):
        text = node
    else:
        try:
            text = node.sql(dialect="duckdb")
        except (sqlglot.errors.SqlglotError, ValueError, AttributeError, TypeError, RecursionError):
            text = type(node).__name__.upper()
    text = text.strip() or str(getattr(node, "key", "")).upper()
    return textwrap.shorten(text, LONGEST_CLAUSE, placeholder=" …")


def refuse(node: exp.Expr | str, reason: str, fix: str = "") -> QueryRefused:
    """The refusal of a clause: it, the reason, the fix."""
    return QueryRefused(f"{clause(node)}: {reason}{'; ' + fix if fix else ''}")


REASONS = {
    "not a query": ("only a SELECT is answered, one at a time", "send one SELECT or WITH … SELECT"),
    "several": ("only one statement is answered at a time", "send them one by one"),
    "empty": ("there is no statement", "send one SELECT or WITH … SELECT"),
    "too long": ("a statement has at most 100,000 letters and 20,000 words", "split it into shorter ones"),
    "too deep": ("the statement is nested too deeply", "split it into simpler ones"),
    "nul": ("a statement cannot hold the letter with the number 0", "leave it out"),
    "unknown clause": ("this clause is not supported", "leave it out"),
    "rows": ("this shows rows of units, not an aggregate", "aggregate them: COUNT(*), SUM, AVG, …"),
    "star": ("a star over a private table shows its rows", "aggregate them: COUNT(*), SUM, AVG, …"),
    "unit shown": ("the unit's own column cannot be shown or grouped by", "use COUNT(DISTINCT …), or group by another"),
    "unit copied": (
        "what is made of the unit's column cannot be grouped by",
        "within a unit group by its own column, and across units by another",
    ),
    "unit key": ("a group made from the unit's column is about one unit", "group by another column"),
    "not grouped": ("the column is neither in GROUP BY nor inside an aggregate", "add it to GROUP BY or aggregate it"),
    "nested aggregate": ("an aggregate cannot hold another one", "compute the inner one in a subquery with GROUP BY"),
    "aggregate here": ("an aggregate cannot stand here", "use HAVING, or compute it in a subquery"),
    "unknown function": (
        "this function is not among those that can be made total",
        "see docs/sql.md for those that are",
    ),
    "no mechanism": ("no private mechanism answers this aggregate", "use COUNT, SUM, AVG, MEDIAN, MIN, MAX, …"),
    "cross join": ("rows of two units would be paired", "add ON with the unit of both"),
    "owner lost": (
        "public rows without a partner belong to nobody and do not count",
        "group by a column of the public table, or put the private table on the left",
    ),
    "no partner": (
        "public rows without a partner belong to nobody and do not count",
        "count the partners by the public table's column in a CTE, and compare its answer",
    ),
    "mixed union": (
        "its parts must be all private or all public",
        "add the unit's column to each part, or aggregate it",
    ),
    "limit rows": ("which rows are kept would depend on other units", "leave it out, or aggregate first"),
    "window unit": ("a window must stay within one unit", "add the unit's column to PARTITION BY"),
    "window frame": (
        "a frame is of ROWS, within an order",
        "write ORDER BY … ROWS BETWEEN 2 PRECEDING AND CURRENT ROW, or leave the frame out",
    ),
    "literal rows": ("how many rows is a literal whole number, at most 1,000,000", "write it: LAG(x, 2)"),
    "window here": ("a window function cannot stand here", "compute it in a subquery and use its column"),
    "exists": ("it would be asked of all units at once", "compare the unit with the one outside in its WHERE"),
    "exists grouped": (
        "EXISTS of a unit's rows asks of rows, before they are grouped, numbered or left out",
        "leave it out, or compare an aggregate: (SELECT COUNT(*) …) > 3",
    ),
    "correlated": ("a subquery is tied to the statement around it by = in its WHERE only", "join the two on the unit"),
    "semi-join": ("a list from a private table can only be of units", "write unit IN (SELECT unit FROM …)"),
    "scalar rows": ("a subquery used as a value must have one column and one row", "aggregate it without GROUP BY"),
    "subquery here": ("a subquery cannot stand here", "use it in WHERE, or join its table"),
    "late subquery": ("a subquery cannot stand beside an aggregate", "compute it in a CTE and join its table"),
    "recursive": ("how far one unit's rows spread would be unbounded", "leave RECURSIVE out"),
    "sample": ("which rows are drawn would not be known to the price", "leave it out; answers are over all rows"),
    "table function": ("only tables of the catalog can be read", "name a table of the catalog"),
    "qualified table": ("the catalog knows no such schema", "leave it out: tables are named as in the catalog"),
    "clock": ("an answer must not depend on when it is asked", "write the date: DATE '2024-12-31'"),
    "chance": ("an answer must be the same whenever the rows are", "leave it out; noise is added anyway"),
    "list": ("lists cannot be unfolded yet", "declare a table with one row for each element"),
    "parameter": ("it has no value", "pass params={…}, a mapping of names to values, or a list for ?"),
    "distinct unit": ("only rows that carry their unit can be made distinct here", "select the unit's column too"),
    "row level": ("every row is a unit of its own in this catalog", "aggregate directly"),
    "row join": ("a row may have several partners", "join on a column the catalog declares unique"),
    "nulls order": ("NULLs always come last", "leave NULLS FIRST out"),
    "literal limit": ("it takes a literal whole number from 0", "write LIMIT 10"),
}


def because(node: exp.Expr | str, reason: str, fix: str | None = None) -> QueryRefused:
    """The refusal of a clause for one of the reasons above; the fix can be made more precise."""
    why, usual = REASONS[reason]
    return refuse(node, why, usual if fix is None else fix)
