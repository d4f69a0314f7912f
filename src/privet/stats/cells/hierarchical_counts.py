"""hierarchical_counts: nested cells at every level at once, so that ranges and totals are exact as well."""

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.asking import Asking
from privet.asking.called_as import called_as
from privet.asking.labeled import labeled
from privet.asking.question import Arrays, Question
from privet.errors import InvalidParameter
from privet.loss.exact import shown, whole
from privet.postprocessing.hierarchy import Hierarchy
from privet.postprocessing.tree import Tree
from privet.stats.cells.asked_cells import AskedStrategy, AskedTree, best_asked
from privet.stats.cells.binning import Edges, bin_counts, bin_labels, increasing_edges
from privet.stats.cells.nested_labels import NestedLabels

ALL = "all"


@called_as("hierarchical_counts(ages, edges=range(0, 111, 10), epsilon=1)")
def hierarchical_counts(  # noqa: PLR0913 - what is counted and how, each by name
    values: Any,  # noqa: ANN401 - a column, or several for nested categories
    *,
    edges: Any = None,  # noqa: ANN401 - any increasing numbers
    categories: Any = None,  # noqa: ANN401 - nested labels
    branching: int | None = None,
    best_for: str = "ranges",
    outside: str = "drop",
    **asking: Unpack[Asking],
) -> Hierarchy:
    """Return counts of nested cells, made consistent by least squares: every cell is the sum of its children.

    Args:
        values: a column of numbers for edges; for categories a list of columns, from the top level down.
        edges: of the bins that are the leaves; larger cells are made of `branching` neighbors each.
        categories: the public tree of labels instead, nested: {"Bavaria": ["Munich", "Passau"], "Hesse": ["Kassel"]}.
        branching: how many children a cell has, for edges; by default chosen from the number of bins and the noise.
        best_for: which sums of bins shall err least, "ranges" or "prefixes", those from the first edge on.
        outside: as in `histogram`: values beyond the edges are dropped, or clipped into the end bins.
        **asking: see `Asking`: the price (epsilon, delta, rho or mechanism), ledger, purpose, key, neighbors, unit,
            unit_ids, rows_per_unit, times, window, rows_per_time, missing.

    Privacy: a row lies in one cell of each of h levels, so a unit with k rows moves all counts together by h k (for
        Laplace noise) or k √h (for Gaussian) if it comes or goes; if it is replaced by twice and √2 times as much.
        The root is not asked for where the number of rows is public, nor, over bins, where ranges are better without
        it: their total is then a sum of cells; ask `count` for a better one. Least squares is post-processing.
        Where Gaussian noise may be used, for up to 1,024 bins other sums of bins are asked for than those of the cells:
        the best there are (`range_strategy`). All cells are then read off these.
    Proof: on each level `cell_moves` holds; levels add up in L1, and their squares in L2. For other sums see
        `Strategy.moves`.

    Example:
        >>> answer = hierarchical_counts(range(1000), edges=range(0, 1001, 10), epsilon=1)
        >>> answer.squares.tree.sizes, answer.mechanism
        ((1, 13, 100), 'DiscreteLaplace(l1_sensitivity=2, scale=2)')
        >>> bool(abs(answer.between(100, 400).value - 300) < 200)
        True
    """
    if (edges is None) == (categories is None):
        raise InvalidParameter("give either edges of bins or nested categories: what can be counted must be public")
    if categories is not None:
        return _of_labels(values, NestedLabels.of(categories), asking)
    if str(outside) not in {"drop", "clip"}:
        raise InvalidParameter(f'outside must be "drop" or "clip", got {shown(outside)}')
    if str(best_for) not in {"ranges", "prefixes"}:
        raise InvalidParameter(f'best_for must be "ranges" or "prefixes", got {shown(best_for)}')
    question = Question.of("hierarchical counts", (values,), asking)
    known = increasing_edges(edges)
    return of_bins(question, known, branching=branching, clip=outside == "clip", prefixes=best_for == "prefixes")


def of_bins(question: Question, edges: Edges, *, branching: int | None, clip: bool, prefixes: bool) -> Hierarchy:
    """Return the hierarchy over bins; if values are clipped and the number of rows is public, that is its total."""
    known = clip and question.public_rows
    way = _way(question, len(edges) - 1, branching, known=known, prefixes=prefixes)
    fill = _filling(question, edges)

    def compute(arrays: Arrays) -> NDArray[Any]:
        values = arrays[0]
        if fill is not None and values.dtype.kind == "f":
            values = np.where(np.isnan(values), fill, values)
        return way.asked(bin_counts(values, edges, clip=clip))

    released = question.release_by(way.noise(question), compute, way.moves(question))
    total = question.length if known else None
    return way.read(released, labels=_bin_names(way.tree, edges), total=total, edges=edges)


def _way(
    question: Question, leaves: int, branching: int | None, *, known: bool, prefixes: bool
) -> AskedTree | AskedStrategy:
    """What is asked for: a caller's own tree as a whole, or what errs least."""
    if branching is None:
        return best_asked(question, leaves, known=known, prefixes=prefixes)
    return AskedTree(Tree.regular(leaves, branching=whole(branching, "branching", low=2)), not known, known)


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
    way = AskedTree(nested.tree)

    def compute(arrays: Arrays) -> NDArray[np.int64]:
        numbers = tuple(np.where(np.isnan(array), -1, array).astype(np.int64) for array in arrays)
        leaves = nested.leaves(numbers)
        return way.asked(np.bincount(leaves[leaves >= 0], minlength=way.tree.leaves).astype(np.int64))

    released = question.release_by(way.noise(question), compute, way.moves(question))
    names = tuple(tuple(" > ".join(map(str, path)) for path in paths) for paths in nested.levels)
    return way.read(released, labels=((ALL,), *names))


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
