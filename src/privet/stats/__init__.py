"""Statistics of arrays and columns: one call, an answer with an error bar and a price.

`sums/`, `cells/`, `ranks/` and `functions/` hold what is particular to one statistic; how any of them is asked is in
`asking/`, what is made of released numbers in `postprocessing/`.

May import: errors, loss, noise, core, mechanisms, wording, postprocessing, asking.
Never touches: drawing noise, SQL.
"""

from privet.asking.asking import Asking
from privet.stats.cells.cdf import cdf
from privet.stats.cells.counts import counts
from privet.stats.cells.hierarchical_counts import hierarchical_counts
from privet.stats.cells.histogram import histogram, histogram2d
from privet.stats.cells.top_k import top_k
from privet.stats.functions.bernstein_grid import BernsteinGrid
from privet.stats.functions.nadaraya_watson import NadarayaWatson
from privet.stats.functions.priestley_chao import PriestleyChao
from privet.stats.functions.release_function import release_function
from privet.stats.functions.sample_and_aggregate import sample_and_aggregate
from privet.stats.functions.sampled_sensitivity import move_of, sampled_sensitivity
from privet.stats.functions.sampling_plan import SamplingPlan
from privet.stats.functions.smooth_sensitivity import smooth_median, smooth_sensitivity
from privet.stats.ranks.quantile import maximum, median, minimum, quantile
from privet.stats.ranks.quantiles import quantile_interval, quantiles
from privet.stats.release import release
from privet.stats.sums.correlation import correlation
from privet.stats.sums.count import count
from privet.stats.sums.covariance import covariance
from privet.stats.sums.covariance_matrix import CovarianceMatrix, covariance_matrix
from privet.stats.sums.mean import mean
from privet.stats.sums.moments import Moments, moments
from privet.stats.sums.proportion import proportion
from privet.stats.sums.total import total
from privet.stats.sums.variance import stddev, variance
from privet.stats.target_error import TargetError, target_error

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
    "release",
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
