"""SmoothGaussian: the contract, its constants against brute force in one and several dimensions."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import integrate, special
from scipy.stats import chi2, norm

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms.smooth import SmoothValue
from privet.mechanisms.smooth_gaussian import SmoothGaussian
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract
from tests.support.smooth_pairs import REFUSED, example, worst_delta
from tests.support.statistics import assert_does_not_follow, assert_follows


def textbook(epsilon: float, delta: float, dimension: int = 1) -> tuple[float, float]:
    logarithm = math.log(2 / delta)
    return 5 * math.sqrt(2 * logarithm) / epsilon, epsilon / (4 * (dimension + logarithm))


def made(epsilon: float, delta: float, *, narrow: bool) -> Example:
    spread, smoothness = textbook(epsilon, delta)
    return example(
        SmoothGaussian(epsilon, delta, step="0.001"),
        cdf=lambda center, scale: norm(center, scale).cdf,
        spread=spread,
        smoothness=smoothness,
        narrow=narrow,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        made(1, 1e-6, narrow=True),
        made(0.5, 1e-6, narrow=False),
        made(4, 1e-7, narrow=True),
    ]
    REFUSED: ClassVar[Sequence[Any]] = REFUSED


@pytest.mark.parametrize("delta", [0.5, 0.1, 1e-3, 1e-6])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1, 2, 5, 9])
def test_no_neighbors_exceed_the_promise(epsilon: float, delta: float) -> None:
    mechanism = SmoothGaussian(epsilon, delta, step=1)
    truth = worst_delta(norm.logpdf, float(mechanism.spread), mechanism.smoothness, epsilon)
    assert truth <= delta


def dilation_delta(dimension: int, change: float, epsilon: float) -> float:
    """The hockey stick of N(0, I) against N(0, e^(2 change) I): the radius decides."""

    def excess(square: float) -> float:
        loss = dimension * change + (math.exp(-2 * change) - 1) * square / 2
        return float(chi2.pdf(square, dimension)) * -math.expm1(min(epsilon - loss, 0))

    first = 2 * (epsilon - dimension * change) / (math.exp(-2 * change) - 1)
    return float(integrate.quad(excess, first, first + 400)[0])


@pytest.mark.parametrize("dimension", [1, 2, 10, 100])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-3), (1, 1e-6), (5, 1e-9), (20, 1e-5)])
def test_changing_the_scale_keeps_the_promise_in_every_dimension(dimension: int, epsilon: float, delta: float) -> None:
    mechanism = SmoothGaussian(epsilon, delta, step=1, dimension=dimension)
    assert dilation_delta(dimension, -mechanism.smoothness, epsilon / 2) <= delta
    spread, smoothness = textbook(epsilon, delta, dimension)
    assert float(mechanism.spread) == pytest.approx(spread, rel=1e-12)
    assert mechanism.smoothness <= smoothness
    assert mechanism.smoothness >= 0.8 * smoothness


def test_the_quantile_is_careful() -> None:
    """Where scipy's quantile decides, the probability beyond what was used is below δ."""
    mechanism = SmoothGaussian(20, 1e-5, step=1)
    quantile = 20 / math.expm1(2 * mechanism.smoothness)
    assert special.chdtrc(1, quantile) < 1e-5


@pytest.mark.parametrize(
    ("epsilon", "delta", "dimension"), [(0, 0.1, 1), (1, 0, 1), (1, 0.6, 1), (1, 0.1, 0), (1, 0.1, 1.5), (100, 1e-3, 1)]
)
def test_bad_parameters_are_refused(epsilon: Any, delta: Any, dimension: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        SmoothGaussian(epsilon, delta, step=1, dimension=dimension)


def test_vectors(source: BitSource) -> None:
    mechanism = SmoothGaussian(1, 1e-6, step="0.001", dimension=6)
    answer = mechanism.sample(SmoothValue(np.arange(6.0).reshape(2, 3), 0.5), source)
    assert isinstance(answer, np.ndarray)
    assert answer.shape == (2, 3)
    assert mechanism.covers(Sensitivity(1, cells=6))
    assert not mechanism.covers(Sensitivity(1, cells=7))
    person = Unit("person")
    ledger = Ledger(Guarantee(1, 1e-6), unit=person)
    for wrong in (np.zeros(5), np.zeros(7), 1.0):
        with pytest.raises(InvalidParameter, match="6 numbers"):
            ledger.release(Sensitive(SmoothValue(wrong, 1), Sensitivity(1), person), mechanism, purpose="wrong size")
    assert not ledger.entries


def test_every_coordinate_has_noise_of_its_own(source: BitSource) -> None:
    n = 40_000
    mechanism = SmoothGaussian(1, 1e-6, step="0.001", dimension=n)
    answer = np.asarray(mechanism.sample(SmoothValue(np.full(n, 0.3), 2.0), source))
    scale = 2 * textbook(1, 1e-6)[0]
    for wrong, check in ((1.0, assert_follows), (1.3, assert_does_not_follow)):
        cdf = norm(0.3, scale * wrong).cdf(np.arange(-40, 41) * scale / 10)
        check(
            np.clip(np.floor(answer / (scale / 10)).astype(int), -41, 40),
            dict(enumerate(np.diff(cdf).tolist(), start=-40)) | {-41: float(cdf[0]), 40: float(1 - cdf[-1])},
        )
