"""Mission rows R037 to R059: the Laplace mechanism and its textbook examples."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import laplace

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.core.dataset import Dataset
from privet.core.enumerated_sensitivity import enumerated_sensitivity
from privet.loss import Guarantee
from privet.mechanisms import DiscreteLaplace, Laplace
from privet.mechanisms.additive import Numbers
from privet.mechanisms.laplace import LaplaceError
from privet.noise import BitSource
from tests.golden.printed import agrees

SALARIES = (20_000, 70_000, 200_000)
RELATIONS = ("add_remove", "replace")


def total(data: Dataset) -> int:
    return sum(record for record in data.records if isinstance(record, int))


def test_r037_the_three_desiderata_have_bounds() -> None:
    """Membership: a test's advantage; composition: losses add; side information: the odds move by e^ε at most."""
    loss = Laplace(l1_sensitivity=1, scale=1).loss
    assert loss.advantage() <= math.tanh(1 / 2)
    assert (loss + loss).epsilon(0) == 2 * loss.epsilon(0)
    prior = 0.9
    _, most = loss.posterior(0.9)
    assert most / (1 - most) == pytest.approx(math.e * prior / (1 - prior))


def test_r038_laplace_law(source: BitSource) -> None:
    """n = 200,000: the tail by its binomial deviation, the variance by √(20 b⁴/n), both within six deviations."""
    error = LaplaceError(scale=1)
    assert agrees(error.tail(2), "0.135335")
    assert error.distance(error.tail(2)) == pytest.approx(2)
    draws = np.asarray(Laplace(l1_sensitivity=1, scale=1).sample(np.zeros(200_000), source))
    share = math.exp(-2)
    assert abs(float(np.mean(np.abs(draws) >= 2)) - share) < 6 * math.sqrt(share * (1 - share) / 200_000)
    assert abs(float(np.mean(draws**2)) - 2) < 6 * math.sqrt(20 / 200_000)
    assert abs(float(np.mean((1.3 * draws) ** 2)) - 2) > 6 * math.sqrt(20 / 200_000)  # the control


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_r039_scale_is_sensitivity_over_epsilon_and_the_ratio_is_reached(epsilon: str) -> None:
    mechanism = Laplace.calibrated(epsilon=epsilon, sensitivity=Sensitivity(2, cells=3))
    assert mechanism.scale == 6 / Fraction(epsilon)
    assert mechanism.loss.epsilon(0) == float(epsilon)
    scale = float(Laplace.calibrated(epsilon=epsilon, sensitivity=Sensitivity(1)).scale)
    ratio = laplace(0, scale).logpdf(-5) - laplace(1, scale).logpdf(-5)
    assert ratio == pytest.approx(float(epsilon))  # the sign is +: at most exp(+ε), not exp(-ε)


@pytest.mark.parametrize("neighbors", RELATIONS)
def test_r040_virus_count(neighbors: str) -> None:
    count = enumerated_sensitivity(lambda data: data.counts[0], universe=("ill", "well"), size=3, neighbors=neighbors)
    assert Laplace.calibrated(epsilon="0.5", sensitivity=count).scale == 2


@pytest.mark.parametrize(("neighbors", "scale"), [("replace", 180_000), ("add_remove", 200_000)])
def test_r041_salary_total(neighbors: str, scale: int) -> None:
    moved = enumerated_sensitivity(total, universe=SALARIES, size=3, neighbors=neighbors)
    assert Laplace.calibrated(epsilon=1, sensitivity=moved).scale == scale


def test_r042_average_salary_of_a_public_number_of_people() -> None:
    people = 4
    moved = enumerated_sensitivity(
        lambda data: Fraction(total(data), people), universe=SALARIES, size=people, neighbors="replace"
    )
    assert moved.l1 == Fraction(180_000, people)
    assert Laplace.calibrated(epsilon=1, sensitivity=Sensitivity(Fraction(180_000, 100))).scale == 1800


@pytest.mark.parametrize(("neighbors", "scale"), [("add_remove", 1), ("replace", 2)])
def test_r043_age_histogram_with_fresh_noise_in_each_bin(neighbors: str, scale: int, source: BitSource) -> None:
    moved = enumerated_sensitivity(lambda data: data.counts, universe=range(11), size=3, neighbors=neighbors)
    mechanism = Laplace.calibrated(epsilon=1, sensitivity=moved)
    assert mechanism.scale == scale
    answer = np.asarray(mechanism.sample(np.zeros(11, dtype=int), source))
    assert len(set(answer.tolist())) == 11


def test_r044_local_report_of_one_salary() -> None:
    moved = enumerated_sensitivity(total, universe=SALARIES, size=1, neighbors="replace")
    assert Laplace.calibrated(epsilon=1, sensitivity=moved).scale == 180_000


def test_r045_epsilon_of_a_given_scale() -> None:
    assert agrees(Laplace(l1_sensitivity=100 - 18, scale=3).loss.epsilon(0), "27.333333")


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_r046_ratio_of_two_shifted_densities(epsilon: float) -> None:
    scale = float(Laplace.calibrated(epsilon=epsilon, sensitivity=Sensitivity(10)).scale)
    for z in (-3.0, 10.0, 12.0, 15.0, 18.0, 20.0, 33.0):
        ratio = laplace(10, scale).pdf(z) / laplace(20, scale).pdf(z)
        expected = math.exp(epsilon * min(max((15 - z) / 5, -1), 1))
        assert ratio == pytest.approx(expected)
        without_minus = math.exp((abs(z - 10) - abs(z - 20)) / scale)  # the slide's exponent
        assert without_minus == pytest.approx(1 / expected)
    assert laplace(10, scale).pdf(15) == pytest.approx(laplace(20, scale).pdf(15))


def test_r047_running_example() -> None:
    assert agrees(math.exp(Laplace(l1_sensitivity=1, scale=2).loss.epsilon(0)), "1.648721")


def test_r048_less_epsilon_and_more_sensitivity_mean_more_noise() -> None:
    scales = [Laplace.calibrated(epsilon=e, sensitivity=Sensitivity(1)).scale for e in ("0.1", "0.5", "1", "2")]
    assert scales == sorted(scales, reverse=True)
    moved = [Laplace.calibrated(epsilon=1, sensitivity=Sensitivity(s)).scale for s in ("0.1", "0.5", "1", "2")]
    assert moved == sorted(moved)
    assert len({*scales}) == len({*moved}) == 4


def test_r049_private_proportion() -> None:
    mechanism = Laplace.calibrated(epsilon=1, sensitivity=Sensitivity(Fraction(1, 150)))
    scale = float(mechanism.scale)
    assert agrees(scale, "0.00666667")
    assert agrees(2 * scale**2, "8.8889e-5")  # the variance, not the printed 1/(εn)²
    error = LaplaceError(scale=scale)
    assert agrees(1 - error.tail(2 * math.sqrt(2) * scale), "0.940894")  # Chebyshev says at least 0.75
    assert agrees(1 - error.tail(2 * scale), "0.864665")
    assert mechanism.uncertainty.tail(2 * scale) == pytest.approx(error.tail(2 * scale), rel=1e-6)


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_r050_counting_query(epsilon: str) -> None:
    mechanism = Laplace.calibrated(epsilon=epsilon, sensitivity=Sensitivity(1))
    assert mechanism.scale == 1 / Fraction(epsilon)
    assert mechanism.uncertainty.margin(0.9) == pytest.approx(math.log(10) / float(epsilon), rel=1e-6)


def test_r051_ten_counts_at_once() -> None:
    """Each count moves by at most 1, so all together by at most 10: nothing cancels."""

    def ten_counts(data: Dataset) -> list[int]:
        return [data.counts[0]] * 10

    moved = enumerated_sensitivity(ten_counts, universe=("ill", "well"), size=3, neighbors="add_remove")
    assert moved == Sensitivity(1, cells=10)
    assert Laplace.calibrated(epsilon=1, sensitivity=moved).scale == 10


def test_r052_histogram_under_replacement_needs_twice_the_noise() -> None:
    replaced = enumerated_sensitivity(lambda data: data.counts, universe="abcde", size=2, neighbors="replace")
    assert Laplace.calibrated(epsilon=1, sensitivity=replaced).scale == 2
    assert not Laplace(l1_sensitivity=1, scale=1).covers(replaced)  # sensitivity 1 with replaced rows is unsafe


@pytest.mark.parametrize(
    ("bins", "scale", "radius", "probability"), [(11, 1, "5.393628", "0.048879"), (10, 2, "10.596635", "0.048890")]
)
def test_r053_radius_that_holds_in_all_bins(bins: int, scale: int, radius: str, probability: str) -> None:
    error = LaplaceError(scale=scale)
    union = error.distance(0.05 / bins)
    assert agrees(union, radius)
    assert agrees(1 - (1 - error.tail(union)) ** bins, probability)
    exact = error.margin(0.95, cells=bins)
    assert exact < union  # Privet's radius uses all of the 0.05
    assert 1 - (1 - error.tail(exact)) ** bins == pytest.approx(0.05)


def test_r053_the_logarithm_does_not_contain_the_scale() -> None:
    wrong = math.log(10 / 0.05 * 2)
    assert 1 - (1 - LaplaceError(scale=2).tail(wrong)) ** 10 > 0.3  # where at most 0.05 was promised


def test_r054_radius_of_a_count() -> None:
    error = Laplace.calibrated(epsilon=1, sensitivity=Sensitivity(1)).uncertainty
    assert agrees(error.margin(0.9), "2.302585")
    assert error.margin(1 - 1 / math.e) == pytest.approx(1, rel=1e-6)
    assert error.tail(1) == pytest.approx(1 / math.e, rel=1e-6)


def test_r055_mean_of_bounded_data() -> None:
    bound = 1
    people = 1000
    epsilon = Fraction(1, 2)
    mechanism = Laplace.calibrated(epsilon=epsilon, sensitivity=Sensitivity(Fraction(2 * bound, people)))
    noise = 2 * mechanism.scale**2
    assert noise == Fraction(8 * bound**2) / (people**2 * epsilon**2)
    assert agrees(float(Fraction(1, 3) / people + noise), "3.653333e-4")
    assert agrees(float(Fraction(bound**2, people) + noise), "1.032e-3")


def test_r056_squared_error_of_a_vector(source: BitSource) -> None:
    """2 d L²/ε² = 10; n = 40,000 vectors, each squared error of deviation √100, within six deviations."""
    mechanism = Laplace.calibrated(epsilon=1, sensitivity=Sensitivity(1, cells=5, l1=1))
    assert 5 * 2 * mechanism.scale**2 == 10
    errors = np.sum(np.asarray(mechanism.sample(np.zeros((40_000, 5)), source)) ** 2, axis=1)
    assert abs(float(errors.mean()) - 10) < 6 * 10 / 200
    assert abs(1.69 * float(errors.mean()) - 10) > 6 * 10 / 200  # the control: a scale 30 % off


def test_r058_half_of_the_noise_is_negative(source: BitSource) -> None:
    """n = 200,000, within six deviations."""
    draws = np.asarray(Laplace(l1_sensitivity=1, scale=3).sample(np.zeros(200_000), source))
    below = float(np.mean(draws < 0) + np.mean(draws == 0) / 2)
    assert abs(below - 0.5) < 6 * math.sqrt(0.25 / 200_000)
    for scale in (0.5, 1, 4):
        assert laplace(0, scale).cdf(0) == 0.5
        assert LaplaceError(scale=scale).tail(0) == 1


def test_r059_answers_lie_on_a_public_lattice() -> None:
    """Naive floating-point noise leaves gaps that depend on the answer; a lattice step depends on the scale alone."""
    assert agrees(DiscreteLaplace(l1_sensitivity=1, scale=1).variance, "1.841347")
    mechanism = Laplace(l1_sensitivity=1, scale=1)
    unit = Unit("person")
    ledger = Ledger(Guarantee(100), unit=unit)
    for value in (0.1, 1 / 3, 1e6 + 0.7):
        answer = ledger.release(Sensitive[Numbers](value, Sensitivity(1), unit), mechanism, purpose="lattice").value
        assert isinstance(answer, float)
        assert Fraction(answer) % mechanism.lattice.step == 0
