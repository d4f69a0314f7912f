"""top_k: the most frequent labels."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.called_as import called_as
from privet.asking.choice_price import choice_at
from privet.asking.labeled import distinct_labels, labeled
from privet.asking.question import Arrays, Question
from privet.core import Release, Sensitivity
from privet.core.release import CONFIDENCE
from privet.core.uncertainty import UP, refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import whole
from privet.mechanisms.least_noise import standard_deviation
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.mechanisms.top_choices import TopChoices
from privet.postprocessing.labeled_counts import LabeledCounts
from privet.stats.cells.cell_moves import cell_moves
from privet.wording.shown_value import shown_margin

SORTED = "the largest of noisy counts of all labels"
CHOSEN = "chosen one after the other, without counts"


@called_as('top_k(cities, 3, categories=["Basel", "Bern", "Genf", "Zug"], epsilon=1)')
def top_k(
    values: Any,  # noqa: ANN401 - any column
    k: int,
    *,
    categories: Any,  # noqa: ANN401 - any labels
    **asking: Unpack[Asking],
) -> "TopLabels":
    """Return k labels that are among the most frequent, the most frequent first as far as the price allows.

    Args:
        values: a column.
        k: how many labels.
        categories: the labels to choose from, each once; public. Of equal counts the label that is listed first wins.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism: noise for the counts of all labels, or a
            `TopChoices`), ledger, purpose, key, neighbors, unit, unit_ids, rows_per_unit, times, window, rows_per_time,
            missing.

    Privacy: whichever of two ways has less noise, by public numbers alone; `way` says which. From k = 2 on it is the
        first in practice, and its counts come along free.
    Proof: (1) the labels are disjoint, so noisy counts of all of them are one `histogram`, at its sensitivity and its
        price; sorting them is post-processing. (2) k choices, each at its share of the price: see `TopChoices`; one row
        raises one count and lowers none, so it counts as half, if units are replaced as one. For k = 1 it is
        `PermuteAndFlip` where a ledger counts ε: it too looks at differences of scores only, so the same half holds.

    Example:
        >>> answer = top_k(["a"] * 90 + ["b"] * 50 + ["c"], 2, categories=["a", "b", "c", "d"], epsilon=2)
        >>> answer.value, answer.mechanism
        (('a', 'b'), 'DiscreteLaplace(l1_sensitivity=1, scale=0.5)')
        >>> answer.way
        'the largest of noisy counts of all labels: noise of 0.6 a count, where choices would have had 1.4'
    """
    labels = distinct_labels(categories)
    number = whole(k, "k")
    if number > len(labels):
        raise InvalidParameter(f"k must be at most the number of categories, {len(labels)}, got {k}")
    question = Question.of("top_k", (labeled(values, labels),), asking)
    if not isinstance(question.missing, str):
        raise InvalidParameter(
            'missing must be "drop" or "none" for categories: list a label for missing values instead'
        )

    def compute(arrays: Arrays) -> NDArray[np.int64]:
        numbers = np.where(np.isnan(arrays[0]), -1, arrays[0]).astype(np.int64)
        return np.bincount(numbers[numbers >= 0], minlength=len(labels)).astype(np.int64)

    mechanism, moves, way = _less_noisy(question, number, len(labels))
    released = question.release_by(mechanism, compute, moves)
    chosen = mechanism if isinstance(mechanism, TopChoices | PermuteAndFlip) else None
    return TopLabels.of(released, labels, number, way, chosen)


@dataclass(frozen=True, repr=False, eq=False)
class TopLabels(Release[tuple[Any, ...]]):
    """The chosen labels.

    Args:
        numbers: their places among the categories.
        counts: the noisy counts of all categories, where they decided; None where labels were chosen without. Each is
            unbiased by itself; those of the labels on top were picked for being large, so look a little too large.
        way: how the labels were chosen, and why so.
        choices: what chose without counts; None where counts decided.
        categories: among how many labels.
    """

    numbers: tuple[int, ...]
    counts: LabeledCounts | None
    way: str
    choices: TopChoices | PermuteAndFlip | None
    categories: int

    @classmethod
    def of(
        cls,
        release: Release[Any],
        labels: tuple[Any, ...],
        k: int,
        way: str,
        choices: TopChoices | PermuteAndFlip | None,
    ) -> "TopLabels":
        """Return the release with labels in place of their numbers, or of all noisy counts."""
        counts = None
        chosen = np.atleast_1d(release.value)
        if way.startswith(SORTED):
            counts = LabeledCounts.of(release, (tuple(map(str, labels)),))
            chosen = np.argsort(-chosen, kind="stable")[:k]  # of equals the first
        numbers = tuple(int(number) for number in chosen)
        named = replace(release, value=tuple(labels[number] for number in numbers))
        words = (named.purpose, named.mechanism)
        return cls(
            *(named.value, None, named.loss, *words, named.unit),
            numbers=numbers,
            counts=counts,
            way=way,
            choices=choices,
            categories=len(labels),
            gamma=named.gamma,
        )

    def shortfall(self, confidence: float = CONFIDENCE) -> float:
        """How far the true count of a chosen label may lie below that of one that was left out.

        With at least this probability no chosen label falls short by more, all of them together. It is known beforehand
        and says how good the answer is, where a ± of labels would make no sense.

        Proof: (1) if all noisy counts are within m of the true ones, the order of two that lie 2m apart is right. (2)
            Each choice falls short of the best that is left by more than `Selection.regret` with probability
            (1 - confidence)/k at most, and the best that is left is at least as good as any left out at the end.

        Example:
            >>> answer = top_k(["a"] * 90 + ["b"] * 50 + ["c"], 2, categories=["a", "b", "c", "d"], epsilon=2)
            >>> answer.shortfall()  # noisy counts, all within 2 with 95 %
            4.0
        """
        if self.counts is not None:
            return 2 * self.counts.margin(confidence, simultaneous=True)
        refuse_certainty(confidence, "confidence")
        tail = (1 - confidence) / len(self.numbers)
        if isinstance(self.choices, PermuteAndFlip):
            return self.choices.regret(self.categories, tail=tail)
        if self.choices is None:
            raise TypeError("labels were chosen by counts or by choices")
        return (math.log(self.categories) - math.log(tail)) / float(self.choices.rate) * UP

    def _shown(self) -> str:
        short = shown_margin(self.shortfall())
        return f"{super()._shown()}\n{self.way}; no count falls short by more than {short} ({CONFIDENCE:.0%})"


def _less_noisy(question: Question, k: int, labels: int) -> tuple[Any, Sensitivity, str]:
    """The mechanism, the sensitivity that it is for, and in words which way it is.

    Proof of the rule: k labels stand out if noise seldom lifts one of many others above them, so tails of noise count.
        Laplace noise of scale b and Gumbel noise of scale b have the same tail, so k choices need
        as much as Laplace noise does when both scales agree, that is when the deviation of the counts is √2 times the
        scale of the choices. Measured, the same factor is right for Gaussian noise. One choice has the lighter noise.
    """
    moves, scores = cell_moves(question, labels), Sensitivity(Fraction(question.changes, 2))
    ready = question.price.mechanism
    if ready is not None and not isinstance(ready, TopChoices):
        return question.noise(moves, integers=True), moves, f"{SORTED}: by the mechanism that was given"
    choices = _choices(question, k, scores)
    if ready is not None or k == 1:
        return choices, scores, CHOSEN if k > 1 else "one label, chosen without counts"
    noise = question.noise(moves, integers=True)
    spread, scale = standard_deviation(noise), math.sqrt(2) / float(choices.rate)
    if spread > scale:
        return choices, scores, f"{CHOSEN}: noise of {scale:.2g}, where counts would have had {spread:.2g}"
    return noise, moves, f"{SORTED}: noise of {spread:.2g} a count, where choices would have had {scale:.2g}"


def _choices(question: Question, k: int, scores: Sensitivity) -> TopChoices | PermuteAndFlip:
    if k == 1 and question.counts_epsilon and not isinstance(question.price.mechanism, TopChoices):
        return choice_at(
            question.price,
            PermuteAndFlip,
            lambda epsilon, _: PermuteAndFlip(scores.linf, epsilon),
            parts=1,
            sensitivity=scores,
        )

    def make(epsilon: Fraction, promise: Guarantee | None) -> TopChoices:
        return TopChoices(k, score_sensitivity=scores.linf, epsilon=epsilon, promise=promise)

    chosen = choice_at(question.price, TopChoices, make, parts=k, sensitivity=scores)
    if chosen.choices != k:
        raise InvalidParameter(f"the mechanism was made for {chosen.choices} choices, not for {k}: make another")
    return chosen
