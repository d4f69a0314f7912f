"""Asking: a question is answered once; who asks it again, or retries it, gets the same answer."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from privet.core.journals.journal import Journal
from privet.core.signals import stopped_by
from privet.errors import AnswerLost, Cancelled, KeyReused, PrivetError
from privet.query.results.answer import Answer
from privet.query.results.answers import Answers
from privet.query.session import Session
from privet.server.desk.asker import Asker
from privet.server.desk.history import History, Kept
from privet.server.desk.question import Question
from privet.server.desk.requests import now
from privet.server.desk.telling import CANCELLED, REUSED
from privet.server.desk.turns import SLICE, UNASKED, Turns


@dataclass(frozen=True)
class Found:
    """An answer.

    Args:
        number: of its permalink.
        answer: itself.
        repeated: whether it was there before.
        at: when it was asked.
    """

    number: str
    answer: Answer | Answers
    repeated: bool
    at: str


@dataclass
class Running:
    """A statement that is being answered in this process.

    Args:
        name: who asks.
        number: of its permalink.
        at: since when.
        stop: set when whoever asked does not want it any more.
        done: set when it ends.
    """

    name: str
    number: str
    at: str
    stop: threading.Event
    done: threading.Event = field(default_factory=threading.Event)


class Asking:
    """Finds out whether a question was answered before, and asks it if not.

    Args:
        history: what was asked.
        journal: gives the ledger's journal.
        turns: how many run at once.

    Privacy: an answer that comes back was released to the same analyst before, and was paid for then. Whether it comes
        back follows from what this analyst has asked, from what the owner has said, and from nothing else.
    Proof: every question is asked under a key of the ledger, its number. The ledger charges a key once and returns the
        answer that was stored under it; so however many processes ask at once, and whenever one of them dies, a number
        is charged at most once. A key of the caller's belongs to one number for good. Without one, the next number is
        taken only if the ledger says that the last one's answer is lost.
    """

    def __init__(self, history: History, journal: Callable[[], Journal], turns: Turns) -> None:
        self._history = history
        self._journal = journal
        self._turns = turns
        self._turn = threading.Lock()
        self.running: dict[str, Running] = {}

    def ask(  # noqa: PLR0913 - the question, and how it is asked
        self,
        asker: Asker,
        session: Session,
        question: Question,
        same: str,
        *,
        key: str | None,
        repeats: bool,
        approved: Callable[[], str | None],
        stop: threading.Event,
    ) -> Found:
        """Answer a question, or bring its answer back.

        Args:
            asker: who asks.
            session: theirs.
            question: what.
            same: the hash of all that is asked.
            key: of the caller, for retries.
            repeats: whether an answer to the same question is good.
            approved: raises if the owner has to approve first; else the number that was approved, if one was needed.
            stop: set when the answer is not wanted any more.
        """
        while True:
            number, stored = self._number(asker, same, key=key, repeats=repeats)
            if stored is not None:
                return self._brought_back(asker, question, number, stored)
            if self._waited(number, stop):
                continue
            allowed = approved()
            if allowed is not None:
                number = self._renumbered(asker, same, allowed, key=key, repeats=repeats)
                if self._waited(number, stop):
                    continue
            with self._turns.taken(asker.name, stop), self._run(asker, number, stop) as run:
                if run is None:  # somebody in this process was faster
                    continue
                found = self._asked(asker, session, question, same, run)
            if not repeats:  # from now on this is the answer to the same question
                with suppress(PrivetError):
                    self._history.renew(asker.name, same, found.number)
            return found

    def _waited(self, number: str, stop: threading.Event) -> bool:
        """Whether somebody in this process was answering this, so that there may be an answer now."""
        other = self.running.get(number)
        if other is None:
            return False
        while not other.done.wait(SLICE):
            if stop.is_set():
                raise Cancelled(UNASKED)
        return True

    def _asked(self, asker: Asker, session: Session, question: Question, same: str, run: Running) -> Found:
        history = self._history
        kept = Kept(run.number, question.statements, question.purpose, asker.via, run.at, None, None)
        history.begin(kept, asker.name, same)
        try:
            with stopped_by(run.stop):
                answer = question.answer(session, run.number)
        except KeyboardInterrupt:
            if run.stop.is_set():
                raise Cancelled(CANCELLED) from None
            raise
        except PrivetError:
            with suppress(PrivetError):
                if self._journal().keyed(asker.name, run.number) is None:
                    history.forget(asker.name, run.number)
            raise
        if not self._note(run.number, answer):  # somebody who was refused has forgotten it meanwhile
            with suppress(PrivetError):
                history.begin(kept, asker.name, same)
            self._note(run.number, answer)
        return Found(run.number, answer, repeated=False, at=run.at)

    def _note(self, number: str, answer: Answer | Answers) -> bool:
        """Remember what it cost. The answer is in the ledger already, so this may fail; whether it is still known."""
        free = None if answer.loss.parts else answer.to_json()
        with suppress(PrivetError):
            return self._history.answered(number, str(answer.spent), free)
        return True

    @contextmanager
    def _run(self, asker: Asker, number: str, stop: threading.Event) -> Iterator[Running | None]:
        """Show that a statement runs; None if it does already."""
        run = Running(asker.name, number, now(), stop)
        with self._turn:
            if number in self.running:
                run = None  # type: ignore[assignment] # it is another's
            else:
                self.running[number] = run
        try:
            yield run
        finally:
            if run is not None:
                with self._turn:
                    del self.running[number]
                run.done.set()

    def _brought_back(self, asker: Asker, question: Question, number: str, stored: str) -> Found:
        kept = self._history.of(asker.name, number)
        answer = question.read(stored)
        if kept is not None and kept.spent is None:  # whoever asked it has died in between
            self._note(number, answer)
        return Found(number, answer, repeated=True, at=now() if kept is None else kept.at)

    def may_repeat(self, asker: Asker, same: str, number: str, *, key: str | None) -> bool:
        """Whether a stored answer is the one to give back; a key that is new belongs to it from now on.

        Raises:
            KeyReused: the key belongs to another question.
        """
        if key is None:
            return True
        bound, about = self._history.bind(asker.name, key, same, number)
        if about != same:
            raise KeyReused(REUSED)
        return bound == number

    # --- under which number -----------------------------------------------------------------------------------

    def _number(self, asker: Asker, same: str, *, key: str | None, repeats: bool) -> tuple[str, str | None]:
        """The number under which a question is asked, and its answer if there is one already."""
        history, name = self._history, asker.name
        if key is not None:
            bound = history.keyed(name, key)
            if bound is not None:
                number, about = bound
                if about != same:
                    raise KeyReused(REUSED)
                return number, self._settled(name, number)  # lost is lost: what was retried is not asked anew
        mine = None if key is None else history.number_of("key", name, key)
        if not repeats:
            number = mine or history.new_number()
            return self._bound(name, key, same, number)
        number, generation = history.latest(name, same) or history.take(
            name, same, mine or history.number_of("repeat", name, same, "0"), 0
        )
        while True:
            try:
                stored = self._settled(name, number)
            except AnswerLost:
                following = mine or history.number_of("repeat", name, same, str(generation + 1), number)
                number, generation = history.take(name, same, following, generation + 1)
                continue
            if stored is not None:
                self._bound(name, key, same, number)
                return number, stored
            return self._bound(name, key, same, number)

    def _bound(self, name: str, key: str | None, same: str, number: str) -> tuple[str, str | None]:
        if key is None:
            return number, None
        number, about = self._history.bind(name, key, same, number)
        if about != same:
            raise KeyReused(REUSED)
        return number, None

    def _renumbered(self, asker: Asker, same: str, number: str, *, key: str | None, repeats: bool) -> str:
        """Ask under the number that was approved: it is charged once, whoever asks."""
        if repeats:
            self._history.renew(asker.name, same, number)
        if key is not None:
            self._history.rebind(asker.name, key, same, number)
        return number

    def _settled(self, name: str, number: str) -> str | None:
        """The answer under a number, if nobody in this process is at it."""
        return None if number in self.running else self.stored(name, number)

    def stored(self, name: str, number: str) -> str | None:
        """The answer that the ledger has under a number; None if it was never charged. Waits while it is computed.

        Raises:
            AnswerLost: it was charged, and its answer is gone.
        """
        journal = self._journal()
        found = journal.keyed(name, number)
        return None if found is None else journal.stored(found)
