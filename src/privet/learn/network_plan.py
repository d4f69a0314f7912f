"""NetworkPlan: how many steps with which noise a network is trained by, from public numbers alone."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from privet.asking.budget import Budget
from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.learn.centered_rows import Centering
from privet.learn.linear_plan import gaussian_privacy
from privet.learn.row_clipping import ONE, RowClipping
from privet.learn.step_noise import noisy_steps
from privet.loss import PrivacyLoss
from privet.mechanisms import Gaussian
from privet.mechanisms.noisy_steps import NoisySteps, rate_near

LOOK = 0.05  # the share of μ² that says where the rows lie, and how many they are
STEPS_OF_SAMPLES, STEPS_OF_ALL = 320, 100
USUAL_RATE = 1 / 8  # where nobody says how many rows to expect
FEW, BATCH = 4096, 4096  # rows up to which all take part in every step; how many do on average where there are more
MOMENTUM = 0.9
WALK = (0.3, 1.0)  # how far noise moves an output in the end, about, of numbers in [-1, 1] and of scores of classes
FASTEST = (0.2, 1.0)  # the learning rates of the two where there is next to no noise


@dataclass(frozen=True)
class NetworkSetting:
    """What decides about noise, all of it public.

    Args:
        budget: what the model may cost.
        centering: the first release.
        clipping: of gradients.
        moved: how many rows of a unit take part independently: 1 with groups, which take part as a whole.
        replaced: whether neighbors have a unit replaced.
        expected: how many rows there are about; None if nobody says.
        rate: what was asked for; None for a choice.
        steps: the same.
    """

    budget: Budget
    centering: Centering
    clipping: RowClipping
    moved: int
    replaced: bool
    expected: int | None
    rate: Fraction | None
    steps: int | None

    @property
    def chosen_rate(self) -> Fraction:
        """The rate; a ρ knows no chance, so there everybody takes part."""
        if self.rate is not None:
            return self.rate
        if self.budget.rho is not None:
            return Fraction(1)
        if self.expected is None:
            return rate_near(USUAL_RATE)
        return Fraction(1) if self.expected <= FEW else rate_near(BATCH / self.expected)

    @property
    def chosen_steps(self) -> int:
        """The steps."""
        if self.steps is not None:
            return self.steps
        return STEPS_OF_ALL if self.chosen_rate == 1 else STEPS_OF_SAMPLES


@dataclass(frozen=True)
class NetworkPlan:
    """What is released: where the rows lie, then the steps.

    Args:
        setting: what it was made for.
        look: the noise of the first release.
        steps: the training.
    """

    setting: NetworkSetting
    look: Gaussian
    steps: NoisySteps[Any]

    @property
    def mechanisms(self) -> Iterable[Mechanism[Any, Any]]:
        """All of them, in order."""
        return [self.look, self.steps]

    @property
    def loss(self) -> PrivacyLoss:
        """Of all."""
        return self.look.loss + self.steps.loss

    @property
    def step_loss(self) -> PrivacyLoss:
        """Of one step."""
        return self.steps.step_loss

    @property
    def noise(self) -> float:
        """The deviation of the noise of a sum, in lengths of a row's gradient."""
        return float(self.steps.noise.scale) / ONE

    def learning_rate(self, rows: float, usual: float, *, classes: bool) -> float:
        """The rate at which noise moves a row's outputs by about `WALK` until the end, or the fastest.

        Args:
            rows: about how many there are.
            usual: how long they are about.
            classes: whether outputs are scores of classes, not a number.
        """
        expected = max(rows * float(self.steps.rate), 1.0)
        walk = self.noise / expected * math.sqrt(self.steps.steps) * usual / (1 - MOMENTUM)
        return min(WALK[classes] / walk, FASTEST[classes])


@lru_cache(maxsize=256)
def network_plan(setting: NetworkSetting) -> NetworkPlan:
    """Return the plan with the least noise that keeps the budget."""
    if setting.budget.rho is None and not setting.budget.promise.delta:  # type: ignore[union-attr] # ε has a δ
        raise InvalidParameter("training by noisy steps needs a delta or a rho: its noise is Gaussian; say delta=1e-6")
    look = setting.centering.gaussian(gaussian_privacy(setting.budget) * math.sqrt(LOOK))
    steps = noisy_steps(
        setting.budget,
        steps=setting.chosen_steps,
        rate=setting.chosen_rate,
        length=setting.clipping.longest * setting.moved,
        rows=setting.moved,
        replaced=setting.replaced,
        beside=look.loss,
    )
    return NetworkPlan(setting, look, steps)
