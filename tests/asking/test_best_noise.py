"""The best noise: the least expected error at a price, from public numbers."""

import math
from typing import Any

import pytest

from privet import Guarantee, Sensitivity
from privet.asking.best_noise import best_noise
from privet.asking.budget import Budget
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Staircase
from privet.mechanisms.least_noise import expected_error


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
    noise = best_noise(Budget.of(**price), sensitivity, whole=whole)
    assert type(noise) is kind
    assert noise.covers(sensitivity)
    if "rho" in price:
        assert noise.loss.zcdp() <= float(price["rho"])
    else:
        assert noise.loss.meets(Guarantee(price["epsilon"], price.get("delta", 0)))


def test_the_staircase_beats_laplace_by_the_known_amount() -> None:
    stairs = best_noise(Budget.of(epsilon=1), Sensitivity(1))
    assert expected_error(stairs) == pytest.approx(math.exp(0.5) / (math.e - 1), rel=1e-6)
    assert expected_error(stairs) == pytest.approx(0.9595, abs=1e-4)
