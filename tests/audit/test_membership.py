"""Models attacked by fits with a row and without it."""

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

from privet.audit import membership
from privet.audit.zoo.draws import Draws
from privet.errors import InvalidParameter
from privet.learn import HistogramClassifier
from privet.loss import Guarantee
from privet.noise import BitSource

ROWS = np.array([[0.1], [0.2], [0.8], [0.9]]), np.array([0, 0, 1, 1])
ODD = np.array([0.85]), 0  # a row among others whose y is another


class Laplaced:
    """The sum of rows with Laplace noise for an ε."""

    def __init__(self, epsilon: float, source: BitSource) -> None:
        self.epsilon, self.draws = epsilon, Draws(source)

    def fit(self, rows: Any) -> "Laplaced":  # noqa: ANN401 - an array
        self.total = float(rows.sum() + self.draws.laplace(1 / self.epsilon, 1)[0])
        return self

    def score_samples(self, rows: Any) -> np.ndarray[Any, Any]:  # noqa: ANN401 - an array
        return self.total * np.ones(len(rows))


def test_a_sum_with_noise_shows_almost_what_it_costs_and_no_more(source: BitSource) -> None:
    """4,000 fits of each kind; α = 1e-6. The control has half of the noise, and half of the others' rows besides."""
    rows, row = np.zeros((3, 1)), np.ones(1)
    kept = membership(lambda: Laplaced(1.0, source), rows, row, fits=4000, claim=Guarantee(1))
    assert not kept.violated
    assert 0.6 < kept.epsilon < 1
    broken = membership(
        lambda: Laplaced(2.0, source), rows, row, fits=4000, share=0.5, claim=Guarantee(1), source=source
    )
    assert broken.violated
    assert broken.epsilon < 2


def test_models_of_privet_keep_their_claim_and_others_have_none(source: BitSource) -> None:
    """Whoever is fitted without noise is caught in 100 fits."""

    def private() -> HistogramClassifier:
        return HistogramClassifier(bounds=(0, 1), classes=[0, 1], bins=2, epsilon=1)

    assert not membership(private, ROWS, ODD, fits=200).violated
    for make in (LogisticRegression, lambda: KNeighborsClassifier(1)):
        found = membership(make, ROWS, ODD, fits=100, claim=Guarantee(1))
        assert found.violated
        assert found.pair[0].startswith("the row was")
    tree = membership(DecisionTreeRegressor, ROWS, (np.array([0.5]), 9.0), fits=100, claim="epsilon=1")
    assert tree.violated
    several = lambda model, row, label: [label == model.predict([row])[0], len(model.classes_)]  # noqa: E731 - a score
    few = membership(lambda: KNeighborsClassifier(1), ROWS, ODD, fits=100, share=0.9, source=source, score=several)
    assert few.violated


def test_wrong_words_are_refused() -> None:
    for rows, target in ((ROWS, ODD[0]), (ROWS[0], np.ones(2)), (ROWS[0][0], np.ones(1))):
        with pytest.raises(InvalidParameter):
            membership(LogisticRegression, rows, target)
    with pytest.raises(InvalidParameter, match="share"):
        membership(LogisticRegression, ROWS, ODD, share=0)
    with pytest.raises(InvalidParameter, match="how well it knows a row"):
        membership(Plain, ROWS, ODD, fits=20)
    with pytest.raises(InvalidParameter, match="as many numbers"):
        membership(Plain, ROWS, ODD, fits=20, score=lambda model, *_: [1.0] * (model.rows - 3))


class Plain:
    """Says nothing."""

    def fit(self, rows: Any, _: Any) -> None:  # noqa: ANN401 - arrays
        self.rows = len(rows)
