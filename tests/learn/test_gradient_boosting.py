"""Boosting: a fixed number of trees under one price, each told by the ones before and by nothing else."""

from typing import Any, ClassVar

import numpy as np
import pytest

import privet.learn.gradient_boosting as room
from privet import Guarantee, Ledger, Unit
from privet.errors import InvalidParameter
from privet.learn import GradientBoostingClassifier, GradientBoostingRegressor
from privet.learn.gradient_boosting import sure
from privet.noise.for_tests import seeded_entropy_for_tests
from tests.contracts.estimator import EstimatorContract, Example

FEW = {"n_estimators": 12, "learning_rate": 0.5, "penalty": 1.0}
CHECKS = {"n_estimators": 25, "learning_rate": 0.6, "penalty": 0.1, "delta": "1e-6"}


@pytest.fixture(autouse=True)
def same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions and noise are the same in every run; scikit-learn compares two fits."""
    monkeypatch.setattr(room, "Entropy", lambda: seeded_entropy_for_tests(1))
    monkeypatch.setattr("privet.core.ledger.Entropy", lambda: seeded_entropy_for_tests(2))


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(
            GradientBoostingClassifier,
            {"classes": ["no", "yes"], "bounds": (0, 1), **FEW},
            required=("classes", "bounds"),
            classes=("no", "yes"),
            methods=("predict", "predict_proba", "decision_function"),
            delta="1e-6",
            checks=CHECKS,
        ),
        Example(
            GradientBoostingClassifier,
            {"classes": ["a", "b", "c"], "bounds": (0, 1), **FEW},
            required=("classes", "bounds"),
            classes=("a", "b", "c"),
            methods=("predict", "predict_proba"),
            checks=CHECKS,
        ),
        Example(
            GradientBoostingRegressor,
            {"bounds": (0, 1), "target_bounds": (0, 1), **FEW},
            required=("bounds", "target_bounds"),
            delta="1e-6",
            checks=CHECKS,
        ),
    ]


def rows(number: int) -> tuple[np.ndarray, np.ndarray]:
    features = np.random.default_rng(5).uniform(size=(number, 2))
    return features, (features[:, 0] > 0.5).astype(int)


def model(**more: Any) -> GradientBoostingClassifier:  # noqa: ANN401 - parameters
    public = {"classes": [0, 1], "bounds": (0, 1), "epsilon": 1, "delta": "1e-6", **FEW}
    return GradientBoostingClassifier(**{**public, **more})


def test_questions_follow_the_random_bits_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "Entropy", lambda: seeded_entropy_for_tests(9))
    features, labels = rows(300)
    public = {"categories": [[0, 1], [0, 1, 2]]}  # so that no histogram is released, from which cuts would follow
    one, other = model(**public).fit(features, labels), model(**public).fit(features[:2], labels[:2])
    assert (one.trees_.columns == other.trees_.columns).all()
    assert (one.trees_.cuts == other.trees_.cuts).all()


def test_the_number_of_trees_is_public_whatever_the_rows_are() -> None:
    features, labels = rows(300)
    for data in ((features, labels), (features[:1], labels[:1]), (features[:0], labels[:0])):
        ledger = Ledger(Guarantee(1, "1e-6"), unit=Unit("person"))
        fitted = model(ledger=ledger).fit(*data)
        assert len([entry for entry in ledger.entries if entry.kind == "draw"]) == 13  # with the histograms
        assert fitted.leaf_values_.shape == (12, 8, 1)
        assert fitted.privacy_.loss.meets(Guarantee(1, "1e-6"))
        assert not fitted.privacy_.loss.meets(Guarantee("0.98", "1e-6"))  # nothing is left over


def test_without_delta_the_noise_is_pure_and_trees_are_few() -> None:
    features, labels = rows(300)
    fitted = model(delta="0", n_estimators=None).fit(features, labels)
    assert fitted.trees_.count == 50
    assert fitted.privacy_.loss.epsilon(0) == pytest.approx(1)


def test_two_classes_learn() -> None:
    features, labels = rows(5000)
    fitted = model(n_estimators=60).fit(features, labels)
    assert fitted.score(features, labels) > 0.9
    chances = fitted.predict_proba(features)
    assert np.allclose(chances.sum(axis=1), 1)
    assert ((chances[:, 1] > 0.5) == (fitted.decision_function(features) > 0)).all()


def test_three_classes_learn() -> None:
    features, _ = rows(5000)
    target = np.array(["low", "mid", "high"])[(features[:, 1] * 3).astype(int)]
    fitted = model(classes=["low", "mid", "high"], n_estimators=60, epsilon=3).fit(features, target)
    assert fitted.score(features, target) > 0.8
    assert fitted.leaf_values_.shape[2] == 3


def test_a_number_is_learned() -> None:
    features, _ = rows(5000)
    target = 100 * features[:, 0] + 20
    public: dict[str, Any] = {"bounds": (0, 1), "target_bounds": (0, 140), "n_estimators": 100}
    fitted = GradientBoostingRegressor(epsilon=3, delta="1e-6", **public).fit(features, target)
    assert fitted.score(features, target) > 0.7
    assert fitted.predict([[np.nan, np.inf]]).shape == (1,)


def test_a_tree_of_noise_is_not_believed() -> None:
    noise = np.random.default_rng(1).normal(size=(8, 1))
    assert sure(noise, 10.0) == 0
    assert sure(noise * 1e6, 1.0) > 0.999
    assert sure(np.zeros((8, 1)), 1.0) == 0
    assert sure(np.zeros((8, 1)), 0.0) <= 1


@pytest.mark.parametrize(
    "wrong",
    [{"n_estimators": 0}, {"n_estimators": 2001}, {"max_depth": 13}, {"learning_rate": 0}, {"penalty": float("nan")}],
)
def test_wrong_shapes_are_refused(wrong: dict[str, Any]) -> None:
    features, labels = rows(10)
    ledger = Ledger(Guarantee(1, "1e-6"), unit=Unit("person"))
    with pytest.raises(InvalidParameter, match=next(iter(wrong))):
        model(ledger=ledger, **wrong).fit(features, labels)
    assert ledger.entries == ()
