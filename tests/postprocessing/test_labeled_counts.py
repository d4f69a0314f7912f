"""Labeled counts: views of released numbers, which cost what those have cost."""

import numpy as np
import pytest

from privet import Release, Unit
from privet.errors import InvalidParameter
from privet.mechanisms import DiscreteLaplace
from privet.postprocessing.labeled_counts import LabeledCounts

NOISE = DiscreteLaplace(1, 2)
PERSON = Unit("person")


def released(value: object) -> Release[object]:
    return Release(value, NOISE.uncertainty, NOISE.loss, "cells", repr(NOISE), PERSON)


COUNTS = LabeledCounts.of(released(np.array([7, -2, 4])), (("a", "b", "c"),))


def test_labels_stand_beside_their_counts() -> None:
    assert COUNTS.to_dict() == {"a": 7, "b": -2, "c": 4}
    table = LabeledCounts.of(released(np.arange(4)), (("a", "b"), ("x", "y")))
    assert table.to_dict() == {"a": {"x": 0, "y": 1}, "b": {"x": 2, "y": 3}}
    assert COUNTS.table(2).splitlines()[-1] == "… 1 more"


def test_views_are_free_and_have_no_margin() -> None:
    near = COUNTS.nonnegative()
    assert near.value.tolist() == [7, 0, 4]
    assert near.loss == COUNTS.loss
    assert near.uncertainty is None
    assert COUNTS.value.tolist() == [7, -2, 4], "the release itself stays as it was"


def test_a_threshold_leaves_only_what_is_more_than_noise() -> None:
    counts = LabeledCounts.of(released(np.array([70, -20, 4, 9, 10])), (tuple("abcde"),))
    assert counts.margin(0.99) == 9
    view = counts.thresholded()
    assert view.value.tolist() == [70, 0, 0, 0, 10]
    assert (view.loss, view.uncertainty) == (counts.loss, None)
    assert counts.thresholded(0.5).value.tolist() == [70, 0, 4, 9, 10]
    with pytest.raises(InvalidParameter, match="not known without the data"):
        view.thresholded()


def test_a_released_total_is_paid_for_as_well() -> None:
    public = COUNTS.with_total(9, whole_counts=True)
    assert public.value.sum() == 9
    assert public.loss == COUNTS.loss
    noisy = COUNTS.with_total(released(9))
    assert noisy.value.sum() == pytest.approx(9)
    assert noisy.loss == COUNTS.loss + NOISE.loss
    for bad in ("9", np.array([1, 2]), float("nan")):
        with pytest.raises(InvalidParameter, match="total must be a number"):
            COUNTS.with_total(bad)


def test_a_notebook_shows_a_table_with_whiskers() -> None:
    shown = COUNTS._repr_html_()
    assert (shown.count("<tr>"), shown.count("<circle")) == (4, 3)
    assert "each ±" in shown
    assert "spent ε" in shown
    square = LabeledCounts.of(released(np.arange(4)), (("a", "<b>"), ("x", "y")))._repr_html_()
    assert (square.count("<tr>"), square.count("<circle"), "&lt;b&gt;" in square) == (3, 0, True)
    many = LabeledCounts.of(released(np.arange(30)), (tuple(map(str, range(30))),))
    assert "… 6 more" in many._repr_html_()
