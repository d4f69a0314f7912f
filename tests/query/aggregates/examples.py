"""One example of each aggregate: what the contract of aggregates (`test_contract.py`) runs on."""

from collections.abc import Mapping
from dataclasses import dataclass

from privet.query.plan.aggregation import Function

SOME = "CASE WHEN stay > 3 THEN stay END"  # NULL where cost need not be, and the other way around


@dataclass(frozen=True)
class Example:
    """An aggregate of visits.

    Args:
        asked: as an analyst writes it; of one argument or two that are NULL in some rows.
        own: the same as DuckDB computes it by itself, where that is written or meant otherwise.
        number: what it is within a unit, `v`, as a number that can be added up.
        across: whether it is answered across units.
        margins: whether it has an interval.
    """

    asked: str
    own: str | None = None
    number: str = "v"
    across: bool = True
    margins: bool = True

    @property
    def plain(self) -> str:
        """As DuckDB is asked."""
        return self.own or self.asked


EXAMPLES: Mapping[Function, Example] = {
    Function.COUNT_ROWS: Example("COUNT(*)"),
    Function.COUNT: Example("COUNT(cost)"),
    Function.COUNT_DISTINCT: Example("COUNT(DISTINCT clinic)"),
    Function.COUNT_UNITS: Example("COUNT(DISTINCT pid)"),
    Function.SUM: Example("SUM(cost)"),
    Function.AVG: Example("AVG(cost)"),
    Function.VARIANCE: Example("VARIANCE(cost)"),
    Function.STDDEV: Example("STDDEV_POP(cost)"),
    Function.QUANTILE: Example("MEDIAN(cost)", margins=False),
    Function.MINIMUM: Example(f"MIN({SOME})", margins=False),
    Function.MAXIMUM: Example(f"MAX({SOME})", margins=False),
    Function.COVARIANCE: Example(f"COVAR_SAMP(cost, {SOME})", f"NULLIF(COVAR_SAMP(cost, {SOME}), 'nan')"),
    Function.CORRELATION: Example(f"CORR(cost, {SOME})", f"NULLIF(CORR(cost, {SOME}), 'nan')"),
    Function.SLOPE: Example(f"REGR_SLOPE(cost, {SOME})", f"NULLIF(REGR_SLOPE(cost, {SOME}), 'nan')"),
    Function.INTERCEPT: Example(f"REGR_INTERCEPT(cost, {SOME})", f"NULLIF(REGR_INTERCEPT(cost, {SOME}), 'nan')"),
    Function.PAIRS: Example(f"REGR_COUNT(cost, {SOME})"),
    Function.ANY: Example("BOOL_OR(cost > 4000)", number="CAST(v AS INTEGER)", across=False),
    Function.ALL: Example("BOOL_AND(cost > 1000)", number="CAST(v AS INTEGER)", across=False),
    Function.LEAST_BY: Example("ARG_MIN(stay, cost)", across=False),
    Function.MOST_BY: Example("ARG_MAX(clinic, cost)", number="CASE WHEN v > 'B' THEN 1 ELSE 0 END", across=False),
    Function.FIRST: Example("FIRST_VALUE(cost) OVER (PARTITION BY pid ORDER BY day, vid)", across=False),
}
