"""The dataframe door: one SQL text, step by step, never by changing an earlier step."""

from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pytest

from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.query.catalog import Catalog
from privet.query.frame import Rows, table_of

if TYPE_CHECKING:
    from privet.query.session import Session

PEOPLE = pa.table({"id": [1], "age": [1], "city": ["a"], "salary": [1.0], "day": ["x"], 'odd "name': [1]})
CITIES = pa.table({"city": ["a"], "canton": ["b"]})


class Recorded:
    """A session that remembers what it was asked."""

    def __init__(self) -> None:
        columns: dict[str, dict[str, Any]] = {name: {} for name in PEOPLE.schema.names}
        self.catalog = Catalog.of(
            PEOPLE,
            table="people",
            unit="person",
            unit_column="id",
            limit=Guarantee(1),
            columns=columns,
            public={"cities": CITIES},
        )
        self.asked: list[tuple[str, str, dict[str, Any]]] = []

    def sql(self, text: str, **asking: Any) -> str:  # noqa: ANN401 - whatever is asked
        self.asked.append(("sql", text, asking))
        return "answer"

    def explain(self, text: str, **asking: Any) -> str:  # noqa: ANN401 - the same
        self.asked.append(("explain", text, asking))
        return "explanation"


@pytest.fixture
def people() -> Rows:
    return table_of(cast("Session", Recorded()), "People")


def test_the_shape_of_a_statement(people: Rows) -> None:
    summary = (
        people.where("age > 40", "city <> 'x;--('")
        .group_by("city", year="YEAR(day)")
        .agg(pay="AVG(salary)", n="COUNT(*)")
        .having("n > 10")
        .order_by("pay DESC", "city")
        .limit(5, offset=2)
    )
    assert summary.sql == (
        """SELECT city, (YEAR(day)) AS "year", AVG(salary) AS "pay", COUNT(*) AS "n" FROM "people" """
        """WHERE (age > 40) AND (city <> 'x;--(') GROUP BY city, YEAR(day) HAVING (n > 10) """
        """ORDER BY pay DESC, city LIMIT 5 OFFSET 2"""
    )


def test_steps_leave_earlier_ones_alone(people: Rows) -> None:
    old = people.where("age > 40")
    one = old.agg(n="COUNT(*)")
    two = old.where("age < 60").agg(n="COUNT(*)")
    assert one.sql == 'SELECT COUNT(*) AS "n" FROM "people" WHERE (age > 40)'
    assert two.sql == 'SELECT COUNT(*) AS "n" FROM "people" WHERE (age > 40) AND (age < 60)'
    assert people.conditions == ()


def test_new_columns_and_joins(people: Rows) -> None:
    assert people.select("age", double="age * 2").where("double > 4").agg(s="SUM(double)").sql == (
        'SELECT SUM(double) AS "s" FROM (SELECT age, (age * 2) AS "double" FROM "people") AS "rows" WHERE (double > 4)'
    )
    wider = people.where("age > 1").with_columns(AGE="age + 1")
    assert wider.names == ("id", "city", "salary", "day", 'odd "name', "AGE")
    assert '"odd ""name"' in wider.source
    joined = people.join("cities", using="city").group_by("canton").agg(n="COUNT(*)")
    assert joined.sql == ('SELECT canton, COUNT(*) AS "n" FROM "people" JOIN "cities" USING ("city") GROUP BY canton')
    assert people.join("cities", using=["city"]).names[-1] == "canton"
    both = people.where("age > 1").join(people.select("id", "age"), using="id", how="left").agg(n="COUNT(*)").sql
    assert 'WHERE (age > 1)) AS "one" LEFT JOIN (SELECT "id", "age" FROM (SELECT id, age FROM "people")' in both


def test_asking_goes_through_the_session() -> None:
    session = Recorded()
    summary = table_of(cast("Session", session), "people").agg(n="COUNT(*)")
    answer: object = summary.answer(epsilon=1, key="k")
    explanation: object = summary.explain(delta=1)
    assert (answer, explanation) == ("answer", "explanation")
    text = 'SELECT COUNT(*) AS "n" FROM "people"'
    assert session.asked == [
        ("sql", text, {"epsilon": 1, "key": "k", "purpose": None, "weights": None}),
        ("explain", text, {"delta": 1, "weights": None}),
    ]
    assert repr(summary) == f"Summary({text})"


@pytest.mark.parametrize(
    "text", ["age > 1) OR (1 = 1", "age > 1 -- x", "age > 1; SELECT 1", "f(age", "'open", '"open', "/* x */ age", "", 3]
)
def test_pieces_cannot_run_into_each_other(people: Rows, text: Any) -> None:  # noqa: ANN401 - whatever is typed
    for step in (
        people.where,
        people.group_by,
        people.select,
        people.agg(n="COUNT(*)").having,
        people.agg(n="COUNT(*)").order_by,
        lambda piece: people.agg(n=piece),
        lambda piece: people.with_columns(n=piece),
        lambda piece: people.group_by(n=piece),
    ):
        with pytest.raises(InvalidParameter):
            step(text)


def test_mistakes_are_told_at_once(people: Rows) -> None:
    with pytest.raises(InvalidParameter, match="there is no table peple: did you mean people"):
        table_of(people.session, "peple")
    with pytest.raises(InvalidParameter, match="there is no 'outer' join"):
        people.join("cities", using="city", how="outer")
    with pytest.raises(InvalidParameter, match='"cities" has no column age'):
        people.join("cities", using="age")
    with pytest.raises(InvalidParameter, match="ask for at least one number"):
        people.agg()
    with pytest.raises(InvalidParameter, match="name at least one key"):
        people.group_by()
    with pytest.raises(InvalidParameter, match="name at least one column"):
        people.select()
    for wrong in (-1, 1.5, True):
        with pytest.raises(InvalidParameter, match="limit must be a whole number"):
            people.agg(n="COUNT(*)").limit(wrong)  # type: ignore[arg-type] # that is the point
