"""Desk: questions of people who have come in, by whatever door, each answered by a session of their own."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Self, Unpack, cast

from privet.core import Ledger
from privet.errors import InvalidParameter
from privet.loss.exact import Exact
from privet.query.backends.backend import Backend
from privet.query.batch import Statements, Weights
from privet.query.catalog import Catalog
from privet.query.catalog.schema import completed
from privet.query.catalog.toml_file import read_catalog
from privet.query.connect import backend_of
from privet.query.options import Keywords
from privet.server.desk.approvals import Approvals
from privet.server.desk.asker import Asker
from privet.server.desk.asking import Asking, Found
from privet.server.desk.facts import Asked, AskedBatch
from privet.server.desk.history import History
from privet.server.desk.looking import Looking, size_of
from privet.server.desk.own_account import OwnAccount, noted
from privet.server.desk.owners_desk import OwnersDesk
from privet.server.desk.public_facts import version_of
from privet.server.desk.question import Question, refuse_wordless
from privet.server.desk.remembered import Remembered
from privet.server.desk.requests import Request, Requests
from privet.server.desk.sessions import Sessions, opened_ledger
from privet.server.desk.telling import telling
from privet.server.desk.turns import Turns
from privet.server.people import People, Person, TokenScope
from privet.server.settings import Settings

REMEMBERED = 64 << 20  # bytes of answers in memory
LONGEST_KEY = 200  # letters


class Desk(Looking):
    """One dataset, its ledger, and everybody who may ask. Threads share one.

    Args:
        catalog: the public facts, complete.
        engine: opens the data; all sessions share what it opens.
        ledger: opened for anybody: its journal is shared by all.
        people: who may come in.
        settings: how the server runs.

    Privacy: each question passes a `Session` of who asks, whose ledger knows them by name, so what a session promises
        holds for all doors together. What somebody sees follows from public facts, from what was released to them
        before, and from what is left for them: the smaller of their own cap and the dataset's, without which it is.
    Not covered: time, but for what `Pace` hides.
    """

    def __init__(
        self, catalog: Catalog, *, engine: Callable[[], Backend], ledger: Ledger, people: People, settings: Settings
    ) -> None:
        self.catalog = catalog
        self.people = people
        self.settings = settings
        self._declared = version_of(catalog, people.key)
        self._asked_here = people.database.hasty()
        self._history = History(self._asked_here, people.key)
        self._sessions = Sessions(catalog, engine=engine, ledger=ledger, version=lambda: self._history.version)
        self._requests = Requests(people.database)
        turns = Turns(settings.statements_at_once, settings.statements_per_person)
        self._asking = Asking(self._history, lambda: self.ledger.journal, turns)
        self._approvals = Approvals(self._requests, self._history, lambda: self.ledger.journal)
        self._answers: Remembered[Found] = Remembered(REMEMBERED)

    @classmethod
    def open(
        cls,
        catalog: str | Path | Catalog,
        *,
        people: People,
        settings: Settings | None = None,
        create: bool | None = None,
    ) -> Self:
        """Open the data and the ledger of a catalog, as `privet.connect` does.

        Args:
            catalog: a catalog file, or a `Catalog`.
            people: who may come in.
            settings: how the server runs.
            create: whether to make the ledger where there is none; not said, it is made with a warning.
        """
        said = settings or Settings()
        declared = catalog if isinstance(catalog, Catalog) else read_catalog(catalog)

        def engine() -> Backend:
            return backend_of(declared, memory=said.engine_memory, threads=said.engine_threads)

        backend = engine()
        at_hand = [backend]
        try:
            complete = completed(declared, backend.schema())
            ledger = opened_ledger(complete, create=create)
            return cls(
                complete,
                engine=lambda: at_hand.pop() if at_hand else engine(),
                ledger=ledger,
                people=people,
                settings=said,
            )
        except BaseException:
            backend.close()
            raise

    def close(self) -> None:
        """Let go of the engine and the ledger's files; the people stay open."""
        self._sessions.close()
        if self._asked_here is not self.people.database:
            self._asked_here.close()

    @property
    def version(self) -> str:
        """Which version of the data this is: a name that changes when the owner declares something otherwise."""
        return f"{self._declared}.{self._history.version}"

    @property
    def ledger(self) -> Ledger:
        """The ledger of all."""
        return self._sessions.ledger

    # --- asking -------------------------------------------------------------------------------------------------

    @telling
    def ask(  # noqa: PLR0913 - the question, and how it is asked, each by name
        self,
        asker: Asker,
        text: str,
        *,
        purpose: str | None = None,
        key: str | None = None,
        fresh: bool = False,
        stop: threading.Event | None = None,
        weights: Mapping[str, Exact] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Asked:
        """Answer one statement, or bring its answer back for free if this analyst has asked the same before.

        Args:
            asker: who asks.
            text: one SELECT.
            purpose: what the answer is for; the statement itself by default. It is recorded.
            key: makes retrying safe: it belongs to one question for good, which is paid for once.
            fresh: ask anew, and pay anew, even if it was asked before.
            stop: an event by which the caller may stop it, as `cancel` does.
            weights: as `Session.sql` takes them.
            keywords: what to spend, and how.

        Raises:
            ApprovalNeeded: the owner has to approve it first; see `request`.
            Busy: too much runs; nothing was charged.
            as `Session.sql` does otherwise.
        """
        question = Question.of(text, purpose, weights, keywords)
        if not isinstance(question.statements, str):
            raise InvalidParameter("a question is one SELECT; several are asked as a batch")
        return cast("Asked", self._answered(asker, question, key=key, fresh=fresh, stop=stop))

    @telling
    def batch(  # noqa: PLR0913 - likewise
        self,
        asker: Asker,
        statements: Statements,
        *,
        weights: Weights | None = None,
        purpose: str | None = None,
        key: str | None = None,
        fresh: bool = False,
        stop: threading.Event | None = None,
        **keywords: Unpack[Keywords],
    ) -> AskedBatch:
        """Answer several statements at once, or bring their answers back; as `ask` does."""
        question = Question.of(statements, purpose, weights, keywords)
        if isinstance(question.statements, str):
            raise InvalidParameter("a batch is a list of SELECTs, or a mapping of names to SELECTs")
        return cast("AskedBatch", self._answered(asker, question, key=key, fresh=fresh, stop=stop))

    def _answered(
        self, asker: Asker, question: Question, *, key: str | None, fresh: bool, stop: threading.Event | None
    ) -> Asked | AskedBatch:
        asker.refuse_without(TokenScope.ASK)
        _refuse_key(key)
        question.refuse_longer(self.settings.largest_statement)
        repeats = self.settings.repeats and not fresh
        with self._sessions.held(asker.name) as session:
            same = question.same_as(session, self.version)
            known = self._answers.get((asker.name, same)) if repeats else None
            if known is not None and self._asking.may_repeat(asker, same, known.number, key=key):
                return self._asked(asker, question, replace(known, repeated=True))
            found = self._asking.ask(
                asker,
                session,
                question,
                same,
                key=key,
                repeats=repeats,
                approved=lambda: self._approvals.number(asker, session, question, same),
                stop=stop or threading.Event(),
            )
        self._answers.put((asker.name, same), found, size_of(found))
        return self._asked(asker, question, found)

    def running(self, asker: Asker) -> tuple[str, ...]:
        """The numbers of the asker's statements that run in this process."""
        asker.refuse_without(TokenScope.READ)
        return tuple(number for number, run in tuple(self._asking.running.items()) if run.name == asker.name)

    @telling
    def cancel(self, asker: Asker, which: str) -> bool:
        """Stop a statement of the asker that runs in this process; whether there is one. Nothing is refunded.

        Args:
            asker: who has asked it.
            which: its number, or the key that it was asked with.
        """
        asker.refuse_without(TokenScope.ASK)
        keyed = self._history.keyed(asker.name, which) if which.isprintable() else None
        run = self._asking.running.get(which if keyed is None else keyed[0])
        if run is None or run.name != asker.name:
            return False
        run.stop.set()
        return True

    # --- what the owner approves --------------------------------------------------------------------------------

    @telling
    def request(
        self,
        asker: Asker,
        text: str | Statements,
        *,
        purpose: str | None = None,
        why: str | None = None,
        weights: Weights | Mapping[str, Exact] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Request:
        """Ask the owner to approve a question; when they have, asking it the same way runs it, once.

        Args:
            asker: who wants to ask.
            text: one SELECT, or several.
            purpose: as it will be asked.
            why: what to tell the owner.
            weights: as it will be asked.
            keywords: likewise.
        """
        asker.refuse_without(TokenScope.ASK)
        question = Question.of(text, purpose, weights, keywords)
        question.refuse_longer(self.settings.largest_statement)
        refuse_wordless(why, "why")
        with self._sessions.held(asker.name) as session:
            same = question.same_as(session, self.version)
            return self._approvals.request(asker, session, question, same, why=why)

    @telling
    def requests(self, asker: Asker) -> tuple[Request, ...]:
        """The requests of the asker."""
        asker.refuse_without(TokenScope.READ)
        return self._requests.all(analyst=asker.name)

    # --- accounts -----------------------------------------------------------------------------------------------

    @telling
    def accept_invitation(self, secret: str, password: str) -> Person:
        """Make the account of an invitation, with its first password; the ledger says that somebody came."""
        invited = self.people.invited(secret)
        what = "" if invited is None else invited.number
        return self.people.accept_invitation(
            secret, password, noting=lambda person: noted(self.ledger, "invitation accepted", by=person.name, what=what)
        )

    def account(self, asker: Asker) -> OwnAccount:
        """What somebody who has signed in at the console does with their own account."""
        return OwnAccount(asker, lambda: self.ledger, self.people)

    def owner(self, asker: Asker) -> OwnersDesk:
        """What the owner does, and what an auditor may look at."""
        asker.refuse_without(TokenScope.AUDIT)
        return OwnersDesk(asker, lambda: self.ledger, self.people, self._requests)


def _refuse_key(key: object) -> None:
    if key is not None and not (
        isinstance(key, str) and 0 < len(key) <= LONGEST_KEY and key.isprintable() and key.strip()
    ):
        raise InvalidParameter(
            f"key must be a text of at most {LONGEST_KEY} letters that no other question has, such as a UUID"
        )
