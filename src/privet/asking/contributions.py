"""Which rows count when each unit may have at most so many."""

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
PLACES = 29  # bits of a row's place: a column has up to 2^29 rows
OWNERS = 1 << 33  # owners up to here fit into a whole number together with a place
TIMES = 1 << 16  # times up to here need not be numbered anew
WIDEST = 1 << 62


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
    order, ranked = _grouped(owners)
    starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1]))) if len(ranked) else np.empty(0, int)
    sizes = np.diff(np.append(starts, len(ranked)))
    place = np.arange(len(ranked)) - np.repeat(starts, sizes)
    of = np.repeat(sizes, sizes)
    share = np.minimum(most, of)
    kept = np.empty(len(owners), dtype=np.bool_)
    kept[order] = ((place + 1) * share // of > place * share // of) & (ranked >= 0)
    return kept


def _grouped(owners: Codes) -> tuple[Codes, Codes]:
    """Return the rows by owner, each owner's in their order, and the owner of each.

    Owner and place are sorted as one number, which is several times faster than a stable sort of owners.
    """
    dense = owners if int(owners.max(initial=0)) < OWNERS else dense_codes(owners)
    keys = (dense << PLACES) | np.arange(len(dense))
    keys.sort()
    return keys & ((1 << PLACES) - 1), keys >> PLACES


def dense_codes(owners: Codes) -> Codes:
    """Return whole numbers from 0 on that are equal where these are; negative ones stay negative."""
    codes = np.unique(owners, return_inverse=True)[1].astype(np.int64)
    return np.where(owners < 0, -1, codes)


def owner_at_time(owners: Codes, times: Codes, known: NDArray[np.bool_]) -> Codes:
    """Return one whole number for each owner and time; negative where either is not known."""
    moments = times - times.min(initial=0)
    if int(moments.max(initial=0)) >= TIMES or int(moments.min(initial=0)) < 0:
        moments = np.unique(times, return_inverse=True)[1].astype(np.int64)
    spread = int(moments.max(initial=0)) + 1
    if int(owners.max(initial=0)) * spread >= WIDEST:
        owners = dense_codes(owners)
    return np.where(known & (owners >= 0), owners * spread + moments, -1)
