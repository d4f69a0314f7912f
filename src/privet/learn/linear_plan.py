"""LinearPlan: which releases a linear classifier is made of, and how much noise each has, from public numbers."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privet.asking.budget import Budget
from privet.errors import InvalidParameter
from privet.learn.centered_rows import Centering
from privet.loss import ConcentratedGuarantee, GaussianCurve, Guarantee, PrivacyLoss, calibrated_scale
from privet.loss.exact import Exact
from privet.loss.privacy_loss import sum_of
from privet.mechanisms.cube_noise import CubeNoise
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.linear_loss import LinearLoss
from privet.mechanisms.objective_perturbation import ObjectivePerturbation
from privet.mechanisms.output_perturbation import OutputPerturbation
from privet.mechanisms.perturbed_minimiser import SOLVED_PART, PerturbedMinimiser

CENTERING = 0.1  # the share of μ² that says where the rows lie; pure noise takes twice that of ε
EARLY = 0.6  # from which part of ε the bend should be free, so that it is nearly so in sums with other noise
BENDING = 0.05  # the part of ε that the bend may cost where it is never free
LESS = 1.005  # by how much noise grows from try to try
TRIES = 2000
LIGHTEST = 1 / 8  # the least penalty that is chosen, in the scale of the noise

Kind = type[ObjectivePerturbation] | type[OutputPerturbation]


@dataclass(frozen=True)
class Setting:
    """What decides about noise, all of it public.

    Args:
        budget: what the model may cost.
        row_loss: the loss of a row.
        width: how many numbers a row has, without the constant.
        longest: the largest of them.
        intercept: whether a constant is added, and rows are centered first.
        models: how many models are fitted, one for each class or one.
        moved: how many rows a unit can move.
        replaced: whether it replaces them.
        penalty: what was asked for; None for a choice.
        output: True for noise on the minimiser, False for noise in the objective.
    """

    budget: Budget
    row_loss: LinearLoss
    width: int
    longest: float
    intercept: bool
    models: int
    moved: int
    replaced: bool
    penalty: Exact | None
    output: bool

    @property
    def centering(self) -> Centering:
        """The first release."""
        return Centering(self.width, self.longest, self.moved, self.replaced)

    @property
    def columns(self) -> int:
        """How many numbers a row has in the end."""
        return self.width + int(self.intercept)

    @property
    def rows(self) -> int:
        """How many rows a unit comes to, in a chain of neighbors."""
        return self.moved * (2 if self.replaced else 1)

    @property
    def concentrated(self) -> bool:
        """Whether the minimiser can have Gaussian privacy, as a ρ needs."""
        return self.output or self.row_loss.sharpness is not None

    def minimiser(self, scale: float, penalty: float, *, gaussian: bool) -> PerturbedMinimiser:
        """The mechanism of one model."""
        kind: Kind = OutputPerturbation if self.output else ObjectivePerturbation
        return kind(
            self.row_loss,
            self.columns,
            penalty=penalty,
            scale=scale,
            gaussian=gaussian,
            moved=self.moved,
            replaced=self.replaced,
        )


@dataclass(frozen=True)
class LinearPlan:
    """What is released.

    Args:
        setting: what it was made for.
        center: the noise of the first release; None if there is none.
        minimiser: the mechanism of each model.
    """

    setting: Setting
    center: Gaussian | CubeNoise | None
    minimiser: PerturbedMinimiser

    @property
    def mechanisms(self) -> list[Gaussian | CubeNoise | PerturbedMinimiser]:
        """All of them, in order."""
        first = [] if self.center is None else [self.center]
        return [*first, *[self.minimiser] * self.setting.models]

    @property
    def loss(self) -> PrivacyLoss:
        """Of all."""
        return sum_of(each.loss for each in self.mechanisms)

    @property
    def penalty(self) -> Fraction:
        """Of the squared parameters."""
        return self.minimiser.penalty

    @property
    def length(self) -> float:
        """About how long the noise is, beside a sum over rows."""
        made = self.minimiser
        count = made.width * made.row_loss.outputs
        length = float(made.scale) * math.sqrt(count if made.gaussian else count * (count + 1))
        return length * (float(made.penalty) if self.setting.output else 1.0)

    @property
    def described(self) -> str:
        """What it is, in words."""
        return type(self.minimiser).__name__

    def kept(self) -> bool:
        """Whether the budget is."""
        promise = self.setting.budget.promise
        if isinstance(promise, ConcentratedGuarantee):
            return self.loss.zcdp() <= promise.rho
        if not self.minimiser.gaussian:
            return self.loss.largest_loss <= promise.epsilon
        return self.loss.meets(promise)


@lru_cache(maxsize=256)
def linear_plan(setting: Setting) -> LinearPlan:
    """Return the plan with the least noise, normal or not.

    Privacy: the noise grows until the composed loss is checked to keep the promise.
    """
    promise = setting.budget.promise
    plans = []
    if isinstance(promise, ConcentratedGuarantee) or promise.delta:
        plans.append(_normal(setting))
    if isinstance(promise, Guarantee):
        plans.append(_pure(setting, promise.epsilon))
    return min(plans, key=lambda plan: plan.length)


def _pure(setting: Setting, epsilon: Fraction) -> LinearPlan:
    share = Fraction(2 * CENTERING) if setting.intercept else Fraction(0)
    center = setting.centering.pure(share * epsilon) if share else None
    each = (1 - share) * epsilon / setting.models / (1 + Fraction(1, SOLVED_PART**2))
    row = float(each / setting.rows)
    if setting.output:
        penalty = _asked(setting) or float(setting.row_loss.trace) * 4 / row
        scale = float(setting.row_loss.reach) / penalty / row
    else:
        share_needed = setting.row_loss.pure_share
        usual = float(share_needed) / row if share_needed else _bent(setting, float(each) / setting.moved)
        penalty = _asked(setting) or usual * (1 + 2.0**-20)  # still enough when the scale has grown a little
        free = share_needed is not None and penalty * row >= float(share_needed)
        left = row if free else (float(each) / setting.moved - _bend(setting, penalty)) * setting.moved / setting.rows
        if left <= 0:
            raise InvalidParameter("penalty is too small for this price: raise it, or leave it out for one that fits")
        scale = float(setting.row_loss.reach) / left
    return _grown(setting, center, scale, penalty, gaussian=False)


def _normal(setting: Setting) -> LinearPlan:
    mu = gaussian_privacy(setting.budget)
    share = CENTERING if setting.intercept else 0.0
    center = setting.centering.gaussian(mu * math.sqrt(share)) if share else None
    each = mu * math.sqrt((1 - share) / setting.models / (1 + 1 / SOLVED_PART**2)) * (1 - 1e-9)
    row = each / setting.rows
    reach = float(setting.row_loss.reach)
    if setting.output:
        penalty = _asked(setting) or 4 * float(setting.row_loss.trace) / row
        return _grown(setting, center, reach / penalty / row, penalty, gaussian=True)
    sharp = setting.row_loss.sharpness
    exact = None if sharp is None else 2 * float(sharp) / row**2 * (1 + 2.0**-40)
    epsilon = setting.budget.epsilon
    if epsilon is None or setting.models > 1 or setting.moved > 1:
        usual = exact or _bent(setting, float(epsilon or row) / setting.models)
    elif sharp is not None and not setting.replaced:
        usual = float(sharp) / (EARLY * float(epsilon) + row**2 / 2)
    else:
        usual = _bent(setting, float(epsilon))
    return _grown(setting, center, reach / row, _asked(setting) or usual, gaussian=True)


def _grown(
    setting: Setting, center: Gaussian | CubeNoise | None, scale: float, penalty: float, *, gaussian: bool
) -> LinearPlan:
    """The plan with this scale, or the next larger one that keeps the budget."""
    for _ in range(TRIES):
        enough = penalty if setting.penalty is not None or setting.output else max(penalty, scale * LIGHTEST)
        plan = LinearPlan(setting, center, setting.minimiser(scale, enough, gaussian=gaussian))
        if plan.kept():
            return plan
        scale *= LESS if gaussian else 1 + 2.0**-40
    raise InvalidParameter("no noise keeps this price with this penalty: raise the penalty, or leave it out")


def _asked(setting: Setting) -> float | None:
    return None if setting.penalty is None else float(setting.penalty)


def _bend(setting: Setting, penalty: float) -> float:
    """About how much a row moves the logarithm of the determinant, from above."""
    outputs = setting.row_loss.outputs
    return outputs * math.log1p(float(setting.row_loss.trace) / outputs / penalty) * (1 + 1e-9)


def _bent(setting: Setting, epsilon: float) -> float:
    """The penalty at which the bend costs `BENDING` of ε, or log(1 + ε) at most where that is less."""
    outputs, trace = setting.row_loss.outputs, float(setting.row_loss.trace)
    return max(trace / outputs / math.expm1(min(BENDING * epsilon / outputs, 100.0)), trace / epsilon)


@lru_cache(maxsize=256)
def gaussian_privacy(budget: Budget) -> float:
    """The μ that keeps the budget."""
    promise = budget.promise
    if isinstance(promise, ConcentratedGuarantee):
        return math.sqrt(2 * float(promise.rho)) * (1 - 1e-12)
    return 1 / calibrated_scale(lambda scale: PrivacyLoss.of(GaussianCurve(1 / Fraction(scale))), promise)
