"""Work: what a simulated process does with its ledger, through whatever befalls it."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import (
    AnswerLost,
    BudgetExceeded,
    InvalidParameter,
    KeyReused,
    LedgerDamaged,
    LedgerUnavailable,
    ReleaseFailed,
)
from privet.loss import Guarantee
from privet.mechanisms import DiscreteLaplace
from privet.noise import BitSource
from tests.core.journals.simulation.audit import NAME, Audit

if TYPE_CHECKING:
    from tests.core.journals.simulation.tasks import Process
    from tests.core.journals.simulation.world import World

PERSON = Unit("person")
ONE = Sensitivity(1)
KEYS = 3
EXPECTED = (KeyboardInterrupt, LedgerUnavailable, BudgetExceeded, ReleaseFailed)
NEVER = (LedgerDamaged, KeyReused, AnswerLost, InvalidParameter)


class Plain(DiscreteLaplace):
    """Adds no noise, so that every run of a computation can be told from every other."""

    def sample(self, value: Any, source: BitSource) -> Any:  # noqa: ANN401, ARG002 - as its parent
        """The number of the run."""
        return value


COUNT = Plain(l1_sensitivity=1, scale=1)


class Work:
    """What one thread of a process does.

    Args:
        process: whose it is.
        audit: watches it.
        shared: another thread of the process, whose ledger this one uses.
    """

    def __init__(self, process: "Process", audit: Audit, *, shared: "Work | None" = None) -> None:
        self._process = process
        self._audit = audit
        self._shared = shared
        self._world: World = audit.world
        self._ledger: Ledger | None = None
        self._problem: BaseException | None = None  # the last one, as a prompt keeps it
        process.kept.append(self)

    def run(self, length: int) -> None:
        """Ask a few questions."""
        draw = self._world.chance.random
        for _ in range(length):
            what, act = ACTS[int(draw() * len(ACTS))]
            self.attempt(what, lambda act=act: act(self))  # type: ignore[misc] # it is an act
            if draw() < 0.2:
                self._world.wait("thinks", _never, self._world.now + draw())
        if draw() < 0.15:
            self._world.kill(self._process)

    def attempt(self, what: str, act: Callable[[], None], *, signal_at: int | None = None) -> None:
        """One act of a person at a prompt: what goes wrong is kept until the next."""
        task = self._world.running()
        begun = self._world.now
        self._world.tell(f"begins: {what}")
        task.asking = True
        try:
            if signal_at is not None:
                self._world.signal_at(task, signal_at)
            act()
        except EXPECTED as problem:
            task.asking = False
            self._world.tell(f"{type(problem).__name__}: {problem}")
            self._problem = problem
            if isinstance(problem, LedgerUnavailable):
                if not (self._process.interrupts or self._process.careless) or "busy" in str(problem):
                    self._world.found(f"{what}: {problem}")
                self._process.kept.append(self._ledger)
                self._ledger = None
        except NEVER as problem:
            if isinstance(problem, LedgerDamaged | AnswerLost) and self._process.careless:  # its ledger is refused
                self._world.tell(f"{type(problem).__name__}: {problem}")
                self._ledger = None
            else:
                self._world.found(f"{what}: {type(problem).__name__}: {problem}")
        finally:
            task.asking = task.interrupted = False
            sys.setprofile(None)
        self._audit.took(what, begun)

    def _opened(self) -> Ledger:
        if self._shared is not None and self._shared._ledger is not None:
            return self._shared._ledger
        if self._ledger is None:
            self._ledger = Ledger(Guarantee(self._audit.limit), unit=PERSON, journal=NAME, failures=100)
        return self._ledger

    def _secret(self, purpose: str, within: Callable[[], object] = lambda: None) -> Sensitive[int]:
        """Data that is read after the charge, and takes its time."""
        draw = self._world.chance.random()

        def compute() -> int:
            self._world.step(f"reads the data for {purpose!r}")
            self._audit.data_read(purpose)
            within()
            if draw > 0.7:
                self._world.wait("computes", _never, self._world.now + (draw - 0.7) / 10)
            return self._audit.computed()

        return Sensitive.later(compute, ONE, PERSON)

    # --- acts ----------------------------------------------------------------------------------------------------

    def release(self) -> None:
        """Ask something new."""
        purpose = self._audit.new_purpose()
        self._opened().release(self._secret(purpose), COUNT, purpose=purpose)

    def release_with_key(self, key: str | None = None, within: Callable[[], object] = lambda: None) -> None:
        """Ask something that others ask, too."""
        key = f"key {int(self._world.chance.random() * KEYS)}" if key is None else key
        self._audit.keys.add(key)
        self._keyed(key, lambda: self._opened().release(self._secret(key, within), COUNT, purpose=key, key=key).value)

    def _keyed(self, key: str, ask: Callable[[], object]) -> None:
        try:
            value = ask()
        except AnswerLost:
            self._audit.said_lost(key)
            self._world.tell("the answer is lost")
        else:
            self._world.tell(f"{key!r} is answered with {value}")
            self._audit.answered(key, value)

    def fail(self) -> None:
        """Compute something that fails."""
        self.release_with_key(within=_failing)

    def ask_within(self) -> None:
        """Compute something that asks for its own answer."""
        key = f"key {int(self._world.chance.random() * KEYS)}"
        own = self._secret(key)
        self.release_with_key(key, lambda: self._opened().release(own, COUNT, purpose=key, key=key))

    def plan(self) -> None:
        """Pay for two answers at once."""
        purpose = self._audit.new_purpose()
        plan = self._opened().reserve([COUNT, COUNT], purpose=purpose, draws=[COUNT, COUNT])
        for _ in range(2):
            plan.release(self._secret(purpose), COUNT, purpose=purpose)

    def cap(self) -> None:
        """Set the limit to what it is."""
        self._opened().journal.cap(Guarantee(self._audit.limit), reason="it stays")

    def look(self) -> None:
        """See what is spent."""
        if self._opened().spent.parts[0] > self._audit.limit:
            self._world.found("more is spent than the limit")

    def open_again(self) -> None:
        """Make the ledger anew, as a cell of a notebook that is run twice."""
        self._ledger = None
        self._opened()

    def close(self) -> None:
        """Close it; it opens itself when it is used."""
        if self._ledger is not None:
            self._ledger.close()

    def copy(self) -> None:
        """Read the file beside SQLite, which loses this process its locks on it."""
        self._process.careless = True
        self._world.step("reads ledger.db by other means")
        inode = self._world.disk.names.get(NAME)
        if inode is not None and inode.on_close is not None:
            inode.on_close(self._process)

    # --- alone ---------------------------------------------------------------------------------------------------

    def create(self) -> None:
        """Make the ledger."""
        self.attempt("create", lambda: self._opened().close())

    def look_again(self) -> None:
        """Spend, ask every key again, and check every row."""
        self.attempt("a new process spends", self._spend)
        for key in sorted(self._audit.keys):
            self.attempt(f"asks {key!r} again", lambda key=key: self.release_with_key(key))  # type: ignore[misc] # a text
        self.attempt("check every row", self.verify)
        self._audit.agrees()

    def _spend(self) -> None:
        if self._audit.begun():
            self._ledger = Ledger.open(NAME)
        try:
            self.release()
        except BudgetExceeded:
            if not self._audit.full():
                self._world.found("there is room, and a spend is refused")

    def verify(self) -> None:
        """Check every row."""
        self._opened().verify()


ACTS: tuple[tuple[str, Callable[[Work], None]], ...] = (
    *[("release", Work.release)] * 8,
    *[("release with a key", Work.release_with_key)] * 8,
    *[("plan", Work.plan)] * 2,
    *[("open again", Work.open_again)] * 2,
    ("fail", Work.fail),
    ("ask within", Work.ask_within),
    ("cap", Work.cap),
    ("look", Work.look),
    ("close", Work.close),
    ("verify", Work.verify),
    ("copy", Work.copy),
)


def _never() -> bool:
    return False


def _failing() -> None:
    raise ValueError("something in the data")
