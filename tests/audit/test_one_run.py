"""One training with canaries: what can be shown by right guesses."""

import math

import numpy as np
import pytest

from privet.audit import one_run
from privet.audit.zoo.draws import Draws
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.noise import BitSource


def trained(epsilon: float, canaries: int, source: BitSource) -> tuple[np.ndarray, np.ndarray]:
    """Scores that are randomized responses: no (ε, 0)-DP training gives its canaries away more."""
    draws = Draws(source)
    included = draws.coin(0.5, canaries)
    truth = draws.coin(1 / (1 + math.exp(-epsilon)), canaries)
    return np.where(truth, included, ~included) + 0.01 * draws.uniform(canaries), included


def test_a_leak_is_shown(source: BitSource) -> None:
    found = one_run(*trained(3.0, 4000, source), claim=Guarantee(2), guesses=3600)
    assert found.violated
    assert 2.5 < found.epsilon < 3
    assert found.verdict == f"violates the claim: ε is at least {found.epsilon:.3g}, with confidence 95 %"


def test_a_claim_that_is_kept_is_seldom_contradicted(source: BitSource) -> None:
    """40 trainings that reveal exactly what is claimed, at alpha = 0.001: four alarms would have a
    chance below 1e-7.
    """
    found = [one_run(*trained(1.0, 500, source), claim=Guarantee(1), alpha=0.001) for _ in range(40)]
    assert sum(each.violated for each in found) <= 3
    louder = [one_run(*trained(3.0, 500, source), claim=Guarantee(1), alpha=0.001) for _ in range(5)]
    assert all(each.violated for each in louder)  # the control


def test_without_a_claim_any_leak_counts(source: BitSource) -> None:
    blind = one_run(Draws(source).uniform(1000), Draws(source).coin(0.5, 1000), alpha=1e-6)
    assert (blind.violated, blind.epsilon) == (False, 0.0)
    assert one_run(*trained(2.0, 1000, source), delta=1e-5).violated


@pytest.mark.parametrize(
    ("scores", "included", "guesses"),
    [
        ([1.0], [True, False], None),
        ([1.0, math.nan], [True, False], None),
        ([1.0, 2.0], [2, 0], None),
        ([], [], None),
        ([1.0, 2.0], [1, 0], 3),
        ([1.0, 2.0], [1, 0], (-1, 2)),
    ],
)
def test_wrong_words_are_refused(scores: list[float], included: list[bool], guesses: int | None) -> None:
    with pytest.raises(InvalidParameter):
        one_run(scores, included, guesses=guesses)
