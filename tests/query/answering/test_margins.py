"""Margins: each number of an answer has two ends that hold the exact one as often as they say, or says why not."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from privet.core import Ledger
from privet.loss import Guarantee
from privet.noise.entropy import BitSource
from privet.query.answering.margins import MANY, ColumnMargins, Margins, replicates_within, shown_rows
from privet.query.answering.postprocess import post_process
from privet.query.answering.public_values import PublicValues
from privet.query.answering.quantile_ends import PAID, QUANTILE
from privet.query.answering.released_table import ReleasedTable, read_array
from privet.query.answering.simulated_columns import guard
from privet.query.backends.duckdb.engine import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.functions import call
from privet.query.measures.noise_margin import Floats
from privet.query.options import Options
from privet.query.plan.statement import Output
from privet.query.pricing.quote import quote_statement
from privet.query.scalars.expressions import Column, Literal, Reference
from privet.query.scalars.facts import Facts, Type
from privet.query.sql import read
from tests.support.exact_session import ExactRun
from tests.support.statistics import FALSE_ALARM

RUNS = 1_000
ROWS = 4_000


@cache
def asked() -> tuple[Catalog, DuckDBBackend]:
    """Invented people of the shape of a census: a rare group, a skewed income, a flag."""
    rng = np.random.default_rng(7)
    people = pa.table(
        {
            "id": np.arange(ROWS),
            "work": rng.choice(["private", "state", "self", "none"], ROWS, p=[0.7, 0.2, 0.09, 0.01]),
            "sex": rng.choice(["f", "m"], ROWS, p=[0.33, 0.67]),
            "age": rng.integers(17, 91, ROWS),
            "gain": np.where(rng.random(ROWS) < 0.08, rng.gamma(2, 5_000, ROWS), 0.0).clip(0, 100_000),
            "rich": rng.random(ROWS) < 0.24,
        }
    )
    words: dict[str, Any] = {
        "work": {"values": ["private", "state", "self", "none"]},
        "sex": {"values": ["f", "m"]},
        "age": {"bounds": [17, 90]},
        "gain": {"bounds": [0, 100_000]},
        "rich": {},
    }
    catalog = Catalog.of(
        people, table="people", unit="person", unit_column="id", limit=Guarantee(1_000, "1e-3"), columns=words
    )
    return catalog, DuckDBBackend(catalog, threads=1)


@cache
def exact(text: str) -> tuple[ReleasedTable, Output]:
    """A statement's released table without noise, with the mechanisms it would have."""
    catalog, backend = asked()
    statement = read(text, catalog, values=PublicValues(catalog, backend))
    quote = quote_statement(statement, catalog, Options.of({"epsilon": 1}))
    run = ExactRun(quote, backend=backend, ledger=Ledger(catalog.limit, unit=catalog.unit), purpose="", catalog=catalog)
    run.answer()
    ((_, released),) = run._done.values()
    return released, statement.stages[-1].output


def with_noise(released: ReleasedTable, row: int, runs: int, source: BitSource) -> ReleasedTable:
    """One row so many times, each with noise of its own: rows are simulated alone, so this is as many answers."""
    numbers = []
    for place, cells in enumerate(released.numbers):
        many = np.repeat(cells[[row]], runs, axis=0).astype(np.int64)
        mechanism: Any = released.stage.mechanisms[place]
        numbers.append(np.asarray(mechanism.sample(many, source), dtype=np.float64).reshape(runs, -1))
    return _with_numbers(released, row, numbers)


def _with_numbers(released: ReleasedTable, row: int, numbers: Sequence[Floats]) -> ReleasedTable:
    runs = len(numbers[0])
    keys = released.stage.needs.aggregate.keys
    arrays = [released.table.column(place).take(pa.array([row] * runs)) for place in range(len(keys))]
    arrays += [read_array(reading, numbers[reading.draw]) for reading in released.stage.needs.readings]
    table = pa.table(dict(zip(released.table.column_names, arrays, strict=True)))
    return replace(released, table=table, numbers=tuple(numbers))


def held(margins: Margins, name: str, truth: float) -> int:
    """In how many rows the interval holds the exact number; an end that is missing holds all."""
    low = margins.table.column(f"{name}_low").to_numpy(zero_copy_only=False).astype(float)
    high = margins.table.column(f"{name}_high").to_numpy(zero_copy_only=False).astype(float)
    slack = 1e-9 * max(abs(truth), 1.0)
    return int((~(low > truth + slack) & ~(high < truth - slack)).sum())


KINDS = {  # a statement, its column x, and the most that it may cover: what is conservative by construction says so
    "count": ("SELECT COUNT(*) AS x FROM people", 0.99),  # whole numbers
    "sum": ("SELECT SUM(gain) AS x FROM people", 0.97),
    "mean": ("SELECT AVG(age) AS x FROM people", 0.97),
    "share": ("SELECT 100.0 * COUNT(*) FILTER (WHERE rich) / COUNT(*) AS x FROM people", 0.97),
    "share of a few": (
        "SELECT 1.0 * COUNT(*) FILTER (WHERE rich) / COUNT(*) AS x FROM people WHERE work = 'none'",
        0.97,
    ),
    "difference of counts": (
        "SELECT COUNT(*) FILTER (WHERE sex = 'm') - COUNT(*) FILTER (WHERE sex = 'f') AS x FROM people",
        0.97,
    ),
    "difference of means": (
        "SELECT AVG(age) FILTER (WHERE sex = 'm') - AVG(age) FILTER (WHERE sex = 'f') AS x FROM people",
        0.97,
    ),
    "ratio of means": (
        "SELECT AVG(gain) FILTER (WHERE rich) / AVG(age) AS x FROM people",
        0.97,
    ),
    "sum over count": ("SELECT SUM(gain) / COUNT(*) AS x FROM people", 0.97),
    "rounded": ("SELECT ROUND(SUM(gain) / COUNT(*), 1) AS x FROM people", 0.975),
    "choice": ("SELECT CASE WHEN COUNT(*) > 100 THEN AVG(age) ELSE 0 END AS x FROM people", 0.97),
}


def covered(text: str, source: BitSource, *, confidence: float = 0.95) -> float:
    """How many of 1,000 answers hold the exact x."""
    released, output = exact(text)
    truth = shown_rows(released, output).table.column("x")[0].as_py()
    noisy = with_noise(released, 0, RUNS, source)
    margins = ColumnMargins(noisy, output, confidence).of(shown_rows(noisy, output))
    return held(margins, "x", truth) / RUNS


LEAST = float(binom.ppf(FALSE_ALARM, RUNS, 0.945)) / RUNS  # n = 1,000; of a true 94.5 % with probability 1 - 1e-6
MOST = float(binom.isf(FALSE_ALARM, RUNS, 0.955)) / RUNS


@pytest.mark.parametrize("kind", KINDS)
def test_an_interval_holds_the_exact_number_as_often_as_it_says(kind: str, source: BitSource) -> None:
    text, most = KINDS[kind]
    share = covered(text, source)
    print(f"{kind}: {100 * share:.1f} %")  # noqa: T201 - the table of figures, with -s
    assert LEAST <= share <= max(most, MOST)


@pytest.mark.parametrize("kind", ["difference of counts", "share", "mean"])
def test_control_of_coverage(kind: str, source: BitSource) -> None:
    """Ends at 85 % hold too seldom, and ends at 99 % too often."""
    assert covered(KINDS[kind][0], source, confidence=0.85) < LEAST
    assert covered(KINDS[kind][0], source, confidence=0.99) > MOST


def margins_of(text: str) -> Margins:
    """Of a statement whose numbers are exact, as if noise had been 0."""
    released, output = exact(text)
    return ColumnMargins(released, output, 0.95).of(shown_rows(released, output))


def test_what_is_read_off_one_draw_is_propagated_through_it() -> None:
    """COUNT and SUM of one expression share two numbers: COUNT less COUNT has no noise, whatever each has alone."""
    found = margins_of("SELECT COUNT(age) - COUNT(age) AS x, SUM(age) - 17 * COUNT(age) AS above FROM people")
    row = found.table.to_pylist()[0]
    assert row["x_low"] == row["x"] == row["x_high"] == 0
    alone = margins_of("SELECT SUM(age) AS x, COUNT(age) AS n FROM people").table.to_pylist()[0]
    assert row["above_high"] - row["above_low"] < alone["x_high"] - alone["x_low"]
    assert found.simulated == ()


def test_a_divisor_that_may_be_zero_leaves_an_end_open() -> None:
    found = margins_of("SELECT 1.0 * COUNT(*) FILTER (WHERE rich) / COUNT(*) AS x FROM people WHERE age > 91")
    assert found.table.to_pylist() == [{"x": None, "x_low": None, "x_high": None}]
    assert found.unclear == {"x": (0,)}


def test_a_group_too_small_to_say_anything_is_unclear() -> None:
    text = "SELECT work, AVG(gain) AS x, SUM(gain) AS total, COUNT(*) AS n FROM people WHERE age < 18 GROUP BY work"
    found = margins_of(text)
    small = found.table.column("work").to_pylist().index("none")
    assert small in found.unclear["x"]
    assert small in found.unclear["total"]
    assert "n" not in found.unclear, "a count near 0 says that there are few"


def test_an_average_smaller_than_its_margin_is_unclear_unless_it_has_both_signs() -> None:
    text = "SELECT work, AVG(gain) AS x, AVG(gain - 50) AS y FROM people WHERE age < 18 GROUP BY work"
    found = margins_of(text)
    for row in (row for place, row in enumerate(found.table.to_pylist()) if place not in found.unclear.get("x", ())):
        assert max(row["x_high"] - row["x"], row["x"] - row["x_low"]) < row["x"]
    assert len(found.unclear["x"]) > len(found.unclear.get("y", ()))


def test_why_a_number_has_no_margin() -> None:
    assert margins_of("SELECT MEDIAN(age) + 1 AS x FROM people").without == {"x": PAID}
    assert margins_of("SELECT MEDIAN(age) * MEDIAN(age) AS x FROM people").without == {"x": QUANTILE}
    assert margins_of("SELECT work, MAX(age) AS x FROM people GROUP BY work").without == {"x": PAID}
    assert "DISTINCT" in margins_of("SELECT DISTINCT COUNT(*) AS x FROM people GROUP BY work").without["x"]
    assert "x_low" in margins_of("SELECT COUNT(*) AS x, 2 AS x_low FROM people").without["x"]
    assert margins_of("SELECT work, 7 AS x, 'a' AS y FROM people GROUP BY work HAVING COUNT(*) > 1").without == {}
    assert replicates_within(0.95, 20_000) == MANY
    assert isinstance(replicates_within(0.99999, 1), str)


def test_the_same_answer_has_the_same_interval() -> None:
    text = "SELECT work, 1.0 * COUNT(*) FILTER (WHERE rich) / COUNT(*) AS x FROM people GROUP BY work"
    assert margins_of(text) == margins_of(text)


def test_rows_keep_their_own_ends_through_order_and_limit() -> None:
    text = "SELECT work, 1.0 * COUNT(*) FILTER (WHERE rich) / COUNT(*) AS x FROM people GROUP BY work"
    plain = {row["work"]: row for row in margins_of(text).table.to_pylist()}
    shown = margins_of(f"{text} HAVING COUNT(*) > 200 ORDER BY x DESC LIMIT 2").table.to_pylist()
    assert len(shown) == 2
    assert all(row == plain[row["work"]] for row in shown)


# --- windows over released rows ---

WINDOWS = {  # each over the four groups of `work`; a rank is a whole number, so that its interval holds it more often
    "share of all": ("100.0 * COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY sex)", 0.97),
    "running total": ("SUM(COUNT(*)) OVER (PARTITION BY sex ORDER BY work)", 0.98),
    "change": ("COUNT(*) - LAG(COUNT(*)) OVER (PARTITION BY sex ORDER BY work)", 0.98),
    "deviation": ("AVG(age) - AVG(AVG(age)) OVER (PARTITION BY sex)", 0.97),
    "rank": ("RANK() OVER (PARTITION BY sex ORDER BY COUNT(*) DESC)", 1.0),
}


def answers(text: str, runs: int, source: BitSource) -> tuple[ReleasedTable, Output, list[float | None]]:
    """The groups of one sex, so many times; each time is a partition of its own, so this is as many answers."""
    released, output = exact(text)
    truth = shown_rows(released, output).table
    rows = [place for place, sex in enumerate(truth.column("sex").to_pylist()) if sex == "f"]
    many = [np.tile(cells[rows], (runs, 1)).astype(np.int64) for cells in released.numbers]
    mechanisms: list[Any] = list(released.stage.mechanisms)
    numbers = [
        np.asarray(by.sample(cells, source), dtype=np.float64) for by, cells in zip(mechanisms, many, strict=True)
    ]
    noisy = _with_numbers(released, rows[0], numbers)
    keys = {"sex": np.repeat(np.arange(runs), len(rows)).astype(str).tolist(), "work": WORK * runs}
    table = noisy.table
    for place, key in enumerate(released.stage.needs.aggregate.keys):
        table = table.set_column(place, table.column_names[place], pa.array(keys[key.column.name]))
    exactly = [truth.column("x")[place].as_py() for place in rows]
    return replace(noisy, table=table), output, exactly


WORK = ["private", "state", "self", "none"]


@pytest.mark.parametrize("kind", WINDOWS)
@pytest.mark.parametrize("runs", [250, pytest.param(1_000, marks=pytest.mark.soak)])
def test_windows_are_simulated_within_each_replicate(kind: str, runs: int, source: BitSource) -> None:
    expression, most = WINDOWS[kind]
    text = f"SELECT sex, work, {expression} AS x FROM people GROUP BY sex, work"  # noqa: S608 - of our own
    released, output, truth = answers(text, runs, source)
    found = ColumnMargins(released, output, 0.95).of(shown_rows(released, output))
    assert found.intervals == found.simulated == ("x",)
    for place, exactly in enumerate(truth):
        if exactly is None:
            continue
        group = replace(found, table=found.table.take(pa.array(range(place, 4 * runs, 4))))
        share = held(group, "x", exactly) / runs
        print(f"{kind}, {WORK[place]}: {100 * share:.1f} %")  # noqa: T201 - the table of figures, with -s
        assert binom.ppf(FALSE_ALARM, runs, 0.945) / runs <= share
        assert share <= max(most, binom.isf(FALSE_ALARM, runs, most) / runs)


def test_windows_see_what_having_leaves_and_qualify_shows_some_of_it() -> None:
    text = """
        SELECT work, COUNT(*) AS n, SUM(COUNT(*)) OVER () AS total, ROW_NUMBER() OVER (ORDER BY work) AS line
        FROM people GROUP BY work HAVING COUNT(*) > 100 QUALIFY RANK() OVER (ORDER BY COUNT(*)) <= 2 ORDER BY n
    """
    found = margins_of(text)
    every = margins_of("SELECT work, COUNT(*) AS n FROM people GROUP BY work").table.to_pylist()
    left = sorted(row["n"] for row in every if row["n"] > 100)
    rows = found.table.to_pylist()
    assert [row["n"] for row in rows] == left[:2]
    assert {row["total"] for row in rows} == {sum(left)}
    assert "line" not in {*found.intervals, *found.without}, "no noise is in it"


def test_a_rank_that_noise_leaves_open_says_so() -> None:
    text = "SELECT sex, RANK() OVER (ORDER BY COUNT(*)) AS x FROM people WHERE age = 50 AND work = 'self' GROUP BY sex"
    assert {(row["x_low"], row["x_high"]) for row in margins_of(text).table.to_pylist()} == {(1, 2)}


def test_a_divisor_below_zero_has_no_value() -> None:
    """A count is never below 0 in the data, so a replicate in which it is says nothing of a quotient."""
    n = Column("n", Facts(Type.INTEGER, nullable=False))
    share = call("divide", Literal(1, Type.INTEGER), Reference(n))
    table = pa.table({"n": [-2, 2]})
    guarded = Output(((Column("x", Facts(Type.REAL)), guard(share, frozenset({n}))),))
    assert post_process(guarded, table, [n]).to_pydict() == {"x": [None, 0.5]}
