"""GammaPoisson: how large a rate is, after counts were added up with noise."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.payment import Payment
from privet.core import Sensitivity
from privet.core.sensitivity import root_above
from privet.errors import InvalidParameter
from privet.learn.bayesian_model import BayesianModel, positive_numbers
from privet.learn.counted_posteriors import rate_posterior
from privet.learn.fitting import Fitting
from privet.learn.noise_odds import NoiseOdds, spread_over
from privet.learn.posterior import Mixture
from privet.learn.priced import Priced, priced
from privet.learn.rows import Rows
from privet.learn.sum_plan import SumPlan
from privet.loss.exact import whole
from privet.mechanisms.least_noise import standard_deviation

NUMBERS = 121  # of rows, over which posteriors are summed


class GammaPoisson(BayesianModel):
    """The posterior of the mean of each column of Poisson counts.

    Args:
        limit: the largest count of a row that counts; larger ones are cut off. The posterior takes it that there are
            next to none, so choose it far above the rate: noise grows with it.
        prior: (shape, rate) of the gamma distribution: as if `rate` rows with counts of `shape` in all had been seen.
        rows: how many rows there may be, (at least, at most), each number as likely; None if any. With
            neighbors="replace" their number is public, and is used.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes: `totals_` (noisy), `rows_` (noisy, or the public number), `privacy_`.

    Privacy: as promised by the price.
    Proof: values are rounded and cut to 0 … limit, missing ones to 0. So a row moves each total by at most `limit`,
        added, removed or replaced, and the number of rows by 1 (`SumPlan`). Posteriors are sums over all totals and
        numbers of rows that may lie behind the noisy ones (`rate_posterior`).

    Example:
        >>> model = GammaPoisson(limit=20, epsilon=10**6).fit([[2.0], [4.0]] * 100)
        >>> model.posterior()
        (2.99 ± 0.12, between 2.756 and 3.234 (95%),)
    """

    @priced
    def __init__(
        self,
        *,
        limit: int | None = None,
        prior: tuple[float, float] = (1.0, 1.0),
        rows: Any = None,  # noqa: ANN401 - a pair
        **_: Unpack[Priced],
    ) -> None:
        self.limit = limit
        self.prior = prior
        self.rows = rows

    def _check(self) -> None:
        positive_numbers(self.prior, "prior", 2)
        if self.limit is None:
            raise InvalidParameter(
                "GammaPoisson needs limit, the largest count of a row that counts: limit=20, for example"
            )
        whole(self.limit, "limit", high=2**40)

    def _release(self, fitting: Fitting) -> None:
        most, width = whole(self.limit, "limit"), fitting.rows.width
        public = fitting.public_length
        plan = self._plan(fitting.payment, width, counted=public is None)

        def totals(rows: Rows) -> NDArray[np.int64]:
            values = np.clip(np.rint(np.nan_to_num(rows.read_features(), nan=0.0)), 0, most)
            found: NDArray[np.int64] = values.astype(np.int64).sum(axis=0)
            return found

        draws = fitting.reserve(plan.mechanisms)
        self._numbers, self._logs = np.array([float(public or 0)]), np.zeros(1)
        self.rows_ = float(public or 0)
        if plan.rows is not None:
            self.rows_ = float(draws.release(_rows, plan.rows[1], plan.rows[0]).value)
            odds = NoiseOdds.of(plan.rows[0])
            self._numbers = spread_over(*odds.window(self.rows_, self._few, self._most), NUMBERS)
            self._logs = odds.logs(self.rows_ - self._numbers)
        mechanism, sensitivity = plan.sums
        self.totals_ = np.asarray(draws.release(totals, sensitivity, mechanism).value, dtype=np.float64)
        self._odds = NoiseOdds.of(mechanism)
        said = {"limit": f"{most}"} | ({} if public is None else {"rows": "their number"})
        self._keep_receipt(fitting, plan.loss, mechanism=type(mechanism).__name__, public=said)

    def _inferred(self) -> tuple[Mixture, ...]:
        shape, rate = (float(each) for each in self.prior)
        return tuple(
            rate_posterior(float(total), self._odds, self._numbers, self._logs, (shape, rate)) for total in self.totals_
        )

    def _plan(self, payment: Payment, width: int, *, counted: bool) -> SumPlan:
        reach = whole(self.limit, "limit") * self._most_rows()
        length = root_above(Fraction(reach) ** 2 * width)
        sums = Sensitivity(reach, cells=width, l1=reach * width, l2=length)
        return SumPlan.of(payment, sums, self._most_rows(), counted=counted)

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The noise of totals, and of a mean if there are as many rows as expected."""
        self._check()
        noise = standard_deviation(self._plan(payment, columns, counted=True).sums[0])
        told = {"noise of each total": f"{noise:.3g} (standard deviation)"}
        return told if rows is None else {**told, "noise of each mean": f"{noise / rows:.2g}, with {rows:,} rows"}


def _rows(rows: Rows) -> int:
    return len(rows.read_features())
