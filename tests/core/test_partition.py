"""Partition: blocks, and what answers about them cost together."""

import pytest

from privet.core.partition import Partition
from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, LaplaceCurve, Neighbors, PrivacyLoss

REGIONS = Partition({"north": ["Turin", "Milan"], "south": ["Naples"], "islands": ["Palermo"]})
PEOPLE = [("ann", "Turin"), ("bob", "Naples"), ("cid", "Milan"), ("dan", "Zurich")]


def laplace(epsilon: str) -> PrivacyLoss:
    return PrivacyLoss.of(LaplaceCurve(epsilon))


def test_units_are_split_by_their_label() -> None:
    parts = REGIONS.split(PEOPLE, label=lambda person: person[1])
    assert {name: [who for who, _ in part] for name, part in parts.items()} == {
        "north": ["ann", "cid"],
        "south": ["bob"],
        "islands": [],
    }


def test_the_worst_block_counts_when_units_come_and_go_and_two_when_they_move() -> None:
    loss = REGIONS.loss({"north": laplace("0.3"), "south": laplace("1"), "islands": laplace("0.5")})
    assert loss.under(Neighbors.ADD_REMOVE).epsilon(0) == 1
    assert loss.under(Neighbors.REPLACE).epsilon(0) == 1.5
    mixed = REGIONS.loss({"north": laplace("0.3"), "south": PrivacyLoss.of(GaussianCurve("0.2"))})
    both = laplace("0.3") + PrivacyLoss.of(GaussianCurve("0.2"))
    assert mixed.under(Neighbors.REPLACE).delta(1) == pytest.approx(both.delta(1), rel=1e-3)


def test_one_block_costs_its_own() -> None:
    assert REGIONS.loss({"north": laplace("0.3")}) == laplace("0.3")


@pytest.mark.parametrize("blocks", [{}, {"a": []}, {"a": [1], "b": [2, 1]}, {"a": "xy", "b": "yz"}])
def test_bad_blocks_are_refused(blocks: dict[str, list[int]]) -> None:
    with pytest.raises(InvalidParameter, match="blocks must"):
        Partition(blocks)


def test_an_overlap_is_named() -> None:
    with pytest.raises(InvalidParameter, match="'Milan'"):
        Partition({"north": ["Turin", "Milan"], "large": ["Milan", "Rome"]})


def test_losses_of_unknown_blocks_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="west"):
        REGIONS.loss({"west": laplace("1")})
    with pytest.raises(InvalidParameter, match="none"):
        REGIONS.loss({})


def test_a_random_label_is_refused() -> None:
    tosses = iter(["Turin", "Naples"] * 10)
    with pytest.raises(InvalidParameter, match="random"):
        REGIONS.split(PEOPLE, label=lambda _: next(tosses))
