"""Staircase: the contract, the exact curve on small lattices, and its error against Laplace."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee, Neighbors
from privet.mechanisms.staircase import Staircase, StaircaseError
from privet.noise import BitSource
from tests.contracts.mechanism import Cells, Example, MechanismContract, hockey_stick


def distribution(sensitivity: float, epsilon: float, x: Any) -> Any:  # noqa: ANN401 - a number or an array
    """Of the continuous staircase of Geng and Viswanath (2014), with γ = 1/(1 + e^(ε/2)), by its own sums."""
    share = 1 / (1 + math.exp(epsilon / 2))
    down = math.exp(-epsilon)
    height = (1 - down) / (2 * sensitivity * (share + down * (1 - share)))
    size = np.abs(np.asarray(x, dtype=np.float64)) / sensitivity
    stair = np.floor(size)
    inside = size - stair
    partial = np.minimum(inside, share) + down * np.maximum(inside - share, 0)
    one_side = (1 - down**stair) / 2 + height * sensitivity * down**stair * partial
    return 0.5 + np.sign(x) * one_side


def below(sensitivity: Fraction, epsilon: float, x: Any, value: float) -> Any:  # noqa: ANN401 - a number or an array
    """Pr[answer < x]: the value in whole steps, and the weights of stairs added up on each side of it."""
    step = Fraction(2) ** (math.floor(math.log2(sensitivity)) - 24 - math.ceil(epsilon / 2 / math.log(2)))
    width = math.ceil(sensitivity * (1 + Fraction(1, 2**52)) / step)
    rise = math.floor(width / (1 + math.exp(epsilon / 2)))
    down = math.exp(-epsilon)
    edge = np.ceil(np.asarray(x, dtype=np.float64) / float(step)) - math.floor(Fraction(value) / step + Fraction(1, 2))

    def weight(count: Any) -> Any:  # noqa: ANN401 - of the numbers 0 to count - 1
        full, rest = np.divmod(np.maximum(count - rise, 0), width)
        return np.minimum(count, rise) + width * (down - down ** (full + 1)) / (1 - down) + rest * down ** (full + 1)

    half = rise + width * down / (1 - down)
    reached = np.where(edge > 0, half - 1 + weight(np.maximum(edge, 0)), half - weight(np.maximum(1 - edge, 0)))
    return reached / (2 * half - 1)


def example(sensitivity: str, epsilon: float, start: float) -> Example:
    mechanism = Staircase(sensitivity, epsilon)
    move = Fraction(sensitivity)
    far = float(move)
    cells = Cells(width=far / 32, low=-32 * 12, high=32 * 12)

    def law(value: float, scale: Fraction = Fraction(1)) -> dict[int, float]:
        return cells.law(lambda x: below(move * scale, epsilon, x, value))

    return Example(
        mechanism=mechanism,
        pair=(start, start + far),
        law=law,
        wrong_law=lambda value: law(value, Fraction(13, 10)),
        sensitivity=Sensitivity(sensitivity),
        draw=lambda value, source, count: cells.of(mechanism.sample(np.full(count, value), source)),
        tightness=0.9,
        too_far=Sensitivity(Fraction(sensitivity) * Fraction(1001, 1000)),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example("1", 1, 0.0),
        example("0.3", 2.5, 0.1),
        example("1000", 0.5, -250.0),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [float("nan"), float("inf"), [], np.array([1.0, np.nan]), "12", None, [1 + 2j]]


def small_law(width: int, rise: int, epsilon: float, shift: int) -> dict[int, float]:
    def stairs(k: int) -> int:
        return 0 if abs(k) < rise else (abs(k) - rise) // width + 1

    weights = {k: math.exp(-epsilon * stairs(k)) for k in range(-60 * width, 60 * width)}
    total = math.fsum(weights.values())
    return {k + shift: weight / total for k, weight in weights.items()}


@pytest.mark.parametrize(("width", "rise", "epsilon"), [(4, 1, 1.0), (7, 3, 0.5), (8, 2, 2.5), (1, 1, 1.0)])
def test_the_curve_is_the_hockey_stick_of_the_longest_move(width: int, rise: int, epsilon: float) -> None:
    """On lattices small enough to sum over: every move costs at most what the longest does, and that is the formula."""
    here = small_law(width, rise, epsilon, 0)
    inner = math.fsum(mass for k, mass in here.items() if k < rise)
    for level in (0.0, 0.3 * epsilon, 0.9 * epsilon, epsilon):
        formula = inner * -math.expm1(level - epsilon)
        sticks = [
            hockey_stick(here, small_law(width, rise, epsilon, sign * move), level)
            for move in range(1, width + 1)
            for sign in (1, -1)
        ]
        assert max(sticks) == pytest.approx(formula, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 3, 10, 40])
def test_the_loss_is_pure_and_exact(epsilon: float) -> None:
    mechanism = Staircase(1, epsilon)
    assert mechanism.loss.meets(Guarantee(epsilon))
    assert not mechanism.loss.meets(Guarantee(Fraction(str(epsilon)) * Fraction(9999, 10_000)))
    inner = distribution(1, epsilon, 1 / (1 + math.exp(epsilon / 2)))
    assert mechanism.loss.delta(epsilon / 2) == pytest.approx(inner * -math.expm1(-epsilon / 2), rel=1e-5)
    assert mechanism.loss.delta(0) < 1 / (1 + math.exp(-epsilon)) * -math.expm1(-epsilon) * (1 + 1e-9)
    assert mechanism.loss.under(Neighbors.REPLACE).epsilon(0) == epsilon


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1, 4, 10, 30, 60])
def test_its_error_is_the_least_and_beats_laplace(epsilon: float) -> None:
    error = Staircase(1, epsilon).expected_error
    assert error == pytest.approx(math.exp(epsilon / 2) / math.expm1(epsilon), rel=1e-4)
    assert error < (1 / epsilon) * (1 + 1e-6)
    if epsilon >= 4:
        assert error < 0.6 / epsilon


def test_drawn_errors_have_the_expected_size(source: BitSource) -> None:
    """n = 200,000; the mean is within six standard errors, and not within six of Laplace's."""
    mechanism = Staircase(1, 3)
    sizes = np.abs(np.asarray(mechanism.sample(np.zeros(200_000), source)))
    error = float(sizes.std()) / math.sqrt(len(sizes))
    assert abs(sizes.mean() - mechanism.expected_error) < 6 * error
    assert abs(sizes.mean() - 1 / 3) > 6 * error


@pytest.mark.parametrize("epsilon", [0.3, 1, 6])
def test_margins_are_exact(epsilon: float) -> None:
    error = Staircase(1, epsilon).uncertainty
    for confidence in (0.5, 0.9, 0.95, 0.999):
        margin = error.margin(confidence)
        assert 2 * (1 - distribution(1, epsilon, margin)) == pytest.approx(1 - confidence, abs=1e-5)
        assert error.tail(margin) <= 1 - confidence
        assert error.tail(margin - 2 * error.step) > 1 - confidence


def test_tails_are_sums_of_the_law() -> None:
    error = StaircaseError(0.5, 7, 3, 1.0)
    law = small_law(7, 3, 0.5, 0)
    for steps in range(40):
        exact = math.fsum(mass for k, mass in law.items() if abs(k) > steps)
        assert exact <= error.tail(steps + 0.5) <= exact * (1 + 1e-9)


def test_many_numbers_of_which_one_moves(source: BitSource) -> None:
    mechanism = Staircase(1, 1)
    answers = mechanism.sample(np.arange(6).reshape(2, 3), source)
    assert isinstance(answers, np.ndarray)
    assert answers.shape == (2, 3)
    assert all(Fraction(float(x)) % mechanism.lattice.step == 0 for x in answers.ravel())
    assert not mechanism.covers(Sensitivity(1, cells=2))
    assert mechanism.covers(Sensitivity("0.5"))
    assert isinstance(mechanism.sample(5, source), float)
    assert isinstance(mechanism.sample(0.1, source), float)
    assert isinstance(mechanism.sample(np.float64(0.1), source), float)
    assert abs(float(mechanism.sample(2**70, source)) - 2.0**70) <= 2.0**18


def test_rounded_neighbors_stay_within_the_width() -> None:
    """Floats typed as decimals: 0.1 and 0.4 are 0.3 apart and a bit, and the widened stair covers the bit."""
    mechanism = Staircase("0.3", 1)
    for low in (0.1, 0.2, 1e6 + 0.1):
        apart = mechanism.lattice.to_step(low + 0.3) - mechanism.lattice.to_step(low)
        assert apart <= mechanism.width
    whole = Staircase(1, 1)  # typed one apart; as floats, on both sides of a tie of the lattice
    low, high = whole.lattice.to_step(1.4901161193847655e-8), whole.lattice.to_step(1.000000014901161193847655)
    assert high - low == whole.lattice.widened(1) + 1 <= whole.width


def test_calibration() -> None:
    assert Staircase.calibrated(epsilon="0.1", sensitivity=Sensitivity("0.3")) == Staircase("0.3", "0.1")
    with pytest.raises(InvalidParameter, match=r"Laplace\.calibrated"):
        Staircase.calibrated(epsilon=1, sensitivity=Sensitivity(1, cells=2))


@pytest.mark.parametrize(
    ("sensitivity", "epsilon"), [(0, 1), (-1, 1), (1, 0), (1, 501), (1, "1e-10"), ("nan", 1), (1, None)]
)
def test_bad_parameters_are_refused(sensitivity: Any, epsilon: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        Staircase(sensitivity, epsilon)
