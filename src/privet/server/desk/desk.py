"""Desk: questions of people who have come in, by whatever door, each answered by a session of their own."""

import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Self, Unpack, cast

from privet.core import Ledger
from privet.core.journals import Scope
from privet.core.journals.report import promised
from privet.errors import ApprovalNeeded, InvalidParameter, NotAllowed
from privet.loss.exact import Exact, readable
from privet.query.backends.backend import Backend
from privet.query.batch import Statements, Weights
from privet.query.catalog import Catalog
from privet.query.catalog.catalog_ledger import ledger_of
from privet.query.catalog.schema import completed
from privet.query.catalog.toml_file import read_catalog
from privet.query.connect import backend_of
from privet.query.options import Keywords
from privet.query.results.answer import Answer
from privet.query.results.explanation import Explanation
from privet.query.results.explanations import Explanations
from privet.query.session import Session
from privet.server.desk.asker import Asker
from privet.server.desk.asking import Asking, Found
from privet.server.desk.facts import Asked, AskedBatch, AskedSummary, BudgetFacts, TableFacts
from privet.server.desk.history import History
from privet.server.desk.owners_desk import OwnersDesk
from privet.server.desk.public_facts import table_facts, version_of
from privet.server.desk.question import Question
from privet.server.desk.remembered import Remembered
from privet.server.desk.requests import DECLINED, TAKEN_BACK, WAITING, Request, Requests
from privet.server.desk.telling import telling
from privet.server.desk.turns import Turns
from privet.server.people import People, Person, TokenScope
from privet.server.settings import Settings

REMEMBERED = 64 << 20  # bytes of answers in memory
LONGEST_KEY = 200  # letters
NUMBER = re.compile("[0-9a-f]{32}")
NOT_YOURS = "there is no such answer of yours"


class Desk:
    """One dataset, its ledger, and everybody who may ask. Threads share one.

    Args:
        catalog: the public facts, complete.
        backend: the engine with the data; all sessions share it.
        ledger: opened for anybody: its journal is shared by all.
        people: who may come in.
        settings: how the server runs.

    Privacy: each question passes a `Session` of who asks, whose ledger knows them by name, so what a session promises
        holds for all doors together. What somebody sees follows from public facts, from what was released to them
        before, and from what is left for them: the smaller of their own cap and the dataset's, without which it is.
    Not covered: time, but for what `Pace` hides.
    """

    def __init__(
        self, catalog: Catalog, *, backend: Backend, ledger: Ledger, people: People, settings: Settings
    ) -> None:
        self.catalog = catalog
        self.people = people
        self.settings = settings
        self._backend = backend
        self._ledger = ledger
        self._turn = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._declared = version_of(catalog, people.key)
        self._history = History(people.database, people.key)
        self._requests = Requests(people.database)
        self._turns = Turns(settings.statements_at_once, settings.statements_per_person)
        self._asking = Asking(self._history, lambda: self.ledger.journal, self._turns)
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
        backend = backend_of(declared, memory=said.engine_memory, threads=said.engine_threads)
        try:
            complete = completed(declared, backend.schema())
            ledger = ledger_of(complete, analyst=next(iter(complete.analysts), None), create=create)
            return cls(complete, backend=backend, ledger=ledger, people=people, settings=said)
        except BaseException:
            backend.close()
            raise

    def close(self) -> None:
        """Let go of the engine and the ledger's files; the people stay open."""
        with suppress(Exception):
            self._backend.close()
        self._ledger.close()

    @property
    def version(self) -> str:
        """Which version of the data this is: a name that changes when the owner declares something otherwise."""
        return f"{self._declared}.{self._history.version}"

    # --- the ledger, and a session for everybody ----------------------------------------------------------------

    @property
    def ledger(self) -> Ledger:
        """The ledger of all; opened again if something has broken its handle."""
        if self._ledger.journal.broken is None:
            return self._ledger
        with self._turn:
            if self._ledger.journal.broken is not None:
                analyst = next(iter(self.catalog.analysts), None)
                self._ledger = ledger_of(self.catalog, analyst=analyst, create=False)
                self._sessions.clear()
        return self._ledger

    def _session(self, person: Person) -> Session:
        ledger = self.ledger
        with self._turn:
            if (known := self._sessions.get(person.name)) is not None:
                return known
            if self.catalog.analysts and person.name not in self.catalog.analysts:
                raise NotAllowed(
                    "this catalog names who may ask, and this account is not there: its owner adds [analysts.NAME]"
                )
            mine = Ledger.open(ledger.journal, analyst=person.name, dataset=self.catalog.name)
            session = Session(self.catalog, backend=self._backend, ledger=mine)
            self._sessions[person.name] = session
            return session

    # --- looking ------------------------------------------------------------------------------------------------

    def tables(self, asker: Asker) -> tuple[TableFacts, ...]:
        """What is public of the tables."""
        asker.refuse_without(TokenScope.READ)
        return table_facts(self.catalog)

    def explain(
        self,
        asker: Asker,
        text: str | Statements,
        *,
        weights: Weights | Mapping[str, Exact] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Explanation | Explanations:
        """What a statement, or several, would cost, and how good the answer would be; nothing is read or spent."""
        asker.refuse_without(TokenScope.READ)
        with telling():
            found = Question.of(text, None, weights, keywords).explain(self._session(asker.person))
            return _without_queries(found)

    def budget(self, asker: Asker) -> BudgetFacts:
        """What the asker may spend, and has spent."""
        asker.refuse_without(TokenScope.READ)
        with telling():
            ledger = self._session(asker.person).ledger
            account = ledger.journal.books().account(Scope(asker.name))
            person = asker.person
            limit = ledger.limit if account.limit is None else account.limit
            return BudgetFacts(
                limit,
                account.spent,
                ledger.remaining,
                person.largest_epsilon,
                person.needs_approval,
                ledger.rule.name,
            )

    def history(self, asker: Asker, *, last: int = 50) -> tuple[AskedSummary, ...]:
        """The last questions of the asker, the newest first."""
        asker.refuse_without(TokenScope.READ)
        with telling():
            return tuple(
                AskedSummary(
                    each.number,
                    each.text,
                    each.text if each.purpose is None else each.purpose,
                    each.at,
                    "unanswered" if each.spent is None else "answered",
                    each.spent,
                    each.via,
                )
                for each in self._history.last(asker.name, max(0, min(last, 1000)))
            )

    def stored(self, asker: Asker, number: str) -> Asked | AskedBatch:
        """An answer that the asker got before, by its number.

        Raises:
            NotAllowed: there is none, or it is somebody else's: nobody can tell which.
            AnswerLost: it was paid for, and is gone.
        """
        asker.refuse_without(TokenScope.READ)
        with telling():
            kept = self._history.of(asker.name, number) if NUMBER.fullmatch(number) else None
            if kept is None:
                raise NotAllowed(NOT_YOURS)
            question = Question(kept.statements, kept.purpose, None, {})
            found = self._answers.get((asker.name, number))
            if found is None:
                text = kept.free or self._asking.stored(asker.name, number)
                if text is None:
                    raise NotAllowed(NOT_YOURS)
                found = Found(number, question.read(text), repeated=True, at=kept.at)
                self._answers.put((asker.name, number), found, _size(found))
            return self._asked(asker, question, replace(found, repeated=True))

    # --- asking -------------------------------------------------------------------------------------------------

    def ask(  # noqa: PLR0913 - the question, and how it is asked, each by name
        self,
        asker: Asker,
        text: str,
        *,
        purpose: str | None = None,
        key: str | None = None,
        fresh: bool = False,
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
            weights: as `Session.sql` takes them.
            keywords: what to spend, and how.

        Raises:
            ApprovalNeeded: the owner has to approve it first; see `request`.
            Busy: too much runs; nothing was charged.
            as `Session.sql` does otherwise.
        """
        with telling():
            question = Question.of(text, purpose, weights, keywords)
            if not isinstance(question.statements, str):
                raise InvalidParameter("a question is one SELECT; several are asked as a batch")
            return cast("Asked", self._answered(asker, question, key=key, fresh=fresh))

    def batch(  # noqa: PLR0913 - likewise
        self,
        asker: Asker,
        statements: Statements,
        *,
        weights: Weights | None = None,
        purpose: str | None = None,
        key: str | None = None,
        fresh: bool = False,
        **keywords: Unpack[Keywords],
    ) -> AskedBatch:
        """Answer several statements at once, or bring their answers back; as `ask` does."""
        with telling():
            question = Question.of(statements, purpose, weights, keywords)
            if isinstance(question.statements, str):
                raise InvalidParameter("a batch is a list of SELECTs, or a mapping of names to SELECTs")
            return cast("AskedBatch", self._answered(asker, question, key=key, fresh=fresh))

    def _answered(self, asker: Asker, question: Question, *, key: str | None, fresh: bool) -> Asked | AskedBatch:
        asker.refuse_without(TokenScope.ASK)
        _refuse_key(key)
        session = self._session(asker.person)
        same = question.same_as(session, self.version)
        repeats = self.settings.repeats and not fresh
        if repeats and key is None and (known := self._answers.get((asker.name, same))) is not None:
            return self._asked(asker, question, replace(known, repeated=True))
        found = self._asking.ask(
            asker,
            session,
            question,
            same,
            key=key,
            repeats=repeats,
            approved=lambda: self._approved(asker, session, question, same),
        )
        self._answers.put((asker.name, same), found, _size(found))
        return self._asked(asker, question, found)

    def _asked(self, asker: Asker, question: Question, found: Found) -> Asked | AskedBatch:
        left = self._session(asker.person).ledger.remaining
        purpose = found.answer.purpose
        if isinstance(found.answer, Answer):
            return Asked(found.number, found.answer, question.texts[0], purpose, found.repeated, left, found.at)
        return AskedBatch(found.number, found.answer, question.texts, purpose, found.repeated, left, found.at)

    def running(self, asker: Asker) -> tuple[str, ...]:
        """The numbers of the asker's statements that run in this process."""
        asker.refuse_without(TokenScope.READ)
        return tuple(number for number, run in tuple(self._asking.running.items()) if run.name == asker.name)

    # --- what the owner approves --------------------------------------------------------------------------------

    def _approved(self, asker: Asker, session: Session, question: Question, same: str) -> str | None:
        """Refuse what the owner has to approve first; the number under which it is asked, if they have."""
        person = asker.person
        if person.largest_epsilon is None and not person.needs_approval:
            return None
        epsilon, price = self._price(session, question)
        if not person.needs_approval and person.largest_epsilon is not None and epsilon <= person.largest_epsilon:
            return None
        found = self._requests.about(asker.name, same)
        if found is None or found.state == TAKEN_BACK:
            raise ApprovalNeeded(f"this costs {price}, which the owner has to approve first: make a request")
        if found.state == WAITING:
            raise ApprovalNeeded(f"this costs {price}, and waits for the owner's approval", number=found.number)
        if found.state == DECLINED:
            raise ApprovalNeeded("the owner has declined this: change it, or ask them", number=found.number)
        number = self._history.number_of("approved", asker.name, found.number)
        if self.ledger.journal.keyed(asker.name, number) is not None:
            raise ApprovalNeeded(
                f"this costs {price}; the owner has approved it once, and that was used: make another request"
            )
        return number

    def _price(self, session: Session, question: Question) -> tuple[Fraction, str]:
        """What a question costs, as ε and in words."""
        price = question.explain(session).price
        if any(part == float("inf") for part in price.parts):
            return Fraction(10**9), str(price)
        return promised(session.ledger.journal.books(), price).epsilon, str(price)

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
        with telling():
            question = Question.of(text, purpose, weights, keywords)
            Question.of("SELECT", why, None, {})
            session = self._session(asker.person)
            epsilon, price = self._price(session, question)
            return self._requests.add(
                asker.name,
                question.same_as(session, self.version),
                texts=question.texts,
                purpose=purpose,
                why=why,
                price=price,
                epsilon=readable(epsilon),
            )

    def requests(self, asker: Asker) -> tuple[Request, ...]:
        """The requests of the asker."""
        asker.refuse_without(TokenScope.READ)
        with telling():
            return self._requests.all(analyst=asker.name)

    def owner(self, asker: Asker) -> OwnersDesk:
        """What the owner does, and what an auditor may look at."""
        asker.refuse_without(TokenScope.AUDIT)
        return OwnersDesk(asker, lambda: self.ledger, self.people, self._requests, self._history)


def _refuse_key(key: object) -> None:
    if key is not None and not (
        isinstance(key, str) and 0 < len(key) <= LONGEST_KEY and key.isprintable() and key.strip()
    ):
        raise InvalidParameter(
            f"key must be a text of at most {LONGEST_KEY} letters that no other question has, such as a UUID"
        )


def _without_queries(found: Explanation | Explanations) -> Explanation | Explanations:
    """What somebody may see who is not the owner: the engine's SQL names files."""
    if isinstance(found, Explanation):
        return replace(found, queries=())
    return replace(found, queries=(), explanations=tuple(replace(each, queries=()) for each in found.explanations))


def _size(found: Found) -> int:
    answers = (found.answer,) if isinstance(found.answer, Answer) else found.answer.answers
    return sum(answer.table.nbytes + 20_000 for answer in answers)
