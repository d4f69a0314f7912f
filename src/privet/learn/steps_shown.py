"""StepsShown: what is seen of a training while it runs: a bar with the ε so far, or lines."""

import sys
import time
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from privet.core.silence import is_computing
from privet.loss import PrivacyLoss
from privet.mechanisms.noisy_steps import Steps

PATIENCE = 2.0  # seconds before anything is shown
LOOKS = 20  # how often ε is computed, at most
Out = TypeVar("Out")


class Foreseen(Protocol):
    """How many steps there are, and what the first of them cost."""

    @property
    def steps(self) -> int:
        """All that will be made."""

    def spent(self, done: int) -> PrivacyLoss:
        """Of so many steps, those before these among them."""


class StepsShown:
    """A bar on the standard error, if that is a terminal and the training takes more than two seconds.

    Args:
        plan: the steps.
        delta: at which the ε so far is told; None or 0 for no ε.
        done: how many steps ran before, in another process.
        verbose: True for lines on the standard error, terminal or not; False for a bar.
        quiet: True for nothing at all.

    Privacy: how many steps have run is public, and so is their price. How long they take is not covered, see
        `NoisySteps`. Of a training within a search nothing is shown: how many there are must stay hidden.
    """

    def __init__(
        self,
        plan: Foreseen,
        *,
        delta: float | None = None,
        done: int = 0,
        verbose: bool = False,
        quiet: bool = False,
    ) -> None:
        self.plan, self.delta, self.done, self.verbose = plan, delta, done, verbose
        self.total = done + plan.steps
        self._begun = time.monotonic()
        self._console = Console(stderr=True)
        self._shows = not quiet and not is_computing() and (verbose or sys.stderr.isatty())
        self._every = max(1, plan.steps // LOOKS)
        self._said = done
        self._bar: Progress | None = None

    @classmethod
    def silent(cls, plan: Foreseen) -> "StepsShown":
        """Nothing is shown."""
        return cls(plan, quiet=True)

    def __enter__(self) -> Self:
        self._begun = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def tick(self) -> None:
        """One more step has run."""
        self.done += 1
        if not self._shows or time.monotonic() - self._begun < PATIENCE:
            return
        told = self.done == self.total or self.done - self._said >= self._every
        if self.verbose:
            if told:
                self._said = self.done
                self._console.print(f"step {self.done:,} of {self.total:,}{self._price()}", highlight=False)
            return
        if self._bar is None:
            self._bar = self._started()
            told = True
        words = {}
        if told:
            self._said, words = self.done, {"description": f"training{self._price()}"}
        self._bar.update(self._task, completed=self.done, **words)  # type: ignore[arg-type] # a description is a text

    def _started(self) -> Progress:
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total} steps"))
        bar = Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=self._console, transient=True)
        self._task = bar.add_task("training", total=self.total)
        bar.start()
        return bar

    def _price(self) -> str:
        if not self.delta:
            return ""
        return f", ε = {self.plan.spent(self.done).epsilon(self.delta):.3g} so far"


class Watched:
    """What is trained, with each step told to who shows it."""

    def __init__(self, trained: Steps[Out], shown: StepsShown) -> None:
        self.trained, self.shown = trained, shown

    @property
    def units(self) -> Any:  # noqa: ANN401 - whatever the training has
        """Those of the training."""
        return self.trained.units

    def summed(self, chosen: NDArray[np.intp]) -> NDArray[Any]:
        """The training's sum."""
        return self.trained.summed(chosen)

    def move(self, released: NDArray[np.float64]) -> None:
        """Move the training."""
        self.trained.move(released)
        self.shown.tick()

    def released(self) -> Any:  # noqa: ANN401 - whatever the training has
        """What the training releases."""
        return self.trained.released()
