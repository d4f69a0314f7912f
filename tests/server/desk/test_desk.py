"""The desk: what it asks, what it brings back, and for whom."""

from collections.abc import Iterator

import pyarrow as pa
import pytest

import privet
from privet.errors import NotAllowed
from privet.loss import Guarantee
from privet.server.desk import Asker, Desk
from privet.server.people import People
from privet.server.people.password import Work
from privet.server.settings import Settings

COUNT = "SELECT COUNT(*) AS n FROM patient"
ROWS = 500


@pytest.fixture
def people() -> Iterator[People]:
    opened = People.open(None, work=Work(16, 8, 1), iterations=4096)
    yield opened
    opened.close()


@pytest.fixture
def desk(people: People) -> Iterator[Desk]:
    frame = pa.table({"pid": list(range(ROWS)), "age": [each % 90 for each in range(ROWS)]})
    catalog = privet.Catalog.of(
        frame,
        table="patient",
        unit="person",
        unit_column="pid",
        limit=Guarantee(100),
        columns={"age": {"bounds": [0, 110]}},
    )
    opened = Desk.open(catalog, people=people, settings=Settings(), create=True)
    yield opened
    opened.close()


def test_an_equal_question_of_the_same_analyst_is_free(people: People, desk: Desk) -> None:
    ada, bob = (Asker.of(people.add(name), "http") for name in ("ada", "bob"))
    first = desk.ask(ada, COUNT, epsilon=1)
    again = desk.ask(ada, "SELECT COUNT(*) AS n\n FROM patient;", epsilon="1.0")
    other = desk.ask(bob, COUNT, epsilon=1)
    assert (again.repeated, again.number, again.answer.rows) == (True, first.number, first.answer.rows)
    assert (other.repeated, other.number != first.number) == (False, True)
    assert desk.budget(ada).spent.epsilon == desk.budget(bob).spent.epsilon == 1
    with pytest.raises(NotAllowed):
        desk.stored(bob, first.number)
