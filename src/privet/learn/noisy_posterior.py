"""NoisyPosterior: what released sums of products say about the coefficients of a linear model, noise included."""

from dataclasses import dataclass

import numpy as np

from privet.learn.features import Floats

ROUNDS = 3  # the width of the noise depends on the coefficients: it is worked out so often
LEAST = 2.0**-20  # below this the lattice matters more than noise
SMALLEST = 1e-6  # a residual variance, in half widths squared
FLOOR = 1e-14  # of eigenvalues, as a share of the largest


@dataclass(frozen=True)
class NoisyPosterior:
    """Coefficients b of y = (1, x) b, in the units of the sums: a normal law around their mean.

    Args:
        mean: the most likely coefficients.
        covariance: how far they may be off, by the noise and by the sample.
        residual: the variance of what the model leaves unexplained.

    Privacy: computed from released numbers, and from deviations and a prior that are public.
    How it is made: A + E and g + e are released, where g = A b + s with the sample's part s. So what was released, less
        itself times b, is e - E b + s, whose covariance N is known: cells have noise of their own, and cell (k, j) is
        in rows k and j. With b normal a priori, this is a linear model with noise N (compare Bernstein and Sheldon
        2019). N depends on b, so it is made anew from the last law of b, three times.
    """

    mean: Floats
    covariance: Floats
    residual: float

    @classmethod
    def of(
        cls,
        sums: Floats,
        deviations: Floats,
        *,
        prior: Floats,
        penalty: Floats | None = None,
        within: Floats | None = None,
    ) -> "NoisyPosterior":
        """Return the law of the coefficients.

        Args:
            sums: the noisy sums of v v', the target's last.
            deviations: the standard deviation of the noise of each.
            prior: the variance of each coefficient before anything is known.
            penalty: what is added to the sums of squares: then the coefficients of that ridge regression are told.
            within: a matrix whose first column is a point and whose others are the directions in which coefficients may
                lie from there, which is not penalised; all coefficients are free by default.
        """
        place = len(sums) - 1
        point, ways = _free(place) if within is None else (within[:, 0], within[:, 1:])
        products = definite(sums[:place, :place])
        along = ways.T @ (products + np.diag(np.zeros(place) if penalty is None else penalty)) @ ways
        variances = np.maximum(deviations, LEAST) ** 2
        target, square, known = sums[:place, place], sums[place, place], prior if within is None else prior[1:]
        rows = max(float(sums[0, 0]), 1.0)
        about, residual = np.diag(prior), 1 / 3
        mean, covariance = np.zeros(place), np.diag(prior)
        for _ in range(ROUNDS):
            noise = _noise(variances, about) + residual * products
            weighed = inverse(ways.T @ noise @ ways) @ along
            free = inverse(along.T @ weighed + np.diag(1 / known))
            mean = point + ways @ (free @ (weighed.T @ (ways.T @ (target - products @ point))))
            covariance = ways @ free @ ways.T
            about = np.outer(mean, mean) + covariance
            left = (square - 2 * target @ mean + mean @ products @ mean) / rows
            residual = float(min(max(left, SMALLEST), 1.0))
        return cls(mean, covariance, residual)


def definite(matrix: Floats) -> Floats:
    """Return the nearest symmetric matrix without negative eigenvalues.

    Example:
        >>> definite(np.array([[1.0, 0.0], [0.0, -2.0]])).tolist()
        [[1.0, 0.0], [0.0, 0.0]]
    """
    values, vectors = np.linalg.eigh(matrix)
    found: Floats = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return found


def inverse(matrix: Floats) -> Floats:
    """Return the inverse of a symmetric matrix that is positive but for rounding.

    Example:
        >>> inverse(np.array([[2.0, 0.0], [0.0, 4.0]])).tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    scale = 1 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    values, vectors = np.linalg.eigh(matrix * np.outer(scale, scale))
    found: Floats = (vectors / np.maximum(values, FLOOR * values[-1])) @ vectors.T * np.outer(scale, scale)
    return found


def _noise(variances: Floats, about: Floats) -> Floats:
    """The covariance of e - E b, for a b of these second moments."""
    place = len(about)
    cells = variances[:place, :place]
    noise = cells * about
    np.fill_diagonal(noise, cells @ np.diag(about) + variances[:place, place])
    return noise


def _free(place: int) -> tuple[Floats, Floats]:
    return np.zeros(place), np.eye(place)
