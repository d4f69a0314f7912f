"""Naive Bayes from tables: CategoricalNB and BinnedNB."""

from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn import naive_bayes

from privet import Guarantee, Ledger, Unit
from privet.errors import InvalidParameter
from privet.learn import BinnedNB, CategoricalNB
from privet.learn.table_nb import log_shares
from privet.noise import BitSource
from tests.contracts.estimator import EstimatorContract, Example
from tests.support.recording_ledger import RecordingPlans

METHODS = ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba")


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(
            BinnedNB,
            {"classes": ["no", "yes"], "bounds": (0, 1), "bins": 4},
            required=("classes", "bounds"),
            classes=("no", "yes"),
            methods=METHODS,
            checks={"epsilon": 10**8, "bins": 64},
        ),
        Example(
            CategoricalNB,
            {"classes": [-1, 1], "categories": [[0, 1], 2]},
            required=("classes", "categories"),
            classes=(-1, 1),
            methods=METHODS,
            checks={"epsilon": 10**8, "categories": 2},
            poor=True,  # scikit-learn's rows are no categories
        ),
    ]


def data(rows: int = 4000) -> tuple[Any, Any]:
    """Three columns of categories, the first two of which depend on the class."""
    draw = np.random.default_rng(2)
    labels = draw.integers(0, 2, rows)
    first = np.where(draw.random(rows) < 0.8, labels, 2)
    second = (draw.random(rows) < 0.3 + 0.4 * labels).astype(int)
    return np.stack([first, second, draw.integers(0, 4, rows)], axis=1).astype(float), labels


def made(source: BitSource | None = None, **more: Any) -> CategoricalNB:  # noqa: ANN401 - parameters
    ledger = RecordingPlans(Unit("person"), source)
    return CategoricalNB(**{"classes": [0, 1], "categories": [3, 2, 4], "epsilon": 1, "ledger": ledger, **more})


def test_without_noise_it_is_what_scikit_learn_learns() -> None:
    rows, labels = data()
    known = naive_bayes.CategoricalNB(alpha=1.0).fit(rows.astype(int), labels)
    model = made(epsilon=10**8).fit(rows, labels)
    assert model.class_count_ == pytest.approx(known.class_count_)
    for one, other in zip(model.feature_log_prob_, known.feature_log_prob_, strict=True):
        assert np.allclose(one, other, atol=1e-9)
    assert np.allclose(model.predict_proba(rows), known.predict_proba(rows.astype(int)), atol=1e-9)


def test_it_learns_from_noisy_counts(source: BitSource) -> None:
    rows, labels = data()
    model = made(source).fit(rows, labels)
    best = made(epsilon=10**8).fit(rows, labels)
    assert (model.predict(rows) == best.predict(rows)).mean() > 0.9
    assert abs(model.class_count_.sum() - 4000) < 200  # noise of ± 5 in each of 9 cells and two classes


def test_values_without_a_cell_say_nothing() -> None:
    rows, labels = data()
    model = made(epsilon=10**8).fit(rows, labels)
    assert model.predict_proba([[9, np.nan, -1]])[0] == pytest.approx(np.exp(model.class_log_prior_))


def test_batches_are_paid_one_by_one_and_add_up() -> None:
    rows, labels = data()
    ledger = Ledger(Guarantee(2 * 10**8), unit=Unit("person"))
    model = made(ledger=ledger, epsilon=10**8)
    model.partial_fit(rows[:1000], labels[:1000]).partial_fit(rows[1000:], labels[1000:], classes=[0, 1])
    assert ledger.spent.epsilon == 2 * 10**8
    assert model.class_count_ == pytest.approx(made(epsilon=10**8).fit(rows, labels).class_count_)


def test_skewed_features_are_told_apart_by_bins(source: BitSource) -> None:
    """Nine in ten have 0, and what the others have tells: a normal distribution sees nothing of it."""
    draw = np.random.default_rng(4)
    labels = np.repeat([0, 1], 5000)
    gains = np.where(draw.random(10_000) < 0.9, 0.0, np.where(labels == 1, 9000.0, 2000.0))
    model = BinnedNB(
        classes=[0, 1], edges=[[0, 1, 3000, 7000, 100_000]], epsilon=1, ledger=RecordingPlans(Unit("person"), source)
    ).fit(gains[:, None], labels)
    assert model.predict([[2000.0], [9000.0], [50_000.0]]).tolist()[:2] == [0, 1]
    even = BinnedNB(classes=[0, 1], bounds=(0, 100_000), bins=4, epsilon=10**8).fit(gains[:, None], labels)
    assert even.predict_proba([[9000.0]])[0, 1] == pytest.approx(0.5, abs=0.01)  # the control: one bin holds all


def test_noise_draws_classes_together() -> None:
    counts = np.array([[90.0, 10.0], [10.0, 90.0]])
    rows = np.array([100.0, 100.0])
    clear, hidden = log_shares(counts, rows, 1.0, 1.0), log_shares(counts, rows, 1000.0, 1.0)
    assert np.exp(clear)[0, 0] == pytest.approx(0.89, abs=0.01)
    assert np.exp(hidden)[0, 0] == pytest.approx(0.5 + 0.2 * 0.4, abs=0.01)


@pytest.mark.parametrize(
    ("model", "more", "said"),
    [
        (CategoricalNB, {"categories": [3, 2]}, "one entry for each of the 3"),
        (CategoricalNB, {"categories": [3, 2, 0]}, "at least one"),
        (CategoricalNB, {"categories": [3, 2, ["a"]]}, "numbers"),
        (CategoricalNB, {"categories": {"a": 1}}, "by name"),
        (CategoricalNB, {"categories": 3, "alpha": 0}, "alpha"),
        (BinnedNB, {}, "edges"),
        (BinnedNB, {"bounds": (0, 1), "edges": [[0, 1]] * 3}, "one of them"),
        (BinnedNB, {"edges": [[0, 1]]}, "one list for each"),
        (BinnedNB, {"edges": [[0, 1], [0, 1], [1, 0]]}, "ascending"),
        (BinnedNB, {"edges": [[0, 1], [0, 1], ["a", "b"]]}, "numbers"),
    ],
)
def test_what_is_refused(model: Any, more: dict[str, Any], said: str) -> None:  # noqa: ANN401 - a class
    ledger = Ledger(Guarantee(1), unit=Unit("person"))
    with pytest.raises(InvalidParameter, match=said):
        model(classes=[0, 1], epsilon=1, ledger=ledger, **more).fit(*data(10))
    assert ledger.entries == ()


def test_categories_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    rows, labels = data()
    frame = pandas.DataFrame(rows, columns=["a", "b", "c"])
    model = made(categories={"c": 4, "b": 2, "a": [0, 1, 2]}, epsilon=10**8).fit(frame, labels)
    assert [table.shape[1] for table in model.feature_log_prob_] == [3, 2, 4]
