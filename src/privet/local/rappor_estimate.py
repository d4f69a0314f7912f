"""RapporEstimate: which share of the devices has each candidate, by least squares on the bits of all cohorts."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import ndtri

from privet.core.release import CONFIDENCE
from privet.core.uncertainty import refuse_certainty
from privet.errors import InvalidParameter
from privet.local.estimate import Estimate
from privet.postprocessing.simplex import with_total

Floats = NDArray[np.float64]
ILL = 1e10  # condition from which candidates cannot be told apart


@dataclass(frozen=True, repr=False, eq=False)
class RapporEstimate(Estimate):
    """Shares of candidates, and of all that was not looked for.

    Args:
        protocol, reports, loss, epsilon: as of every `Estimate`.
        names: of the candidates.
        shares: of each candidate, and last of all others.
        errors: the standard errors of these.

    Example:
        >>> from privet.local import Rappor
        >>> protocol = Rappor(bits=16, hashes=2, cohorts=2, f=0.25, p=0.25, q=0.75, categories=["cat", "dog"])
        >>> protocol.estimate(protocol.privatize(["cat", "dog"] * 500)).names
        ('cat', 'dog')
    """

    names: tuple[Any, ...]
    shares: Floats
    errors: Floats

    @property
    def value(self) -> Floats:
        """The unbiased share of each candidate; noise may carry it below 0 or above 1. See `consistent`."""
        return self.shares[:-1]

    @property
    def unlisted(self) -> float:
        """The share of values that were not looked for."""
        return float(self.shares[-1])

    @property
    def standard_error(self) -> Floats:
        """Over noise, samples of devices, and the hashes of values that were not looked for."""
        return self.errors[:-1]

    def interval(
        self,
        confidence: float = CONFIDENCE,
        *,
        simultaneous: bool = False,
        population: bool = True,  # noqa: ARG002 - devices are spread over cohorts by chance, so one serves for both
    ) -> tuple[Floats, Floats]:
        """By the normal law; all together by the union bound. For these very devices it is a little too wide."""
        refuse_certainty(confidence, "confidence")
        cells = len(self.names) if simultaneous else 1
        margin = -float(ndtri((1 - confidence) / 2 / cells)) * self.standard_error
        return self.value - margin, self.value + margin

    def significant(self, confidence: float = CONFIDENCE) -> NDArray[np.bool_]:
        """Which candidates surely occur: with this confidence none is named that does not."""
        refuse_certainty(confidence, "confidence")
        found: NDArray[np.bool_] = self.value > -float(ndtri((1 - confidence) / len(self.names))) * self.standard_error
        return found

    @cached_property
    def consistent(self) -> Floats:
        """The nearest shares that are not negative and, with the unlisted, add up to 1: biased, so without interval."""
        return with_total(self.shares, 1.0)[:-1]

    @cached_property
    def table(self) -> pa.Table:
        """Value, share with its ends, standard error, whether it surely occurs, and consistent share."""
        low, high = self.interval()
        return pa.table(
            {
                "value": pa.array([str(name) for name in self.names]),
                "share": self.value,
                "share_low": low,
                "share_high": high,
                "standard_error": self.standard_error,
                "significant": self.significant(),
                "consistent": self.consistent,
            }
        )


def decoded(
    counts: NDArray[np.int64], sets: Floats, *, chances: tuple[float, float], fill: float
) -> tuple[Floats, Floats]:
    """The shares of candidates and of all others, with their standard errors.

    Args:
        counts: for each cohort how many reports it has, and how many of them have each bit set.
        sets: which bits each candidate sets in each cohort.
        chances: p* and q*.
        fill: how likely any other value sets a given bit.

    Proof: of the reports of a cohort, a share of λ = p* + (q* - p*) μ has a bit set, μ being the sum of the shares of
        the values that set it; others set it with probability `fill`. Weighted least squares are linear in the shares
        of reports, so they are unbiased, and their variance is that of these shares: λ(1 - λ) on the diagonal, and
        beside it (q* - p*)² times the covariance of the bits of a random value. Which bits others set is by chance as
        well, for all devices of a cohort alike: at most as if all others were one value.
    """
    low, high = chances
    used = counts[:, 0] > 0
    reports, seen = counts[used, 0].astype(np.float64), counts[used, 1:] / counts[used, :1]
    design = np.concatenate([sets[used], np.full((*sets[used].shape[:2], 1), fill)], axis=2)
    normal = np.einsum("i,ijc,ijd->cd", reports, design, design, optimize=True)
    if np.linalg.cond(normal) > ILL:
        raise InvalidParameter(
            "these values cannot be told apart by the cohorts and bits that reported: look for fewer values, or "
            "collect with more cohorts or bits"
        )
    solve = np.einsum("cd,i,ijd->icj", np.linalg.inv(normal), reports, design, optimize=True)
    shares: Floats = np.einsum("icj,ij->c", solve, (seen - low) / (high - low), optimize=True)
    likely = np.maximum(shares, 0.0) / max(float(np.maximum(shares, 0.0).sum()), 1e-9)
    together = np.einsum("ijc,c,ikc->ijk", design, likely, design, optimize=True)
    mean = design @ likely
    covariance = (high - low) ** 2 * (together - mean[:, :, None] * mean[:, None, :])
    rate = low + (high - low) * mean
    places = np.arange(design.shape[1])
    covariance[:, places, places] = rate * (1 - rate)
    covariance /= (reports * (high - low) ** 2)[:, None, None]
    hidden = max(float(shares[-1]), 0.0) ** 2 * fill * (1 - fill)
    variance = np.einsum("icj,ijk,ick->c", solve, covariance, solve, optimize=True) + hidden * (solve**2).sum(
        axis=(0, 2)
    )
    return shares, np.sqrt(np.maximum(variance, 0.0))
