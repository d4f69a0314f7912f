"""Sensitivity and Unit: exact, rounded up, and refused where they make no sense."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Sensitivity, Unit
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    NoisyMax,
    PartitionSelection,
    SparseVector,
    Staircase,
)

MOVES = st.fractions(min_value=Fraction(1, 10**9), max_value=10**9)


@given(MOVES, st.integers(1, 10**6))
def test_norms_are_exact_or_rounded_up(each: Fraction, cells: int) -> None:
    sensitivity = Sensitivity(each, cells)
    assert sensitivity.l1 == each * cells
    assert sensitivity.linf == each
    assert each**2 * cells <= sensitivity.l2**2 <= each**2 * cells * (1 + Fraction(1, 2**50))


@given(MOVES, st.integers(1, 1000), MOVES, MOVES)
def test_declared_norms_can_only_tighten(each: Fraction, cells: int, l1: Fraction, l2: Fraction) -> None:
    plain = Sensitivity(each, cells)
    declared = Sensitivity(each, cells, l1=l1, l2=l2)
    assert declared.l1 <= min(plain.l1, l1)
    assert declared.l2 <= min(plain.l2, l2)
    assert declared.linf <= declared.l2 <= declared.l1
    assert declared.l1**2 <= declared.l2**2 * cells * (1 + Fraction(1, 2**50)) or declared.l1 == l1


@given(st.fractions(min_value=0, max_value=10**30))
def test_roots_are_never_below(square: Fraction) -> None:
    assert root_above(square) ** 2 >= square


def test_roots_people_type_are_what_is_kept() -> None:
    assert Sensitivity(1, cells=2).l2 == Fraction(repr(math.sqrt(2)))
    assert Sensitivity(3, cells=4).l2 == 6
    assert root_above(Fraction(10**700)) >= 10**350


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, None, "many", True, "1/0"])
def test_moves_that_make_no_sense_are_refused(value: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="per_cell"):
        Sensitivity(value)


@pytest.mark.parametrize("cells", [0, -1, 1.5, True, None])
def test_cells_are_a_positive_whole_number(cells: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="cells"):
        Sensitivity(1, cells)


def test_large_products_do_not_overflow() -> None:
    """B12: limits multiply as whole numbers, however large."""
    assert Sensitivity(10**300, cells=10**20).l1 == 10**320
    assert Sensitivity(10**300, cells=10**20).l2 == 10**310


def test_units_are_compared_by_name_and_neighbors() -> None:
    assert Unit("person") == Unit("person", "add_remove") == Unit("person", Neighbors.ADD_REMOVE)
    assert Unit("person") != Unit("visit")
    assert Unit("person") != Unit("person", "replace")


@pytest.mark.parametrize(("name", "neighbors"), [("", "replace"), (" ", "replace"), (3, "replace"), ("person", "near")])
def test_units_without_a_meaning_are_refused(name: Any, neighbors: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        Unit(name, neighbors)


def test_reprs_show_what_was_declared() -> None:
    assert repr(Sensitivity("0.1")) == "Sensitivity(0.1)"
    assert repr(Sensitivity(1, cells=3)) == "Sensitivity(1, cells=3)"
    assert repr(Sensitivity(1, cells=3, l1=2)) == "Sensitivity(1, cells=3, l1=2)"


@pytest.mark.parametrize("bare", [1, 1.5, "1", None])
@pytest.mark.parametrize(
    "calibrated",
    [
        lambda s: Laplace.calibrated(epsilon=1, sensitivity=s),
        lambda s: Gaussian.calibrated(epsilon=1, delta=1e-6, sensitivity=s),
        lambda s: Gaussian.classical(epsilon=1, delta=1e-6, sensitivity=s),
        lambda s: Gaussian.calibrated(rho=1, sensitivity=s),
        lambda s: DiscreteLaplace.calibrated(epsilon=1, sensitivity=s),
        lambda s: DiscreteGaussian.calibrated(epsilon=1, delta=1e-6, sensitivity=s),
        lambda s: Exponential.calibrated(epsilon=1, sensitivity=s),
        lambda s: NoisyMax.calibrated(epsilon=1, sensitivity=s),
        lambda s: SparseVector.calibrated(epsilon=1, sensitivity=s, threshold=0),
        lambda s: PartitionSelection.calibrated(epsilon=1, delta=1e-6, sensitivity=s),
        lambda s: Staircase.calibrated(epsilon=1, sensitivity=s),
    ],
)
def test_a_bare_number_is_no_sensitivity(calibrated: Any, bare: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match=r"such as Sensitivity\(1\)"):
        calibrated(bare)


def test_gamma_is_exact_shown_and_part_of_what_is_compared() -> None:
    sampled = Sensitivity("0.5", cells=3, gamma="0.05")
    assert sampled.gamma == Fraction(1, 20)
    assert repr(sampled) == "Sensitivity(0.5, cells=3, gamma=0.05)"
    assert sampled != Sensitivity("0.5", cells=3)
    assert Sensitivity("0.5").gamma == 0


@pytest.mark.parametrize("gamma", [-0.1, 1, 2, math.nan, math.inf, None, "often", True])
def test_gammas_that_make_no_sense_are_refused(gamma: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="gamma must be"):
        Sensitivity(1, gamma=gamma)
