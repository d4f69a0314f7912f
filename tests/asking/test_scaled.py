"""Scaled: answers in the data's own unit, at the same loss."""

from fractions import Fraction

import numpy as np
import pytest

from privet import Guarantee, Sensitivity
from privet.asking.scaled import Scaled, rescaled
from privet.core.uncertainty import ScaledError
from privet.errors import InvalidParameter
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace, Staircase
from privet.mechanisms.laplace import LaplaceError
from privet.noise.for_tests import seeded_entropy_for_tests

NOISE = Laplace(l1_sensitivity=1, scale=2)


def test_answers_are_those_of_the_mechanism_in_another_unit() -> None:
    scaled = Scaled(NOISE, factor=Fraction(180_000), offset=20_000)
    plain = NOISE.sample(5.0, seeded_entropy_for_tests(3))
    assert scaled.sample(5.0, seeded_entropy_for_tests(3)) == pytest.approx(20_000 + 180_000 * float(plain))
    many = np.asarray(scaled.sample(np.zeros(3), seeded_entropy_for_tests(3)))
    assert many == pytest.approx(20_000 + 180_000 * np.asarray(NOISE.sample(np.zeros(3), seeded_entropy_for_tests(3))))
    assert repr(scaled) == "20000 + 180000 × Laplace(l1_sensitivity=1, scale=2)"
    assert scaled.loss == NOISE.loss
    assert scaled.covers(Sensitivity(1))
    assert not scaled.covers(Sensitivity(2))


def test_the_error_grows_with_the_unit_and_rounding_comes_on_top() -> None:
    error = ScaledError(LaplaceError(scale=1), factor=10, rounding=0.5)
    assert error.margin(0.95) == pytest.approx(10 * LaplaceError(scale=1).margin(0.95) + 0.5)
    assert error.tail(error.distance(0.1)) == pytest.approx(0.1)
    assert error.tail(0.1) == 1


def test_a_promise_is_kept() -> None:
    noise = Gaussian.calibrated(epsilon=1, delta=1e-5, sensitivity=Sensitivity(1))
    assert Scaled(noise, factor=2).promise == Guarantee(1, 1e-5)


@pytest.mark.parametrize(
    "noise",
    [
        Laplace(3, 5),
        Staircase(3, 1),
        Gaussian(3, 5),
        Gaussian.calibrated(epsilon=1, delta=1e-5, sensitivity=Sensitivity(3)),
    ],
)
def test_a_mechanism_in_another_unit_has_the_same_loss(noise: Laplace | Staircase | Gaussian) -> None:
    smaller = rescaled(noise, Fraction(3))
    assert smaller.covers(Sensitivity(1))
    assert not smaller.covers(Sensitivity(2))
    assert smaller.promise == noise.promise
    for delta in (1e-9, 1e-3):
        assert smaller.loss.epsilon(delta) == pytest.approx(noise.loss.epsilon(delta))


def test_whole_noise_stays_in_its_unit() -> None:
    assert rescaled(DiscreteLaplace(1, 1), Fraction(1)) == DiscreteLaplace(1, 1)
    with pytest.raises(InvalidParameter, match="Laplace, Staircase or Gaussian"):
        rescaled(DiscreteLaplace(1, 1), Fraction(2))
