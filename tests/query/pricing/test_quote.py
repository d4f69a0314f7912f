"""Planning: weights by name, limits in the place of the catalog's, and what is refused before anything is read."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from privet.core import Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import PartitionSelection
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.functions import call
from privet.query.options import Options, limits_of
from privet.query.plan.aggregation import Function
from privet.query.plan.limits import Limits
from privet.query.plan.statement import Key, Output, Stage, Statement
from privet.query.pricing.quote import quote_statement
from privet.query.scalars.expressions import Column, Literal, Reference
from privet.query.scalars.facts import Facts, Type
from tests.support.people import AGE, BY_CITY, COST, ONE, SEX, aggregate, asked, statement

PEOPLE = DeclaredTable("people", {"age": AGE.facts, "pid": Facts(Type.INTEGER)}, unit_column="pid")
CATALOG = Catalog("people", Unit("person"), Guarantee(10, "1e-5"), {"people": PEOPLE}, frames={"people": None})
OPTIONS = Options.of({"epsilon": 1, "delta": "1e-6"})


def test_names_stand_for_what_they_are_computed_from() -> None:
    source = aggregate(asked(Function.COUNT, AGE), asked(Function.SUM, COST), keys=BY_CITY)
    rows, total = (column for column, _ in source.items)
    ratio = call("divide", Reference(total), Reference(rows))
    one = call("multiply", Reference(total), Literal(2, Type.INTEGER))
    real = Facts(Type.REAL)
    output = Output(
        (
            (Column("ratio", real), ratio),
            (Column("twice", real), one),
            (Column("city", SEX.facts), Reference(BY_CITY[0].column)),
        )
    )
    told = Statement("…", (Stage("answer", source, output),))

    def shares(**weights: Any) -> list[float]:  # noqa: ANN401 - any number
        (stage,) = quote_statement(told, CATALOG, replace(OPTIONS, weights=weights)).stages
        assert isinstance(stage.selection, PartitionSelection)
        return [
            round(float(stage.selection.epsilon), 6),
            *(round(each.loss.epsilon(0), 6) for each in stage.mechanisms),
        ]

    assert shares() == [0.333333, 0.333333, 0.333333]
    assert shares(twice=2) == [0.25, 0.25, 0.5]
    assert shares(ratio="1.5") == [0.25, 0.375, 0.375]
    assert shares(city=2) == [0.5, 0.25, 0.25]
    assert shares(x1=2) == shares(twice=2)
    with pytest.raises(InvalidParameter, match=r"city.*ratio.*twice.*got 'salary'"):
        shares(salary=1)
    for bad in (0, -1, float("nan"), float("inf"), "a", None):
        with pytest.raises(InvalidParameter, match="the weight of 'ratio'"):
            shares(ratio=bad)


def test_public_keys_take_no_weight() -> None:
    public = (Key(Column("sex", SEX.facts), Reference(SEX), ("F", "M")),)
    with pytest.raises(InvalidParameter, match="weights must name"):
        quote_statement(
            statement(aggregate(asked(Function.AVG, AGE), keys=public)), CATALOG, replace(OPTIONS, weights={"sex": 2})
        )


def test_limits_take_the_place_of_the_catalogs() -> None:
    told = statement(aggregate(asked(Function.COUNT_ROWS)))
    assert quote_statement(told, CATALOG, OPTIONS).stages[0].sensitivities[0].l1 == 1
    more = quote_statement(told, CATALOG, replace(OPTIONS, limits=limits_of(rows_per_unit=9)))
    assert more.stages[0].sensitivities[0].l1 == 9
    assert more.stages[0].needs.aggregate.limits == Limits(rows_per_unit=9)
    assert told.stages[0].source.limits == ONE  # type: ignore[union-attr] # an aggregate


@pytest.mark.parametrize(
    "limits",
    [
        {"rows_per_unit": 0},
        {"rows_per_unit": 2.0},
        {"rows_per_unit": True},
        {"groups_per_unit": 2},
        {"rows_per_group": 2},
        {"rows_per_unit": 2, "groups_per_unit": 2},
        {"rows_per_unit": 1, "groups_per_unit": 1, "rows_per_group": 1},
    ],
)
def test_limits_that_are_none_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        limits_of(**limits)


def test_no_limits_and_both_kinds_are_fine() -> None:
    assert limits_of() is None
    assert limits_of(groups_per_unit=2, rows_per_group=3) == Limits(groups_per_unit=2, rows_per_group=3)


def test_too_many_public_groups_are_refused() -> None:
    key = Key(Column("age", AGE.facts), Reference(AGE), tuple(range(400)))
    with pytest.raises(InvalidParameter, match="160,000 groups"):
        quote_statement(statement(aggregate(asked(Function.COUNT_ROWS), keys=(key, key))), CATALOG, OPTIONS)


def test_shares_are_exact() -> None:
    told = statement(aggregate(asked(Function.COUNT_ROWS), asked(Function.AVG, COST), asked(Function.COUNT_UNITS)))
    assert quote_statement(told, CATALOG, Options.of({"epsilon": "0.1"})).loss.largest_loss == Fraction(1, 10)
