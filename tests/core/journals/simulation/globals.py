"""What modules of the core hold for their process: each simulated process has its own."""

import copy
import importlib
from typing import TYPE_CHECKING, Any

from tests.core.journals.simulation.threads import ThreadLock

if TYPE_CHECKING:
    from tests.core.journals.simulation.world import World

NAMES = (
    ("privet.core.journals.turns", "", ("_QUEUES", "_OPENING")),
    ("privet.core.journals.handle", "", ("_ALL", "_ANSWERING")),
    ("privet.core.silence", "", ("_RUNNING",)),
    ("privet.core.signals", "_State", ("inside", "waits", "owner", "came", "gated")),
)


def _places() -> list[tuple[Any, str]]:
    """Where they are, if they are."""
    found = []
    for name, within, names in NAMES:
        try:
            place: Any = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        place = getattr(place, within) if within else place
        found += [(place, each) for each in names if hasattr(place, each)]
    return found


PLACES = _places()
LOCKS = ("_OPENING",)  # made when their modules are: a real one would stop all processes at once
FIRST = [None if name in LOCKS else copy.copy(getattr(place, name)) for place, name in PLACES]


def fresh(world: "World") -> list[Any]:
    """What a new process begins with."""
    values = zip(PLACES, FIRST, strict=True)
    return [ThreadLock(lambda: world) if name in LOCKS else copy.copy(first) for (_, name), first in values]


def take_out() -> list[Any]:
    """What is there now."""
    return [getattr(place, name) for place, name in PLACES]


def put_in(values: list[Any]) -> None:
    """Let this be there."""
    for (place, name), value in zip(PLACES, values, strict=True):
        setattr(place, name, value)
