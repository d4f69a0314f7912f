"""Watched steps: what noisy steps release as they run, told to whoever audits the training."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Watcher: TypeAlias = Callable[[Any, Any, NDArray[np.float64]], None]
"""Takes the `NoisySteps`, what is trained, before it moves, and the noisy sum that was released."""

_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched_steps(watcher: Watcher) -> Iterator[None]:
    """Tell a watcher of every step that runs within.

    Args:
        watcher: must look at released sums and at places alone, which are paid for. What is trained holds the rows too:
            it is there so that an audit can say what its own canaries would have added at this place. Give the
            training invented rows. Its sums are read-only, and if it raises, the training fails in the usual words.

    Privacy: the proof of `NoisySteps` is of all noisy sums, not of the last place alone. So an attacker may see them.
    """
    before = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(before)


def tell_watcher(steps: Any, trained: Any, released: NDArray[np.float64]) -> None:  # noqa: ANN401 - any training
    """Tell whoever watches, if anybody does."""
    watcher = _WATCHER.get()
    if watcher is not None:
        seen = released.view()
        seen.flags.writeable = False
        watcher(steps, trained, seen)
