"""Neighbors: which two datasets must look alike."""

import enum

from privet.errors import InvalidParameter
from privet.loss.exact import shown


class Neighbors(enum.Enum):
    """The relation under which a promise holds; it is part of the promise.

    Example:
        >>> Neighbors.of("replace").value
        'one unit replaced by another'
    """

    ADD_REMOVE = "one unit more or less"  # "unbounded" differential privacy
    REPLACE = "one unit replaced by another"  # "bounded" differential privacy

    @classmethod
    def of(cls, relation: "Neighbors | str") -> "Neighbors":
        """Return the relation itself, or the one with this name: "add_remove" or "replace"."""
        if isinstance(relation, cls):
            return relation
        try:
            return cls[str(relation).upper()]
        except KeyError:
            raise InvalidParameter(f'neighbors must be "add_remove" or "replace", got {shown(relation)}') from None


EITHER = frozenset(Neighbors)
