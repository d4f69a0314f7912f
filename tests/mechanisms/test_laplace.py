"""Laplace: the contract, and its textbook examples."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import laplace

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee, PrivacyLoss
from privet.mechanisms import Laplace
from privet.noise import BitSource
from tests.contracts.mechanism import Cells, Example, MechanismContract


def example(mechanism: Laplace, pair: tuple[float, float]) -> Example:
    sensitivity = Fraction(str(mechanism.l1_sensitivity))
    scale = float(mechanism.noise_scale)
    cells = Cells(width=scale / 16, low=-12 * 16, high=14 * 16)
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda value: cells.law(laplace(value, scale).cdf),
        wrong_law=lambda value: cells.law(laplace(value, 1.3 * scale).cdf),
        sensitivity=Sensitivity(sensitivity),
        draw=lambda value, source, count: cells.of(mechanism.sample(np.full(count, value), source)),
        tightness=0.95,
        too_far=Sensitivity(sensitivity * Fraction(1001, 1000)),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(Laplace(l1_sensitivity=1, scale=1), (0.0, 1.0)),
        example(Laplace(l1_sensitivity="0.3", scale="0.25"), (0.1, 0.4)),
        example(Laplace(l1_sensitivity=1000, scale=500), (250, 1250)),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [
        float("nan"),
        float("inf"),
        [],
        np.array([1.0, np.nan]),
        "12",
        None,
        [[1, 2], [3]],
        [1 + 2j],
    ]


@pytest.mark.parametrize(
    ("l1", "scale"), [(0, 1), (-1, 1), (1, 0), (1, -2), ("nan", 1), (1, "inf"), (None, 1), (1, True)]
)
def test_bad_parameters_are_refused(l1: Any, scale: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        Laplace(l1_sensitivity=l1, scale=scale)


def test_calibration_is_exact() -> None:
    mechanism = Laplace.calibrated(epsilon="0.1", sensitivity=Sensitivity("0.3", cells=2))
    assert mechanism.scale == 6
    assert mechanism.loss.meets(Guarantee("0.1"))
    assert not mechanism.loss.meets(Guarantee("0.0999999999"))


def test_calibration_with_a_delta_needs_less_noise() -> None:
    mechanism = Laplace.calibrated(epsilon=1, delta=0.01, sensitivity=Sensitivity(1))
    assert 0.97 < float(mechanism.noise_scale) < 0.99
    assert mechanism.loss.meets(Guarantee(1, 0.01))
    assert not Laplace(1, mechanism.noise_scale * Fraction(999_999, 1_000_000)).loss.meets(Guarantee(1, 0.01))


def test_many_dimensions_are_no_worse_than_one() -> None:
    """Two coordinates that move by 1/2 each lose no more than one that moves by 1, at every ε."""
    split = Laplace(l1_sensitivity="1/2", scale=1).loss * 2
    whole: PrivacyLoss = Laplace(l1_sensitivity=1, scale=1).loss
    for epsilon in np.linspace(0, 1, 21):
        assert split.delta(float(epsilon)) <= whole.delta(float(epsilon)) * (1 + 1e-6)


def test_answers_lie_on_a_public_lattice_and_keep_their_shape(source: BitSource) -> None:
    mechanism = Laplace(l1_sensitivity=1, scale=3)
    answers = mechanism.sample(np.arange(6.0).reshape(2, 3) / 7, source)
    assert isinstance(answers, np.ndarray)
    assert answers.shape == (2, 3)
    assert all(Fraction(float(x)) % mechanism.lattice.step == 0 for x in answers.ravel())
    assert isinstance(mechanism.sample(5, source), float)
    assert isinstance(mechanism.sample(np.float64(0.1), source), float)


def test_values_of_any_size(source: BitSource) -> None:
    mechanism = Laplace(l1_sensitivity=1, scale=2)
    assert abs(float(mechanism.sample(10**30, source)) - 1e30) < 1e15
    assert abs(float(mechanism.sample(-1e300, source)) + 1e300) < 1e285
    fine = Laplace(l1_sensitivity="1e-300", scale="1e-300")
    for huge in (1e300, np.array([1e300])):
        with pytest.raises(InvalidParameter, match="too large for the noise"):
            fine.check(huge)


@pytest.mark.parametrize("value", [2**60 + 1, -(2**60) - 1, 12345, 2**63 - 1, -1])
@pytest.mark.parametrize("kind", [int, np.int64])
def test_whole_numbers_are_never_rounded_to_floats(value: int, kind: Any, source: BitSource) -> None:  # noqa: ANN401
    """On a lattice coarser than 1 the part below a step counts exactly: 2^60 and 2^60 + 1 stay 1 apart."""
    mechanism = Laplace(l1_sensitivity=1, scale=2**40)
    assert mechanism.lattice.exponent == 16
    seen: list[Fraction] = []

    class Recorder:
        def near(self, source: BitSource, center: float) -> int:  # noqa: ARG002 - the noise is left out
            seen.append(Fraction(center))
            return 0

        def around(self, source: BitSource, centers: Any) -> Any:  # noqa: ANN401, ARG002 - the noise is left out
            seen.extend(Fraction(float(center)) for center in centers)
            return np.zeros(len(centers), dtype=np.int64)

    mechanism.__dict__["_law"] = Recorder()
    given = value if kind is int else np.array([value])
    whole = Fraction(float(np.ravel(mechanism.sample(given, source))[0])) / 2**16
    assert whole + seen[0] == Fraction(value, 2**16)


def test_unsigned_numbers_on_a_coarse_lattice(source: BitSource) -> None:
    mechanism = Laplace(l1_sensitivity=1, scale=2**40)
    answers = np.asarray(mechanism.sample(np.array([2**64 - 1, 0], dtype=np.uint64), source))
    assert np.abs(answers - np.array([2.0**64, 0.0])).max() < 2**47


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="no longer floats here")
def test_longer_floats_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="convert it first"):
        Laplace(l1_sensitivity=1, scale=1).check(np.array([1], dtype=np.longdouble))
