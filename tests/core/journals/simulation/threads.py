"""Locks and events of threads: what stands in for `threading`."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.core.journals.simulation.kernel import FOREVER

if TYPE_CHECKING:
    from tests.core.journals.simulation.tasks import Task
    from tests.core.journals.simulation.world import World


class ThreadLock:
    """Stands in for a lock of threads; `again` lets its holder take it once more."""

    def __init__(self, world: "Callable[[], World]", *, again: bool = False) -> None:
        self._world = world
        self._again = again
        self._times = 0
        self._holder: Task | None = None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002 - as the real one
        """Take it."""
        task = self._world().running()
        if task.process.tasks > 1:
            task = self._world().step("lock of threads")
        if self._holder is not None and not (self._again and self._holder is task):
            if not blocking:
                return False
            until = FOREVER if timeout < 0 else self._world().now + timeout
            if not self._world().wait("a lock of threads", lambda: self._holder is None, until):
                return False
        self._holder = task
        self._times = self._times + 1
        return True

    def release(self) -> None:
        """Let it go."""
        self._times -= 1
        if not self._times:
            self._holder = None

    def locked(self) -> bool:
        """Whether somebody has it."""
        return self._holder is not None

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class ThreadEvent:
    """Stands in for an event of threads."""

    def __init__(self, world: "Callable[[], World]") -> None:
        self._world = world
        self._set = False

    def is_set(self) -> bool:
        """Whether it happened."""
        return self._set

    def set(self) -> None:
        """It happened."""
        self._set = True

    def clear(self) -> None:
        """It did not."""
        self._set = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for it."""
        if self._set:
            return True
        until = FOREVER if timeout is None else self._world().now + timeout
        return self._world().wait("an event of threads", lambda: self._set, until)


class Threading:
    """Stands in for the module `threading`: the first task of a process is its main thread."""

    def __init__(self, world: "Callable[[], World]") -> None:
        self._world = world

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - types, for annotations
        if name in ("Thread", "local", "excepthook"):
            return getattr(threading, name)
        raise NotImplementedError(f"the simulated threading has no {name}: add it to Threading in {__name__}")

    def Lock(self) -> "ThreadLock":  # noqa: N802 - as the real one
        """A lock."""
        return ThreadLock(self._world)

    def RLock(self) -> "ThreadLock":  # noqa: N802 - as the real one
        """A lock that its holder may take again."""
        return ThreadLock(self._world, again=True)

    def Event(self) -> "ThreadEvent":  # noqa: N802 - as the real one
        """An event."""
        return ThreadEvent(self._world)

    def get_ident(self) -> int:
        """The number of the thread that runs."""
        return self._world().running().ident

    def current_thread(self) -> object:
        """The thread that runs."""
        return self._world().current

    def main_thread(self) -> object:
        """The thread that hears signals."""
        current = self._world().current
        return None if current is None else current.process.main

    def enumerate(self) -> list[object]:
        """Nobody is watched here."""
        return [self._world().current]
