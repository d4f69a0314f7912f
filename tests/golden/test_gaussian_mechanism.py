"""Mission rows R091, R092 and R094: the Gaussian mechanism's textbook examples."""

import math
from fractions import Fraction

import pytest

from privet.core import Sensitivity
from privet.core.enumerated_sensitivity import enumerated_sensitivity
from privet.mechanisms import Gaussian
from privet.mechanisms.gaussian import GaussianError
from tests.golden.printed import agrees

PEOPLE = 1000
DELTA = Fraction(1, PEOPLE**2)


def test_r091_total_salary() -> None:
    moved = Sensitivity(200_000 - 10_000)
    classical = float(Gaussian.classical(epsilon=1, delta=DELTA, sensitivity=moved).scale)
    assert agrees(classical**2, "1.013591e12")
    assert agrees(classical, "1006772")
    assert classical**2 == pytest.approx(2 * math.log(1.25 * PEOPLE**2) * 190_000**2)
    assert agrees(float(Gaussian.calibrated(epsilon=1, delta=DELTA, sensitivity=moved).scale), "802689")


def test_r092_histogram_under_replacement() -> None:
    moved = enumerated_sensitivity(lambda data: data.counts, universe="abcd", size=3, neighbors="replace")
    classical = float(Gaussian.classical(epsilon=1, delta=DELTA, sensitivity=moved).scale)
    assert agrees(classical**2, "56.154616")
    assert agrees(classical, "7.493638")
    exact = Gaussian.calibrated(epsilon=1, delta=DELTA, sensitivity=moved)
    assert agrees(float(exact.scale), "5.974598")
    assert exact.covers(moved)
    assert not Gaussian(l2_sensitivity=1, scale=exact.scale).covers(moved)


def test_r094_accuracy_radius() -> None:
    error = GaussianError(scale=1)
    assert agrees(error.margin(0.9), "1.644854")
    assert agrees(error.margin(0.95, cells=11), "2.830181")
    bound = math.sqrt(2 * math.log(2 * 11 / 0.05))
    assert agrees(bound, "3.489061")
    assert error.margin(0.95, cells=11) < bound
    assert error.tail(bound) * 11 < 0.05
