"""Paying: a plan is charged, run and answered; or the answer that its key was given before is brought back."""

from collections.abc import Callable
from typing import Any, TypeVar

from privet.core import Ledger
from privet.query.answer import Answer
from privet.query.answers import Answers
from privet.query.backends.backend import Backend
from privet.query.catalog import Catalog
from privet.query.failing import paid_for, unpaid
from privet.query.planning import Planned
from privet.query.running import Run
from privet.query.second_price import refuse_another_price
from privet.query.spending import Said

A = TypeVar("A", Answer, Answers)


class Paying:
    """Where a session's plans are paid for.

    Args:
        catalog: the public facts.
        backend: the engine with the data.
        ledger: what may be spent.

    Privacy: nothing private is read before the whole plan is charged, at the price that was computed twice.
    """

    def __init__(self, catalog: Catalog, *, backend: Backend, ledger: Ledger) -> None:
        self._catalog, self._ledger, self._backend = catalog, ledger, backend

    def answered(  # noqa: PLR0913 - all by name but what is asked
        self,
        plan: Planned,
        said: Said,
        answer: Callable[[Run], A],
        again: Callable[[str], A],
        *,
        purpose: str,
        key: str | None,
        question: str,
    ) -> A:
        """Charge a plan, run it, and make the answer of it; or bring back what the same key was answered."""
        if key is not None and plan.priced.loss.parts:  # before the engine is asked for anything: it may be down
            kept = self._ledger.recall(plan.priced.loss, purpose=purpose, key=key, question=question)
            if kept is not None:
                return again(kept)
        refuse_another_price(plan, self._backend, self._catalog)
        if not plan.priced.loss.parts:  # public tables, or public groups without a number
            with unpaid():
                return answer(self._run(plan, said, self._ledger, purpose))
        promise, delta = plan.priced.promise, said.asked.delta
        reservation = self._ledger.reserve(
            plan.priced.loss,
            purpose=purpose,
            promise=promise,
            delta=delta,
            key=key,
            question=question,
            draws=plan.priced.mechanisms,
        )
        if key is None:
            return paid_for(lambda: answer(self._run(plan, said, reservation, purpose)), reservation)
        if (stored := reservation.stored()) is not None:
            return again(stored)
        try:
            given = paid_for(lambda: answer(self._run(plan, said, reservation, purpose)), reservation)
            reservation.store(given.to_json())
            return given
        finally:
            reservation.done()

    def _run(self, plan: Planned, said: Said, ledger: Ledger, purpose: str) -> Run:
        """Run a plan over a connection of its own."""
        with self._backend.apart() as backend:
            how: dict[str, Any] = {"purpose": purpose, "confidence": said.confidence, "catalog": self._catalog}
            run = Run(plan, backend=backend, ledger=ledger, **how)
            run.answer()
            return run
