"""The smallest epsilon of a decreasing curve, by many values at once or by few."""

import numpy as np
import pytest

from privet.loss.curve import Array
from privet.loss.pricing.solving import CLOSE, solved, solved_in_few


class Counted:
    """A curve that falls to 0 at its end, and counts how often it is asked."""

    def __init__(self, steepness: float) -> None:
        self.steepness = steepness
        self.values = 0

    def __call__(self, epsilon: Array) -> Array:
        self.values += epsilon.size
        return np.where(epsilon < 2, np.exp(-self.steepness * epsilon**2 - 3 * epsilon), 0.0)


@pytest.mark.parametrize("steepness", [0.0, 1.0, 1e3, 1e7])
@pytest.mark.parametrize("delta", [0.5, 1e-3, 1e-12])
def test_few_values_find_what_many_find(steepness: float, delta: float) -> None:
    few = Counted(steepness)
    found = solved_in_few(few, delta, 2.0)
    truth = solved(Counted(steepness), delta)
    assert truth * (1 - 1e-12) <= found <= truth * (1 + 2 * CLOSE)
    assert few(np.array([found]))[0] <= delta
    assert few.values < 60


def test_few_values_know_a_level_that_is_always_kept() -> None:
    assert solved_in_few(Counted(1.0), 1.0, 2.0) == 0.0
    assert 0 < solved_in_few(Counted(1.0), 1 - 1e-12, 2.0) < 1e-11
