# ruff: noqa: S608 - statements of our own
"""Every number of an answer has a margin or says why not: fifty answers, each asked twice with other noise."""

import math

import pyarrow as pa
import pytest

from privet.noise.entropy import BitSource
from privet.query.answering.margins import Margins
from tests.query.answering.test_staged_margins import NoisyRun, run_of

BY = "FROM people GROUP BY work"
RICH = "COUNT(*) FILTER (WHERE rich)"
C = "WITH c AS (SELECT work, COUNT(*) AS n, AVG(age) AS a, SUM(gain) AS g FROM people GROUP BY work) SELECT "
FIFTY = [
    "SELECT COUNT(*) FROM people",
    f"SELECT work, COUNT(*) AS n {BY}",
    f"SELECT work, SUM(gain) {BY}",
    f"SELECT work, AVG(age) {BY}",
    f"SELECT work, AVG(age), STDDEV(age), VARIANCE(age) {BY}",
    f"SELECT work, COUNT(DISTINCT age), COUNT(DISTINCT id) {BY}",
    f"SELECT work, MEDIAN(age) {BY}",
    f"SELECT work, MIN(age), MAX(age), MAX(age) - MIN(age) {BY}",
    f"SELECT work, QUANTILE_CONT(gain, 0.9) {BY}",
    "SELECT CORR(age, gain), REGR_SLOPE(gain, age), COVAR_POP(age, gain) FROM people",
    f"SELECT work, 100.0 * {RICH} / COUNT(*) AS share {BY}",
    f"SELECT work, COUNT(*) - {RICH} AS poor {BY}",
    f"SELECT work, {RICH} + 2 * COUNT(*) {BY}",
    f"SELECT work, SUM(gain) / COUNT(*) {BY}",
    f"SELECT work, SUM(gain) / NULLIF(COUNT(*), 0) {BY}",
    f"SELECT work, SUM(gain) / 1000 {BY}",
    f"SELECT work, -SUM(age) {BY}",
    f"SELECT work, ROUND(AVG(age), 1) {BY}",
    f"SELECT work, FLOOR(AVG(age)), CEIL(AVG(age)) {BY}",
    f"SELECT work, SQRT(ABS(COUNT(*))) {BY}",
    f"SELECT work, LN(GREATEST(COUNT(*), 1)) {BY}",
    f"SELECT work, CASE WHEN COUNT(*) > 200 THEN AVG(age) ELSE 0 END {BY}",
    f"SELECT work, CASE WHEN COUNT(*) > 200 THEN 'many' ELSE 'few' END AS word, COUNT(*) {BY}",
    f"SELECT work, COALESCE(AVG(age), 0) * COUNT(*) {BY}",
    f"SELECT work, CAST(AVG(age) AS INTEGER) {BY}",
    f"SELECT work, COUNT(*) // 10, COUNT(*) % 10 {BY}",
    f"SELECT work, POWER(COUNT(*), 2) {BY}",
    f"SELECT work, COUNT(*) > 10, COUNT(*) AS n {BY}",
    "SELECT AVG(age) FILTER (WHERE sex = 'm') - AVG(age) FILTER (WHERE sex = 'f') FROM people",
    "SELECT AVG(gain) FILTER (WHERE rich) / AVG(gain) FROM people",
    f"SELECT COUNT(*) FILTER (WHERE sex = 'f' AND rich) * 1.0 / {RICH} FROM people",
    f"SELECT work, MEDIAN(age) - 18 {BY}",
    f"SELECT work, MEDIAN(age) * COUNT(*) {BY}",
    f"SELECT work, COUNT(*) AS n {BY} HAVING COUNT(*) > 100 ORDER BY n DESC LIMIT 2",
    f"SELECT work, COUNT(*) AS n, 7 AS seven, LENGTH(work) AS letters {BY}",
    "SELECT age // 10 AS decade, COUNT(*) AS n FROM people GROUP BY 1",
    "SELECT DISTINCT COUNT(*) FROM people GROUP BY sex",
    f"SELECT work, COUNT(*) * 100.0 / SUM(COUNT(*)) OVER () {BY}",
    f"SELECT work, RANK() OVER (ORDER BY COUNT(*) DESC), ROW_NUMBER() OVER (ORDER BY work) {BY}",
    f"SELECT work, DENSE_RANK() OVER (ORDER BY COUNT(*)), PERCENT_RANK() OVER (ORDER BY COUNT(*)) {BY}",
    f"SELECT work, SUM(COUNT(*)) OVER (ORDER BY work), AVG(AVG(age)) OVER () {BY}",
    f"SELECT work, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY work), LEAD(AVG(age)) OVER (ORDER BY work) {BY}",
    f"SELECT work, MAX(COUNT(*)) OVER (), MEDIAN(age) - MIN(MEDIAN(age)) OVER () {BY}",
    f"SELECT work, COUNT(*) AS n {BY} QUALIFY RANK() OVER (ORDER BY n DESC) <= 2",
    f"{C} work, n, n * a, g / n FROM c",
    f"{C} work, 1.0 * n / (SELECT SUM(n) FROM c) FROM c",
    f"{C} SUM(n), AVG(a), MAX(n), COUNT(*) FROM c WHERE n > 300",
    f"{C} work, n, RANK() OVER (ORDER BY n DESC) FROM c",
    "SELECT 1.0 * COUNT(*) / (SELECT COUNT(*) FROM people) FROM people WHERE sex = 'f'",
    """WITH a AS (SELECT COUNT(*) AS n FROM people WHERE rich), b AS (SELECT COUNT(*) AS m FROM people)
    SELECT n, m, 1.0 * n / m, m - n FROM a CROSS JOIN b""",
]


def numbers(table: pa.Table) -> dict[str, list[object]]:
    """The columns that are numbers."""
    kinds = {field.name: field.type for field in table.schema}
    shown = [name for name, kind in kinds.items() if pa.types.is_integer(kind) or pa.types.is_floating(kind)]
    return {name: table.column(name).to_pylist() for name in shown if not name.endswith(("_low", "_high"))}


def silent(one: Margins, other: Margins) -> list[str]:
    """The numbers that noise changes, though nothing is said about it."""
    found = numbers(other.table)
    said = {*one.intervals, *one.without}
    return [name for name, values in numbers(one.table).items() if values != found[name] and name not in said]


@pytest.mark.parametrize("text", FIFTY)
def test_a_number_that_noise_changes_has_a_margin_or_says_why_not(text: str, source: BitSource) -> None:
    one, other = (run_of(text, NoisyRun, source=source) for _ in range(2))
    assert not silent(one, other)
    assert not set(one.intervals) & set(one.without)
    for name in one.intervals:
        for row in one.table.to_pylist():
            low, value, high = (row[f"{name}{end}"] for end in ("_low", "", "_high"))
            slack = 1e-9 * abs(value or 0.0)
            assert low is None or value is None or low <= value + slack or math.isnan(value)
            assert high is None or value is None or value <= high + slack


def test_control_a_silent_number_is_found(source: BitSource) -> None:
    one, other = (run_of(FIFTY[1], NoisyRun, source=source) for _ in range(2))
    assert silent(Margins(one.table), Margins(other.table)) == ["n"]
    assert len(FIFTY) == 50
