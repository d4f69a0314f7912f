"""KaryRandomizedResponse: one of k categories that is sometimes another one."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.core import Mechanism, Sensitivity
from privet.errors import InvalidParameter
from privet.loss import KaryResponseCurve, PrivacyLoss
from privet.loss.exact import Exact, exact, exact_within, shortest, whole
from privet.loss.outward import decimal_of, float_down, precise
from privet.mechanisms.randomized_response import changed_cells
from privet.noise import BitSource
from privet.noise.favorite import FavoriteLaw

Categories: TypeAlias = int | ArrayLike
ReportedCategories: TypeAlias = int | NDArray[np.int64]  # a number for a number, an array for an array
MOST_CATEGORIES = 2**60  # so that a sum of two fits int64
MOST_EPSILON = 10**6  # far beyond any privacy


@dataclass(frozen=True, init=False, repr=False)
class KaryRandomizedResponse(Mechanism[Categories, ReportedCategories]):
    """Reports each category, or now and then another one; all others are equally likely.

    Args:
        categories: k, from 2 to 2^60; inputs and outputs are 0, 1, …, k - 1.
        epsilon: from 0 to a million, exact.
        cells: how many values one unit can change; 1 by default.

    Privacy: epsilon-DP for one value, cells times that for all a unit can change, in the local model and in the central
        one.
    Proof: the truth has probability e^epsilon / (k - 1 + e^epsilon), each other value 1 / (k - 1 + e^epsilon), so two
        rows differ by the factor e^epsilon in two outputs and agree in the others (Kairouz, Bonawitz and Ramage 2016).
    Not covered: how many values there are is public; so if each person owns one, neighbors replace an answer. Asked
        again, the same person pays again.

    Example:
        >>> response = KaryRandomizedResponse(categories=4, epsilon=1)
        >>> round(response.truth, 6), response.probabilities(2).round(6).tolist()
        (0.475367, [0.174878, 0.174878, 0.475367, 0.174878])
    """

    categories: int
    epsilon: Fraction
    cells: int

    def __init__(self, categories: int, epsilon: Exact, *, cells: int = 1) -> None:
        self._keep(categories=_number_of(categories), cells=whole(cells, "cells"))
        self._keep(epsilon=exact_within(epsilon, "epsilon", low=0, high=MOST_EPSILON))

    @classmethod
    def truthful(cls, *, categories: int, truth: Exact, cells: int = 1) -> "KaryRandomizedResponse":
        """Return the response that tells the truth with this probability: epsilon = ln(truth (k-1) / (1-truth)).

        The epsilon is rounded down, so the truth is told a trifle less often.

        Example:
            >>> round(float(KaryRandomizedResponse.truthful(categories=10, truth=0.5).epsilon), 6)
            2.197225
        """
        number = _number_of(categories)
        share = exact(truth, "truth")
        if not Fraction(1, number) <= share < 1:
            raise InvalidParameter(
                f"truth must be at least 1/categories, the share of a blind guess, and below 1, got {shortest(share)}"
            )
        return cls(number, _log_below(share * (number - 1) / (1 - share)), cells=cells)

    @property
    def truth(self) -> float:
        """The probability of reporting the truth."""
        return 1 / (1 + (self.categories - 1) * math.exp(-float(self.epsilon)))

    def probabilities(self, value: int) -> NDArray[np.float64]:
        """The probability of each report when the truth is `value`."""
        if not 0 <= whole(value, "value", low=0) < self.categories:
            raise InvalidParameter(f"value must be one of the {self.categories} categories 0 to {self.categories - 1}")
        others = math.exp(-float(self.epsilon)) * self.truth
        return np.where(np.arange(self.categories) == value, self.truth, others)

    @cached_property
    def _law(self) -> FavoriteLaw:
        """How far the report lies from the truth, modulo k."""
        return FavoriteLaw(self.categories, self.epsilon)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """The exact curve, once for each value that a unit can change."""
        return PrivacyLoss.of(KaryResponseCurve(self.categories, self.epsilon), self.cells)

    def covers(self, sensitivity: Sensitivity) -> bool:
        """Compared in the number of values that change; how far is no matter."""
        return changed_cells(sensitivity) <= self.cells

    def check(self, value: Categories) -> None:
        """Refuse what is not a category or a non-empty array of categories."""
        self._numbers(value)

    def sample(self, value: Categories, source: BitSource) -> ReportedCategories:
        """The categories, each moved round the circle of k or not."""
        array = self._numbers(value)
        moves = self._law.many(source, array.size).reshape(array.shape)
        reported = ((array + moves) % self.categories).astype(np.int64, copy=False)
        return reported if array.ndim else int(reported)

    def _numbers(self, value: Categories) -> NDArray[np.int64]:
        """Return the value as an array of categories; the error says what to do, and no category."""
        try:
            array = np.asarray(value)
        except (TypeError, ValueError, OverflowError):
            raise InvalidParameter("the value must be a category or a rectangular array of categories") from None
        if not array.size:
            raise InvalidParameter("the value must hold at least one category, got an empty array")
        if array.dtype.kind not in "iu":
            raise InvalidParameter(
                f"the value must hold categories as whole numbers, got {array.dtype}: number the categories from 0"
            )
        if not ((array >= 0) & (array < self.categories)).all():
            raise InvalidParameter(
                f"the value must hold categories 0 to {self.categories - 1}: "
                "number the categories from 0, and give all that are not listed one of their own"
            )
        return array.astype(np.int64)


@precise()
def _log_below(ratio: Fraction) -> Fraction:
    """The logarithm of a ratio >= 1, as a float from below."""
    return Fraction(repr(max(float_down(decimal_of(ratio).ln()), 0.0)))


def _number_of(categories: int) -> int:
    number = whole(categories, "categories", low=2)
    if number > MOST_CATEGORIES:
        raise InvalidParameter(f"categories must be at most 2^60, got {number}: hash the values to fewer first")
    return number
