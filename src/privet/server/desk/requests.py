"""Requests: questions that wait for the owner's approval."""

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from privet.errors import InvalidParameter
from privet.server.people.database import Database
from privet.server.people.secret import new_secret

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS requests (number TEXT PRIMARY KEY, analyst TEXT NOT NULL, question TEXT NOT NULL,
        statements TEXT NOT NULL, purpose TEXT, why TEXT, price TEXT NOT NULL, epsilon TEXT NOT NULL, at TEXT NOT NULL,
        state TEXT NOT NULL, decided_by TEXT, decided_at TEXT, reason TEXT, expires DOUBLE PRECISION)""",
    "CREATE INDEX IF NOT EXISTS requests_by_question ON requests (analyst, question)",
)
COLUMNS = "number, analyst, statements, purpose, why, price, epsilon, at, state, decided_by, decided_at, reason"
WEEK = 7 * 86_400.0  # an approval is good for
MOST = 20  # that wait, of one analyst
WAITING, APPROVED, DECLINED, TAKEN_BACK = "waiting", "approved", "declined", "taken back"


@dataclass(frozen=True)
class Request:
    """A question that an analyst wants to ask.

    Args:
        number: by which it is approved or declined.
        analyst: whose.
        text: the statement, or those of a batch.
        purpose: if it was said.
        why: what the analyst tells the owner.
        price: what it will cost, in words.
        epsilon: likewise as an ε, for comparison.
        at: when, ISO 8601 in UTC.
        state: "waiting", "approved", "declined" or "taken back".
        decided_by: which owner has decided.
        decided_at: when.
        reason: why.
    """

    number: str
    analyst: str
    text: str
    purpose: str | None
    why: str | None
    price: str
    epsilon: str
    at: str
    state: str
    decided_by: str | None
    decided_at: str | None
    reason: str | None


class Requests:
    """What waits for the owner."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.make(SCHEMA)

    def add(  # noqa: PLR0913 - what a request is, each by name
        self,
        analyst: str,
        question: str,
        *,
        texts: tuple[str, ...],
        purpose: str | None,
        why: str | None,
        price: str,
        epsilon: str,
    ) -> Request:
        """Ask the owner; a question that waits already is not asked twice."""
        with self._database.together():
            found = self.about(analyst, question)
            if found is not None and found.state == WAITING:
                return found
            ((waiting,),) = self._database.run(
                "SELECT count(*) FROM requests WHERE analyst = ? AND state = 'waiting'", analyst
            )
            if waiting >= MOST:
                raise InvalidParameter(f"{MOST} of your requests wait already: wait for the owner, or take some back")
            number = new_secret(128)
            self._database.run(
                "INSERT INTO requests (number, analyst, question, statements, purpose, why, price, epsilon, at, state) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting')",
                *(number, analyst, question, json.dumps(texts), purpose, why, price, epsilon, now()),
            )
        return self.of(number)

    def about(self, analyst: str, question: str) -> Request | None:
        """The last request for a question."""
        rows = self._database.run(
            f"SELECT {COLUMNS}, expires FROM requests "  # noqa: S608 - no input
            "WHERE analyst = ? AND question = ? ORDER BY at DESC, number LIMIT 1",
            *(analyst, question),
        )
        if not rows:
            return None
        *facts, expires = rows[0]
        gone = facts[8] == APPROVED and expires is not None and expires < time.time()
        return None if gone else _request(tuple(facts))

    def of(self, number: str) -> Request:
        """A request by its number."""
        rows = self._database.run(f"SELECT {COLUMNS} FROM requests WHERE number = ?", number)  # noqa: S608 - no input
        if not rows:
            raise InvalidParameter("there is no such request")
        return _request(rows[0])

    def all(self, *, analyst: str | None = None, waiting: bool = False, last: int = 100) -> tuple[Request, ...]:
        """Requests, the newest first.

        Args:
            analyst: whose; everybody's if left out.
            waiting: only those that nobody has decided.
            last: how many.
        """
        conditions = ["state = 'waiting'"] * waiting + ["analyst = ?"] * (analyst is not None)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        rows = self._database.run(
            f"SELECT {COLUMNS} FROM requests{where} ORDER BY at DESC, number LIMIT ?",  # noqa: S608 - no input
            *([] if analyst is None else [analyst]),
            last,
        )
        return tuple(map(_request, rows))

    def decide(self, number: str, state: str, *, by: str, reason: str | None) -> Request:
        """Approve, decline or take back a request that waits.

        Raises:
            InvalidParameter: somebody has decided already.
        """
        expires = time.time() + WEEK if state == APPROVED else None
        done = self._database.changed(
            "UPDATE requests SET state = ?, decided_by = ?, decided_at = ?, reason = ?, expires = ? "
            "WHERE number = ? AND state = 'waiting'",
            *(state, by, now(), reason, expires, number),
        )
        found = self.of(number)
        if not done:
            raise InvalidParameter(f"this request does not wait any more: it is {found.state}")
        return found


def _request(row: tuple[Any, ...]) -> Request:
    number, analyst, statements, *more = row
    return Request(number, analyst, "\n".join(json.loads(statements)), *more)


def now() -> str:
    """The time for people, ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
