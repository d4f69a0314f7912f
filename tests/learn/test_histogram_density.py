from typing import Any, ClassVar

import numpy as np
import pytest

from privet import Unit
from privet.learn import HistogramDensity
from privet.noise import BitSource
from tests.contracts.estimator import EstimatorContract, Example
from tests.support.recording_ledger import RecordingPlans


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(
            HistogramDensity,
            {"bounds": (0, 1), "bins": 4},
            required=("bounds",),
            supervised=False,
            methods=("score_samples",),
            checks={"epsilon": 10**8, "bins": 2},
        ),
    ]


ROWS = np.random.default_rng(8).beta(2, 5, size=(5000, 1)) * 10


def made(source: BitSource | None = None, **more: Any) -> HistogramDensity:  # noqa: ANN401 - parameters
    neighbors = more.pop("neighbors", "add_remove")
    ledger = RecordingPlans(Unit("person", neighbors=neighbors), source)
    return HistogramDensity(**{"bounds": (0, 10), "bins": 10, "epsilon": 1, "ledger": ledger, **more})


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_it_is_a_density(neighbors: str, source: BitSource) -> None:
    model = made(source, neighbors=neighbors).fit(ROWS)
    middles = np.arange(10)[:, None] + 0.5
    assert np.exp(model.score_samples(middles)).sum() == pytest.approx(1)
    assert (model.shares_ >= 0).all()
    counts = np.histogram(ROWS, bins=10, range=(0, 10))[0]
    assert np.abs(model.shares_ * 5000 - counts).max() < 60  # noise of ± 3, or ± 6
    assert model.score_samples([[-0.1], [10.1], [np.nan]]).tolist() == [-np.inf] * 3
    assert ("rows" in model.privacy_.public) == (neighbors == "replace")


def test_without_noise_it_is_the_histogram() -> None:
    model = made(epsilon=10**8).fit(ROWS)
    expected, ends = np.histogram(ROWS, bins=10, range=(0, 10), density=True)
    assert np.exp(model.score_samples(np.arange(10)[:, None] + 0.5)) == pytest.approx(expected)
    assert model.bin_edges_[0].tolist() == ends.tolist()
    assert model.score(ROWS) == pytest.approx(float(np.mean(model.score_samples(ROWS))))


def test_rows_can_be_drawn_from_it() -> None:
    model = made(epsilon=10**8, bins=[5, 2], bounds=([0, -1], [10, 1])).fit(np.hstack([ROWS, -np.ones((5000, 1))]))
    drawn = model.sample(1000, random_state=1)
    assert drawn.shape == (1000, 2)
    assert (drawn[:, 1] <= 0).all()
    assert abs(drawn[:, 0].mean() - ROWS.mean()) < 0.5  # bins of width 2
    assert (drawn == model.sample(1000, random_state=1)).all()


def test_nothing_but_noise_is_a_density_too(source: BitSource) -> None:
    model = made(source, epsilon="0.001").fit(ROWS[:0])
    assert model.shares_.sum() == pytest.approx(1)
