"""World: one simulated machine. Exactly one task runs at a time, and one seed decides everything that happens."""

import functools
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from tests.core.journals.simulation.disk import Disk
from tests.core.journals.simulation.globals import forget, put_in, take_out
from tests.core.journals.simulation.kernel import CALL
from tests.core.journals.simulation.tasks import BATON, Killed, Process, Task

NEVER = 10**9  # a step that is not reached
HANG = 60.0  # seconds of simulated time that no run takes
CHANCES = 500  # a signal is heard up to so many chances after it came
TRACED = ("/privet/core/", "/contextlib.py")  # the files in which a signal may be heard
HERE = str(Path(__file__).parent)


class World:
    """The clock, the scheduler, and what befalls the processes.

    Args:
        seed: decides everything.
        switching: how likely another task goes on after a system call.
        events: what befalls whom, by the number of the step: see `befall`.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = random.Random(seed)  # noqa: S311 - to be the same again
        self.switching = 0.1
        self.events = list[tuple[int, str]]()
        self.now = 0.0
        self.steps = 0
        self.disk = Disk()
        self.processes: list[Process] = []
        self.tasks: list[Task] = []
        self.current: Task | None = None
        self.story: list[tuple[float, str, str]] = []
        self.findings: list[str] = []
        self.over = False
        self.quiet_since = 0.0  # nothing was stopped after this moment
        self.after_power: Callable[[], None] = lambda: None
        self._inside: Process | None = None
        self._next = NEVER
        self._end = BATON()
        self._end.acquire()

    # --- what happens, for people --------------------------------------------------------------------------------

    def tell(self, what: str) -> None:
        """Write down what happens."""
        self.story.append((self.now, "" if self.current is None else self.current.name, what))

    def found(self, what: str) -> None:
        """A promise is broken: the run ends here."""
        self.findings.append(what)
        self.tell(f"FOUND: {what}")
        self.over = True

    @property
    def trace(self) -> str:
        """The schedule, a line for each step."""
        return "\n".join(f"{now * 1000:10.2f} ms  {who:<12} {what}" for now, who, what in self.story)

    # --- running ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Go on until every task has ended."""
        forget()
        self.events.sort(reverse=True)
        self._next = self.events[-1][0] if self.events else NEVER
        first = self._pick()
        if first is not None:
            self._switch(first)
            self._end.acquire()
        self.current = None
        self.tasks.clear()

    def start(self, process: Process, name: str, work: Callable[[], None]) -> None:
        """A new thread of a process."""
        task = Task(self, process, name, work)
        process.tasks += 1
        self.tasks.append(task)

    def ended(self, task: Task) -> None:
        """A task has ended: somebody else goes on. Called by the task as the last thing it does."""
        self.tasks.remove(task)
        task.process.tasks -= 1
        following = self._pick()
        if following is None:
            self.current = None
            self._end.release()
        else:
            self._switch(following)

    def _pick(self) -> Task | None:
        """Who goes on; time passes while nobody can. None where all have ended."""
        while self.tasks:
            if self.over:
                return self.tasks[0]
            now = self.now
            ready = [task for task in self.tasks if task.can_run(now)]
            if ready:
                dying = next((task for task in ready if task.process.dead), None)
                return dying or ready[int(self.chance.random() * len(ready))]
            later = min((task.wakes for task in self.tasks), default=HANG)
            if later >= HANG:
                waiting = ", ".join(f"{task.name} for {task.waits_for}" for task in self.tasks)
                self.found(f"these wait forever: {waiting}")
            else:
                self.now = max(later, now)
        return None

    def _switch(self, task: Task) -> None:
        """Let this task go on, with what its process holds in the place of what modules hold."""
        if self._inside is not task.process:
            if self._inside is not None:
                self._inside.globals = take_out()
            put_in(task.process.globals)
            self._inside = task.process
        self.current = task
        task.wake()

    def _hand_over(self, task: Task) -> None:
        other = self._pick()
        if other is not None and other is not task:
            self._switch(other)
            task.sleep()
        if self.over or task.process.dead:
            raise Killed

    # --- what tasks call ---------------------------------------------------------------------------------------------

    def running(self) -> Task:
        """The task that is running, if its process still is."""
        task = self.current
        if task is None or self.over or task.process.dead:
            raise Killed
        return task

    def step(self, what: str, seconds: float = CALL) -> Task:
        """Before a system call, or within one of a library: anything may happen here, but signals are heard later."""
        task = self.running()
        self.now += seconds
        self.steps += 1
        self.story.append((self.now, task.name, what))
        if self.steps >= self._next:
            self.befall(task, self.events.pop()[1])
            self._next = self.events[-1][0] if self.events else NEVER
        switches = self.chance.random() < self.switching
        if switches or self.over or task.process.dead or task.process.stopped > self.now:
            self._hand_over(task)
        return task

    def back(self) -> None:
        """After a system call: an interrupt that came meanwhile is heard now, and what the call did is done."""
        task = self.running()
        if task.interrupted:
            self._interrupt(task)

    def wait(self, what: str, ready: Callable[[], bool], until: float, *, deaf: bool = False) -> bool:
        """Wait for something, or until a moment; whether it came."""
        task = self.running()
        self.story.append((self.now, task.name, f"waits: {what}"))
        task.ready = ready
        task.until = until
        task.deaf = deaf
        task.waits_for = what
        try:
            while True:
                self._hand_over(task)
                if not task.interrupted or deaf:
                    return ready()
                self._interrupt(task)  # if that raises nothing, the call goes on
        finally:
            task.ready = None

    def _interrupt(self, task: Task) -> None:
        task.interrupted = False
        task.process.interrupts += 1
        self.tell("hears a signal")
        task.process.handler(signal.SIGINT, sys._getframe())

    # --- what befalls processes ------------------------------------------------------------------------------------

    def befall(self, task: Task, kind: str) -> None:
        """Let something happen: to the running task, mostly."""
        others = [each for each in self.tasks if each is not task and not each.process.dead and each.main]
        victim = task if not others or self.chance.random() < 0.7 else others[int(self.chance.random() * len(others))]
        if kind == "interrupt":
            self._signal(victim, task)
        elif kind == "preempt":
            self._listen(task, self._chances(), self._hand_over)
        elif kind == "kill":
            self.kill(victim.process)
        elif kind == "stop":
            victim.process.stopped = self.now + 10 ** (self.chance.random() * 4 - 3)
            self.quiet_since = max(self.quiet_since, victim.process.stopped)
            self.tell(f"{victim.process.name} is stopped until {victim.process.stopped * 1000:.2f} ms")
        elif kind == "power":
            self.cut_power()

    def _signal(self, victim: Task, task: Task) -> None:
        if not (victim.asking and victim.main):
            return
        if victim is not task:
            victim.interrupted = True
            self.tell(f"a signal for {victim.name}")
            return
        if self.chance.random() < 0.3:
            task.interrupted = True
        else:
            self.signal_at(task, self._chances())

    def signal_at(self, task: Task, chance: int) -> None:
        """Let the running task hear a signal after so many chances."""
        self._listen(task, chance, self._interrupt)

    def _chances(self) -> int:
        """Few or many, as likely."""
        return int(CHANCES ** self.chance.random()) - 1

    def kill(self, process: Process) -> None:
        """The process is gone, at once; the kernel frees what it held."""
        self.tell(f"{process.name} is killed")
        process.die()

    def cut_power(self) -> None:
        """Everything stops, and what was not flushed to the disk may be lost or torn."""
        self.tell("the power is cut")
        for process in self.processes:
            process.die()
        self.disk.lose_power(self.chance)
        self.after_power()

    # --- interrupts between two system calls -------------------------------------------------------------------------

    def _listen(self, task: Task, chances: int, act: Callable[[Task], None]) -> None:
        """Let a signal arrive, or another thread go on, after so many chances from here.

        Python looks for signals when a function begins or goes on, and when a function of C returns: these are what a
        profile hears. What stands in for a function of C, and is none, counts when it returns to the core.
        """
        left = chances

        def heard(frame: FrameType, event: str, _: Any) -> None:  # noqa: ANN401 - as Python calls it
            nonlocal left
            if event == "return":
                if frame.f_back is None or not _is_ours(frame) or not _is_traced(frame.f_back):
                    return
            elif event not in ("call", "c_return") or not _is_traced(frame):
                return
            if self.current is task and task.asking and not _shielded(frame):
                left -= 1
                if left < 0:
                    sys.setprofile(None)
                    where = frame if frame.f_back is None or event != "return" else frame.f_back
                    code = where.f_code
                    self.tell(f"at {code.co_filename.rpartition('/')[2]}:{where.f_lineno} in {code.co_name}")
                    act(task)

        sys.setprofile(heard)


@functools.cache
def _traced_file(name: str) -> bool:
    return TRACED[0] in name or name.endswith(TRACED[1])


def _is_traced(frame: FrameType) -> bool:
    return _traced_file(frame.f_code.co_filename)


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(HERE)


def _shielded(frame: FrameType | None) -> bool:
    """Whether Python would swallow what is raised here, or a cached property holds a real lock until it is computed."""
    while frame is not None:
        if frame.f_code.co_name == "__del__" or frame.f_code.co_filename == functools.__file__:
            return True
        frame = frame.f_back
    return False
