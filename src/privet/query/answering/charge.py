"""Charge: a quote is paid for, once, before anything private is read; then it is run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from privet.core import Ledger, Reservation
from privet.core.signals import deferred
from privet.query.answering.failures import CANCELLED, paid_for, unpaid
from privet.query.answering.run import Run
from privet.query.backends.backend import Backend
from privet.query.catalog import Catalog
from privet.query.pricing.quote import Quote
from privet.query.second_price.price import refuse_another_price


class Storable(Protocol):
    """An answer, or several: what a key brings back."""

    def to_json(self) -> str:
        """As it is stored."""
        ...


@dataclass(frozen=True)
class Charge:
    """What is charged for a quote.

    Args:
        purpose: as recorded.
        key: makes asking again safe.
        question: what the key is bound to.
        catalog: the public facts.
        backend: the engine with the data.
        ledger: what may be spent.

    Privacy: nothing private is read before the whole quote is charged, at the price that was computed twice.
    """

    quote: Quote
    purpose: str
    key: str | None
    question: str
    catalog: Catalog = field(repr=False)
    backend: Backend = field(repr=False)
    ledger: Ledger = field(repr=False)

    @contextmanager
    def paid(self) -> "Iterator[Paid]":
        """Charge it; what the same key was answered before is charged no more.

        While this lasts Ctrl-C waits, but for when others are waited for and when the answer is computed.
        """
        priced = self.quote.priced
        free = not priced.loss.parts  # public tables, or public groups without a number
        if self.key is not None and not free:  # before the engine is asked for anything: it may be down
            kept = self.ledger.recall(priced.loss, purpose=self.purpose, key=self.key, question=self.question)
            if kept is not None:
                yield Paid(self, None, kept)
                return
        refuse_another_price(self.quote, self.backend, self.catalog)
        if free:
            yield Paid(self, None, None)
            return
        reservation = None
        try:
            with deferred():
                reservation = self.ledger.reserve(
                    priced.loss,
                    purpose=self.purpose,
                    promise=priced.promise,
                    delta=priced.options.delta,
                    key=self.key,
                    question=self.question,
                    draws=priced.mechanisms,
                )
                try:
                    yield Paid(self, reservation, reservation.stored())
                finally:
                    reservation.done()
        except KeyboardInterrupt as stop:
            if reservation is None or self.key is not None or stop.args:
                raise
            raise KeyboardInterrupt(CANCELLED) from None  # it came while the answer was put together


@dataclass(frozen=True)
class Paid:
    """A quote that is paid for, or costs nothing.

    Args:
        charge: for which it was paid.
        reservation: that its releases draw from; None if nothing is charged.
        stored: the answer that its key was given before.
    """

    charge: Charge
    reservation: Reservation | None
    stored: str | None

    def run(self) -> Run:
        """Run it, once."""
        if self.reservation is None:
            with unpaid():
                return self._run(self.charge.ledger)
        reservation = self.reservation
        return paid_for(lambda: self._run(reservation), reservation)

    def keep(self, answer: Storable) -> None:
        """Store the answer under its key, if it has one, before anybody sees it."""
        if self.charge.key is not None and self.reservation is not None:
            self.reservation.store(answer.to_json())

    def _run(self, ledger: Ledger) -> Run:
        """Over a connection of its own."""
        with self.charge.backend.apart() as backend:
            run = Run(
                self.charge.quote,
                backend=backend,
                ledger=ledger,
                purpose=self.charge.purpose,
                catalog=self.charge.catalog,
            )
            run.answer()
            return run
