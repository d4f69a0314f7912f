"""Progress: how far a long audit is, on a terminal."""

import sys
import time

SILENCE = 2.0  # seconds before anything is shown
PAUSE = 0.2  # seconds between two lines
WIDE = 30


class Progress:
    """Tells how many of so many runs are done, from two seconds on, where somebody sees it.

    Args:
        runs: how many there will be, at most.
        shown: True to show it, None to show it if the standard error is a terminal.
    """

    def __init__(self, runs: int, *, shown: bool | None = None) -> None:
        self._runs = max(runs, 1)
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._done = 0
        self._began = self._last = time.monotonic()
        self._written = False

    def step(self, runs: int) -> None:
        """So many runs more are done."""
        self._done += runs
        now = time.monotonic()
        if self._shown and now - self._began > SILENCE and now - self._last > PAUSE:
            share = min(self._done / self._runs, 1.0)
            bar = "━" * round(share * WIDE)
            sys.stderr.write(f"\raudit {bar:<{WIDE}} {share:4.0%}  {now - self._began:.0f} s")
            sys.stderr.flush()
            self._last, self._written = now, True

    def end(self) -> None:
        """Nothing more is shown."""
        if self._written:
            sys.stderr.write("\r" + " " * (WIDE + 24) + "\r")
            sys.stderr.flush()
