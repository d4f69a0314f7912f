"""hierarchical_counts and its views: what is counted, that it adds up, ranges, and nested labels."""

from typing import Any

import numpy as np
import pytest

from privet import Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.mechanisms import DiscreteLaplace, PermuteAndFlip
from privet.stats import hierarchical_counts
from tests.support.recording_ledger import Recording, recorded

EDGES = [0, 1, 2, 3, 4]
STATES = {"north": ["ash", "oak"], "south": ["ash"]}
VALUES = [0.5, 0.5, 2.5, 4.0, 9.0, -1.0, None]


def exact_cells(values: Any, neighbors: str = "add_remove", **asking: Any) -> list[int]:  # noqa: ANN401 - any column
    secret, _ = recorded(
        lambda ledger: hierarchical_counts(values, epsilon=1, ledger=ledger, **asking), Unit("person", neighbors)
    )
    return [int(cell) for cell in secret]


def test_every_level_is_counted() -> None:
    assert exact_cells(VALUES, edges=EDGES, branching=2) == [4, 2, 2, 2, 0, 1, 1]
    assert exact_cells(VALUES, edges=EDGES, branching=2, outside="clip") == [6, 3, 3, 3, 0, 1, 2]
    assert exact_cells([], edges=EDGES, branching=4) == [0] * 5


def test_a_public_total_is_not_asked_for() -> None:
    how: dict[str, Any] = {"edges": EDGES, "branching": 2, "outside": "clip", "missing": "none"}
    assert exact_cells(VALUES, "replace", **how) == [3, 4, 3, 0, 2, 2]  # the missing one counts at the middle edge
    answer = hierarchical_counts(VALUES, epsilon=1, neighbors="replace", **how)
    assert answer.levels[0].tolist() == [7]
    assert answer.value.sum() == pytest.approx(7)
    assert answer.total.uncertainty is None, "nothing noisy is in it"


@pytest.mark.parametrize(
    ("asking", "moved"),
    [
        ({}, 3),  # three levels with the root
        ({"neighbors": "replace"}, 5),  # two cells on two levels, and the root if a row is dropped
        ({"neighbors": "replace", "outside": "clip", "missing": "none"}, 4),
    ],
    ids=str,
)
def test_the_sensitivity(asking: dict[str, Any], moved: int) -> None:
    for rows in (1, 3):
        ledger = Recording(Unit("person", asking.get("neighbors", "add_remove")))
        hierarchical_counts(VALUES, edges=EDGES, branching=2, epsilon=1, ledger=ledger, rows_per_unit=rows, **asking)
        length = Sensitivity(rows, cells=moved).l2
        assert ledger.sensitivities == [Sensitivity(rows, cells=moved * rows, l1=moved * rows, l2=length)]


def test_cells_add_up_at_every_level() -> None:
    answer = hierarchical_counts(np.arange(1000) % 97, edges=range(98), epsilon=1)
    tree = answer.squares.tree
    for level in range(1, len(answer.levels)):
        assert tree.sums(level, answer.levels[level]) == pytest.approx(answer.levels[level - 1])
    assert answer.range(10, 30).value == pytest.approx(answer.value[10:30].sum())
    assert answer.between(10, 30).value == pytest.approx(answer.value[10:30].sum())
    assert answer.total.value == pytest.approx(answer.value.sum())
    assert answer.cell(0, 0).value == pytest.approx(answer.total.value)
    assert answer.level(1).value == pytest.approx(answer.levels[1])


def test_consistent_counts_are_whole_not_negative_and_add_up() -> None:
    answer = hierarchical_counts([0.5] * 3, edges=range(60), epsilon="0.1", branching=4)
    for whole in (True, False):
        view = answer.nonnegative(whole_counts=whole)
        assert all(level.min() >= 0 for level in view.levels)
        for level in range(1, len(view.levels)):
            assert view.squares.tree.sums(level, view.levels[level]) == pytest.approx(view.levels[level - 1])
        assert view.loss == answer.loss
        assert view.range(0, 5).uncertainty is None
        if whole:
            assert all(level.dtype == np.int64 for level in view.levels)
            assert "in all" in repr(view)


def test_ranges_err_less_than_sums_of_a_histogram() -> None:
    """Half of 1,024 bins: 512 noisy counts of variance 1.84 would have a standard deviation of 30."""
    answer = hierarchical_counts(np.arange(5000) % 1024, edges=range(1025), epsilon=1)
    assert answer.range(0, 512).margin(0.95) < 0.7 * 1.96 * np.sqrt(512 * 1.84)


def test_nested_labels() -> None:
    columns = [["north", "north", "south", "south", "west", None], ["ash", "oak", "ash", "oak", "ash", "ash"]]
    assert exact_cells(columns, categories=STATES) == [3, 2, 1, 1, 1, 1]
    answer = hierarchical_counts(columns, categories=STATES, epsilon=100)
    assert answer.labels == (("all",), ("north", "south"), ("north > ash", "north > oak", "south > ash"))
    assert round(answer.at("north").value) == 2
    assert round(answer.at("north", "oak").value) == 1
    assert round(answer.at().value) == 3
    assert exact_cells(["b", "a", "b"], categories=["a", "b"]) == [3, 1, 2]


@pytest.mark.parametrize(
    ("values", "asking", "words"),
    [
        ([1], {}, "either edges"),
        ([1], {"edges": [0, 1], "categories": ["a"]}, "either edges"),
        ([1], {"edges": [0, 1], "outside": "keep"}, "outside must"),
        ([1], {"edges": [0, 1, 2], "branching": 1}, "branching must"),
        ([["a"]], {"categories": STATES}, "must be 2 columns"),
        ([["a"], ["a", "b"]], {"categories": STATES}, "lengths differ"),
        ([["a"], ["b"]], {"categories": {"a": ["b"], "c": {"d": ["e"]}}}, "same depth"),
        ([["a"], ["b"]], {"categories": {"a": []}}, "at least one label"),
        ([["a"], ["b"]], {"categories": STATES, "missing": 3}, "missing must"),
        ([1], {"categories": "abc"}, "list of labels"),
    ],
    ids=str,
)
def test_bad_questions_are_refused(values: Any, asking: dict[str, Any], words: str) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match=words):
        hierarchical_counts(values, epsilon=1, **asking)


def test_bad_ranges_and_labels_are_refused() -> None:
    answer = hierarchical_counts(VALUES, edges=EDGES, epsilon=1)
    for first, after in ((-1, 2), (2, 2), (0, 5)):
        with pytest.raises(InvalidParameter, match="a range must"):
            answer.range(first, after)
    with pytest.raises(InvalidParameter, match="edges of bins"):
        answer.between(0, 2.5)
    with pytest.raises(InvalidParameter, match="err differently"):
        answer.margin()
    with pytest.raises(InvalidParameter, match="no cell is labeled"):
        answer.at("nowhere")
    labeled = hierarchical_counts(["a"], categories=["a", "b"], epsilon=1)
    with pytest.raises(InvalidParameter, match="for labels use at"):
        labeled.between(0, 1)
    with pytest.raises(InvalidParameter, match="no cell is labeled"):
        labeled.at("a", "b")


def test_a_ready_mechanism() -> None:
    ready = DiscreteLaplace(l1_sensitivity=3, scale=3)
    assert hierarchical_counts(VALUES, edges=EDGES, branching=2, mechanism=ready).loss == ready.loss
    with pytest.raises(InvalidParameter, match="must be one of Laplace"):
        hierarchical_counts(VALUES, edges=EDGES, mechanism=PermuteAndFlip(100, 1))


def test_it_says_what_it_is() -> None:
    shown = repr(hierarchical_counts(VALUES, edges=EDGES, branching=2, epsilon=1))
    assert "in levels of 1, 2, 4 cells" in shown
    assert "spent ε=1" in shown
