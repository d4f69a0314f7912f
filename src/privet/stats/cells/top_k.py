"""top_k: the most frequent labels."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.called_as import called_as
from privet.asking.choice_price import choice_at
from privet.asking.question import Arrays, Question
from privet.core import Release, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import whole
from privet.mechanisms.top_choices import TopChoices
from privet.stats.cells.labeled import distinct_labels, labeled


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
        categories: the labels to choose from, each once; public.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism, a `TopChoices`), ledger, purpose, key,
            neighbors, unit, unit_ids, rows_per_unit, times, window, rows_per_time, missing.

    Privacy: k exponential mechanisms, one after the other, each at its share of the price: see `TopChoices`. One
        row raises one count and lowers none, so it counts as half; if units are replaced, as one. The frequencies are
        not released: ask `histogram` about `answer.value`, at its own price.

    Example:
        >>> answer = top_k(["a"] * 90 + ["b"] * 50 + ["c"], 2, categories=["a", "b", "c", "d"], epsilon=2)
        >>> answer.value, answer.mechanism
        (('a', 'b'), 'TopChoices(choices=2, score_sensitivity=0.5, epsilon=2)')
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
    sensitivity = Sensitivity(Fraction(question.changes, 2))

    def make(epsilon: Fraction, promise: Guarantee | None) -> TopChoices:
        return TopChoices(number, score_sensitivity=sensitivity.linf, epsilon=epsilon, promise=promise)

    def compute(arrays: Arrays) -> NDArray[np.int64]:
        numbers = np.where(np.isnan(arrays[0]), -1, arrays[0]).astype(np.int64)
        return np.bincount(numbers[numbers >= 0], minlength=len(labels)).astype(np.int64)

    chosen = choice_at(question.price, TopChoices, make, parts=number, sensitivity=sensitivity)
    if chosen.choices != number:
        raise InvalidParameter(f"the mechanism was made for {chosen.choices} choices, not for {number}: make another")
    released = question.release_by(chosen, compute, sensitivity)
    return TopLabels.of(released, labels)


@dataclass(frozen=True, repr=False)
class TopLabels(Release[tuple[Any, ...]]):
    """The chosen labels; `numbers` are their places among the categories."""

    numbers: tuple[int, ...]

    @classmethod
    def of(cls, release: Release[Any], labels: tuple[Any, ...]) -> "TopLabels":
        """Return the release with labels in place of their numbers."""
        numbers = tuple(int(number) for number in release.value)
        named = replace(release, value=tuple(labels[number] for number in numbers))
        words = (named.purpose, named.mechanism)
        gamma = named.gamma
        return cls(named.value, None, named.loss, *words, named.unit, numbers, gamma=gamma)
