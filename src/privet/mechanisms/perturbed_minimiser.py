"""PerturbedMinimiser: what objective and output perturbation share, and what covers the solver's tolerance."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.core import Mechanism, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import PrivacyLoss
from privet.loss.exact import Exact, whole
from privet.mechanisms.additive import positive
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.linear_loss import Codes, Floats, LinearLoss
from privet.mechanisms.objective_solver import MORE, UNIT
from privet.noise import BitSource, GaussianLaw

TOLERANCE = 2.0**-22  # of the gradient, for noise of scale 1 or less
SOLVED_PART = 16  # how much less the noise that covers the tolerance reveals than the main one, in Gaussian privacy
FINE = 48  # bits to which standard normal numbers are rounded
MOST_WIDTH = 1 << 12


@dataclass(frozen=True, eq=False, repr=False)
class LabeledRows:
    """Rows of length at most 1, and the classes they belong to.

    Args:
        features: one row each.
        codes: places among the classes.

    Example:
        >>> import numpy as np
        >>> LabeledRows(np.array([[0.6, 0.8], [0.0, 1.0]]), np.array([0, 1]))
        LabeledRows(hidden)
    """

    features: Floats
    codes: Codes

    def __repr__(self) -> str:
        return "LabeledRows(hidden)"


@dataclass(frozen=True, init=False, repr=False)
class PerturbedMinimiser(Mechanism[LabeledRows, NDArray[np.float64]]):
    """Parameters T near the minimiser of Σ loss(T u, y) + penalty/2 |T|², one row a prediction.

    Args:
        row_loss: the loss of a row.
        width: how many numbers a row has; all of them are penalised, an intercept too.
        penalty: > 0; a public number, of the sum over rows and not of their mean.
        scale: > 0; of the noise.
        gaussian: True for independent normal numbers, False for noise with density proportional to exp(-|b| / scale).
        moved: how many rows a unit can add, remove or have replaced.
        replaced: True if neighbors have rows replaced.

    Privacy: `main_loss` is that of the ideal answer, with real noise and a real minimiser. On top comes that of noise
        on what is released, which covers the distance between ideal and computed: 1/256 of it.
    Proof: docs/proofs/objective-perturbation.md, "From real numbers to floats".
    """

    row_loss: LinearLoss
    width: int
    penalty: Fraction
    scale: Fraction
    gaussian: bool
    moved: int
    replaced: bool

    def __init__(  # noqa: PLR0913 - public numbers, each by name
        self,
        row_loss: LinearLoss,
        width: int,
        *,
        penalty: Exact,
        scale: Exact,
        gaussian: bool,
        moved: int = 1,
        replaced: bool = False,
    ) -> None:
        self._keep(row_loss=row_loss, width=whole(width, "width"), moved=whole(moved, "moved"))
        self._keep(penalty=_as_float(penalty, "penalty"), scale=_as_float(scale, "scale"))
        self._keep(gaussian=bool(gaussian), replaced=bool(replaced))
        if self.width > MOST_WIDTH:
            raise InvalidParameter(f"width must be at most {MOST_WIDTH}, got {self.width}")
        self.__post_init__()

    def __post_init__(self) -> None:
        """Refuse what a solver could not end with, from public numbers."""

    @property
    @abstractmethod
    def ratio(self) -> Fraction:
        """How far a row moves the noise, in its scale."""

    @property
    def reach(self) -> Fraction:
        """How far a unit does."""
        return self.ratio * self.moved * (2 if self.replaced else 1)

    @property
    @abstractmethod
    def main_loss(self) -> PrivacyLoss:
        """What the ideal answer reveals."""

    @cached_property
    def solved(self) -> Gaussian | Laplace:
        """The noise that covers the tolerance."""
        far = Fraction(2 * self.tolerance) / self.penalty
        if self.gaussian:
            return Gaussian(far, far * SOLVED_PART / self.reach)
        total = far * Fraction(math.isqrt(self.width * self.row_loss.outputs) + 1)
        return Laplace(total, total * SOLVED_PART**2 / self.reach)

    @property
    def tolerance(self) -> float:
        """The longest gradient that may be left, with the rounding of the noise."""
        return TOLERANCE * max(1.0, float(self.scale))

    @cached_property
    def loss(self) -> PrivacyLoss:
        """That of the minimiser and of the noise that covers the tolerance."""
        return self.main_loss + self.solved.loss

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared by rows: `Sensitivity(2)` says that a unit has two rows, or a row is replaced."""
        return sensitivity.l1 <= self.moved * (2 if self.replaced else 1)

    def check(self, value: LabeledRows) -> None:
        """Refuse what are not rows of this width and of length at most 1, with classes."""
        if not isinstance(value, LabeledRows):
            raise InvalidParameter(f"the value must be LabeledRows, got {type(value).__name__}")
        rows, codes = value.features, value.codes
        if rows.ndim != 2 or rows.shape[1] != self.width or codes.shape != (len(rows),):  # noqa: PLR2004 - a table
            raise InvalidParameter(f"the rows must be a table of {self.width} columns with one class for each row")
        if not (np.einsum("ij,ij->i", rows, rows) <= 1.0).all():
            raise InvalidParameter("rows must be finite and of length at most 1: clip them to a public length first")
        if not ((codes >= 0) & (codes < self.row_loss.classes)).all():
            raise InvalidParameter(f"codes must be whole numbers from 0 to {self.row_loss.classes - 1}")

    def covered(self, found: Floats, source: BitSource) -> NDArray[np.float64]:
        """What was computed, with the noise that hides how it differs from the ideal."""
        return np.asarray(self.solved.sample(found, source), dtype=np.float64)

    def noise(self, source: BitSource) -> tuple[Floats, float]:
        """Draw the noise; returns how far it may lie from the ideal real numbers.

        Proof: of every normal number the nearest multiple of 2^-48 is drawn. For G in R^D and G' in R^(D+1) of
            standard normal numbers, |G'| G has density proportional to exp(-|b|): given w = |G'|, whose density is
            w^D exp(-w²/2), that of wG is w^-D exp(-|b|²/(2w²)), and ∫ exp(-|b|²/(2w²) - w²/2) dw is exp(-|b|) times a
            constant.
        """
        count = self.width * self.row_loss.outputs
        scale, off = float(self.scale), 2.0 ** -(FINE + 1)
        normal = self._normal(source, count)
        if self.gaussian:
            push = scale * normal
            rounded = scale * off * math.sqrt(count) + 4 * UNIT * float(np.linalg.norm(push))
        else:
            length = float(np.linalg.norm(self._normal(source, count + 1)))
            push = scale * length * normal
            along = (length + 1) * math.sqrt(count) + float(np.linalg.norm(normal)) * math.sqrt(count + 1)
            rounded = scale * off * along + (count + 16) * UNIT * float(np.linalg.norm(push))
        return push.reshape(self.row_loss.outputs, self.width), MORE * rounded

    @staticmethod
    def _normal(source: BitSource, count: int) -> Floats:
        steps = GaussianLaw(2**FINE).many(source, count)
        return np.ldexp(steps.astype(np.float64), -FINE)


def _as_float(value: Exact, name: str) -> Fraction:
    """The float that was meant, exactly: the solver and the proof must have the same number."""
    return Fraction(float(positive(value, name)))
