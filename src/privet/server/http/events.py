"""Events: the progress of a statement, as server-sent events whose times and sizes depend on no data."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

from privet.errors import PrivetError, ServiceFailed
from privet.query.remote.problems import problem_of
from privet.server.desk import Asked, AskedBatch
from privet.server.http.formats import asked_json
from privet.server.http.telling import UNFORESEEN, unforeseen
from privet.server.pace import Pace

T = TypeVar("T")
BEAT = 10.0  # seconds between signs of life


async def paced(ask: Callable[[], T], threads: CapacityLimiter, pace: Pace) -> T:
    """Ask in a thread, and end at a public step whatever came of it."""
    began = time.monotonic()
    try:
        return await to_thread.run_sync(ask, limiter=threads)
    finally:
        await asyncio.sleep(pace.left(time.monotonic() - began))


async def events(ask: Callable[[], Asked | AskedBatch], threads: CapacityLimiter, pace: Pace) -> AsyncIterator[str]:
    """`taken` at once, `running` every ten seconds, and at the end `answer` or `problem`.

    Privacy: between the first and the last there are only signs of life, at times of the clock: how far an engine is
        would tell about rows.
    """
    yield _event("taken", {})
    task = asyncio.ensure_future(paced(ask, threads, pace))
    while not (await asyncio.wait({task}, timeout=BEAT))[0]:
        yield _event("running", {})
    try:
        found = task.result()
    except PrivetError as error:
        yield _event("problem", problem_of(error))
    except Exception as error:  # noqa: BLE001 - whatever it is, nobody outside may see it
        unforeseen(error)
        yield _event("problem", problem_of(ServiceFailed(UNFORESEEN)))
    else:
        yield _event("answer", asked_json(found, whole=False))


def _event(name: str, facts: dict[str, Any]) -> str:
    """One event; JSON has no line breaks of its own."""
    return f"event: {name}\ndata: {json.dumps(facts)}\n\n"
