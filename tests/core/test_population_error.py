"""PopulationError: noise and sampling together, never too narrow and hardly too wide."""

import numpy as np
import pytest
from scipy.stats import norm

from privet.core import Uncertainty
from privet.core.population_error import PopulationError
from privet.mechanisms.discrete_laplace import DiscreteLaplaceError
from privet.mechanisms.gaussian import GaussianError
from privet.mechanisms.laplace import LaplaceError


@pytest.mark.parametrize("deviation", [0.0, 1e-9, 0.1, 1.0, 30.0, 1e9])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999, 1 - 1e-7])
def test_it_is_as_wide_as_the_sum_of_two_normal_errors(deviation: float, confidence: float) -> None:
    exact = float(norm.isf((1 - confidence) / 2)) * np.hypot(2.0, deviation)
    found = PopulationError(GaussianError(2.0), deviation).margin(confidence)
    assert exact * (1 - 1e-9) <= found <= exact * (1.15 if confidence < 0.9999 else 1.5)


@pytest.mark.parametrize("noise", [LaplaceError(3.0), DiscreteLaplaceError(0.5)], ids=repr)
@pytest.mark.parametrize("deviation", [0.5, 5.0])
def test_its_tail_is_that_of_the_sum_from_above(noise: Uncertainty, deviation: float) -> None:
    """Against 20,000 quantiles of the noise; the control leaves the sampling out."""
    sizes = np.array([noise.distance((place + 0.5) / 20_000) for place in range(20_000)])
    for distance in np.array([0.5, 1.0, 2.0]) * np.hypot(noise.distance(0.2), deviation):
        exact = float(np.mean(norm.sf((distance - sizes) / deviation) + norm.cdf((-distance - sizes) / deviation)))
        found = PopulationError(noise, deviation).tail(distance)
        assert exact * 0.995 <= found <= min(1.0, exact * 1.2 + 2e-6)
        assert noise.tail(distance) < found


def test_cells_together_are_not_taken_as_independent() -> None:
    law = PopulationError(LaplaceError(1.0), 2.0)
    assert law.margin(0.95, cells=10) == pytest.approx(law.margin(0.995), rel=1e-6)
