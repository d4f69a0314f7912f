# ruff: noqa: S608 - invented statements
"""Many threads on one session, many sessions on one ledger: every answer is its own, and every spend is counted."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import privet
from privet.core import Ledger
from privet.errors import BudgetExceeded
from privet.loss import Guarantee
from privet.query.catalog import Catalog
from tests.support.slow_catalogs import COUNT, of_one_person

pytestmark = pytest.mark.whole

THREADS = 8
PEOPLE = 2000
SURE = 10_000  # an epsilon at which noise is next to nothing


@pytest.fixture(name="catalog")
def _catalog() -> Catalog:
    people = pa.table({"id": range(PEOPLE), "age": [n % 100 for n in range(PEOPLE)]})
    columns = {"age": {"type": "integer", "bounds": [0, 99]}}
    return Catalog.of(people, table="people", unit="person", unit_column="id", limit=Guarantee(10**9), columns=columns)


def at_once(ask: Callable[[int], Any], times: int = 5 * THREADS) -> list[Any]:
    """What a function gives for 0, 1, 2, …, called from several threads."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(ask, range(times)))


def test_threads_that_share_a_session_do_not_see_each_other(catalog: Catalog) -> None:
    """Statements of two stages: the second reads what the first released, which is another table in every thread."""
    first = "WITH a AS (SELECT AVG(age) AS y FROM people WHERE age < {0}) "
    text = first + "SELECT COUNT(*) AS n FROM people JOIN a ON age <= y"

    def ask(number: int) -> int:
        young = 2 * number + 11  # ages below are 0, 1, …, and their average lies on an age
        return int(session.sql(text.format(young), epsilon=SURE).rows[0]["n"])

    with privet.connect(catalog, threads=2) as session:
        found = at_once(ask)
        counts = [PEOPLE // 100 * (number + 6) for number in range(len(found))]
        assert found == pytest.approx(counts, abs=21), "the released average may lie just below the age"
        assert all(count - 21 <= n <= count + 1 for n, count in zip(found, counts, strict=True))
        assert session.ledger.spent.epsilon == SURE * len(found)


def test_batches_from_many_threads(catalog: Catalog) -> None:
    def ask(number: int) -> list[int]:
        texts = [f"SELECT COUNT(*) AS n FROM people WHERE age < {number + more}" for more in (1, 2)]
        return [int(answer.rows[0]["n"]) for answer in session.batch(texts, epsilon=SURE)]

    with privet.connect(catalog, threads=2) as session:
        found = at_once(ask)
        assert found == [[20 * (number + 1), 20 * (number + 2)] for number in range(len(found))]


def test_the_same_key_from_many_threads_is_paid_once(tmp_path: Path) -> None:
    file = of_one_person(tmp_path, rows=100)
    with privet.connect(file, threads=1) as session:
        found = at_once(lambda _: session.sql(COUNT, epsilon=1, key="once").rows, 2 * THREADS)
        assert all(rows == found[0] for rows in found)
        assert session.ledger.spent.epsilon == 1


def test_sessions_that_share_a_ledger_never_spend_more_than_it_has(tmp_path: Path) -> None:
    file = of_one_person(tmp_path, rows=100)
    file.write_text(file.read_text(encoding="utf-8").replace("epsilon = 1000", "epsilon = 10"), encoding="utf-8")

    def ask(number: int) -> bool:
        try:
            return bool(sessions[number % len(sessions)].sql(COUNT, epsilon="0.3").rows)
        except BudgetExceeded:
            return False

    sessions = [privet.connect(file, threads=1) for _ in range(4)]
    found = at_once(ask, 50)
    for session in sessions:
        session.close()
    assert sum(found) == 33
    with Ledger.open(str(file.with_suffix(".ledger.db"))) as ledger:
        ledger.verify()
        assert ledger.spent.epsilon == 33 * Fraction("0.3")
