"""Processes and their tasks: threads of Python that pass a baton on, so that one runs at a time."""

import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.core.journals.simulation.globals import fresh

if TYPE_CHECKING:
    from types import FrameType

    from tests.core.journals.simulation.world import World

BATON = threading.Lock
FOREVER = float("inf")


class Killed(BaseException):
    """The process is gone: whatever it still tries does nothing."""


class Process:
    """One simulated process: what the kernel holds for it, and what keeps its objects alive."""

    def __init__(self, world: "World", number: int, name: str) -> None:
        self.world = world
        self.number = number
        self.name = name
        self.dead = False
        self.stopped = 0.0
        self.tasks = 0
        self.interrupts = 0
        self.careless = False  # whether it closed a descriptor of the database, which SQLite warns of
        self.wrong = (0.0, -2e9, 1e12)[int(world.chance.random() * 3)]  # seconds that its clock on the wall is off
        self.main: Task | None = None
        self.handler: Callable[[int, FrameType | None], Any] = signal.default_int_handler
        self.globals = fresh(world)
        self.files: dict[int, Any] = {}  # open descriptors
        self.connections: list[Any] = []  # of its database
        self.kept: list[Any] = []  # what its variables hold after its work
        world.processes.append(self)

    def die(self) -> None:
        """The kernel frees what it held."""
        self.dead = True
        for connection in self.connections:
            connection.vanish()
        self.connections.clear()
        for file in self.files.values():
            file.drop_locks()
        self.files.clear()
        # what is closed now does nothing any more
        running = self.world.current
        self.world.current = None
        self.kept.clear()
        self.world.current = running


class Task:
    """A thread of a process."""

    def __init__(self, world: "World", process: Process, name: str, work: Callable[[], None]) -> None:
        self.world = world
        self.process = process
        self.name = name
        self.work = work
        self.ident = process.number * 100 + process.tasks
        self.main = process.tasks == 0  # signals are heard by the first thread
        process.main = self if self.main else process.main
        self.asking = False  # whether it is inside of something that may be interrupted
        self.interrupted = False  # whether a signal came that it has not heard
        self.ready: Callable[[], bool] | None = None
        self.until = FOREVER
        self.deaf = False
        self.waits_for = ""
        self._worker: _Worker | None = None

    def can_run(self, now: float) -> bool:
        """Whether there is something to do for it."""
        if self.process.dead:
            return True
        if self.process.stopped > now:
            return False
        if self.ready is None or self.until <= now or (self.interrupted and not self.deaf):
            return True
        return self.ready()

    @property
    def wakes(self) -> float:
        """When it can run at the latest."""
        return max(self.process.stopped, 0.0 if self.ready is None else self.until)

    def wake(self) -> None:
        """Give it the baton."""
        if self._worker is None:
            self._worker = _IDLE.pop() if _IDLE else _Worker()
            self._worker.task = self
        self._worker.baton.release()

    def sleep(self) -> None:
        """Wait for the baton."""
        if self._worker is not None:
            self._worker.baton.acquire()

    def run(self) -> None:
        """Do the work of this task."""
        try:
            self.work()
        except Killed:
            pass
        except BaseException as problem:  # noqa: BLE001 - whatever it is, the world must hear of it
            self.world.found(f"{self.name} ended with {type(problem).__name__}: {problem}")
        finally:
            sys.setprofile(None)


class _Worker(threading.Thread):
    """A real thread that runs one task after the other: to make a new one for each would take longer."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.task: Task | None = None
        self.baton = BATON()
        self.baton.acquire()
        self.start()

    def run(self) -> None:
        """Wait for a task, and run it."""
        while True:
            self.baton.acquire()
            task = self.task
            self.task = None
            if task is None:
                continue
            task.run()
            _IDLE.append(self)
            task.work = _nothing
            world = task.world
            ended = task
            del task
            world.ended(ended)
            del world, ended


def _nothing() -> None: ...


_IDLE: list[_Worker] = []
