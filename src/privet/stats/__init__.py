"""Statistics of arrays and columns: one call, an answer with an error bar and a price."""

from privet.stats.asking import Asking
from privet.stats.bernstein_grid import BernsteinGrid
from privet.stats.cdf import cdf
from privet.stats.correlation import correlation
from privet.stats.count import count
from privet.stats.counts import counts
from privet.stats.covariance import covariance
from privet.stats.covariance_matrix import CovarianceMatrix, covariance_matrix
from privet.stats.hierarchical_counts import hierarchical_counts
from privet.stats.histogram import histogram, histogram2d
from privet.stats.mean import mean
from privet.stats.moments import Moments, moments
from privet.stats.nadaraya_watson import NadarayaWatson
from privet.stats.priestley_chao import PriestleyChao
from privet.stats.proportion import proportion
from privet.stats.quantile import maximum, median, minimum, quantile
from privet.stats.quantiles import quantile_interval, quantiles
from privet.stats.release_function import release_function
from privet.stats.sample_and_aggregate import sample_and_aggregate
from privet.stats.sampled_sensitivity import move_of, sampled_sensitivity
from privet.stats.sampling_plan import SamplingPlan
from privet.stats.smooth_sensitivity import smooth_median, smooth_sensitivity
from privet.stats.target_error import TargetError, target_error
from privet.stats.top_k import top_k
from privet.stats.total import total
from privet.stats.variance import stddev, variance

__all__ = [
    "Asking",
    "BernsteinGrid",
    "CovarianceMatrix",
    "Moments",
    "NadarayaWatson",
    "PriestleyChao",
    "SamplingPlan",
    "TargetError",
    "cdf",
    "correlation",
    "count",
    "counts",
    "covariance",
    "covariance_matrix",
    "hierarchical_counts",
    "histogram",
    "histogram2d",
    "maximum",
    "mean",
    "median",
    "minimum",
    "moments",
    "move_of",
    "proportion",
    "quantile",
    "quantile_interval",
    "quantiles",
    "release_function",
    "sample_and_aggregate",
    "sampled_sensitivity",
    "smooth_median",
    "smooth_sensitivity",
    "stddev",
    "target_error",
    "top_k",
    "total",
    "variance",
]
