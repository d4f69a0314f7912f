"""Schedule: who takes part in which step of a training, and what all steps and each part of them cost."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from privet.asking.budget import Budget
from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.learn.linear_plan import gaussian_privacy
from privet.learn.step_noise import noisy_steps
from privet.loss import PrivacyLoss
from privet.mechanisms.correlated_noise import CorrelatedNoise
from privet.mechanisms.correlated_steps import CorrelatedSteps, InTurns
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.noisy_steps import NoisySteps, Steps, rate_near

MOST_KEPT = 1 << 25  # numbers of earlier steps that are kept, of both kinds together
SHOWN = 20  # in how many parts steps by chance are made and recorded, at least, so that an interrupt loses few


@dataclass(frozen=True)
class Size:
    """What a schedule is made for, all of it public.

    Args:
        units: how many there are, about.
        batch: how many take part in a step, on average.
        numbers: how many parameters there are.
    """

    units: int
    batch: int
    numbers: int


@dataclass(frozen=True)
class Reach:
    """How far one unit moves a sum.

    Args:
        length: of what one entry adds, at most.
        entries: how many it has, which take part by themselves.
        replaced: whether neighbors have a unit replaced.
    """

    length: int
    entries: int
    replaced: bool


@dataclass(frozen=True)
class Rest:
    """Steps that are made now.

    Args:
        schedule: of all.
        steps: how many of them.
    """

    schedule: "Schedule"
    steps: int

    def spent(self, done: int) -> PrivacyLoss:
        """Of all so far."""
        return self.schedule.spent(done)


class Schedule(ABC):
    """All steps of a training."""

    @property
    @abstractmethod
    def steps(self) -> int:
        """How many there are."""

    @property
    @abstractmethod
    def rate(self) -> Fraction:
        """Which share of the units takes part in a step, on average."""

    goes_on: ClassVar[bool] = True
    """Whether another process can make the steps that are left."""

    @property
    @abstractmethod
    def noise(self) -> Gaussian:
        """Of a sum."""

    @property
    @abstractmethod
    def mechanisms(self) -> Sequence[Any]:
        """All that is drawn, to be paid for together."""

    @property
    @abstractmethod
    def loss(self) -> PrivacyLoss:
        """Of all steps."""

    @abstractmethod
    def spent(self, done: int) -> PrivacyLoss:
        """Of the first so many."""

    @abstractmethod
    def parts(self, done: int, count: int) -> list[Mechanism[Any, Any]]:
        """So many steps after those that are done, in parts that are drawn one after the other."""

    @abstractmethod
    def steps_of(self, part: Any) -> int:  # noqa: ANN401 - one of its mechanisms
        """How many steps a part has."""

    @abstractmethod
    def left(self, loss: PrivacyLoss) -> int:
        """How many steps can be made with what is left of a plan by a process that has made none."""

    @abstractmethod
    def trained(self, steps: Steps[int]) -> Any:  # noqa: ANN401 - what its mechanisms take
        """What the mechanisms draw of."""


@dataclass(frozen=True)
class ByChance(Schedule):
    """Every unit takes part in each step by a coin of its own."""

    plan: NoisySteps[Any]

    @classmethod
    def of(cls, budget: Budget, size: Size, reach: Reach, *, steps: int | None, epochs: Fraction | None) -> "ByChance":
        """The steps of the least noise."""
        rate = rate_near(size.batch / size.units)
        number = steps if steps is not None else max(1, round((epochs or 1) / rate))
        length = reach.length * reach.entries
        plan = noisy_steps(budget, steps=number, rate=rate, length=length, rows=reach.entries, replaced=reach.replaced)
        return cls(plan)

    @property
    def steps(self) -> int:
        """As planned."""
        return self.plan.steps

    @property
    def rate(self) -> Fraction:
        """Of each step."""
        return self.plan.rate

    @property
    def noise(self) -> Gaussian:
        """The same in each step."""
        return self.plan.noise

    @property
    def mechanisms(self) -> Sequence[Any]:
        """One, drawn in parts."""
        return [self.plan]

    @property
    def loss(self) -> PrivacyLoss:
        """As composed."""
        return self.plan.loss

    def spent(self, done: int) -> PrivacyLoss:
        """So many equal ones."""
        return self.plan.spent(done)

    def parts(self, done: int, count: int) -> list[Mechanism[Any, Any]]:  # noqa: ARG002 - wherever they begin
        """Of equal size."""
        size = max(1, min(count, self.plan.steps // SHOWN))
        found: list[Mechanism[Any, Any]] = [self.plan.of(size) for _ in range(count // size)]
        return [*found, self.plan.of(count % size)] if count % size else found

    def steps_of(self, part: Any) -> int:  # noqa: ANN401 - see above
        """As it says."""
        return int(part.steps)

    def left(self, loss: PrivacyLoss) -> int:
        """As many as have all their curves."""
        here = dict(loss.parts)
        return min(here.get(curve, 0) // times for curve, times in self.plan.step_loss.parts)

    def trained(self, steps: Steps[int]) -> Any:  # noqa: ANN401 - see above
        """The steps themselves."""
        return steps


@dataclass(frozen=True)
class TakingTurns(Schedule):
    """Every unit takes part once a round, in a step of its own draw that stays the same, under correlated noise."""

    plan: CorrelatedSteps[Any]
    goes_on: ClassVar[bool] = False
    turns: InTurns[Any] = field(default_factory=lambda: InTurns(None), compare=False, repr=False)  # type: ignore[arg-type] # filled by `trained`

    @classmethod
    def of(
        cls, budget: Budget, size: Size, reach: Reach, *, steps: int | None, epochs: Fraction | None
    ) -> "TakingTurns":
        """The bands of the least expected error, as far as sums of so many earlier steps can be kept."""
        turns = max(1, round(size.units / size.batch))
        number = steps if steps is not None else max(1, round((epochs or 1) * turns))
        kept = max(1, min(number, MOST_KEPT // (2 * size.numbers)))
        correlation = CorrelatedNoise.best(
            steps=number, participations=math.ceil(number / turns), separation=turns, most_bands=kept
        )
        mu = gaussian_privacy(budget)
        return cls(CorrelatedSteps.planned(correlation, reach.length, mu, rows=reach.entries, replaced=reach.replaced))

    @property
    def steps(self) -> int:
        """As planned."""
        return self.plan.correlation.steps

    @property
    def rate(self) -> Fraction:
        """One part of a round."""
        return Fraction(1, self.plan.correlation.separation)

    @property
    def noise(self) -> Gaussian:
        """Of a release, before it is read."""
        return self.plan.noise

    @property
    def mechanisms(self) -> Sequence[Any]:
        """Round by round."""
        return list(self.plan.by_round)

    @property
    def loss(self) -> PrivacyLoss:
        """As composed."""
        return self.plan.loss

    def spent(self, done: int) -> PrivacyLoss:
        """Of all rounds that are begun."""
        rounds = -(-done // self.plan.correlation.separation)
        return self.plan.of(0, rounds).loss if rounds else PrivacyLoss()

    def parts(self, done: int, count: int) -> list[Mechanism[Any, Any]]:
        """Whole rounds."""
        turns, last = self.plan.correlation.separation, done + count
        if self.turns.step != done:
            raise InvalidParameter(
                "a round was interrupted, whose noise later rounds would have taken back: they cannot be made; plan a "
                "new training"
            )
        if last % turns and last != self.steps:
            raise InvalidParameter(
                f"steps in turns are made in whole rounds: steps must be a multiple of {turns}, got {count}"
            )
        return [self.plan.of(each, each + 1) for each in range(done // turns, -(-last // turns))]

    def steps_of(self, part: Any) -> int:  # noqa: ANN401 - see above
        """Those of a round."""
        return int(part.steps)

    def left(self, loss: PrivacyLoss) -> int:
        """All or none: what later steps take back is in the memory of the process that made the earlier ones."""
        return self.steps if dict(loss.parts) == dict(self.loss.parts) else 0

    def trained(self, steps: Steps[int]) -> Any:  # noqa: ANN401 - see above
        """The steps, with the turns and the sums that are remembered."""
        self.turns.trained = steps
        return self.turns
