"""NormalInverseGamma: mean and variance of normal numbers, after noisy sums and sums of squares."""

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from scipy import special, stats

from privet.asking.payment import Payment
from privet.learn.bayesian_model import BayesianModel, positive_numbers
from privet.learn.class_sums import UNIT
from privet.learn.features import Floats
from privet.learn.fitting import Fitting, budget_of, replaces
from privet.learn.moment_plan import MomentPlan
from privet.learn.noise_odds import NoiseOdds, spread_over
from privet.learn.posterior import Curve
from privet.learn.priced import Priced, priced

NUMBERS = 41  # of rows, over which posteriors are summed
POINTS = 61  # of means, and of standard deviations
NODES = 7  # of the mixture of normal distributions that stands for Laplace noise
DEEP = 25.0
RARE = 1e-7


class NormalInverseGamma(BayesianModel):
    """The posteriors of mean and variance of each column of normal numbers.

    Args:
        bounds: public bounds; values outside are clipped, and the posterior knows it.
        prior: (mean, rows, shape, scale), in the data's units: the variance is inverse gamma of shape and scale, the
            mean normal around `mean` with the variance over `rows`, as if so many rows had been seen.
        rows: how many rows there may be, (at least, at most), each number as likely; None if any. With
            neighbors="replace" their number is public, and is used.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes: `totals_` and `squares_` (noisy sums of z and of 2z² - 1, z in half widths from the middle), `rows_`,
        `privacy_`. `posterior()` has a pair for each column: of the mean and of the variance.

    Privacy: as promised by the price; see `MomentPlan` for the three draws and their proof.
    Not covered: small samples exactly. The posterior is a quadrature in which the sums are taken to be jointly normal,
        with the moments that clipping leaves, which holds from about 50 rows on; Laplace noise stands as a mixture of
        normal noises.

    Example:
        >>> rows = np.random.default_rng(1).normal(170, 8, size=(1000, 1))
        >>> model = NormalInverseGamma(bounds=(120, 220), prior=(165, 0.1, 2, 50), epsilon=10).fit(rows)
        >>> bool(abs(model.posterior_mean()[0, 0] - 170) < 2), bool(50 < model.posterior_mean()[0, 1] < 80)
        (True, True)
    """

    @priced
    def __init__(
        self,
        *,
        bounds: Any = None,  # noqa: ANN401 - a pair, pairs by name
        prior: tuple[float, float, float, float] = (0.0, 0.01, 1.0, 1.0),
        rows: Any = None,  # noqa: ANN401 - a pair
        **_: Unpack[Priced],
    ) -> None:
        self.bounds = bounds
        self.prior = prior
        self.rows = rows

    def _check(self) -> None:
        positive_numbers(self.prior[1:], "prior", 3)

    def _release(self, fitting: Fitting) -> None:
        box, public = self._box(), fitting.public_length
        plan = self._plan(fitting.payment, fitting.rows.width, counted=public is None)
        found = plan.released(fitting, box, classes=1, pooled=True, public=public)
        self.rows_ = float(found.counts[0])
        self._numbers, self._logs = np.array([self.rows_]), np.zeros(1)
        if plan.counts is not None:
            odds = NoiseOdds.of(plan.counts)
            self._numbers = spread_over(*odds.window(self.rows_, self._few, self._most), NUMBERS)
            self._logs = odds.logs(self.rows_ - self._numbers)
        self.totals_ = found.sums[0]
        self.squares_ = 2 * found.squares[0] - self.rows_  # as released: sums of 2z² - 1
        self._odds = NoiseOdds.of(plan.sums, UNIT), NoiseOdds.of(plan.squares, UNIT)
        self._places = box.middle, box.half
        said = {"bounds": "a pair for each column"} | ({} if public is None else {"rows": "their number"})
        self._keep_receipt(fitting, plan.loss, mechanism=type(plan.sums).__name__, public=said)

    def _inferred(self) -> tuple[tuple[Curve, Curve], ...]:
        return tuple(self._of_column(place) for place in range(len(self.totals_)))

    def _of_column(self, place: int) -> tuple[Curve, Curve]:
        """Look closer and closer, with noise as wide as normal one would be, and then once with what it is."""
        middle, half = (float(each[place]) for each in self._places)
        center, known, shape, scale = (float(each) for each in self.prior)
        center, scale = (center - middle) / half, scale / half**2
        variances = stats.invgamma.ppf([RARE, 1 - RARE], shape, scale=scale)
        reach = float(stats.t.isf(RARE, 2 * shape)) * np.sqrt(scale / shape / known)
        ends = np.array([[center - reach, center + reach], np.log(variances) / 2])

        def prior(means: Floats, logs: Floats) -> Floats:
            """Of the mean and the logarithm of the standard deviation."""
            inverse = np.exp(-2 * logs)
            found: Floats = -(2 * shape + 1) * logs - inverse * (scale + known * (means - center) ** 2 / 2)
            return found

        for _ in range(40):
            axes = [np.linspace(low, high, POINTS) for low, high in ends.tolist()]
            means, logs = (each.ravel() for each in np.meshgrid(*axes, indexing="ij"))
            rough = (prior(means, logs) + self._likelihood(place, means, np.exp(logs), nodes=1)).reshape(POINTS, POINTS)
            near = rough > rough.max() - DEEP
            closer = np.array([_ends(axis, near.any(axis=1 - way)) for way, axis in enumerate(axes)])
            if (np.diff(closer, axis=1) > np.diff(ends, axis=1) / 2).all():
                break
            ends = closer
        density = (prior(means, logs) + self._likelihood(place, means, np.exp(logs), nodes=NODES)).reshape(
            POINTS, POINTS
        )
        mean = Curve(middle + half * axes[0], special.logsumexp(density, axis=1))
        return mean, Curve(half**2 * np.exp(2 * axes[1]), special.logsumexp(density, axis=0))

    def _likelihood(self, place: int, means: Floats, sds: Floats, *, nodes: int) -> Floats:
        """The logarithm of the likelihood of both noisy sums."""
        expected, covariance = _moments(means, sds)
        mixtures = [_normals(each, nodes) for each in self._odds]
        parts = []
        for number, log in zip(self._numbers, self._logs, strict=True):
            apart = [
                noisy - number * each
                for noisy, each in zip((self.totals_[place], self.squares_[place]), expected, strict=True)
            ]
            for (first, one), (second, other) in ((x, y) for x in mixtures[0] for y in mixtures[1]):
                a, b, c = number * covariance[0] + first, number * covariance[2] + second, number * covariance[1]
                size = a * b - c * c
                far = (b * apart[0] ** 2 - 2 * c * apart[0] * apart[1] + a * apart[1] ** 2) / size
                parts.append(log + one + other - far / 2 - np.log(size) / 2)
        found: Floats = np.logaddexp.reduce(parts, axis=0)
        return found

    def _plan(self, payment: Payment, width: int, *, counted: bool) -> MomentPlan:
        said = {"replaces": replaces(payment), "counted": counted, "cubes": False}
        return MomentPlan.of(budget_of(payment), width=width, moved=self._most_rows(), **said)

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The noise of sums, and of mean and variance if there are as many rows as expected."""
        _, total, square = self._plan(payment, columns, counted=True).deviations
        told = {"noise of each sum": f"{total:.3g} half widths (standard deviation)"}
        if rows is not None:
            told["noise of each mean"] = f"{total / rows:.2g} half widths"
            told["noise of each variance"] = f"{square / rows:.2g} squared half widths"
        return told


def _ends(axis: Floats, kept: Floats) -> tuple[float, float]:
    (places,) = np.nonzero(kept)
    step = axis[1] - axis[0]
    return max(axis[0], axis[places[0]] - step), min(axis[-1], axis[places[-1]] + step)


def _normals(odds: NoiseOdds, nodes: int) -> list[tuple[float, float]]:
    """Variances of normal distributions, and the logarithms of their shares, that mixed are nearly the noise.

    Proof: Laplace noise of scale b is normal with variance 2b²E, E exponential (Andrews and Mallows 1974), here by
        Gauss and Laguerre's quadrature.
    """
    if not odds.laplace:
        return [(odds.scale**2, 0.0)]
    if nodes == 1:
        return [(2 * odds.scale**2, 0.0)]
    points, weights = np.polynomial.laguerre.laggauss(nodes)
    return [(2 * odds.scale**2 * point, float(np.log(weight))) for point, weight in zip(points, weights, strict=True)]


def _moments(means: Floats, sds: Floats) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats, Floats]]:
    """Means of z and of 2z² - 1 for clipped normal z, and their variances and covariance, by Gauss and Hermite."""
    points, weights = np.polynomial.hermite_e.hermegauss(48)
    shares = weights / weights.sum()
    z = np.clip(means[:, None] + sds[:, None] * points, -1, 1)
    q = 2 * z * z - 1
    first, second = z @ shares, q @ shares
    z, q = z - first[:, None], q - second[:, None]
    return (first, second), ((z * z) @ shares, (z * q) @ shares, (q * q) @ shares)
