"""blocks_shown: blocks of rows one after the other, with a bar where they take long."""

import sys
import time
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

PATIENCE = 2.0  # seconds before anything is shown


def blocks_shown(rows: int, block: int, doing: str) -> Iterator[slice]:
    """Yield blocks of so many rows; after two seconds a bar on the standard error says how far they are.

    Args:
        rows: how many there are.
        block: how many at a time.
        doing: what is done with them, for the bar.

    Privacy: the bar tells which share is done, and no number. How long it takes is not covered, see `NoisySteps`.

    Example:
        >>> [(each.start, each.stop) for each in blocks_shown(5, 2, "counting")]
        [(0, 2), (2, 4), (4, 6)]
    """
    begun, bar = time.monotonic(), None
    try:
        for start in range(0, rows, block):
            yield slice(start, start + block)
            if bar is None and time.monotonic() - begun > PATIENCE and sys.stderr.isatty():
                columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
                bar = Progress(*columns, console=Console(stderr=True), transient=True)
                bar.start()
                task = bar.add_task(doing, total=rows)
            if bar is not None:
                bar.update(task, completed=start + block)
    finally:
        if bar is not None:
            bar.stop()
