"""DirichletCategorical: how large the shares of categories are, after rows were counted with noise."""

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from privet.asking.payment import Payment
from privet.errors import InvalidParameter
from privet.learn.bayesian_model import BayesianModel, positive_numbers
from privet.learn.categorical_nb import declared_categories, places_among
from privet.learn.class_tables import count_noise, released_tables
from privet.learn.counted_posteriors import share_posteriors
from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.noise_odds import NoiseOdds
from privet.learn.posterior import Mixture
from privet.learn.priced import Priced, priced
from privet.learn.table_nb import foreseen_counts


class DirichletCategorical(BayesianModel):
    """The posterior of the shares of each column's categories.

    Args:
        categories: for each column how many categories it has, which are 0, 1, …, or a list of numbers; one number for
            all columns, or a mapping by names. Values that are not listed count as the last one.
        prior: as if so many rows of each category had been seen before: a number for all categories.
        rows: how many rows there may be, (at least, at most), each number as likely; None if any. With
            neighbors="replace" their number is public, and is used.
        epsilon, delta, rho, risk, neighbors, ledger, unit, rows_per_unit, purpose: see `PrivateEstimator`.

    Attributes: `counts_` (noisy, an array for each column), `privacy_`.

    Privacy: as promised by the price.
    Proof: a row counts in one cell of each column (`moved_counts`). Posteriors are exact sums over the counts that may
        lie behind the noisy ones, up to steps of a quarter of the noise's scale where that is above 6 rows.

    Example:
        >>> model = DirichletCategorical(categories=3, epsilon=10**6).fit([[0], [0], [1], [2]] * 100)
        >>> model.posterior_mean().round(3).tolist()
        [[0.499, 0.251, 0.251]]
    """

    @priced
    def __init__(
        self,
        *,
        categories: Any = None,  # noqa: ANN401 - numbers, lists of them, by name
        prior: float = 1.0,
        rows: Any = None,  # noqa: ANN401 - a pair
        **_: Unpack[Priced],
    ) -> None:
        self.categories = categories
        self.prior = prior
        self.rows = rows

    def _check(self) -> None:
        positive_numbers(self.prior, "prior", 1)

    def _release(self, fitting: Fitting) -> None:
        names = getattr(self, "feature_names_in_", None)
        known = declared_categories(self.categories, fitting.rows.width, None if names is None else tuple(names))
        if any(len(each) < 2 for each in known):  # noqa: PLR2004 - what shares are of
            raise InvalidParameter("categories must be at least two in each column, of which the last holds all others")

        def codes(rows: Floats) -> NDArray[np.int64]:
            columns = [np.minimum(places_among(each, of), len(of) - 1) for each, of in zip(rows.T, known, strict=True)]
            return np.stack(columns, axis=1)

        tables, release = released_tables(fitting, codes, sizes=tuple(len(each) for each in known))
        self.counts_ = [table[0] for table in tables.tables]
        _, mechanism = count_noise(fitting.payment, len(known), fitting.moved_rows)
        self._odds = NoiseOdds.of(mechanism)
        self._public = fitting.public_length
        public = {"categories": f"{sum(map(len, known))} in {len(known)} columns"}
        public |= {} if self._public is None else {"rows": "their number"}
        self._keep_receipt(fitting, release.loss, mechanism=release.mechanism, public=public)

    def _inferred(self) -> tuple[tuple[Mixture, ...], ...]:
        rows = self._few, self._most
        prior = float(self.prior)
        return tuple(
            share_posteriors(counts, self._odds, np.full(len(counts), prior), rows, public=self._public)
            for counts in self.counts_
        )

    def _foresee(self, payment: Payment, *, columns: int, rows: int | None) -> Mapping[str, str]:
        """The noise of each count."""
        _, mechanism = count_noise(payment, columns, self._most_rows())
        return foreseen_counts(mechanism, rows, 1, "column")
