"""gaussian_strategy: the sums of cells off which a workload is read with the least Gaussian noise."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike, NDArray

from privet.errors import InvalidParameter
from privet.noise.lazy import Floats
from privet.postprocessing.strategy import Strategy

MOST_CELLS = 1 << 10  # more take longer than users wait
NEAR = 1.004  # times the least variance: the search ends there
ROUNDED = 1.002  # times the variance that rounding may cost
FEW = 256  # cells for which the search takes no time
STEPS = 60  # of the search, at most
STRIDE = 1.7  # of a step, as a power: longer than the plain one's 1, which is slow
NOTHING = 1e-10  # an eigenvalue beside the largest that only rounding left over
BITS = (12, 15, 18)  # of the largest number of a strategy


def gaussian_strategy(workload: ArrayLike) -> Strategy:
    """Return a strategy whose mean variance under Gaussian noise is within a percent of the least possible one.

    Args:
        workload: the questions, a row each: how often a row of the data counts that lies in each of the cells, as whole
            numbers; at most 1,024 cells, in each of which something is asked.

    Privacy: it follows from the workload alone, which is public, and may be any: `Strategy.moves` is exact for it.
    Proof: with G = W'W and X = A'A the mean variance is max diag(X) tr(G X⁻) up to a factor. For positive weights v of
        the cells it is at least tr((V^½ G V^½)^½)² / sum v, by Cauchy and Schwarz, and X = V^-½ (V^½ G V^½)^½ V^-½ has
        tr(G X⁻) = tr(V X); so where v = diag((V^½ G V^½)^½) all of diag(X) are 1 and both are equal. The weights are
        moved toward that until the bound proves the rest to be small; then numbers are rounded to whole ones.

    Example:
        >>> prefixes = np.tril(np.ones((64, 64), dtype=int))
        >>> best = gaussian_strategy(prefixes)
        >>> length = float(best.moves(rows=1, replaced=False).l2)
        >>> round(length * float(np.sqrt(best.variances(prefixes).mean())), 2)  # cells: 5.7, all prefixes: 8
        2.1
    """
    found = np.asarray(workload)
    if found.ndim != 2 or not found.size or found.dtype.kind not in "iub":  # noqa: PLR2004 - rows and columns
        raise InvalidParameter("a workload must be a table of whole numbers, a row for each question")
    if found.shape[1] > MOST_CELLS:
        raise InvalidParameter(f"a workload may have up to {MOST_CELLS:,} cells, got {found.shape[1]:,}")
    if not found.any(axis=0).all():
        raise InvalidParameter("every cell of a workload must be asked about: leave out those that are not")
    whole = np.ascontiguousarray(found, dtype=np.int64)
    return _of_questions(whole.tobytes(), whole.shape)


@lru_cache(maxsize=16)
def _of_questions(content: bytes, shape: tuple[int, int]) -> Strategy:
    workload = np.frombuffer(content, dtype=np.int64).reshape(shape)
    products = (workload.T @ workload.astype(np.float64)).astype(np.float64)
    basis = _independent(workload)
    if len(basis) < shape[1]:
        return _of_basis(products, basis)
    square, _ = _search(products, np.ones(shape[1]))
    return _rounded(scipy.linalg.cholesky(square), None, products)


@lru_cache(maxsize=16)
def prefix_strategy(cells: int) -> Strategy:
    """Return the strategy for the sums of the first cells, of all lengths; as exact as `gaussian_strategy`.

    Proof: cells i and j lie together in all but the first max(i, j) sums, so the questions need not be listed.

    Example:
        >>> strategy = prefix_strategy(64)
        >>> length = float(strategy.moves(rows=1, replaced=False).l2)
        >>> round(length * float(np.sqrt(strategy.variances(np.tril(np.ones((64, 64)))).mean())), 2)
        2.1
    """
    return _in_order(cells, lambda places: len(places) - np.maximum.outer(places, places))


@lru_cache(maxsize=16)
def range_strategy(cells: int) -> Strategy:
    """Return the strategy for the sums of neighboring cells, of all ranges alike; as exact as `gaussian_strategy`.

    Proof: cells i <= j lie together in (i + 1) (n - j) ranges, so the questions need not be listed.
    """
    return _in_order(
        cells, lambda places: (np.minimum.outer(places, places) + 1) * (len(places) - np.maximum.outer(places, places))
    )


def _in_order(cells: int, products: Callable[[Floats], Floats]) -> Strategy:
    """For cells in order: the weights of many hardly differ from those of few, at which the search begins."""
    if not 1 <= cells <= MOST_CELLS:
        raise InvalidParameter(f"a strategy may have 1 to {MOST_CELLS:,} cells, got {cells:,}")
    size, weights = min(cells, FEW), np.ones(min(cells, FEW))
    square, weights = _search(products(np.arange(size, dtype=np.float64)), weights)
    if size < cells:
        weights = np.interp((np.arange(cells) + 0.5) / cells, (np.arange(size) + 0.5) / size, weights)
        square, _ = _search(products(np.arange(cells, dtype=np.float64)), weights)
    return _rounded(scipy.linalg.cholesky(square), None, products(np.arange(cells, dtype=np.float64)))


def _search(products: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The best X for a G = `products` of full rank, and the weights that led to it.

    Cells whose sums are shorter than the longest are asked about a little more, which costs nothing.
    """
    best, least, bound = (products, weights), np.inf, 0.0
    for _ in range(STEPS):
        roots, values, vectors = _split(products, weights)
        square = (vectors * values) @ vectors.T / np.outer(roots, roots)
        lengths = np.diag(square)
        square += np.diag(lengths.max() - lengths)
        variance = float(square[0, 0] * np.trace(np.linalg.solve(square, products)))
        bound = max(bound, float(values.sum() ** 2 / weights.sum()))
        best, least = ((square, weights), variance) if variance < least else (best, least)
        if least <= NEAR * bound:
            break
        weights = _moved(weights, values, vectors)
    return best


def _of_basis(products: Floats, basis: NDArray[np.int64]) -> Strategy:
    """With fewer independent questions than cells: rounded in their space, so that all can still be read exactly."""
    best, least, bound = basis.astype(np.float64), np.inf, 0.0
    weights = np.ones(len(products))
    for _ in range(STEPS):
        roots, values, vectors = _split(products, weights)
        values, vectors = values[-len(basis) :], vectors[:, -len(basis) :]
        root = np.sqrt(values)[:, None] * vectors.T / roots
        variance = float((root**2).sum(axis=0).max() * values.sum())
        bound = max(bound, float(values.sum() ** 2 / weights.sum()))
        best, least = (root, variance) if variance < least else (best, least)
        if least <= NEAR * bound:
            break
        weights = _moved(weights, values, vectors)
    return _rounded(best @ np.linalg.pinv(basis), basis, products)


def _split(products: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """The roots of the weights, and the eigenvalues and vectors of (V^½ G V^½)^½."""
    roots = np.sqrt(weights)
    values, vectors = np.linalg.eigh(roots[:, None] * products * roots)
    return roots, np.sqrt(np.maximum(values, 0)), vectors


def _moved(weights: Floats, values: Floats, vectors: Floats) -> Floats:
    moved: Floats = weights * ((vectors**2) @ values / weights) ** STRIDE
    return moved


def _independent(workload: NDArray[np.int64]) -> NDArray[np.int64]:
    """Questions of which all others are sums: as many as are independent."""
    _, corner, order = scipy.linalg.qr(workload.T.astype(np.float64), mode="economic", pivoting=True)
    sizes = np.abs(np.diag(corner))
    kept: NDArray[np.int64] = workload[order[: int((sizes > NOTHING * sizes[0]).sum())]]
    return kept


def _rounded(parts: Floats, basis: NDArray[np.int64] | None, products: Floats) -> Strategy:
    """Whole numbers near `parts` times the basis; sums of the basis, so that what it answers can still be read.

    Without a basis `parts` are of full rank.
    """
    wanted = parts if basis is None else parts @ basis
    least = _variance(wanted, products)
    for bits in BITS:
        asked = np.rint(parts * (2**bits / np.abs(wanted).max()))
        asked = asked if basis is None else asked @ basis
        if _variance(asked, products) <= ROUNDED * least:
            break
    return Strategy(asked.astype(np.int64))


def _variance(asked: Floats, products: Floats) -> float:
    """The variance of all questions together, with the noise that the largest column calls for."""
    square = asked.T @ asked
    inverse = np.linalg.inv(square) if len(asked) == len(square) else np.linalg.pinv(square, hermitian=True)
    return float((asked**2).sum(axis=0).max() * (inverse * products).sum())
