"""Paying: a plan is charged, run and answered; or the answer that its key was given before is brought back."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from privet.core import Ledger
from privet.core.signals import deferred
from privet.query.answering.failures import paid_for, unpaid
from privet.query.answering.run import Run
from privet.query.backends.backend import Backend
from privet.query.catalog import Catalog
from privet.query.pricing.quote import Planned
from privet.query.second_price.price import refuse_another_price


class Storable(Protocol):
    """An answer, or several: what a key brings back."""

    def to_json(self) -> str:
        """As it is stored."""
        ...


A = TypeVar("A", bound=Storable)


class Paying:
    """Where a session's plans are paid for.

    Args:
        catalog: the public facts.
        backend: the engine with the data.
        ledger: what may be spent.

    Privacy: nothing private is read before the whole plan is charged, at the price that was computed twice.
    """

    def __init__(self, catalog: Catalog, *, backend: Backend, ledger: Ledger) -> None:
        self._catalog = catalog
        self._ledger = ledger
        self._backend = backend

    def answered(  # noqa: PLR0913 - all by name but what is asked
        self,
        plan: Planned,
        answer: Callable[[Run], A],
        again: Callable[[str], A],
        *,
        confidence: float,
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
                return answer(self._run(plan, self._ledger, purpose, confidence))
        promise = plan.priced.promise
        delta = plan.priced.asked.delta
        with deferred():  # Ctrl-C is heard while others are waited for and while the answer is computed, not in between
            reservation = self._ledger.reserve(
                plan.priced.loss,
                purpose=purpose,
                promise=promise,
                delta=delta,
                key=key,
                question=question,
                draws=plan.priced.mechanisms,
            )
            if (stored := reservation.stored()) is not None:
                return again(stored)
            try:
                given = paid_for(lambda: answer(self._run(plan, reservation, purpose, confidence)), reservation)
                if key is not None:
                    reservation.store(given.to_json())
                return given
            finally:
                reservation.done()

    def _run(self, plan: Planned, ledger: Ledger, purpose: str, confidence: float) -> Run:
        """Run a plan over a connection of its own."""
        with self._backend.apart() as backend:
            run = Run(
                plan, backend=backend, ledger=ledger, purpose=purpose, confidence=confidence, catalog=self._catalog
            )
            run.answer()
            return run
