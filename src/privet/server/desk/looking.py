"""Looking: what whoever has come in may see without spending anything."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Unpack

from privet.core.journals import Scope
from privet.errors import NotAllowed
from privet.loss.exact import Exact
from privet.query.batch import Statements, Weights
from privet.query.catalog import Catalog
from privet.query.options import Keywords
from privet.query.results.answer import Answer
from privet.query.results.explanation import Explanation
from privet.query.results.explanations import Explanations
from privet.server.desk.asker import Asker
from privet.server.desk.asking import Asking, Found
from privet.server.desk.facts import Asked, AskedBatch, AskedSummary, BudgetFacts, TableFacts
from privet.server.desk.history import History, Kept
from privet.server.desk.public_facts import table_facts
from privet.server.desk.question import Question
from privet.server.desk.remembered import Remembered
from privet.server.desk.sessions import Sessions
from privet.server.desk.telling import telling
from privet.server.people import TokenScope
from privet.server.settings import Settings

MOST = 1_000  # questions of one look at the history
NUMBER = re.compile("[0-9a-f]{32}")
NOT_YOURS = "there is no such answer of yours"


class Looking:
    """The part of the desk that spends nothing.

    Privacy: everything here is public, or was released to the same analyst, or is a number of their own budget.
    """

    catalog: Catalog
    settings: Settings
    _sessions: Sessions
    _history: History
    _asking: Asking
    _answers: Remembered[Found]

    def tables(self, asker: Asker) -> tuple[TableFacts, ...]:
        """What is public of the tables."""
        asker.refuse_without(TokenScope.READ)
        return table_facts(self.catalog)

    @telling
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
        question = Question.of(text, None, weights, keywords)
        question.refuse_longer(self.settings.largest_statement)
        with self._sessions.held(asker.name) as session:
            found = question.explain(session)
        return _without_queries(found)

    @telling
    def budget(self, asker: Asker) -> BudgetFacts:
        """What the asker may spend, and has spent."""
        asker.refuse_without(TokenScope.READ)
        ledger = self._sessions.ledger_of(asker.name)
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

    @telling
    def history(self, asker: Asker, *, last: int = 50) -> tuple[AskedSummary, ...]:
        """The last questions of the asker, the newest first."""
        asker.refuse_without(TokenScope.READ)
        return tuple(
            AskedSummary(
                each.number,
                each.text,
                each.text if each.purpose is None else each.purpose,
                each.at,
                self._state(each),
                each.spent,
                each.via,
            )
            for each in self._history.last(asker.name, max(0, min(last, MOST)))
        )

    def _state(self, kept: Kept) -> str:
        if kept.spent is not None:
            return "answered"
        return "running" if kept.number in self._asking.running else "unanswered"

    @telling
    def stored(self, asker: Asker, number: str) -> Asked | AskedBatch:
        """An answer that the asker got before, by its number.

        Raises:
            NotAllowed: there is none, or it is somebody else's: nobody can tell which.
            AnswerLost: it was paid for, and is gone.
        """
        asker.refuse_without(TokenScope.READ)
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
            self._answers.put((asker.name, number), found, size_of(found))
        return self._asked(asker, question, replace(found, repeated=True))

    def _asked(self, asker: Asker, question: Question, found: Found) -> Asked | AskedBatch:
        left = self._sessions.ledger_of(asker.name).remaining
        purpose = found.answer.purpose
        if isinstance(found.answer, Answer):
            return Asked(found.number, found.answer, question.texts[0], purpose, found.repeated, left, found.at)
        return AskedBatch(found.number, found.answer, question.texts, purpose, found.repeated, left, found.at)


def _without_queries(found: Explanation | Explanations) -> Explanation | Explanations:
    """What somebody may see who is not the owner: the engine's SQL names files. How many scans there are is told."""
    if isinstance(found, Explanations):
        scans = tuple("" for _ in found.queries)
        each = tuple(replace(one, queries=()) for one in found.explanations)
        return replace(found, queries=scans, explanations=each)
    return replace(found, queries=())


def size_of(found: Found) -> int:
    """Bytes, roughly."""
    answers = (found.answer,) if isinstance(found.answer, Answer) else found.answer.answers
    return sum(answer.table.nbytes + 20_000 for answer in answers)
