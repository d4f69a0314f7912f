"""Pace: answers leave at public times, so that how long one took tells little."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager


class Pace:
    """Rounds the time that an answer takes up to public steps; refusals and failures keep the same ones.

    Args:
        steps: seconds that grow; after the last, whole times of it. None: everything leaves at once.
        clock: seconds that never go back.
        sleep: waits for so many of them.

    Privacy: who waits sees the number of the step, not the time. What decides the step may still depend on data: with
        the first step longer than nearly every statement takes, nearly nothing is seen.
    Not covered: how busy the machine is for others meanwhile; the time that the network takes.

    Example:
        >>> pace = Pace([0.5, 2])
        >>> pace.left(0.25), pace.left(0.5), pace.left(1.5), pace.left(5)
        (0.25, 0.0, 0.5, 1.0)
    """

    def __init__(
        self,
        steps: Sequence[float] | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._steps = tuple(map(float, steps or ()))
        self._clock = clock
        self._sleep = sleep

    def left(self, taken: float) -> float:
        """How long to wait after something has taken so long."""
        if not self._steps:
            return 0.0
        last = self._steps[-1]
        step = next((each for each in self._steps if taken <= each), last * math.ceil(taken / last))
        return step - taken

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let what is done within end at a step, whether it gives or raises."""
        began = self._clock()
        try:
            yield
        finally:
            if self._steps:
                self._sleep(self.left(self._clock() - began))
