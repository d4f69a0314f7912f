"""Gaussian: the contract, exact calibration, and the classical formula beside it."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import norm

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import Gaussian
from tests.contracts.mechanism import Cells, Example, MechanismContract


def example(mechanism: Gaussian, pair: tuple[float, float]) -> Example:
    scale = float(mechanism.scale)
    cells = Cells(width=scale / 16, low=-8 * 16, high=10 * 16)
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda value: cells.law(norm(value, scale).cdf),
        wrong_law=lambda value: cells.law(norm(value, 1.3 * scale).cdf),
        sensitivity=Sensitivity(mechanism.l2_sensitivity),
        draw=lambda value, source, count: cells.of(mechanism.sample(np.full(count, value), source)),
        tightness=0.9,
        too_far=Sensitivity(mechanism.l2_sensitivity * Fraction(1001, 1000)),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(Gaussian(l2_sensitivity=1, scale=1), (0.0, 1.0)),
        example(Gaussian(l2_sensitivity="0.3", scale="0.6"), (0.1, 0.4)),
        example(Gaussian.calibrated(epsilon=2, delta="1e-5", sensitivity=Sensitivity(10)), (0, 10)),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [math.nan, math.inf, [], np.array([np.nan]), "12", None]


@pytest.mark.parametrize(("epsilon", "delta"), [("0.1", "1e-6"), (1, "1e-4"), (3, "1e-4"), (20, "1e-9"), (0, "0.01")])
def test_calibration_is_tight_and_on_the_private_side(epsilon: Any, delta: str) -> None:  # noqa: ANN401 - a number
    promise = Guarantee(epsilon, delta)
    mechanism = Gaussian.calibrated(epsilon=epsilon, delta=delta, sensitivity=Sensitivity("0.7", cells=3))
    assert mechanism.promise == promise
    assert mechanism.loss.meets(promise)
    less = Gaussian(mechanism.l2_sensitivity, mechanism.scale * Fraction(999_999, 1_000_000))
    assert not less.loss.meets(promise)


def test_the_classical_formula_is_refused_where_it_is_not_proven() -> None:
    assert math.isclose(
        Gaussian.classical(epsilon=1, delta="1e-4", sensitivity=Sensitivity(1)).scale, 4.343612, rel_tol=1e-6
    )
    with pytest.raises(InvalidParameter, match="exact for every epsilon"):
        Gaussian.classical(epsilon=3, delta="1e-4", sensitivity=Sensitivity(1))


def test_pure_privacy_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="use Laplace"):
        Gaussian.calibrated(epsilon=1, delta=0, sensitivity=Sensitivity(1))


def test_a_broken_promise_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="does not keep"):
        Gaussian(l2_sensitivity=1, scale=1, promise=Guarantee(1, 1e-6))


@pytest.mark.parametrize("rho", ["0.01", "0.5", "1/3", 2])
def test_concentrated_calibration(rho: Any) -> None:  # noqa: ANN401 - a number
    mechanism = Gaussian.calibrated(rho=rho, sensitivity=Sensitivity(1))
    assert Fraction(mechanism.loss.zcdp()) <= Fraction(rho) * (1 + Fraction(1, 2**50))
    assert Gaussian(1, mechanism.scale * Fraction(999, 1000)).loss.zcdp() > Fraction(rho)


def test_a_root_typed_as_a_float_is_covered() -> None:
    """√3 rounds down as a float; the noise is drawn wide enough for the real one."""
    mechanism = Gaussian(l2_sensitivity=math.sqrt(3), scale=1)
    assert Fraction(repr(math.sqrt(3))) ** 2 < 3
    assert mechanism.covers(Sensitivity(1, cells=3))
    assert not mechanism.covers(Sensitivity("1.000000001", cells=3))


@pytest.mark.parametrize(("l2", "scale"), [(0, 1), (-1, 1), (1, 0), (1, -2), ("nan", 1), (1, "inf"), (None, 1)])
def test_bad_parameters_are_refused(l2: Any, scale: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        Gaussian(l2_sensitivity=l2, scale=scale)
