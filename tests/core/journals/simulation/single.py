"""One act of one process, which something befalls at one moment; then another process, and the same one again."""

from collections.abc import Callable

from tests.core.journals.simulation.audit import Audit
from tests.core.journals.simulation.stand_ins import inside
from tests.core.journals.simulation.tasks import Process
from tests.core.journals.simulation.work import Work
from tests.core.journals.simulation.world import World

ACTS: dict[str, Callable[[Work], None]] = {
    "create": Work.open_again,
    "release": Work.release,
    "release with a key": lambda work: work.release_with_key("key 0"),
    "plan": Work.plan,
    "cap": Work.cap,
    "look": Work.look,
    "close": Work.close,
    "verify": Work.verify,
}
KINDS = ("signal", "kill", "power")


class Single:
    """One run.

    Args:
        act: what is being done, a name of ACTS.
        kind: what befalls it.
        moment: when: a signal after so many chances to hear it, the others at such a system call.
        seed: what of unflushed writes is lost with the power.
    """

    def __init__(self, act: str, kind: str, moment: int, seed: int = 0) -> None:
        self.act = act
        self.kind = kind
        self.moment = moment
        self.world = World(seed)
        self.audit = Audit(self.world, 1000 if kind == "signal" else 1 + {"plan": 2}.get(act, 1))
        self.world.switching = 0.0

    @property
    def report(self) -> str:
        """What was found, and the schedule that led there."""
        words = f"{self.act}, {self.kind} at {self.moment}: {'; '.join(self.world.findings)}"
        return f"{words}\n{self.world.trace}"

    def run(self) -> bool:
        """Let it happen; whether it did before the act was over."""
        process = Process(self.world, 1, "process 1")
        work = Work(process, self.audit)
        with inside(self.world):
            if self.act != "create":
                self._do(process, "open", work.release)
            befallen = self._befall(process, work)
            self._fresh(2)
            if not process.dead:
                self._do(process, "key again", lambda: work.release_with_key("key 0"))
                self._do(process, "once more", work.release)
            self._fresh(3)
            self.world.cut_power()
            self._fresh(4)
            for each in self.world.processes:
                each.die()
        return befallen

    def _befall(self, process: Process, work: Work) -> bool:
        signal_at = self.moment if self.kind == "signal" else None
        if signal_at is None:
            self.world.events = [(self.world.steps + self.moment + 1, self.kind)]
        self._do(process, self.act, lambda: ACTS[self.act](work), signal_at=signal_at)
        befallen = process.dead or process.interrupts > 0
        self.world.events.clear()
        return befallen

    def _do(self, process: Process, what: str, act: Callable[[], None], *, signal_at: int | None = None) -> None:
        if not self.world.over:
            work = process.kept[0]
            self.world.start(process, process.name, lambda: work.attempt(what, act, signal_at=signal_at))
            self.world.run()

    def _fresh(self, number: int) -> None:
        if not self.world.over:
            process = Process(self.world, number, f"process {number}")
            work = Work(process, self.audit)
            self.world.start(process, process.name, work.look_again)
            self.world.run()
