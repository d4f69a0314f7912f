"""LinearClassifier: what logistic regression and support vectors share: one plan, one charge, one map of rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from privet.asking.payment import Payment
from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.learn.centered_rows import Centered, CenteredRows, HalfDiagonal, UnitRows
from privet.learn.features import Ball, Box, Floats
from privet.learn.fitting import Draws
from privet.learn.linear_plan import LinearPlan, Setting, linear_plan
from privet.learn.noisy_descent import STEPS, NoisyDescent
from privet.learn.private_estimator import PrivateClassifier
from privet.learn.rows import Rows
from privet.loss import Neighbors
from privet.loss.exact import Exact, exact, shown
from privet.mechanisms.linear_loss import LinearLoss, SoftmaxLoss
from privet.mechanisms.perturbed_minimiser import LabeledRows
from privet.mechanisms.row_products import row_products

STYLES = ("objective", "output", "gradient")
TWO = 2  # classes are one question
Plan = LinearPlan | NoisyDescent


class LinearClassifier(PrivateClassifier):
    """A classifier whose scores are linear in rows that were centered and shortened to a length."""

    bounds: Any
    norm: Any
    perturbation: str
    penalty: Exact | None
    fit_intercept: bool
    _one_for_each_class: ClassVar[bool] = False

    def _row_loss(self, classes: int) -> LinearLoss:
        """The loss of a row, of one model."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Release where the rows lie, then parameters with noise; both are paid for at once."""
        fitting = self._begin(X, y, groups=groups)
        columns, width = self._columns(), self._width(self.n_features_in_)
        setting = self._setting(fitting.payment, width)
        plan = self._plan(setting)
        draws = fitting.reserve(plan.mechanisms)
        read = ReadOnce(columns)
        where = _where(draws, plan, read)
        self._rows = read.mapped = CenteredRows(columns, where, setting.intercept)
        self._parameters = np.vstack(
            [
                _parameters(draws, plan, read.of_class(at if setting.models > 1 else None), where.count)
                for at in range(setting.models)
            ]
        )
        self._row_loss_ = setting.row_loss
        self._keep_slopes()
        self._keep_receipt(fitting, plan.loss, mechanism=plan.described, public=self._public())
        return self

    def decision_function(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """Scores of rows that are shortened as those of the fit were: one a row for two classes, else one a class."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ANN401, N803 - scikit-learn's names
        """The class with the largest score, for every row."""
        scores = self._scores(X)
        places = (scores[:, 0] > 0).astype(np.int64) if scores.shape[1] == 1 else scores.argmax(axis=1)
        found: NDArray[Any] = self.classes_[places]
        return found

    def _scores(self, features: Any) -> Floats:  # noqa: ANN401 - rows of any kind
        check_is_fitted(self)
        scores = row_products(self._rows.rows(self._matrix(features)), self._parameters.T)
        if isinstance(self._row_loss_, SoftmaxLoss):
            scores = row_products(scores, self._row_loss_.basis.T)
        return np.asarray(scores)

    # --- from the parameters ------------------------------------------------------------------------------------

    def _columns(self) -> UnitRows:
        """What makes rows of length at most 1 of X."""
        mapped = self._map()
        return HalfDiagonal(mapped, self.n_features_in_) if isinstance(mapped, Box) else mapped

    def _width(self, columns: int) -> int:
        """How many numbers these rows have."""
        return columns

    def _longest(self, width: int) -> float:
        """The largest number in them."""
        return 1.0 if self._said("bounds") is None else 1 / HalfDiagonal.reach_of(width)

    def _plan(self, setting: Setting) -> Plan:
        """The releases; a ρ that noise in the objective cannot keep is spent on noise in gradients."""
        descends = self.perturbation == "gradient" or (setting.budget.rho is not None and not setting.concentrated)
        return NoisyDescent.plan(setting) if descends else linear_plan(setting)

    def _setting(self, payment: Payment, width: int) -> Setting:
        """What decides about the noise; refuses what cannot be."""
        if self.perturbation not in STYLES:
            raise InvalidParameter(f"perturbation must be one of {', '.join(STYLES)}, got {shown(self.perturbation)}")
        penalty = None if self.penalty is None else exact(self.penalty, "penalty")
        if penalty is not None and penalty <= 0:
            raise InvalidParameter(f"penalty must be > 0, got {shown(self.penalty)}: without one nothing is private")
        if payment.price.budget is None:
            raise InvalidParameter("say what a model may cost with epsilon, epsilon and delta, rho or risk")
        classes = len(self._labels())
        several = classes > TWO and self._one_for_each_class
        return Setting(
            budget=payment.price.budget,
            row_loss=self._row_loss(TWO if several else classes),
            width=width,
            longest=self._longest(width),
            intercept=bool(self.fit_intercept),
            models=classes if several else 1,
            moved=self._most_rows(),
            replaced=payment.unit.neighbors is Neighbors.REPLACE,
            penalty=penalty,
            output=self.perturbation == "output",
        )

    def _keep_slopes(self) -> None:
        """Keep slopes and constants in the data's unit, which predict the same for rows that are not shortened."""
        parameters = self._parameters
        if isinstance(self._row_loss_, SoftmaxLoss):
            parameters = self._row_loss_.basis @ parameters
        slopes, constants = self._rows.unwound(parameters)
        columns = self._rows.columns
        if isinstance(columns, HalfDiagonal):
            slopes = slopes / (columns.reach * columns.box.half)
            constants = constants - slopes @ columns.box.middle
        elif isinstance(columns, Ball):
            slopes = slopes / float(columns.radius)
        self.coef_, self.intercept_ = slopes, constants

    def _public(self) -> Mapping[str, str]:
        """What was taken to be public."""
        size = "one pair for each column" if self._said("bounds") is not None else f"rows of length {self.norm}"
        named = "bounds" if self._said("bounds") is not None else "norm"
        return {named: size, "classes": f"{len(self.classes_)} labels", "penalty": "of the sum of losses"}

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The noise, and how far it moves a score if all rows agree."""
        setting = self._setting(payment, self._width(columns))
        plan = self._plan(setting)
        told = {"made by": plan.described, "penalty": f"{float(plan.penalty):.4g}, of the sum of losses"}
        told["noise"] = f"about {plan.length:.4g} long, against a sum over all rows of what each adds, at most 1"
        if rows is not None:
            told["noise in the mean"] = f"{plan.length / rows:.2g} of what a row can add"
        return told


@dataclass
class ReadOnce:
    """Rows, read by the first release and kept for the others of the same fit."""

    columns: UnitRows
    mapped: CenteredRows | None = None
    _kept: tuple[Floats, NDArray[np.int64]] | None = field(default=None, repr=False)
    _seen: Floats | None = field(default=None, repr=False)

    def unit(self, rows: Rows) -> tuple[Floats, NDArray[np.int64]]:
        """Rows of length at most 1, and their classes."""
        if self._kept is None:
            features, codes = rows.read_pairs()
            self._kept = self.columns.unit(features), codes
        return self._kept

    def of_class(self, place: int | None) -> Callable[[Rows], LabeledRows]:
        """What computes the rows of one model: those of a class against all others, or all classes."""

        def labeled(rows: Rows) -> LabeledRows:
            unit, codes = self.unit(rows)
            if self._seen is None and self.mapped is not None:
                self._seen = self.mapped.around(unit)
            seen = unit if self._seen is None else self._seen
            return LabeledRows(seen, codes if place is None else (codes == place).astype(np.int64))

        return labeled


def _where(draws: Draws, plan: Plan, read: ReadOnce) -> Centered:
    """Where the rows lie: the first release, if there is one."""
    centering, noise = plan.setting.centering, plan.center
    if noise is None:
        return Centered.nothing(centering.width)
    moved = centering.sensitivity(noise)
    found = draws.release(lambda rows: centering.sums(read.unit(rows)[0], noise), moved, noise)
    return centering.read(found.value, noise)


def _parameters(draws: Draws, plan: Plan, labeled: Callable[[Rows], LabeledRows], count: float) -> Floats:
    """The parameters of one model."""
    if isinstance(plan, LinearPlan):
        moved = Sensitivity(plan.setting.rows)
        return np.asarray(draws.release(labeled, moved, plan.minimiser).value, dtype=np.float64)
    place = np.zeros((plan.setting.row_loss.outputs, plan.setting.columns))
    for _ in range(STEPS):
        found = draws.release(plan.gradients_at(place, labeled), plan.sensitivity, plan.step)
        place = plan.moved(place, found.value, count)
    return place
