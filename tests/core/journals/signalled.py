"""Processes that spend on one ledger while signals hit them at random moments; what must hold whenever they rest."""

import mmap
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path

from privet.core import Journal, Ledger, Scope, Sensitive, Sensitivity
from privet.core.journals.repeat import Repeat
from privet.errors import AnswerLost, BudgetExceeded, LedgerUnavailable, ReleaseFailed
from privet.loss import Guarantee
from tests.support.ledger_processes import CONTEXT, COUNT, PERSON

PROCESSES = 8
CAPPED = "ada"  # half of the processes ask in her name, and her cap is soon reached
KINDS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP)
OFTEN = (5, 4, 1, 1)
GO, REST = b"g", b"r"
Plant = Callable[[], None]


class Ended(BaseException):
    """What a child's handler of SIGTERM raises."""


class Child:
    """One process that spends until it is killed, whatever else is done to it.

    Args:
        address: where the ledger is.
        number: which of the processes.
        life: which of this number's processes: one that is killed is followed by another.
        folder: where it writes down what it is told.
    """

    def __init__(self, address: str, number: int, life: int, folder: str) -> None:
        self.address = address
        self.number = number
        self.name = f"{number}.{life}"
        self.draw = random.Random(f"{number}.{life}")  # noqa: S311 - a test's
        self.told = os.open(f"{folder}/told.{self.name}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.board = board(folder)
        self.armed = False
        self.ledger: Ledger | None = None
        signal.signal(signal.SIGINT, self.hear)
        signal.signal(signal.SIGTERM, self.hear)

    def hear(self, number: int, _: object) -> None:
        """Raise once for each question, so that what happens between two of them is not the test."""
        if self.armed:
            self.armed = False
            raise KeyboardInterrupt if number == signal.SIGINT else Ended

    def write(self, *words: object) -> None:
        os.write(self.told, (" ".join(map(str, words)) + "\n").encode())

    def run(self) -> None:
        """Ask, again and again; what was interrupted is asked once more half of the time."""
        for place in range(10**9):
            purpose = f"{self.name}.{place}"
            ask = self.draw.choice((self.keyed, self.keyed, self.plain, self.planned, self.look, self.reopened))
            for _ in range(2):
                self.rest()
                if self.asked(ask, purpose) or self.draw.random() < 0.5:
                    break

    def rest(self) -> None:
        while self.board[:1] == REST:
            self.board[1 + self.number] = REST[0]
            time.sleep(0.002)
        self.board[1 + self.number] = GO[0]

    def asked(self, ask: Callable[[str], None], purpose: str) -> bool:
        """Ask one question; whether it came to an end that is not an interrupt."""
        try:
            self.armed = True
            ask(purpose)
            self.armed = False
        except (KeyboardInterrupt, Ended) as problem:
            self.write("interrupted", purpose, type(problem).__name__)
            return False
        except (BudgetExceeded, AnswerLost, ReleaseFailed) as problem:
            self.armed = False
            self.write("no", purpose, type(problem).__name__)
        except Exception as problem:  # noqa: BLE001 - every other error is a false alarm
            self.armed = False
            self.write("alarm", purpose, type(problem).__name__, problem)
        return True

    def opened(self) -> Ledger:
        if self.ledger is None:
            self.ledger = Ledger.open(self.address, analyst=CAPPED if self.number % 2 else None)
        return self.ledger

    def secret(self) -> "Sensitive[int]":
        return Sensitive.later(self.compute, Sensitivity(1), PERSON)

    def compute(self) -> int:
        time.sleep(self.draw.random() * 0.004)
        return 42

    def keyed(self, purpose: str) -> None:
        answer = self.opened().release(self.secret(), COUNT, purpose=purpose, key=purpose)
        self.write("answer", purpose, answer.to_json())

    def plain(self, purpose: str) -> None:
        answer = self.opened().release(self.secret(), COUNT, purpose=purpose)
        self.write("answer", purpose, answer.to_json())

    def planned(self, purpose: str) -> None:
        plan = self.opened().reserve(COUNT.loss, purpose=purpose, key=purpose)
        try:
            kept = plan.stored()
            if kept is None:
                kept = plan.release(self.secret(), COUNT, purpose=purpose).to_json()
                plan.store(kept)
            self.write("answer", purpose, kept)
        finally:
            plan.done()

    def look(self, _: str) -> None:
        assert self.opened().spent.epsilon >= 0

    def reopened(self, _: str) -> None:
        ledger = self.ledger
        self.ledger = None
        if ledger is not None and self.draw.random() < 0.5:  # otherwise it is left to the collector
            ledger.close()
        self.opened()


def board(folder: str) -> mmap.mmap:
    """Shared bytes: whether to go or to rest, and what each process does. Nobody who dies can spoil them."""
    path = Path(folder) / "board"
    if not path.exists():
        path.write_bytes(GO * (1 + PROCESSES))
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), 1 + PROCESSES)


def spend_for_ever(address: str, number: int, life: int, folder: str, plant: Plant | None) -> None:
    if plant is not None:
        plant()
    Child(address, number, life, folder).run()


class Crowd:
    """The processes, and who disturbs them.

    Args:
        address: where their ledger is.
        folder: of their own.
        seed: when which signal goes to whom.
        plant: what each process breaks of Privet first.
    """

    def __init__(self, address: str, folder: Path, *, seed: int, plant: Plant | None = None) -> None:
        self.address = address
        self.folder = folder
        self.plant = plant
        self.draw = random.Random(seed)  # noqa: S311 - a test's
        self.board = board(str(folder))
        self.sent: Counter[str] = Counter()
        self.children: list[BaseProcess] = []
        self.lives = [0] * PROCESSES

    @contextmanager
    def living(self) -> Iterator["Crowd"]:
        """While it lives."""
        self.children = [self.born(number) for number in range(PROCESSES)]
        try:
            yield self
        finally:
            for child in self.children:
                child.kill()
                child.join()

    def born(self, number: int) -> BaseProcess:
        self.lives[number] += 1
        self.board[1 + number] = 0
        arguments = (self.address, number, self.lives[number], str(self.folder), self.plant)
        child = CONTEXT.Process(target=spend_for_ever, args=arguments, daemon=True)
        child.start()
        return child

    def disturb(self, signals: int) -> None:
        """Send so many signals, each at a random moment, to a random process that is at work."""
        for _ in range(signals):
            time.sleep(self.draw.random() * 0.012)
            number = self.draw.randrange(PROCESSES)
            (kind,) = self.draw.choices(KINDS, OFTEN)
            child = self.children[number]
            self.until(partial(self.has_begun, number))
            os.kill(child.pid or 0, kind)
            self.sent[kind.name] += 1
            if kind == signal.SIGSTOP:
                time.sleep(self.draw.random() * 0.02)
                os.kill(child.pid or 0, signal.SIGCONT)
            if kind == signal.SIGKILL:
                child.join()
                self.children[number] = self.born(number)

    def has_begun(self, number: int) -> bool:
        """Whether a process asks or rests, and is not just being made."""
        return self.board[1 + number] != 0

    @contextmanager
    def resting(self) -> Iterator[None]:
        """While every process has returned from what it did, and is alive."""
        self.board[0] = REST[0]
        self.until(lambda: all(state == REST[0] for state in self.board[1:]))
        yield
        self.board[0] = GO[0]

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 60  # of a busy machine; a process that hangs is found by this
        while not condition():
            assert time.monotonic() < end, f"waiting for ever: {bytes(self.board[:])!r}"
            assert all(child.is_alive() for child in self.children), "a process ended by itself"
            time.sleep(0.002)

    def told(self, what: str) -> list[list[str]]:
        """All lines of a kind that the processes have written: purpose and what else."""
        lines = [line for path in self.folder.glob("told.*") for line in path.read_text().splitlines()]
        return [line.split(" ", 2)[1:] for line in lines if line.startswith(f"{what} ")]


def run(  # noqa: PLR0913 - all by name but where
    journal: Journal, address: str, folder: Path, *, signals: int, seed: int, plant: Plant | None = None
) -> Crowd:
    """Disturb a crowd; whenever it rests, a third process must be able to spend, and nobody seems to compute.

    Args:
        journal: of the third, which waits for others no longer than a second.
        address: the same, for the crowd.
        folder: of its own.
        signals: how many.
        seed: of when which goes to whom.
        plant: what the crowd breaks first.
    """
    ledger = Ledger(Guarantee(10**6), unit=PERSON, journal=journal, failures=10**6)
    journal.cap(Guarantee(CAP), scope=Scope(CAPPED), reason="to see that it holds")
    crowd = Crowd(address, folder, seed=seed, plant=plant)
    seen = 0
    with crowd.living():
        while crowd.sent.total() < signals:
            crowd.disturb(min(25, signals - crowd.sent.total()))
            crowd.until(lambda: len(crowd.told("answer")) > crowd.sent.total() // 2)  # a busy machine is no excuse
            with crowd.resting():
                seen = refuse_locked(ledger, seen)
    refuse_untrue(ledger, crowd)
    return crowd


class Locked(AssertionError):  # noqa: N818 - named for what happened
    """Others are kept waiting by processes that have returned."""


def refuse_locked(ledger: Ledger, seen: int) -> int:
    """Spend where nobody else does anything, and see whether somebody seems to compute the rows since `seen`."""
    try:
        ledger.release(Sensitive(1, Sensitivity(1), PERSON), COUNT, purpose="the third")
    except LedgerUnavailable as problem:
        raise Locked(str(problem)) from None
    for row in ledger.journal.rows(seen):
        seen = row.sequence
        if row.key is not None and ledger.journal._alive(seen):
            raise Locked(f"somebody seems to compute the answer to row {seen}")
    return seen


def refuse_untrue(ledger: Ledger, crowd: Crowd) -> None:
    """No free answer, no second answer, no alarm, no cap passed, no retry that waits."""
    assert crowd.told("alarm") == [], crowd.told("alarm")
    entries = ledger.entries
    answered = [words for words in crowd.told("answer") if len(words) == 2 and words[1].endswith("}")]
    assert {purpose for purpose, _ in answered} <= {entry.purpose for entry in entries}
    assert len(answered) > crowd.sent.total() // 4  # they did work
    keyed = [entry for entry in entries if entry.key is not None]
    assert len(keyed) == len({entry.key for entry in keyed})
    given = dict(answered)
    for entry in keyed:
        with suppress(AnswerLost):
            text = ledger.journal.stored(Repeat(entry.sequence))
            assert given.get(entry.purpose, text) == text
    assert sum(entry.cost.epsilon for entry in entries if entry.analyst == CAPPED) <= CAP
    ledger.verify()


CAP = 120
