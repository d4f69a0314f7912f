"""BetaBernoulli: how large a share is, after rows were counted with noise."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.payment import Payment
from privet.core import Sensitivity
from privet.core.sensitivity import root_above
from privet.learn.bayesian_model import BayesianModel, positive_numbers
from privet.learn.class_tables import count_noise, released_tables
from privet.learn.counted_posteriors import share_posterior, share_posteriors
from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.noise_odds import NoiseOdds
from privet.learn.posterior import Mixture
from privet.learn.priced import Priced, priced
from privet.learn.rows import Rows
from privet.learn.sum_noise import sum_noise
from privet.learn.table_nb import foreseen_counts


class BetaBernoulli(BayesianModel):
    """The posterior of the share of rows that hold 1, in each column of zeros and ones.

    Args:
        prior: (a, b) of the beta distribution: as if a ones and b zeros had been seen before.
        rows: how many rows there may be, (at least, at most), each number as likely; None if any. With
            neighbors="replace" their number is public, and is used.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes: `counts_` (noisy zeros and ones of each column, or ones alone where the number of rows is public),
        `privacy_`.

    Privacy: as promised by the price. Values above 0.5 count as 1, all others, and missing ones, as 0.
    Proof: a row counts in one of two cells of each column (`moved_counts`). Where n is public, ones alone are counted:
        `rows_per_unit` replaced rows move that by as many in each column. Posteriors are exact sums over the counts
        that may lie behind the noisy ones (`counted_posteriors`).

    Example:
        >>> model = BetaBernoulli(epsilon=10**6, neighbors="replace").fit([[1.0]] * 300 + [[0.0]] * 700)
        >>> model.posterior()
        (0.3004 ± 0.014, between 0.2724 and 0.3291 (95%),)
    """

    @priced
    def __init__(self, *, prior: tuple[float, float] = (1.0, 1.0), rows: Any = None, **_: Unpack[Priced]) -> None:  # noqa: ANN401 - a pair
        self.prior = prior
        self.rows = rows

    def _check(self) -> None:
        positive_numbers(self.prior, "prior", 2)

    def _release(self, fitting: Fitting) -> None:
        width = fitting.rows.width
        self._public = fitting.public_length
        if self._public is None:
            tables, release = released_tables(fitting, _codes, sizes=(2,) * width)
            self.counts_ = tables.counts.reshape(width, 2)
            _, mechanism = count_noise(fitting.payment, width, fitting.moved_rows)
        else:
            moved = fitting.moved_rows
            length = root_above(Fraction(moved) ** 2 * width)
            sensitivity = Sensitivity(moved, cells=width, l1=moved * width, l2=length)
            mechanism = sum_noise(fitting.budget, sensitivity)
            release = fitting.release(_ones, sensitivity, mechanism)
            self.counts_ = np.asarray(release.value, dtype=np.float64)
        self._odds = NoiseOdds.of(mechanism)
        public = {"columns": f"{width} of zeros and ones"} | ({} if self._public is None else {"rows": "their number"})
        self._keep_receipt(fitting, release.loss, mechanism=release.mechanism, public=public)

    def _inferred(self) -> tuple[Mixture, ...]:
        a, b = (float(each) for each in self.prior)
        if self._public is not None:
            return tuple(share_posterior(float(ones), self._public, self._odds, (a, b)) for ones in self.counts_)
        prior, rows = np.array([b, a]), (self._few, self._most)
        return tuple(share_posteriors(pair, self._odds, prior, rows)[1] for pair in self.counts_)

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The noise, and how wide the posterior of an even share is, without noise and with it."""
        _, mechanism = count_noise(payment, columns, self._most_rows())
        told = dict(foreseen_counts(mechanism, None, 1))
        if rows is not None:
            told["standard deviation of an even share"] = (
                f"{math.sqrt(0.25 / rows):.2g} from {rows:,} rows, without noise"
            )
        return told


def _codes(rows: Floats) -> NDArray[np.int64]:
    with np.errstate(invalid="ignore"):
        return (rows > 0.5).astype(np.int64)  # noqa: PLR2004 - halfway


def _ones(rows: Rows) -> NDArray[np.int64]:
    found: NDArray[np.int64] = _codes(rows.read_features()).sum(axis=0)
    return found
