"""BernsteinGrid: its error is that of the released polynomial, and nothing but public numbers goes in."""

import math
from typing import Any

import numpy as np
import pytest

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.mechanisms import Bernstein, BernsteinFunction, Gaussian
from privet.noise import BitSource
from privet.stats.functions.bernstein_grid import READ_AT, BernsteinGrid

ASKED: dict[str, Any] = {"sensitivity": Sensitivity("0.01"), "waves": 1.5, "amplitude": 2, "epsilon": 1}


@pytest.mark.parametrize(("degree", "order"), [(5, 1), (12, 3), (20, 8)])
def test_the_bias_is_that_of_a_wave_of_any_phase(degree: int, order: int) -> None:
    grid = BernsteinGrid.best(**ASKED, degree=degree, order=order)
    errors = []
    for phase in np.arange(8) / 8 * 2 * math.pi:
        exact = 2 * np.sin(2 * math.pi * 1.5 * READ_AT + phase)
        on_grid = 2 * np.sin(2 * math.pi * 1.5 * np.arange(degree + 1) / degree + phase)
        errors.append(np.mean((BernsteinFunction(on_grid, order)(READ_AT) - exact) ** 2))
    assert grid.bias == pytest.approx(np.mean(errors), rel=1e-9)


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"epsilon": 1, "delta": "1e-5"}, {"rho": "0.5"}])
def test_the_noise_is_that_of_the_mechanism(price: Any, source: BitSource) -> None:  # noqa: ANN401 - keywords
    """n=1,500 releases; within a quarter, which is more than 5 standard errors; the control is a smaller degree."""
    grid = BernsteinGrid.best(**(ASKED | {"epsilon": None} | price), degree=12, order=4)
    if "rho" in price:
        noise = Gaussian.calibrated(rho=price["rho"], sensitivity=Sensitivity("0.01", cells=13))
        mechanism = Bernstein(noise, degree=12, order=4)
    else:
        mechanism = Bernstein.calibrated(**price, function_sensitivity="0.01", degree=12, order=4)
    found = np.mean([mechanism.sample(np.zeros(13), source)(READ_AT) ** 2 for _ in range(1500)])
    assert 0.75 < found / grid.noise < 1.25
    other = BernsteinGrid.best(**(ASKED | {"epsilon": None} | price), degree=5, order=4)
    assert not 0.75 < found / other.noise < 1.25


def test_the_best_is_no_worse_than_others() -> None:
    best = BernsteinGrid.best(**ASKED)
    assert best.error == pytest.approx(math.sqrt(best.noise + best.bias))
    for degree in (1, 5, best.degree - 1, best.degree + 1, 60):
        for order in (1, 2, best.order):
            assert BernsteinGrid.best(**ASKED, degree=degree, order=order).error >= best.error
    assert BernsteinGrid.best(**ASKED, degree=30).degree == 30
    assert BernsteinGrid.best(**ASKED, order=2).order == 2


def test_less_noise_and_more_waves_take_a_finer_grid() -> None:
    degrees = [BernsteinGrid.best(**(ASKED | {"sensitivity": Sensitivity(s)})).degree for s in ("0.1", "0.01", "1e-4")]
    assert degrees == sorted(degrees)
    assert degrees[0] < degrees[-1]
    assert BernsteinGrid.best(**(ASKED | {"waves": 4})).degree > BernsteinGrid.best(**ASKED).degree


def test_in_more_dimensions_grids_are_coarser() -> None:
    flat = BernsteinGrid.best(**ASKED)
    surface = BernsteinGrid.best(**ASKED, dimension=2)
    assert surface.degree <= flat.degree
    assert surface.error > flat.error
    assert BernsteinGrid.best(**(ASKED | {"sensitivity": Sensitivity("1e-30")}), dimension=4).degree == 15  # 2^16 cells


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"waves": 0}, "waves must be > 0"),
        ({"amplitude": -1}, "amplitude must be > 0"),
        ({"waves": math.nan}, "waves must be a finite number"),
        ({"epsilon": 0}, "epsilon must be > 0"),
        ({"epsilon": None}, "say what to spend"),
        ({"rho": 1}, "say what to spend"),
        ({"degree": 0}, "degree must be a whole number"),
        ({"order": 0}, "order must be a whole number"),
        ({"dimension": 0}, "dimension must be a whole number"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidParameter, match=says):
        BernsteinGrid.best(**(ASKED | change))


def test_repr_says_what_to_expect() -> None:
    assert repr(BernsteinGrid(12, 3, 0.0009, 0.0007)) == (
        "BernsteinGrid(degree=12, order=3, root mean square error about 0.04)"
    )
