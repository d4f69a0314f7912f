"""Neighbors: which two datasets must look alike."""

import enum


class Neighbors(enum.Enum):
    """The relation under which a promise holds; it is part of the promise.

    Example:
        >>> Neighbors.ADD_REMOVE.value
        'one unit more or less'
    """

    ADD_REMOVE = "one unit more or less"  # "unbounded" differential privacy
    REPLACE = "one unit replaced by another"  # "bounded" differential privacy


EITHER = frozenset(Neighbors)
