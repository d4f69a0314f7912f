"""SmoothLaplace: the contract, its constants against brute force, and where the textbook's fail."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import laplace

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee, Neighbors
from privet.mechanisms.smooth import SmoothValue
from privet.mechanisms.smooth_laplace import SmoothLaplace
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract
from tests.support.smooth_pairs import REFUSED, example, worst_delta


def textbook(epsilon: float, delta: float) -> float:
    return epsilon / (2 * math.log(2 / delta))


def made(epsilon: float, delta: float, *, narrow: bool, step: str = "0.001") -> Example:
    mechanism = SmoothLaplace(epsilon, delta, step=step)
    smoothness = min(textbook(epsilon, delta), math.log1p(epsilon / (2 * math.log(1 / delta))))
    return example(
        mechanism,
        cdf=lambda center, scale: laplace(center, scale).cdf,
        spread=2 / epsilon,
        smoothness=smoothness,
        narrow=narrow,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        made(1, 1e-6, narrow=True),
        made(2, 1e-6, narrow=False, step="1/300"),
        made(8, 1e-7, narrow=True, step="1e-5"),
    ]
    REFUSED: ClassVar[Sequence[Any]] = REFUSED


@pytest.mark.parametrize("delta", [0.5, 0.1, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1, 2, 3, 5, 8, 12, 20, 50])
def test_no_neighbors_exceed_the_promise(epsilon: float, delta: float) -> None:
    mechanism = SmoothLaplace(epsilon, delta, step=1)
    truth = worst_delta(lambda z: -np.abs(z) - math.log(2), float(mechanism.spread), mechanism.smoothness, epsilon)
    assert truth <= delta


@pytest.mark.parametrize(("epsilon", "delta"), [(12, 0.01), (20, 1e-5), (20, 1e-8)])
def test_the_textbook_s_smoothness_fails_for_large_epsilon(epsilon: float, delta: float) -> None:
    """Nissim, Raskhodnikova and Smith's β = ε / (2 ln(2/δ)): the true δ is larger than promised."""
    broken = worst_delta(lambda z: -np.abs(z) - math.log(2), 2 / epsilon, textbook(epsilon, delta), epsilon)
    assert broken > delta
    assert SmoothLaplace(epsilon, delta, step=1).smoothness < textbook(epsilon, delta)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.5), (1, 1e-6), (2, 1e-30), (2.5, 0.1)])
def test_the_textbook_s_smoothness_is_kept_where_it_is_proven(epsilon: float, delta: float) -> None:
    mechanism = SmoothLaplace(epsilon, delta, step=1)
    assert mechanism.smoothness == pytest.approx(textbook(epsilon, delta), rel=1e-14)
    assert mechanism.smoothness <= textbook(epsilon, delta) * (1 + 1e-15)
    assert mechanism.spread == 2 / Fraction(str(epsilon))


@pytest.mark.parametrize(
    ("epsilon", "delta", "step"),
    [(0, 0.1, 1), (-1, 0.1, 1), (1, 0, 1), (1, 0.51, 1), (1, 0.1, 0), (1, 0.1, -1), (1e-10, 0.1, 1), (1, 0.1, "inf")],
)
def test_bad_parameters_are_refused(epsilon: Any, delta: Any, step: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        SmoothLaplace(epsilon, delta, step=step)


def test_the_lattice_is_public(source: BitSource) -> None:
    """Whatever the smooth sensitivity, answers are multiples of the power of two below the step."""
    mechanism = SmoothLaplace(1, 1e-6, step="0.001")
    assert mechanism.lattice.step == Fraction(1, 1024)
    for bound in (1e-300, 1e-9, 0.3, 7.7, 1e12):
        for _ in range(200):
            answer = mechanism.sample(SmoothValue(1 / 3, bound), source)
            assert isinstance(answer, float)
            assert Fraction(answer) % Fraction(1, 1024) == 0


def test_a_release_does_not_tell_the_smooth_sensitivity() -> None:
    person = Unit("person", neighbors=Neighbors.REPLACE)
    mechanism = SmoothLaplace(1, 1e-6, step="0.001")
    ledger = Ledger(Guarantee(1, 1e-6), unit=person)
    release = ledger.release(Sensitive(SmoothValue(12.5, 0.123), Sensitivity(100), person), mechanism, purpose="median")
    assert release.uncertainty is None
    assert "0.123" not in release.to_json() + repr(release) + repr(ledger.entries) + repr(SmoothValue(12.5, 0.123))
    assert (ledger.spent.epsilon, ledger.spent.delta) == (1, Fraction("1e-6"))
    with pytest.raises(InvalidParameter, match="not known without the data"):
        release.margin()


@pytest.mark.parametrize("bad", REFUSED[4:], ids=range(len(REFUSED) - 4))
def test_errors_do_not_tell_the_value(bad: SmoothValue) -> None:
    with pytest.raises(InvalidParameter) as caught:
        SmoothLaplace(1, 1e-6, step="0.001").check(bad)
    assert "e+" not in str(caught.value)
    assert "nan" not in str(caught.value)
    assert "1e300" not in str(caught.value)
