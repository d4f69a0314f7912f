"""Session: an analyst asks questions in SQL; each answer is paid for before the data is read."""

import json
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, Unpack, cast

import pyarrow as pa

from privet.core import Ledger
from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import Amount, PrivacyLoss
from privet.query import sql
from privet.query.answer import Answer
from privet.query.asked import Asked
from privet.query.automatic_bounds import share_of
from privet.query.backends.backend import Backend
from privet.query.catalog import Catalog
from privet.query.explanation import Explanation, explain_plan, hidden_by
from privet.query.expressions import Column, Reference
from privet.query.facts import Value
from privet.query.failing import paid_for, unpaid
from privet.query.frame import Rows, table_of
from privet.query.notes import bounds_found, notes_of, rank_margins
from privet.query.plan import Aggregate, Statement
from privet.query.planning import Planned, limits_of, plan_statement
from privet.query.relations import Group, Table
from privet.query.running import Run
from privet.query.second_price import refuse_another_price
from privet.query.spending import Spending, asked_of, refuse_unknown, shaping_of


@dataclass(frozen=True)
class Receipt:
    """What is known of an answer before it is computed."""

    plan: Planned
    loss: PrivacyLoss
    cost: Amount
    purpose: str
    confidence: float


class Session:
    """A conversation with the tables of a catalog.

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
        self.catalog, self.ledger, self._backend = catalog, ledger, backend
        self._domains: dict[tuple[str, str], tuple[Value, ...]] = {}
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
            InvalidParameter, QueryRefused: nothing was read or spent; the message says what to change.
            BudgetExceeded: nothing was read or spent.
            ReleaseFailed: it is paid for, and could not be computed; the reason is not told, for it may depend on data.
        """
        plan, asked, confidence = self._planned(text, spending)
        why = text.strip() if purpose is None else purpose
        loss = plan.priced.loss.under(self.catalog.unit.neighbors)
        refuse_another_price(plan, self._backend, self.catalog)
        receipt = Receipt(plan, loss, self._cost(plan, loss), why, confidence)
        if not plan.priced.loss.parts:  # public tables, or public groups without a number
            with unpaid():
                return self._answered(receipt, self.ledger)
        question = json.dumps([text, repr(asked), confidence, *shaping_of(spending)])
        reservation = self.ledger.reserve(
            plan.priced.loss, purpose=why, promise=plan.priced.promise, delta=asked.delta, key=key, question=question
        )
        if key is None:
            return self._answered(receipt, reservation)
        if (stored := reservation.stored()) is not None:
            return Answer.from_json(stored)
        try:
            answer = self._answered(receipt, reservation)
            reservation.store(answer.to_json())
            return answer
        finally:
            reservation.done()

    def explain(self, text: str, **spending: Unpack[Spending]) -> Explanation:
        """Say what a statement would cost and how good its answer would be; nothing private is read, nothing spent."""
        plan, asked, confidence = self._planned(text, spending, explaining=True)
        unit, loss = self.catalog.unit, plan.priced.loss.under(self.catalog.unit.neighbors)
        refuse_another_price(plan, self._backend, self.catalog)
        whose = self.catalog.limited
        columns, groups, contributions = explain_plan(plan, unit=unit, whose=whose, confidence=confidence)
        queries = [
            self._backend.text(request)
            for stage in plan.priced.stages
            for request in (stage.needs.request, *stage.needs.rankings)
        ]
        return Explanation(
            statement=text,
            price=self._cost(plan, loss),
            remaining=self.ledger.remaining,
            promise=asked.promise,
            loss=loss,
            unit=unit,
            columns=tuple(columns),
            groups=tuple(groups),
            contributions=tuple(contributions),
            confidence=confidence,
            queries=tuple(queries),
        )

    def table(self, name: str) -> Rows:
        """A table of the catalog as a frame: the same questions, put together step by step."""
        return table_of(cast("Any", self), name)  # a session names what may be asked, a frame passes it on

    # --- in between -------------------------------------------------------------------------------------------

    def read(self, text: str, *, automatic: bool = False) -> Statement:
        """What a statement means; refused if it may not be answered. With `automatic`, bounds may be missing."""
        return sql.read(text, self.catalog, values=self._values, automatic=automatic)

    def _planned(self, text: str, spending: Spending, *, explaining: bool = False) -> tuple[Planned, Asked, float]:
        if self._closed:
            raise InvalidParameter("this session is closed: connect again")
        refuse_unknown(spending)
        confidence = spending.get("confidence", 0.95)
        refuse_certainty(confidence, "confidence")
        limits = limits_of(
            rows_per_unit=spending.get("rows_per_unit"),
            groups_per_unit=spending.get("groups_per_unit"),
            rows_per_group=spending.get("rows_per_group"),
        )
        asked, weights, automatic = (
            asked_of(spending, self.catalog, explaining=explaining),
            spending.get("weights"),
            None,
        )
        if (said := spending.get("automatic_bounds")) is not None:
            automatic = share_of(said)
        read = self.read(text, automatic=automatic is not None)
        plan = plan_statement(read, self.catalog, asked, weights=weights, limits=limits, automatic_bounds=automatic)
        return plan, asked, confidence

    def _values(self, table: str, column: str) -> tuple[Value, ...]:
        """The distinct values of a column of a public table; read once."""
        if (table, column) not in self._domains:
            declared = self.catalog.tables[table]
            if not declared.public:
                raise InvalidParameter(f"{table} is private: its values are not listed")
            old = Column(column, declared.columns[column])
            new = Column(column, declared.columns[column])
            relation = Group(Table(table, (old,), None), ((new, Reference(old)),), (), None)
            with unpaid(), self._backend.apart() as backend:
                self._domains[table, column] = _listed(backend.read(relation, {}))
        return self._domains[table, column]

    def _answered(self, receipt: "Receipt", ledger: Ledger) -> Answer:
        """Run what is paid for, and say what it was."""
        plan, unit, confidence = receipt.plan, self.catalog.unit, receipt.confidence
        with paid_for(), self._backend.apart() as backend:
            run = Run(
                plan,
                backend=backend,
                ledger=ledger,
                purpose=receipt.purpose,
                confidence=confidence,
                catalog=self.catalog,
            )
            table = run.answer()
        hidden = [hidden_by(stage.selection, unit=unit) for stage in plan.priced.stages if stage.selection is not None]
        return Answer(
            table,
            receipt.loss,
            receipt.cost,
            unit,
            receipt.purpose,
            confidence,
            _intervals(plan, table),
            "\n".join(hidden) or None,
            notes_of(plan, run.stages, run.found),
            bounds_found(plan, run.found),
            rank_margins(plan, confidence),
        )

    def _cost(self, plan: Planned, loss: PrivacyLoss) -> Amount:
        return self.ledger.rule.cost(loss, promise=plan.priced.promise, delta=plan.priced.asked.delta)

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


def _intervals(plan: Planned, table: pa.Table) -> tuple[str, ...]:
    """The columns of the answer that are followed by the ends of their intervals."""
    last = plan.statement.stages[-1]
    shown = [column.name for column, _ in last.output.items] if isinstance(last.source, Aggregate) else []
    ends = set(table.column_names) - set(shown)
    return tuple(name for name in shown if {f"{name}_low", f"{name}_high"} <= ends)


def _listed(table: pa.Table) -> tuple[Value, ...]:
    """The values of one column in an order made from themselves alone; dates as ISO texts."""
    found = [value.isoformat() if hasattr(value, "isoformat") else value for value in table.column(0).to_pylist()]
    return tuple(sorted({value for value in found if value is not None}, key=lambda value: (str(type(value)), value)))
