"""The composition game."""

import math
from typing import Any

import pytest

from privet.audit import play
from privet.audit.game import Move
from privet.loss import PrivacyLoss
from privet.mechanisms import DiscreteLaplace, RandomizedResponse
from privet.noise import BitSource

COIN = RandomizedResponse.calibrated(epsilon=1)
SMALL = DiscreteLaplace(1, 4)


def adaptive(seen: tuple[Any, ...]) -> Move:
    """Goes on with coins after a 1, and else asks for a count."""
    return (COIN, (0, 1)) if not seen or seen[-1] == 1 else (SMALL, (0, 1))


def test_the_best_guess_of_one_coin_reaches_the_bound(source: BitSource) -> None:
    found = play(lambda seen: (COIN, (0, 1)), lambda seen: seen[0] == 1, rounds=1, games=8_000, source=source)  # noqa: ARG005 - the same each time
    assert found.bound == pytest.approx(math.tanh(0.5), abs=1e-5)
    assert found.low <= found.bound <= found.high
    assert found.high - found.low < 0.2
    assert not found.violated


def test_an_adaptive_adversary_stays_below_the_bound(source: BitSource) -> None:
    found = play(adaptive, lambda seen: sum(seen) > 1, rounds=3, games=2_000, source=source)
    assert found.epsilon == pytest.approx(3, abs=1e-4)  # the costliest game: three coins
    assert 0.2 < found.advantage < found.bound
    assert not found.violated


def test_a_mechanism_that_understates_its_loss_is_caught(source: BitSource) -> None:
    """The control."""

    class Understated(DiscreteLaplace):
        """Says half of what it costs."""

        @property
        def loss(self) -> PrivacyLoss:
            return DiscreteLaplace(1, 1).loss

    loud = Understated(1, "0.25")
    found = play(lambda seen: (loud, (0, 1)), lambda seen: seen[0] >= 1, rounds=1, games=4_000, source=source)  # noqa: ARG005 - the same each time
    assert found.violated
    assert found.verdict.startswith("violates the claim")
