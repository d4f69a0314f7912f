"""Connection: how a device reaches a collector: one request a connection, with nothing in it that is the device's."""

import http.client
import json
import ssl
from typing import Protocol
from urllib.parse import urlsplit

from privet.errors import InvalidParameter

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
LONGEST_ANSWER = 1 << 20
TIMEOUT = 30.0
OK = 200


class Transport(Protocol):
    """What a device needs of a network; a relay that hides addresses from the collector (Oblivious HTTP) is another."""

    def post(self, body: bytes) -> int | None:
        """Send a report; the status of the answer, or None if there was none."""
        ...

    def collection(self, collection_id: str) -> tuple[bytes, str]:
        """The text of a collection and its signature."""
        ...


class Connection:
    """Reaches a collector at an address, over TLS; on this machine without, too.

    Args:
        address: such as "https://survey.example"; http only on this machine, or the report could be read on the way.
        context: of TLS; by default the system's, with certificates checked and without session tickets.

    Privacy: each request has a connection of its own and the same few headers: no user agent, no language, no cookie,
        no referrer. A session ticket would join them, so none is taken.
    Not covered: the collector's machine and the network see the device's address; a relay run by others hides it.
    """

    def __init__(self, address: str, *, context: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(address)
        if parts.scheme not in {"https", "http"} or parts.hostname is None or parts.query or parts.fragment:
            raise InvalidParameter('address must be such as "https://survey.example"')
        if parts.scheme == "http" and parts.hostname not in LOOPBACK:
            raise InvalidParameter("reports go over https: http is for collectors on this machine")
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path.rstrip("/")
        self._context = None
        if parts.scheme == "https":
            self._context = ssl.create_default_context() if context is None else context
            self._context.options |= ssl.OP_NO_TICKET

    def post(self, body: bytes) -> int | None:
        """Send a report; the status of the answer, or None if there was none: then the same bytes are sent again."""
        try:
            return self._ask("POST", "/v1/reports", body)[0]
        except (OSError, http.client.HTTPException):
            return None

    def collection(self, collection_id: str) -> tuple[bytes, str]:
        """The text of a collection and its signature; nothing is believed before the signature is checked."""
        try:
            status, text = self._ask("GET", f"/v1/collections/{collection_id}", None)
            facts = json.loads(text) if status == OK else {}
            return str(facts["collection"]).encode("ascii"), str(facts["signature"])
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError, RecursionError):
            raise InvalidParameter("the collector did not answer with a collection: check address and id") from None

    def _ask(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        connection = (
            http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT)
            if self._context is None
            else http.client.HTTPSConnection(self._host, self._port, timeout=TIMEOUT, context=self._context)
        )
        try:
            connection.putrequest(method, self._path + path, skip_accept_encoding=True)
            if body is not None:
                connection.putheader("Content-Type", "application/octet-stream")
                connection.putheader("Content-Length", str(len(body)))
            connection.putheader("Connection", "close")
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.read(LONGEST_ANSWER)
        finally:
            connection.close()
