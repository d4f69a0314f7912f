"""Kernel regression: against plain loops, for every kind of row, and what moves when one row does."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.stats.functions import kernel_regression
from privet.stats.functions.kernel_regression import KernelRegression
from privet.stats.functions.nadaraya_watson import NadarayaWatson
from privet.stats.functions.priestley_chao import PriestleyChao

POINTS = [0.0, 0.2, 0.5, 0.99, 1.0]
KINDS: list[KernelRegression] = [
    PriestleyChao("0.1"),
    PriestleyChao("0.3", normalized=False),
    PriestleyChao("0.05", spacing="even"),
    NadarayaWatson("0.1"),
    NadarayaWatson("0.02", otherwise=0.25),
]
ODD = st.sampled_from([0.0, 0.25, 0.5, 0.5, 1.0, -3.0, 7.0, math.nan, math.inf, -math.inf, 5e-324, 1e300])
NUMBERS = st.floats(0, 1) | ODD
ROWS = st.lists(st.tuples(NUMBERS, st.floats(-2, 2) | st.sampled_from([math.nan, math.inf])), min_size=1, max_size=6)


def plain(kind: KernelRegression, rows: Any, at: float) -> float:  # noqa: ANN401 - pairs of numbers
    """The definition, one row after the other."""
    width = float(kind.bandwidth)
    low, high = map(float, kind.bounds)
    known = [(min(max(x, low), high), y) if math.isfinite(x) and math.isfinite(y) else (low, None) for x, y in rows]
    weights = [math.exp(-(((at - x) / width) ** 2) / 2) for x, _ in known]
    if isinstance(kind, NadarayaWatson):
        total = sum(w for w, (_, y) in zip(weights, known, strict=True) if y is not None)
        summed = sum(w * y for w, (_, y) in zip(weights, known, strict=True) if y is not None)
        return summed / total if total > 0 else kind.otherwise
    assert isinstance(kind, PriestleyChao)
    order = sorted(range(len(known)), key=lambda index: known[index][0])
    value = 0.0
    for place, index in enumerate(order):
        x, y = known[index]
        gap = x - known[order[place - 1]][0] if place else 0.0
        gap = (high - low) / len(known) if kind.spacing == "even" else gap
        value += gap * weights[index] * (y or 0.0)
    return value / width / (math.sqrt(2 * math.pi) if kind.normalized else 1)


@pytest.mark.parametrize("kind", KINDS, ids=repr)
@given(rows=ROWS)
def test_values_are_those_of_the_definition(kind: KernelRegression, rows: list[tuple[float, float]]) -> None:
    found = kind.on(POINTS)(rows)
    wanted = [plain(kind, rows, at) for at in POINTS]
    assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12)
    curve = kind(rows)
    assert np.array_equal(curve(POINTS), found)
    assert curve(0.5) == pytest.approx(found[2], rel=1e-12, abs=1e-12)
    assert np.isfinite(found).all(), "no dataset makes a regression fail"


@pytest.mark.parametrize("kind", KINDS, ids=repr)
@pytest.mark.parametrize("removed", [False, True])
@given(rows=ROWS, one=st.tuples(NUMBERS, st.floats(-2, 2)), other=st.tuples(NUMBERS, st.floats(-2, 2)))
def test_a_move_is_the_difference_of_two_curves(
    kind: KernelRegression,
    *,
    removed: bool,
    rows: list[Any],
    one: tuple[float, float],
    other: tuple[float, float],
) -> None:
    f = kind.on(POINTS)
    shared = np.array(rows).reshape(1, -1, 2)
    first = np.array([one]).reshape(1, 1, 2)
    second = np.empty((1, 0, 2)) if removed else np.array([other]).reshape(1, 1, 2)
    wanted = f(np.concatenate((shared, first), axis=1)) - f(np.concatenate((shared, second), axis=1))
    assert np.allclose(f.move(shared, first, second), wanted, rtol=1e-9, atol=1e-12)


def test_a_move_from_a_single_row() -> None:
    nobody = np.empty((2, 0, 2))
    one, other = np.full((2, 1, 2), 0.5), np.full((2, 1, 2), 0.7)
    for kind in KINDS:
        f = kind.on(POINTS)
        assert np.allclose(f.move(nobody, one, other), f(one) - f(other))


def test_many_datasets_at_once_and_some_points_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).random((3, 4, 20, 2))
    for kind in KINDS:
        whole = kind.on(POINTS)(rows)
        assert whole.shape == (3, 4, 5)
        assert np.allclose(whole[1, 2], kind.on(POINTS)(rows[1, 2]), rtol=1e-12)
        with monkeypatch.context() as patch:
            patch.setattr(kernel_regression, "AT_ONCE", 1)
            assert np.allclose(kind.on(POINTS)(rows), whole, rtol=1e-12)


def test_a_normalized_curve_meets_its_target_and_the_other_is_too_large() -> None:
    x = np.linspace(0, 1, 2001)
    rows = np.stack((x, 2 + np.sin(3 * x)), axis=1)
    for kind in (PriestleyChao("0.02"), PriestleyChao("0.02", spacing="even"), NadarayaWatson("0.02")):
        assert kind(rows)(0.5) == pytest.approx(2 + math.sin(1.5), abs=5e-3)
    assert PriestleyChao("0.02", normalized=False)(rows)(0.5) / PriestleyChao("0.02")(rows)(0.5) == pytest.approx(
        2.5066, abs=1e-4
    )


def test_order_of_rows_does_not_matter_where_x_differ() -> None:
    rows = np.random.default_rng(2).random((50, 2))
    for kind in KINDS:
        assert np.allclose(kind.on(POINTS)(rows), kind.on(POINTS)(rows[::-1]), rtol=1e-12)


@pytest.mark.parametrize("kind", [PriestleyChao, NadarayaWatson])
def test_what_makes_no_sense_is_refused(kind: Any) -> None:  # noqa: ANN401 - a class
    for bandwidth in (0, -1, math.nan, "wide"):
        with pytest.raises(InvalidParameter, match="bandwidth"):
            kind(bandwidth)
    with pytest.raises(InvalidParameter, match="bounds must be a lower"):
        kind(1, bounds=(1, 1))
    good = kind("0.1", bounds=(0, 10))
    for points in ([-0.1], [10.1], [math.nan]):
        with pytest.raises(InvalidParameter, match=r"within the bounds \[0, 10\]"):
            good.on(points)
        with pytest.raises(InvalidParameter, match="within the bounds"):
            good([[1, 2]])(points)
    for shape in ((0,), (1, 1)):
        with pytest.raises(InvalidParameter, match="at least one x"):
            good.on(np.full(shape, 0.5))
    with pytest.raises(InvalidParameter, match="at least one row"):
        good(np.empty((0, 2)))
    for data in ([1.0, 2.0], [[1.0, 2.0, 3.0]], 5):
        with pytest.raises(InvalidParameter, match=r"shape \(rows, 2\)"):
            good.on([1.0])(data)


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="spacing"):
        PriestleyChao("0.1", spacing="odd")
    with pytest.raises(InvalidParameter, match="otherwise"):
        NadarayaWatson("0.1", otherwise=math.nan)


def sine(waves: float) -> NDArray[np.float64]:
    x = np.linspace(0, 10, 20_001)
    return np.stack((x, np.sin(2 * math.pi * waves * x / 10)), axis=1)


def test_waves_say_what_the_kernel_leaves() -> None:
    kind = PriestleyChao("0.1", bounds=(0, 10))
    crest = 10 / (4 * kind.waves) + 10 / kind.waves * 7  # of the wave, far from the ends
    assert kind(sine(kind.waves))(crest) == pytest.approx(math.exp(-0.5), abs=1e-3)
