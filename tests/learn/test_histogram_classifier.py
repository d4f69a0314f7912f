from typing import Any, ClassVar

import numpy as np
import pytest

from privet import Unit
from privet.errors import InvalidParameter
from privet.learn import HistogramClassifier
from privet.noise import BitSource
from tests.contracts.estimator import EstimatorContract, Example
from tests.support.recording_ledger import RecordingPlans


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(
            HistogramClassifier,
            {"classes": ["no", "yes"], "bounds": (0, 1), "bins": 4},
            required=("classes", "bounds"),
            classes=("no", "yes"),
            methods=("predict", "predict_proba"),
            checks={"epsilon": 10**8, "bins": 2},
            poor=True,  # scikit-learn's rows have up to 20 columns
        ),
    ]


def ring(rows: int) -> tuple[Any, Any]:
    """A disk inside of the rest of a square: no line tells them apart."""
    points = np.random.default_rng(6).uniform(-1, 1, size=(rows, 2))
    return points, (np.hypot(*points.T) < 0.7).astype(int)


def made(source: BitSource | None = None, **more: Any) -> HistogramClassifier:  # noqa: ANN401 - parameters
    ledger = RecordingPlans(Unit("person"), source)
    said = {"classes": [0, 1], "bounds": (-1, 1), "bins": 8, "epsilon": 1, "ledger": ledger}
    return HistogramClassifier(**{**said, **more})


def test_it_learns_what_no_line_can_tell(source: BitSource) -> None:
    points, labels = ring(5000)
    model = made(source).fit(points, labels)
    assert model.score(points, labels) > 0.85  # cells of 78 rows, noise of ± 3
    assert made(source).fit(points, np.random.default_rng(1).permutation(labels)).score(points, labels) < 0.8


def test_probabilities_are_shares_of_the_cell() -> None:
    points = np.repeat([[0.1, 0.1]], 400, axis=0)
    model = made(epsilon=10**8).fit(points, [0] * 100 + [1] * 300)
    assert model.predict_proba([[0.1, 0.1]])[0] == pytest.approx([0.25, 0.75], abs=1e-3)
    assert model.predict_proba([[-0.9, 0.9]])[0] == pytest.approx([0.25, 0.75], abs=1e-3)  # an empty cell: the shares
    assert model.cell_counts_.sum(axis=1).tolist() == [100, 300]
    assert [len(ends) for ends in model.bin_edges_] == [9, 9]


def test_too_many_cells_are_refused_before_anything_is_paid() -> None:
    model = made(bins=3)
    with pytest.raises(InvalidParameter, match="cells are too many"):
        model.fit(np.zeros((5, 40)), [0, 1, 0, 1, 0])
    with pytest.raises(InvalidParameter, match="one for each of the 2"):
        made(bins=[3]).fit(*ring(10))
    assert model.ledger.entries == ()
