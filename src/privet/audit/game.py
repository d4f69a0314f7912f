"""The composition game: an adversary chooses mechanisms and pairs round by round, and guesses which side was run."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from privet.audit.bounds import Box, at_least, at_most
from privet.audit.figures import confidence, figure
from privet.audit.test import ALPHA
from privet.core import Mechanism
from privet.loss import PrivacyLoss
from privet.loss.exact import whole
from privet.noise import BitSource, Entropy

Move: TypeAlias = tuple[Mechanism[Any, Any], tuple[Any, Any]]
Choose: TypeAlias = Callable[[tuple[Any, ...]], Move]  # the answers so far to a mechanism and a pair of inputs
Guess: TypeAlias = Callable[[tuple[Any, ...]], bool]  # all answers to "the second inputs were run"
GAMES = 4000


@dataclass(frozen=True)
class Advantage:
    """How much better than by chance an adversary guessed.

    Args:
        games: how many were played.
        rounds: of each game.
        rates: how often "the second" was guessed when it was the first, and when it was the second.
        advantage: the difference of the two, as it was seen.
        low: the advantage is at least this, but for a chance of alpha.
        high: and at most this.
        epsilon: the most that a game's mechanisms cost in all.
        bound: tanh(ε/2): no adversary does better against ε-DP.
        unseen: how probable games may be that cost more than any that was played.
        alpha: how often low or high may be wrong.
    """

    games: int
    rounds: int
    rates: tuple[float, float]
    advantage: float
    low: float
    high: float
    epsilon: float
    bound: float
    unseen: float
    alpha: float

    @property
    def violated(self) -> bool:
        """Whether the adversary does better than the mechanisms' losses allow."""
        return self.low > self.bound + self.unseen + 1e-9

    @property
    def verdict(self) -> str:
        """One sentence."""
        seen = f"an advantage of at least {figure(self.low)} with confidence {confidence(self.alpha)}"
        allowed = f"ε={figure(self.epsilon)} in all allows {figure(self.bound)}"
        return f"violates the claim: {seen}; {allowed}" if self.violated else f"no violation found: {seen}; {allowed}"


def play(  # noqa: PLR0913 - a game's parts, each by name
    choose: Choose,
    guess: Guess,
    *,
    rounds: int,
    games: int = GAMES,
    alpha: float = ALPHA,
    source: BitSource | None = None,
) -> Advantage:
    """Play the composition game many times: a hidden coin b decides which input of every pair is run.

    Args:
        choose: takes the answers so far and returns a mechanism of Privet and a pair of neighboring inputs.
        guess: takes all answers and returns True for "the second input of every pair".
        rounds: how many answers a game has.
        games: for each side of the coin, half of them.
        alpha: how often the bounds of the advantage may be wrong.
        source: where bits come from.

    Proof: with ε in all, P(guess | 1) <= e^ε P(guess | 0) and the same for "not", so the advantage P(guess | 1) -
        P(guess | 0) is at most (e^ε - 1)/(e^ε + 1) = tanh(ε/2). Losses of mechanisms that were chosen as the game went
        on add up in ε (Dwork, Rothblum and Vadhan 2010); the bound is of the costliest game. Of an adversary that
        chooses by answers, costlier ones may not have been seen. Let another stop before them, and guess "the first".
        It is within the bound, and differs in such games only. On the side of the second inputs, where a guess of "the
        second" counts, their chance is at most `unseen`, but for a quarter of alpha; on the other side it only loses
        guesses of "the second".

    Example:
        >>> from privet.mechanisms import RandomizedResponse
        >>> coin = RandomizedResponse.calibrated(epsilon=1)
        >>> result = play(lambda seen: (coin, (0, 1)), lambda seen: seen[0] == 1, rounds=1, games=2000)
        >>> round(result.bound, 4), abs(result.advantage - result.bound) < 0.15, result.violated
        (0.4621, True, False)
    """
    bits, half = Entropy() if source is None else source, whole(games, "games", low=2) // 2
    number = whole(rounds, "rounds", low=1)
    said, worst = [0, 0], 0.0
    for side in (0, 1):
        for _ in range(half):
            answers, cost = _game(choose, number, side, bits)
            said[side] += bool(guess(answers))
            worst = max(worst, cost)
    first, second = (count / half for count in said)
    box = Box(at_least(said[1], half, alpha / 4), at_most(said[0], half, alpha / 4))  # and a quarter for unseen games
    most = at_most(said[1], half, alpha / 4) - at_least(said[0], half, alpha / 4)
    return Advantage(
        games=2 * half,
        rounds=number,
        rates=(first, second),
        advantage=second - first,
        low=max(0.0, box.low - box.high),
        high=max(0.0, most),
        epsilon=worst,
        bound=math.tanh(worst / 2),
        unseen=at_most(0, half, alpha / 4),
        alpha=alpha,
    )


def _game(choose: Choose, rounds: int, side: int, bits: BitSource) -> tuple[tuple[Any, ...], float]:
    """One game: its answers, and what its mechanisms cost."""
    answers: tuple[Any, ...] = ()
    cost = 0.0
    for _ in range(rounds):
        mechanism, pair = choose(answers)
        cost += _pure(mechanism.loss)
        answers = (*answers, mechanism.sample(pair[side], bits))
    return answers, cost


def _pure(loss: PrivacyLoss) -> float:
    return loss.epsilon(0)
