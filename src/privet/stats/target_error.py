"""target_error: from an acceptable error to the ε that gives it, and back, before anything is spent."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, Literal, get_args

from privet.asking.best_noise import best_noise
from privet.asking.bounds import Bounds
from privet.asking.budget import Budget
from privet.asking.called_as import called_as
from privet.asking.least_amount import least_amount, short_amounts
from privet.core import Sensitivity, Uncertainty
from privet.core.uncertainty import ScaledError, refuse_certainty
from privet.errors import InvalidParameter
from privet.loss import Neighbors
from privet.loss.exact import Exact, exact, exact_within, readable, shown, whole
from privet.mechanisms import IntervalQuantile
from privet.mechanisms.additive import positive
from privet.stats.ranks.rank_scale import points_between
from privet.stats.sums.centered import centered_error, centered_noise
from privet.stats.sums.covariance import moved_products, two_bounds
from privet.stats.sums.linear_error import RatioError, SlopeError
from privet.stats.sums.moments import LARGEST, Moments
from privet.stats.sums.variance import moved_pairs

Statistic = Literal[
    "count", "total", "proportion", "mean", "variance", "covariance", "histogram", "counts", "quantile", "median"
]
RANKED = {"quantile", "median"}
LARGEST_EPSILON = 500.0
SMALLEST = Fraction(1, 10**300)  # error, and one over the largest: floats
MOST = 2**53  # rows, and cells, that floats tell apart
REASONS = {
    "stddev": "the root of a small variance errs more than that of a large one: ask for the variance",
    "correlation": "it errs the more, the less the columns vary: ask for the covariance",
    "covariance_matrix": "each entry has a margin of its own: ask for the covariance",
    "moments": "each of them has a margin of its own: ask for the mean and the variance",
    "quantiles": "ask for a quantile; several at once cost about as much as one, times the logarithm of their number",
    "quantile_interval": "how wide it is in value depends on how close the values lie",
    "minimum": "its target moves with ε: ask for a low quantile",
    "maximum": "its target moves with ε: ask for a high quantile",
    "top_k": "whether the right categories are chosen depends on how far their counts are apart",
    "cdf": "each edge has a margin of its own, which depends on the shares: ask for a proportion",
    "hierarchical_counts": "each level has a margin of its own: ask for the counts",
}


@dataclass(frozen=True)
class TargetError:
    """A price and what it buys.

    Args:
        statistic: its name.
        epsilon: the price.
        delta: the probability that comes with it; 0 for pure ε.
        error: the margin at that price.
        confidence: of the margin.
        assumed: what else the figures rest on, in words.

    Example:
        >>> from privet.stats import target_error
        >>> bought = target_error("mean", error=500, bounds=(20_000, 200_000), rows=500)
        >>> bought
        mean within ± 500 (95%) for ε=2.157 (500 rows; one unit more or less)
        >>> bought.error <= 500
        True
    """

    statistic: str
    epsilon: float
    delta: float
    error: float
    confidence: float
    assumed: str

    def __repr__(self) -> str:
        price = f"ε={readable(self.epsilon)}" + (f", δ={readable(self.delta)}" if self.delta else "")
        unit = " rows" if self.statistic in RANKED else ""
        return f"{self.statistic} within ± {self.error:.4g}{unit} ({self.confidence:.0%}) for {price} ({self.assumed})"


@called_as('target_error("mean", error=1000, bounds=(20_000, 200_000), rows=5000)')
def target_error(  # noqa: PLR0913 - public parameters, each by name
    statistic: Statistic,
    *,
    error: float | None = None,
    epsilon: Exact | None = None,
    confidence: float = 0.95,
    delta: Exact = 0,
    bounds: Any = None,  # noqa: ANN401 - a pair, or refused in words
    rows: int | None = None,
    cells: int = 1,
    q: Exact = "0.5",
    step: Exact | None = None,
    neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
    rows_per_unit: int = 1,
) -> TargetError:
    """Return the ε at which a statistic's margin is no larger than an error, or the margin at an ε.

    Args:
        statistic: "count", "total", "proportion", "mean", "variance", "covariance" (if units are replaced),
            "histogram", "counts", "quantile" or "median".
        error: the largest acceptable margin, in the statistic's unit, of a quantile in rows; or
        epsilon: the price whose margin is asked for.
        confidence: of the margin.
        delta: in [0, 1); the δ that goes with the ε.
        bounds: of the values, for total, mean, variance and quantile; of a covariance a pair of them.
        rows: how many rows are expected, for proportion, mean and variance; public under "replace", else an assumption.
        cells: of a histogram: all of them hold together with this confidence. Of counts: how many there are.
        q: of a quantile: which one.
        step: of a quantile: as in `quantile`.
        neighbors: as in `Asking`.
        rows_per_unit: as in `Asking`.

    Privacy: only public parameters go in; no data is touched and nothing is spent. Where the margin would depend on
        the answer (a mean among an unknown number of rows, a variance around a center) it is the largest for any.

    Example:
        >>> target_error("mean", error=500, bounds=(20_000, 200_000), rows=1000, neighbors="replace")
        mean within ± 500 (95%) for ε=1.073 (1,000 rows; one unit replaced by another)
        >>> target_error("count", epsilon=1)
        count within ± 3 (95%) for ε=1 (one unit more or less)
    """
    name: object = statistic  # of any kind, whatever was declared
    if not isinstance(name, str) or name not in get_args(Statistic):
        known = ", ".join(get_args(Statistic))
        why = REASONS.get(name if isinstance(name, str) else "", "others err as the data decides")
        raise InvalidParameter(f"statistic must be one of {known}, got {shown(name)}: {why}")
    if (error is None) == (epsilon is None):
        raise InvalidParameter("give exactly one of error (to get an epsilon) and epsilon (to get the error)")
    refuse_certainty(confidence, "confidence")
    chance = exact_within(delta, "delta", low=0, high=1)
    relation = Neighbors.of(neighbors)
    facts = _Facts(statistic, bounds, rows, relation, whole(rows_per_unit, "rows_per_unit", high=MOST))
    if statistic in RANKED:
        place = exact_within("1/2" if statistic == "median" else q, "q", low=0, high=1)
        margin = _rank_margin(facts, confidence, place, step)
    else:
        margin = _margin(facts, confidence, delta, whole(cells, "cells", high=MOST))
    price = positive(epsilon, "epsilon") if epsilon is not None else _least_epsilon(margin, error)
    assumed = f"{rows:,} rows; {relation.value}" if facts.needs_rows else relation.value
    return TargetError(statistic, float(price), float(chance), margin(price), confidence, assumed)


@dataclass(frozen=True)
class _Facts:
    """The public parameters of one statistic."""

    statistic: str
    bounds: Any
    rows: int | None
    neighbors: Neighbors
    moved: int

    @property
    def needs_rows(self) -> bool:
        return self.statistic in {"proportion", "mean", "variance", "covariance"}

    @property
    def declared(self) -> Bounds:
        return Bounds(Fraction(0), Fraction(1)) if self.statistic == "proportion" else Bounds.of(self.bounds)

    @property
    def number(self) -> int:
        """How many rows, at least two for a variance."""
        least = 2 if self.statistic in {"variance", "covariance"} else 1
        if self.rows is None:
            raise InvalidParameter(f"rows must say how many rows {self.statistic} is of: rows=1000, for example")
        return whole(self.rows, "rows", low=least, high=MOST)

    @property
    def replaces(self) -> bool:
        return self.neighbors is Neighbors.REPLACE


def _margin(facts: _Facts, confidence: float, delta: Exact, cells: int) -> Callable[[Fraction], float]:
    """The margin as a function of ε."""
    if facts.statistic == "counts":
        moved = Sensitivity(facts.moved, cells=cells)  # a row can be in all of them
        return lambda epsilon: _law(epsilon, delta, moved, integers=True).margin(confidence)
    if facts.statistic in {"count", "histogram"}:
        wide = facts.replaces and facts.statistic == "histogram"
        moved = Sensitivity(facts.moved, cells=2 if wide else 1)
        return lambda epsilon: _law(epsilon, delta, moved, integers=True).margin(confidence, cells=cells)
    unit, shares = _unit(facts)
    if not shares:
        if facts.statistic in {"variance", "covariance"}:
            return lambda epsilon: _spread_law(facts, epsilon, delta, float(unit)).margin(confidence)
        return lambda epsilon: float(unit) * _law(epsilon, delta, Sensitivity(facts.moved)).margin(confidence)
    number = float(facts.number)
    width = float(facts.declared.width)
    moved = Sensitivity(facts.moved, cells=shares, l1=facts.moved, l2=facts.moved)
    worst = _worst_mean if shares == 2 else _worst_variance  # noqa: PLR2004 - the two sums of a mean
    return lambda epsilon: worst(_law(epsilon, delta, moved), number, width).margin(confidence)


def _rank_margin(facts: _Facts, confidence: float, q: Fraction, step: Exact | None) -> Callable[[Fraction], float]:
    """How many rows from its place a quantile may lie, whatever the data, as a function of ε."""
    bounds = facts.declared
    points = points_between(facts.declared, step)
    moved = facts.moved * (1 if facts.replaces else max(q, 1 - q))

    def margin(epsilon: Fraction) -> float:
        chosen = IntervalQuantile(
            q, bounds=(bounds.low, bounds.high), score_sensitivity=moved, epsilon=epsilon, points=points
        )
        return chosen.rank_margin(confidence)

    return margin


def _unit(facts: _Facts) -> tuple[Fraction, int]:
    """What one number is multiplied by, and 0; or how many sums are released instead."""
    replaces = facts.replaces
    if facts.statistic == "covariance":
        if not replaces:
            raise InvalidParameter('the error of a covariance is known beforehand only with neighbors="replace"')
        first, second = two_bounds(facts.bounds)
        return first.width * second.width * moved_products(facts.number, facts.moved) / facts.number**2, 0
    bounds = facts.declared
    if facts.statistic == "total":
        return (bounds.width if replaces else bounds.largest), 0
    if facts.statistic == "variance":
        pairs = moved_pairs(facts.number, facts.moved)
        return bounds.width**2 * pairs / facts.number**2, 0 if replaces else 3
    return bounds.width / facts.number, 0 if replaces else 2


def _spread_law(facts: _Facts, epsilon: Fraction, delta: Exact, unit: float) -> Uncertainty:
    """Of a variance or covariance of a public number of rows; around a center, where that pays, of the worst one."""
    moved = min(facts.moved, facts.number)
    columns = 1 if facts.statistic == "variance" else 2
    around = centered_noise(Budget.of(epsilon=epsilon, delta=delta), facts.number, moved, columns)
    if around is None:
        return ScaledError(_law(epsilon, delta, Sensitivity(1)), unit)
    widths = [each.width for each in (two_bounds(facts.bounds) if columns > 1 else (facts.declared,) * 2)]
    return centered_error(around, moved / facts.number, float(widths[0] * widths[1]))


def _law(epsilon: Fraction, delta: Exact, moved: Sensitivity, *, integers: bool = False) -> Uncertainty:
    error = best_noise(Budget.of(epsilon=epsilon, delta=delta), moved, whole=integers).uncertainty
    if error is None:
        raise TypeError("additive noise has an error law")
    return error


def _worst_mean(noise: Uncertainty, number: float, width: float) -> Uncertainty:
    return RatioError(noise, (1.0, 0.0), 0.0, number, width)


def _worst_variance(noise: Uncertainty, number: float, width: float) -> Uncertainty:
    """The largest first-order error over means and mean squares that values between 0 and 1 can have."""
    grid = [place / 16 for place in range(17)]
    shapes = [(mean, mean * mean + part * (mean - mean * mean)) for mean, part in product(grid, (0.0, 0.5, 1.0))]
    laws = [
        SlopeError(noise, Moments.slopes(number, mean, square, width**2), LARGEST * width**2) for mean, square in shapes
    ]
    return max(laws, key=lambda law: law.distance(0.05))


def _least_epsilon(margin: Callable[[Fraction], float], error: float | None) -> Fraction:
    """The least ε of four digits whose margin is small enough."""
    wanted = positive(exact("nan" if error is None else error, "error"), "error")
    if not SMALLEST <= wanted <= 1 / SMALLEST:
        raise InvalidParameter(f"error must be between 1e-300 and 1e300, got {shown(error)}")
    found = least_amount(lambda amount: margin(Fraction(f"{amount:.9g}")) / float(wanted), "it", most=LARGEST_EPSILON)
    return next(each for each in short_amounts(found) if margin(each) <= wanted)
