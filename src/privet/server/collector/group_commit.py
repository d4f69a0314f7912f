"""GroupCommit: reports that wait together, lose their order, and are acknowledged once they are durable."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from privet.server.collector.store import Kept, Store, StoreUnavailable

Closed = frozenset[tuple[bytes, int]]
WINDOW = 0.1  # seconds that the first report of a batch waits for others
MOST_WAITING = 20_000  # reports in memory; more are refused until some are durable
LEAST_OTHERS = 50  # so many are a batch without waiting on


class Overloaded(Exception):  # noqa: N818 - named for what happened
    """Too many reports wait: nothing was acknowledged."""


class Batch:
    """Reports that are committed together, and the one moment at which all of them are acknowledged."""

    __slots__ = ("done", "reports")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.reports: list[Kept] = []
        self.done: asyncio.Future[Closed] = loop.create_future()


class GroupCommit:
    """Makes reports durable in batches, one after the other.

    A batch waits for `window` seconds or `LEAST_OTHERS` reports, and for the batch before it. It is stored in an order
    that follows from the nonces alone, in one transaction, and all of its reports are acknowledged at the same moment.

    Args:
        store: where reports are kept; it is called from one thread.
        window: seconds.

    Privacy: in the store nothing tells which report of a batch came first. A batch may be one report if no other comes
        within the window: then its transaction is one report's, which SQLite forgets and PostgreSQL numbers.
    """

    def __init__(self, store: Store, *, window: float = WINDOW) -> None:
        self._store = store
        self._window = window
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="privet-commit")
        self._batch: Batch | None = None
        self._full: asyncio.Event | None = None
        self._task: asyncio.Task[None] | None = None
        self._waiting = 0

    async def keep(self, report: Kept) -> Closed:
        """Wait until the report is durable; which periods of its batch were closed.

        Raises:
            StoreUnavailable: if it is not durable.
            Overloaded: if too many wait.
        """
        if self._waiting >= MOST_WAITING:
            raise Overloaded
        batch = self._batch
        if batch is None:
            loop = asyncio.get_running_loop()
            batch = self._batch = Batch(loop)
            self._full = asyncio.Event()
            before = self._task
            self._task = loop.create_task(self._commit(batch, self._full, before))
        batch.reports.append(report)
        if len(batch.reports) == LEAST_OTHERS and self._full is not None:
            self._full.set()
        self._waiting += 1
        try:
            return await asyncio.shield(batch.done)
        finally:
            self._waiting -= 1

    async def _commit(self, batch: Batch, full: asyncio.Event, before: "asyncio.Task[None] | None") -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(full.wait(), self._window)
        if before is not None:
            await asyncio.wait([before])
        self._batch = None  # what comes now is of the next batch
        try:
            loop = asyncio.get_running_loop()
            closed = await loop.run_in_executor(self._thread, self._store.keep, batch.reports)
        except StoreUnavailable as problem:
            batch.done.set_exception(problem)
            batch.done.exception()  # who waited may have gone
        except BaseException:
            batch.done.set_exception(StoreUnavailable("the report was not counted"))
            batch.done.exception()
            raise
        else:
            batch.done.set_result(frozenset(closed))
        finally:
            batch.reports = []

    async def finish(self) -> None:
        """Wait for what is on its way."""
        if self._task is not None:
            await asyncio.wait([self._task])
        self._thread.shutdown()
