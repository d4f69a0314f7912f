"""Who is protected by an answer, from the caller's keywords and the ledger that is charged."""

import re
from collections.abc import Mapping
from typing import Any

from privet.core import Ledger, Unit
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.loss.exact import shown, whole


def unit_of(asking: Mapping[str, Any], ledger: Ledger | None, *, days: bool = False) -> Unit:
    """Return who is protected, by the caller's keywords and the ledger, which must agree.

    Args:
        asking: the caller's keywords.
        ledger: which is charged; its unit is the default.
        days: whether the type of the times says that they are dates.

    Privacy: what a person did within a window is less than the person, so a window is always part of the unit's name,
        whoever names it: a ledger that promises persons is never charged for windows of theirs.
    """
    asked, relation = asking.get("unit"), asking.get("neighbors")
    if asked is not None and not isinstance(asked, Unit | str):
        raise InvalidParameter(f'unit must be a Unit or a name such as "person", got {shown(asked)}')
    neighbors = None if relation is None else Neighbors.of(relation)
    if isinstance(asked, Unit) and neighbors not in {None, asked.neighbors}:
        raise InvalidParameter(f"neighbors contradicts unit={asked!r}: leave one of them out")
    default = ledger.unit if ledger is not None else Unit("person")
    named = asked if isinstance(asked, Unit) else Unit(asked or default.name, neighbors or default.neighbors)
    window = asking.get("window")
    unit = named if window is None else Unit(_within(named.name, window, days=days), named.neighbors)
    if ledger is not None and unit != ledger.unit:
        raise InvalidParameter(
            f"this ledger protects {ledger.unit!r}, but the question is about {unit!r}: ask as it does"
        )
    return unit


def _within(name: str, window: Any, *, days: bool) -> str:  # noqa: ANN401 - whatever a caller hands over
    """The name of a unit's window, such as "person's 7 consecutive times"; a name that says so already is kept."""
    length = whole(window, "window")
    if re.search(rf"'s {length} consecutive \S", name):
        return name
    return f"{name}'s {length} consecutive {'days' if days else 'times'}"
