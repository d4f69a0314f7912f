"""Intervals for the population: they hold its number as often as they say, over many samples of it."""

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import privet
from privet.core import Ledger
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.noise.entropy import BitSource
from privet.query.answering.margins import LARGEST, ColumnMargins, shown_rows
from privet.query.answering.public_values import PublicValues
from privet.query.backends.duckdb.engine import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.options import Options
from privet.query.pricing.quote import quote_statement
from privet.query.sql import read
from tests.query.answering.test_margins import held
from tests.support.adult import population
from tests.support.exact_session import ExactRun
from tests.support.statistics import FALSE_ALARM

SAMPLE = 1_000  # units
BOUNDS = {"age": {"bounds": [17, 90]}, "gain": {"bounds": [0, 99_999]}, "female": {}, "rich": {}}


@cache
def samples(runs: int) -> tuple[Catalog, DuckDBBackend]:
    """So many samples with replacement in one table: each is a group."""
    rng = np.random.default_rng(11)
    people = population()
    drawn = rng.integers(0, len(people["age"]), runs * SAMPLE)
    table = pa.table(
        {
            "id": np.arange(runs * SAMPLE),
            "run": np.repeat(np.arange(runs), SAMPLE),
            **{name: values[drawn] for name, values in people.items()},
        }
    )
    words: dict[str, Any] = {"run": {"bounds": [0, runs - 1], "nullable": False}}
    words |= {name: {**word, "nullable": False} for name, word in BOUNDS.items()}
    catalog = Catalog.of(table, table="t", unit="person", unit_column="id", limit=Guarantee(10), columns=words)
    return catalog, DuckDBBackend(catalog, threads=1)


P = population
KINDS: dict[str, tuple[str, Any, float]] = {  # what is asked, of the population, and the most that may be covered
    "count": ("COUNT(*) FILTER (WHERE female) AS x", lambda: SAMPLE * P()["female"].mean(), 1.0),  # as if n were random
    "proportion": ("1.0 * COUNT(*) FILTER (WHERE rich) / COUNT(*) AS x", lambda: 1.0 * P()["rich"].mean(), 0.97),
    "proportion of a part": (
        "1.0 * COUNT(*) FILTER (WHERE female AND rich) / COUNT(*) AS x",
        lambda: 1.0 * (P()["female"] & P()["rich"]).mean(),
        0.97,
    ),
    "mean with its variance": ("AVG(age) AS x, STDDEV(age) AS s", lambda: 1.0 * P()["age"].mean(), 0.97),
    "mean without": ("AVG(age) AS x", lambda: 1.0 * P()["age"].mean(), 1.0),  # the largest variance
    "sum": ("SUM(gain) AS x", lambda: SAMPLE * P()["gain"].mean(), 1.0),  # the largest variance
    "difference of means": (
        """AVG(age) FILTER (WHERE female) - AVG(age) FILTER (WHERE NOT female) AS x,
        STDDEV(age) FILTER (WHERE female) AS s, STDDEV(age) FILTER (WHERE NOT female) AS t""",
        lambda: P()["age"][P()["female"]].mean() - P()["age"][~P()["female"]].mean(),
        0.97,
    ),
    "difference of counts": (  # as if n were random
        "COUNT(*) FILTER (WHERE female) - COUNT(*) FILTER (WHERE NOT female) AS x",
        lambda: SAMPLE * (2 * P()["female"].mean() - 1),
        1.0,
    ),
}


def covered(kind: str, runs: int, source: BitSource, *, population: bool = True) -> float:
    """How many of so many samples have an interval that holds the population's number."""
    catalog, backend = samples(runs)
    asked, truth, _ = KINDS[kind]
    text = f"SELECT run, {asked} FROM t GROUP BY run"  # noqa: S608 - of our own
    statement = read(text, catalog, values=PublicValues(catalog, backend))
    quote = quote_statement(statement, catalog, Options.of({"epsilon": 1, "interval": "population"}))
    ledger = Ledger(catalog.limit, unit=catalog.unit)

    class Noisy(ExactRun):
        def _draw(self, compute: Any, mechanism: Any, moves: Any) -> Any:  # noqa: ANN401, ARG002 - as the run's
            return mechanism.sample(compute(), source)

    run = Noisy(quote, backend=backend, ledger=ledger, purpose="", catalog=catalog)
    run.answer()
    ((_, released),) = run._done.values()
    output = statement.stages[-1].output
    margins = ColumnMargins(released, output, 0.95, population).of(shown_rows(released, output))
    return held(margins, "x", float(truth())) / runs


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("runs", [200, pytest.param(1_000, marks=pytest.mark.soak)])
def test_it_holds_the_number_of_the_population(kind: str, runs: int, source: BitSource) -> None:
    share = covered(kind, runs, source)
    print(f"{kind}: {100 * share:.1f} %")  # noqa: T201 - the table of figures, with -s
    assert binom.ppf(FALSE_ALARM, runs, 0.945) / runs <= share
    assert share <= max(KINDS[kind][2], binom.isf(FALSE_ALARM, runs, 0.965) / runs)


def test_control_the_interval_for_the_data_is_not_one_for_the_population(source: BitSource) -> None:
    assert covered("proportion", 200, source, population=False) < 0.7
    assert covered("mean with its variance", 200, source, population=False) < 0.7


def catalog_of(rows: int, **words: Any) -> Catalog:  # noqa: ANN401 - words of a catalog
    table = pa.table({"id": np.arange(rows) % 500, "age": np.arange(rows) % 60 + 20, "x": np.arange(rows) % 7 - 3})
    columns = {"age": {"bounds": [17, 90]}, "x": {"bounds": [-3, 3]}}
    return Catalog.of(
        table, table="t", unit="person", unit_column="id", limit=Guarantee(1_000), columns=columns, **words
    )


def test_an_answer_says_what_its_intervals_are_for() -> None:
    with privet.connect(catalog_of(500)) as session:
        text = "SELECT AVG(age) AS a, MEDIAN(age) AS m, SUM(x) AS s, COUNT(DISTINCT x) AS d FROM t"
        answer = session.sql(text, epsilon=10, interval="population", key="one")
        assert answer.interval == "population"
        assert "for the population, of which each person here is one" in repr(answer)
        assert answer.intervals == ("a",)
        assert LARGEST in answer.notes["a"]
        assert set(answer.without_margin) == {"m", "s", "d"}
        assert session.sql(text, epsilon=10, interval="population", key="one") == answer
        assert "for the population" in repr(session.explain(text, epsilon=10, interval="population"))
        plain = session.sql("SELECT AVG(age) AS a FROM t", epsilon=10)
        assert plain.interval == "data"
        assert "population" not in repr(plain)
        with pytest.raises(InvalidParameter, match='interval must be "data" or "population"'):
            session.sql(text, epsilon=1, interval="sample")


def test_units_with_several_rows_are_taken_as_alike() -> None:
    """Four rows a unit that count: twice as wide as if each row were a unit of its own."""
    widths = []
    for limit in (1, 4):
        with privet.connect(catalog_of(2_000, rows_per_unit=limit)) as session:
            row = session.sql("SELECT COUNT(*) AS n FROM t", epsilon=100, interval="population").rows[0]
            widths.append((row["n_high"] - row["n_low"]) / row["n"] ** 0.5)
    assert widths[1] / widths[0] == pytest.approx(2, rel=0.02)
