"""One example of every kind of curve, for tests that hold for all of them."""

import math
from dataclasses import dataclass

import numpy as np

from privet.loss import (
    ApproximateCurve,
    BestOfCurve,
    BestOfPoissonCurve,
    ConcentratedCurve,
    DiscreteGaussianCurve,
    DiscreteLaplaceCurve,
    ExponentialCurve,
    FiniteCurve,
    GaussianCurve,
    KaryResponseCurve,
    LaplaceCurve,
    LossCurve,
    MixtureCurve,
    NamingCurve,
    PermuteAndFlipCurve,
    PrivacyLoss,
    RandomizedResponseCurve,
    RenyiBoundCurve,
    ShuffledCurve,
    ShuffledKaryCurve,
    ShuffledResponseCurve,
    TabulatedCurve,
    WorstOfCurve,
)
from privet.loss.curve import Array
from privet.loss.curves.allocated import AllocatedCurve
from privet.loss.curves.combined import ParallelCurve, ReversedCurve
from privet.loss.curves.group import GroupCurve
from privet.loss.curves.objective import PerturbedObjectiveCurve
from privet.loss.curves.replaced_sample import ReplacedSampleCurve
from privet.loss.curves.sampled import SampledCurve

of = PrivacyLoss.of


@dataclass(frozen=True)
class Triangle(LossCurve):
    """A curve as a user would write it: nothing but delta."""

    top: float

    def removing(self, epsilon: Array) -> Array:
        room = math.exp(self.top) - np.exp(np.minimum(epsilon, self.top))
        return math.tanh(self.top / 2) / math.expm1(self.top) * room


CURVES: tuple[LossCurve, ...] = (
    ApproximateCurve(1),
    ApproximateCurve("0.3", "1e-5"),
    ApproximateCurve(0),
    ExponentialCurve(2),
    PermuteAndFlipCurve("0.7"),
    LaplaceCurve("0.5"),
    LaplaceCurve(1000),
    DiscreteLaplaceCurve(scale=3, sensitivity=2),
    GaussianCurve("0.4"),
    PerturbedObjectiveCurve("0.5", "0.1", free="0.3"),
    PerturbedObjectiveCurve("0.3", "0.2", corners=2),
    PerturbedObjectiveCurve("0.3", "0.2", replaced=True),
    GaussianCurve(30),
    GaussianCurve(0),
    DiscreteGaussianCurve(scale=4, sensitivity=3),
    DiscreteGaussianCurve(scale=30_000),
    FiniteCurve([["0.5", "0.5", 0], ["0.25", "0.5", "0.25"], [0, "0.5", "0.5"]]),
    RandomizedResponseCurve("0.1", "0.3"),
    RandomizedResponseCurve.truthful("0.75"),
    KaryResponseCurve(categories=5, epsilon=1),
    ConcentratedCurve("0.1"),
    RenyiBoundCurve(order=8, divergence="0.5"),
    WorstOfCurve((of(LaplaceCurve(1)), of(GaussianCurve("0.5")))),
    ParallelCurve((of(LaplaceCurve(1)), of(LaplaceCurve("0.5"), 3))),
    MixtureCurve(("0.2", "0.8"), (of(LaplaceCurve(1)), of(GaussianCurve("0.5")))),
    NamingCurve("1e-5"),
    NamingCurve("0.3"),
    TabulatedCurve(((1, "1e-5"), (2, "1e-9"))),
    GroupCurve(GaussianCurve("0.2"), 3),
    SampledCurve(of(GaussianCurve(1)), "0.05"),
    SampledCurve(of(LaplaceCurve(1)) + of(GaussianCurve("0.5")), "0.1"),
    ReversedCurve(SampledCurve(of(GaussianCurve(1)), "0.05")),
    AllocatedCurve(of(GaussianCurve(1)), 20),
    AllocatedCurve(of(LaplaceCurve("0.5")), 3),
    ReplacedSampleCurve(of(GaussianCurve(1)), of(GaussianCurve(2)), "0.05"),
    ReplacedSampleCurve(of(LaplaceCurve(1)), of(LaplaceCurve(1)), "0.3"),
    BestOfCurve(of(LaplaceCurve("0.5")), stop="0.05", shape=0),
    BestOfCurve(of(SampledCurve(of(GaussianCurve(1)), "0.2")), stop="0.1", shape=1),
    BestOfPoissonCurve(of(NamingCurve("1e-5")) + of(LaplaceCurve("0.3")), mean_runs=5),
    ShuffledCurve(epsilon=1, reports=200),
    ShuffledKaryCurve(categories=4, epsilon=1, reports=200),
    ShuffledKaryCurve(categories=2, epsilon=1, reports=200),
    ShuffledResponseCurve("0.2", "0.3", reports=200),
    Triangle(1.5),
)
