"""The canary audit of a training of 500 steps: below what is claimed, and above it with planted bugs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from privet import Guarantee, audit
from privet.audit import Finding
from privet.errors import InvalidParameter
from privet.learn import Canaries, GaussianNB, MLPClassifier, MLPRegressor
from privet.learn.row_clipping import INSIDE, RowClipping
from privet.loss import PrivacyLoss
from privet.mechanisms import Gaussian
from privet.mechanisms.noisy_steps import NoisySteps
from privet.noise import BitSource
from privet.noise.coins import CoinLaw

STEPS, RATE = 500, 1 / 64
ALPHA = 1e-6


def alone(count: int, *, epsilon: float = 2, **declared: Any) -> Canaries:  # noqa: ANN401 - parameters
    """Canaries that each have a column to themselves, so that their gradients are nearly orthogonal."""
    public = {"norm": 1, "classes": [0, 1], "steps": STEPS, "expected_rows": count // 2, "hidden_layer_sizes": ()}
    model = MLPClassifier(**{"rate": RATE, **public, **declared}, epsilon=epsilon, delta="1e-5")
    return Canaries(model, np.eye(count), np.arange(count) * 7 % 5 % 2)


def claim_of(canaries: Canaries) -> PrivacyLoss:
    """The whole curve that a right training promises."""
    loss: PrivacyLoss = canaries.fit([0, 1]).model.privacy_.loss
    return loss


@contextmanager
def no_clipping() -> Iterator[None]:
    """Gradients are divided by the length to which they should be shortened, and not shortened."""
    with patch.object(RowClipping, "factors", lambda rule, squares, _: np.full(len(squares), INSIDE / rule.length)):
        yield


@contextmanager
def noise_of_the_mean() -> Iterator[None]:
    """The noise that a mean of 50 needs is added to a sum."""
    right = NoisySteps.sample

    def sample(steps: NoisySteps[Any], value: Any, source: BitSource) -> Any:  # noqa: ANN401 - any training
        quiet = Gaussian(steps.noise.l2_sensitivity, steps.noise.scale / Fraction(50))
        return right(NoisySteps(steps.steps, steps.rate, quiet), value, source)

    with patch.object(NoisySteps, "sample", sample):
        yield


@contextmanager
def everybody_every_time() -> Iterator[None]:
    """All take part in each step, and chance is claimed to choose one in 64."""
    with patch.object(CoinLaw, "many", lambda _, source, count: np.ones(count, dtype=bool)):  # noqa: ARG005 - no chance
        yield


BUGS = (no_clipping, noise_of_the_mean, everybody_every_time)


def audited(canaries: Canaries, claim: PrivacyLoss, *, trainings: int = 1, alpha: float = ALPHA) -> Finding:
    guesses = int(0.3 * len(canaries.places) * trainings)
    return audit.training(
        canaries.fit,
        canaries.places,
        canaries.in_steps,
        claim=claim,
        alpha=alpha,
        guesses=guesses,
        trainings=trainings,
        progress=False,
    )


def test_a_training_keeps_its_claim_and_none_with_a_planted_bug_does() -> None:
    """300 canaries of one training each; a right one is accused with probability 1e-6 at most."""
    canaries = alone(300, clipping=0.1, learning_rate=0.01)
    claim = claim_of(canaries)
    found = audited(canaries, claim)
    assert not found.violated
    assert found.epsilon < 2
    for bug in BUGS:
        with bug():
            assert audited(canaries, claim).violated, bug.__name__


@pytest.mark.soak
@pytest.mark.parametrize("layers", [(), (8,)], ids=["linear", "one layer"])
def test_bounds_are_a_good_part_of_the_claim(layers: tuple[int, ...]) -> None:
    """At ε = 8; bounds at 95 %, so the claim is compared at α = 1e-6 besides."""
    canaries = alone(400, epsilon=8, rate=1 / 4, hidden_layer_sizes=layers, activation="tanh")
    claim = claim_of(canaries)
    least = {(): (2.7, 2.0), (8,): (1.5, 0.5)}[layers]  # of what was seen, about three quarters
    for score, good in zip((canaries.in_steps, canaries.in_model), least, strict=True):
        found = audit.training(
            canaries.fit, canaries.places, score, claim=Guarantee(8, "1e-5"), guesses=800, trainings=20
        )
        assert good < found.epsilon < 8, found
    assert not audited(canaries, claim, trainings=5).violated


@pytest.mark.soak
@pytest.mark.parametrize("bug", [no_clipping, noise_of_the_mean])
def test_bugs_are_found_in_a_network_with_a_layer(bug: Callable[[], Any]) -> None:
    """Who takes part in vain is not found here by so few trainings: gradients share most of their directions."""
    canaries = alone(400, clipping=0.1, learning_rate=0.01, hidden_layer_sizes=(4,), activation="tanh")
    claim = claim_of(canaries)
    with bug():
        assert audited(canaries, claim, trainings=5).violated


def test_models_without_steps_are_asked_as_models() -> None:
    model = GaussianNB(bounds=(0, 1), classes=[0, 1], epsilon=1)
    canaries = Canaries(
        model, np.random.default_rng(1).uniform(size=(40, 2)), np.arange(40) % 2, rows=(np.eye(2), [0, 1])
    )
    found = audit.training(canaries.fit, canaries.places, canaries.in_model, claim=Guarantee(1), alpha=ALPHA)
    assert not found.violated
    with pytest.raises(InvalidParameter, match="score its canaries with in_model"):
        audit.training(canaries.fit, canaries.places, canaries.in_steps)
    number = MLPRegressor(bounds=(0, 1), target_bounds=(0, 1), steps=3, rate=1, epsilon=1, delta="1e-6")
    rows = Canaries(number, np.eye(6), np.linspace(0, 1, 6))
    for score in (rows.in_model, rows.in_steps):
        assert np.isfinite(score(rows.fit([1, 2]), rows.places)).all()
    with pytest.raises(InvalidParameter, match="a target for each"):
        Canaries(model, np.eye(3), [0])
