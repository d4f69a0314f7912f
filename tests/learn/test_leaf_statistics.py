"""What one unit moves of what forests and boostings release, by brute force: every move within what is declared."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.asking.budget import Budget
from privet.errors import InvalidParameter
from privet.learn.column_cuts import BINS, ColumnCuts
from privet.learn.features import Box
from privet.learn.leaf_statistics import ClassCounts, LeafStatistic, StumpCounts, TargetSums
from privet.learn.noise_parts import NoiseParts
from privet.learn.pure_noise import PureNoise
from privet.learn.random_trees import Questions, RandomTrees
from privet.learn.whole_targets import UNIT
from privet.loss import Guarantee
from privet.loss.privacy_loss import sum_of
from privet.mechanisms import CubeNoise, DiscreteLaplace, Gaussian
from privet.noise.for_tests import seeded_entropy_for_tests

PURE = NoiseParts.of(Budget.of(epsilon=1))
ROUND = NoiseParts.of(Budget.of(epsilon=1, delta="1e-6"))
QUESTIONS = Questions.of(Box.of((0, 1), width=2), [None, [0, 1, 2]])
VALUES = [np.nan, -np.inf, np.inf, -0.0, 0.0, 0.3, 0.5, 0.99, 1.0, 2.0, 1e308]
CELLS = list(itertools.product(VALUES, VALUES))
CLASSES = 3


def drawn(depth: int) -> RandomTrees:
    return RandomTrees.drawn(QUESTIONS, trees=4, depth=depth, source=seeded_entropy_for_tests(3))


def statistics(moved: int, *, replaces: bool) -> list[tuple[LeafStatistic, RandomTrees, range]]:
    counts = ClassCounts(4, moved, replaces, CLASSES)
    targets = range(-UNIT, UNIT + 1, UNIT)
    return [
        (counts, drawn(3), range(CLASSES)),
        (StumpCounts.of(counts, PURE), drawn(1), range(CLASSES)),
        (TargetSums(4, moved, replaces), drawn(2), targets),
    ]


def exact(statistic: LeafStatistic, trees: RandomTrees, rows: list[Any]) -> np.ndarray:
    table = np.array([cells for cells, _ in rows], dtype=np.float64).reshape(-1, 2)
    return statistic.exact(table, np.array([target for _, target in rows], dtype=np.int64), trees)


def shares(statistic: LeafStatistic, move: np.ndarray) -> list[float]:
    """The share of what is declared that a move takes, in every norm that noise is made for."""
    found = statistic.sensitivity
    size = np.abs(move.astype(np.float64))
    taken = [size.max() / float(found.linf), size.sum() / float(found.l1), np.linalg.norm(size) / float(found.l2)]
    if isinstance(statistic, StumpCounts):
        noise: Any = statistic.noise(PURE, Fraction(1))
        assert isinstance(noise.noise, CubeNoise)
        return [size.max(axis=1).sum() / noise.noise.reach]  # the largest moves of all classes together
    return taken


@pytest.mark.parametrize("moved", [1, 2])
@pytest.mark.parametrize("replaces", [False, True])
@pytest.mark.parametrize("kind", range(3))
def test_no_unit_moves_more_than_declared(kind: int, moved: int, *, replaces: bool) -> None:
    statistic, trees, targets = statistics(moved, replaces=replaces)[kind]
    most = [0.0]

    @settings(max_examples=60)
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        row = st.tuples(st.sampled_from(CELLS), st.sampled_from(targets))
        others = data.draw(st.lists(row, max_size=3))
        new = data.draw(st.lists(row, min_size=moved, max_size=moved))
        old = data.draw(st.lists(row, min_size=moved, max_size=moved)) if replaces else []
        move = exact(statistic, trees, others + new) - exact(statistic, trees, others + old)
        found = shares(statistic, move)
        assert max(found) <= 1 + 1e-12
        most[0] = max(most[0], *found)

    tried()
    assert most[0] > 0.7  # or the rows above try nothing


def test_the_worst_moves_take_all_that_is_declared() -> None:
    row = ((0.99, 1.0), UNIT)
    for replaces in (False, True):
        sums, trees, _ = statistics(1, replaces=replaces)[2]
        away = [((0.99, 1.0), -UNIT)] if replaces else []
        longest = max(shares(sums, exact(sums, trees, [row]) - exact(sums, trees, away)))
        assert longest == pytest.approx(1)
        counts, deep, _ = statistics(1, replaces=replaces)[0]
        other = [((0.99, 1.0), 1)] if replaces else []
        assert min(
            shares(counts, exact(counts, deep, [((0.99, 1.0), 0)]) - exact(counts, deep, other))
        ) == pytest.approx(1)


def test_counts_are_exact() -> None:
    rows = [((0.1, 0.0), 0), ((0.9, 2.0), 1), ((0.9, 2.0), 1), ((np.nan, np.nan), 2)]
    counts, trees, _ = statistics(1, replaces=False)[0]
    found = exact(counts, trees, rows)
    assert found.sum(axis=(1, 2)).tolist() == [4] * 4
    assert found.sum(axis=1).tolist() == [[1, 2, 1]] * 4
    for tree in range(4):
        leaf = int(trees.leaves(np.array([[0.9], [2.0]]), tree)[0])
        assert found[tree, leaf, 1] == 2


def test_stumps_say_the_same_as_their_counts() -> None:
    rows = [((0.1, 0.0), 0), ((0.9, 2.0), 1), ((0.9, 0.0), 1), ((0.2, np.nan), 2)]
    stumps, trees, _ = statistics(1, replaces=False)[1]
    counts = ClassCounts(4, 1, replaces=False, classes=CLASSES)
    noise = stumps.noise(PURE, Fraction(1))
    values, wide = stumps.read(exact(stumps, trees, rows).astype(np.float64), noise)
    assert np.allclose(values, exact(counts, trees, rows))
    assert 1 < wide < 4  # of a half-sum of two numbers whose noise has the deviation √(6·7/3)


@settings(max_examples=30)
@given(st.lists(st.sampled_from(CELLS), max_size=4), st.sampled_from(CELLS), st.sampled_from(CELLS))
def test_a_row_is_in_one_bin_of_each_column(others: list[Any], old: Any, new: Any) -> None:  # noqa: ANN401 - rows
    numbers = Questions.of(Box.of((0, 1), width=2), None)

    def counted(rows: list[Any]) -> np.ndarray:
        return ColumnCuts(numbers, 1, replaces=False).exact(np.array(rows, dtype=np.float64).reshape(-1, 2))

    added = np.abs(counted([*others, new]) - counted(others))
    swapped = np.abs(counted([*others, new]) - counted([*others, old]))
    for replaces, move in ((False, added), (True, swapped)):
        declared = ColumnCuts(numbers, 1, replaces=replaces).sensitivity
        assert move.max(initial=0) <= declared.linf
        assert move.sum() <= declared.l1
        assert (move**2).sum() <= declared.l2**2 + Fraction(1, 10**9)
    missing = sum(bool(np.isnan(cell)) for cell in new)
    assert added.sum() == 2 - missing


def test_columns_with_categories_are_not_looked_at() -> None:
    cuts = ColumnCuts(QUESTIONS, 1, replaces=False)
    assert cuts.columns == [0]
    assert cuts.exact(np.array([[0.999, 1.0]])).tolist() == [[0] * (BINS - 1) + [1]]


def test_cuts_are_where_the_rows_are_if_noise_lets_that_be_seen() -> None:
    cuts = ColumnCuts(Questions.of(Box.of((0, 64), width=2), None), 1, replaces=False)
    counts = np.zeros((2, BINS))
    counts[:, 5] = 1000.0
    found = cuts.asked(counts * [[1.0], [0.01]], 10.0).cuts
    assert found[0] is not None
    assert found[0].min() >= 5
    assert found[0].max() <= 6
    assert found[1] is None


@pytest.mark.parametrize("parts", [PURE, ROUND])
@pytest.mark.parametrize("replaces", [False, True])
def test_parts_keep_the_budget_together(parts: NoiseParts, *, replaces: bool) -> None:
    promise = Guarantee(1, "1e-6" if parts.gaussian else 0)
    for number in range(3):
        noises = []
        for share in (Fraction(1, 50), Fraction(1, 20), Fraction(93, 100)):
            statistic = statistics(2, replaces=replaces)[number][0]
            if isinstance(statistic, StumpCounts) and parts.gaussian:
                return
            noises.append(statistic.noise(parts, share))
            assert noises[-1].covers(statistic.sensitivity)
        assert sum_of(each.loss for each in noises).meets(promise)
        assert not sum_of([*(each.loss for each in noises), noises[0].loss]).meets(promise)


def test_the_price_does_not_depend_on_the_trees() -> None:
    for parts in (PURE, ROUND):
        few, many = (ClassCounts(trees, 1, replaces=False, classes=2).noise(parts, Fraction(1, 2)) for trees in (1, 50))
        assert few.loss == many.loss
    stumps = StumpCounts.of(ClassCounts(9, 1, replaces=False, classes=7), PURE).noise(PURE, Fraction(1, 2))
    assert stumps.loss == ClassCounts(3, 1, replaces=True, classes=7).noise(PURE, Fraction(1, 2)).loss


def test_pure_noise_is_no_cheaper_than_what_it_draws() -> None:
    with pytest.raises(InvalidParameter, match="costs more"):
        PureNoise(DiscreteLaplace(1, 1), Fraction(1, 2))
    noise = PureNoise(DiscreteLaplace(1, 2), Fraction(1, 2))
    for delta in (0, 1e-6, 1e-2):
        assert noise.loss.epsilon(delta) >= DiscreteLaplace(1, 2).loss.epsilon(delta)
    with pytest.raises(InvalidParameter):
        PureNoise(Gaussian(1, 1), Fraction(10))


@pytest.mark.parametrize(("replaces", "scale"), [(False, 10), (True, 20)])
def test_ten_trees_at_one_epsilon(replaces: bool, scale: int) -> None:  # noqa: FBT001 - a case
    """R154: Laplace noise of scale 10 on each leaf, 20 where units are replaced."""
    counts = ClassCounts(trees=10, moved_rows=1, replaces=replaces, classes=2)
    assert PURE.noise(Fraction(1), counts.sensitivity).scale == scale
