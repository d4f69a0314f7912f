import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from privet.errors import InvalidParameter
from privet.learn.features import Ball, Box

ANY = arrays.arrays(np.float64, (3, 4), elements=st.floats(allow_nan=True, allow_infinity=True, width=64))


@given(ANY)
def test_a_box_holds_every_row(rows: np.ndarray) -> None:
    found = Box.of((-3, [1, 2, 1e9, -2.5]), width=4).unit(rows)
    assert (np.abs(found) <= 1).all()
    assert (np.ldexp(found, 15) == np.rint(np.ldexp(found, 15))).all()


@given(ANY, st.floats(1e-6, 1e6))
def test_a_ball_holds_every_row(rows: np.ndarray, radius: float) -> None:
    found = Ball.of(radius).unit(rows)
    squares = (np.ldexp(found, 20).astype(object).astype(object)) ** 2
    assert all(int(each.sum()) <= 2**40 for each in squares)


def test_rows_inside_stay_what_they_are() -> None:
    rows = np.array([[0.25, -0.5], [0.0, -0.0]])
    assert np.allclose(Ball.of(2).unit(rows), rows / 2, atol=2**-19)
    assert np.allclose(Box.of((-1, 1), width=2).unit(rows), rows)
    assert not np.signbit(Box.of((-1, 1), width=2).unit(rows)[1]).any()


def test_what_is_missing_is_in_the_middle() -> None:
    missing = np.array([[np.nan, 4.0]])
    assert Box.of((0, 4), width=2).unit(missing).tolist() == [[0, 1]]
    assert Ball.of(8).unit(missing)[0, 0] == 0


@pytest.mark.parametrize(
    "bounds", [None, 3, (1, 1), (2, 1), ([0, 0], [1, 1, 1]), (0, np.inf), "01", {"a": (0, 1)}, (0, 1, 2)]
)
def test_wrong_bounds_are_refused(bounds: object) -> None:
    with pytest.raises(InvalidParameter, match="bounds"):
        Box.of(bounds, width=2)


def test_bounds_by_name() -> None:
    found = Box.of({"b": (0, 2), "a": (0, 4)}, width=2, names=("a", "b"))
    assert found.upper.tolist() == [4, 2]
    with pytest.raises(InvalidParameter, match="'c' has none"):
        Box.of({"b": (0, 2), "a": (0, 4)}, width=3, names=("a", "b", "c"))


@pytest.mark.parametrize("norm", [0, -1, np.nan, np.inf, "1", True, 1e200])
def test_wrong_norms_are_refused(norm: object) -> None:
    with pytest.raises(InvalidParameter, match="norm"):
        Ball.of(norm)


def test_a_row_becomes_the_same_whatever_stands_beside_it() -> None:
    """In any order of memory, alone in its block or not, beside a row that is no number."""
    rows = np.random.default_rng(1).normal(size=(2049, 30))
    beside = rows.copy()
    beside[0] = np.nan
    for kind in (Ball.of(3), Box.of((-1, 1), width=30)):
        wanted = np.vstack([kind.unit(row[None]) for row in rows])
        for order in ("C", "F"):
            assert (kind.unit(np.asarray(rows, order=order)) == wanted).all()
            assert (kind.unit(np.asarray(beside, order=order))[1:] == wanted[1:]).all()
