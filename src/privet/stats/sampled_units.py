"""SampledUnits: units as a sample of a population, each drawn by itself, with all its rows."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from privet.asking.question import Question
from privet.core import Release, Uncertainty
from privet.core.like_its_value import Sampling
from privet.postprocessing.sampling import sum_of_squares
from privet.stats.sums.linear_error import LinearError

WINDOWED = (
    "a window protects some of an owner's rows, and how many they have in all has no limit, so how far samples of "
    "owners differ is not known: ask with rows_per_unit in the place of window"
)
SIGNED = (
    "the bounds have both signs, so a sum tells nothing of how much rows vary: ask for the mean, or with bounds of one "
    'sign, or with neighbors="replace" and missing="none", where the number of rows is public'
)
ROOT = "how far deviations of samples differ is not computed: ask for the variance, and take the roots of its ends"


@dataclass(frozen=True)
class SampledUnits:
    """Who is sampled.

    Args:
        rows: how many rows a unit can have; the variance of rows is taken so many times (`postprocessing/sampling.py`).
        limited: whether it has no others.
    """

    rows: int = 1
    limited: bool = True

    @classmethod
    def of(cls, question: Question) -> "SampledUnits":
        """The units of a question."""
        return cls(question.rows, not question.windowed)

    def differ(self, *deviations: float) -> Sampling:
        """By how much samples differ if rows were drawn one by one by so much; for `Release.sampling`."""
        return tuple(float(each) * math.sqrt(self.rows) for each in deviations) if self.limited else WINDOWED

    def counts(self, value: Any) -> Sampling:  # noqa: ANN401 - a number or an array
        """Of counts, whose units are as random as what they are."""
        return self.differ(*np.sqrt(sum_of_squares(np.ravel(value).astype(np.float64), 1)).tolist())


def sampled_counts(question: Question, released: Release[Any]) -> Release[Any]:
    """The release of counts, with how much samples differ."""
    return replace(released, sampling=SampledUnits.of(question).counts(released.value))


def rows_at_least(rows: float, noise: Uncertainty, cells: int) -> float:
    """A released number of rows, the sum of so many noisy ones, at the lower end of its interval."""
    return rows - LinearError(noise, (1.0,) * cells).margin(0.95)
