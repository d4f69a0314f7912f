"""Sessions: one for everybody who asks, all on one engine and one ledger."""

import threading
from contextlib import suppress

from privet.core import Ledger
from privet.errors import NotAllowed
from privet.query.backends.backend import Backend
from privet.query.catalog import Catalog
from privet.query.catalog.catalog_ledger import ledger_of
from privet.query.session import Session


class Sessions:
    """Makes a session for whoever asks first, and keeps it.

    Args:
        catalog: the public facts, complete.
        backend: the engine with the data.
        ledger: opened for anybody: its journal is shared by all.
    """

    def __init__(self, catalog: Catalog, *, backend: Backend, ledger: Ledger) -> None:
        self._catalog = catalog
        self._backend = backend
        self._ledger = ledger
        self._turn = threading.Lock()
        self._known: dict[str, Session] = {}

    @property
    def ledger(self) -> Ledger:
        """The ledger of all; opened again if something has broken its handle."""
        if self._ledger.journal.broken is None:
            return self._ledger
        with self._turn:
            if self._ledger.journal.broken is not None:
                self._ledger = opened_ledger(self._catalog, create=False)
                self._known.clear()
        return self._ledger

    def of(self, name: str) -> Session:
        """The session of an analyst, whom the ledger knows by this name.

        Raises:
            NotAllowed: the catalog names who may ask, and they are not there.
        """
        ledger = self.ledger
        with self._turn:
            if (known := self._known.get(name)) is not None:
                return known
            if self._catalog.analysts and name not in self._catalog.analysts:
                raise NotAllowed(
                    "this catalog names who may ask, and this account is not there: its owner adds [analysts.NAME]"
                )
            mine = Ledger.open(ledger.journal, analyst=name, dataset=self._catalog.name)
            self._known[name] = made = Session(self._catalog, backend=self._backend, ledger=mine)
            return made

    def close(self) -> None:
        """Let go of the engine and the ledger's files."""
        with suppress(Exception):
            self._backend.close()
        self._ledger.close()


def opened_ledger(catalog: Catalog, *, create: bool | None) -> Ledger:
    """The ledger of a catalog, for whoever asks."""
    return ledger_of(catalog, analyst=next(iter(catalog.analysts), None), create=create)
