"""Labeled counts: views of released numbers, which cost what those have cost."""

from collections.abc import Callable

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
    view = counts.thresholded(0.99)
    assert view.value.tolist() == [70, 0, 0, 0, 10]
    assert (view.loss, view.uncertainty) == (counts.loss, None)
    assert counts.thresholded(0.5).value.tolist() == [70, 0, 4, 9, 10]
    with pytest.raises(InvalidParameter, match="not known without the data"):
        view.thresholded(0.99)
    with pytest.raises(InvalidParameter, match="a view has no noise"):
        view.thresholded()


def test_how_many_counts_are_just_above_decides_the_threshold() -> None:
    """Of 10,000 cells with noise of scale 2, n = 20 each: the sum of errors is within a tenth of the least.

    One run's sum differs from another's by 1 to 5 %, of 20 by a quarter of that: falsely red less than once in 10^6.
    """
    random = np.random.default_rng(4)
    tables: dict[str, Callable[[], np.ndarray]] = {
        "hardly any filled": lambda: np.exp(random.normal(4, 1.5, 10_000)) * (random.random(10_000) < 0.03),
        "many small ones": lambda: random.poisson(3, 10_000) * (random.random(10_000) < 0.3),
        "none empty": lambda: random.poisson(60, 10_000),
    }
    for draw in tables.values():
        errors: dict[float | None, list[float]] = {}
        for _ in range(20):
            exact = draw().astype(np.int64)
            noisy = exact + np.rint(random.laplace(0, 2, 10_000)).astype(np.int64)
            counts = LabeledCounts.of(released(noisy), (tuple(map(str, range(10_000))),))
            for confidence in (None, 0.5, 0.9, 0.99, 0.999, 0.9999):
                off = float(np.abs(counts.thresholded(confidence).value - exact).sum())
                errors.setdefault(confidence, []).append(off)
        found = {confidence: float(np.mean(each)) for confidence, each in errors.items()}
        best = min(each for confidence, each in found.items() if confidence is not None)
        assert found[None] < 1.1 * best, found
    everywhere = LabeledCounts.of(released(np.zeros(3, dtype=np.int64)), (tuple("abc"),))
    assert everywhere.thresholded().value.tolist() == [0, 0, 0]


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
