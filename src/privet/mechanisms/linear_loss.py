"""LinearLoss: losses of linear predictions whose first and second derivatives are bounded."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb
from numpy.typing import NDArray
from scipy import special

from privet.errors import InvalidParameter
from privet.loss.exact import whole
from privet.mechanisms.row_products import row_products

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
EVALUATED = 2.0**-46  # more than evaluating a derivative in float64 loses, for each number that goes in
ORTHONORMAL = 1 + Fraction(1, 2**40)  # more than the columns of `basis`, which are floats, are longer than 1
NARROWEST, WIDEST = Fraction(1, 64), 64


class LinearLoss(ABC):
    """The loss of a row is a function of its class and of its predictions z, which are linear in the parameters.

    Privacy: `reach` bounds the length of the gradient in z, `curvature` the second derivatives in any direction, and
        `trace` their sum: what objective perturbation is proven from. No loss without such bounds can be one: with
        e^z - y z (Poisson) a row can multiply the determinant of the second derivatives by any number.
    """

    classes: int

    @property
    @abstractmethod
    def outputs(self) -> int:
        """How many predictions there are for a row."""

    @property
    @abstractmethod
    def reach(self) -> Fraction:
        """The longest gradient in z."""

    @property
    @abstractmethod
    def curvature(self) -> Fraction:
        """The largest second derivative in z in any direction."""

    @property
    @abstractmethod
    def trace(self) -> Fraction:
        """The largest sum of second derivatives in z."""

    @property
    @abstractmethod
    def sharpness(self) -> Fraction | None:
        """The c with l'' <= c s (1 - s), s = |l'| / reach; None where there is none."""

    @property
    @abstractmethod
    def pure_share(self) -> Fraction | None:
        """The penalty times ε of a row from which pure noise needs no more than ε; None if there is none."""

    @abstractmethod
    def total(self, predictions: Floats, codes: Codes) -> float:
        """The sum of the losses."""

    @abstractmethod
    def slopes(self, predictions: Floats, codes: Codes) -> Floats:
        """The gradient of each row's loss in z, one row each."""

    @abstractmethod
    def bends(self, predictions: Floats, codes: Codes, moves: Floats) -> Floats:
        """The second derivative of each row's loss, applied to a move of z."""

    @abstractmethod
    def slope_balls(self, predictions: list[arb], code: int) -> list[arb]:
        """The gradient of one row's loss in z, as balls."""

    @property
    def evaluated(self) -> float:
        """How far a row's computed gradient may lie from the exact one at the same z."""
        return self.classes * (1 + float(self.curvature)) * EVALUATED


@dataclass(frozen=True)
class MarginLoss(LinearLoss):
    """A loss that falls with the margin: the prediction times the class, -1 or 1."""

    classes = 2
    outputs = 1
    reach = Fraction(1)

    @property
    def trace(self) -> Fraction:
        """There is one."""
        return self.curvature

    @property
    def pure_share(self) -> Fraction | None:
        """The sharpness."""
        return self.sharpness

    @abstractmethod
    def share(self, margins: Floats) -> Floats:
        """The s = -l' at each margin, between 0 and 1."""

    @abstractmethod
    def bend(self, margins: Floats) -> Floats:
        """The l'' at each margin."""

    @abstractmethod
    def lost(self, margins: Floats) -> Floats:
        """The l at each margin."""

    @abstractmethod
    def share_ball(self, margin: arb) -> arb:
        """The s at a margin."""

    def total(self, predictions: Floats, codes: Codes) -> float:
        """The sum of the losses."""
        return float(self.lost(predictions[:, 0] * (2.0 * codes - 1.0)).sum())

    def slopes(self, predictions: Floats, codes: Codes) -> Floats:
        """The gradient of each row's loss."""
        signs = 2.0 * codes - 1.0
        return (-signs * self.share(predictions[:, 0] * signs))[:, None]

    def bends(self, predictions: Floats, codes: Codes, moves: Floats) -> Floats:
        """The second derivatives times the moves."""
        return self.bend(predictions[:, 0] * (2.0 * codes - 1.0))[:, None] * moves

    def slope_balls(self, predictions: list[arb], code: int) -> list[arb]:
        """The gradient of one row's loss."""
        sign = 2 * code - 1
        return [-sign * self.share_ball(sign * predictions[0])]


@dataclass(frozen=True)
class SoftHinge(MarginLoss):
    """The h log(1 + exp((corner - margin) / h)): logistic loss, and hinge loss with its corner made round.

    Args:
        width: h; from 1/64 to 64. Logistic loss has 1.
        corner: where the hinge bends: 0 or 1.

    Proof: s is the logistic function of (corner - margin) / h, so l'' = s (1 - s) / h <= 1 / (4 h).
    """

    width: Fraction = Fraction(1)
    corner: int = 0

    def __post_init__(self) -> None:
        _refuse_width(self.width)

    @property
    def curvature(self) -> Fraction:
        """A quarter of 1 / h."""
        return 1 / (4 * self.width)

    @property
    def sharpness(self) -> Fraction:
        """1 / h."""
        return 1 / self.width

    def _place(self, margins: Floats) -> Floats:
        return (self.corner - margins) / float(self.width)

    def share(self, margins: Floats) -> Floats:
        """The logistic function of the place."""
        found: Floats = special.expit(self._place(margins))
        return found

    def bend(self, margins: Floats) -> Floats:
        """The s (1 - s) / h."""
        share = self.share(margins)
        return share * (1.0 - share) / float(self.width)

    def lost(self, margins: Floats) -> Floats:
        """The loss."""
        found: Floats = float(self.width) * np.logaddexp(0.0, self._place(margins))
        return found

    def share_ball(self, margin: arb) -> arb:
        """The s at a margin."""
        return 1 / (1 + ((margin - self.corner) / _ball(self.width)).exp())


@dataclass(frozen=True)
class HuberHinge(MarginLoss):
    """Hinge loss whose corner is a parabola of half width h (Chapelle 2007).

    Args:
        width: h; from 1/64 to 64.

    Proof: s falls from 1 to 0 evenly as the margin goes from 1 - h to 1 + h, so l'' <= 1 / (2 h), and is as large where
        s is near 1: nothing of it is free.
    """

    width: Fraction = Fraction(1, 2)
    sharpness = None

    def __post_init__(self) -> None:
        _refuse_width(self.width)

    @property
    def curvature(self) -> Fraction:
        """Half of 1 / h."""
        return 1 / (2 * self.width)

    def share(self, margins: Floats) -> Floats:
        """How much of the corner is still ahead."""
        half = float(self.width)
        return np.clip((1.0 + half - margins) / (2.0 * half), 0.0, 1.0)

    def bend(self, margins: Floats) -> Floats:
        """The second derivative."""
        return (np.abs(1.0 - margins) < float(self.width)) / (2.0 * float(self.width))

    def lost(self, margins: Floats) -> Floats:
        """The loss."""
        half = float(self.width)
        return np.where(margins < 1.0 - half, 1.0 - margins, half * self.share(margins) ** 2)

    def share_ball(self, margin: arb) -> arb:
        """The s at a margin."""
        half = _ball(self.width)
        return ((1 + half - margin) / (2 * half)).max(arb(0)).min(arb(1))


@dataclass(frozen=True)
class SoftmaxLoss(LinearLoss):
    """Logistic loss of several classes: -log of the probability of the row's class.

    Args:
        classes: how many; at least 2.

    The scores of the classes add up to 0: they are `basis` times classes - 1 predictions.

    Proof: with probabilities p and class y, the gradient in the scores is p - e_y, a mixture of the e_k - e_y, of
        length √2 at most; the second derivative is diag p - pp', with largest eigenvalue 1/2 at most and trace
        1 - |p|² <= (K - 1)/K. The basis makes nothing longer by more than `ORTHONORMAL`.
    """

    classes: int = 3
    sharpness = None

    def __post_init__(self) -> None:
        whole(self.classes, "classes", low=2)

    @cached_property
    def basis(self) -> Floats:
        """Orthonormal columns that add up to 0, one for each prediction (Helmert's)."""
        basis = np.zeros((self.classes, self.outputs))
        for column in range(self.outputs):
            basis[: column + 1, column] = 1.0
            basis[column + 1, column] = -(column + 1.0)
            basis[:, column] /= math.sqrt((column + 1.0) * (column + 2.0))
        return basis

    @property
    def outputs(self) -> int:
        """One less than the classes."""
        return self.classes - 1

    @property
    def reach(self) -> Fraction:
        """The root of 2."""
        return Fraction(math.nextafter(math.sqrt(2), 2)) * ORTHONORMAL

    @property
    def curvature(self) -> Fraction:
        """A half."""
        return Fraction(1, 2) * ORTHONORMAL**2

    @property
    def trace(self) -> Fraction:
        """The (K - 1) / K."""
        return Fraction(self.outputs, self.classes) * ORTHONORMAL**2

    @property
    def pure_share(self) -> Fraction:
        """Four."""
        return 4 * ORTHONORMAL**4

    def scores(self, predictions: Floats) -> Floats:
        """Of the classes, for each row."""
        return row_products(predictions, self.basis.T)

    def probabilities(self, predictions: Floats) -> Floats:
        """Of the classes, for each row."""
        found: Floats = special.softmax(self.scores(predictions), axis=1)
        return found

    def total(self, predictions: Floats, codes: Codes) -> float:
        """The sum of the losses."""
        scores = self.scores(predictions)
        return float((special.logsumexp(scores, axis=1) - scores[np.arange(len(codes)), codes]).sum())

    def slopes(self, predictions: Floats, codes: Codes) -> Floats:
        """The gradient of each row's loss."""
        apart = self.probabilities(predictions)
        apart[np.arange(len(codes)), codes] -= 1.0
        slopes: Floats = row_products(apart, self.basis)
        return slopes

    def bends(self, predictions: Floats, codes: Codes, moves: Floats) -> Floats:  # noqa: ARG002 - does not matter here
        """The second derivatives times the moves."""
        chances = self.probabilities(predictions)
        weighted = chances * (moves @ self.basis.T)
        bends: Floats = (weighted - chances * weighted.sum(axis=1, keepdims=True)) @ self.basis
        return bends

    def slope_balls(self, predictions: list[arb], code: int) -> list[arb]:
        """The gradient of one row's loss."""
        basis = [[arb(float(each)) for each in row] for row in self.basis]
        scores = [sum((b * z for b, z in zip(row, predictions, strict=True)), arb(0)) for row in basis]
        powers = [(score - scores[code]).exp() for score in scores]
        whole_sum = sum(powers, arb(0))
        apart = [power / whole_sum - (1 if place == code else 0) for place, power in enumerate(powers)]
        return [sum((a * row[at] for a, row in zip(apart, basis, strict=True)), arb(0)) for at in range(self.outputs)]


def _ball(number: Fraction) -> arb:
    return arb(number.numerator) / arb(number.denominator)


def _refuse_width(width: Fraction) -> None:
    if not NARROWEST <= width <= WIDEST:
        raise InvalidParameter("the width of a hinge's corner must lie between 1/64 and 64")
