"""GaussianNB: naive Bayes with a normal distribution for each feature and class."""

import math
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from privet.asking.payment import Payment
from privet.errors import InvalidParameter
from privet.learn.bayes_classifier import BayesClassifier, Learned, class_shares, kept_share
from privet.learn.class_moments import ClassMoments
from privet.learn.features import Floats
from privet.learn.fitting import Fitting, budget_of, replaces
from privet.learn.moment_plan import MomentPlan
from privet.learn.priced import Priced, priced
from privet.loss.exact import shown

LEAST_KEPT = 0.2  # of differences between means that noise alone could make: what little is there still decides
LEAST_VARIANCE = 1e-2  # in squared half widths of the bounds: marks of rare categories are not normal at all
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

    def _released(self, fitting: Fitting) -> Learned:
        """Counts, sums and squares of each class."""
        self._box_ = self._box()
        plan = self._plan(fitting.payment, fitting.rows.width)
        found = plan.released(fitting, self._box_, classes=len(self.classes_), pooled=self._pooled())
        names = " and ".join(dict.fromkeys(type(each).__name__ for each in plan.mechanisms))
        public = {"classes": f"{len(self.classes_)} labels", "bounds": "a pair for each column"}
        return Learned(found, plan.loss, names, public)

    def _plan(self, payment: Payment, width: int) -> MomentPlan:
        return MomentPlan.of(budget_of(payment), width=width, moved=self._most_rows(), replaces=replaces(payment))

    def _pooled(self) -> bool | None:
        if self.pooled not in {None, True, False}:
            raise InvalidParameter(f"pooled must be True, False or None, got {shown(self.pooled)}")
        return self.pooled

    def _read(self, counts: ClassMoments) -> None:
        """Everything that is kept, from released numbers."""
        known, box = counts, self._box_
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
