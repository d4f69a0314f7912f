# ruff: noqa: S608 - statements of our own
"""Staged margins: numbers computed from earlier stages hold the exact one as often as they say, or say why not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from privet.core import Ledger, Mechanism, Sensitivity
from privet.noise.entropy import BitSource
from privet.query.answering.margins import Margins
from privet.query.answering.noisy_columns import CHOSEN
from privet.query.answering.public_values import PublicValues
from privet.query.answering.staged_margins import ALIKE, matching_rows
from privet.query.options import Options
from privet.query.pricing.quote import quote_statement
from privet.query.session import Session
from privet.query.sql import read
from tests.query.answering.test_margins import asked
from tests.support.exact_session import ExactRun
from tests.support.statistics import FALSE_ALARM

TABLE = "WITH c AS (SELECT work, COUNT(*) AS n, AVG(age) AS age FROM people GROUP BY work) "
KINDS = {
    "share of a scalar": "SELECT 1.0 * COUNT(*) / (SELECT COUNT(*) FROM people) AS x FROM people WHERE sex = 'f'",
    "share of a stage": TABLE + "SELECT work, 1.0 * n / (SELECT SUM(n) FROM c) AS x FROM c",
    "weighted mean": TABLE + "SELECT SUM(n * age) / SUM(n) AS x FROM c WHERE work <> 'none'",
    "two stages joined": "WITH a AS (SELECT work, COUNT(*) AS n FROM people WHERE sex = 'f' GROUP BY work), "
    "b AS (SELECT work, COUNT(*) AS n FROM people WHERE sex = 'm' GROUP BY work) "
    "SELECT a.work, 1.0 * a.n / b.n AS x FROM a JOIN b ON a.work = b.work",
}


class NoisyRun(ExactRun):
    """Draws from the mechanisms, and charges nobody."""

    def __init__(self, *given: Any, source: BitSource, **more: Any) -> None:  # noqa: ANN401 - as the run's
        super().__init__(*given, **more)
        self.source = source

    def _draw(self, compute: Callable[[], Any], mechanism: Mechanism[Any, Any], moves: Sensitivity) -> Any:  # noqa: ANN401, ARG002 - as the run's
        return mechanism.sample(compute(), self.source)


def run_of(text: str, kind: type[ExactRun] = ExactRun, **more: Any) -> Margins:  # noqa: ANN401 - of the kind
    catalog, backend = asked()
    quote = quote_statement(
        read(text, catalog, values=PublicValues(catalog, backend)), catalog, Options.of({"epsilon": 1})
    )
    ledger = Ledger(catalog.limit, unit=catalog.unit)
    run = kind(quote, backend=backend, ledger=ledger, purpose="", catalog=catalog, **more)
    run.answer()
    return run.margins["answer"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("runs", [30, pytest.param(1_000, marks=pytest.mark.soak)])
def test_stages_are_simulated_together(kind: str, runs: int, source: BitSource) -> None:
    """Of each answer the first row counts."""
    truth = run_of(KINDS[kind]).table.column("x")[0].as_py()
    held = 0
    for _ in range(runs):
        found = run_of(KINDS[kind], NoisyRun, source=source)
        row = found.table.to_pylist()[0]
        held += (row["x_low"] is None or row["x_low"] <= truth) and (row["x_high"] is None or truth <= row["x_high"])
    print(f"{kind}: {100 * held / runs:.1f} %")  # noqa: T201 - the table of figures, with -s
    assert binom.ppf(FALSE_ALARM, runs, 0.945) <= held <= max(binom.isf(FALSE_ALARM, runs, 0.96), 0.97 * runs)


def test_control_of_stages() -> None:
    """Noise of two stages is simulated apart: a ratio of a stage to itself has none, one of two stages has."""
    alone = run_of(TABLE + "SELECT work, 1.0 * a.n / b.n AS x FROM c a JOIN c b USING (work)").table.to_pylist()[0]
    assert (alone["x_low"], alone["x_high"]) == (1, 1)
    two = run_of(KINDS["two stages joined"]).table.to_pylist()[0]
    assert two["x_low"] < two["x"] < two["x_high"]


def test_rows_that_a_condition_shows_are_taken_as_given() -> None:
    near = run_of(TABLE + "SELECT work, n FROM c WHERE n >= (SELECT MIN(n) FROM c)").table
    assert all(row["n_low"] < row["n"] < row["n_high"] for row in near.to_pylist())


def test_rows_that_a_condition_counts_are_simulated() -> None:
    median = sorted(row["n"] for row in run_of(TABLE + "SELECT work, n FROM c").table.to_pylist())[1]
    row = run_of(TABLE + f"SELECT COUNT(*) AS x FROM c WHERE n > {median}").table.to_pylist()[0]
    assert (row["x"], row["x_low"], row["x_high"]) == (2, 2, 3)


def test_stages_without_a_group_have_an_answer() -> None:
    """Else one group more or less would decide between an answer and a failure that is paid for."""
    catalog, backend = asked()
    session = Session(catalog, backend=backend, ledger=Ledger(catalog.limit, unit=catalog.unit))
    rows = "FROM people WHERE age < 0 GROUP BY"
    total = session.sql(f"SELECT gain AS w, COUNT(*) AS n {rows} ROLLUP (gain)", epsilon=1, delta="1e-6")
    assert [row["w"] for row in total.table.to_pylist()] == [None]
    staged = f"WITH c AS (SELECT gain AS w, COUNT(*) AS n {rows} gain) SELECT SUM(n) AS x FROM c"
    assert session.sql(staged, epsilon=1, delta="1e-6").table["x"].to_pylist() == [None]


def test_why_a_number_of_stages_has_no_margin() -> None:
    having = "WITH c AS (SELECT work, COUNT(*) AS n FROM people GROUP BY work HAVING COUNT(*) > 100) "
    assert run_of(having + "SELECT COUNT(*) AS x FROM c").without == {"x": CHOSEN}
    assert "quantile" in run_of("WITH c AS (SELECT MEDIAN(age) AS m FROM people) SELECT m + 1 AS x FROM c").without["x"]
    assert "DISTINCT" in run_of(TABLE + "SELECT DISTINCT n AS x FROM c").without["x"]
    assert run_of(TABLE + "SELECT n AS x FROM c WHERE work = 'none'").without == {}
    assert run_of("WITH c AS (SELECT COUNT(*) AS n FROM people GROUP BY work) SELECT n AS x FROM c").without == {
        "x": ALIKE
    }
    limited = "WITH c AS (SELECT work, COUNT(*) AS n FROM people GROUP BY work ORDER BY n LIMIT 2) "
    assert run_of(limited + "SELECT SUM(n) AS x FROM c").without == {}, "which rows is taken as given"


def test_rows_are_found_again_by_all_their_keys() -> None:
    base = [pa.chunked_array([["a", None, "a"]]), pa.chunked_array([[1, 1, 2]])]
    found = [pa.chunked_array([["a", "b", None, "a"]]), pa.chunked_array([[2, 1, 1, 1]])]
    assert matching_rows(base, found, 3).tolist() == [2, 3, 1, 0]
    assert np.array_equal(matching_rows([], [], 1), [0])
