"""Session: an analyst asks questions in SQL; each answer is paid for before the data is read."""

import json
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, Unpack, cast, overload

from privet.core import Ledger
from privet.errors import InvalidParameter
from privet.query.answering.charge import Paying
from privet.query.answering.public_values import PublicValues
from privet.query.answering.run import Run
from privet.query.backends.backend import Backend
from privet.query.catalog import Catalog
from privet.query.frame import Rows, table_of
from privet.query.options import JointSpending, Said, Spending
from privet.query.plan.statement import Statement
from privet.query.pricing.batch_parts import parts_of
from privet.query.pricing.quote import Planned
from privet.query.questions import Questions, Statements, Weights
from privet.query.quotes import Planner
from privet.query.results.answer import Answer
from privet.query.results.answers import Answers
from privet.query.results.explain import explained, queries_of
from privet.query.results.explanation import Explanation
from privet.query.results.explanations import Explanations
from privet.query.results.receipt import Receipt, cost_alone, cost_of
from privet.query.second_price.price import refuse_another_price


class Session:
    """A conversation with the tables of a catalog. Threads may share one.

    Args:
        catalog: the public facts.
        backend: the engine with the data.
        ledger: what may be spent; it protects the catalog's unit.

    Privacy: a statement is refused, or charged once at its composed price before private data is read, and answered by
        releases drawn from that reservation. What the ledger's limit says holds for all answers together.
    """

    def __init__(self, catalog: Catalog, *, backend: Backend, ledger: Ledger) -> None:
        if ledger.unit != catalog.unit:
            raise InvalidParameter(f"the catalog protects {catalog.unit!r}, but the ledger protects {ledger.unit!r}")
        self.catalog = catalog
        self.ledger = ledger
        self._backend = backend
        self._planner = Planner(catalog, PublicValues(catalog, backend))
        self._paying = Paying(catalog, backend=backend, ledger=ledger)
        self._closed = False

    def sql(
        self, text: str, *, purpose: str | None = None, key: str | None = None, **spending: Unpack[Spending]
    ) -> Answer:
        """Answer one statement.

        Args:
            text: one SELECT.
            purpose: what the answer is for; the statement itself by default. It is recorded.
            key: makes asking again safe: the same key with the same question returns the stored answer, for free.
            spending: see `Spending`.

        Raises:
            InvalidParameter: nothing was read or spent; the message says what to change.
            BudgetExceeded: nothing was read or spent.
            AnalystFrozen: too many answers failed; the owner has to look before anything more is told.
            ReleaseFailed: it is paid for, and could not be computed; the reason, which may depend on data, is not told.
            KeyboardInterrupt: at Ctrl-C, with a message if it is paid for; the session can go on.
        """
        said = self._said(spending)
        plan = self._planner.plan(text, said, weights=spending.get("weights"))
        why = text.strip() if purpose is None else purpose
        question = json.dumps([text, repr(said.asked), said.confidence, *said.shaping])

        def answer(run: Run) -> Answer:
            return self._receipt(plan, said, why).answer(run)

        return self._paying.answered(
            plan, answer, Answer.from_json, confidence=said.confidence, purpose=why, key=key, question=question
        )

    def batch(
        self,
        statements: Statements,
        *,
        weights: Weights | None = None,
        purpose: str | None = None,
        key: str | None = None,
        **spending: Unpack[JointSpending],
    ) -> Answers:
        """Answer several statements at once: all are paid for and answered, or none.

        They are planned, priced and charged as one statement with all their columns. Those about the same rows, groups
        and limits share one scan; what several of them ask for is drawn once and paid once.

        Args:
            statements: a list of SELECTs, or a mapping of names to SELECTs.
            weights: how much of what is spent is each statement's, in proportion: a list, or a mapping of names to
                numbers; 1 for each by default.
            purpose: what the answers are for; the statements themselves by default. It is recorded.
            key: makes asking again safe: the same key with the same batch returns the stored answers, for free.
            spending: what to spend on all of them together, and how; see `JointSpending`.

        Raises:
            as `sql` does; a refusal says which statement it is about, and then none is answered.
        """
        said = self._said(cast("Spending", spending))
        asked = Questions.of(statements, weights)
        plan = self._planner.plan_batch(asked, said)
        why = "; ".join(text.strip() for text in asked.texts) if purpose is None else purpose
        shares = [str(share) for share in asked.shares]
        facts = ["batch", asked.names, asked.texts, shares, repr(said.asked), said.confidence, *said.shaping]

        def answers(run: Run) -> Answers:
            joint = self._receipt(plan, said, why)
            found = {
                part.statement.text: self._receipt_of_part(part, said, joint, purpose).answer(run)
                for part in parts_of(plan)
            }
            given = tuple(found[text.strip()] for text in asked.texts)
            return Answers(given, asked.names, joint.loss, joint.cost, self.catalog.unit, why)

        return self._paying.answered(
            plan,
            answers,
            Answers.from_json,
            confidence=said.confidence,
            purpose=why,
            key=key,
            question=json.dumps(facts),
        )

    @overload
    def explain(self, text: str, **spending: Unpack[Spending]) -> Explanation: ...
    @overload
    def explain(
        self, text: Statements, *, weights: Weights | None = None, **spending: Unpack[JointSpending]
    ) -> Explanations: ...
    def explain(self, text: Any, **spending: Any) -> Explanation | Explanations:
        """Say what a statement would cost and how good its answer would be; nothing private is read, nothing spent.

        Args:
            text: one SELECT; or, as `batch` takes them, several.
            spending: as `sql` or `batch` would be told.
        """
        left, whose = self.ledger.remaining, self.catalog.limited
        if isinstance(text, str):
            said = self._said(cast("Spending", spending), explaining=True)
            plan = self._planner.plan(text, said, weights=spending.get("weights"))
            refuse_another_price(plan, self._backend, self.catalog)
            return explained(self._receipt(plan, said, text), self._backend, whose=whose, remaining=left)
        asked = Questions.of(text, spending.pop("weights", None))
        said = self._said(cast("Spending", spending), explaining=True)
        plan = self._planner.plan_batch(asked, said)
        refuse_another_price(plan, self._backend, self.catalog)
        joint = self._receipt(plan, said, "")
        parts = {part.statement.text: self._receipt_of_part(part, said, joint, None) for part in parts_of(plan)}
        each = {name: explained(part, self._backend, whose=whose, remaining=left) for name, part in parts.items()}
        return Explanations(
            tuple(each[name.strip()] for name in asked.texts),
            asked.names,
            joint.cost,
            left,
            said.asked.promise,
            joint.loss,
            self.catalog.unit,
            queries_of(plan, self._backend),
        )

    def table(self, name: str) -> Rows:
        """A table of the catalog as a frame: the same questions, put together step by step."""
        return table_of(cast("Any", self), name)  # a session names what may be asked, a frame passes it on

    def read(self, text: str, *, automatic: bool = False) -> Statement:
        """What a statement means; refused if it may not be answered. With `automatic`, bounds may be missing."""
        return self._planner.read(text, automatic=automatic)

    def _said(self, spending: Spending, *, explaining: bool = False) -> Said:
        if self._closed:
            raise InvalidParameter("this session is closed: connect again")
        return Said.of(spending, self.catalog, explaining=explaining)

    def _receipt(self, plan: Planned, said: Said, purpose: str) -> Receipt:
        unit = self.catalog.unit
        loss = plan.priced.loss.under(unit.neighbors)
        return Receipt(plan, loss, cost_of(plan, loss, self.ledger.rule), unit, purpose, said.confidence)

    def _receipt_of_part(self, part: Planned, said: Said, joint: Receipt, purpose: str | None) -> Receipt:
        unit = self.catalog.unit
        why = part.statement.text if purpose is None else purpose
        loss = part.priced.loss.under(unit.neighbors)
        cost = cost_alone(part, loss, self.ledger.rule)
        return Receipt(part, loss, cost, unit, why, said.confidence, joint.cost)

    # --- a session holds connections --------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the engine and the ledger's files."""
        self._closed = True
        with suppress(Exception):
            self._backend.close()
        self.ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        who = f", {self.ledger.analyst}" if self.ledger.analyst else ""
        return f"Session({self.catalog.name}{who}: {', '.join(self.catalog.tables)}; {self.ledger.remaining} remains)"
