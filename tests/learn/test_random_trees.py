"""RandomTrees: questions come from public numbers; a row is in the leaf of each tree that its answers spell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from privet.errors import InvalidParameter
from privet.learn.features import Box
from privet.learn.random_trees import BLOCK, Questions, RandomTrees, blocks, columns_of
from privet.noise import BitSource
from privet.noise.for_tests import seeded_entropy_for_tests

BOX = Box.of(([0, 0, -1], [10, 4, 1]), width=3)
QUESTIONS = Questions.of(BOX, [None, [0, 1, 2, 3, 4], None])
ANY = arrays.arrays(np.float64, (5, 3), elements=st.floats(allow_nan=True, allow_infinity=True, width=64))


def trees(count: int = 6, depth: int = 5, seed: int = 1) -> RandomTrees:
    return RandomTrees.drawn(QUESTIONS, trees=count, depth=depth, source=seeded_entropy_for_tests(seed))


@given(ANY)
def test_a_leaf_is_what_the_answers_spell(rows: np.ndarray) -> None:
    drawn = trees()
    for tree in range(drawn.count):
        found = drawn.leaves(columns_of(rows), tree)
        for row, leaf in zip(rows, found.tolist(), strict=True):
            spelled = ""
            for column, cut, equals in zip(drawn.columns[tree], drawn.cuts[tree], drawn.equals[tree], strict=True):
                spelled += str(int(row[column] == cut if equals else row[column] > cut))
            assert leaf == int(spelled, 2)


def test_columns_are_asked_about_equally_often_and_cuts_spread(source: BitSource) -> None:
    drawn = RandomTrees.drawn(QUESTIONS, trees=30, depth=4, source=source)
    assert np.bincount(drawn.columns.ravel()).tolist() == [40, 40, 40]
    for column, (low, high) in enumerate([(0, 10), (0, 4), (-1, 1)]):
        cuts = np.sort(drawn.cuts[drawn.columns == column])
        assert low <= cuts[0] <= cuts[-1] <= high
        if column == 1:
            assert drawn.equals[drawn.columns == 1].all()
            assert np.bincount(cuts.astype(int)).tolist() == [8] * 5
        else:
            parts = (cuts - low) / (high - low) * 40 - np.arange(40)
            assert ((parts >= 0.25) & (parts <= 0.75)).all()


def test_cuts_that_were_found_are_drawn_from() -> None:
    found = Questions(BOX, (None, None, None), (np.array([3.0]), None, None))
    drawn = RandomTrees.drawn(found, trees=10, depth=3, source=seeded_entropy_for_tests(2))
    assert set(drawn.cuts[drawn.columns == 0].tolist()) == {3.0}
    assert len(set(drawn.cuts[drawn.columns == 1].tolist())) > 1


def test_sums_over_trees_do_not_depend_on_blocks() -> None:
    rows = np.linspace(-2, 12, 3 * (BLOCK + 7)).reshape(-1, 3)
    drawn = trees()
    values = np.arange(6 * 32 * 2, dtype=np.float64).reshape(6, 32, 2)
    total = drawn.total(rows, values)
    assert len(list(blocks(rows))) == 2
    few = np.array([0, BLOCK - 1, BLOCK, len(rows) - 1])
    assert (total[few] == drawn.total(rows[few], values)).all()
    assert drawn.total(rows[:0], values).shape == (0, 2)


@pytest.mark.parametrize("wrong", ["ab", [None], [None, "ab", None], [None, ["a"], None], [None, [], None], 3])
def test_categories_are_lists_of_numbers(wrong: object) -> None:
    with pytest.raises(InvalidParameter, match="categories"):
        Questions.of(BOX, wrong)
