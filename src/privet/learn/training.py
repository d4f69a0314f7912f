"""Training: a plan of noisy steps that is drawn in segments, each recorded before it runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.core import Sensitivity
from privet.learn.fitting import Draws
from privet.learn.rows import Rows
from privet.learn.steps_shown import StepsShown, Watched
from privet.mechanisms.noisy_steps import NoisySteps, Steps

State = Mapping[str, NDArray[Any]]
"""Where a training is: arrays that follow from what was released, by name. `steps` counts the steps that led there."""


@dataclass(frozen=True)
class Training:
    """What is trained, and how it is drawn.

    Args:
        plan: all steps.
        begin: what holds the rows and goes on from a state; called once a segment has been paid for.
        segments: in how many draws, where there are as many steps.
        keep: called with each state that is reached; for checkpoints.
        shown: what is seen meanwhile.

    Privacy: each segment is a draw of its own from the plan: it is recorded before it runs, and never again. What comes
        of it is the next state. So whatever ends it, no more steps run than were paid for.
    """

    plan: NoisySteps[State]
    begin: Callable[[Rows, State], Steps[State]]
    segments: int = 1
    keep: Callable[[State], None] | None = None
    shown: StepsShown | None = None

    @property
    def parts(self) -> tuple[NoisySteps[State], ...]:
        """The segments, in order."""
        return tuple(self.plan.of(each) for each in shares(self.plan.steps, self.segments))

    def run(self, draws: Draws, start: State) -> State:
        """Draw what the plan has, from a state on; return the last one.

        Args:
            draws: the plan, paid for.
            start: from public or released numbers.
        """
        state, moved = start, Sensitivity(self.plan.noise.l2_sensitivity, l2=self.plan.noise.l2_sensitivity)
        shown = StepsShown.silent(self.plan) if self.shown is None else self.shown
        with shown:
            for part in self.parts:
                here = state
                found = draws.release(lambda rows: Watched(self.begin(rows, here), shown), moved, part)  # noqa: B023 - called at once
                state = {**found.value, "steps": np.array(int(here.get("steps", 0)) + part.steps)}
                if self.keep is not None:
                    self.keep(state)
        return state


def shares(steps: int, segments: int) -> list[int]:
    """How many steps each segment has: as equal as can be, none empty.

    Example:
        >>> shares(10, 4), shares(2, 5)
        ([2, 3, 2, 3], [1, 1])
    """
    ends = [steps * at // segments for at in range(segments + 1)]
    return [end - start for start, end in pairwise(ends) if end > start]
