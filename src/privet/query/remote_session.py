"""RemoteSession: a session with a dataset that is behind a server; the methods are those of one that is here."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar, Unpack, overload

from privet.core import Unit
from privet.core.journals.terms import promise_of
from privet.errors import InvalidParameter, PrivetError
from privet.loss import Amount, Promise
from privet.loss.exact import Exact
from privet.noise import Entropy
from privet.query.answering.owned_rows import OwnedRows
from privet.query.batch import Batch, Statements, Weights
from privet.query.options import Keywords, refuse_weights
from privet.query.plan.statement import Statement
from privet.query.remote.address import Address
from privet.query.remote.explanation_json import explanation_from_json
from privet.query.remote.public_catalog import catalog_of
from privet.query.remote.transport import Transport
from privet.query.remote.wire_values import said_to_wire
from privet.query.results.answer import Answer, amount_of
from privet.query.results.answers import Answers
from privet.query.results.explanation import Explanation
from privet.query.results.explanations import Explanations
from privet.query.session import Session
from privet.wording.called_like import called_like

T = TypeVar("T")
API = "/api/v1"
CANCELLED = (
    "cancelled: the server was told to stop; what was charged stays charged. What became of it is told, for free, to "
    "whoever asks the same with key={!r}"
)


class RemoteLedger:
    """What a server's ledger says to one analyst: the limit, what is spent and what remains, all of them its own."""

    def __init__(self, transport: Transport, facts: Mapping[str, Any]) -> None:
        self._transport = transport
        self.unit = Unit(**facts["unit"])
        self.analyst: str | None = facts["analyst"]
        self._limit = promise_of(facts["limit"])

    @property
    def limit(self) -> Promise:
        """The promise that is never broken."""
        return self._limit

    @property
    def spent(self) -> Amount:
        """What was charged to this analyst."""
        return self._amount("spent")

    @property
    def remaining(self) -> Amount:
        """What may still be charged: the least of the dataset's and the analyst's."""
        return self._amount("remaining")

    def _amount(self, which: str) -> Amount:
        return amount_of(self._transport.get(f"{API}/budget")[which])

    def close(self) -> None:
        """Let go of the connections."""
        self._transport.close()

    def __repr__(self) -> str:
        return f"RemoteLedger({self.limit!r} per {self.unit.name}, {self.unit.neighbors.value}; {self.analyst})"


class RemoteSession(Session):
    """A conversation with the tables of a catalog, far away. Threads may share one.

    Args:
        transport: to the server.

    Privacy: a client is nobody that has to be trusted: what may be asked and what it costs, the server decides.
    """

    def __init__(self, transport: Transport) -> None:
        facts = transport.get(f"{API}/session")
        self.catalog = catalog_of(facts["catalog"], address=str(transport.address))
        self.ledger = RemoteLedger(transport, facts)  # type: ignore[assignment] # the part of a ledger that analysts see
        self._transport = transport
        self._closed = False

    @called_like('session.sql("SELECT COUNT(*) FROM people", epsilon=1)')
    def sql(
        self,
        text: str,
        *,
        purpose: str | None = None,
        key: str | None = None,
        weights: Mapping[str, Exact] | None = None,
        **keywords: Unpack[Keywords],
    ) -> Answer:
        """Answer one statement; see `Session.sql`.

        A server may bring back the stored answer to a question that was asked before, which costs nothing.
        """
        self._options(keywords, weights)
        body = {"statement": text, "purpose": purpose, "weights": weights}
        return self._paid("sql", body, key, keywords, Answer.from_json)

    @called_like("session.batch([text, other], epsilon=1)")
    def batch(
        self,
        statements: Statements,
        *,
        weights: Weights | None = None,
        purpose: str | None = None,
        key: str | None = None,
        **keywords: Unpack[Keywords],
    ) -> Answers:
        """Answer several statements at once; see `Session.batch`."""
        body = {"statements": self._several(statements, weights, keywords), "purpose": purpose, "weights": weights}
        return self._paid("batch", body, key, keywords, Answers.from_json)

    @overload
    def explain(
        self, text: str, *, weights: Mapping[str, Exact] | None = None, **keywords: Unpack[Keywords]
    ) -> Explanation: ...
    @overload
    def explain(
        self, text: Statements, *, weights: Weights | None = None, **keywords: Unpack[Keywords]
    ) -> Explanations: ...
    @called_like('session.explain("SELECT COUNT(*) FROM people", epsilon=1)')
    def explain(
        self, text: str | Statements, *, weights: Weights | None = None, **keywords: Unpack[Keywords]
    ) -> Explanation | Explanations:
        """Say what a statement would cost and how good its answer would be; see `Session.explain`."""
        self._refuse_closed()
        asked = {"statement": text} if isinstance(text, str) else {"statements": self._several(text, weights, keywords)}
        body = {**asked, **_said(keywords, weights)}
        return explanation_from_json(self._transport.post(f"{API}/explain", body)["explanation"])

    def rows(self, text: str) -> OwnedRows:
        """Models are fitted where the data is; a server has none of them."""
        return self._only_here(f"rows({text!r:.60})")

    def read(self, text: str, *, automatic: bool = False) -> Statement:
        """What a statement means is decided where the data is."""
        return self._only_here(f"read({text!r:.60}{', automatic=True' if automatic else ''})")

    def close(self) -> None:
        """Let go of the connections."""
        self._closed = True
        self._transport.close()

    def _several(
        self, statements: Statements, weights: Weights | None, keywords: Keywords
    ) -> dict[str, str] | list[str]:
        """Statements of a batch, refused here as they would be there."""
        self._refuse_closed()
        refuse_weights(keywords, weights)
        batch = Batch.of(statements, weights)
        return dict(zip(batch.names, batch.texts, strict=True)) if batch.names else list(batch.texts)

    def _paid(
        self,
        route: str,
        body: dict[str, Any],
        key: str | None,
        keywords: Keywords,
        read: Callable[[str], T],
    ) -> T:
        """Ask, under a key of its own if none was said: then nothing is paid for twice, whatever happens on the way."""
        self._refuse_closed()
        weights = body.pop("weights")
        said = {name: value for name, value in body.items() if value is not None} | _said(keywords, weights)
        under = fresh_key() if key is None else key
        try:
            found = self._transport.post(f"{API}/{route}", said, key=under)
        except KeyboardInterrupt:
            with suppress(PrivetError):
                self._transport.post(f"{API}/cancel", {"key": under})
            raise KeyboardInterrupt(CANCELLED.format(under)) from None
        return read(found["answer"])

    def _only_here(self, what: str) -> NoReturn:
        raise InvalidParameter(f"{what} needs the data itself, which is behind {self._transport.address}")


def connect_remote(address: str, *, token: str | None = None, certificate: str | Path | None = None) -> RemoteSession:
    """A session with the dataset of a server.

    Args:
        address: such as "https://stats.example.org:8443"; plain HTTP for this machine alone.
        token: what `privet token new` printed; what PRIVET_TOKEN says by default.
        certificate: a file of certificates to trust, such as the one that `privet serve --dev` made.
    """
    where = Address.of(address)
    known = token or os.environ.get("PRIVET_TOKEN")
    if not known:
        raise InvalidParameter("token: say who asks, with token= or PRIVET_TOKEN; `privet token new` makes one")
    transport = Transport(where, known, None if certificate is None else Path(certificate))
    try:
        return RemoteSession(transport)
    except BaseException:
        transport.close()
        raise


def fresh_key() -> str:
    """A key that no other question has."""
    return "".join(f"{int(word):016x}" for word in Entropy().words(2))


def _said(keywords: Keywords, weights: Weights | None) -> dict[str, Any]:
    return said_to_wire({**keywords, "weights": weights})
