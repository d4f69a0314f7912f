"""The columns that are told beforehand are those that the answer has."""

from collections.abc import Iterator

import pytest

from privet.loss import Guarantee
from privet.query.scalars.arrow_types import ARROW
from privet.query.session import Session
from tests.support.hospital_sessions import crowd, hospital, session_with

STATEMENTS = [
    "SELECT COUNT(*) AS n FROM patient",
    "SELECT sex, COUNT(*) AS n, AVG(age) AS mean, MEDIAN(age) AS middle FROM patient GROUP BY sex",
    "SELECT sex, COUNT(*) AS n, 2 * COUNT(*) AS x, COUNT(*) > 3 AS y FROM patient GROUP BY sex ORDER BY n LIMIT 1",
    "SELECT CAST(COUNT(*) AS VARCHAR) AS said FROM patient",
    "SELECT n / 2.0 AS half, sex FROM (SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex) AS t",
    "WITH t AS (SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex) SELECT MAX(n) AS most, COUNT(*) AS rows FROM t",
    "SELECT sex, COUNT(*) AS n, SUM(COUNT(*)) OVER (ORDER BY sex) AS running FROM patient GROUP BY sex",
    "SELECT DISTINCT COUNT(*) AS n FROM patient",
    "SELECT COUNT(*) AS n, COUNT(*) + 1 AS n_low FROM patient",
    "SELECT zip, COUNT(*) AS n FROM patient GROUP BY zip",
    "SELECT MIN(day) AS first, AVG(cost) AS mean FROM visit",
    "SELECT region, beds FROM clinic",
    "SELECT 1 AS one, 'a' AS a",
]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    patients, visits = crowd(60, 120)
    made, _ = session_with(
        hospital(tmp_path_factory.mktemp("columns"), patients=patients, visits=visits), limit=Guarantee(100, "1e-2")
    )
    with made:
        yield made


@pytest.mark.parametrize("text", STATEMENTS)
def test_an_answer_has_the_columns_that_were_told(session: Session, text: str) -> None:
    told = session.explain(text, epsilon=1, delta="1e-6").answer
    answer = session.sql(text, epsilon=1, delta="1e-6")
    expected = []
    for column in told:
        expected.append((column.name, ARROW[column.type]))
        if column.interval:
            expected += [(f"{column.name}{end}", ARROW[column.type]) for end in ("_low", "_high")]
    assert expected == [(each.name, each.type) for each in answer.table.schema]
