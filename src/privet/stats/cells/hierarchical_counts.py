"""hierarchical_counts: nested cells at every level at once, so that ranges and totals are exact as well."""

from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.called_as import called_as
from privet.asking.labeled import labeled
from privet.asking.question import Arrays, Question
from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.loss.exact import shown, whole
from privet.mechanisms.least_noise import standard_deviation
from privet.postprocessing.hierarchy import Hierarchy
from privet.postprocessing.tree import Tree, best_shape, range_variance
from privet.postprocessing.weighted_noise import variance_of
from privet.stats.cells.binning import Edges, bin_counts, bin_labels, increasing_edges
from privet.stats.cells.nested_labels import NestedLabels

ALL = "all"


@called_as("hierarchical_counts(ages, edges=range(0, 111, 10), epsilon=1)")
def hierarchical_counts(
    values: Any,  # noqa: ANN401 - a column, or several for nested categories
    *,
    edges: Any = None,  # noqa: ANN401 - any increasing numbers
    categories: Any = None,  # noqa: ANN401 - nested labels
    branching: int | None = None,
    outside: str = "drop",
    **asking: Unpack[Asking],
) -> Hierarchy:
    """Return counts of nested cells, made consistent by least squares: every cell is the sum of its children.

    Args:
        values: a column of numbers for edges; for categories a list of columns, from the top level down.
        edges: of the bins that are the leaves; larger cells are made of `branching` neighbors each.
        categories: the public tree of labels instead, nested: {"Bavaria": ["Munich", "Passau"], "Hesse": ["Kassel"]}.
        branching: how many children a cell has, for edges; by default chosen from the number of bins and the noise.
        outside: as in `histogram`: values beyond the edges are dropped, or clipped into the end bins.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing.

    Privacy: a row lies in one cell of each of h levels, so a unit with k rows moves all counts together by h k (for
        Laplace noise) or k √h (for Gaussian) if it comes or goes; if it is replaced by twice and √2 times as much.
        The root is not asked for where the number of rows is public, nor, over bins, where ranges are better without
        it: their total is then a sum of cells; ask `count` for a better one. Least squares is post-processing.
    Proof: on each level `cell_moves` holds; levels add up in L1, and their squares in L2.

    Example:
        >>> answer = hierarchical_counts(range(1000), edges=range(0, 1001, 10), epsilon=1)
        >>> answer.squares.tree.sizes, answer.mechanism
        ((1, 10, 100), 'DiscreteLaplace(l1_sensitivity=2, scale=2)')
        >>> bool(abs(answer.between(100, 400).value - 300) < 200)
        True
    """
    if (edges is None) == (categories is None):
        raise InvalidParameter("give either edges of bins or nested categories: what can be counted must be public")
    if categories is not None:
        return _of_labels(values, NestedLabels.of(categories), asking)
    if str(outside) not in {"drop", "clip"}:
        raise InvalidParameter(f'outside must be "drop" or "clip", got {shown(outside)}')
    question = Question.of("hierarchical counts", (values,), asking)
    return of_bins(question, increasing_edges(edges), branching=branching, clip=outside == "clip")


def of_bins(question: Question, edges: Edges, *, branching: int | None, clip: bool) -> Hierarchy:
    """Return the hierarchy over bins; if values are clipped and the number of rows is public, that is its total."""
    known = clip and question.public_rows
    tree, asks_root = _tree(question, len(edges) - 1, branching, known=known)
    fill = _filling(question, edges)
    sensitivity = tree_moves(question, tree, asks_root=asks_root)

    def compute(arrays: Arrays) -> NDArray[np.int64]:
        values = arrays[0]
        if fill is not None and values.dtype.kind == "f":
            values = np.where(np.isnan(values), fill, values)
        return np.concatenate(tree.counts(bin_counts(values, edges, clip=clip))[0 if asks_root else 1 :])

    released = question.release_by(_noise(question, sensitivity), compute, sensitivity)
    total = question.length if known else None
    return Hierarchy.of(released, tree, labels=_bin_names(tree, edges), total=total, edges=edges)


def _of_labels(values: Any, nested: NestedLabels, asking: Asking) -> Hierarchy:  # noqa: ANN401 - columns
    columns = list(values) if nested.depth > 1 and isinstance(values, list | tuple) else [values]
    if len(columns) != nested.depth:
        raise InvalidParameter(
            f"values must be {nested.depth} columns, one for each level of the categories, from the top down"
        )
    coded = tuple(labeled(column, names) for column, names in zip(columns, nested.names, strict=True))
    question = Question.of("hierarchical counts", coded, asking)
    if not isinstance(question.missing, str):
        raise InvalidParameter(
            'missing must be "drop" or "none" for categories: list a label for missing values instead'
        )
    tree = nested.tree

    def compute(arrays: Arrays) -> NDArray[np.int64]:
        numbers = tuple(np.where(np.isnan(array), -1, array).astype(np.int64) for array in arrays)
        leaves = nested.leaves(numbers)
        return np.concatenate(tree.counts(np.bincount(leaves[leaves >= 0], minlength=tree.leaves).astype(np.int64)))

    sensitivity = tree_moves(question, tree, asks_root=True)
    released = question.release_by(_noise(question, sensitivity), compute, sensitivity)
    names = tuple(tuple(" > ".join(map(str, path)) for path in paths) for paths in nested.levels)
    return Hierarchy.of(released, tree, labels=((ALL,), *names))


def tree_moves(question: Question, tree: Tree, *, asks_root: bool) -> Sensitivity:
    """Return how far one unit moves the counts of all cells together; the root is one of them if it is asked for.

    Proof: below the root a level moves by at most `changes` in L1, and by rows times the root of changes / rows in
        L2 (`cell_moves`). The root moves by at most `rows`, whether units come, go or are replaced.
    """
    rows, changes = question.rows, question.changes
    below = len(tree.parents) * changes // rows  # in units of one row: 1 or 2 for each level
    moved = below + 1 if asks_root else below
    return Sensitivity(rows, cells=moved * rows, l1=moved * rows, l2=root_above(Fraction(rows * rows * moved)))


def _noise(question: Question, sensitivity: Sensitivity) -> Mechanism[Any, Any]:
    """The noise on each count: what is read are weighted sums of many of them, so deviations are compared."""
    return question.noise(sensitivity, integers=True, error=standard_deviation)


def _tree(question: Question, leaves: int, branching: int | None, *, known: bool) -> tuple[Tree, bool]:
    """The tree, and whether its root is asked for: a caller's own tree is asked about as a whole."""
    if branching is not None:
        return Tree.regular(leaves, branching=whole(branching, "branching", low=2)), not known
    shapes = [best_shape(leaves, gaussian=gaussian, known_total=known) for gaussian in (False, True)]
    trees = [(Tree.regular(leaves, branching=max(each, 2)), asks_root) for each, asks_root in shapes]
    return min(trees, key=lambda shape: _cost(question, *shape, known=known))


def _cost(question: Question, tree: Tree, asks_root: bool, *, known: bool) -> float:  # noqa: FBT001 - of a shape
    """How large the variance of a range is on average: from the price and the shape only."""
    noise = _noise(question, tree_moves(question, tree, asks_root=asks_root))
    law = noise.uncertainty
    if law is None:
        raise InvalidParameter(f"{noise!r} does not say how it errs: use Laplace or Gaussian noise")
    return variance_of(law) * range_variance(tree, known_total=known, asks_root=asks_root)


def _filling(question: Question, edges: Edges) -> float | None:
    """What a missing value counts as: nothing, the number asked for, or the middle edge if there should be none."""
    if question.missing == "drop":
        return None
    return float(edges[len(edges) // 2]) if isinstance(question.missing, str) else float(question.missing)


def _bin_names(tree: Tree, edges: Edges) -> tuple[tuple[str, ...], ...]:
    """The bins of every level in words."""
    names = [bin_labels(edges)]
    kept = edges
    for parents in reversed(tree.parents):
        starts = np.searchsorted(parents, np.arange(parents[-1] + 1))
        kept = np.append(kept[:-1][starts], kept[-1])
        names.append(bin_labels(kept))
    return tuple(reversed(names))
