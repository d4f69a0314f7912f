"""SearchShown: what is seen of a search while it runs: that it runs, and for how long."""

import sys
import threading
from typing import Self

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from privet.core.silence import is_computing

PATIENCE = 2.0  # seconds before anything is shown
WORDS = "searching; how far it is stays hidden"


class SearchShown:
    """A spinner on the standard error, if that is a terminal and the search takes more than two seconds.

    Privacy: it turns by the clock and knows nothing of the runs.
    """

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._ended = False
        self._turn = threading.Lock()
        self._timer = threading.Timer(PATIENCE, self._begin)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and not is_computing():
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._turn:
            self._ended = True
            if self._bar is not None:
                self._bar.stop()

    def _begin(self) -> None:
        with self._turn:
            if self._ended:
                return
            console = Console(stderr=True)
            self._bar = Progress(
                SpinnerColumn(), TextColumn(WORDS), TimeElapsedColumn(), console=console, transient=True
            )
            self._bar.add_task(WORDS, total=None)
            self._bar.start()
