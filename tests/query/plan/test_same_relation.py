"""Alike: relations are the same only if every node, constant and column is."""

import pytest

from privet.query import sql
from privet.query.plan.same_relation import matched
from privet.query.plan.statement import Aggregate
from tests.support.hospital import HOSPITAL, public_values


def source(text: str) -> tuple[object, ...]:
    """What a statement aggregates, and by which keys."""
    statement = sql.read(text, HOSPITAL, values=public_values)
    (aggregate,) = [stage.source for stage in statement.stages if isinstance(stage.source, Aggregate)]
    return aggregate.source, aggregate.keys, aggregate.limits


SAME = [
    ("SELECT COUNT(*) FROM patient", "SELECT AVG(p.age) AS x FROM patient AS p"),
    ("SELECT sex, COUNT(*) FROM patient GROUP BY sex", "SELECT sex AS s, SUM(age) FROM patient GROUP BY 1 ORDER BY 2"),
    ("SELECT COUNT(*) FROM patient WHERE age > 40", "SELECT SUM(age) FROM patient WHERE age > 40"),
    (
        "SELECT COUNT(*) FROM patient JOIN visit USING (pid)",
        "SELECT SUM(v.stay) FROM patient AS p JOIN visit AS v USING (pid)",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT pid, MAX(stay) AS m FROM visit GROUP BY pid)",
        "SELECT AVG(m) FROM (SELECT pid, MAX(stay) AS m FROM visit GROUP BY pid) AS t",
    ),
]
OTHER = [
    ("SELECT COUNT(*) FROM patient", "SELECT COUNT(*) FROM visit"),
    ("SELECT COUNT(*) FROM patient", "SELECT sex, COUNT(*) FROM patient GROUP BY sex"),
    ("SELECT COUNT(*) FROM patient WHERE age > 40", "SELECT COUNT(*) FROM patient WHERE age > 41"),
    ("SELECT COUNT(*) FROM patient WHERE age > 40", "SELECT COUNT(*) FROM patient WHERE age >= 40"),
    ("SELECT COUNT(*) FROM visit WHERE cost > stay", "SELECT COUNT(*) FROM visit WHERE stay > cost"),
    (
        "SELECT COUNT(*) FROM visit a JOIN visit b USING (pid)",
        "SELECT COUNT(*) FROM visit a LEFT JOIN visit b USING (pid)",
    ),
    ("SELECT COUNT(*) FROM visit WHERE stay % 2 = 0", "SELECT COUNT(*) FROM visit WHERE stay % 2 = 1"),
    (
        "SELECT COUNT(*) FROM visit a JOIN visit b USING (pid) WHERE a.stay - 2 * b.stay > 3",
        "SELECT COUNT(*) FROM visit a JOIN visit b USING (pid) WHERE b.stay - 2 * a.stay > 3",
    ),
    (
        "SELECT COUNT(*) FROM visit a JOIN visit b USING (pid) WHERE a.stay > b.stay",
        "SELECT COUNT(*) FROM visit a JOIN visit b USING (pid) WHERE b.stay > a.stay",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT pid, MAX(stay) AS m FROM visit GROUP BY pid)",
        "SELECT COUNT(*) FROM (SELECT pid, MIN(stay) AS m FROM visit GROUP BY pid)",
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_rows_are_found(one: str, other: str) -> None:
    columns = matched(source(one), source(other))
    assert columns is not None
    assert len(set(columns.values())) == len(columns), "no two columns are one"


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_other_rows_are_told_apart(one: str, other: str) -> None:
    assert matched(source(one), source(other)) is None
    assert matched(source(other), source(one)) is None
    assert matched(source(one), source(one)) is not None
