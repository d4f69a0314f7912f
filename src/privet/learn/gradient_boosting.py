"""GradientBoosting: what both kinds share: one random tree after the other, each told by the ones before."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.asking.payment import Payment
from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.learn.column_cuts import SHARE, ColumnCuts
from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.noise_parts import NoiseParts, deviation
from privet.learn.objective import Objective
from privet.learn.private_estimator import PrivateEstimator
from privet.learn.random_trees import DEEPEST, Questions, RandomTrees, columns_of
from privet.learn.rows import Rows
from privet.loss import Neighbors
from privet.loss.exact import shown, whole
from privet.loss.privacy_loss import sum_of
from privet.noise import Entropy

GAUSSIAN, PURE = 400, 50  # trees by default
Plan: TypeAlias = list[Mechanism[Any, Any]]
MOST_TREES = 2000
LARGEST = 1.0  # step of a leaf before the learning rate


@dataclass
class Training:
    """The rows while they are learned from: secret, made by the first release and dropped with the fit."""

    columns: Floats = field(repr=False)
    target: NDArray[Any] = field(repr=False)
    scores: Floats = field(repr=False)


class GradientBoosting(PrivateEstimator):
    """Each tree asks random questions; in its leaves lie the slopes of the loss, given all trees before."""

    @abstractmethod
    def _objective(self, classes: int) -> Objective:
        """What rows say, of so many classes."""

    def _whole_target(self, target: NDArray[Any]) -> NDArray[Any]:
        """The target as the objective takes it."""
        return target

    def _boost(self, fitting: Fitting, *, public: Mapping[str, str]) -> None:
        """Pay for everything, then release one tree after the other."""
        questions = Questions.of(self._box(), self._said("categories"))
        parts = NoiseParts.of(fitting.budget)
        trees, depth, rate, penalty = self._shape(parts)
        objective = self._objective(len(getattr(self, "classes_", ())))
        cuts = ColumnCuts.of(questions, fitting)
        share = (1 - SHARE if cuts.columns else Fraction(1)) / trees
        moved = objective.sensitivity(fitting.moved_rows, replaces=fitting.replaces)
        noise = parts.noise(share, moved)
        first = [parts.noise(SHARE, cuts.sensitivity)] if cuts.columns else []
        plan: Plan = [*first, *[noise] * trees]
        draws = fitting.reserve(plan)
        for each in first:
            found = draws.release(lambda rows: cuts.exact(rows.read_pairs()[0]), cuts.sensitivity, each).value
            questions = cuts.asked(np.asarray(found, dtype=np.float64), deviation(each))
        self.trees_ = RandomTrees.drawn(questions, trees=trees, depth=depth, source=Entropy())
        self.leaf_values_ = np.zeros((trees, 1 << depth, objective.outputs))
        training: list[Training] = []
        for tree in range(trees):
            release = draws.release(lambda rows, tree=tree: self._sums(rows, tree, training, objective), moved, noise)  # type: ignore[misc] # of one argument
            slopes, curves, wide = objective.read(np.asarray(release.value, dtype=np.float64), deviation(noise))
            if objective.cautious:
                slopes *= sure(slopes, wide)
            steps = slopes / np.maximum(np.maximum(curves, 0.0) + penalty * wide, 1e-9)
            self.leaf_values_[tree] = rate * np.clip(steps, -LARGEST, LARGEST)
        loss = sum_of(each.loss for each in plan).under(fitting.payment.unit.neighbors)
        told = {"bounds": f"of {self.n_features_in_} columns", "number of trees": str(trees), **public}
        if self._said("categories") is not None:
            told["categories"] = "of columns"
        self._keep_receipt(fitting, loss, mechanism=f"{trees} × {noise!r}", public=told)

    def _sums(self, rows: Rows, tree: int, training: list[Training], objective: Objective) -> NDArray[np.int64]:
        """The exact sums [leaf, number] of what rows say to a tree, once they know the tree before."""
        if not training:
            features, target = rows.read_pairs()
            scores = np.zeros((objective.outputs, len(features)))
            training.append(Training(columns_of(features), self._whole_target(target), scores))
        (state,) = training
        if tree:
            before = self.trees_.leaves(state.columns, tree - 1)
            state.scores += self.leaf_values_[tree - 1].T[:, before]
        leaves = self.trees_.leaves(state.columns, tree).astype(np.intp)
        cells = 1 << self.trees_.depth
        said = objective.statements(state.scores, state.target)
        return np.column_stack([np.bincount(leaves, weights=each, minlength=cells) for each in said]).astype(np.int64)

    def _shape(self, parts: NoiseParts) -> tuple[int, int, float, float]:
        """Trees, depth, learning rate and penalty, as said or by default."""
        said = self._said("n_estimators")
        trees = (GAUSSIAN if parts.gaussian else PURE) if said is None else whole(said, "n_estimators")
        depth = whole(self._said("max_depth"), "max_depth")
        if trees > MOST_TREES or depth > DEEPEST:
            raise InvalidParameter(
                f"n_estimators must be at most {MOST_TREES} and max_depth at most {DEEPEST}: more leaves hold no rows"
            )
        rate, penalty = self._said("learning_rate"), self._said("penalty")
        for name, value in (("learning_rate", rate), ("penalty", penalty)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 100:  # noqa: PLR2004 - any reason
                raise InvalidParameter(f"{name} must be a number between 0 and 100, got {shown(value)}")
        return trees, depth, float(rate), float(penalty)

    def _scores(self, X: Any) -> Floats:  # noqa: ANN401, N803 - rows of any kind
        """The scores [row, output] of rows to predict."""
        rows = self._matrix(X)
        return self.trees_.total(rows, self.leaf_values_)

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The number of trees and the noise on a leaf."""
        told = dict(super()._foresee(payment, columns=columns, rows=rows))
        if payment.price.budget is None:
            return told
        parts = NoiseParts.of(payment.price.budget)
        trees, depth, *_ = self._shape(parts)
        labels = self._said("classes")
        objective = self._objective(0 if labels is None else len(labels))
        moved = objective.sensitivity(self._most_rows(), replaces=payment.unit.neighbors is Neighbors.REPLACE)
        noise = parts.noise((1 - SHARE) / trees, moved)
        *_, wide = objective.read(np.zeros((1, 2 * objective.outputs)), deviation(noise))
        slope = f"about ±{wide:.3g} rows that are wrong for sure"
        return {"trees": f"{trees} of depth {depth}", "noise on the slope of a leaf": slope, **told}


def sure(slopes: Floats, deviation: float) -> float:
    """Return how much of a tree's slopes is more than noise: the estimate of James and Stein, 0 where nothing is."""
    noise = deviation**2 * max(slopes.size - 2, 1)
    return max(0.0, 1.0 - noise / max(float((slopes**2).sum()), 1e-300))
