import math
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn import preprocessing
from sklearn.pipeline import make_pipeline

from privet import Unit
from privet.errors import InvalidParameter
from privet.learn import GaussianNB, StandardScaler
from privet.noise import BitSource
from tests.contracts.estimator import EstimatorContract, Example
from tests.support.recording_ledger import RecordingPlans


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(
            StandardScaler,
            {"bounds": (0, 1)},
            required=("bounds",),
            columns=3,
            supervised=False,
            methods=("transform",),
            checks={"epsilon": 10**8},
        ),
    ]


ROWS = np.random.default_rng(3).uniform((0, 100), (10, 200), size=(3000, 2))
BOUNDS = ([0, 50], [10, 250])


def made(source: BitSource | None = None, **more: Any) -> StandardScaler:  # noqa: ANN401 - parameters
    neighbors = more.pop("neighbors", "add_remove")
    ledger = RecordingPlans(Unit("person", neighbors=neighbors), source)
    return StandardScaler(**{"bounds": BOUNDS, "epsilon": 1, "ledger": ledger, **more})


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_without_noise_it_is_what_scikit_learn_learns(neighbors: str) -> None:
    known = preprocessing.StandardScaler().fit(ROWS)
    model = made(epsilon=10**8, neighbors=neighbors).fit(ROWS)
    assert np.allclose(model.mean_, known.mean_, rtol=1e-4)
    assert np.allclose(model.scale_, known.scale_, rtol=1e-4)
    assert model.n_samples_seen_ == 3000
    assert np.allclose(model.transform(ROWS), known.transform(ROWS), atol=1e-3)
    assert np.allclose(model.inverse_transform(model.transform(ROWS)), ROWS)
    assert ("rows" in model.privacy_.public) == (neighbors == "replace")


def test_columns_keep_their_names_and_kind() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=["a", "b"])
    model = made(bounds={"a": (0, 10), "b": (50, 250)}).set_output(transform="pandas").fit(frame)
    assert list(model.get_feature_names_out()) == ["a", "b"]
    assert list(model.transform(frame).columns) == ["a", "b"]


def test_parts_can_be_left_out() -> None:
    assert (made(with_mean=False, with_std=False).fit(ROWS).transform(ROWS) == ROWS).all()
    centered = made(with_std=False, epsilon=10**8).fit(ROWS)
    assert np.abs(centered.transform(ROWS).mean(axis=0)).max() < 0.01
    assert np.allclose(centered.inverse_transform(centered.transform(ROWS)), ROWS)
    with pytest.raises(InvalidParameter, match="rows of 2"):
        centered.inverse_transform(ROWS[:, :1])


def test_means_err_as_said(source: BitSource) -> None:
    """200 fits of two columns; the mean squared error, in units of what is said, is 1 ± 6 deviations; control: 1.5."""
    found = []
    for _ in range(200):
        model = made(source).fit(ROWS)
        found.append(((model.mean_ - ROWS.mean(axis=0)) / model.mean_noise_) ** 2)
    squares = np.mean(found, axis=1)
    slack = 6 * squares.std() / math.sqrt(len(squares))
    assert abs(squares.mean() - 1) < slack
    assert abs(squares.mean() - 2) > slack


def test_noise_alone_stays_within_the_bounds(source: BitSource) -> None:
    model = made(source, epsilon="0.0001").fit(ROWS[:5])
    assert (model.mean_ >= [0, 50]).all()
    assert (model.mean_ <= [10, 250]).all()
    assert (model.scale_ <= [5, 100]).all()
    assert (model.scale_ > 0).all()


def test_a_second_fit_takes_no_bounds_from_the_first() -> None:
    """diffprivlib's scaler reads bounds off the first data it sees, and keeps them in silence."""
    with pytest.raises(InvalidParameter, match="bounds"):
        StandardScaler(epsilon=1).fit(ROWS)
    model = made()
    assert model.fit(ROWS).bounds is model.fit(ROWS * 2).bounds is BOUNDS


def test_it_stands_before_other_models() -> None:
    labels = (ROWS[:, 0] > 5).astype(int)
    model = make_pipeline(made(epsilon=100), GaussianNB(classes=[0, 1], bounds=(-2, 2), epsilon=100)).fit(ROWS, labels)
    assert model.score(ROWS, labels) > 0.9
