"""NetworkModel: what networks share: one plan, one charge, one map of rows, one training."""

import math
import os
from collections.abc import Mapping
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.payment import Payment
from privet.errors import AnswerLost, InvalidParameter
from privet.learn.centered_rows import NEAR, Centered, Centering
from privet.learn.checkpoint import Checkpoint, plain
from privet.learn.features import Ball, Floats
from privet.learn.first_parameters import first_parameters
from privet.learn.fitting import Fitting, budget_of, replaces
from privet.learn.network_plan import MOMENTUM, NetworkPlan, NetworkSetting, network_plan
from privet.learn.network_rows import NetworkColumns, ReadOnce, WithinBall, blocks
from privet.learn.network_steps import NetworkSteps, StepRule, begun
from privet.learn.paid_training import LOST, PaidTraining, lasting
from privet.learn.private_estimator import PrivateEstimator
from privet.learn.row_clipping import RowClipping
from privet.learn.rows import Rows
from privet.learn.spread_rows import SpreadRows, WholeBox
from privet.learn.steps_shown import StepsShown
from privet.learn.training import State, Training
from privet.learn.whole_network import WholeNetwork
from privet.loss.exact import exact_within, whole
from privet.mechanisms.noisy_steps import NoisySteps, rate_near

MOST_UNITS = 1 << 14
SEGMENTS = 50  # in how many draws the steps are made where each is kept: a run that is killed loses one
UNKNOWN = 0.5  # how long rows are taken to be about where the release that says so is lost
UNBOUND = ("checkpoint", "ledger", "verbose")  # parameters that a later run may change
BLOCK = 1 << 12  # rows at a time


class NetworkModel(PrivateEstimator):
    """A model whose parameters are trained by noisy steps.

    Subclasses say what their rows are (`_columns`, `_width`), their hidden layers and their classes.
    """

    clipping: Any
    rate: Any
    steps: Any
    learning_rate: Any
    expected_rows: Any
    checkpoint: Any
    verbose: Any

    # --- what subclasses say ------------------------------------------------------------------------------------

    def _columns(self) -> NetworkColumns:
        """What makes rows of length at most 1 of X."""
        mapped = self._map()
        return WithinBall(mapped) if isinstance(mapped, Ball) else WholeBox(mapped)

    def _longest(self, width: int) -> float:
        """The largest number in these rows, of X with so many columns."""
        return 1.0 if self._said("norm") is not None else WholeBox.longest_of(width)

    def _width(self, columns: int) -> int:
        """How many numbers these rows have."""
        return columns

    def _mapped(self, features: Floats) -> NDArray[Any]:
        """Rows of X as `_columns` takes them: for a map that is made once, in blocks, and kept in few bytes."""
        return features

    def _hidden(self) -> tuple[int, ...]:
        """The units of each hidden layer."""
        return ()

    def _activation(self) -> str:
        """The activation between layers."""
        return "identity"

    def _classes(self) -> int:
        """How many classes are told apart; 0 for a number."""
        raise NotImplementedError

    def _target(self, target: NDArray[Any]) -> Floats:
        """What outputs are compared with: places of classes, or numbers in [-1, 1]."""
        return target.astype(np.float64)

    # --- the fit ------------------------------------------------------------------------------------------------

    def _train(self, fitting: Fitting) -> None:
        """Release where the rows lie, then run the steps; keep what they led to."""
        columns = self._columns()
        setting = self._setting(fitting.payment, self.n_features_in_, grouped=fitting.rows.owners is not None)
        plan = network_plan(setting)
        kept = self._checkpoint(fitting.payment, setting)
        paid = PaidTraining.of(fitting, plan, kept)
        try:
            read = ReadOnce(columns, self._mapped, self._target)
            self._rows = SpreadRows(columns, self._where(fitting, plan, paid, read), columns.longest)
            self._network = self._made_network(self._rows)
            first = begun(first_parameters(self._network, self._usual), setting.clipping)
            if kept is not None:
                kept.refuse_misfit(first, steps=plan.steps.steps)
            self._keep(self._run(fitting, plan, paid, read, first))
            paid.finish()
        finally:
            paid.done()
        self._keep_receipt(fitting, plan.loss, mechanism=self._described(plan), public=self._public(plan))

    def _where(self, fitting: Fitting, plan: NetworkPlan, paid: PaidTraining, read: ReadOnce) -> Centered:
        """Where the rows lie: released now, or by an earlier run; public numbers where that run lost its answer."""
        if paid.kept is not None and paid.kept.where is not None:
            return paid.kept.where
        centering = plan.setting.centering
        if not paid.looks or paid.draws is None:
            count = fitting.public_length or plan.setting.expected or 1.0
            return Centered(np.zeros(centering.width), NEAR * UNKNOWN, float(count))
        found = paid.draws.release(
            lambda rows: read.sums(rows, centering, plan.look), centering.sensitivity(plan.look), plan.look
        )
        where = centering.read(found.value, plan.look)
        if paid.kept is not None:
            paid.kept.keep_where(where)
        return where

    def _run(self, fitting: Fitting, plan: NetworkPlan, paid: PaidTraining, read: ReadOnce, first: State) -> State:
        """Run the steps that are left, from where the last run came to; return where they led."""
        kept, setting = paid.kept, plan.setting
        state = first if kept is None or kept.present is None else kept.present
        if paid.draws is None or not paid.steps:
            if state is first:
                raise AnswerLost(LOST.format(path=getattr(kept, "path", "")))
            return state
        rule = self._rule(plan, float(fitting.public_length or self._rows.where.count))

        def begin(rows: Rows, present: State) -> NetworkSteps:
            return NetworkSteps(self._network, read.whole(rows, self._rows), setting.clipping, rule, present)

        left = plan.steps.of(paid.steps)
        shown = self._shown(fitting, plan, left)
        if kept is None:
            return Training(left, begin, shown=shown).run(paid.draws, state)
        segments = math.ceil(SEGMENTS * paid.steps / plan.steps.steps)
        return Training(left, begin, segments, kept.keep, shown).run(paid.draws, state)

    def _checkpoint(self, payment: Payment, setting: NetworkSetting) -> Checkpoint | None:
        """The file of the training, if one was asked for; it is bound to all parameters that matter."""
        path = self._said("checkpoint")
        if path is None:
            return None
        if not isinstance(path, str | os.PathLike):
            raise InvalidParameter(f"checkpoint must be the name of a file, got {type(path).__name__}")
        lasting(payment)  # before there is a file
        said = {name: value for name, value in self.get_params(deep=False).items() if name not in UNBOUND}
        names = getattr(self, "feature_names_in_", ())
        facts = plain([type(self).__name__, said, names, self.n_features_in_, setting])
        return Checkpoint(path, sha256(repr(facts).encode()).hexdigest(), width=setting.centering.width)

    def _made_network(self, rows: SpreadRows) -> WholeNetwork:
        classes = self._classes()
        sizes = (rows.width, *self._hidden(), 1 if classes <= 2 else classes)  # noqa: PLR2004 - yes or no
        return WholeNetwork(sizes, self._activation(), rows.reach, rows.bits, classes)

    @property
    def _usual(self) -> float:
        """About how long rows are, as the network sees them."""
        return self._rows.where.spread / NEAR * 2.0**self._rows.doublings

    def _rule(self, plan: NetworkPlan, rows: float) -> StepRule:
        """How parameters move, from public and released numbers."""
        said = self._said("learning_rate")
        rate = plan.learning_rate(rows, self._usual, classes=self._classes() > 0) if said is None else float(said)
        return StepRule(rate, MOMENTUM, max(rows * float(plan.steps.rate), 1.0))

    def _shown(self, fitting: Fitting, plan: NetworkPlan, left: NoisySteps[State]) -> StepsShown:
        promise = fitting.budget.promise
        delta = float(getattr(promise, "delta", 0)) or None
        done = plan.steps.steps - left.steps
        return StepsShown(left, delta=delta, done=done, verbose=bool(self._said("verbose")))

    def _keep(self, state: State) -> None:
        """Keep the average of the last parameters."""
        self._parameters = np.array(state["average"])
        self.n_iter_ = int(state["steps"])
        slopes = [(weights.copy(), constants.copy()) for weights, constants in self._network.parts(self._parameters)]
        self.coefs_, self.intercepts_ = [each for each, _ in slopes], [each for _, each in slopes]

    def _scores(self, features: Any) -> Floats:  # noqa: ANN401 - rows of any kind
        """The outputs for every row, exact, so that none depends on another."""
        mapped = self._mapped(self._matrix(features))
        rows = self._rows.whole(mapped)
        layers = self._network.layers(self._parameters)
        return np.concatenate(
            [self._network.values(layers, rows[part].astype(np.float64))[-1] for part in blocks(len(rows))]
        )

    # --- from the parameters ------------------------------------------------------------------------------------

    def _setting(self, payment: Payment, columns: int, *, grouped: bool = False) -> NetworkSetting:
        """What decides about the noise; refuses what cannot be."""
        width, rows = self._width(columns), self._most_rows()
        replaced = replaces(payment)
        rate, steps, expected = self._said("rate"), self._said("steps"), self._said("expected_rows")
        if self._said("learning_rate") is not None:
            exact_within(self.learning_rate, "learning_rate", low=0, high=10**6)
        for each in self._hidden():
            whole(each, "hidden_layer_sizes")
        if not all(each <= MOST_UNITS for each in self._hidden()):
            raise InvalidParameter(f"hidden_layer_sizes must be at most {MOST_UNITS} each")
        return NetworkSetting(
            budget=budget_of(payment),
            centering=Centering(width, self._longest(columns), rows, replaced),
            clipping=RowClipping.of(self._said("clipping")),
            moved=1 if grouped else rows,
            replaced=replaced,
            expected=None if expected is None else whole(expected, "expected_rows"),
            rate=None if rate is None else _rate(rate),
            steps=None if steps is None else whole(steps, "steps"),
        )

    def _described(self, plan: NetworkPlan) -> str:
        return f"{plan.steps.steps} NoisySteps"

    def _public(self, plan: NetworkPlan) -> Mapping[str, str]:
        """What was taken to be public."""
        named = "norm" if self._said("norm") is not None else "bounds"
        size = f"rows of length {self._said('norm')}" if named == "norm" else "one pair for each column"
        told = {named: size, "rate": f"{float(plan.steps.rate):.4g} of the rows in each of {plan.steps.steps} steps"}
        if self._said("classes") is not None:
            told["classes"] = f"{self._classes()} labels"
        if self._said("target_bounds") is not None:
            told["target_bounds"] = "of y"
        if self._said("expected_rows") is not None:
            told["expected_rows"] = "about how many rows there are"
        return told

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The steps and their noise, and how large it is beside the sum of gradients."""
        plan = network_plan(self._setting(payment, columns))
        told = {
            "steps": f"{plan.steps.steps}, each over {float(plan.steps.rate):.4g} of the rows, drawn by chance",
            "noise": f"{plan.noise:.4g} a step, in every parameter; a row's gradient is at most 1 long",
        }
        if rows is not None:
            told["noise in the mean"] = f"{plan.noise / max(rows * float(plan.steps.rate), 1.0):.2g} a step"
        return told


def _rate(rate: Any) -> Fraction:  # noqa: ANN401 - a parameter
    exact_within(rate, "rate", low=0, high=1)
    return rate_near(float(rate))
