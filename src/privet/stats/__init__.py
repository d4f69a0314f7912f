"""Statistics of arrays and columns: one call, an answer with an error bar and a price."""

from privet.stats.asking import Asking
from privet.stats.correlation import correlation
from privet.stats.count import count
from privet.stats.covariance import covariance
from privet.stats.covariance_matrix import CovarianceMatrix, covariance_matrix
from privet.stats.histogram import histogram, histogram2d
from privet.stats.mean import mean
from privet.stats.moments import Moments, moments
from privet.stats.proportion import proportion
from privet.stats.quantile import maximum, median, minimum, quantile
from privet.stats.quantiles import quantiles
from privet.stats.target_error import TargetError, target_error
from privet.stats.total import total
from privet.stats.variance import stddev, variance

__all__ = [
    "Asking",
    "CovarianceMatrix",
    "Moments",
    "TargetError",
    "correlation",
    "count",
    "covariance",
    "covariance_matrix",
    "histogram",
    "histogram2d",
    "maximum",
    "mean",
    "median",
    "minimum",
    "moments",
    "proportion",
    "quantile",
    "quantiles",
    "stddev",
    "target_error",
    "total",
    "variance",
]
