"""PostgresStore: a collector's rows in a PostgreSQL, for several processes on several machines.

PostgreSQL numbers transactions and keeps old versions of rows until it has vacuumed; so whoever reads its files sees
which nonces and which counts one batch wrote, until the period is closed. SQLite keeps neither.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, LiteralString

import psycopg
from psycopg import Connection

from privet.server.collector.store import (
    Held,
    Kept,
    PeriodState,
    Published,
    Store,
    StoreUnavailable,
    TokenRow,
    counted,
    without_order,
)

SENTENCE = "the collector's database cannot be used now: nothing was acknowledged; try again later"
LOCK = 7_284_113  # one process makes the tables
TABLES: LiteralString = """
CREATE SCHEMA IF NOT EXISTS privet_collector;
SET search_path TO privet_collector;
CREATE TABLE IF NOT EXISTS collection (id bytea PRIMARY KEY, text text NOT NULL, signature text NOT NULL,
    state text NOT NULL);
CREATE TABLE IF NOT EXISTS period (collection bytea, period bigint, day text, tally text,
    PRIMARY KEY (collection, period));
CREATE TABLE IF NOT EXISTS nonce (collection bytea, period bigint, nonce bytea,
    PRIMARY KEY (collection, period, nonce));
CREATE TABLE IF NOT EXISTS held (collection bytea, period bigint, shard bigint, payload bytea, times bigint NOT NULL,
    PRIMARY KEY (collection, period, shard, payload));
CREATE TABLE IF NOT EXISTS shown (collection bytea, period bigint, reports bigint, tally text NOT NULL,
    PRIMARY KEY (collection, period, reports));
CREATE TABLE IF NOT EXISTS released (collection bytea, first bigint, last bigint, result text NOT NULL,
    PRIMARY KEY (collection, first));
CREATE TABLE IF NOT EXISTS token (hashed bytea PRIMARY KEY, scopes text NOT NULL, expires bigint NOT NULL);
"""
DELETE: dict[str, LiteralString] = {
    "nonce": "DELETE FROM nonce WHERE collection = %s",
    "held": "DELETE FROM held WHERE collection = %s",
    "shown": "DELETE FROM shown WHERE collection = %s",
    "released": "DELETE FROM released WHERE collection = %s",
    "period": "DELETE FROM period WHERE collection = %s",
}
OF_PERIOD: LiteralString = " AND period = %s"
HELD: LiteralString = (
    "SELECT payload, sum(times)::bigint FROM held WHERE collection = %s AND period = %s GROUP BY payload"
)


class PostgresStore(Store):
    """Rows in the schema `privet_collector` of a database.

    Args:
        url: such as postgresql://collector@db.example/surveys.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self._lock = threading.RLock()
        self._rows: Connection[tuple[Any, ...]] | None = None
        with self._transaction() as rows:
            rows.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            rows.execute(TABLES)

    @contextmanager
    def _transaction(self) -> Iterator[Connection[tuple[Any, ...]]]:
        with self._lock, self._told():
            rows = self._connected()
            with rows.transaction():
                yield rows

    def _connected(self) -> Connection[tuple[Any, ...]]:
        if self._rows is None or self._rows.closed:
            self._rows = psycopg.connect(self._url, autocommit=True, connect_timeout=10)
            self._rows.execute("SET search_path TO privet_collector")
            self._rows.execute("SET synchronous_commit TO on")
        return self._rows

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error:
            if self._rows is not None:
                with suppress(psycopg.Error):
                    self._rows.close()
            raise StoreUnavailable(SENTENCE) from None

    # --- reports ----------------------------------------------------------------------------------------------

    def keep(self, reports: Sequence[Kept]) -> set[tuple[bytes, int]]:
        """Count these reports, each nonce once."""
        wanted = sorted({(each.collection, each.period) for each in reports})
        with self._transaction() as rows:
            closed = {key for key in wanted if not self._takes(rows, key)}
            offered = {
                each[:3]: each for each in without_order(reports) if (each.collection, each.period) not in closed
            }
            found = rows.execute(
                "INSERT INTO nonce SELECT * FROM unnest(%s::bytea[], %s::bigint[], %s::bytea[]) "
                "ON CONFLICT DO NOTHING RETURNING collection, period, nonce",
                [[key[place] for key in offered] for place in range(3)],
            ).fetchall()
            new = counted(offered[bytes(name), period, bytes(nonce)] for name, period, nonce in found)
            rows.execute(
                "INSERT INTO held SELECT c, p, %s, y, n FROM "
                "unnest(%s::bytea[], %s::bigint[], %s::bytea[], %s::bigint[]) AS new(c, p, y, n) "
                "ON CONFLICT (collection, period, shard, payload) DO UPDATE SET times = held.times + excluded.times",
                [self.shard, *([row[place] for row in new] for place in range(4))],
            )
        return closed

    @staticmethod
    def _takes(rows: Connection[tuple[Any, ...]], key: tuple[bytes, int]) -> bool:
        """Whether a period takes reports; it is not closed while they are counted."""
        state = rows.execute("SELECT state FROM collection WHERE id = %s FOR SHARE", key[:1]).fetchone()
        if state != ("open",):
            return False
        rows.execute("INSERT INTO period VALUES (%s, %s) ON CONFLICT DO NOTHING", key)
        asked: LiteralString = "SELECT day FROM period WHERE collection = %s AND period = %s FOR SHARE"
        return rows.execute(asked, key).fetchone() == (None,)

    def held(self, collection: bytes, period: int) -> Held:
        """The reports of a period that is open."""
        with self._transaction() as rows:
            return Held.of(rows.execute(HELD, (collection, period)).fetchall())

    def closing(self, collection: bytes, period: int) -> Held | None:
        """Begin to close a period; the lock is held until it is closed or left open."""
        self._lock.acquire()
        try:
            with self._told():
                rows, key = self._connected(), (collection, period)
                rows.execute("BEGIN")
                rows.execute("INSERT INTO period VALUES (%s, %s) ON CONFLICT DO NOTHING", key)
                asked: LiteralString = "SELECT day FROM period WHERE collection = %s AND period = %s FOR UPDATE"
                still = rows.execute(asked, key).fetchone() == (None,)
                held = Held.of(rows.execute(HELD, key).fetchall()) if still else None
        except BaseException:
            self.leave_open()
            raise
        if held is None:
            self.leave_open()
        return held

    def leave_open(self) -> None:
        """Undo `closing`."""
        try:
            if self._rows is not None and not self._rows.closed:
                with suppress(psycopg.Error):
                    self._rows.execute("ROLLBACK")
        finally:
            self._lock.release()

    def close_period(self, collection: bytes, period: int, *, day: str, tally: str) -> None:
        """Keep the tally, delete reports and nonces, and have their place overwritten."""
        rows, key = self._connected(), (collection, period)
        try:
            with self._told():
                for table in ("nonce", "held", "shown"):
                    rows.execute(DELETE[table] + OF_PERIOD, key)
                change: LiteralString = "UPDATE period SET day = %s, tally = %s WHERE collection = %s AND period = %s"
                rows.execute(change, (day, tally, *key))
                rows.execute("COMMIT")
        except BaseException:
            self.leave_open()
            raise
        with suppress(psycopg.Error):
            rows.execute("VACUUM nonce, held, shown")
        self._lock.release()

    def periods(self, collection: bytes) -> list[PeriodState]:
        """Periods of which there is anything."""
        with self._transaction() as rows:
            asked: LiteralString = "SELECT period, day, tally FROM period WHERE collection = %s ORDER BY period"
            found = rows.execute(asked, (collection,)).fetchall()
        return [PeriodState(period, day is not None, day, tally) for period, day, tally in found]

    # --- collections ------------------------------------------------------------------------------------------

    def publish(self, collection: bytes, text: str, signature: str) -> None:
        """Add a collection."""
        with self._transaction() as rows:
            rows.execute("INSERT INTO collection VALUES (%s, %s, %s, 'open')", (collection, text, signature))

    def published(self) -> list[tuple[bytes, Published]]:
        """All collections, in the order of their ids."""
        with self._transaction() as rows:
            found = rows.execute("SELECT id, text, signature, state FROM collection ORDER BY id").fetchall()
        return [(bytes(name), Published(*facts)) for name, *facts in found]

    def set_state(self, collection: bytes, state: str) -> None:
        """Close a collection for good, or delete all that it holds."""
        with self._transaction() as rows:
            rows.execute("UPDATE collection SET state = %s WHERE id = %s", (state, collection))
            if state == "deleted":
                for statement in DELETE.values():
                    rows.execute(statement, (collection,))

    def forget_tally(self, collection: bytes, period: int) -> None:
        """Delete the counts of a closed period."""
        with self._transaction() as rows:
            change: LiteralString = "UPDATE period SET tally = NULL WHERE collection = %s AND period = %s"
            rows.execute(change, (collection, period))

    # --- results ----------------------------------------------------------------------------------------------

    def release(self, collection: bytes, first: int, last: int, result: str) -> bool:
        """Keep the one result of a range of periods; False if it overlaps another."""
        with self._transaction() as rows:
            rows.execute("SELECT 1 FROM collection WHERE id = %s FOR UPDATE", (collection,))
            overlap: LiteralString = "SELECT 1 FROM released WHERE collection = %s AND first <= %s AND last >= %s"
            if rows.execute(overlap, (collection, last, first)).fetchone() is not None:
                return False
            rows.execute("INSERT INTO released VALUES (%s, %s, %s, %s)", (collection, first, last, result))
            forget: LiteralString = "UPDATE period SET tally = NULL WHERE collection = %s AND period BETWEEN %s AND %s"
            rows.execute(forget, (collection, first, last))
        return True

    def releases(self, collection: bytes) -> list[tuple[int, int, str]]:
        """What was released."""
        asked: LiteralString = "SELECT first, last, result FROM released WHERE collection = %s ORDER BY first"
        with self._transaction() as rows:
            return [(first, last, result) for first, last, result in rows.execute(asked, (collection,)).fetchall()]

    def show(self, key: tuple[bytes, int], reports: int, tally: str, *, beyond: int) -> None:
        """Keep a live tally as it is shown."""
        newer: LiteralString = "SELECT 1 FROM shown WHERE collection = %s AND period = %s AND reports > %s"
        lock: LiteralString = "SELECT 1 FROM period WHERE collection = %s AND period = %s FOR UPDATE"
        with self._transaction() as rows:
            rows.execute(lock, key)
            if rows.execute(newer, (*key, beyond)).fetchone() is None:
                rows.execute("INSERT INTO shown VALUES (%s, %s, %s, %s)", (*key, reports, tally))

    def shown(self, collection: bytes, period: int) -> list[tuple[int, str]]:
        """What was shown live."""
        asked: LiteralString = "SELECT reports, tally FROM shown WHERE collection = %s AND period = %s ORDER BY reports"
        with self._transaction() as rows:
            return [(reports, tally) for reports, tally in rows.execute(asked, (collection, period)).fetchall()]

    # --- tokens -----------------------------------------------------------------------------------------------

    def add_token(self, hashed: bytes, scopes: str, expires: int) -> None:
        """Add a token."""
        with self._transaction() as rows:
            rows.execute("INSERT INTO token VALUES (%s, %s, %s)", (hashed, scopes, expires))

    def token(self, hashed: bytes) -> TokenRow | None:
        """What a token may."""
        with self._transaction() as rows:
            found = rows.execute("SELECT scopes, expires FROM token WHERE hashed = %s", (hashed,)).fetchone()
        return None if found is None else TokenRow(*found)

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            if self._rows is not None:
                self._rows.close()
