"""Every accepted statement of the golden corpus, run for real: without noise as plain SQL answers, and with noise."""

import datetime as dt
import math
import re
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from privet.loss import Guarantee
from privet.query.plan.limits import Limits
from privet.query.plan.statement import Aggregate
from privet.query.session import Session
from tests.golden.corpus import accepted
from tests.support.exact_session import ExactSession
from tests.support.hospital_sessions import Watched, crowd, hospital, session_with

pytestmark = pytest.mark.whole

STATEMENTS = dict(accepted())
AMPLE = Limits(groups_per_unit=1_000, rows_per_group=1_000)  # nobody has more, so no limit bites
MACROS = (
    "CREATE MACRO clip(x, low, high) AS CASE WHEN x IS NOT NULL THEN LEAST(GREATEST(x, low), high) END",
    "CREATE MACRO quantile_half(x) AS QUANTILE_DISC(x, 0.5)",
)
BUCKET = "CASE WHEN cost < 0 THEN 0 WHEN cost >= 1000 THEN 5 ELSE CAST(FLOOR(cost / 250) AS INTEGER) + 1 END"
PLAIN = {
    "top": "SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex ORDER BY n DESC LIMIT 3",
    "having_named_like_a_column": "SELECT clinic, SUM(stay) AS s FROM visit GROUP BY clinic HAVING s > 3",
    # where plain SQL says something else than Privet on purpose
    "per_unit_correlation": "SELECT AVG(r), AVG(clip(slope, -100, 100)) FROM (SELECT NULLIF(CORR(cost, stay), 'nan') "
    "AS r, NULLIF(REGR_SLOPE(cost, stay), 'nan') AS slope FROM visit GROUP BY pid)",  # NaN is NULL
    "quantile_list": "SELECT QUANTILE_DISC(cost, 0.25), QUANTILE_DISC(cost, 0.75), sex FROM visit JOIN patient "
    "USING (pid) GROUP BY sex ORDER BY sex",  # which DuckDB has one column for
    "approximate_forms": "SELECT QUANTILE_DISC(cost, 0.5), COUNT(DISTINCT clinic), COUNT(DISTINCT pid) FROM visit",
    "buckets": f"SELECT {BUCKET} AS b, COUNT(*) FROM visit GROUP BY b",  # noqa: S608 - which DuckDB has no word for
    "bits_and_conditions": "SELECT SUM(age >> 1), SUM(age << 1), COUNT_IF(smoker = 1), COUNT_IF(age BETWEEN 30 AND 60) "
    "FROM patient",  # nor for SYMMETRIC
    "sum_division_by_whole": "SELECT SUM(1 / NULLIF(age - 40, 0)) FROM patient",  # a division by 0 is NULL
}
EMPTY = (0.0, None)  # what is said of a declared group that nobody is in; plain SQL does not have it
TIES = {"fetch"}  # ordered by counts of which several are equal: plain SQL may keep any of them


@pytest.fixture(name="world", scope="module")
def _world(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[ExactSession, Session, duckdb.DuckDBPyConnection]]:
    folder = tmp_path_factory.mktemp("golden")
    patients, visits = crowd(60, 90, seed=3)
    labs = [(visit[0], ("A00", "I10", "J45")[visit[0] % 3], visit[0] % 19 - 9.5) for visit in visits[::2]]
    catalog = hospital(folder, patients=patients, visits=visits, labs=labs)
    session, _ = session_with(catalog, limit=Guarantee(10_000, "0.5"))
    plain = duckdb.connect(":memory:")
    plain.execute(f"ATTACH '{folder / 'h.duckdb'}' AS h (READ_ONLY)")
    for table in ("patient", "visit", "clinic", "icd"):
        plain.execute(f"CREATE TABLE {table} AS SELECT * FROM h.{table}")  # noqa: S608 - names of this file
    plain.execute("CREATE TABLE lab AS SELECT lab.*, pid FROM h.lab JOIN h.visit USING (vid)")
    for macro in MACROS:
        plain.execute(macro)
    yield ExactSession(catalog, backend=Watched(catalog)), session, plain
    session.close()


World = tuple[ExactSession, Session, duckdb.DuckDBPyConnection]


def plainly(text: str) -> str:
    """The statement as DuckDB shall answer it: quantiles are values that occur."""
    text = re.sub(r"\bMEDIAN\s*\(", "quantile_half(", text, flags=re.IGNORECASE)
    text = re.sub(r"PERCENTILE_CONT", "PERCENTILE_DISC", text, flags=re.IGNORECASE)
    return re.sub(r"QUANTILE_CONT", "QUANTILE_DISC", text, flags=re.IGNORECASE)


def comparable(value: Any) -> Any:  # noqa: ANN401 - any cell
    """A cell of either engine: numbers as floats, dates as days."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()[:10]
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def alike(one: Any, other: Any) -> bool:  # noqa: ANN401 - any cells
    """Whether two cells agree, up to a lattice; a sum of nothing is 0 here and NULL in plain SQL."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=2e-3, abs_tol=2e-2) or (one == 0 and other is None)
    return one == other or (other is None and one == 0.0)


@pytest.mark.parametrize("name", [name for name in STATEMENTS if name not in TIES])
def test_without_noise_it_is_plain_sql(world: World, name: str) -> None:
    """Of fewer than a hundred rows the first and last percent are the first and last row, so MIN and MAX agree too."""
    exact, _, plain = world
    statement = PLAIN.get(name) or plainly(STATEMENTS[name])
    mine = [
        [comparable(cell) for cell in row.values()] for row in shown(exact.sql(STATEMENTS[name], limits=AMPLE).table)
    ]
    theirs = [[comparable(cell) for cell in row] for row in plain.execute(statement).fetchall()]
    left = list(enumerate(mine))
    order = []
    for row in theirs:
        found = next((each for each in left if len(each[1]) == len(row) and all(map(alike, each[1], row))), None)
        assert found is not None, f"{row} is not among {left[:8]}"
        left.remove(found)
        order.append(found[0])
    for _, row in left:
        assert sum(cell not in EMPTY for cell in row) <= most_keys(exact, name), f"{row} is not in {theirs[:8]}"
    if ordered(STATEMENTS[name]):
        assert order == sorted(order), "rows come in another order"


def test_orders_are_compared_at_all() -> None:
    assert sum(map(ordered, STATEMENTS.values())) >= 7


def most_keys(exact: ExactSession, name: str) -> int:
    """How many cells of a group that nobody is in say something: those of its declared keys."""
    last = exact.read(STATEMENTS[name]).stages[-1].source
    keys = last.keys if isinstance(last, Aggregate) else ()
    return len(keys) if all(key.domain is not None for key in keys) else 0


def ordered(text: str) -> bool:
    """Whether the whole answer is ordered: an ORDER BY after which nothing is closed."""
    return re.search(r"\bORDER BY\b[^()]*$", text, flags=re.IGNORECASE) is not None


def shown(table: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - an Arrow table
    """The rows without the ends of intervals."""
    ends = [name for name in table.column_names if name.endswith(("_low", "_high"))]
    rows: list[dict[str, Any]] = table.drop_columns(ends).to_pylist()
    return rows


@pytest.mark.parametrize("name", STATEMENTS)
def test_with_noise_it_has_the_same_columns(world: World, name: str) -> None:
    exact, session, _ = world
    answer = session.sql(STATEMENTS[name], epsilon=1, delta="1e-6")
    assert answer.table.schema == exact.sql(STATEMENTS[name]).table.schema
    assert answer.spent.epsilon in (0, 1)
    assert "spent" in repr(answer)
