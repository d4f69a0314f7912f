"""Which rows count when each unit may have at most so many."""

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]


def kept_rows(owners: Codes, *, most: int) -> NDArray[np.bool_]:
    """Return which rows are kept: at most `most` of each owner, spread evenly over the owner's rows.

    Args:
        owners: a whole number for each row, the same for rows of one owner; negative for rows without an owner,
            which are never kept.
        most: >= 1.

    Privacy: whether a row is kept depends on its owner's rows only: on how many they are, and on the row's place
        among them. So adding, removing or replacing one owner changes nobody else's kept rows.
    Proof: row p of m (from 0) is kept if a multiple of m lies in (p most, (p + 1) most]: that is so for all rows if
        m <= most, else for exactly `most` of them.

    Example:
        >>> kept_rows(np.array([7, 7, 7, 7, 2, 7, -1]), most=2).tolist()
        [False, False, True, False, True, True, False]
    """
    order = np.argsort(owners, kind="stable")
    ranked = owners[order]
    starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1]))) if len(ranked) else np.empty(0, int)
    sizes = np.diff(np.append(starts, len(ranked)))
    place = np.arange(len(ranked)) - np.repeat(starts, sizes)
    of = np.repeat(sizes, sizes)
    share = np.minimum(most, of)
    kept = np.empty(len(owners), dtype=np.bool_)
    kept[order] = ((place + 1) * share // of > place * share // of) & (ranked >= 0)
    return kept


def owner_at_time(owners: Codes, times: Codes, known: NDArray[np.bool_]) -> Codes:
    """Return one whole number for each owner and time; negative where either is not known."""
    moments = np.unique(times, return_inverse=True)[1].astype(np.int64)
    spread = int(moments.max(initial=0)) + 1
    return np.where(known & (owners >= 0), owners * spread + moments, -1)
