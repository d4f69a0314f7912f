"""Workers: a statement that has lost all of them is stopped. Spark itself would wait for new ones without end."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

PATIENCE = 300.0  # seconds that a statement waits for a worker
SETTING = "spark.privet.patience"  # the same, as set in spark-defaults.conf
PAUSE = 1.0  # seconds between two looks


@contextlib.contextmanager
def stopped_without_workers(context: Any, stop: Callable[[], None]) -> Iterator[None]:  # noqa: ANN401 - a SparkContext
    """While a statement runs: `stop` is called if there is no worker for so long."""
    if context.master.startswith("local"):
        yield
        return
    done = threading.Event()
    patience = float(context.getConf().get(SETTING, str(PATIENCE)).removesuffix("s"))
    watcher = threading.Thread(target=_watch, args=(context, stop, done, patience), name="privet-workers", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(context: Any, stop: Callable[[], None], done: threading.Event, patience: float) -> None:  # noqa: ANN401 - as above
    seen = time.monotonic()
    while not done.wait(PAUSE):
        if workers_of(context) > 0:
            seen = time.monotonic()
        elif time.monotonic() - seen > patience:
            stop()
            return


def workers_of(context: Any) -> int:  # noqa: ANN401 - a SparkContext
    """How many executors there are, besides the driver; 0 if Spark does not answer."""
    try:
        return int(context._jsc.sc().getExecutorMemoryStatus().size()) - 1  # noqa: SLF001 - it has no other name
    except Exception:  # noqa: BLE001 - it is gone
        return 0
