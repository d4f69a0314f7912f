"""What modules of the core hold for their process: each simulated process has its own."""

import copy
import functools
import importlib
import sys
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


@functools.cache
def _remembering() -> list[Any]:
    """Functions of the core that remember what they returned."""
    modules = [vars(module) for name, module in sys.modules.items() if name.startswith("privet.core")]
    kinds = [vars(each) for names in modules for each in names.values() if isinstance(each, type)]
    found = [each for names in (*modules, *kinds) for each in names.values()]
    plain = [each.__func__ if isinstance(each, staticmethod) else each for each in found]
    return [each for each in plain if isinstance(each, type(_remembering))]


def forget() -> None:
    """A world must not depend on those before it."""
    for each in _remembering():
        each.cache_clear()
