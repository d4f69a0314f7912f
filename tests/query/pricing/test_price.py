"""Pricing: what is chosen keeps what was asked, whatever is asked, and spends it on what has weight."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.asking.best_noise import best_noise
from privet.asking.budget import Budget
from privet.core import Ledger, Sensitivity, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, Neighbors, PrivacyLoss
from privet.loss.privacy_loss import sum_of
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace, PartitionCounts, PartitionSelection, TwoRoundSelection
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.mechanisms.least_noise import laplace_or_gaussian
from privet.query.aggregates.needs import needs_of
from privet.query.measures.request import Shape
from privet.query.options import Keywords, Options
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.limits import Limits
from privet.query.plan.statement import Aggregate, Key
from privet.query.pricing.price import price
from privet.query.pricing.priced import Priced
from tests.support.people import AGE, BY_CITY, BY_SEX, COST, ONE, aggregate, asked

MEDIAN = asked(Function.QUANTILE, COST, fraction=Fraction(1, 2))
ITEMS = [
    asked(Function.COUNT_ROWS),
    asked(Function.SUM, COST),
    asked(Function.AVG, AGE),
    asked(Function.STDDEV, COST),
    asked(Function.COUNT_UNITS),
    asked(Function.COUNT_DISTINCT, COST),
    MEDIAN,
]
FEW = Limits(groups_per_unit=3, rows_per_group=2)
MANY = Limits(groups_per_unit=200, rows_per_group=2)


def priced(*sources: Aggregate, neighbors: Neighbors = Neighbors.ADD_REMOVE, **spend: Any) -> Priced:  # noqa: ANN401 - any amount
    stages = [(f"s{place}", needs_of(source)) for place, source in enumerate(sources)]
    weights: Mapping[Any, Fraction] = spend.pop("weights", {})
    more = {name: spend.pop(name) for name in ("copies", "rounds", "gaussian") if name in spend}
    return price(stages, Options.of(cast("Keywords", spend)), neighbors=neighbors, weights=weights, **more)


@given(
    items=st.lists(st.sampled_from(ITEMS), min_size=1, max_size=4, unique=True),
    keys=st.sampled_from([(), BY_SEX, BY_CITY]),
    limits=st.sampled_from([ONE, FEW, MANY, Limits(rows_per_unit=7)]),
    neighbors=st.sampled_from(list(Neighbors)),
    spend=st.sampled_from(
        [
            {"epsilon": "0.1"},
            {"epsilon": 1, "delta": "1e-6"},
            {"epsilon": "8", "delta": "1e-9"},
            {"rho": "0.05"},
            {"rho": 3},
        ]
    ),
)
def test_prices_never_exceed_what_was_asked(
    items: list[Aggregation], keys: tuple[Key, ...], limits: Limits, neighbors: Neighbors, spend: dict[str, Any]
) -> None:
    """Composed by the loss's own arithmetic, with every mechanism covering what one unit can do."""
    source = aggregate(*items, keys=keys, limits=limits)
    if keys == BY_CITY and "delta" not in spend:
        with pytest.raises(InvalidParameter, match="delta"):
            priced(source, neighbors=neighbors, **spend)
        return
    plan = priced(source, neighbors=neighbors, **spend)
    (stage,) = plan.stages
    assert plan.loss == stage.loss
    assert all(each.covers(moves) for each, moves in zip(stage.mechanisms, stage.sensitivities, strict=True))
    assert (stage.selection is None) == (keys != BY_CITY)
    if "rho" in spend:
        assert plan.loss.zcdp() <= float(spend["rho"])
        assert plan.loss.zcdp() >= 0.99 * float(spend["rho"])
    else:
        assert plan.loss.meets(Guarantee(spend["epsilon"], spend.get("delta", 0)))


@pytest.mark.parametrize(("factor", "kept"), [(1 + Fraction(1, 10**10), True), (Fraction(2), False)])
def test_what_was_calibrated_wrongly_is_widened_or_refused(
    factor: Fraction, monkeypatch: pytest.MonkeyPatch, *, kept: bool
) -> None:
    """The composed loss has the last word, whatever chose the mechanisms."""
    calibrated = DiscreteLaplace.calibrated

    def wrongly(*, epsilon: Fraction, sensitivity: Sensitivity) -> DiscreteLaplace:
        return calibrated(epsilon=epsilon * factor, sensitivity=sensitivity)

    monkeypatch.setattr(DiscreteLaplace, "calibrated", wrongly)
    counted = aggregate(asked(Function.COUNT_ROWS))
    if kept:
        assert priced(counted, epsilon="0.37").loss.meets(Guarantee("0.37"))
    else:
        with pytest.raises(InvalidParameter, match="no mechanisms keep"):
            priced(counted, epsilon="0.37")


def test_pure_shares_add_up_exactly() -> None:
    plan = priced(aggregate(*ITEMS[:3], MEDIAN), epsilon="0.1")
    assert plan.loss.largest_loss == Fraction(1, 10)
    assert plan.loss.epsilon(0) == 0.1


def test_three_at_a_tenth_fit_three_tenths_and_the_fourth_does_not() -> None:
    cases: list[tuple[dict[str, Any], Guarantee]] = [
        ({}, Guarantee("0.3")),
        ({"delta": "1e-7"}, Guarantee("0.3", "3e-7")),
    ]
    for spend, limit in cases:
        plan = priced(aggregate(*ITEMS[:3], keys=BY_CITY if spend else BY_SEX), epsilon=0.1, **spend)
        ledger = Ledger(limit, unit=Unit("person"))
        promise = plan.options.promise
        assert isinstance(promise, Guarantee)
        for _ in range(3):
            ledger.reserve(plan.loss, purpose="one of three", promise=promise)
        assert ledger.spent.epsilon == Fraction(3, 10)
        assert ledger.remaining.epsilon == 0
        with pytest.raises(BudgetExceeded):
            ledger.reserve(plan.loss, purpose="the fourth", promise=promise)


def test_weights_are_shares() -> None:
    source = aggregate(asked(Function.COUNT_ROWS), asked(Function.SUM, COST))
    heavy = source.items[0][0]
    plan = priced(source, epsilon=1, weights={heavy: Fraction(3)})
    rows, total = plan.stages[0].mechanisms
    assert rows.loss.epsilon(0) == 0.75
    assert total.loss.epsilon(0) == 0.25
    gaussian = priced(source, rho=1, weights={heavy: Fraction(3)}).stages[0].mechanisms
    assert [round(each.loss.zcdp(), 6) for each in gaussian] == [0.75, 0.25]


def test_columns_that_share_numbers_bring_their_shares_together() -> None:
    source = aggregate(asked(Function.SUM, COST), asked(Function.AVG, COST), asked(Function.COUNT_UNITS))
    moments, units = priced(source, epsilon=3).stages[0].mechanisms
    assert moments.loss.epsilon(0) == 2
    assert units.loss.epsilon(0) == 1


def test_stages_share_one_promise() -> None:
    first = aggregate(asked(Function.AVG, AGE))
    second = aggregate(asked(Function.COUNT_ROWS), keys=BY_SEX)
    plan = priced(first, second, epsilon=1)
    assert [stage.loss.epsilon(0) for stage in plan.stages] == [0.5, 0.5]
    assert plan.loss == sum_of(stage.loss for stage in plan.stages)


def test_laplace_noise_where_it_is_less_and_gaussian_where_that_is() -> None:
    few = priced(aggregate(ITEMS[0], keys=BY_SEX), epsilon=1, delta="1e-6").stages[0].mechanisms[0]
    many = priced(aggregate(ITEMS[0], keys=BY_SEX, limits=MANY), epsilon=1, delta="1e-6").stages[0].mechanisms[0]
    assert isinstance(few, DiscreteLaplace)
    assert isinstance(many, Gaussian)
    assert float(many.scale) < 0.3 * math.sqrt(2) * float(many.l2_sensitivity) * math.sqrt(200)
    pure = priced(aggregate(ITEMS[0], keys=BY_SEX, limits=MANY), epsilon=1).stages[0].mechanisms[0]
    assert isinstance(pure, DiscreteLaplace | Laplace)


@pytest.mark.parametrize("groups", range(1, 17))
def test_the_same_question_gets_the_same_noise_through_every_door(groups: int) -> None:
    """A count by group in SQL, counts of an array, and answers of a function: Laplace noise up to 11 groups."""
    limits = Limits(groups_per_unit=groups, rows_per_group=1)
    sql = priced(aggregate(ITEMS[0], keys=BY_SEX, limits=limits), epsilon=1, delta="1e-6").stages[0].mechanisms[0]
    moved = Sensitivity(1, cells=groups)
    array = best_noise(Budget.of(epsilon=1, delta="1e-6"), moved, whole=True)
    function = laplace_or_gaussian(epsilon=1, delta="1e-6", sensitivity=moved)
    pure = groups <= 11
    assert isinstance(sql, DiscreteLaplace) is pure
    assert isinstance(array, DiscreteLaplace) is pure
    assert isinstance(function, Laplace) is pure


def test_gaussian_noise_is_calibrated_jointly() -> None:
    """Four columns cost less together than four prices at a quarter each."""
    source = aggregate(*ITEMS[:3], ITEMS[4], keys=BY_SEX, limits=MANY)
    together = priced(source, epsilon=1, delta="1e-6")
    units = next(
        mechanism
        for draw, mechanism in zip(together.stages[0].needs.draws, together.stages[0].mechanisms, strict=True)
        if draw.measure.shape is Shape.UNITS
    )
    alone = Gaussian.calibrated(epsilon="1/4", delta="1/4000000", sensitivity=Sensitivity(1, cells=200))
    assert isinstance(units, Gaussian)
    assert units.scale < alone.scale * Fraction(7, 10)
    assert together.loss.epsilon("1e-6") >= 0.999


def test_private_groups_get_their_share_of_epsilon_and_all_of_delta_beside_pure_noise() -> None:
    plan = priced(aggregate(ITEMS[1], keys=BY_CITY), epsilon=1, delta="1e-6")
    selection = plan.stages[0].selection
    assert isinstance(selection, PartitionSelection)
    assert selection.epsilon == pytest.approx(0.5, rel=1e-8)
    assert selection.delta == pytest.approx(1e-6, rel=1e-8)
    assert selection.partitions_per_unit == 1
    replaced = priced(aggregate(ITEMS[1], keys=BY_CITY), epsilon=1, delta="1e-6", neighbors=Neighbors.REPLACE)
    assert isinstance(replaced.stages[0].selection, PartitionSelection)
    assert replaced.stages[0].selection.partitions_per_unit == 2


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("items", [ITEMS[:1], ITEMS[4:5], [ITEMS[0], ITEMS[4]]])
def test_a_count_of_units_names_private_groups_for_the_whole_price(
    items: list[Aggregation], neighbors: Neighbors
) -> None:
    """Rows are units where one of each counts, and both are one number."""
    (stage,) = priced(aggregate(*items, keys=BY_CITY), epsilon=1, delta="1e-6", neighbors=neighbors).stages
    sides = 1 if neighbors is Neighbors.ADD_REMOVE else 2
    assert stage.mechanisms == (stage.selection,)
    assert isinstance(stage.selection, PartitionCounts)
    assert stage.selection.epsilon == pytest.approx(1 / sides, rel=1e-8)
    assert stage.loss == stage.selection.loss
    assert stage.noise_of(0) == DiscreteLaplace(1, 1 / stage.selection.epsilon)


def test_a_count_that_names_groups_brings_both_shares_together() -> None:
    source = aggregate(ITEMS[0], ITEMS[1], keys=BY_CITY)
    (stage,) = priced(source, epsilon=1, delta="1e-6", weights={BY_CITY[0].column: Fraction(2)}).stages
    counts, total = stage.mechanisms
    assert isinstance(counts, PartitionCounts)
    assert counts.epsilon == pytest.approx(0.75, rel=1e-8)
    assert total.loss.epsilon(0) == pytest.approx(0.25, rel=1e-8)


def test_where_no_number_is_left_beside_the_names_gaussian_noise_is_not_insisted_on() -> None:
    limits = Limits(groups_per_unit=40, rows_per_group=1)
    (stage,) = priced(
        aggregate(ITEMS[0], keys=BY_CITY, limits=limits), epsilon=1, delta="1e-6", rounds=False, gaussian=True
    ).stages
    assert isinstance(stage.selection, PartitionCounts)


@pytest.mark.parametrize("item", [asked(Function.COUNT, AGE), ITEMS[1], ITEMS[5]])
def test_what_is_not_a_count_of_units_does_not_name_groups(item: Aggregation) -> None:
    (stage,) = priced(aggregate(item, keys=BY_CITY), epsilon=1, delta="1e-6").stages
    assert isinstance(stage.selection, PartitionSelection)
    several = aggregate(ITEMS[0], keys=BY_CITY, limits=Limits(groups_per_unit=1, rows_per_group=2))
    assert isinstance(priced(several, epsilon=1, delta="1e-6").stages[0].selection, PartitionSelection)


TENS = Limits(groups_per_unit=10, rows_per_group=2)


def test_several_groups_are_named_in_two_rounds_that_share_the_noise_of_the_numbers() -> None:
    """One μ² for all, by weight; beside it naming costs two fifths of δ."""
    source = aggregate(ITEMS[1], keys=BY_CITY, limits=TENS)
    plan = priced(source, epsilon=1, delta="1e-6", weights={BY_CITY[0].column: Fraction(3)})
    (stage,) = plan.stages
    (total,) = stage.mechanisms
    assert isinstance(stage.selection, TwoRoundSelection)
    assert isinstance(total, Gaussian)
    assert stage.selection.groups_per_unit == 10
    assert float(stage.selection.mu / (total.l2_sensitivity / total.scale)) ** 2 == pytest.approx(3, rel=1e-6)
    assert float(stage.selection.delta) == pytest.approx(0.4e-6, rel=1e-6)
    assert plan.loss.meets(Guarantee(1, "1e-6"))
    assert plan.loss.epsilon("1e-6") > 0.999
    alone = priced(aggregate(keys=BY_CITY, limits=TENS), epsilon=1, delta="1e-6").stages[0].selection
    assert isinstance(alone, TwoRoundSelection)
    assert float(alone.mu) == pytest.approx(
        math.hypot(stage.selection.mu, total.l2_sensitivity / total.scale), rel=1e-3
    )


def test_two_rounds_are_for_several_groups_of_units_that_come_and_go_and_engines_that_list_them() -> None:
    source = aggregate(ITEMS[1], keys=BY_CITY, limits=TENS)
    one = aggregate(ITEMS[1], keys=BY_CITY, limits=Limits(groups_per_unit=1, rows_per_group=2))
    others = [
        priced(one, epsilon=1, delta="1e-6"),
        priced(source, epsilon=1, delta="1e-6", neighbors=Neighbors.REPLACE),
        priced(source, epsilon=1, delta="1e-6", rounds=False),
        priced(
            aggregate(keys=BY_CITY, limits=Limits(groups_per_unit=70_000, rows_per_group=1)), epsilon=1, delta="1e-6"
        ),
    ]
    assert all(isinstance(plan.stages[0].selection, PartitionSelection) for plan in others)
    assert "naming groups" not in {each.what for plan in others for each in plan.choices}


def test_how_groups_are_named_is_chosen_by_public_numbers_and_told() -> None:
    """Beside a count of units in few groups one release tells both; in many groups two rounds name smaller ones."""
    few, many = (
        priced(
            aggregate(ITEMS[4], keys=BY_CITY, limits=Limits(groups_per_unit=k, rows_per_group=1)),
            epsilon=1,
            delta="1e-6",
        )
        for k in (3, 30)
    )
    assert isinstance(few.stages[0].selection, PartitionCounts)
    assert isinstance(many.stages[0].selection, TwoRoundSelection)
    assert [each.way for plan in (few, many) for each in plan.choices if each.what == "naming groups"] == [
        "by how many units they have",
        "in two rounds",
    ]


def test_several_stages_share_one_promise_however_groups_are_named() -> None:
    sources = [
        aggregate(ITEMS[1], keys=BY_CITY, limits=TENS),
        aggregate(ITEMS[0], MEDIAN, keys=BY_CITY),
        aggregate(ITEMS[2], keys=BY_CITY, limits=TENS),
        aggregate(ITEMS[3]),
    ]
    plan = priced(*sources, epsilon=1, delta="1e-6")
    kinds = [type(stage.selection) for stage in plan.stages]
    assert kinds == [TwoRoundSelection, PartitionCounts, TwoRoundSelection, type(None)]
    assert plan.loss.meets(Guarantee(1, "1e-6"))
    assert plan.loss == sum_of(stage.loss for stage in plan.stages)


def test_noise_that_cannot_be_drawn_within_its_bound_names_groups_apart() -> None:
    (stage,) = priced(aggregate(ITEMS[0], keys=BY_CITY), epsilon="0.0001", delta="0.4999").stages
    assert isinstance(stage.selection, PartitionSelection)


def test_quantiles_are_chosen_for_all_groups_at_one_price() -> None:
    (choice,) = priced(aggregate(MEDIAN, keys=BY_SEX, limits=FEW), epsilon=1).stages[0].mechanisms
    assert isinstance(choice, GroupedChoice)
    assert choice.epsilon == 1
    assert choice.l1_sensitivity == 6 * priced(aggregate(MEDIAN), epsilon=1).stages[0].sensitivities[0].l1


@pytest.mark.parametrize("spend", [{"epsilon": "0.3"}, {"rho": "0.02"}, {"rho": 5}, {"epsilon": 2, "delta": "1e-6"}])
def test_an_interval_of_a_quantile_shares_what_the_quantile_would_cost(spend: dict[str, Any]) -> None:
    said = {**spend, "quantile_intervals": True, "confidence": 0.8}
    needs = needs_of(aggregate(MEDIAN, keys=BY_SEX), quantiles_within=0.8)
    options = Options.of(cast("Keywords", said))
    plan = price([("s0", needs)], options, neighbors=Neighbors.ADD_REMOVE)
    (interval,) = plan.stages[0].mechanisms
    assert isinstance(interval, GroupedInterval)
    assert interval.confidence == 0.8
    assert interval.part == needs.rankings[0].part
    assert needs.draws[0].cells == 3
    spent, allowed = (
        (plan.loss.zcdp(), float(options.promise.rho))
        if isinstance(options.promise, ConcentratedGuarantee)
        else (plan.loss.epsilon(0), float(options.promise.epsilon))
    )
    assert 0.99 * allowed <= spent <= allowed


def test_a_window_of_days_moves_as_far_as_all_its_days() -> None:
    one, week = (priced(aggregate(ITEMS[0]), epsilon=1, copies=days).stages[0] for days in (1, 7))
    assert week.sensitivities[0].l1 == 7 * one.sensitivities[0].l1
    with pytest.raises(InvalidParameter, match="windows"):
        priced(aggregate(ITEMS[0], keys=BY_CITY), epsilon=1, delta="1e-6", copies=7)


def test_a_statement_without_private_stages_costs_nothing() -> None:
    assert priced(epsilon=1).loss == PrivacyLoss()
