"""The best noise: the least expected error at a price, from public numbers."""

import math
from typing import Any

import numpy as np
import pytest

from privet import Guarantee, Sensitivity
from privet.errors import InvalidParameter
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Exponential, Gaussian, Laplace, Staircase
from privet.noise import BitSource
from privet.stats.asking.best_noise import best_noise, expected_error
from privet.stats.asking.price import Price


@pytest.mark.parametrize(
    ("price", "sensitivity", "whole", "kind"),
    [
        ({"epsilon": 1}, Sensitivity(1), False, Staircase),
        ({"epsilon": 1}, Sensitivity(3), True, DiscreteLaplace),
        ({"epsilon": 1}, Sensitivity(1, cells=2), False, Laplace),
        ({"epsilon": 1, "delta": 1e-6}, Sensitivity(1), False, Staircase),
        ({"epsilon": 1, "delta": 1e-6}, Sensitivity(1, cells=40), False, Gaussian),
        ({"epsilon": 1, "delta": 1e-6}, Sensitivity(1, cells=40), True, DiscreteGaussian),
        ({"epsilon": 1, "delta": 0.1}, Sensitivity(1, cells=2), False, Gaussian),
        ({"rho": "0.5"}, Sensitivity(1), False, Gaussian),
        ({"rho": "0.5"}, Sensitivity(2), True, DiscreteGaussian),
    ],
)
def test_which_noise_is_best(price: dict[str, Any], sensitivity: Sensitivity, whole: bool, kind: type) -> None:  # noqa: FBT001 - a parameter
    noise = best_noise(Price.of(price), sensitivity, whole=whole)
    assert type(noise) is kind
    assert noise.covers(sensitivity)
    if "rho" in price:
        assert noise.loss.zcdp() <= float(price["rho"])
    else:
        assert noise.loss.meets(Guarantee(price["epsilon"], price.get("delta", 0)))


def test_the_staircase_beats_laplace_by_the_known_amount() -> None:
    stairs = best_noise(Price.of({"epsilon": 1}), Sensitivity(1))
    assert expected_error(stairs) == pytest.approx(math.exp(0.5) / (math.e - 1), rel=1e-6)
    assert expected_error(stairs) == pytest.approx(0.9595, abs=1e-4)


@pytest.mark.parametrize(
    "noise", [Laplace(1, 2), Gaussian(1, 2), Staircase(1, 1), DiscreteLaplace(1, 2), DiscreteGaussian(1, "0.7")]
)
def test_expected_errors_are_those_of_the_noise(noise: Any, source: BitSource) -> None:  # noqa: ANN401 - noise
    """n = 100,000; the mean size within six deviations of itself; the control is 5 % off."""
    sizes = np.abs(np.asarray(noise.sample(np.zeros(100_000, dtype=int), source), dtype=float))
    slack = 6 * float(sizes.std()) / math.sqrt(100_000)
    assert abs(float(sizes.mean()) - expected_error(noise)) < slack
    assert abs(float(sizes.mean()) - 1.05 * expected_error(noise)) > slack


def test_large_scales_have_closed_forms() -> None:
    assert expected_error(DiscreteGaussian(1, 2000)) == pytest.approx(2000 * math.sqrt(2 / math.pi), rel=1e-6)
    assert expected_error(DiscreteGaussian(1, 999)) == pytest.approx(999 * math.sqrt(2 / math.pi), rel=1e-5)
    assert expected_error(DiscreteLaplace(1, "0.001")) == 0
    with pytest.raises(InvalidParameter, match="not known"):
        expected_error(Exponential(1, 1))
