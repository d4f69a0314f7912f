"""SymmetricGaussian: the contract in the direction in which a row moves a matrix, and the noise of every cell."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import chi2, norm

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee, PrivacyLoss
from privet.loss.curves.gaussian import GaussianCurve
from privet.mechanisms import Gaussian, SymmetricGaussian
from privet.noise import BitSource
from tests.contracts.mechanism import Example, Law, MechanismContract

FAR = 150


def rounded(scale: float) -> np.ndarray:
    """The chance of each whole number from -FAR to FAR under rounded normal noise."""
    edges = np.arange(-FAR, FAR + 2) - 0.5
    return np.asarray(np.diff(norm(0, scale).cdf(edges)))


def law(value: Any, scale: float, weight: float = 1.0) -> Law:  # noqa: ANN401 - a triangle
    """Of a + 2 b + c, where a matrix (a, b; b, c) has noise: all that tells (0, 0, 0) from multiples of (1, 1, 1)."""
    first, beside, last = value
    double = np.zeros(4 * FAR + 1)
    double[::2] = rounded(scale * math.sqrt(0.5) / weight)
    masses = np.convolve(np.convolve(rounded(scale), double), rounded(scale / weight**2))
    middle = len(masses) // 2
    shift = first + 2 * beside + last - middle
    return {place + shift: mass for place, mass in enumerate(masses.tolist())}


def example(mechanism: SymmetricGaussian, far: int) -> Example:
    scale = float(mechanism.scale)
    return Example(
        mechanism=mechanism,
        pair=([0, 0, 0], [far, far, far]),
        law=lambda value: law(value, scale),
        wrong_law=lambda value: law(value, 1.3 * scale),
        outcome=lambda answer: int(answer @ [1, 2, 1]),
        sensitivity=Sensitivity(far, cells=4),
        tightness=0.95,
        too_far=Sensitivity(far, cells=5),
        trials=2_500,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(SymmetricGaussian(2, l2_sensitivity=10, scale=10), 5),
        example(SymmetricGaussian.calibrated(epsilon=3, delta="1e-5", width=2, sensitivity=Sensitivity(8)), 4),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [
        5,
        [1, 2],
        [[1, 2], [2, 1]],
        [1.5, 2.0, 3.0],
        [],
        None,
        "123",
        np.array([2**63, 0, 0], dtype=np.uint64),
    ]


def test_every_cell_has_the_noise_that_its_weights_say(source: BitSource) -> None:
    """n = 1,500 a cell; the band of a chi-square at 1e-6 over all; the control has 20 % less noise."""
    mechanism = SymmetricGaussian(3, l2_sensitivity=1, scale=2**20, weights=[1, 2, "0.5"])
    wanted = 2**20 * np.array([1, 0.5 / math.sqrt(2), 2 / math.sqrt(2), 1 / 4, 1 / math.sqrt(2), 4])
    assert mechanism.deviations == pytest.approx(wanted, rel=1e-9)
    drawn = np.array([mechanism.sample(np.zeros(6, dtype=np.int64), source) for _ in range(1500)])
    low, high = (float(chi2.ppf(share, 1500)) for share in (1e-6 / 12, 1 - 1e-6 / 12))
    sums = (drawn.astype(float) ** 2).sum(axis=0)
    assert (low * wanted**2 < sums).all()
    assert (sums < high * wanted**2).all()
    assert (sums > high * (0.8 * wanted) ** 2).all()
    correlations: np.ndarray = np.corrcoef(drawn.T)[np.triu_indices(6, 1)]
    assert np.abs(correlations).max() < 5.4 / math.sqrt(1500)  # 1e-6 over 15 pairs


def test_it_costs_what_a_gaussian_of_the_frobenius_length_costs() -> None:
    made = SymmetricGaussian.calibrated(epsilon=1, delta="1e-6", width=4, sensitivity=Sensitivity(7))
    assert made.scale == Gaussian.calibrated(epsilon=1, delta="1e-6", sensitivity=Sensitivity(7)).scale
    assert made.loss == PrivacyLoss.of(GaussianCurve(7 / made.scale))
    assert made.loss.meets(Guarantee(1, "1e-6"))
    assert not made.loss.meets(Guarantee("0.99", "1e-6"))
    assert SymmetricGaussian.calibrated(rho="0.5", width=1, sensitivity=Sensitivity(7)).scale == 7


def test_sums_at_the_ends_of_int64_stay_there(source: BitSource) -> None:
    mechanism = SymmetricGaussian(1, l2_sensitivity=1, scale=2**20)
    drawn = [int(mechanism.sample(np.array([2**63 - 1]), source)[0]) for _ in range(64)]
    assert min(drawn) > 2**62


@pytest.mark.parametrize(
    "wrong",
    [{"width": 0}, {"l2_sensitivity": 0}, {"scale": 0}, {"scale": 2**51}, {"weights": [1]}, {"weights": [1, 0]}],
)
def test_bad_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        SymmetricGaussian(**{"width": 2, "l2_sensitivity": 1, "scale": 1, **wrong})


def test_a_promise_that_is_not_kept_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="does not keep"):
        SymmetricGaussian(2, l2_sensitivity=1, scale=1, promise=Guarantee(Fraction(1, 10), Fraction(1, 10**6)))
