"""Tree and least squares: against plain linear algebra, and that the best branching is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from privet.postprocessing.tree import LeastSquares, Tree, best_shape, mean_variance, some_sums

SHAPES = st.tuples(st.integers(1, 30), st.integers(2, 7))
UNEVEN = Tree((np.array([0, 0, 0]), np.array([0, 1, 1, 1, 1, 2, 2])))


def design(tree: Tree) -> NDArray[np.float64]:
    """Which leaves each cell holds, from the root down."""
    rows = [np.eye(tree.leaves)]
    for level in range(len(tree.parents), 0, -1):
        parents = tree.parents[level - 1]
        rows.append(np.array([rows[-1][parents == cell].sum(axis=0) for cell in range(tree.sizes[level - 1])]))
    return np.vstack(rows[::-1])


def noisy(tree: Tree, seed: int = 1) -> list[NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    return [random.normal(10, 3, size) for size in tree.sizes]


@given(SHAPES)
def test_the_estimate_is_the_least_squares_solution(shape: tuple[int, int]) -> None:
    tree = Tree.regular(shape[0], branching=shape[1])
    counts = noisy(tree)
    found = LeastSquares(tree, 2.5).estimate(counts)
    expected = np.linalg.lstsq(design(tree), np.concatenate(counts), rcond=None)[0]
    assert found[-1] == pytest.approx(expected)
    for level in range(1, len(found)):
        assert tree.sums(level, found[level]) == pytest.approx(found[level - 1])


def test_cells_with_different_numbers_of_children() -> None:
    counts = noisy(UNEVEN)
    found = LeastSquares(UNEVEN, 1.0).estimate(counts)
    assert found[-1] == pytest.approx(np.linalg.lstsq(design(UNEVEN), np.concatenate(counts), rcond=None)[0])


@pytest.mark.parametrize(("known", "asks_root"), [(False, True), (True, False), (False, False)])
@pytest.mark.parametrize("tree", [UNEVEN, Tree.regular(11, branching=3), Tree.regular(1, branching=2)])
def test_weights_are_the_derivative_of_the_estimate(tree: Tree, known: bool, asks_root: bool) -> None:  # noqa: FBT001 - a way
    squares = LeastSquares(tree, 2.0, known_total=known, asks_root=asks_root)
    leaves = np.random.default_rng(3).normal(size=(4, tree.leaves))
    weights = np.concatenate(squares.weights(leaves), axis=-1)
    counts = np.concatenate(noisy(tree))
    pieces = np.cumsum(tree.sizes)[:-1]
    start = leaves @ squares.estimate(np.split(counts, pieces))[-1]
    for place in range(1 if known else 0, len(counts)):
        moved = counts.copy()
        moved[place] += 1
        assert leaves @ squares.estimate(np.split(moved, pieces))[-1] - start == pytest.approx(weights[:, place])
    if not asks_root:
        assert (weights[:, 0] == 0).all()


def test_without_a_count_of_the_root_it_is_least_squares_all_the_same() -> None:
    """Against the normal equations, for one level of four blocks of three."""
    tree = Tree.regular(12, branching=3)
    tree = Tree(tree.parents[-1:]) if len(tree.sizes) == 2 else Tree((np.zeros(4, dtype=np.int64), tree.parents[-1]))
    counts = noisy(tree)
    found = LeastSquares(tree, 1.5, asks_root=False).estimate(counts)
    cells = np.vstack([np.repeat(np.eye(4), 3, axis=1), np.eye(12)])
    solved = np.linalg.lstsq(cells, np.concatenate(counts[1:]), rcond=None)[0]
    assert found[-1] == pytest.approx(solved)
    assert found[0][0] == pytest.approx(solved.sum())


def test_a_known_total_is_kept() -> None:
    tree = Tree.regular(9, branching=3)
    counts = noisy(tree)
    counts[0][:] = 100
    assert LeastSquares(tree, 1.0, known_total=True).estimate(counts)[-1].sum() == pytest.approx(100)


def test_the_variance_of_a_range_is_what_simulation_gives() -> None:
    """20,000 draws: the sample variance of a normal is within 5 % but for one in a million."""
    tree = Tree.regular(20, branching=4)
    squares = LeastSquares(tree, 1.0)
    chosen = (np.arange(20) >= 3) & (np.arange(20) < 17)
    random = np.random.default_rng(7)
    draws = [
        squares.estimate([random.normal(size=size) for size in tree.sizes])[-1][chosen].sum() for _ in range(20_000)
    ]
    exact = sum(float((each**2).sum()) for each in squares.weights(chosen.astype(np.float64)))
    assert np.var(draws) == pytest.approx(exact, rel=0.05)
    assert np.var(draws) != pytest.approx(1.3 * exact, rel=0.05)


def test_counts_add_up() -> None:
    assert [each.tolist() for each in UNEVEN.counts(np.arange(7))] == [[21], [0, 10, 11], list(range(7))]


def variance(tree: Tree, *, known: bool, asks_root: bool, prefixes: bool = False) -> float:
    squares = LeastSquares(tree, 1.0, known_total=known, asks_root=asks_root)
    return mean_variance(squares.weights(some_sums(tree.leaves, prefixes=prefixes)))


@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("prefixes", [False, True])
def test_the_best_shape_is_no_worse_than_others(gaussian: bool, known: bool, prefixes: bool) -> None:  # noqa: FBT001 - a way
    def cost(tree: Tree, *, asks_root: bool) -> float:
        asked = len(tree.parents) + asks_root
        found = variance(tree, known=known, asks_root=asks_root, prefixes=prefixes)
        return found * (asked if gaussian else asked**2)

    for leaves in (3, 50, 500):
        shape, asked = best_shape(leaves, gaussian=gaussian, known_total=known, prefixes=prefixes)
        best = cost(Tree.shaped(leaves, shape), asks_root=asked)
        for other in (2, 8, 16, leaves):
            tree = Tree.regular(leaves, branching=other)
            assert all(best <= cost(tree, asks_root=asks_root) for asks_root in {False, not known})
    assert best_shape(10**6, gaussian=gaussian)[0][0] in {2, 16}
    assert best_shape(1, gaussian=gaussian)[0] == ()


def test_a_shape_goes_from_the_leaves_up() -> None:
    tree = Tree.shaped(50, (4, 3))
    assert tree.sizes == (1, 5, 13, 50)
    assert [each.tolist() for each in Tree.shaped(5, (4, 8)).parents] == [[0, 0], [0, 0, 0, 0, 1]]
    assert Tree.shaped(1, ()).sizes == (1, 1)


def test_sums_that_are_compared_are_ranges_or_begin_with_the_first_leaf() -> None:
    ranges, prefixes = (some_sums(100, prefixes=each) for each in (False, True))
    assert set(np.unique(ranges)) == set(np.unique(prefixes)) == {0.0, 1.0}
    assert (np.diff(prefixes) <= 0).all()
    assert (ranges[:, 0] == 0).any()


def test_a_hierarchy_helps_where_it_should() -> None:
    flat, nested = (variance(Tree.regular(1000, branching=each), known=False, asks_root=True) for each in (1000, 10))
    assert nested * 16 < flat * 4 / 3


@pytest.mark.parametrize(("leaves", "prefixes", "least"), [(256, False, 8.885), (256, True, 8.412)])
def test_no_weights_of_levels_err_less_by_a_fiftieth(leaves: int, prefixes: bool, least: float) -> None:  # noqa: FBT001 - a case
    """Over all ranges or prefixes, ε = 1; the least is that of the best weights of levels, in powers of two."""
    shape, asks_root = best_shape(leaves, gaussian=False, prefixes=prefixes)
    tree = Tree.shaped(leaves, shape)
    squares = LeastSquares(tree, 2.0 * (len(tree.parents) + asks_root) ** 2, asks_root=asks_root)
    ends = np.arange(leaves + 1)
    sums = np.concatenate(squares.weights((np.arange(leaves) < ends[:, None]).astype(np.float64)), axis=-1)
    apart = ((sums[:, None] - sums[None]) ** 2).sum(axis=-1) * squares.variance
    found = apart[0, 1:] if prefixes else apart[np.triu_indices(leaves + 1, 1)]
    assert np.sqrt(found.mean()) < least * 1.02
    assert np.sqrt(squares.variance * leaves / (2 if prefixes else 3)) > least * 2, "control: of leaves alone"
