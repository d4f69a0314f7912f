"""Unit: who is protected."""

from dataclasses import dataclass

from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.loss.exact import shown


@dataclass(frozen=True)
class Unit:
    """The thing whose presence or data is hidden: a person, a household, one visit, a user's five days.

    Args:
        name: what one unit is, for people who read the ledger. Two units are the same if their names and their
            neighbors are.
        neighbors: which datasets must look alike: one unit more or less (the default), or one unit replaced.
            Its name, "add_remove" or "replace", is accepted too.

    Privacy: a promise is about units. Under unit "visit" someone with nine visits has nine times the loss.

    Example:
        >>> Unit("person", neighbors="replace")
        Unit('person', one unit replaced by another)
    """

    name: str
    neighbors: Neighbors = Neighbors.ADD_REMOVE

    def __init__(self, name: str, neighbors: Neighbors | str = Neighbors.ADD_REMOVE) -> None:
        object.__setattr__(self, "name", _spoken(name))
        object.__setattr__(self, "neighbors", Neighbors.of(neighbors))

    def __repr__(self) -> str:
        return f"Unit({self.name!r}, {self.neighbors.value})"


def _spoken(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise InvalidParameter(f'a unit needs a name that says who is protected, such as "person", got {shown(name)}')
    return name
