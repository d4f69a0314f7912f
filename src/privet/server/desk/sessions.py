"""Sessions: one for everybody who asks, all on one engine and one ledger."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from privet.core import Ledger
from privet.errors import NotAllowed, PrivetError, ServiceFailed
from privet.query.backends.backend import Backend
from privet.query.catalog import Catalog
from privet.query.catalog.catalog_ledger import ledger_of
from privet.query.catalog.schema import completed
from privet.query.session import Session

LOG = logging.getLogger("privet.server")
CLOSED = "the data cannot be opened just now, and nothing is answered: tell the owner"


@dataclass
class Opened:
    """An engine with one version of the data, and the sessions on it.

    Args:
        version: of the data.
        backend: the engine.
        known: sessions, by name.
        held: how many statements use it.
        over: whether there is a later version; then it is closed when nobody uses it any more.
    """

    version: int
    backend: Backend
    known: dict[str, Session] = field(default_factory=dict)
    held: int = 0
    over: bool = False


class Sessions:
    """Makes a session for whoever asks first, and keeps it.

    Args:
        catalog: the public facts, complete.
        engine: opens the data.
        ledger: opened for anybody: its journal is shared by all.
        version: says which version of the data there is; when the owner says that they are new they are opened anew.
    """

    def __init__(
        self, catalog: Catalog, *, engine: Callable[[], Backend], ledger: Ledger, version: Callable[[], int]
    ) -> None:
        self._catalog = catalog
        self._engine = engine
        self._ledger = ledger
        self._version = version
        self._turn = threading.RLock()
        self._ledgers: dict[str, Ledger] = {}
        self._opened = Opened(version(), engine())

    @property
    def ledger(self) -> Ledger:
        """The ledger of all; opened again if something has broken its handle."""
        if self._ledger.journal.broken is None:
            return self._ledger
        with self._turn:
            if self._ledger.journal.broken is not None:
                self._ledger = opened_ledger(self._catalog, create=False)
                self._ledgers.clear()
                self._opened.known.clear()
        return self._ledger

    def ledger_of(self, name: str) -> Ledger:
        """The ledger as an analyst has it.

        Raises:
            NotAllowed: the catalog names who may ask, and they are not there.
        """
        if self._catalog.analysts and name not in self._catalog.analysts:
            raise NotAllowed(
                "this catalog names who may ask, and this account is not there: its owner adds [analysts.NAME]"
            )
        shared = self.ledger
        with self._turn:
            found = self._ledgers.get(name)
            if found is None:
                found = Ledger.open(shared.journal, analyst=name, dataset=self._catalog.name)
                self._ledgers[name] = found
            return found

    @contextmanager
    def held(self, name: str) -> Iterator[Session]:
        """The session of an analyst, whom the ledger knows by this name; its engine stays open as long as this lasts.

        Raises:
            NotAllowed: the catalog names who may ask, and they are not there.
            ServiceFailed: the data cannot be opened.
        """
        ledger = self.ledger_of(name)
        with self._turn:
            opened = self._current()
            session = opened.known.get(name)
            if session is None or session.ledger is not ledger:
                session = opened.known[name] = Session(self._catalog, backend=opened.backend, ledger=ledger)
            opened.held += 1
        try:
            yield session
        finally:
            with self._turn:
                opened.held -= 1
                self._close_unused(opened)

    def _current(self) -> Opened:
        """The engine with the data as the owner last declared them to be new."""
        version = self._version()
        if version != self._opened.version:
            before = self._opened
            self._opened = Opened(version, self._reopened())
            before.over = True
            self._close_unused(before)
        return self._opened

    def _reopened(self) -> Backend:
        try:
            backend = self._engine()
            if completed(self._catalog, backend.schema()) == self._catalog:
                return backend
            backend.close()
            LOG.error("the data do not fit the catalog any more: start the server again")
        except PrivetError as problem:
            LOG.error("the data cannot be opened: %s", problem)  # noqa: TRY400 - a sentence is enough
        raise ServiceFailed(CLOSED)

    @staticmethod
    def _close_unused(opened: Opened) -> None:
        if opened.over and not opened.held:
            with suppress(Exception):
                opened.backend.close()

    def close(self) -> None:
        """Let go of the engine and the ledger's files."""
        with suppress(Exception):
            self._opened.backend.close()
        self._ledger.close()


def opened_ledger(catalog: Catalog, *, create: bool | None) -> Ledger:
    """The ledger of a catalog, for whoever asks."""
    return ledger_of(catalog, analyst=next(iter(catalog.analysts), None), create=create)
