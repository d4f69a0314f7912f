"""GaussianNB: naive Bayes with a normal distribution for each feature and class."""

import math
from collections.abc import Mapping
from typing import Any, Self, Unpack

import numpy as np

from privet.asking.payment import Payment
from privet.errors import InvalidParameter
from privet.learn.bayes_classifier import BayesClassifier, class_shares, kept_share
from privet.learn.class_moments import ClassMoments
from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.moment_plan import MomentPlan
from privet.learn.priced import Priced, priced
from privet.loss import Neighbors, PrivacyLoss
from privet.loss.exact import shown

LEAST_KEPT = 0.2  # of differences between means that noise alone could make: what little is there still decides
LEAST_VARIANCE = 1e-4  # in squared half widths of the bounds
ROUNDED = 2.0**-34  # more than rounding rows adds to the square of an error


class GaussianNB(BayesClassifier):
    """Gaussian naive Bayes from noisy counts, sums and squares of each class.

    Args:
        classes: the labels that y may hold.
        bounds: public bounds of the features, (lower, upper); the narrower, the less noise.
        pooled: True for one variance of each feature in all classes, False for one in each class; None chooses by how
            many rows the classes have, as counted with noise.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes: `classes_`, `class_count_`, `class_prior_`, `theta_`, `theta_noise_` (standard deviations), `var_`,
        `privacy_`.

    Privacy: as promised by the price; what is kept is computed from one paid plan of three draws (`MomentPlan`, with
        its proof). Means are drawn toward each other, and variances kept above their noise, by its public law.
    Not covered: rows that are predicted belong to whoever asks.

    Example:
        >>> rows, labels = [[1.0, 9.0], [2.0, 8.0], [8.0, 1.0], [9.0, 2.0]] * 50, ["low", "low", "high", "high"] * 50
        >>> model = GaussianNB(classes=["low", "high"], bounds=(0, 10), epsilon=10).fit(rows, labels)
        >>> model.predict([[1.5, 8.5], [8.5, 1.5]]).tolist()
        ['low', 'high']
    """

    @priced
    def __init__(
        self,
        *,
        classes: Any = None,  # noqa: ANN401 - any labels
        bounds: Any = None,  # noqa: ANN401 - a pair, pairs by name
        pooled: bool | None = None,
        **_: Unpack[Priced],
    ) -> None:
        self.classes = classes
        self.bounds = bounds
        self.pooled = pooled

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        """Learn from rows; what was learned before is forgotten."""
        return self._learn(self._begin(X, y, groups=groups), None, None)

    def partial_fit(  # the order is scikit-learn's
        self,
        X: Any,  # noqa: ANN401, N803 - scikit-learn's names
        y: Any = None,  # noqa: ANN401 - any labels
        classes: Any = None,  # noqa: ANN401 - any labels
        *,
        groups: Any = None,  # noqa: ANN401 - whose rows they are
    ) -> Self:
        """Learn from more rows, for one more price. Noise adds up: few large batches are better than many small ones.

        Args:
            X: rows.
            y: their labels.
            classes: those of the constructor, if at all.
            groups: whose rows they are.

        Privacy: the ledger is charged for every batch, and `privacy_.loss` is that of all together, which holds for
            units with rows in every batch. A unit with rows in one batch alone loses what one costs.
        """
        known: ClassMoments | None = getattr(self, "_moments", None)
        told = None if known is None else (len(known.sums[0]), len(known.counts))
        fitting = self._begin(X, y, groups=groups, first=told is None)
        if classes is not None and sorted(map(str, classes)) != sorted(map(str, self.classes_.tolist())):
            raise InvalidParameter("classes of partial_fit must be those of the constructor: leave them out")
        if told is not None and told != (fitting.rows.width, len(self.classes_)):
            raise InvalidParameter(f"partial_fit needs the {told[0]} features and {told[1]} classes of the first batch")
        return self._learn(fitting, known, None if known is None else self.privacy_.loss)

    def _learn(self, fitting: Fitting, known: ClassMoments | None, before: PrivacyLoss | None) -> Self:
        box = self._box()
        plan = self._plan(fitting.payment, fitting.rows.width)
        found = plan.released(fitting, box, classes=len(self.classes_), pooled=self._pooled())
        self._moments = found if known is None else known + found
        self._box_ = box
        self._read_moments()
        self._keep_receipt(
            fitting,
            plan.loss if before is None else before + plan.loss,
            mechanism=" and ".join(dict.fromkeys(type(each).__name__ for each in plan.mechanisms)),
            public={"classes": f"{len(self.classes_)} labels", "bounds": "a pair for each column"},
        )
        return self

    def _plan(self, payment: Payment, width: int) -> MomentPlan:
        if payment.price.budget is None:
            raise InvalidParameter("say what a model may cost with epsilon, epsilon and delta, rho or risk")
        replaces = payment.unit.neighbors is Neighbors.REPLACE
        return MomentPlan.of(payment.price.budget, width=width, moved=self._most_rows(), replaces=replaces)

    def _pooled(self) -> bool | None:
        if self.pooled not in {None, True, False}:
            raise InvalidParameter(f"pooled must be True, False or None, got {shown(self.pooled)}")
        return self.pooled

    def _read_moments(self) -> None:
        """Everything that is kept, from released numbers."""
        known, box = self._moments, self._box_
        self.class_count_ = known.counts
        self.class_prior_ = class_shares(known.counts, known.count_noise)
        rows = self.class_prior_ * max(float(known.counts.sum()), len(known.counts))
        raw = known.sums / rows[:, None]
        means = np.clip(raw, -1, 1)
        errors = (known.sum_noise**2 + (means * known.count_noise) ** 2) / rows[:, None] ** 2 + ROUNDED
        level = (means / errors).sum(axis=0) / (1 / errors).sum(axis=0)
        expected = errors.mean(axis=0) * (1 - 1 / len(rows))
        spreads = ((means - level) ** 2).mean(axis=0)
        kept = np.array([kept_share(*pair, LEAST_KEPT) for pair in zip(spreads, expected, strict=True)])
        self._places = level + kept * (means - level)
        variances = _variances(known, rows, means, errors)
        self._widths = variances + kept * errors  # a mean that is not known well says little
        self.theta_ = box.middle + box.half * self._places
        self.var_ = box.half**2 * variances
        self.theta_noise_ = box.half * np.sqrt(errors)

    def _joint(self, rows: Floats) -> Floats:
        """Features that are missing say nothing."""
        missing = np.isnan(rows)
        places = self._box_.unit(rows)
        joint = np.tile(np.log(self.class_prior_), (len(rows), 1))
        for place, (mean, width) in enumerate(zip(self._places, self._widths, strict=True)):
            terms = np.where(missing, 0.0, (places - mean) ** 2 / width + np.log(width))
            joint[:, place] -= terms.sum(axis=1) / 2
        return joint

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The noise, and what it means for means if there are as many rows as expected."""
        count, total, square = self._plan(payment, columns).deviations
        told = {
            "noise of each class's count": f"± {2 * count:.3g} rows",
            "noise of each sum": f"{total:.3g} half widths of the bounds (standard deviation)",
        }
        if rows is not None:
            each = rows / len(self._labels())
            told["noise of each mean"] = f"{total / each:.2g} half widths, with classes of {each:,.0f} rows"
            told["noise of each variance"] = f"{square / each:.2g} squared half widths"
        return told


def _variances(known: ClassMoments, rows: Floats, means: Floats, errors: Floats) -> Floats:
    """Variances within classes: toward those of all classes by as much as noise explains, and never below it."""
    squared = means**2 - np.minimum(errors, means**2)  # without what noise adds to a square
    total, number = float(rows.sum()), len(rows)
    of_all = (known.squares.sum(axis=0) - (rows[:, None] * squared).sum(axis=0)) / total
    noise = known.square_noise * (1.0 if known.pooled else math.sqrt(number)) / total
    found = np.tile(of_all, (number, 1))
    if not known.pooled:
        own = known.squares / rows[:, None] - squared
        expected = float(np.mean((known.square_noise / rows) ** 2)) * (1 - 1 / number)
        spreads = ((own - of_all) ** 2).mean(axis=0)
        found += np.array([kept_share(float(each), expected) for each in spreads]) * (own - of_all)
    kept: Floats = np.clip(found, min(max(noise, LEAST_VARIANCE), 1.0), 1.0)
    return kept
