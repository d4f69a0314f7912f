"""Products of rows with a matrix, where what comes of a row follows from that row alone, to the last bit."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BLOCK = 2048  # rows at a time, at most
CACHED = 1 << 14  # numbers that are added to at a time: they stay in a cache


def row_products(rows: Floats, factors: Floats) -> Floats:
    """Return rows @ factors, each row by itself.

    `@` adds up in an order that depends on how many rows there are and on where one stands, so that a row which comes
    or goes moves the last bits of others; where these are rounded afterwards, it moves a step in each of them.

    Args:
        rows: n rows of d numbers.
        factors: d rows of k numbers.

    Proof: the columns are multiplied and added one after the other, number by number; both operations are rounded as
        IEEE 754 says, so each number is the same function of its row and of the factors, wherever the row stands.

    Example:
        >>> row_products(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0], [10.0]])).tolist()
        [[21.0], [43.0]]
    """
    found: Floats = np.empty((len(rows), factors.shape[1]))
    block = min(max(CACHED // max(factors.shape[1], 1), 32), BLOCK)
    with np.errstate(all="ignore"):
        for start in range(0, len(rows), block):
            columns = np.ascontiguousarray(rows[start : start + block].T)
            total, work = np.zeros((2, factors.shape[1], columns.shape[1]))
            for column, factor in zip(columns, factors, strict=True):
                np.multiply(column, factor[:, None], out=work)
                total += work
            found[start : start + block] = total.T
    return found
