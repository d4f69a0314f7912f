"""GradientBoostingRegressor: random trees, each told what is left of the targets after the ones before."""

from typing import Any, Self, Unpack

from numpy.typing import NDArray

from privet.learn.features import Floats
from privet.learn.gradient_boosting import GradientBoosting
from privet.learn.objective import Objective
from privet.learn.priced import Priced, priced
from privet.learn.private_estimator import PrivateRegressor
from privet.learn.squared_loss import SquaredLoss
from privet.learn.whole_targets import in_bounds, whole_targets


class GradientBoostingRegressor(PrivateRegressor, GradientBoosting):
    """Adds up random trees, each of which corrects the ones before.

    Args:
        bounds: of the columns, within which questions are drawn.
        target_bounds: of y; targets outside are clipped.
        categories: for each column a list of numbers that stand for its public categories, or None where it is a
            number.
        n_estimators: how many trees, fixed before anything is read; 400 by default, 50 with pure noise.
        max_depth: questions from the root of a tree to a leaf.
        learning_rate: the share of a tree's step that is taken.
        penalty: how much a leaf must hold to be believed, in deviations of the noise.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Privacy: as promised by the price; with a δ or a ρ the noise is Gaussian, which is far better here than pure noise.
    Proof: a twentieth of the budget goes to noisy histograms of the columns (`ColumnCuts`), from which cuts are drawn;
        questions are drawn from these and from public numbers (`RandomTrees`). Each tree releases the sums of what
        rows say in its leaves, given the trees before; a row is in one leaf, and what it says is bounded whatever its
        scores are (`SquaredLoss`). So each release keeps its share given all answers before, the plan is paid for
        as a whole before a row is read (`Ledger.reserve`), and its length is public. Leaves take Newton's steps,
        computed from what was released.
    Not covered: time.

    Example:
        >>> rows = [[age, 0.5] for age in range(100)]
        >>> public = {"bounds": (0, 100), "target_bounds": (0, 100)}
        >>> model = GradientBoostingRegressor(epsilon=1000, delta=1e-6, n_estimators=50, **public)
        >>> low, high = model.fit(rows, range(100)).predict([[1, 0.5], [99, 0.5]])
        >>> bool(low < 30 and high > 70)
        True
    """

    @priced
    def __init__(  # noqa: PLR0913 - what is declared, each by name
        self,
        *,
        bounds: Any = None,  # noqa: ANN401 - refused in words
        target_bounds: Any = None,  # noqa: ANN401 - refused in words
        categories: Any = None,  # noqa: ANN401 - refused in words
        n_estimators: int | None = None,
        max_depth: int = 3,
        learning_rate: float = 0.2,
        penalty: float = 4.0,
        **_: Unpack[Priced],
    ) -> None:
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.categories = categories
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.penalty = penalty

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Pay once, then release one tree after the other."""
        self.target_range_ = self._target_bounds()
        fitting = self._begin(X, y, groups=groups)
        self._boost(fitting, public={"target_bounds": "one pair"})
        return self

    def predict(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """What the trees add up to, for every row, within the bounds of y."""
        halves = self._scores(X)[:, 0]
        return in_bounds(halves, self.target_range_)

    def _objective(self, classes: int) -> Objective:  # noqa: ARG002 - there are none
        return SquaredLoss()

    def _whole_target(self, target: NDArray[Any]) -> NDArray[Any]:
        return whole_targets(target, self.target_range_)
