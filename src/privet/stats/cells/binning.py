"""How many values lie in each bin, exactly as numpy counts, and fast."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter
from privet.loss.exact import shown

Counts = NDArray[np.int64]
Edges = NDArray[Any]
CHUNK = 1 << 16  # values put in order at once: they stay in the cache
FEW = 1 << 13  # edges up to which ordering the values is faster than looking each one up


def increasing_edges(edges: Any, name: str = "edges") -> Edges:  # noqa: ANN401 - whatever a caller hands over
    """Return the edges as an array of at least two increasing numbers (the outermost may be infinite)."""
    try:
        known = np.asarray(edges if isinstance(edges, np.ndarray) else list(edges))
    except (TypeError, ValueError, OverflowError):
        known = np.empty(0, dtype=np.object_)
    if known.ndim != 1 or known.dtype.kind not in "iuf" or len(known) < 2:  # noqa: PLR2004 - a bin has two edges
        raise InvalidParameter(
            f"{name} must be at least two numbers, got {shown(edges)}: for example {name}=range(0, 111, 10)"
        )
    if known.dtype.itemsize > 8 or not (known[1:] > known[:-1]).all():  # noqa: PLR2004 - bytes of a float64
        raise InvalidParameter(f"{name} must increase, none twice and none missing, got {shown(edges)}: sort them")
    return known


def bin_counts(values: NDArray[Any], edges: Edges, *, clip: bool = False) -> Counts:
    """Return how many values lie in each bin; bins are closed on the left, the last one on both sides.

    Args:
        values: numbers; NaN is in no bin.
        edges: increasing.
        clip: True counts values beyond the edges in the first and the last bin, False not at all.

    Proof that it counts as `numpy.histogram` does: both compare values with edges in numpy's common type, and by
        nothing else. A chunk in order has its NaN last, above every edge.

    Example:
        >>> bin_counts(np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0]), np.array([0, 1, 2])).tolist()
        [2, 2]
    """
    if len(edges) > FEW:
        numbers = bin_numbers(values, edges, clip=clip)
        return np.bincount(numbers[numbers >= 0], minlength=len(edges) - 1).astype(np.int64)
    reached = np.zeros(len(edges), dtype=np.int64)
    known = 0
    for start in range(0, len(values), CHUNK):
        ordered = np.sort(values[start : start + CHUNK])
        reached[:-1] += ordered.searchsorted(edges[:-1], side="left")
        reached[-1] += ordered.searchsorted(edges[-1], side="right")
        known += _known(ordered)
    if clip:
        reached[0] = 0
        reached[-1] = known
    return np.diff(reached)


def bin_numbers(values: NDArray[Any], edges: Edges, *, clip: bool = False) -> NDArray[np.intp]:
    """Return the number of each value's bin, -1 for values in none."""
    last = len(edges) - 2
    numbers = np.searchsorted(edges, values, side="right") - 1
    numbers[values == edges[-1]] = last
    if clip:
        np.clip(numbers, 0, last, out=numbers)
        if values.dtype.kind == "f":
            numbers[np.isnan(values)] = -1
    numbers[numbers > last] = -1
    return numbers


def bin_labels(edges: Edges) -> tuple[str, ...]:
    """Return the bins in words, such as "[0, 10)".

    Example:
        >>> bin_labels(np.array([0, 10, 20]))
        ('[0, 10)', '[10, 20]')
    """
    words = [f"{edge:g}" if float(f"{edge:g}") == edge else str(edge) for edge in edges.tolist()]
    ends = [")"] * (len(words) - 2) + ["]"]
    return tuple(f"[{low}, {high}{end}" for low, high, end in zip(words, words[1:], ends, strict=False))


def _known(ordered: NDArray[Any]) -> int:
    """How many values of a chunk in order are not NaN."""
    return int(ordered.searchsorted(np.inf, side="right")) if ordered.dtype.kind == "f" else len(ordered)
