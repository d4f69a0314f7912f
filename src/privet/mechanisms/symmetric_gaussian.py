"""SymmetricGaussian: Gaussian noise for symmetric matrices, measured by how far the matrix moves as a whole."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.core.sensitivity import refuse_undeclared, root_above
from privet.errors import InvalidParameter
from privet.loss import GaussianCurve, Guarantee, PrivacyLoss
from privet.loss.exact import Exact, readable, whole
from privet.mechanisms.additive import Numbers, positive
from privet.mechanisms.gaussian import ROOT, Gaussian, GaussianError
from privet.mechanisms.whole_noise import WIDE, whole_array, within_int64
from privet.noise import BitSource, GaussianLaw

HALF_ROOT = root_above(Fraction(1, 2))


@dataclass(frozen=True, init=False, repr=False)
class SymmetricGaussian(Mechanism[Numbers, NDArray[np.int64]]):
    """Adds Gaussian noise to the upper triangle of a symmetric matrix of whole numbers.

    Args:
        width: how many rows and columns the matrix has.
        l2_sensitivity: > 0; the largest Frobenius length (over all width² cells) by which the matrix moves between
            neighbors, once row and column i are multiplied by the i-th weight.
        scale: > 0; the standard deviation of the noise on the diagonal of the weighted matrix; beside it, √½ of that.
        weights: > 0, one for each row; the noise of cell (i, j) is divided by both weights. All 1 by default.
        promise: the (ε, δ) it was made for; set by `calibrated`.

    The value is the upper triangle, row by row, in whole numbers; so is the answer, cut off at the ends of int64.

    Privacy: that of `Gaussian` for l2_sensitivity / scale, under either neighbor relation for which it holds.
    Proof: in the weighted matrix, a move Δ counts Σ Δ_ii²/σ² + Σ_{i<j} Δ_ij²/(σ²/2) = Σ_{i,j} Δ_ij²/σ², its squared
        Frobenius length over σ²; of independent Gaussian noises only that sum counts. Whole numbers plus real noise,
        rounded, are post-processing. A row x moves Σ x x' by exactly |x|²: the noise of Dwork, Talwar, Thakurta and
        Zhang 2014 ("Analyze Gauss"), with half their variance beside the diagonal.
    Not covered: time.

    Example:
        >>> noise = SymmetricGaussian.calibrated(epsilon=1, delta=1e-6, width=3, sensitivity=Sensitivity(2**20))
        >>> (noise.deviations / 2**20).round(2).tolist()  # diagonal, and beside it
        [4.22, 2.99, 2.99, 4.22, 2.99, 4.22]
    """

    width: int
    l2_sensitivity: Fraction
    scale: Fraction
    weights: tuple[Fraction, ...]
    promise: Guarantee | None = field(repr=False)

    def __init__(
        self,
        width: int,
        *,
        l2_sensitivity: Exact,
        scale: Exact,
        weights: Sequence[Exact] | None = None,
        promise: Guarantee | None = None,
    ) -> None:
        rows = whole(width, "width")
        self._keep(width=rows, l2_sensitivity=positive(l2_sensitivity, "l2_sensitivity"))
        self._keep(scale=positive(scale, "scale"), promise=promise)
        self._keep(weights=tuple(positive(each, "weights") for each in weights or [1] * rows))
        if len(self.weights) != rows:
            raise InvalidParameter(f"weights must be one number > 0 for each of the {rows} rows")
        if max(self._scales) > WIDE:
            raise InvalidParameter("the noise must stay below 2^50 steps: round the numbers to fewer digits first")
        self._refuse_broken_promise()

    @classmethod
    def calibrated(  # noqa: PLR0913 - what is protected, and three ways to say how well
        cls,
        *,
        width: int,
        sensitivity: Sensitivity,
        weights: Sequence[Exact] | None = None,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        rho: Exact | None = None,
    ) -> "SymmetricGaussian":
        """Return the mechanism with the least noise for a matrix that moves by `sensitivity.l2`, weights included."""
        refuse_undeclared(sensitivity)
        plain = Gaussian.calibrated(sensitivity=sensitivity, epsilon=epsilon, delta=delta, rho=rho)
        return cls(width, l2_sensitivity=sensitivity.l2, scale=plain.scale, weights=weights, promise=plain.promise)

    @cached_property
    def _described(self) -> str:
        """The public parameters; equal weights that follow each other are counted."""
        runs = [(each, len(list(several))) for each, several in groupby(self.weights)]
        said = ", ".join(f"{count} × {readable(weight)}" for weight, count in runs)
        numbers = f"l2_sensitivity={readable(self.l2_sensitivity)}, scale={readable(self.scale)}"
        return f"SymmetricGaussian({self.width}, {numbers}, weights={said})"

    @cached_property
    def _scales(self) -> tuple[Fraction, ...]:
        """The standard deviation of each cell's noise."""
        return tuple(
            self.scale * (1 if i == j else HALF_ROOT) / (self.weights[i] * self.weights[j])
            for i, j in zip(*np.triu_indices(self.width), strict=True)
        )

    @property
    def deviations(self) -> NDArray[np.float64]:
        """The standard deviation of each cell's noise."""
        return np.array([float(each) for each in self._scales])

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The Gaussian curve of l2_sensitivity / scale."""
        return PrivacyLoss.of(GaussianCurve(self.l2_sensitivity / self.scale))

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in L2, over all cells of the weighted matrix, up to the rounding of a root."""
        return sensitivity.l2 <= self.l2_sensitivity * ROOT

    def check(self, value: Numbers) -> None:
        """Refuse what is not the upper triangle of such a matrix, in whole numbers."""
        array = whole_array(value)
        cells = self.width * (self.width + 1) // 2
        if array.dtype.kind not in "biu" or array.dtype == np.uint64:
            raise InvalidParameter(f"the value must hold whole numbers within int64, got {array.dtype}: round them")
        if array.shape != (cells,):
            raise InvalidParameter(
                f"the value must be the upper triangle of the matrix, {cells} numbers row by row, "
                f"got an array of shape {array.shape}"
            )

    def sample(self, value: Numbers, source: BitSource) -> NDArray[np.int64]:
        """The numbers plus noise, cut off at the ends of int64."""
        self.check(value)
        array = whole_array(value).astype(np.int64)
        noise = np.empty_like(array)
        scales = np.array([self._kinds.index(each) for each in self._scales])
        for kind, scale in enumerate(self._kinds):
            here = scales == kind
            noise[here] = GaussianLaw(scale * ROOT).many(source, int(here.sum()))
        return within_int64(array, noise).astype(np.int64, copy=False)

    @cached_property
    def _kinds(self) -> list[Fraction]:
        return sorted(set(self._scales))

    @cached_property
    def uncertainty(self) -> GaussianError:
        """Of the number with the widest noise; others err less."""
        return GaussianError(float(max(self._scales) * ROOT) * (1 + 2.0**-48), 1.0)
