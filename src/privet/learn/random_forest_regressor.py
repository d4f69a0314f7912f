"""RandomForestRegressor: sums of targets in the leaves of trees that ask random questions."""

from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.forest_growth import ForestGrowth
from privet.learn.leaf_statistics import LeafStatistic, TargetSums
from privet.learn.noise_parts import NoiseParts
from privet.learn.priced import Priced, priced
from privet.learn.private_estimator import PrivateRegressor
from privet.learn.random_forest import RandomForest
from privet.learn.whole_targets import in_bounds, whole_targets


class RandomForestRegressor(PrivateRegressor, RandomForest):
    """Averages the targets in the leaves of random trees, and those averages over the trees.

    Args:
        bounds: of the columns, within which questions are drawn.
        target_bounds: of y; targets outside are clipped.
        categories: for each column a list of numbers that stand for its public categories, or None where it is a
            number.
        n_estimators, max_depth: how many trees, of which depth; by default from the budget and the number of rows.
        expected_rows: roughly how many rows there are, if that is public. Else, unless units are replaced or the shape
            was said, a fiftieth of the budget counts them.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Privacy: as promised by the price: pure with an ε alone, Gaussian noise with a δ or a ρ.
    Proof: questions are drawn from public numbers (`RandomTrees`). The sizes of leaves and the sums of targets in them
        are released at once, as whole numbers of steps, of which `TargetSums` says how far a unit moves them. The
        noisy count of the rows comes first, in a plan that was paid for together; the price of the second release
        does not depend on it. Everything else is computed from what was released.
    Not covered: time.

    Example:
        >>> rows = [[age, 0.5] for age in range(100)]
        >>> model = RandomForestRegressor(epsilon=1000, bounds=(0, 100), target_bounds=(0, 100))
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
        max_depth: int | None = None,
        expected_rows: int | None = None,
        **_: Unpack[Priced],
    ) -> None:
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.categories = categories
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.expected_rows = expected_rows

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Release sizes and sums of all leaves, once, and keep what they say."""
        self.target_range_ = self._target_bounds()
        fitting = self._begin(X, y, groups=groups)
        leaves = self._grow(fitting, classes=1)
        self.leaf_values_, self.middle_ = leaf_values(leaves.values, leaves.deviation)
        public = {"target_bounds": "one pair", **self._public()}
        self._keep_receipt(fitting, leaves.loss, mechanism=leaves.mechanism, public=public)
        return self

    def predict(self, X: Any) -> Floats:  # noqa: ANN401, N803 - scikit-learn's names
        """The average over all trees, for every row, within the bounds of y."""
        rows = self._matrix(X)
        halves = self.middle_ + self.trees_.total(rows, self.leaf_values_) / self.trees_.count
        return in_bounds(halves, self.target_range_)

    def __sklearn_tags__(self) -> Tags:
        """An average over trees that are not told what to ask stays far from the rows: boosting comes nearer."""
        tags = super().__sklearn_tags__()
        if tags.regressor_tags is not None:
            tags.regressor_tags.poor_score = True
        return tags

    def _statistic(self, growth: ForestGrowth, fitting: Fitting, parts: NoiseParts) -> LeafStatistic:  # noqa: ARG002 - as a classifier's
        return TargetSums(growth.trees, fitting.moved_rows, fitting.replaces)

    def _whole_target(self, target: NDArray[Any]) -> NDArray[Any]:
        return whole_targets(target, self.target_range_)


def leaf_values(numbers: Floats, deviation: float) -> tuple[Floats, float]:
    """Return by how much the average target of each leaf lies above that of all rows, and that; in half widths.

    Each is the most likely one, if averages of leaves scatter around that of all rows as much as the released sums
    say they do. So where noise is all there is, the average of all rows is predicted.

    Args:
        numbers: [tree, leaf, size or sum], noisy.
        deviation: of the noise on each.
    """
    sizes, sums = numbers[..., 0], numbers[..., 1]
    total, rows = (float(each.sum(axis=1).mean()) for each in (sums, sizes))
    wide = deviation * (sizes.shape[1] / len(sizes)) ** 0.5  # of the noise on these averages over trees
    known = max(1.0 - (wide / total) ** 2, 0.0) if total else 0.0
    middle = float(np.clip(known * total / max(rows, wide, 1e-300), -1.0, 1.0))
    above = sums - middle * sizes
    noise = deviation**2 * (1 + middle**2)
    squares = max(float((sizes**2).mean()) - deviation**2, 0.0) + max(float(sizes.mean()), 0.0)
    extra = float((above**2).mean()) - noise
    spread = min(max(extra / squares, 0.0), 1.0) if squares else 0.0  # of averages of leaves, and of targets in a leaf
    sizes = np.maximum(sizes, 0.0)
    values: Floats = sizes * spread * above / np.maximum(sizes**2 * spread + noise + spread * sizes, 1e-300)
    return np.clip(values, -2.0, 2.0), middle
