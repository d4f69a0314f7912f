from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import _get_feature_names

from privet.errors import InvalidParameter
from tests.contracts.estimator import EstimatorContract, Example
from tests.learn.half_widths import HalfWidths
from tests.learn.most_frequent import MostFrequent

COLUMNS = {"age": [20.0, 60.0, 100.0], "pay": [0.0, 5.0, 10.0]}
BOUNDS = {"age": (20, 100), "pay": (0, 10)}
EXPECTED = [[-1, -1], [0, 0], [1, 1]]
INDEX = ["x", "y", "z"]
FRAMES = [pd.DataFrame(COLUMNS, index=INDEX), pl.DataFrame(COLUMNS), pa.table(COLUMNS)]
NAMED = [frame for frame in FRAMES if _get_feature_names(frame) is not None]  # scikit-learn 1.6 sees none in polars 2


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(HalfWidths, {"bounds": (0, 1)}, required=("bounds",), supervised=False, methods=("transform",))
    ]


def table(frame: Any) -> list[list[float]]:  # noqa: ANN401 - a frame of any library
    return np.asarray(frame).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("frame", NAMED)
def test_the_same_kind_of_frame_comes_out(frame: Any) -> None:  # noqa: ANN401 - a frame of any library
    model = HalfWidths(bounds=BOUNDS, epsilon=1).fit(frame)
    found = model.transform(frame)
    assert type(found) is type(frame)
    assert table(found) == EXPECTED
    assert list(model.feature_names_in_) == list(model.get_feature_names_out()) == ["age", "pay"]
    names = found.column_names if isinstance(found, pa.Table) else list(found.columns)
    assert names == ["age", "pay"]
    if isinstance(found, pd.DataFrame):
        assert list(found.index) == INDEX
    assert table(model.transform(frame[:0])) == []  # no rows, the same columns


@pytest.mark.parametrize("given", [np.array(EXPECTED), EXPECTED])
def test_of_arrays_and_lists_arrays_come_out(given: Any) -> None:  # noqa: ANN401 - rows of any kind
    assert isinstance(HalfWidths(bounds=(-1, 1), epsilon=1).fit(given).transform(given), np.ndarray)


@pytest.mark.parametrize(
    ("said", "kind"), [("default", np.ndarray), ("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
@pytest.mark.parametrize("frame", NAMED)
def test_set_output_decides(frame: Any, said: str, kind: type) -> None:  # noqa: ANN401 - a frame of any library
    model = HalfWidths(bounds=BOUNDS, epsilon=1).set_output(transform=said)
    found = model.fit_transform(frame)
    assert isinstance(found, kind)
    assert table(found) == EXPECTED


def test_names_pass_through_a_pipeline() -> None:
    frame = pd.DataFrame(COLUMNS)
    steps = make_pipeline(HalfWidths(bounds=BOUNDS, epsilon=1), MostFrequent(classes=[0, 1], epsilon=1))
    steps.fit(frame, [0, 1, 1])
    assert list(steps[-1].feature_names_in_) == ["age", "pay"]
    chosen = ColumnTransformer([("half", HalfWidths(bounds={"age": (20, 100)}, epsilon=1), ["age"])])
    assert table(chosen.fit_transform(frame)) == [[-1], [0], [1]]
    assert table(chosen.set_output(transform="pandas").fit_transform(frame)) == [[-1], [0], [1]]


def test_columns_of_one_name_are_refused_whatever_scikit_learn_does_with_them() -> None:
    twice = pd.DataFrame(EXPECTED, columns=["age", "age"])
    with pytest.raises(InvalidParameter, match="different names"):
        HalfWidths(bounds=(-1, 1), epsilon=1).fit(twice)
