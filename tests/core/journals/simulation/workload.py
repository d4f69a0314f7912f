"""Workload: one run of some processes that share a ledger, and what befalls them."""

from collections.abc import Callable

from tests.core.journals.simulation.audit import Audit
from tests.core.journals.simulation.session import WATCHING
from tests.core.journals.simulation.stand_ins import inside
from tests.core.journals.simulation.tasks import Process
from tests.core.journals.simulation.work import Work
from tests.core.journals.simulation.world import World

KINDS = ("interrupt",) * 6 + ("preempt",) + ("kill",) * 2 + ("stop",) * 2 + ("power",)
STEPS = 80  # that an act takes, about


class Workload:
    """One run.

    Args:
        seed: decides everything.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.world = World(seed)
        draw = self.world.chance.random
        self.audit = Audit(self.world, (2, 5, 1000)[int(draw() * 3)])
        self.world.switching = (0.02, 0.1, 0.3)[int(draw() * 3)]
        self.world.after_power = self._after_power
        self._busy = 1 + int(draw() * 4)
        self._length = 1 + int(draw() * 4)
        self._started = 0

    @property
    def report(self) -> str:
        """What was found, and the schedule that led there."""
        return f"seed {self.seed}: {'; '.join(self.world.findings)}\n{self.world.trace}"

    def run(self) -> list[str]:
        """Let everything happen; return which promises were broken."""
        world = self.world
        with inside(world):
            WATCHING.append(self.audit.committed)
            try:
                if world.chance.random() < 0.7:  # the ledger is there before they begin
                    self._alone("owner", Work.create)
                for _ in range(self._busy):
                    self._start()
                world.events = self._events()
                world.run()
                world.events.clear()
                self._alone("fresh", Work.look_again)  # while the others are still there
                if not world.over:
                    world.after_power = lambda: None
                    world.cut_power()
                    self._alone("later", Work.look_again)
            finally:
                WATCHING.remove(self.audit.committed)
                for process in world.processes:
                    process.die()
        return world.findings

    def _events(self) -> list[tuple[int, str]]:
        """What befalls the processes, and at which step."""
        draw = self.world.chance.random
        begun = self.world.steps
        reach = STEPS * self._busy * self._length
        count = int(draw() * 5)
        return [(begun + int(draw() ** 1.5 * reach), KINDS[int(draw() * len(KINDS))]) for _ in range(count)]

    def _after_power(self) -> None:
        if not self.world.over:
            self._start()

    def _process(self, name: str) -> Process:
        self._started += 1
        return Process(self.world, self._started, name or f"process {self._started}")

    def _start(self) -> None:
        """A new process, sometimes with a second thread, which may share the ledger of the first."""
        process = self._process("")
        draw = self.world.chance.random
        work = Work(process, self.audit)
        self.world.start(process, process.name, lambda: work.run(self._length))
        if draw() < 0.2:
            second = Work(process, self.audit, shared=work if draw() < 0.7 else None)
            self.world.start(process, f"{process.name}b", lambda: second.run(self._length))

    def _alone(self, name: str, act: Callable[[Work], None]) -> None:
        """A new process does something while nobody else does anything."""
        if not self.world.over:
            process = self._process(name)
            work = Work(process, self.audit)
            self.world.start(process, name, lambda: act(work))
            self.world.run()
