"""BayesianModel: what conjugate models share: columns, what is known of the number of rows, and posteriors."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from privet.errors import InvalidParameter
from privet.learn.features import Floats
from privet.learn.fitting import Fitting
from privet.learn.posterior import Posterior
from privet.learn.private_estimator import PrivateEstimator
from privet.loss.exact import shown, whole

FAR = 2.0**50  # more rows than there can be


class BayesianModel(PrivateEstimator):
    """A conjugate model of each column by itself, whose posterior knows that the statistics are noisy.

    Privacy: noise is added to sufficient statistics, once; posteriors, which take its law into account, follow from
        what was released. One draw from an exact posterior would be private too if the log-likelihood of a row were
        bounded, at four times that bound; it tells less than a whole posterior, and each draw costs again.
    """

    rows: Any

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, ARG002, N803 - scikit-learn's names
        """Pay, and release noisy statistics of every column."""
        self._few, self._most = self._known_rows()
        self._check()
        fitting = self._begin(X, groups=groups)
        self._release(fitting)
        self._posteriors: Any = None
        return self

    def posterior(self) -> Any:  # noqa: ANN401 - posteriors, nested where a column has several
        """What is believed of each column's parameter: a tuple of `Posterior`, one for each column."""
        check_is_fitted(self)
        if self._posteriors is None:
            self._posteriors = self._inferred()
        return self._posteriors

    def posterior_mean(self) -> Floats:
        """The expected value of each parameter."""
        return self._each(lambda one: one.mean)

    def posterior_sd(self) -> Floats:
        """The standard deviation of each parameter."""
        return self._each(lambda one: one.sd)

    def credible_interval(self, confidence: float = 0.95) -> Floats:
        """The ends of an interval that holds each parameter with this probability.

        Args:
            confidence: between 0 and 1, both excluded.
        """
        return self._each(lambda one: one.interval(confidence))

    @abstractmethod
    def _release(self, fitting: Fitting) -> None:
        """Pay, and keep noisy statistics as attributes, with the receipt."""

    @abstractmethod
    def _inferred(self) -> Any:  # noqa: ANN401 - posteriors
        """The posteriors, from what was released."""

    @abstractmethod
    def _check(self) -> None:
        """Refuse wrong parameters."""

    def _each(self, read: Any) -> Floats:  # noqa: ANN401 - a function of a posterior
        def over(found: Any) -> Any:  # noqa: ANN401 - nested tuples
            return read(found) if isinstance(found, Posterior) else [over(each) for each in found]

        return np.array(over(self.posterior()))

    def _known_rows(self) -> tuple[float, float]:
        """How many rows there may be, at least and at most."""
        said = self.rows
        if said is None:
            return 0.0, FAR
        if isinstance(said, str) or not hasattr(said, "__len__") or len(said) != 2:  # noqa: PLR2004 - a pair
            raise InvalidParameter(
                f"rows must be a pair (at least, at most) that is public knowledge, got {shown(said)}"
            )
        few, most = (float(whole(each, "rows", low=0)) for each in said)
        if most < few:
            raise InvalidParameter("rows must be a pair (at least, at most), the smaller first")
        return few, most


def positive_numbers(said: Any, name: str, width: int) -> Floats:  # noqa: ANN401 - refused in words
    """Return one number > 0 for each column, from one for all or one for each."""
    try:
        found = np.broadcast_to(np.asarray(said, dtype=np.float64), (width,)).copy()
    except (TypeError, ValueError):
        raise InvalidParameter(f"{name} must be a number > 0, or one for each of the {width} columns") from None
    if not np.isfinite(found).all() or (found <= 0).any():
        raise InvalidParameter(f"{name} must be > 0 and finite, got {shown(said)}")
    return found
