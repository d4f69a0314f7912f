"""Functions that are refused for a reason of their own, and what to write instead."""

from sqlglot import exp

from privet.errors import QueryRefused
from privet.query.sql.refuse import REASONS, refuse

Reason = tuple[str, str]

ORDERED = ("dialects mean different things by it", "write day + INTERVAL 3 MONTH, or DATE_DIFF('month', a, b)")
FORMAT = ("dialects write its format differently", "write STRFTIME(day, '%Y-%m')")
SIMILAR = (
    "engines read its pattern differently",
    "write LIKE, or REGEXP_FULL_MATCH(x, 'pattern')",
)
CLOCKS = ("now", "getdate", "sysdate", "transaction_timestamp", "statement_timestamp", "clock_timestamp")
BY_NAME: dict[str, Reason] = {
    **dict.fromkeys(CLOCKS, REASONS["clock"]),
    "age": ("an age in years, months and days is no number", "write DATE_DIFF('year', birth, DATE '2024-12-31')"),
    "add_months": ORDERED,
    "timestampdiff": ORDERED,
    "date_format": FORMAT,
    "format_date": FORMAT,
    "format_timestamp": FORMAT,
}
VALUES = ("it would show values of single rows", "count them: SELECT x, COUNT(*) … GROUP BY x")
BY_CLASS: dict[type[exp.Expr], Reason] = {
    **dict.fromkeys((exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentTime, exp.CurrentDatetime), REASONS["clock"]),
    **dict.fromkeys((exp.Rand, exp.Randn, exp.Uuid), REASONS["chance"]),
    exp.Mode: ("one unit could decide it", "write SELECT x, COUNT(*) AS n … GROUP BY x ORDER BY n DESC LIMIT 1"),
    exp.AnyValue: ("any value is that of a single row", "write MIN, MAX or MEDIAN, or add it to GROUP BY"),
    **dict.fromkeys((exp.GroupConcat, exp.ArrayAgg), VALUES),
    exp.AddMonths: ORDERED,
    exp.TimestampDiff: ORDERED,
    exp.SimilarTo: SIMILAR,
    exp.Glob: ("it is not written the same on every engine", "write LIKE 'a%'"),
    exp.Initcap: ("engines do not agree what a word is", "write UPPER(LEFT(x, 1)) || LOWER(SUBSTRING(x, 2))"),
}


def own_reason(node: exp.Expr) -> QueryRefused | None:
    """Why a function is refused, if there is more to say than that it is not known."""
    node = node.this if isinstance(node, exp.WithinGroup | exp.IgnoreNulls) else node
    if isinstance(node, exp.Anonymous):
        found = BY_NAME.get(str(node.this).lower())
    else:
        found = next((reason for kind, reason in BY_CLASS.items() if isinstance(node, kind)), None)
    return None if found is None else refuse(node, *found)
