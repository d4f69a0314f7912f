"""Small programs that use a ledger, and say what they were told: every system call of theirs is failed in turn."""

import contextlib
import io
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import typer

from privet.cli import app
from privet.core import Ledger, Scope, Sensitive, Sensitivity
from privet.core.journals.sqlite import SqliteJournal
from privet.errors import PrivetError
from privet.loss import Guarantee
from tests.support.ledger_processes import COUNT, PERSON, ask

Fact = dict[str, Any]  # what somebody was told, as JSON
LIMIT, ADA = 30, 2  # of the dataset, and of one analyst
PATIENCE = 0.1  # seconds that the programs wait for others
UNAVAILABLE = 5  # what a command ends with where the ledger cannot be used


class NoLedgerError(Exception):
    """An act needs a ledger, and none could be opened before."""


class Story:
    """A program's folder and handles, and what the program says on its way.

    Args:
        folder: where the ledger is.
        tell: hears of every fact at once, when the program could show it to somebody.
    """

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self.path = folder / "ledger.db"
        self._tell = tell
        self.ledgers: list[Ledger] = []
        self._plan: Any = None  # a reservation

    def tell(self, **fact: object) -> None:
        self._tell(json.dumps(fact))

    def journal(self) -> SqliteJournal:
        return SqliteJournal(self.path, timeout=PATIENCE)

    def new(self) -> None:
        self.ledgers.append(Ledger(Guarantee(LIMIT), unit=PERSON, journal=self.journal(), create=True))
        self.tell(made=True)

    def open(self, analyst: str | None = None) -> None:
        self.ledgers.append(Ledger.open(self.journal(), analyst=analyst))

    def open_wrapping(self) -> None:
        """A handle whose every commit moves the log into the file, and begins the log anew."""
        self.open()
        journal: Any = self.ledgers[-1].journal
        journal._connection.execute("PRAGMA wal_autocheckpoint = 1")

    def ledger(self, by: int = -1) -> Ledger:
        """One of the handles, the newest by default."""
        if not self.ledgers:
            raise NoLedgerError
        return self.ledgers[by]

    def ask(self, label: str, key: str | None = None, by: int = -1) -> None:
        """Ask, and show the answer."""
        text = ask(self.ledger(by), label, key=key).to_json()
        self.tell(answered=label, key=key, text=text)

    def reserve(self, label: str, size: int, key: str | None = None) -> None:
        """Pay for a plan, and say so."""
        self._plan = self.ledger().reserve([COUNT] * size, purpose=label, key=key)
        self.tell(answered=label)
        if key is not None:
            self._plan.store("what was seen")

    def draw(self, label: str) -> None:
        """Show an answer of the plan."""
        if self._plan is None:
            raise NoLedgerError
        ask(self._plan, label)
        self.tell(answered=label)

    def fail(self) -> None:
        """Ask what cannot be computed: that is counted before it is told."""

        def compute() -> int:
            raise ValueError

        self.ledger().release(Sensitive.later(compute, Sensitivity(1), PERSON), COUNT, purpose="fails")

    def cap(self, analyst: str, epsilon: int) -> None:
        """Set a cap, and say so."""
        self.ledger().journal.cap(Guarantee(epsilon), scope=Scope(analyst), reason="agreed")
        self.tell(capped=analyst, epsilon=epsilon)

    def renew(self) -> None:
        self.ledger().journal.renew(Scope("ada"), reason="a new year")

    def verify(self) -> None:
        self.ledger().verify()

    def anchor_anew(self) -> None:
        """Make an anchor unless there is one."""
        if not self.path.with_name(f"{self.path.name}.anchor").exists():
            with contextlib.closing(self.journal()) as journal:
                journal.recreate_anchor(reason="lost")

    def command(self, *words: str) -> None:
        """A command of the shell, and its status."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            try:
                status = app(["ledger", words[0], str(self.path), *words[1:]], standalone_mode=False)
            except typer.Exit as end:
                status = end.exit_code
        if status:
            known = status == UNAVAILABLE
            self.tell(error="LedgerUnavailable" if known else str(status), ours=known, sentence=said.getvalue())

    def close(self) -> None:
        for ledger in self.ledgers:
            ledger.close()

    def trying(self, *acts: Callable[[], None]) -> None:
        """Do one thing after the other, whatever comes of each; in the end close everything."""
        for act in (*acts, self.close):
            try:
                act()
            except NoLedgerError:
                continue
            except Exception as problem:  # noqa: BLE001 - which it was is what is looked at
                ours = isinstance(problem, PrivetError)
                self.tell(error=type(problem).__name__, ours=ours, sentence=str(problem))


def make(story: Story) -> None:
    """The cell of a notebook that makes its ledger, run twice."""
    story.trying(story.new, partial(story.ask, "first"), story.new, partial(story.ask, "second"))


def spend(story: Story) -> None:
    """Two handles of one process, in turn; one of them goes on after an error, and then another is opened."""
    asks = (partial(story.ask, "one", by=0), partial(story.ask, "two"), partial(story.ask, "three", by=0))
    story.trying(story.open, story.open, *asks, story.open, partial(story.ask, "four"))


def keyed(story: Story) -> None:
    asked = partial(story.ask, "with a key", "key")
    story.trying(story.open, asked, asked, story.open, asked, partial(story.ask, "another key", "other"))


def plan(story: Story) -> None:
    """A plan paid for as a whole and drawn twice, one that keeps its answer, and an answer that fails."""
    draws = (partial(story.draw, "drawn"), partial(story.draw, "drawn again"))
    story.trying(
        story.open, partial(story.reserve, "a plan", 2), *draws, partial(story.reserve, "kept", 1, "plan"), story.fail
    )


def owner(story: Story) -> None:
    asks = tuple(partial(story.ask, label) for label in ("of ada", "of ada, too", "refused"))
    again = partial(story.ask, "of a new year")
    story.trying(partial(story.open, "ada"), *asks, story.renew, again, partial(story.cap, "bob", 1))


def check(story: Story) -> None:
    story.trying(story.open, story.verify, story.close, partial(story.ask, "after closing"))


def wrap(story: Story) -> None:
    asks = tuple(partial(story.ask, label) for label in ("one", "two", "three"))
    story.trying(story.open_wrapping, *asks, story.open_wrapping, partial(story.ask, "four"))


def lost_anchor(story: Story) -> None:
    """The anchor is lost, and the owner makes a new one; once more if that failed."""
    story.tell(lost="the anchor")
    story.path.with_name(f"{story.path.name}.anchor").unlink(missing_ok=True)
    story.trying(story.anchor_anew, story.anchor_anew, story.open, partial(story.ask, "after the loss"))


def commands(story: Story) -> None:
    story.trying(
        partial(story.command, "show"),
        partial(story.command, "cap", "--analyst", "bob", "--epsilon", "1", "--reason", "agreed"),
        partial(story.command, "declare", "--declare", "retention=a year"),
        partial(story.command, "verify"),
        partial(story.command, "export", "--format", "csv"),
    )


def create(story: Story) -> None:
    """A ledger made on the command line."""
    terms = ("--epsilon", str(LIMIT), "--unit", "person", "--dataset", "default")
    story.trying(partial(story.command, "create", *terms))


PROGRAMS: dict[str, tuple[str, Callable[[Story], None]]] = {  # what they find: nothing, a closed ledger, or a torn one
    "make": ("nothing", make),
    "create": ("nothing", create),
    "spend": ("closed", spend),
    "spend after a death": ("died", spend),
    "keyed": ("died", keyed),
    "plan": ("closed", plan),
    "owner": ("closed", owner),
    "check": ("died", check),
    "wrap": ("died", wrap),
    "lost anchor": ("closed", lost_anchor),
    "commands": ("died", commands),
}


def starts(folder: Path) -> dict[str, Path]:
    """The folders that programs find, and in each what was told before."""
    found = {name: folder / name for name in ("nothing", "closed", "died")}
    for place in found.values():
        place.mkdir()
    facts: list[str] = []
    story = Story(found["closed"], facts.append)
    story.new()
    story.cap("ada", ADA)
    story.ask("before")
    story.ask("before, with a key", "early")
    for path in found["closed"].iterdir():
        if not path.name.endswith("-shm"):  # the death of a process, or of the machine
            shutil.copy(path, found["died"] / path.name)
    story.close()
    for name in ("closed", "died"):
        found[name].with_suffix(".facts").write_text("\n".join(facts))
    found["nothing"].with_suffix(".facts").write_text("")
    return found
