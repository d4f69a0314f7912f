"""Isotonic fits: increasing, nearest, and no farther from an increasing truth than before."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.postprocessing.isotonic import increasing


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=15))
def test_increasing_is_nearest_among_the_increasing(cells: list[int]) -> None:
    found = increasing(cells)
    assert (np.diff(found) >= 0).all()
    assert found.sum() == pytest.approx(sum(cells))
    assert increasing(found) == pytest.approx(found)
    truth = np.sort(cells)
    assert np.abs(found - truth).max() <= np.abs(np.array(cells) - truth).max() + 1e-9
