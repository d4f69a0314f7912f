"""Transport: requests to a server over connections that are kept, tried again where that is safe."""

import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from privet.errors import EntropyError, InvalidParameter, LedgerDamaged, LedgerUnavailable, PrivetError
from privet.query.remote.address import Address
from privet.query.remote.problems import MEDIA_TYPE, error_of

ANSWER = "application/vnd.privet+json"  # answers with all that is known of them
ATTEMPTS = 5
FIRST_WAIT = 0.2  # seconds before the second attempt; each next one waits twice as long
LONGEST_WAIT = 10.0
CONNECTING = 10.0  # seconds
LARGEST = 1 << 28  # bytes of an answer
KEPT = 3.0  # seconds that a connection is kept unused: servers close them after about five
BUSY = {429, 502, 503, 504}
FINAL = (LedgerDamaged, EntropyError)  # waiting does not help
TOKEN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=")


@dataclass
class Transport:
    """How a session reaches its server.

    Args:
        address: of the server.
        token: who asks; sent to this address and nowhere else, and shown nowhere.
        certificate: a file of certificates to trust, in the place of the machine's.
        seconds: how long an answer may take.
        sleep: waits for so many seconds.

    Privacy: whatever spends carries a key, so that a request whose answer was lost on the way is not paid for twice.
    """

    address: Address
    token: str = field(repr=False)
    certificate: Path | None = None
    seconds: float = 900.0
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        if not self.token or not set(self.token) <= TOKEN:
            raise InvalidParameter("token must be what `privet token new` printed: letters, digits and underscores")
        self._idle: list[tuple[float, http.client.HTTPConnection]] = []
        self._lock = threading.Lock()
        self._context: ssl.SSLContext | None = None
        if self.address.scheme == "https":
            try:
                self._context = ssl.create_default_context(cafile=self.certificate)
            except (OSError, ssl.SSLError):
                raise InvalidParameter(
                    f"certificate: {self.certificate} cannot be read: name a PEM file of certificates"
                ) from None
            self._context.minimum_version = ssl.TLSVersion.TLSv1_2

    def get(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """What is at a path."""
        return json.loads(self._asked("GET", path, None, None))

    def post(self, path: str, body: Mapping[str, Any], *, key: str | None = None) -> Any:  # noqa: ANN401 - JSON
        """What is answered to a body.

        Args:
            path: of the route.
            body: as JSON can hold it.
            key: under which it is answered once; without one nothing may be spent.
        """
        return json.loads(self._asked("POST", path, json.dumps(body, allow_nan=False).encode(), key))

    def _asked(self, method: str, path: str, body: bytes | None, key: str | None) -> bytes:
        wait, problem = FIRST_WAIT, PrivetError("")
        for attempt in range(ATTEMPTS):
            if attempt:
                self.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT)
            try:
                status, kind, found = self._once(method, path, body, key)
            except ssl.SSLCertVerificationError as wrong:
                raise InvalidParameter(
                    f"{self.address} has no certificate that is trusted ({wrong.verify_message}): name one with "
                    "certificate=, or a server that has"
                ) from None
            except (OSError, http.client.HTTPException):
                problem = LedgerUnavailable(self._unreached(key))
                continue
            if status == http.HTTPStatus.OK:
                return found
            problem = self._problem(kind, found, key)
            if status not in BUSY or isinstance(problem, FINAL):
                break
        raise problem

    def _problem(self, kind: str, found: bytes, key: str | None) -> PrivetError:
        if kind == MEDIA_TYPE:
            try:
                return error_of(json.loads(found))
            except (ValueError, AttributeError):
                pass
        return LedgerUnavailable(self._unreached(key))

    def _unreached(self, key: str | None) -> str:
        said = f"{self.address} does not answer as a Privet server does: see whether it runs, and try again"
        return said if key is None else f"{said} with key={key!r}, which is not paid for twice"

    def _once(self, method: str, path: str, body: bytes | None, key: str | None) -> tuple[int, str, bytes]:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": ANSWER, "User-Agent": "privet"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key is not None:
            headers["Idempotency-Key"] = key
        connection = self._connection()
        try:
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            found = response.read(LARGEST + 1)
        except BaseException:
            connection.close()
            raise
        if len(found) > LARGEST:
            connection.close()
            raise InvalidParameter(f"the answer has more than {LARGEST >> 20} MB: ask for fewer groups")
        with self._lock:
            self._idle.append((time.monotonic(), connection))
        return response.status, response.getheader("Content-Type", "").partition(";")[0].strip(), found

    def _connection(self) -> http.client.HTTPConnection:
        with self._lock:
            while self._idle:
                since, kept = self._idle.pop()
                if time.monotonic() - since < KEPT:
                    return kept
                kept.close()
        host, port = self.address.host, self.address.port
        if self._context is not None:
            made: http.client.HTTPConnection = http.client.HTTPSConnection(
                host, port, context=self._context, timeout=CONNECTING
            )
        else:
            made = http.client.HTTPConnection(host, port, timeout=CONNECTING)
        made.connect()
        made.sock.settimeout(self.seconds)
        return made

    def close(self) -> None:
        """Let go of all connections."""
        with self._lock:
            while self._idle:
                self._idle.pop()[1].close()
