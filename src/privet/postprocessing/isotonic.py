"""The nearest sequence that never decreases: an isotonic fit of released numbers."""

import numpy as np
from numpy.typing import ArrayLike

from privet.noise.lazy import Floats


def increasing(cells: ArrayLike) -> Floats:
    """Return the nearest sequence (in squares) that never decreases.

    Proof: neighbors out of order are pooled at their mean (Ayer and others 1955). No two results are farther from an
        increasing truth, at worst, than the cells were: pooling is a mean.

    Example:
        >>> increasing([1, 3, 2, 4]).tolist()
        [1.0, 2.5, 2.5, 4.0]
    """
    means: list[float] = []
    sizes: list[int] = []
    for cell in np.asarray(cells, dtype=np.float64).tolist():
        means.append(cell)
        sizes.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            size = sizes[-2] + sizes[-1]
            means[-2:] = [(means[-2] * sizes[-2] + means[-1] * sizes[-1]) / size]
            sizes[-2:] = [size]
    return np.repeat(np.array(means), sizes)
