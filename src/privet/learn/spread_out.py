"""spread_out: public points that lie apart from each other, where nothing is known of the data."""

from functools import lru_cache

import numpy as np
from scipy.special import ndtri
from scipy.stats.qmc import Sobol
from sklearn.cluster import KMeans as PlainKMeans
from threadpoolctl import threadpool_limits

from privet.learn.features import Floats

EACH, FEWEST = 50, 1023  # invented rows, for each point and at least


@lru_cache(maxsize=16)
def spread_out(count: int, columns: int) -> Floats:
    """Return centres of k-means of invented normal rows: where clusters of one round cloud are.

    Args:
        count: how many points.
        columns: in how many dimensions.

    Privacy: no data is read. The invented rows are an even sequence (Sobol 1967), and always the same.

    Example:
        >>> bool(abs(np.sort(spread_out(2, 1).ravel()) - [-0.8, 0.8]).max() < 0.1)  # √(2/π) for endless rows
        True
    """
    if count == 1:
        return np.zeros((1, columns))
    sequence = Sobol(columns, scramble=False).fast_forward(1)
    rows = ndtri(sequence.random(max(FEWEST, EACH * count)))
    with threadpool_limits(1):
        points: Floats = PlainKMeans(count, init=rows[:count], n_init=1, max_iter=20).fit(rows).cluster_centers_
    return points
