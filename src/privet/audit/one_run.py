"""One run: what a single training reveals, from guesses of which canaries it was given (Steinke et al. 2023)."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privet.audit.claim import Claim, claimed
from privet.audit.figures import figure
from privet.audit.finding import Finding
from privet.audit.right_guesses import chance_of, claimed_least, epsilon_of, mu_of, too_many
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import whole

ALPHA = 0.05  # a single run of a few hundred canaries cannot do much better
SIZES = (0.02, 0.1, 0.3, 1.0)  # shares of the canaries that are guessed, where nobody says how many
Flags = NDArray[np.bool_]


def one_run(  # noqa: PLR0913 - what an audit is made of, each by name
    scores: Sequence[float] | NDArray[Any],
    included: Sequence[bool] | NDArray[Any],
    *,
    guesses: int | tuple[int, int] | None = None,
    claim: Claim | None = None,
    delta: float | None = None,
    alpha: float = ALPHA,
    trainings: int = 1,
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
        trainings: how many there were, each with canaries of its own: no more than one that has all canaries, because a
            canary is in one of them at most.
        name: what was trained.

    Privacy: look at the scores of a training on canaries only where its model may be seen anyway.
    Proof: under a claim so many right guesses are at most as likely as `chance_of` says (Steinke, Nasr and Jagielski
        2023, Theorem 5.2), and as `too_many` allows (Mahloujifar, Melis and Chaudhuri 2024). The bound is the largest ε
        whose chance is below alpha. Of a claim that is a whole curve all of the curve is compared.
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
    promised = Guarantee(0, 0 if delta is None else delta) if claim is None else claim
    said = claimed(promised, None)
    leak = said.delta if delta is None else float(delta)
    sizes = _sizes(len(coins)) if guesses is None else [_size(guesses, len(coins))]
    each = alpha / len(sizes)
    found = [Guessed(len(coins), sum(size), _right(marks, coins, size)) for size in sizes]
    bounds = [guessed.epsilon(leak, each) for guessed in found]
    least = claimed_least(promised)
    broken = [
        chance_of(*guessed, said.epsilon, said.delta) < each or too_many(*guessed, least, each) for guessed in found
    ]
    # what is told is what contradicts the claim, if anything does
    best = max(range(len(found)), key=lambda place: (broken[place], bounds[place]))
    shown = found[best]
    ceiling = figure(shown.all_right().epsilon(leak, each))
    runs = "one training" if trainings == 1 else f"{trainings:,} trainings"
    return Finding(
        subject=name,
        claim=said.words,
        claimed_epsilon=said.epsilon,
        at_delta=leak,
        violated=any(broken),
        epsilon=max(bounds),
        delta=0.0,
        mu=max(guessed.mu(each) for guessed in found),
        alpha=alpha,
        event=f"{shown.right} of {shown.guesses} guesses are right",
        pair=("its canary was among the rows", "its canary was not"),
        rates=(shown.right / shown.guesses, 1 - shown.right / shown.guesses),
        tested=len(coins),
        trials=trainings,
        notes=(f"{len(coins):,} canaries in {runs}; {shown.guesses:,} right guesses would show ε >= {ceiling}",),
    )


class Guessed(NamedTuple):
    """How many guesses were right.

    Args:
        canaries: how many there are.
        guesses: how many of them were guessed.
        right: how many of these were right.
    """

    canaries: int
    guesses: int
    right: int

    def epsilon(self, delta: float, alpha: float) -> float:
        """The largest ε that this contradicts."""
        return epsilon_of(*self, delta, alpha)

    def mu(self, alpha: float) -> float:
        """The largest μ that this contradicts."""
        return mu_of(*self, alpha)

    def all_right(self) -> "Guessed":
        """The most that can be."""
        return self._replace(right=self.guesses)


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
