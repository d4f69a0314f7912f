"""training: the audit of anything that is trained, by canaries that coins put among its rows."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from privet.audit.claim import Claim
from privet.audit.finding import Finding
from privet.audit.one_run import ALPHA, one_run
from privet.audit.progress import Progress
from privet.errors import InvalidParameter
from privet.loss.exact import whole
from privet.noise import BitSource, Entropy

Fit = Callable[[Any], Any]
Score = Callable[..., Any]
TOGETHER = "canaries"  # the parameter of a score that is asked once for all


def training(  # noqa: PLR0913 - what an audit is made of, each by name
    fit: Fit,
    canaries: Sequence[Any] | NDArray[Any],
    score: Score,
    *,
    trainings: int = 1,
    guesses: int | tuple[int, int] | None = None,
    claim: Claim | None = None,
    delta: float | None = None,
    alpha: float = ALPHA,
    source: BitSource | None = None,
    name: str = "a training",
    progress: bool | None = None,
) -> Finding:
    """A lower bound of what a training reveals: canaries are put in by coins, and guessed from what came out.

    Args:
        fit: takes the canaries whose coins say so, puts them among rows of its own, which are always the same, and
            returns what is known of the training afterwards: a model, or all that it has released.
        canaries: rows that are likely to be seen: each a unit of its own, and none moves the others' scores much.
        score: takes what `fit` returned and a canary, and returns a number that is larger where the canary seems to
            have been there, such as minus its loss. A function with a parameter named `canaries` takes all of them at
            once and returns a number for each.
        trainings: how many, each with coins of its own; the bounds are of all together.
        guesses: how many canaries are guessed, see `one_run`.
        claim: what is claimed; by default (0, delta), so that any leak is a violation.
        delta: the δ at which ε is bounded; by default the claim's.
        alpha: the chance that the bound is wrong.
        source: where coins come from; the operating system's by default.
        name: what is trained.
        progress: True to show how far it is from two seconds on, False never to; by default on terminals.

    Privacy: trains on the rows of `fit` and on the canaries. Give it invented rows: an audit is not a release.
    Proof: see `one_run`. Several trainings with coins of their own are one training that has all canaries, each in one
        part of it alone: so its ε is that of one of them. Scores become ranks in their training, which
        uses no coin.
    Not covered: leaks that no canary shows.

    Example:
        >>> import privet
        >>> from privet.loss import Guarantee
        >>> def fit(chosen):  # a table of counts, with noise for ten times the ε that is claimed
        ...     rows = [name for name in chosen] or [""]
        ...     return privet.histogram(rows, categories=range(400), epsilon=10).value
        >>> found = training(fit, range(400), lambda counts, canary: counts[canary], claim=Guarantee(1))
        >>> found.violated
        True
    """
    if not len(canaries):
        raise InvalidParameter("an audit needs canaries: rows that coins put in, or leave out; a few hundred are good")
    number, bits = whole(trainings, "trainings", low=1), Entropy() if source is None else source
    watch = Progress(number, shown=progress)
    flags, marks = [], []
    try:
        for _ in range(number):
            coins = np.asarray(bits.words(len(canaries))) >> np.uint64(63) == 1
            found = fit(_chosen(canaries, coins))
            flags.append(coins)
            marks.append(_set_off(_scores(score, found, canaries)))
            watch.step(1)
    finally:
        watch.end()
    return one_run(
        np.concatenate(marks),
        np.concatenate(flags),
        guesses=guesses,
        claim=claim,
        delta=delta,
        alpha=alpha,
        trainings=number,
        name=name,
    )


def _chosen(canaries: Sequence[Any] | NDArray[Any], coins: NDArray[np.bool_]) -> Any:  # noqa: ANN401 - as they came
    """Those whose coins say so: rows of an array, or a list."""
    if isinstance(canaries, np.ndarray):
        return canaries[coins]
    return [canary for canary, there in zip(canaries, coins.tolist(), strict=True) if there]


def _scores(score: Score, found: Any, canaries: Sequence[Any] | NDArray[Any]) -> NDArray[np.float64]:  # noqa: ANN401 - what `fit` gave
    """A number for each canary; NaN says nothing, and stands in the middle."""
    together = TOGETHER in inspect.signature(score).parameters
    given = score(found, canaries) if together else [score(found, canary) for canary in canaries]
    marks = np.asarray(given, dtype=np.float64)
    if marks.shape != (len(canaries),):
        raise InvalidParameter(
            f"score must give {len(canaries)} numbers, one for each canary, got the shape {marks.shape}: "
            f"leave out its parameter {TOGETHER!r} to be asked for each by itself"
        )
    known = marks[~np.isnan(marks)]
    return np.where(np.isnan(marks), np.median(known) if known.size else 0.0, marks)


def _set_off(marks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks among the canaries of the same training, so that trainings can be compared."""
    ranks: NDArray[np.float64] = rankdata(marks) / len(marks)
    return ranks
