"""SmoothCauchy: the contract, the exact loss of Cauchy noise, and the textbook's constants."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import cauchy

from privet.errors import InvalidParameter
from privet.mechanisms.smooth import SmoothValue
from privet.mechanisms.smooth_cauchy import SmoothCauchy
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract
from tests.support.smooth_pairs import REFUSED, example, neighbors
from tests.support.statistics import assert_does_not_follow, assert_follows


def made(epsilon: float, smoothness: float, *, narrow: bool) -> Example:
    far = math.exp(smoothness) * (math.cosh(epsilon) - math.cosh(smoothness))
    return example(
        SmoothCauchy(epsilon, step="0.001", smoothness=smoothness),
        cdf=lambda center, scale: cauchy(center, scale).cdf,
        spread=1 / math.sqrt(2 * min(far, math.cosh(epsilon) - 1)),
        smoothness=smoothness,
        narrow=narrow,
        tightness=0.2,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        made(1, 1 / 6, narrow=True),
        made(0.5, 0.25, narrow=False),
        made(2, 1.9, narrow=True),
    ]
    REFUSED: ClassVar[Sequence[Any]] = REFUSED


def largest_loss(spread: float, smoothness: float) -> float:
    """The largest log-ratio of densities over neighbors, on a grid of outputs that is dense where the ratio peaks."""
    z = np.sinh(np.linspace(-15, 15, 30_001))
    worst = 0.0
    for move, change in neighbors(smoothness):
        other = cauchy.logpdf((z - move / spread) / math.exp(change)) - change
        worst = max(worst, float((cauchy.logpdf(z) - other).max()))
    return worst


@pytest.mark.parametrize("share", [0.01, 1 / 6, 0.5, 0.9])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1, 2, 5, 10])
def test_the_loss_is_exact(epsilon: float, share: float) -> None:
    mechanism = SmoothCauchy(epsilon, step=1, smoothness=share * epsilon)
    truth = largest_loss(float(mechanism.spread), mechanism.smoothness)
    assert truth <= epsilon * (1 + 1e-9)
    assert truth >= epsilon * (1 - 1e-3)  # the grid's share
    less = largest_loss(float(mechanism.spread) * 0.98, mechanism.smoothness)
    assert less > truth or share == 0.9  # near β = ε the scales decide alone, and the spread hardly counts


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1, 5])
def test_the_textbook_s_constant_is_private_and_far_from_tight(epsilon: float) -> None:
    mechanism = SmoothCauchy.classical(epsilon=epsilon, step=1)
    assert mechanism.spread == 6 / Fraction(str(epsilon))
    assert mechanism.smoothness == pytest.approx(epsilon / 6)
    truth = largest_loss(6 / epsilon, epsilon / 6)
    assert truth <= mechanism.loss.epsilon(delta=0) <= 0.24 * epsilon
    assert truth == pytest.approx(mechanism.loss.epsilon(delta=0), rel=1e-3)
    assert float(SmoothCauchy(epsilon, step=1).spread) < 6 / epsilon / 5


def test_a_smaller_spread_is_refused() -> None:
    least = SmoothCauchy(1, step=1).spread
    assert SmoothCauchy(1, step=1, spread=least).spread == least
    with pytest.raises(InvalidParameter, match="spread must be >="):
        SmoothCauchy(1, step=1, spread=least * Fraction(999, 1000))


@pytest.mark.parametrize(
    "arguments",
    [
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": 501},
        {"epsilon": 1, "smoothness": 0},
        {"epsilon": 1, "smoothness": 1},
        {"epsilon": 1, "smoothness": 2},
        {"epsilon": 1, "smoothness": "nan"},
        {"epsilon": 1, "spread": 0},
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        SmoothCauchy(step=1, **arguments)
    with pytest.raises(InvalidParameter):
        SmoothCauchy(1, step=0)


def test_single_answers_follow_the_law(source: BitSource) -> None:
    """n = 4,000 through `sample` alone: quartiles of Cauchy noise around 0.3 lie one scale away."""
    mechanism = SmoothCauchy(1, step="0.001")
    answers = np.array([mechanism.sample(SmoothValue(0.3, 5.0), source) for _ in range(4000)])
    for wrong, check in ((1.0, assert_follows), (1.3, assert_does_not_follow)):
        edges = cauchy(0.3, 5 * 0.9595173757 * wrong).ppf([0.25, 0.5, 0.75])
        quarter = np.searchsorted(edges, answers)
        check(quarter, dict.fromkeys(range(4), 0.25))


def test_far_answers_are_finite_and_on_the_lattice(source: BitSource) -> None:
    mechanism = SmoothCauchy(1, step="0.01")
    answers = [mechanism.sample(SmoothValue(0.3, 5), source) for _ in range(5000)]
    assert max(abs(float(answer)) for answer in answers) > 1000
    assert all(Fraction(float(answer)) % Fraction(1, 128) == 0 for answer in answers)
