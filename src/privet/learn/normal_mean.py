"""NormalMean: where the middle of a normal distribution of known width lies, after noisy sums."""

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from scipy import special

from privet.asking.payment import Payment
from privet.learn.bayesian_model import BayesianModel, positive_numbers
from privet.learn.class_sums import UNIT, ClassSums
from privet.learn.features import Floats
from privet.learn.fitting import Fitting, replaces
from privet.learn.moment_plan import sensitivities
from privet.learn.noise_odds import NoiseOdds, spread_over
from privet.learn.posterior import Curve
from privet.learn.priced import Priced, priced
from privet.learn.sum_plan import SumPlan
from privet.mechanisms.least_noise import standard_deviation

NUMBERS = 121  # of rows, over which posteriors are summed
POINTS = 401
FAR = 9.0  # deviations of the prior beyond which nothing is believed
DEEP = 36.0  # the logarithm of how much likelier the likeliest value is than one that is left out


class NormalMean(BayesianModel):
    """The posterior of the mean of each column of normal numbers whose standard deviation is known.

    Args:
        bounds: public bounds; values outside are clipped, and the posterior knows it.
        sd: the known standard deviation, one number or one for each column.
        prior_mean: of the normal distribution that the mean is taken from.
        prior_sd: its standard deviation.
        rows: how many rows there may be, (at least, at most), each number as likely; None if any. With
            neighbors="replace" their number is public, and is used.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes: `totals_` (noisy sums, in half widths from the middle), `rows_` (noisy, or the public number),
        `privacy_`.

    Privacy: as promised by the price.
    Proof: a row moves each sum of z in [-1, 1] by at most 1, 2 if replaced, and their number by 1 (`SumPlan`).
        The posterior is a quadrature over means and numbers of rows. It takes the sum of clipped values to be normal,
        with the mean and the variance that clipping leaves: exact where none is clipped, else from about 30 rows on.

    Example:
        >>> rows = np.random.default_rng(1).normal(170, 8, size=(1000, 1))
        >>> model = NormalMean(bounds=(120, 220), sd=8, prior_mean=165, prior_sd=20, epsilon=10).fit(rows)
        >>> bool(abs(model.posterior_mean()[0] - 170) < 2), bool(0.2 < model.posterior_sd()[0] < 0.3)
        (True, True)
    """

    @priced
    def __init__(
        self,
        *,
        bounds: Any = None,  # noqa: ANN401 - a pair, pairs by name
        sd: Any = 1.0,  # noqa: ANN401 - a number, or several
        prior_mean: Any = 0.0,  # noqa: ANN401 - a number, or several
        prior_sd: Any = 1.0,  # noqa: ANN401 - a number, or several
        rows: Any = None,  # noqa: ANN401 - a pair
        **_: Unpack[Priced],
    ) -> None:
        self.bounds = bounds
        self.sd = sd
        self.prior_mean = prior_mean
        self.prior_sd = prior_sd
        self.rows = rows

    def _check(self) -> None:
        positive_numbers(self.sd, "sd", np.size(self.sd))
        positive_numbers(self.prior_sd, "prior_sd", np.size(self.prior_sd))

    def _release(self, fitting: Fitting) -> None:
        box, width, public = self._box(), fitting.rows.width, fitting.public_length
        self._prior = (
            np.broadcast_to(np.asarray(self.prior_mean, dtype=np.float64), (width,)),
            *(positive_numbers(each, name, width) for each, name in ((self.prior_sd, "prior_sd"), (self.sd, "sd"))),
        )
        plan = self._plan(fitting.payment, width, counted=public is None)
        table = ClassSums(box, 1)
        draws = fitting.reserve(plan.mechanisms)
        self._numbers, self._logs = np.array([float(public or 0)]), np.zeros(1)
        self.rows_ = float(public or 0)
        if plan.rows is not None:
            self.rows_ = float(draws.release(table.counts, plan.rows[1], plan.rows[0]).value[0])
            odds = NoiseOdds.of(plan.rows[0])
            self._numbers = spread_over(*odds.window(self.rows_, self._few, self._most), NUMBERS)
            self._logs = odds.logs(self.rows_ - self._numbers)
        mechanism, sensitivity = plan.sums
        self.totals_ = np.asarray(draws.release(table.sums, sensitivity, mechanism).value[0], dtype=np.float64) / UNIT
        self._odds = NoiseOdds.of(mechanism, UNIT)
        self._places = box.middle, box.half
        said = {"bounds": "a pair for each column", "sd": "as declared"}
        said |= {} if public is None else {"rows": "their number"}
        self._keep_receipt(fitting, plan.loss, mechanism=type(mechanism).__name__, public=said)

    def _inferred(self) -> tuple[Curve, ...]:
        return tuple(self._of_column(place) for place in range(len(self.totals_)))

    def _of_column(self, place: int) -> Curve:
        middle, half = (float(each[place]) for each in self._places)
        mean, prior_sd, sd = (float(each[place]) for each in self._prior)
        total = float(self.totals_[place])

        def logs(points: Floats) -> Floats:
            expected, variance = clipped_moments((points - middle) / half, sd / half)
            distance = total - self._numbers[None, :] * expected[:, None]
            each = self._odds.logs_with_normal(distance, self._numbers[None, :] * variance[:, None])
            found: Floats = special.logsumexp(each + self._logs, axis=1) - ((points - mean) / prior_sd) ** 2 / 2
            return found

        return curve_of(logs, mean - FAR * prior_sd, mean + FAR * prior_sd)

    def _plan(self, payment: Payment, width: int, *, counted: bool) -> SumPlan:
        moved = self._most_rows()
        sums = sensitivities(width, moved, replaces=replaces(payment))[1]
        return SumPlan.of(payment, sums, moved, counted=counted)

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The noise of sums, and of a mean if there are as many rows as expected."""
        noise = standard_deviation(self._plan(payment, columns, counted=True).sums[0]) / UNIT
        told = {"noise of each sum": f"{noise:.3g} half widths (standard deviation)"}
        return told if rows is None else {**told, "noise of each mean": f"{noise / rows:.2g} half widths"}


def clipped_moments(means: Floats, sd: float | Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of normal numbers that are clipped to [-1, 1].

    Example:
        >>> [each.round(4).tolist() for each in clipped_moments(np.array([0.0, 9.0]), 0.1)]
        [[0.0, 1.0], [0.01, 0.0]]
    """
    low, high = (-1 - means) / sd, (1 - means) / sd
    below, above = special.ndtr(low), special.ndtr(-high)
    inside = np.maximum(1 - below - above, 0.0)
    first, last = (np.exp(-(end**2) / 2) / np.sqrt(2 * np.pi) for end in (low, high))
    expected = above - below + means * inside + sd * (first - last)
    square = above + below + (means**2 + sd**2) * inside + 2 * means * sd * (first - last)
    square += sd**2 * (low * first - high * last)
    return expected, np.maximum(square - expected**2, 0.0)


def curve_of(logs: Any, low: float, high: float) -> Curve:  # noqa: ANN401 - a function of points
    """Return the density on points that lie where it does: found by looking closer and closer.

    Args:
        logs: the logarithm of the density at points, up to a constant.
        low: where it begins at the earliest.
        high: where it ends at the latest.
    """
    while True:
        points = np.linspace(low, high, POINTS)
        found = logs(points)
        (kept,) = np.nonzero(found > found.max() - DEEP)
        step = points[1] - points[0]
        first, last = max(low, points[kept[0]] - step), min(high, points[kept[-1]] + step)
        if last - first > (high - low) / 2 or not first < last:
            return Curve(points, found)
        low, high = first, last
