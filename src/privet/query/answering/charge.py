"""Charge: a quote is paid for, once, before anything private is read; then it is run."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from privet.core import Ledger, Reservation
from privet.core.signals import deferred
from privet.errors import BudgetExceeded
from privet.query.answering.failed_run import CANCELLED, paid_for, unpaid
from privet.query.answering.run import Run
from privet.query.backends.backend import Backend
from privet.query.catalog import Catalog
from privet.query.pricing.quote import Quote
from privet.query.second_price.price_check import refuse_another_price

LOG = logging.getLogger("privet")  # what happened, never a statement, a purpose or a value


class Storable(Protocol):
    """An answer, or several: what a key brings back."""

    def to_json(self) -> str:
        """As it is stored."""
        ...


@dataclass(frozen=True)
class Charge:
    """A quote that is paid for, or costs nothing.

    Args:
        quote: what is paid for.
        purpose: as recorded.
        key: under which its answer is kept, if it has one.
        catalog: the public facts.
        backend: the engine with the data.
        ledger: through which everything is released: a reservation, unless nothing is to be paid.
        stored: the answer that the key was given before; then there is nothing to run.
    """

    quote: Quote
    purpose: str
    key: str | None
    catalog: Catalog
    backend: Backend
    ledger: Ledger
    stored: str | None = None

    def run(self) -> Run:
        """Run it, once."""
        if isinstance(self.ledger, Reservation):
            return paid_for(self._run, self.ledger)
        with unpaid():
            return self._run()

    def keep(self, answer: Storable) -> None:
        """Store the answer under its key, before anybody sees it."""
        if self.key is not None and isinstance(self.ledger, Reservation):
            self.ledger.store(answer.to_json())

    def _run(self) -> Run:
        """Over a connection of its own."""
        with self.backend.apart() as backend:
            run = Run(self.quote, backend=backend, ledger=self.ledger, purpose=self.purpose, catalog=self.catalog)
            run.answer()
            return run


@contextmanager
def charged(charge: Charge, question: str) -> Iterator[Charge]:
    """Charge a quote before anything private is read, unless its key was answered before or it costs nothing.

    Args:
        charge: with the ledger that is charged.
        question: what the key is bound to.

    Privacy: the whole quote is charged at the price that was computed twice. What is given is run through the
        reservation alone. While this lasts Ctrl-C waits, but for when others are waited for and when the answer is
        computed.
    """
    quote = charge.quote
    free = not quote.loss.parts  # public tables, or public groups without a number
    if charge.key is not None and not free:  # before the engine is asked for anything: it may be down
        kept = charge.ledger.recall(quote.loss, purpose=charge.purpose, key=charge.key, question=question)
        if kept is not None:
            yield replace(charge, stored=kept)
            return
    refuse_another_price(quote, charge.backend, charge.catalog)
    if free:
        yield charge
        return
    reservation = None
    try:
        with deferred():
            reservation = charge.ledger.reserve(
                quote.loss,
                purpose=charge.purpose,
                promise=quote.promise,
                delta=quote.options.delta,
                key=charge.key,
                question=question,
                draws=quote.mechanisms,
            )
            try:
                LOG.info("charged %s for a question about %s", quote.options.promise, charge.catalog.name)
                yield replace(charge, ledger=reservation, stored=reservation.stored())
            finally:
                reservation.done()
        LOG.info("answered a question about %s", charge.catalog.name)
    except BudgetExceeded:
        if reservation is None:  # before anything was read
            LOG.warning("refused a question about %s: the budget does not allow it", charge.catalog.name)
        raise
    except KeyboardInterrupt as stop:
        if reservation is None or charge.key is not None or stop.args:
            raise
        raise KeyboardInterrupt(CANCELLED) from None  # it came while the answer was put together
