"""One run: what a single training reveals, from guesses of which canaries it was given (Steinke et al. 2023)."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from privet.audit.claim import Claim, claimed, of_guarantee
from privet.audit.figures import figure
from privet.audit.finding import Finding
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import whole

ALPHA = 0.05  # a single run of a few hundred canaries cannot do much better
SIZES = (0.02, 0.1, 0.3, 1.0)  # shares of the canaries that are guessed, where nobody says how many
STEPS = 60
HIGHEST = 100.0  # the largest ε that is looked at
Flags = NDArray[np.bool_]


def one_run(  # noqa: PLR0913 - what an audit is made of, each by name
    scores: Sequence[float] | NDArray[Any],
    included: Sequence[bool] | NDArray[Any],
    *,
    guesses: int | tuple[int, int] | None = None,
    claim: Claim | None = None,
    delta: float | None = None,
    alpha: float = ALPHA,
    name: str = "one run",
) -> Finding:
    """A lower bound of ε from one training: rows were put in by fair coins, and are guessed from their scores.

    Args:
        scores: of each canary, large where the model seems to have seen it, such as minus its loss. They may depend on
            everything that came out of the training, and not on the coins.
        included: for each canary, whether its coin put it into the training rows. Every coin must be fair and
            independent of all else, and each canary a unit of its own.
        guesses: how many canaries are guessed, half of them (the highest scores) to have been included and half not; or
            two numbers, of either. It must be chosen before the scores are seen. Without it several numbers are tried,
            which share alpha.
        claim: what is claimed; by default (0, delta), so that any leak is a violation.
        delta: the δ at which ε is bounded; by default the claim's.
        alpha: the chance that the bound is wrong.
        name: what was trained.

    Privacy: look at the scores of a training on canaries only where its model may be seen anyway.
    Proof: under (ε, δ)-DP so many right guesses are at most as likely as `chance_of` says (Steinke, Nasr and Jagielski
        2023, Theorem 5.2). The bound is the largest ε whose chance is below alpha.
    Not covered: leaks that no canary shows.

    Example:
        >>> from privet.noise import Entropy
        >>> rng = Entropy().words(2000) / 2.0**64
        >>> included = rng[:1000] < 0.5
        >>> found = one_run(included + 0.2 * rng[1000:], included, guesses=900, claim=Guarantee(4))
        >>> found.violated, found.event, round(found.epsilon, 2)
        (True, '900 of 900 guesses are right', 5.7)
    """
    coins = _flags(included)
    marks = np.asarray(scores, dtype=np.float64)
    if marks.shape != coins.shape or not np.isfinite(marks).all():
        raise InvalidParameter(f"scores must be {len(coins)} finite numbers, one for each canary")
    said = claimed(claim, None) if claim is not None else of_guarantee(Guarantee(0, 0 if delta is None else delta))
    leak = said.delta if delta is None else float(delta)
    sizes = _sizes(len(coins)) if guesses is None else [_size(guesses, len(coins))]
    found = [(_right(marks, coins, size), sum(size)) for size in sizes]
    bounds = [epsilon_of(len(coins), number, right, leak, alpha / len(sizes)) for right, number in found]
    best = int(np.argmax(bounds))
    (right, number), epsilon = found[best], bounds[best]
    # what the claim itself is compared with: its own δ, whichever δ the bound is asked for
    chances = [chance_of(len(coins), each, hits, said.epsilon, said.delta) for hits, each in found]
    ceiling = figure(epsilon_of(len(coins), number, number, leak, alpha / len(sizes)))
    return Finding(
        subject=name,
        claim=said.words,
        claimed_epsilon=said.epsilon,
        at_delta=leak,
        violated=min(chances) < alpha / len(sizes),
        epsilon=epsilon,
        delta=0.0,
        mu=0.0,
        alpha=alpha,
        event=f"{right} of {number} guesses are right",
        pair=("its canary was among the rows", "its canary was not"),
        rates=(right / number, 1 - right / number),
        tested=len(coins),
        trials=1,
        notes=(f"{len(coins):,} canaries in one training; {number:,} right guesses would show ε >= {ceiling}",),
    )


def chance_of(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The most probable that (ε, δ)-DP makes so many right guesses in one run.

    Args:
        canaries: how many there are.
        guesses: how many of them are guessed; no guess is made of the others.
        right: guesses that are right, or more.
        epsilon: of the guarantee.
        delta: of the guarantee.

    Proof: with δ = 0 right guesses are never more probable than with `guesses` coins that are right with probability
        e^ε/(1 + e^ε); δ adds at most 2 m δ times the largest mean of their law just below (Steinke et al. 2023).

    Example:
        >>> round(chance_of(100, 100, 75, math.log(3), 0), 4)
        0.5535
    """
    coin = 1 / (1 + math.exp(-epsilon)) if epsilon < HIGHEST else 1.0
    tail = float(binom.sf(right - 1, guesses, coin))
    if not delta or not right:
        return min(tail, 1.0)
    below = np.cumsum(binom.pmf(np.arange(right - 1, -1, -1), guesses, coin))
    worst = float((below / np.arange(1, right + 1)).max())
    return min(tail + 2 * canaries * delta * worst, 1.0)


def epsilon_of(canaries: int, guesses: int, right: int, delta: float, alpha: float) -> float:
    """The largest ε that so many right guesses contradict at this confidence, or 0.

    Example:
        >>> round(epsilon_of(1000, 100, 75, 1e-4, 0.05), 3)
        0.673
    """
    low, high = 0.0, HIGHEST
    if chance_of(canaries, guesses, right, low, delta) >= alpha:
        return 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        below = chance_of(canaries, guesses, right, middle, delta) < alpha
        low, high = (middle, high) if below else (low, middle)
    return low


def _right(scores: NDArray[np.float64], included: Flags, size: tuple[int, int]) -> int:
    """Guesses that are right: the highest scores are said to be of rows that were there, the lowest of others."""
    order = np.argsort(-scores, kind="stable")
    inside, outside = included[order[: size[0]]], included[order[len(order) - size[1] :]]
    return int(inside.sum() + (~outside).sum())


def _size(guesses: int | tuple[int, int], canaries: int) -> tuple[int, int]:
    high, low = guesses if isinstance(guesses, tuple) else (guesses - guesses // 2, guesses // 2)
    if min(high, low) < 0 or not 1 <= high + low <= canaries:
        raise InvalidParameter(f"guesses must be from 1 to {canaries}, the number of canaries, got {guesses}")
    return high, low


def _sizes(canaries: int) -> list[tuple[int, int]]:
    numbers = sorted({max(1, round(share * canaries)) for share in SIZES})
    return [_size(whole(number, "guesses", low=1), canaries) for number in numbers]


def _flags(included: Any) -> Flags:  # noqa: ANN401 - any column
    flags = np.asarray(included)
    if flags.ndim != 1 or not len(flags) or not np.isin(flags, (0, 1)).all():
        raise InvalidParameter("included must say True or False for each canary: what its fair coin decided")
    return flags.astype(np.bool_)
