"""PrivateScore: how good a model is on protected rows, paid for and with an interval."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.asking.best_noise import best_noise
from privet.asking.bounds import Bounds
from privet.core import Mechanism, Release, Sensitivity, Unit
from privet.learn.fitting import Fitting
from privet.learn.rows import Rows
from privet.loss import PrivacyLoss
from privet.loss.exact import readable
from privet.loss.loss_json import described

if TYPE_CHECKING:
    from privet.learn.private_estimator import PrivateEstimator

Metric: TypeAlias = Literal["accuracy", "r2", "mse"]
Numbers: TypeAlias = NDArray[np.float64]
BITS = 24  # shares are multiples of 2^-24: sums of 2^29 rows are exact in float64
WHOLE = 1 << BITS


@dataclass(frozen=True, repr=False)
class PrivateScore:
    """A score of a model on protected rows.

    Args:
        value: the score; the best guess from what was released.
        metric: "accuracy", "r2" or "mse".
        sums: what was released: the sums of errors and of their complement (right and wrong), or of right ones alone
            where `rows` is public; for R² those of three shares of the squared target too, see `scored`.
        rows: how many rows there are, if that is public.
        scale: by which an error share is multiplied: 1, or the square of the width of the target's bounds.

    Example:
        >>> from privet.learn.private_score import PrivateScore
        >>> from privet import Ledger, Guarantee, Sensitive, Sensitivity, Unit
        >>> from privet.mechanisms import DiscreteLaplace
        >>> person = Unit("person")
        >>> sums = Release(np.array([80.0, 20.0]), DiscreteLaplace(1, 1).uncertainty, DiscreteLaplace(1, 1).loss,
        ...                "a test", "DiscreteLaplace", person)
        >>> PrivateScore(0.8, "accuracy", sums).interval(0.95)
        (0.76, 0.84)
    """

    value: float
    metric: Metric
    sums: Release[Numbers]
    rows: int | None = None
    scale: float = 1.0

    @property
    def loss(self) -> PrivacyLoss:
        """What the score reveals."""
        return self.sums.loss

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.sums.unit

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """An interval that holds the score on these rows with at least this probability, over the noise.

        Proof: with this probability no released sum is farther than `margin` from the exact one. At the exact share r
            the sum (1 - r) A - r B is 0, so that of the noisy ones lies within the margin, which bounds r between
            (A ± margin) / (A + B). The score falls in the share of errors and, for R², rises in the outer shares of
            squared targets and falls in the middle one, so that it is extreme at the corners.
        """
        margin = self.sums.margin(confidence, simultaneous=True)
        sums = np.asarray(self.sums.value, dtype=np.float64)
        if self.metric != "r2":
            low, high = _share(sums, self.rows, margin)
            return self.scale * low, self.scale * high
        wrong, spread = sums[:-3], sums[-3:]
        worst = _r2(float(wrong[0]) + margin, spread + margin * np.array([-1, 1, -1]))
        best = _r2(float(wrong[0]) - margin, spread - margin * np.array([-1, 1, -1]))
        return worst, best

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        low, high = self.interval()
        pure = self.loss.epsilon(0)
        spent = f"ε={readable(pure)}" if math.isfinite(pure) else described(self.loss)
        paid = f"spent {spent} per {self.unit.name} on {self.sums.purpose!r} by {self.sums.mechanism}"
        return f"{self.metric} {self.value:.4g}, between {low:.4g} and {high:.4g} (95%)\n{paid}"


def scored(model: "PrivateEstimator", fitting: Fitting, metric: Metric, target: Bounds | None = None) -> PrivateScore:
    """Release how good the model's predictions are for the rows of a fitting, which need not be those of its fit.

    Args:
        model: fitted; what it predicts for a row depends on that row alone.
        fitting: who pays, and the rows.
        metric: what is asked.
        target: the bounds of y, to which targets and predictions are clipped; None for labels.

    Privacy: as promised by the price.
    Proof: a row adds to the sums of right and wrong two shares ≥ 0 that add up to 1, and for R² three more that do
        (z², 2z(1-z), (1-z)² of its clipped target's place z), so a unit moves them by rows_per_unit in L1 for each
        family, and twice that if replaced, except that a single sum (public rows) moves by rows_per_unit.
    """
    public = fitting.public_length
    families = sums_of(fitting, metric)
    sensitivity, mechanism = score_noise(fitting, metric, whole=target is None)
    spread = sum(families[1:])

    def compute(rows: Rows) -> Any:  # noqa: ANN401 - one number, or several
        found = right_and_wrong(model, rows) if target is None else squares(model, rows, target)
        chosen = [*found[: families[0]], *found[2 : 2 + spread]]
        exact = np.array(chosen, dtype=np.int64) if target is None else np.array(chosen, dtype=np.float64) / WHOLE
        return exact if len(exact) > 1 else exact[0].item()

    release = fitting.release(compute, sensitivity, mechanism)
    sums = release if np.ndim(release.value) else release.map(np.atleast_1d, uncertainty=release.uncertainty)
    scale = 1.0 if target is None or metric == "r2" else float(target.width) ** 2
    values = np.asarray(sums.value, dtype=np.float64)
    if metric == "r2":
        return PrivateScore(_r2(float(values[0]), values[-3:]), metric, sums, public)
    return PrivateScore(scale * _share(values, public, 0.0)[0], metric, sums, public, scale)


def sums_of(fitting: Fitting, metric: Metric) -> list[int]:
    """How many sums share a row, by families."""
    alone = fitting.public_length is not None  # the number of rows says what is not right
    return [1 if alone else 2, *([3] if metric == "r2" else [])]


def score_noise(fitting: Fitting, metric: Metric, *, whole: bool) -> tuple[Sensitivity, Mechanism[Any, Any]]:
    """How far a unit moves the sums of a score, and the mechanism that releases them at the price of a fitting.

    Args:
        fitting: who pays, and how many rows of a unit count; nothing is read.
        metric: what is asked.
        whole: whether predictions are counted, for labels.
    """
    families = sums_of(fitting, metric)
    sensitivity = _sensitivity(families, rows=fitting.moved_rows, replaced=fitting.replaces, whole=whole)
    return sensitivity, best_noise(fitting.budget, sensitivity, whole=whole)


def _sensitivity(families: list[int], *, rows: int, replaced: bool, whole: bool) -> Sensitivity:
    """How far a unit of so many rows moves sums that share rows, by families; a lone sum takes a row or leaves it."""
    moves = [2 if replaced and family > 1 else 1 for family in families]
    longest = Fraction(math.isqrt(rows * rows * sum(moves) * 10**12) + 1, 10**6)
    total = rows * sum(moves)
    return Sensitivity(rows, cells=min(sum(families), total) if whole else sum(families), l1=total, l2=longest)


def right_and_wrong(model: "PrivateEstimator", rows: Rows) -> list[int]:
    """How many predictions are right, and how many are not; rows with a label that was not declared are wrong."""
    table, places = rows.read_pairs()
    right = int(np.count_nonzero(_predicted(model, table) == model.classes_[places])) if len(table) else 0
    return [right, len(rows.read_features()) - right]


def squares(model: "PrivateEstimator", rows: Rows, target: Bounds) -> list[int]:
    """The sums, in steps, of the squared errors' shares and their complements, and of the shares of squared targets."""
    table, wanted = rows.read_pairs()
    low, width = float(target.low), float(target.width)
    place = _inside((wanted - low) / width, missing=0.5)
    found = _inside((_predicted(model, table) - low) / width, missing=np.nan)
    errors = _steps(np.where(np.isnan(found), 1.0, (found - place) ** 2))
    upper, lower = _steps(place**2), _steps((1 - place) ** 2)
    middle = np.maximum(WHOLE - upper - lower, 0)  # so that they add up to one row, whatever was rounded
    lower = WHOLE - upper - middle
    return [int(each.sum()) for each in (errors, WHOLE - errors, upper, middle, lower)]


def _predicted(model: "PrivateEstimator", table: Numbers) -> Any:  # noqa: ANN401 - labels or numbers
    """What is predicted for each row, of that row alone, to the last bit: shares of errors are rounded afterwards."""
    if not len(table):
        return np.empty(0)
    if model.predicts_alone:
        return np.asarray(model.predict(table))
    return np.concatenate([np.asarray(model.predict(table[at : at + 1])) for at in range(len(table))])


def _inside(values: Numbers, *, missing: float) -> Numbers:
    return np.where(np.isnan(values), missing, np.clip(values, 0.0, 1.0))


def _steps(shares: Numbers) -> NDArray[np.int64]:
    return np.rint(np.clip(shares, 0.0, 1.0) * WHOLE).astype(np.int64)


def _share(sums: Numbers, rows: int | None, margin: float) -> tuple[float, float]:
    """Between what and what the first sum's share of the rows lies."""
    total = float(sums[0] + sums[1]) if rows is None else float(rows)
    if not total > 0:
        return (0.0, 1.0) if margin else (0.5, 0.5)
    ends = ((float(sums[0]) + side * margin) / total for side in (-1, 1))
    low, high = (min(max(end, 0.0), 1.0) for end in ends)
    return low, high


def _r2(errors: float, spread: Numbers) -> float:
    """1 - errors / (sum of squares about the mean), which is (U W - V²/4) / (U + V + W) of the three shares' sums."""
    upper, middle, lower = np.maximum(spread, 0.0).tolist()
    total = upper + middle + lower
    about = max(upper * lower - middle**2 / 4, 0.0) / total if total > 0 else 0.0
    return 1 - max(errors, 0.0) / about if about > 0 else -math.inf
