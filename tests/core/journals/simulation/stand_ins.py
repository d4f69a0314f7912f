"""Stand-ins: what the modules of the core find in place of the clock, locks, files and SQLite while simulated."""

import gc
import importlib
import pkgutil
import signal
import sqlite3
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

import privet.core
from privet.noise import Entropy
from tests.core.journals.simulation.database import Sqlite
from tests.core.journals.simulation.files import opened, paths
from tests.core.journals.simulation.globals import put_in, take_out
from tests.core.journals.simulation.kernel import Os
from tests.core.journals.simulation.locks import Fcntl
from tests.core.journals.simulation.tasks import Killed
from tests.core.journals.simulation.threads import Threading

if TYPE_CHECKING:
    from tests.core.journals.simulation.world import World


class Time:
    """Stands in for the module `time`."""

    def __init__(self, world: "Callable[[], World]") -> None:
        self._world = world

    def time(self) -> float:
        """The clock on the wall."""
        return 1.7e9 + self._world().now + self._world().running().process.wrong

    def monotonic(self) -> float:
        """The clock that only goes forward."""
        return self._world().now

    def sleep(self, seconds: float) -> None:
        """Wait."""
        self._world().wait("sleeps", _never, self._world().now + max(seconds, 20e-6))


class Bits:
    """Stands in for `Entropy`."""

    def words(self, count: int) -> "npt.NDArray[np.uint64]":
        """So many words of the seed."""
        chance = _WORLD[-1].chance
        return np.array([chance.getrandbits(64) for _ in range(count)], dtype=np.uint64)

    def __new__(cls) -> Self:
        return super().__new__(cls)


_WORLD: "list[World]" = []


def _world() -> "World":
    if not _WORLD:
        raise Killed
    return _WORLD[-1]


def _handler_of(_: int) -> object:
    """What the running process does at Ctrl-C."""
    return _world().running().process.handler


def _set_handler(_: int, handler: Any) -> None:  # noqa: ANN401 - whatever Python calls
    _world().running().process.handler = handler


def _modules() -> list[types.ModuleType]:
    """Every module of the core that is not about another kind of journal."""
    found = pkgutil.walk_packages(privet.core.__path__, "privet.core.")
    return [importlib.import_module(each.name) for each in found if not each.name.endswith((".postgres", ".report"))]


@contextmanager
def simulated() -> Iterator[None]:
    """Put the stand-ins in place, and afterwards what was there before."""
    system = Os(_world)
    gone = object()
    stand_ins: dict[str, tuple[object, object]] = {
        "os": (sys.modules["os"], system),
        "fcntl": (sys.modules["fcntl"], Fcntl(_world, system)),
        "time": (time, Time(_world)),
        "threading": (threading, Threading(_world)),
        "sqlite3": (sqlite3, Sqlite(_world)),
        "Path": (Path, paths(system)),
        "Entropy": (Entropy, Bits),
    }
    by_name = {"open": opened(system), "refuse_remote": _nothing, "_EVERY": (signal.SIGINT,)}
    by_name |= {"_handler_of": _handler_of, "_set_handler": _set_handler}
    before: list[tuple[types.ModuleType, str, object]] = []
    for module in _modules():
        there = vars(module)
        for name, (real, stand_in) in stand_ins.items():
            if there.get(name) is real:
                before.append((module, name, real))
                setattr(module, name, stand_in)
        for name, stand_in in by_name.items():
            if name == "open" or name in there:
                before.append((module, name, there.get(name, gone)))
                setattr(module, name, stand_in)
    hook = sys.unraisablehook
    collecting = gc.isenabled()
    held = take_out()
    sys.unraisablehook = _unraisable(hook)
    gc.collect()
    gc.freeze()
    gc.disable()  # what is collected would be closed at moments that no seed decides
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a ledger is new
            yield
    finally:
        put_in(held)
        for module, name, value in before:
            delattr(module, name) if value is gone else setattr(module, name, value)
        gc.unfreeze()
        if collecting:
            gc.enable()
        gc.collect()
        sys.unraisablehook = hook


@contextmanager
def inside(world: "World") -> Iterator[None]:
    """Let the stand-ins ask this world."""
    _WORLD.append(world)
    try:
        yield
    finally:
        _WORLD.pop()


def _unraisable(hook: Callable[[Any], object]) -> Callable[[Any], object]:
    def heard(problem: Any) -> object:  # noqa: ANN401 - as Python calls it
        return None if issubclass(problem.exc_type, Killed | KeyboardInterrupt) else hook(problem)

    return heard


def _never() -> bool:
    return False


def _nothing(*_: object, **__: object) -> None: ...
