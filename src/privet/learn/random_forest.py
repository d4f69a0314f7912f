"""RandomForest: what both forests share: trees of random questions, and one release of what their leaves hold."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.asking.payment import Payment
from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.learn.column_cuts import SHARE, ColumnCuts
from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.forest_growth import COUNTING, ForestGrowth, RowCount
from privet.learn.leaf_statistics import LeafStatistic
from privet.learn.noise_parts import NoiseParts, deviation
from privet.learn.private_estimator import PrivateEstimator
from privet.learn.random_trees import DEEPEST, Questions, RandomTrees
from privet.learn.rows import Rows
from privet.loss import Neighbors, PrivacyLoss
from privet.loss.exact import whole
from privet.loss.privacy_loss import sum_of
from privet.noise import Entropy

Plan: TypeAlias = list[Mechanism[Any, Any]]
MOST_TREES = 1000


@dataclass(frozen=True)
class NoisyLeaves:
    """What was released of the leaves.

    Args:
        values: [tree, leaf, number]; a row is 1.
        deviation: of the noise on each.
        loss: of everything that was released.
        mechanism: in words.
    """

    values: Floats
    deviation: float
    loss: PrivacyLoss
    mechanism: str


class RandomForest(PrivateEstimator):
    """Trees whose questions do not depend on the data; only what lies in their leaves is released.

    Privacy: one release of whole numbers, each row in one leaf of every tree; where the number of rows is not public
        it is counted first, with a fiftieth of the budget, and decides the shape of the forest.
    """

    @abstractmethod
    def _statistic(self, growth: ForestGrowth, fitting: Fitting, parts: NoiseParts) -> LeafStatistic:
        """What is released of a forest of this shape."""

    def _whole_target(self, target: NDArray[Any]) -> NDArray[Any]:
        """The target as whole numbers."""
        return target

    def _grow(self, fitting: Fitting, *, classes: int) -> NoisyLeaves:
        """Count the rows if need be, draw the trees, and release what lies in their leaves."""
        questions = Questions.of(self._box(), self._said("categories"))
        parts = NoiseParts.of(fitting.budget)
        trees, depth = self._shape()
        count = RowCount.of(fitting, expected=self._said("expected_rows"), said=None not in (trees, depth))
        cuts = ColumnCuts.of(questions, fitting)
        share = 1 - count.share - (SHARE if cuts.columns else 0)
        plan: Plan = [self._statistic(ForestGrowth(1, 1), fitting, parts).noise(parts, share)]
        counting = None if count.known is not None else parts.noise(count.share, count.sensitivity)
        looking = parts.noise(SHARE, cuts.sensitivity) if cuts.columns else None
        plan += [each for each in (counting, looking) if each is not None]
        draws = fitting.reserve(plan)
        held: list[tuple[Floats, NDArray[Any]]] = []  # read once, by whichever release is first

        def pairs(rows: Rows) -> tuple[Floats, NDArray[Any]]:
            if not held:
                held.append(rows.read_pairs())
            return held[0]

        rows: float = count.known or 0
        if counting is not None:
            rows = float(draws.release(lambda rows: len(pairs(rows)[1]), count.sensitivity, counting).value)
        if looking is not None:
            found = draws.release(lambda rows: cuts.exact(pairs(rows)[0]), cuts.sensitivity, looking).value
            questions = cuts.asked(np.asarray(found, dtype=np.float64), deviation(looking))
        growth = ForestGrowth.of(
            parts, rows=rows, classes=classes, columns=self.n_features_in_, trees=trees, depth=depth
        )
        drawn = RandomTrees.drawn(questions, trees=growth.trees, depth=growth.depth, source=Entropy())
        statistic = self._statistic(growth, fitting, parts)
        noise = statistic.noise(parts, share)

        def exact(rows: Rows) -> NDArray[np.int64]:
            features, target = pairs(rows)
            return statistic.exact(features, self._whole_target(target), drawn)

        release = draws.release(exact, statistic.sensitivity, noise)
        self.trees_ = drawn
        values, wide = statistic.read(np.asarray(release.value, dtype=np.float64), noise)
        loss = sum_of(each.loss for each in plan).under(fitting.payment.unit.neighbors)
        return NoisyLeaves(values, wide, loss, release.mechanism)

    def _shape(self) -> tuple[int | None, int | None]:
        """How many trees of which depth were asked for."""
        trees, depth = self._said("n_estimators"), self._said("max_depth")
        many = None if trees is None else whole(trees, "n_estimators")
        deep = None if depth is None else whole(depth, "max_depth")
        if (many or 1) > MOST_TREES or (deep or 1) > DEEPEST:
            raise InvalidParameter(
                f"n_estimators must be at most {MOST_TREES} and max_depth at most {DEEPEST}: more leaves hold no rows"
            )
        return many, deep

    def _public(self) -> dict[str, str]:
        """What was taken to be public, for the receipt."""
        names = {"categories": "of columns", "expected_rows": "a number"}
        said = {name: words for name, words in names.items() if self._said(name) is not None}
        return {"bounds": f"of {self.n_features_in_} columns", **said}

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The shape of the forest and the noise on a number of a leaf."""
        told = dict(super()._foresee(payment, columns=columns, rows=rows))
        trees, depth = self._shape()
        known = rows if rows is not None else self._said("expected_rows")
        if payment.price.budget is None or (known is None and None in (trees, depth)):
            return {"shape of the forest": "follows from a noisy count of the rows: say rows, to see it", **told}
        parts = NoiseParts.of(payment.price.budget)
        labels = self._said("classes")
        classes = 1 if labels is None else len(labels)
        growth = ForestGrowth.of(parts, rows=known or 1, classes=classes, columns=columns, trees=trees, depth=depth)
        replaces = payment.unit.neighbors is Neighbors.REPLACE
        counts = not replaces and self._said("expected_rows") is None and None in (trees, depth)
        moved = self._most_rows() * (1.0 if not replaces else 2**0.5 if parts.gaussian else 2.0)
        noise = growth.noise(parts, share=1 - SHARE - (COUNTING if counts else 0), moved=moved)
        return {
            "shape of the forest": f"{growth.trees} trees of depth {growth.depth}",
            "noise on one tree": noise,
            **told,
        }
