"""Many analysts at once, by HTTP, the PostgreSQL wire and the agents' door, while processes are killed."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.killed_postgres import data_of, kill_and_start, kill_backend, postmaster
from tests.support.load import ByAgents, ByHttp, ByWire, Load
from tests.support.postgres import MISSING, server
from tests.support.running_server import RunningServer, running_server
from tests.support.settled import PRICE, brought_back, settled

pytestmark = pytest.mark.whole

ANALYSTS = {f"analyst{number}": None for number in range(8)} | {"capped": "0.05", "poor": "0.01"}
DOORS = (ByHttp, ByWire)
LATER = 10**9  # the first key of a second load
BETWEEN = 1.0  # seconds at most from an answer to the next kill


@contextmanager
def places(kind: str) -> Iterator[tuple[dict[str, Any], Path | None]]:
    """Where ledger and accounts are: in files, or in a PostgreSQL, whose folder it is."""
    if kind == "sqlite":
        yield {}, None
        return
    with server() as address:
        if address is None:
            pytest.skip(MISSING)
        data = data_of(address)
        join = "&" if "?" in address else "?"
        yield {"ledger": f"{address}{join}ledger=people", "people": address}, data
        with suppress(OSError, ProcessLookupError):  # whoever has started it may not know it any more
            os.kill(postmaster(data), signal.SIGINT)


def test_many_at_once_and_killed_workers(tmp_path: Path) -> None:
    with running_server(tmp_path, analysts=ANALYSTS, workers=2) as running:
        quiet = Load(running, tuple(ANALYSTS), DOORS, 16)
        quiet.run(3)
        settled(running, quiet, caps=ANALYSTS)
        stormy = Load(running, tuple(ANALYSTS), DOORS, 8, first=LATER)
        draw = random.Random(3)  # noqa: S311 - when to kill
        stormy.run(600, meanwhile=killing(stormy, [lambda: kill_worker(running, draw)], 3, draw))
        settled(running, quiet, stormy, caps=ANALYSTS, lost=True)
        assert brought_back(running, stormy, ANALYSTS) > 0


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_sixty_four_connections_for_a_minute(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    with places(kind) as (said, _), running_server(tmp_path, analysts=ANALYSTS, workers=2, **said) as running:
        load = Load(running, tuple(ANALYSTS), (ByHttp, ByWire, ByHttp, ByAgents), 64)
        took = load.run(60)
        with capsys.disabled():
            print(f"\n{kind}: {load.figures(took)}")  # noqa: T201 - figures for whoever runs it
        settled(running, load, caps=ANALYSTS)
        assert brought_back(running, load, ANALYSTS) > 0


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_hundred_kills(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(100)  # noqa: S311 - when to kill
    with places(kind) as (said, data), running_server(tmp_path, analysts=ANALYSTS, workers=2, **said) as running:
        load = Load(running, tuple(ANALYSTS), DOORS, 16)
        victims: list[Callable[[], object]] = [lambda: kill_worker(running, draw)]
        if data is not None:
            victims += [lambda: kill_backend(data), lambda: kill_worker(running, draw), lambda: kill_and_start(data)]
        took = load.run(6000, meanwhile=killing(load, victims, 100, draw))
        charged = settled(running, load, caps=ANALYSTS, lost=True)
        known = sum(heard.paid for heard in load.heard.values())
        with capsys.disabled():
            told = f"{load.figures(took)}; {sum(charged.values()) / PRICE} charged, {known} of them known"
            print(f"\n{kind}, 100 kills: {told}")  # noqa: T201 - figures for whoever runs it
        assert brought_back(running, load, ANALYSTS) > 0


def killing(load: Load, victims: Sequence[Callable[[], object]], times: int, draw: random.Random) -> Callable[[], None]:
    """What kills at so many random moments, and waits in between until everybody may have been answered again."""

    def kill() -> None:
        for turn in range(times):
            time.sleep(draw.uniform(0, BETWEEN))
            victims[turn % len(victims)]()
            before, end = load.replies, time.monotonic() + 90
            while load.replies <= before + load.connections and time.monotonic() < end:
                time.sleep(0.05)
        load.stop.set()

    return kill


def kill_worker(running: RunningServer, draw: random.Random) -> None:
    """Kill one of the processes that answer, without any cleaning up."""
    with suppress(ProcessLookupError):
        os.kill(draw.choice(running.workers()), signal.SIGKILL)
