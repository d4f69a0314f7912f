"""AggregatedModel: what any scikit-learn estimator learns, asked about many small blocks of the rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats.qmc import Sobol
from sklearn.base import BaseEstimator, clone
from threadpoolctl import threadpool_limits

from privet.asking.bounds import Bounds
from privet.asking.price import Price
from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.learn.features import Box, Floats
from privet.learn.fitting import Fitting
from privet.learn.rows import Rows
from privet.loss import PrivacyLoss
from privet.loss.exact import shown
from privet.mechanisms import GroupedRows, SampleAndAggregate

BLOCKS = 100
INVENTED = 64  # rows, by which the shapes of attributes are found


@dataclass(frozen=True)
class AggregatedModel:
    """A fitted estimator's attributes, averaged over blocks of rows.

    Args:
        estimator: unfitted.
        attributes: those that leave, with public bounds of their numbers.
        invented: the estimator, fitted to invented rows: it tells shapes, and takes the averages in the end.
        mechanism: deals rows to blocks, fits a copy to each, and releases noisy averages.

    Privacy: as `SampleAndAggregate`, whatever the estimator does with the rows of a block, if it is no channel between
        blocks: each has a fresh copy, and what draws at random (`random_state`) is given the seed 0. A block whose
        fit fails, or whose attributes have another shape, counts as the middle of the bounds; so do single numbers that
        are NaN. All rows of a unit are in one block; which one is a fair secret draw.
    Not covered: time, and an estimator that talks to the world or stops the process.
    """

    estimator: BaseEstimator
    attributes: Mapping[str, tuple[Fraction, Fraction]]
    invented: Any
    mechanism: SampleAndAggregate

    @classmethod
    def of(  # noqa: PLR0913 - each by name
        cls,
        estimator: BaseEstimator,
        attributes: Mapping[str, Any],
        *,
        blocks: int,
        price: Price,
        columns: int,
        labels: NDArray[Any] | None,
    ) -> "AggregatedModel":
        """Return the plan; only invented rows are read.

        Args:
            estimator: unfitted.
            attributes: names with (lowest, highest) number.
            blocks: how many.
            price: with an epsilon.
            columns: how many features.
            labels: the classes; None where targets are numbers.
        """
        if price.epsilon is None:
            raise InvalidParameter("sample-and-aggregate is priced by epsilon, or epsilon and delta: give one of these")
        pairs = {name: _pair(name, pair) for name, pair in attributes.items()}
        seeded = _seeded(estimator)
        invented = _invented(seeded, columns, labels)
        shapes = {name: np.shape(_attribute(invented, name)) for name in pairs}
        bounds = [pairs[name] for name, shape in shapes.items() for _ in range(int(np.prod(shape)))]
        mechanism = SampleAndAggregate(
            _learned(seeded, shapes, labels),
            blocks=blocks,
            bounds=bounds,
            epsilon=price.epsilon,
            delta=price.delta,
        )
        return cls(seeded, pairs, invented, mechanism)

    def find(self, fitting: Fitting, box: Box, target: Box | None) -> tuple[Any, PrivacyLoss]:
        """Charge, fit the blocks, release, and return an estimator that has the averages.

        Args:
            fitting: who pays, and the rows.
            box: the bounds of the features.
            target: those of the target; None for classes.
        """
        if fitting.moved_rows > 1 and fitting.rows.owners is None:
            raise InvalidParameter(
                "all rows of a unit go to one block, so groups must say whose row each is: fit(X, y, groups=…)"
            )

        def compute(rows: Rows) -> NDArray[Any] | GroupedRows:
            table, targets = rows.read_pairs()
            column = targets[:, None].astype(np.float64)
            whole = np.hstack([box.unit(table), column if target is None else target.unit(column)])
            owners = rows.read_pair_owners()
            return whole if owners is None else GroupedRows(whole, owners)

        with threadpool_limits(1):  # blocks are small: threads would wait for each other longer than they work
            release = fitting.release(compute, Sensitivity(1), self.mechanism)
        values = np.asarray(release.value, dtype=np.float64).ravel()
        for name in self.attributes:
            shape = np.shape(_attribute(self.invented, name))
            count = int(np.prod(shape))
            taken, values = values[:count].reshape(shape), values[count:]
            setattr(self.invented, name, taken if shape else float(taken))
        return self.invented, release.loss

    def foreseen(self, rows: int | None) -> Mapping[str, str]:
        """What can be said of the errors before a fit."""
        noise, count = self.mechanism.uncertainty.margin(0.95), len(self.mechanism.bounds)
        said = {"noise of the widest number": f"within ±{noise:.3g} in 95 % of fits, of {count} numbers"}
        if rows is not None:
            each = rows / self.mechanism.blocks
            said["rows of a block"] = f"{each:.3g}; errors of blocks average out, what all of them err by does not"
        return said


def _learned(estimator: BaseEstimator, shapes: Mapping[str, Any], labels: NDArray[Any] | None) -> Callable[..., Any]:
    """What is asked of a block: the attributes of a copy fitted to it, one after the other."""

    def learned(block: Floats) -> Floats:
        rows, targets = block[:, :-1], block[:, -1]
        fitted = clone(estimator).fit(rows, targets if labels is None else labels[targets.astype(np.int64)])
        found = [np.asarray(getattr(fitted, name), dtype=np.float64) for name in shapes]
        if any(each.shape != shape for each, shape in zip(found, shapes.values(), strict=True)):
            raise ValueError  # such as for a block without one of the classes
        return np.concatenate([each.ravel() for each in found])

    return learned


def _seeded(estimator: Any) -> Any:  # noqa: ANN401 - any estimator
    """A copy that draws the same whatever was drawn before: a generator that blocks share would be a channel."""
    if not isinstance(estimator, BaseEstimator):
        raise InvalidParameter(f"estimator must be a scikit-learn estimator, got {type(estimator).__name__}")
    made = clone(estimator)
    drawing = [name for name in made.get_params() if name.rpartition("__")[2] == "random_state"]
    return made.set_params(**dict.fromkeys(drawing, 0))


def _invented(estimator: Any, columns: int, labels: NDArray[Any] | None) -> Any:  # noqa: ANN401 - any estimator
    """A copy fitted to invented rows within [-1, 1]: public, as all that follows from it is."""
    count = INVENTED if labels is None else max(INVENTED, 4 * len(labels))
    rows = 2 * Sobol(columns, scramble=False).fast_forward(1).random(count) - 1
    targets = rows[:, 0] if labels is None else labels[np.arange(count) % len(labels)]
    return clone(estimator).fit(rows, targets)


def _attribute(fitted: Any, name: str) -> Any:  # noqa: ANN401 - any estimator
    if not hasattr(fitted, name):
        raise InvalidParameter(
            f"a fitted {type(fitted).__name__} has no {name}: attributes names what leaves, with bounds, such as "
            'attributes={"coef_": (-1, 1), "intercept_": (-1, 1)}'
        )
    return getattr(fitted, name)


def _pair(name: str, pair: Any) -> tuple[Fraction, Fraction]:  # noqa: ANN401 - refused in words
    if not isinstance(pair, tuple | list) or len(pair) != 2:  # noqa: PLR2004 - a pair
        raise InvalidParameter(f"attributes must have a pair (lowest, highest) for {name}, got {shown(pair)}")
    bounds = Bounds.of(pair)
    return Fraction(bounds.low), Fraction(bounds.high)
