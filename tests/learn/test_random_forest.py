"""Forests: the structure does not follow the data, labels of any kind count, and what is released is as declared."""

import re
from typing import Any, ClassVar

import numpy as np
import pytest

import privet.learn.random_forest as room
from privet import Guarantee, Ledger, Unit
from privet.asking.budget import Budget
from privet.errors import InvalidParameter
from privet.learn import RandomForestClassifier, RandomForestRegressor
from privet.learn.forest_growth import ForestGrowth
from privet.learn.noise_parts import NoiseParts
from privet.learn.random_forest import NoisyLeaves, RandomForest
from privet.learn.random_forest_classifier import scores
from privet.learn.random_forest_regressor import leaf_values
from privet.noise.for_tests import seeded_entropy_for_tests
from tests.contracts.estimator import EstimatorContract, Example

CLASSIFIER = {"classes": ["no", "yes"], "bounds": (0, 1)}
REGRESSOR = {"bounds": (0, 1), "target_bounds": (0, 1)}
SMALL = {"n_estimators": 32, "max_depth": 8}  # enough for rows without noise


@pytest.fixture(autouse=True)
def same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions and noise are the same in every run; scikit-learn compares two fits."""
    monkeypatch.setattr(room, "Entropy", lambda: seeded_entropy_for_tests(1))
    monkeypatch.setattr("privet.core.ledger.Entropy", lambda: seeded_entropy_for_tests(2))


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(
            RandomForestClassifier,
            CLASSIFIER,
            required=("classes", "bounds"),
            classes=("no", "yes"),
            methods=("predict", "predict_proba"),
            checks=SMALL,
        ),
        Example(RandomForestRegressor, REGRESSOR, required=("bounds", "target_bounds"), checks=SMALL),
    ]


def rows(number: int, columns: int = 2) -> tuple[np.ndarray, np.ndarray]:
    source = np.random.default_rng(5)
    features = source.uniform(size=(number, columns))
    return features, (features[:, 0] > 0.5).astype(int)


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"epsilon": 1, "delta": "1e-6"}])
def test_questions_follow_the_random_bits_alone(monkeypatch: pytest.MonkeyPatch, price: dict[str, Any]) -> None:
    monkeypatch.setattr(room, "Entropy", lambda: seeded_entropy_for_tests(9))
    features, labels = rows(300)
    drawn = [
        RandomForestClassifier(classes=[0, 1], bounds=(0, 1), n_estimators=5, max_depth=4, **price).fit(*data).trees_
        for data in ((features, labels), (features[:3] * 0.1, labels[:3]), (np.full_like(features, np.nan), labels))
    ]
    for other in drawn[1:]:
        assert (other.columns == drawn[0].columns).all()
        assert (other.cuts == drawn[0].cuts).all()


@pytest.mark.parametrize("labels", [(1, 2, 3), (-5, 0, 7), ("ash", "elm", "oak")])
def test_labels_of_any_kind_count(labels: tuple[Any, ...]) -> None:
    """A count of the labels' own values, as if they were 0..K-1, would forget one class and invent another."""
    features = np.repeat([0.1, 0.5, 0.9], 200)[:, None]
    target = np.repeat(np.asarray(labels), 200)
    model = RandomForestClassifier(classes=list(labels), bounds=(0, 1), epsilon=200).fit(features, target)
    assert model.predict([[0.1], [0.5], [0.9]]).tolist() == list(labels)
    assert model.predict_proba(features).shape == (600, 3)


def test_labels_outside_the_classes_and_missing_targets_count_for_nothing() -> None:
    features = np.full((300, 1), 0.3)
    target = np.array(["a"] * 100 + ["b"] * 50 + ["z"] * 150, dtype=object)
    shape: dict[str, Any] = {"n_estimators": 2, "max_depth": 2}
    model = RandomForestClassifier(classes=["a", "b"], bounds=(0, 1), epsilon=10**4, **shape).fit(features, target)
    assert np.exp(model.class_scores_).round(2).tolist() == [0.67, 0.33]


def test_rows_are_counted_only_where_their_number_decides_and_is_not_public() -> None:
    features, labels = rows(50)
    public: dict[str, Any] = {"classes": [0, 1], "bounds": (0, 1), "epsilon": 1}
    for more, draws in (
        ({}, 3),  # the count, the histograms, the leaves
        ({"expected_rows": 50}, 2),
        ({"neighbors": "replace"}, 2),
        ({"n_estimators": 3, "max_depth": 2}, 2),
        ({"categories": [[0, 1], [0, 1]], "expected_rows": 50}, 1),
    ):
        neighbors = more.get("neighbors", "add_remove")
        ledger = Ledger(Guarantee(1), unit=Unit("person", neighbors=str(neighbors)))
        model = RandomForestClassifier(**{**public, **more}, ledger=ledger).fit(features, labels)
        assert len([entry for entry in ledger.entries if entry.kind == "draw"]) == draws
        assert ledger.spent.epsilon == pytest.approx(1)
        assert model.privacy_.loss.epsilon(0) == pytest.approx(1)


def test_the_shape_of_a_forest() -> None:
    pure, gaussian = NoiseParts.of(Budget.of(epsilon=1)), NoiseParts.of(Budget.of(epsilon=1, delta="1e-6"))
    few = {"classes": 2, "columns": 4}
    assert ForestGrowth.of(pure, rows=-3.0, **few) == ForestGrowth(8, 7)
    assert ForestGrowth.of(pure, rows=10**6, **few) == ForestGrowth(8, 9)
    assert ForestGrowth.of(pure, rows=10**6, **few, trees=3, depth=2) == ForestGrowth(3, 2)
    assert ForestGrowth.of(pure, rows=1000, classes=10, columns=64).stumps
    assert not ForestGrowth.of(pure, rows=1000, classes=10, columns=4).stumps
    assert not ForestGrowth.of(gaussian, rows=1000, classes=10, columns=64).stumps
    assert ForestGrowth.of(gaussian, rows=1000, **few).trees == 100
    assert not ForestGrowth.of(pure, rows=1000, classes=1, columns=64, depth=1).stumps


def test_stumps_learn() -> None:
    features, _ = rows(4000, columns=16)
    target = np.minimum((features[:, 0] * 3).astype(int) * 2 + (features[:, 1] > 0.5), 5)
    model = RandomForestClassifier(classes=range(6), bounds=(0, 1), epsilon="0.4", expected_rows=4000)
    model.set_params(n_estimators=48, max_depth=1).fit(features, target)
    assert model.trees_.depth == 1
    assert "CubeNoise" in model.privacy_.mechanism
    assert model.score(features, target) > 0.35  # chance is 1/6


@pytest.mark.parametrize("wrong", [{"n_estimators": 0}, {"n_estimators": 1001}, {"max_depth": 13}, {"max_depth": "2"}])
def test_wrong_shapes_are_refused(wrong: dict[str, Any]) -> None:
    features, labels = rows(10)
    with pytest.raises(InvalidParameter, match=next(iter(wrong))):
        RandomForestClassifier(classes=[0, 1], bounds=(0, 1), epsilon=1, **wrong).fit(features, labels)


def test_categories_are_told_apart() -> None:
    features = np.tile([0.0, 1.0, 2.0, 3.0], 200)[:, None]
    target = np.isin(features[:, 0], [1.0, 3.0]).astype(int)
    public: dict[str, Any] = {"classes": [0, 1], "bounds": (0, 3), "categories": [[0, 1, 2, 3]], "epsilon": 100}
    model = RandomForestClassifier(**public).fit(features, target)
    assert model.trees_.equals.all()
    assert model.score(features, target) == 1
    assert "categories" in model.privacy_.public


def test_the_share_of_a_class_in_a_leaf() -> None:
    counts = np.array([[[90.0, 10.0], [10.0, 90.0]]])
    sure, _ = scores(counts, 0.0)
    assert np.exp(sure[0]).round(2).tolist() == [[0.9, 0.1], [0.1, 0.9]]
    noise, _ = scores(counts, 1e6)
    assert np.allclose(noise[0, :, 0], noise[0, :, 1], atol=1e-3)
    for wild in (np.zeros((2, 4, 3)), np.full((2, 4, 3), -1e9), np.full((2, 4, 3), 1e18)):
        for found in scores(wild, 5.0):
            assert np.isfinite(found).all()


def test_averages_of_leaves() -> None:
    numbers = np.array([[[100.0, 80.0], [100.0, -20.0], [0.0, 0.0], [0.0, 0.0]]])
    values, middle = leaf_values(numbers, 1e-3)
    assert middle == pytest.approx(0.3)
    assert np.allclose(values[0], [0.5, -0.5, 0, 0], atol=0.02)
    nothing, _ = leaf_values(numbers, 1e6)
    assert not nothing.any()
    for wild in (np.zeros((2, 4, 2)), np.full((2, 4, 2), -1e9), np.full((2, 4, 2), 1e18)):
        found, half = leaf_values(wild, 5.0)
        assert np.isfinite(found).all()
        assert -1 <= half <= 1


def test_a_regression_learns() -> None:
    features, _ = rows(5000)
    target = 100 * features[:, 0] + 20
    model = RandomForestRegressor(bounds=(0, 1), target_bounds=(0, 140), epsilon=5).fit(features, target)
    assert model.score(features, target) > 0.5
    assert model.predict(features).min() >= 0


@pytest.mark.parametrize(
    "said", [{}, {"delta": "1e-6"}, {"neighbors": "replace", "rows_per_unit": 2}, {"n_estimators": 5, "max_depth": 3}]
)
def test_explain_tells_the_noise_that_is_added(said: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of the budget that go elsewhere, replaced units and several rows of one are counted."""
    added = []
    grow = RandomForest._grow

    def watched(*args: Any, **more: Any) -> NoisyLeaves:  # noqa: ANN401 - passed on
        added.append(grow(*args, **more))
        return added[0]

    monkeypatch.setattr(RandomForest, "_grow", watched)
    rows = np.random.default_rng(3).uniform(size=(500, 3))
    model = RandomForestClassifier(epsilon=2, bounds=(0, 1), classes=[0, 1], **said)
    told = model.explain(columns=3, rows=500).foreseen["noise on one tree"]
    model.fit(rows, (rows[:, 0] > 0.5).astype(int))
    number = re.search(r"±([\d.]+)", told)
    assert number is not None
    assert float(number[1]) == pytest.approx(added[0].deviation, rel=0.02)
