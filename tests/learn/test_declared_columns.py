"""Raw columns become numbers by declarations alone, whatever is in a row and whichever frame holds it."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privet.errors import InvalidParameter
from privet.learn.declared_columns import DeclaredColumn, DeclaredColumns

STEP = DeclaredColumns(
    [
        DeclaredColumn("age", bounds=(0, 110)),
        DeclaredColumn("town", values=("Bern", "else"), other="else"),
        DeclaredColumn("old", values=(False, True)),
    ]
)
ROWS = {"town": ["Bern", "Rom", None], "age": [20.0, None, 1e300], "old": [True, None, False], "more": [1, 2, 3]}
WANTED = [[20, 1, 0, 0, 1], [np.nan, 0, 1, 0, 0], [1e300, 0, 0, 1, 0]]


@pytest.mark.parametrize("frame", [pa.table(ROWS), pd.DataFrame(ROWS)], ids=["arrow", "pandas"])
def test_numbers_stay_and_categories_are_marked(frame: object) -> None:
    np.testing.assert_array_equal(STEP.fit(frame).transform(frame), WANTED)
    assert STEP.bounds == ([0, 0, 0, 0, 0], [110, 1, 1, 1, 1])


def test_refuses_what_is_not_declared() -> None:
    with pytest.raises(InvalidParameter, match="did you mean ag"):
        STEP.transform(pa.table({"town": ["Bern"], "ag": [2]}))
    with pytest.raises(InvalidParameter, match="needs bounds, or the values"):
        DeclaredColumn("age")
