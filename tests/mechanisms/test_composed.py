"""Mechanisms followed by a function (`then`) or fed by a stable map (`after`)."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.core import Ledger, Release, Sensitive, Sensitivity, Unit
from privet.core.mechanism import After, Then
from privet.errors import BudgetExceeded, InvalidParameter, ReleaseFailed
from privet.loss import Guarantee, LossCurve, PrivacyLoss
from privet.mechanisms import DiscreteLaplace, Gaussian, Laplace
from privet.noise import BitSource, Entropy
from privet.noise.for_tests import seeded_entropy_for_tests
from tests.contracts.mechanism import Example, MechanismContract

PERSON = Unit("person")
TWO: Any = [1, 1]  # rows
GEOMETRIC = DiscreteLaplace(l1_sensitivity=1, scale=1)


def geometric(center: int, scale: float, reach: int = 60) -> dict[int, float]:
    weights = {k: math.exp(-abs(k - center) / scale) for k in range(center - reach, center + reach + 1)}
    total = math.fsum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


def clipped_law(center: int, scale: float = 1) -> dict[int, float]:
    law = dict.fromkeys(range(4), 0.0)
    for k, mass in geometric(center, scale).items():
        law[min(max(k, 0), 3)] += mass
    return law


def nearest(answer: Any) -> int:  # noqa: ANN401 - a number
    return int(np.rint(answer))


def into_range(answer: Any) -> int:  # noqa: ANN401 - a number
    return int(min(max(answer, 0), 3))


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        Example(
            mechanism=GEOMETRIC.then(into_range),
            pair=(1, 2),
            law=clipped_law,
            wrong_law=lambda value: clipped_law(value, 1.3),
            sensitivity=Sensitivity(1),
            too_far=Sensitivity(2),
            tightness=0.5,
        ),
        Example(
            mechanism=DiscreteLaplace(l1_sensitivity=1, scale=6).after(lambda rows: sum(rows), stability=3),  # noqa: PLW0108 - named
            pair=([1, 1], [1, 1, 3]),
            law=lambda rows: geometric(sum(rows), 6, reach=250),
            wrong_law=lambda rows: geometric(sum(rows), 7.8, reach=250),
            sensitivity=Sensitivity(1),
            too_far=Sensitivity(2),
            tightness=0.95,
        ),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [0.5, math.nan, None, "three", []]


# --- then -----------------------------------------------------------------------------------------------------


def test_then_costs_nothing_more_even_for_a_random_function() -> None:
    private = Entropy()
    for function in (into_range, str, lambda answer: answer + int(private.words(1)[0]) % 7):
        assert GEOMETRIC.then(function).loss == GEOMETRIC.loss


def test_then_sees_the_answer_and_nothing_else() -> None:
    seen: list[Any] = []
    GEOMETRIC.then(lambda *given, **named: seen.append((given, named))).sample(10**9, seeded_entropy_for_tests(1))
    given, named = seen[0]
    exact = GEOMETRIC.sample(10**9, seeded_entropy_for_tests(1))
    assert (given, named) == ((exact,), {})
    assert exact != 10**9, "the seed draws noise that is not zero"


def test_then_keeps_what_the_mechanism_covers_promises_and_refuses() -> None:
    noisy = Gaussian.calibrated(epsilon=1, delta=1e-6, sensitivity=Sensitivity(2))
    after_all = noisy.then(nearest)
    assert after_all.promise == Guarantee(1, 1e-6)
    assert after_all.covers(Sensitivity(2))
    assert not after_all.covers(Sensitivity("2.1"))
    assert after_all.uncertainty is None
    with pytest.raises(InvalidParameter):
        after_all.check(math.nan)


def test_then_is_charged_at_the_promise() -> None:
    ledger = Ledger(Guarantee(1, 1e-6), unit=PERSON)
    mechanism = Gaussian.calibrated(epsilon=1, delta=1e-6, sensitivity=Sensitivity(1)).then(nearest).then(str)
    secret: Sensitive[Any] = Sensitive(5, Sensitivity(1), PERSON)
    release = ledger.release(secret, mechanism, purpose="rounded")
    assert isinstance(release.value, str)
    assert ledger.remaining.epsilon == 0
    assert Release.from_json(release.to_json()) == release
    with pytest.raises(InvalidParameter, match="not known without the data"):
        release.margin()


def test_a_function_that_fails_is_paid_for_and_tells_nothing() -> None:
    ledger = Ledger(Guarantee(1), unit=PERSON)
    secret: Sensitive[Any] = Sensitive(42, Sensitivity(1), PERSON)
    with pytest.raises(ReleaseFailed) as caught:
        ledger.release(secret, GEOMETRIC.then(lambda answer: answer / 0), purpose="broken")
    assert caught.value.__cause__ is caught.value.__context__ is None
    assert ledger.spent.epsilon == 1


# --- after ----------------------------------------------------------------------------------------------------


def test_after_multiplies_the_loss() -> None:
    """Mission row R027: κ = 3 and ε = 0.5 give 1.5, and e^1.5 = 4.481689."""
    mechanism = Laplace(l1_sensitivity=1, scale=2).after(abs, stability=3)
    assert mechanism.loss.epsilon(0) == 1.5
    assert round(math.exp(mechanism.loss.epsilon(0)), 6) == 4.481689
    assert mechanism.loss == Laplace(l1_sensitivity=3, scale=2).loss


def test_after_lets_delta_grow_too() -> None:
    """Rows R013 and R027: with a fixed δ the claim would be false."""
    one = Gaussian.calibrated(epsilon="0.5", delta=1e-5, sensitivity=Sensitivity(1))
    for stability in (3, 20, 50):
        grouped = one.after(abs, stability=stability).loss
        level = 0.5 * stability
        exact = Gaussian(l2_sensitivity=stability, scale=one.scale).loss.delta(level)
        assert grouped.delta(level) == pytest.approx(exact, rel=1e-9)
    assert one.after(abs, stability=20).loss.delta(10) > 2e-5
    assert not one.after(abs, stability=20).loss.meets(Guarantee(10, 1e-5))


def test_stability_one_changes_nothing() -> None:
    noisy = Gaussian.calibrated(epsilon=1, delta=1e-6, sensitivity=Sensitivity(1))
    assert noisy.after(abs, stability=1).loss == noisy.loss
    assert noisy.after(abs, stability=1).promise == noisy.promise
    assert noisy.after(abs, stability=2).promise is None, "the promise was made for one unit"


@pytest.mark.parametrize("stability", [0, -1, 1.5, 2.0, "2", True, None, Fraction(3, 2), math.inf])
def test_stability_is_a_whole_number_of_units(stability: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="stability"):
        GEOMETRIC.after(sum, stability=stability)
    with pytest.raises(InvalidParameter, match="stability"):
        After(GEOMETRIC, sum, stability)


def test_after_covers_what_the_mechanism_covers() -> None:
    mechanism = GEOMETRIC.after(len, stability=5)
    assert mechanism.covers(Sensitivity(1))
    assert not mechanism.covers(Sensitivity(2))
    assert mechanism.uncertainty == GEOMETRIC.uncertainty


def test_a_ledger_charges_the_group() -> None:
    ledger = Ledger(Guarantee(4), unit=PERSON)
    mechanism = DiscreteLaplace(l1_sensitivity=1, scale=2).after(len, stability=3)
    secret: Sensitive[Any] = Sensitive(["a", "b"], Sensitivity(1), PERSON)
    for _ in range(2):
        ledger.release(secret, mechanism, purpose="rows of one person")
    assert ledger.spent.epsilon == 3
    with pytest.raises(BudgetExceeded):
        ledger.release(secret, mechanism, purpose="rows of one person")


def test_what_cannot_be_prepared_fails_after_the_charge() -> None:
    """Before it, the error would be a free answer about the data."""
    ledger = Ledger(Guarantee(4), unit=PERSON, failures=5)
    for function in (lambda rows: rows[99], lambda _: math.nan, lambda _: "text", lambda _: 2.7):
        secret: Sensitive[Any] = Sensitive([1, 2], Sensitivity(1), PERSON)
        with pytest.raises(ReleaseFailed):
            ledger.release(secret, GEOMETRIC.after(function, stability=1), purpose="prepared")
    assert ledger.spent.epsilon == 4


# --- both -----------------------------------------------------------------------------------------------------


def test_chains_add_up(source: BitSource) -> None:
    mechanism = GEOMETRIC.after(sum, stability=2).then(into_range).after(sorted, stability=3).then(str)
    assert mechanism.loss == GEOMETRIC.loss.group(6)
    assert mechanism.loss.epsilon(0) == 6
    assert mechanism.sample(TWO, source) in {"0", "1", "2", "3"}
    assert PrivacyLoss.from_json(mechanism.loss.to_json()) == mechanism.loss


def test_order_of_steps(source: BitSource) -> None:
    mechanism = Laplace(l1_sensitivity=1, scale="1e-9").after(np.sum, stability=1).then(lambda x: x + 1).then(np.round)
    assert mechanism.sample([1, 2, 3], source) == 7


@dataclass(frozen=True)
class OwnCurve(LossCurve):
    """A curve that Privet does not know."""

    __hash__ = LossCurve.__hash__

    epsilon: int

    def removing(self, epsilon: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(epsilon >= self.epsilon, 0.0, 1.0)


def test_a_release_with_a_curve_of_ones_own_survives_json() -> None:
    release = Release(3, None, PrivacyLoss.of(OwnCurve(2)), "own", "own", PERSON)
    assert Release.from_json(release.to_json(), kinds=[OwnCurve]) == release
    with pytest.raises(InvalidParameter, match="unknown curve 'own'"):
        Release.from_json(release.to_json())


@pytest.mark.parametrize("function", [None, 3, "sum"])
def test_what_is_not_a_function_is_refused(function: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="function"):
        GEOMETRIC.then(function)
    with pytest.raises(InvalidParameter, match="function"):
        GEOMETRIC.after(function, stability=1)


def test_the_repr_names_a_function_and_shows_nothing_it_holds() -> None:
    secret = functools.partial(sum, start=123456789)
    for mechanism in (GEOMETRIC.after(secret, stability=1), GEOMETRIC.then(secret), Then(GEOMETRIC, secret)):
        assert "123456789" not in repr(mechanism)
        assert "function=partial" in repr(mechanism)
    assert repr(GEOMETRIC.then(into_range)) == (
        "Then(mechanism=DiscreteLaplace(l1_sensitivity=1, scale=1), function=into_range)"
    )
    assert " at 0x" not in repr(GEOMETRIC.then(lambda x: x))
