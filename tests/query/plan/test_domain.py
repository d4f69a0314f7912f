"""Keys whose values are public."""

from datetime import date, timedelta
from fractions import Fraction

import pytest

from privet.query.functions import call, evaluate
from privet.query.plan.domain import MOST_IN_ALL, domain_of, within_all
from privet.query.scalars.expressions import Column, Expression, Literal, Reference
from privet.query.scalars.facts import Facts, Type, Value


def values(table: str, column: str) -> tuple[Value, ...]:
    assert (table, column) == ("clinic", "region")
    return ("North", "South", None)


def column(facts: Facts) -> Reference:
    return Reference(Column("x", facts))


def integer(value: int) -> Literal:
    return Literal(value, Type.INTEGER)


AGE = column(Facts(Type.INTEGER, nullable=False, low=Fraction(0), high=Fraction(110)))
SEX = column(Facts(Type.TEXT, nullable=True, values=("f", "m")))
DAY = column(Facts(Type.DATE, nullable=False, low=Fraction(19_723), high=Fraction(20_088)))  # 2024
COST = column(Facts(Type.REAL, nullable=False, low=Fraction(0), high=Fraction(50)))


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (SEX, ("f", "m", None)),
        (call("upper", SEX), ("F", "M", None)),
        (call("coalesce", SEX, Literal("?", Type.TEXT)), ("f", "m", "?")),
        (column(Facts(Type.BOOLEAN, nullable=False)), (False, True)),
        (column(Facts(Type.TEXT, nullable=False, origin=("clinic", "region"))), ("North", "South")),
        (column(Facts(Type.TEXT, nullable=True, origin=("clinic", "region"))), ("North", "South", None)),
        (call("multiply", call("integer_divide", AGE, integer(50)), integer(50)), (0, 50, 100)),
        (call("gt", AGE, integer(50)), (False, True)),
        (call("floor", call("divide", COST, integer(25))), (0, 1, 2)),
        (call("quarter", DAY), (1, 2, 3, 4)),
        (call("trunc_month", DAY), tuple(f"2024-{month:02}-01" for month in range(1, 13))),
        (column(Facts(Type.TEXT)), None),
        (COST, None),
        (column(Facts(Type.INTEGER, low=Fraction(0))), None),
        (column(Facts(Type.INTEGER, low=Fraction(0), high=Fraction(10_000))), None),
    ],
)
def test_domains(key: Expression, expected: tuple[Value, ...] | None) -> None:
    assert domain_of(key, values=values) == expected


def test_days_are_listed() -> None:
    domain = domain_of(DAY, values=values)
    assert domain is not None
    assert (domain[0], domain[-1], len(domain)) == ("2024-01-01", "2024-12-31", 366)


def test_the_largest_is_given_up_when_there_are_too_many() -> None:
    small, large = tuple(range(100)), tuple(range(2_000))
    assert within_all([small, large]) == [small, None]
    assert within_all([small, None, small]) == [small, None, small]
    assert len(small) ** 2 <= MOST_IN_ALL < len(small) * len(large)


@pytest.mark.parametrize(("part", "count"), [("trunc_year", 3), ("trunc_month", 25), ("trunc_week", 106)])
@pytest.mark.parametrize("kind", [Type.DATE, Type.TIMESTAMP])
def test_starts_of_years_months_and_weeks_are_listed_alone(part: str, count: int, kind: Type) -> None:
    scale = 1 if kind is Type.DATE else 86_400
    facts = Facts(kind, nullable=False, low=Fraction(19_358 * scale), high=Fraction(20_089 * scale))
    key = call(part, Reference(Column("day", facts)))
    found = domain_of(key, values=lambda *_: ())
    assert found is not None
    days = [date(2023, 1, 1) + timedelta(days=n) for n in range(732)]
    starts = {evaluate(call(part, Literal(day.isoformat(), Type.DATE)), {}) for day in days}
    assert set(found) == starts
    assert len(found) == count
