"""The minimiser of a perturbed objective, with a proven bound of the gradient that is left."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import arb, arb_mat
from numpy.typing import NDArray

from privet.mechanisms.linear_loss import Codes, Floats, LinearLoss
from privet.noise.lazy import at_precision

UNIT = 2.0**-53
MORE = 1.01  # what the bounds themselves, computed in floats, may lose
BLOCK = 256  # rows whose gradients are added up in one product; these sums are added without rounding
STEPS, EXACT_STEPS = 100, 30
SAMPLE = 4000  # rows from which the way begins
FAST = 20.0  # by how much the gradient falls from step to step where bends are used again
CHUNK = 1 << 12  # rows whose products are added up at once
DIGITS = 128  # bits of balls
ROUNDING = 1e-12  # by how much of its terms J may seem to grow, as it is added up in floats
Product = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False, repr=False)
class PerturbedObjective:
    """The J(T) = Σ loss(T u_i, y_i) + penalty/2 |T|² + <push, T>.

    Args:
        row_loss: the loss of a row.
        rows: u_i, each of length at most 1.
        codes: y_i, places among the classes.
        penalty: > 0.
        push: the noise, one row for each prediction.

    What comes out is T with |∇J(T)| at most a tolerance, proven with every rounding error of the sum counted, however T
    was found. J is strongly convex, so T is within tolerance / penalty of the minimiser.
    """

    row_loss: LinearLoss
    rows: Floats
    codes: Codes
    penalty: float
    push: Floats

    def minimiser(self, tolerance: float) -> Floats:
        """Return T; raises where no float is near enough, which takes more rows than fit into memory.

        Proof: Newton's method with steps halved until J or its gradient falls; no property of it is used but the bound
            of the gradient at the end. Where floats cannot prove the bound, balls do.
        """
        found = self._newton(np.zeros_like(self.push), tolerance / 4)
        if self.left(found) <= tolerance:
            return found
        for _ in range(EXACT_STEPS):
            gradient, radius = self.exact_gradient(found)
            if (float(np.linalg.norm(gradient)) + radius) * MORE <= tolerance:
                return found
            found = found - self._divider(self.rows @ found.T)(gradient)
        raise ArithmeticError("the objective was not solved")

    def left(self, place: Floats) -> float:
        """Return a bound of |∇J(T)|.

        Proof: with g_k = k u / (1 - k u), a product of d numbers errs by g_d |u_i| |T| in whatever order it is added,
            which moves a row's gradient by the curvature times that; evaluating it adds `evaluated`. Sums of 256
            rows err by g_256 times the sum of lengths, and are added up exactly (`fsum`, rounded once).
        """
        width, outputs, classes = self.rows.shape[1], self.push.shape[0], self.row_loss.classes
        length = float(np.linalg.norm(place))
        turned = math.sqrt(classes) * _gamma(width + classes + 8) * length
        each = self.row_loss.evaluated + float(self.row_loss.curvature) * turned
        reach = float(self.row_loss.reach)
        slopes = self.row_loss.slopes(self.rows @ place.T, self.codes)
        blocks = self._block_sums(slopes)
        sums = np.array([math.fsum(column) for column in blocks.reshape(len(blocks), -1).T.tolist()])
        total = sums.reshape(outputs, width)
        gradient = total + self.penalty * place + self.push
        sizes = sum(float(np.linalg.norm(part)) for part in (total, self.penalty * place, self.push, gradient))
        rounded = len(self.rows) * (each + (_gamma(BLOCK) + 2 * UNIT) * (reach + each)) + 4 * UNIT * sizes
        return MORE * (float(np.linalg.norm(gradient)) + rounded)

    def _block_sums(self, slopes: Floats) -> Floats:
        """The sums of gradients over blocks of rows; the last block is whatever is left."""
        count, width = self.rows.shape
        whole = count // BLOCK * BLOCK
        first = np.matmul(
            slopes[:whole].reshape(-1, BLOCK, slopes.shape[1]).transpose(0, 2, 1),
            self.rows[:whole].reshape(-1, BLOCK, width),
        )
        rest = slopes[whole:].T @ self.rows[whole:]
        return np.concatenate([first, rest[None]])

    def exact_gradient(self, place: Floats) -> tuple[Floats, float]:
        """Return ∇J(T) and how far it may be off: rows one by one in balls, slow."""
        with at_precision(DIGITS):
            turned = arb_mat(place.T.tolist())
            total = arb_mat(place.tolist()) * arb(self.penalty) + arb_mat(self.push.tolist())
            for start in range(0, len(self.rows), BLOCK):
                block = arb_mat(self.rows[start : start + BLOCK].tolist())
                predictions = (block * turned).tolist()
                codes = self.codes[start : start + BLOCK].tolist()
                slopes = [self.row_loss.slope_balls(z, code) for z, code in zip(predictions, codes, strict=True)]
                total += arb_mat(slopes).transpose() * block
            entries = total.entries()
            middle = np.array([float(entry.mid()) for entry in entries])
            radius = math.fsum(float(entry.rad().upper()) for entry in entries) + UNIT * float(np.abs(middle).sum())
        return middle.reshape(place.shape), radius

    # --- Newton's method ----------------------------------------------------------------------------------------

    @cached_property
    def _sampled(self) -> "PerturbedObjective | None":
        """A small problem with nearly the same minimiser: every so many rows, and as much less of the rest."""
        every = len(self.rows) // SAMPLE
        if every < 2:  # noqa: PLR2004 - half of the rows are no help
            return None
        rows = np.ascontiguousarray(self.rows[::every])
        share = len(rows) / len(self.rows)
        return PerturbedObjective(self.row_loss, rows, self.codes[::every], self.penalty * share, self.push * share)

    def _newton(self, place: Floats, tolerance: float) -> Floats:
        """Minimise in floats; the best that was found."""
        if self._sampled is not None:
            place = self._sampled._newton(place, 1.0)  # noqa: SLF001 - its own class
        predictions, gradient = self._at(place)
        before, divided = math.inf, self._divider(predictions)
        for _ in range(STEPS):
            size = float(np.linalg.norm(gradient))
            if size <= tolerance:
                break
            if size * FAST > before:  # else the bends of an earlier place still do
                divided = self._divider(predictions)
            before, step = size, divided(gradient)
            found = self._nearer(place, predictions, gradient, step, size)
            if found is None:
                break
            place, predictions, gradient = found
        return place

    def _nearer(
        self, place: Floats, predictions: Floats, gradient: Floats, step: Floats, size: float
    ) -> tuple[Floats, Floats, Floats] | None:
        """Where J has fallen by a part of what the step promised, or the gradient by half; None where neither did.

        J is convex, so it falls from here to there by at least the part times <∇J there, step>: where that is enough, J
        need not be computed. It must not grow where the gradient falls by half: steps across a bend and back could
        take turns for ever.
        """
        value, fall, part = None, float((gradient * step).sum()), 1.0
        while part > UNIT:
            tried = place - part * step
            seen, slope = self._at(tried)
            halved, onward = float(np.linalg.norm(slope)) <= size / 2, float((slope * step).sum())
            if onward >= (0 if halved else 1e-4 * fall):
                return tried, seen, slope
            value = self._value(place, predictions) if value is None else value
            rounded = ROUNDING * (abs(value) + float(np.linalg.norm(self.push)) * float(np.linalg.norm(place)))
            if self._value(tried, seen) <= value + (rounded if halved else -1e-4 * part * fall):
                return tried, seen, slope
            part /= 2
        return None

    def _value(self, place: Floats, predictions: Floats) -> float:
        """J, in floats."""
        rest = self.penalty / 2 * float((place * place).sum()) + float((self.push * place).sum())
        return self.row_loss.total(predictions, self.codes) + rest

    def _at(self, place: Floats) -> tuple[Floats, Floats]:
        """The predictions and the gradient, in floats."""
        predictions = self.rows @ place.T
        slopes = self.row_loss.slopes(predictions, self.codes)
        return predictions, slopes.T @ self.rows + self.penalty * place + self.push

    def _divider(self, predictions: Floats) -> Product:
        """What divides the second derivatives into a gradient."""
        if self.push.shape[0] == 1:
            bends = self.row_loss.bends(predictions, self.codes, np.ones_like(predictions))
            second = self._products(bends)
            second[np.diag_indices_from(second)] += self.penalty
            return lambda gradient: np.linalg.solve(second, gradient[0])[None]

        def product(move: Floats) -> Floats:
            bends = self.row_loss.bends(predictions, self.codes, self.rows @ move.T)
            return bends.T @ self.rows + self.penalty * move

        return lambda gradient: conjugate(product, gradient)

    def _products(self, bends: Floats) -> Floats:
        """The weighted sum of products of columns, near enough for a step: added up in short floats."""
        second = np.zeros((self.rows.shape[1],) * 2)
        for start in range(0, len(self.rows), CHUNK):
            piece = self._short[start : start + CHUNK]
            second += piece.T @ (bends[start : start + CHUNK].astype(np.float32) * piece)
        return second

    @cached_property
    def _short(self) -> NDArray[np.float32]:
        """The rows in short floats."""
        return self.rows.astype(np.float32)


def conjugate(product: Product, target: Floats) -> Floats:
    """Return about what a positive linear map takes to the target, by conjugate gradients.

    Example:
        >>> conjugate(lambda move: 2 * move, np.array([[4.0, 2.0]])).tolist()
        [[2.0, 1.0]]
    """
    found, rest = np.zeros_like(target), target.copy()
    way, size = rest, float((rest * rest).sum())
    enough = size * min(0.01, size) ** 2 + 1e-300  # the nearer the end, the more digits
    for _ in range(target.size + 20):
        if size <= enough:
            break
        image = product(way)
        part = size / float((way * image).sum())
        found, rest = found + part * way, rest - part * image
        before, size = size, float((rest * rest).sum())
        way = rest + size / before * way
    return found


def _gamma(count: int) -> float:
    """How far a sum of so many products may be off, as a share of the sum of their sizes."""
    return count * UNIT / (1 - count * UNIT)
