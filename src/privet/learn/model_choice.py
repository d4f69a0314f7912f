"""ModelChoice: which model to take for a table, by public numbers alone."""

import math
from dataclasses import dataclass
from typing import Any

from privet.errors import InvalidParameter
from privet.learn.gaussian_nb import GaussianNB
from privet.learn.gradient_boosting_classifier import GradientBoostingClassifier
from privet.learn.gradient_boosting_regressor import GradientBoostingRegressor
from privet.learn.linear_regression import LinearRegression
from privet.learn.linear_svc import LinearSVC
from privet.learn.logistic_regression import LogisticRegression
from privet.learn.private_estimator import PrivateEstimator
from privet.learn.random_forest_classifier import RandomForestClassifier
from privet.learn.random_forest_regressor import RandomForestRegressor
from privet.wording.nearest import nearest

CLASSIFIERS: dict[str, type[PrivateEstimator]] = {
    kind.__name__: kind
    for kind in (LogisticRegression, RandomForestClassifier, GradientBoostingClassifier, LinearSVC, GaussianNB)
}
REGRESSORS: dict[str, type[PrivateEstimator]] = {
    kind.__name__: kind for kind in (GradientBoostingRegressor, LinearRegression, RandomForestRegressor)
}
ENOUGH = 10  # rows times ε, over the root of the columns and the number of scores: from there on a line is better
ENOUGH_PURE = 12  # the same over the columns, where there is no δ
ENOUGH_NUMBERS = 100  # rows times ε over the columns, for a line without a δ


@dataclass(frozen=True)
class ModelChoice:
    """A model and why.

    Args:
        name: of a class of `privet.learn`.
        why: in words.
        spends_delta: whether it gets the δ; some are better without.
    """

    name: str
    why: str
    spends_delta: bool = True

    @classmethod
    def of(cls, *, classes: int | None, columns: int, rows: float, epsilon: float, delta: float) -> "ModelChoice":
        """What errs least on the data sets of docs/learn/accuracy.md where they are like this one.

        Args:
            classes: how many labels there are; None for a number.
            columns: of numbers, after categories became a column each.
            rows: to learn from: expected, or counted with noise; nothing is promised by it.
            epsilon: of the fit.
            delta: of the fit, perhaps 0.

        Classes: below the sizes above, votes in random trees (without δ) were better than lines, beyond them hardly
        ever. Numbers: with a δ boosting had the best R² in 16 of 24 cases (8 data sets at ε = 0.3, 1 and 3); without
        one, lines were mostly better than trees from the size above on.

        Example:
            >>> ModelChoice.of(classes=2, columns=100, rows=30_000, epsilon=1, delta=1e-6).name
            'LogisticRegression'
            >>> ModelChoice.of(classes=3, columns=4, rows=100, epsilon=0.5, delta=1e-6).name
            'RandomForestClassifier'
        """
        if classes is None:
            if delta:
                return cls("GradientBoostingRegressor", "with a δ, boosted trees mostly err least for numbers")
            if rows * epsilon >= ENOUGH_NUMBERS * columns:
                return cls("LinearRegression", "without a δ, a line errs least where rows are many for the columns")
            return cls("GradientBoostingRegressor", "without a δ and with few rows for the columns, trees err least")
        scores = 1 if classes == 2 else classes  # noqa: PLR2004 - yes or no
        size = rows * epsilon / scores / (math.sqrt(columns) if delta else columns)
        if size >= (ENOUGH if delta else ENOUGH_PURE):
            return cls("LogisticRegression", "rows are many for the columns at this ε: a line errs least")
        return cls(
            "RandomForestClassifier",
            "rows are few for the columns at this ε: votes of random trees err least",
            spends_delta=False,
        )

    @classmethod
    def named(cls, name: str, *, classes: int | None) -> "ModelChoice":
        """What somebody chose."""
        known = REGRESSORS if classes is None else CLASSIFIERS
        if name not in known:
            what = "numbers" if classes is None else "classes"
            raise InvalidParameter(f"there is no model {name!r} for {what} here{nearest(name, known)}")
        return cls(name, "as you said")

    def model(self, *, bounds: Any, classes: Any = None, target_bounds: Any = None, **paid: Any) -> PrivateEstimator:  # noqa: ANN401 - parameters of models
        """The model, with what is public; see `PrivateEstimator` on how it is paid for."""
        if not self.spends_delta:
            paid = {**paid, "delta": None}
        if classes is None:
            return REGRESSORS[self.name](bounds=bounds, target_bounds=target_bounds, **paid)
        return CLASSIFIERS[self.name](bounds=bounds, classes=classes, **paid)
