"""Mechanisms: one file each, with its proof, its loss and the law of its error.

`least_noise.py` compares them: of several ways to make numbers noisy it takes the one of the smallest expected error.

May import: errors, loss, noise, core.
Never touches: tables, files.
"""

from privet.mechanisms.bernstein import Bernstein
from privet.mechanisms.bernstein_function import BernsteinFunction
from privet.mechanisms.best_run import BestRun, Scored
from privet.mechanisms.cap_choice import CapChoice
from privet.mechanisms.centered_products import CenteredProducts
from privet.mechanisms.centered_spread import CenteredSpread
from privet.mechanisms.correlated_noise import CorrelatedNoise
from privet.mechanisms.correlated_steps import CorrelatedSteps
from privet.mechanisms.cube_noise import CubeNoise
from privet.mechanisms.discrete_gaussian import DiscreteGaussian
from privet.mechanisms.discrete_laplace import DiscreteLaplace
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.finite_mechanism import FiniteMechanism
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.halving_quantiles import HalvingQuantiles
from privet.mechanisms.interval_quantile import IntervalQuantile
from privet.mechanisms.kary_randomized_response import KaryRandomizedResponse
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.noisy_max import NoisyMax
from privet.mechanisms.noisy_steps import NoisySteps
from privet.mechanisms.objective_perturbation import ObjectivePerturbation
from privet.mechanisms.output_perturbation import OutputPerturbation
from privet.mechanisms.partition_counts import PartitionCounts
from privet.mechanisms.partition_selection import PartitionSelection
from privet.mechanisms.permute_and_flip import PermuteAndFlip
from privet.mechanisms.perturbed_minimiser import LabeledRows
from privet.mechanisms.point_quantile import PointQuantile
from privet.mechanisms.promised_selection import PromisedSelection
from privet.mechanisms.quantile_interval import QuantileInterval
from privet.mechanisms.random_runs import RandomRuns
from privet.mechanisms.randomized_response import RandomizedResponse
from privet.mechanisms.sample_and_aggregate import GroupedRows, SampleAndAggregate
from privet.mechanisms.smooth import SmoothValue
from privet.mechanisms.smooth_cauchy import SmoothCauchy
from privet.mechanisms.smooth_gaussian import SmoothGaussian
from privet.mechanisms.smooth_laplace import SmoothLaplace
from privet.mechanisms.smooth_sensitivity import (
    compare_with_global,
    localized_gaussian,
    median_smooth_sensitivity,
    smooth_bound,
    smooth_median,
)
from privet.mechanisms.sparse_vector import Crossings, SparseVector
from privet.mechanisms.staircase import Staircase
from privet.mechanisms.symmetric_gaussian import SymmetricGaussian
from privet.mechanisms.top_choices import TopChoices
from privet.mechanisms.two_round_selection import TwoRoundSelection

__all__ = [
    "Bernstein",
    "BernsteinFunction",
    "BestRun",
    "CapChoice",
    "CenteredProducts",
    "CenteredSpread",
    "CorrelatedNoise",
    "CorrelatedSteps",
    "Crossings",
    "CubeNoise",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Exponential",
    "FiniteMechanism",
    "Gaussian",
    "GroupedRows",
    "HalvingQuantiles",
    "IntervalQuantile",
    "KaryRandomizedResponse",
    "LabeledRows",
    "Laplace",
    "NoisyMax",
    "NoisySteps",
    "ObjectivePerturbation",
    "OutputPerturbation",
    "PartitionCounts",
    "PartitionSelection",
    "PermuteAndFlip",
    "PointQuantile",
    "PromisedSelection",
    "QuantileInterval",
    "RandomRuns",
    "RandomizedResponse",
    "SampleAndAggregate",
    "Scored",
    "SmoothCauchy",
    "SmoothGaussian",
    "SmoothLaplace",
    "SmoothValue",
    "SparseVector",
    "Staircase",
    "SymmetricGaussian",
    "TopChoices",
    "TwoRoundSelection",
    "compare_with_global",
    "localized_gaussian",
    "median_smooth_sensitivity",
    "smooth_bound",
    "smooth_median",
]
