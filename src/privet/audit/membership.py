"""membership: the attack on any model: was this row among those it was fitted on?"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.audit.bounds import Seen, promising
from privet.audit.claim import Claim, claimed
from privet.audit.figures import figure
from privet.audit.finding import Finding
from privet.audit.progress import Progress
from privet.audit.test import ALPHA
from privet.errors import InvalidParameter
from privet.loss.exact import whole
from privet.noise import BitSource, Entropy

Array = NDArray[np.float64]
Score = Callable[[Any, Any, Any], Any]
FEWEST = 20
LEAST = 1e-12  # of a variance, beside that of all scores
SURE = 1e-15  # the least chance that a confidence is taken from


def membership(  # noqa: PLR0913 - what an attack is made of, each by name
    make: Callable[[], Any],
    rows: tuple[Any, Any] | Any,  # noqa: ANN401 - rows of any kind
    target: tuple[Any, Any] | Any,  # noqa: ANN401 - a row of any kind
    *,
    score: Score | None = None,
    fits: int = 1000,
    share: float = 1.0,
    claim: Claim | None = None,
    alpha: float = ALPHA,
    source: BitSource | None = None,
    name: str | None = None,
    progress: bool | None = None,
) -> Finding:
    """Fit a model many times with a row and without it, and bound ε by how well the two can be told apart.

    Args:
        make: makes an unfitted model; `fit` is called with rows, and with their targets if there are some.
        rows: X and y of the others, or X alone. Few, so that one more is seen.
        target: the row and its y, or the row alone; at a corner of what is allowed, or with a surprising y.
        score: takes a model, the row and its y, and returns a number or several that depend on whether it was there. By
            default how sure a classifier is of the row's y, ln p/(1-p); minus the squared error of what predicts a
            number; what `score_samples` says otherwise.
        fits: of each kind; half of them choose the event, the others test it.
        share: the chance with which each fit sees each of the other rows; below 1 the attacker knows less.
        claim: what is claimed; ε = 1 by default.
        alpha: the chance that a bound or an accusation is wrong, in all.
        source: where the coins of `share` come from.
        name: what is fitted.
        progress: True to show how far it is from two seconds on, False never to; by default on terminals.

    Privacy: fits models on what it is given and looks at them. Give it invented rows: an audit is not a release.
    Proof: the chance of an event differs by the claim for every world of other rows, so it does for their mean. Scores
        of the first half are described by a normal law each (Carlini et al. 2022, LiRA); an event is a limit of their
        likelihood ratio, or of the score, chosen there for the bound it promises. It is tested on the second half, in
        both directions, each with half of alpha (Clopper and Pearson 1934).
    Not covered: rows that are not tried, and what the score does not show.

    Example:
        >>> from privet.loss import Guarantee
        >>> class Mean:  # of whatever it is given, without noise
        ...     def fit(self, rows):
        ...         self.mean = rows.mean()
        ...         return self
        >>> rows, row = np.zeros((9, 1)), np.ones(1)
        >>> membership(Mean, rows, row, score=lambda model, row, _: model.mean, fits=100).violated
        True
    """
    said, number = claimed(claim, None), whole(fits, "fits", low=FEWEST)
    if not 0 < share <= 1:
        raise InvalidParameter(f"share must be above 0 and at most 1, got {share}: the chance to see another row")
    bits, told = Entropy() if source is None else source, confidence if score is None else score
    watch = Progress(2 * number, shown=progress)
    known = World.of(rows, target)

    def scores(count: int, *, there: bool) -> Array:
        found = []
        for _ in range(count):
            model = make()
            model.fit(*known.drawn(bits, share, there=there))
            found.append(np.ravel(np.asarray(told(model, known.row, known.label), dtype=np.float64)))
            watch.step(1)
        return np.nan_to_num(np.array(found), posinf=1e300, neginf=-1e300)

    try:
        first, later = number // 2, number - number // 2
        views = _views([scores(first, there=there) for there in (True, False)])
        limits = [_limit(views, side, said.delta, later, alpha / 2) for side in (0, 1)]
        tested = [scores(later, there=there) for there in (True, False)]
    finally:
        watch.end()
    judged = [limit.seen(tested) for limit in limits]
    boxes = [seen.likely(alpha / 2) for seen in judged]
    broken = [said.broken_by(box) for box in boxes]
    bounds = [box.epsilon(said.delta) for box in boxes]
    best = max((0, 1), key=lambda side: (broken[side], bounds[side]))
    inputs = ("the row was there", "the row was not there")
    return Finding(
        subject=type(make()).__name__ if name is None else name,
        claim=said.words,
        claimed_epsilon=said.epsilon,
        at_delta=said.delta,
        violated=any(broken),
        epsilon=max(bounds),
        delta=max(box.delta(said.epsilon) for box in boxes),
        mu=max(box.mu() for box in boxes),
        alpha=alpha,
        event=limits[best].words,
        pair=(inputs[best], inputs[1 - best]),
        rates=(judged[best].hits / later, judged[best].others / later),
        tested=later,
        trials=number,
    )


def confidence(model: Any, row: Any, label: Any) -> float:  # noqa: ANN401 - any model
    """How well a model knows a row: what `membership` looks at if nobody says."""
    rows = np.asarray(row)[None]
    if hasattr(model, "predict_proba"):
        chances = np.asarray(model.predict_proba(rows), dtype=np.float64)[0]
        place = np.flatnonzero(np.asarray(model.classes_) == label)
        sure = float(chances[place[0]]) if place.size else 0.0
        return math.log(max(sure, SURE) / max(1 - sure, SURE))
    if label is not None and hasattr(model, "predict"):
        return -float((np.ravel(model.predict(rows))[0] - label) ** 2)
    if hasattr(model, "score_samples"):
        return float(np.ravel(model.score_samples(rows))[0])
    raise InvalidParameter(
        f"nothing of a {type(model).__name__} says how well it knows a row: pass score=lambda model, row, label: …"
    )


@dataclass(frozen=True)
class World:
    """The other rows and the one that is looked for.

    Args:
        features: of the others.
        labels: of the others; None if rows have none.
        row: that is looked for.
        label: of the row; None if rows have none.
    """

    features: NDArray[Any]
    labels: NDArray[Any] | None
    row: NDArray[Any]
    label: Any

    @classmethod
    def of(cls, rows: Any, target: Any) -> "World":  # noqa: ANN401 - rows of any kind
        """The rows as arrays, or an error in words."""
        paired = isinstance(rows, tuple)
        if paired != isinstance(target, tuple) or (paired and not len(rows) == len(target) == 2):  # noqa: PLR2004
            raise InvalidParameter("rows and target must be alike: X with a row, or (X, y) with a row and its y")
        features, labels = (np.asarray(rows[0]), np.asarray(rows[1])) if paired else (np.asarray(rows), None)
        row, label = (np.asarray(target[0]), target[1]) if paired else (np.asarray(target), None)
        if features.ndim != 2 or row.shape != features.shape[1:]:  # noqa: PLR2004 - rows and columns
            raise InvalidParameter(
                f"the row must have the columns of the others, got shapes {row.shape}, {features.shape}"
            )
        return cls(features, labels, row, label)

    def drawn(self, bits: BitSource, share: float, *, there: bool) -> tuple[Any, ...]:
        """What a model is fitted on."""
        seen = slice(None) if share == 1 else np.asarray(bits.words(len(self.features))) / 2.0**64 < share
        features = self.features[seen]
        if there:
            features = np.vstack([features, self.row[None]])
        if self.labels is None:
            return (features,)
        return features, np.append(self.labels[seen], self.label) if there else self.labels[seen]


# --- events ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Normals:
    """A normal law of scores for either kind of fit, number by number."""

    means: tuple[Array, Array]
    variances: tuple[Array, Array]

    @classmethod
    def of(cls, scores: Sequence[Array]) -> "Normals":
        """Of scores that were seen."""
        least = LEAST + LEAST * np.var(np.concatenate(scores), axis=0)
        one, other = (np.var(each, axis=0) + least for each in scores)
        return cls((scores[0].mean(axis=0), scores[1].mean(axis=0)), (one, other))

    def __call__(self, scores: Array) -> Array:
        """The logarithm of the likelihood ratio."""
        parts = [
            np.log(variance) + (scores - mean) ** 2 / variance
            for mean, variance in zip(self.means, self.variances, strict=True)
        ]
        found: Array = (parts[1] - parts[0]).sum(axis=1) / 2
        return found


@dataclass(frozen=True)
class View:
    """One number for each fit, and what it was in the first half, of either kind."""

    name: str
    read: Callable[[Array], Array]
    scores: Sequence[Array]

    @cached_property
    def seen(self) -> list[Array]:
        """Sorted."""
        return [np.sort(self.read(each)) for each in self.scores]


@dataclass(frozen=True)
class Limit:
    """An event: a view above or below a limit.

    Args:
        view: what is compared.
        side: 0 if it accuses fits with the row, 1 if it accuses those without.
        least: of the view, times `sign`.
        sign: -1 where small numbers accuse.
    """

    view: View
    side: int
    least: float
    sign: int
    promise: float

    def seen(self, tested: Sequence[Array]) -> Seen:
        """How often it happened."""
        hits = [int((self.sign * self.view.read(each) >= self.least).sum()) for each in tested]
        runs = [len(each) for each in tested]
        return Seen(hits[self.side], runs[self.side], hits[1 - self.side], runs[1 - self.side])

    @property
    def words(self) -> str:
        """For a finding."""
        return f"{self.view.name} is at {'least' if self.sign > 0 else 'most'} {figure(self.sign * self.least)}"


def _views(scores: Sequence[Array]) -> list[View]:
    if scores[0].shape[1] != scores[1].shape[1]:
        raise InvalidParameter("score must return as many numbers for every model")
    ratio = View("the likelihood ratio of the score, as a logarithm,", Normals.of(scores), scores)
    return [View("the score", lambda found: found[:, 0], scores), ratio]


def _limit(views: Sequence[View], side: int, delta: float, later: int, alpha: float) -> Limit:
    """The limit that promises most."""
    found = []
    for view in views:
        for sign in (1, -1):
            mine, theirs = (np.sort(sign * view.seen[place]) for place in (side, 1 - side))
            limits = np.unique(np.concatenate([mine, theirs]))
            hits, others = (len(each) - np.searchsorted(each, limits) for each in (mine, theirs))
            worth = promising(hits, others, (len(mine), len(theirs)), delta=delta, later=later, alpha=alpha)
            best = int(np.argmax(worth))
            found.append(Limit(view, side, float(limits[best]), sign, float(worth[best])))
    return max(found, key=lambda limit: limit.promise)
