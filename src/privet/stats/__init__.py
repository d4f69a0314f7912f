"""Statistics of arrays and columns: one call, an answer with an error bar and a price."""

from privet.stats.asking import Asking
from privet.stats.correlation import correlation
from privet.stats.count import count
from privet.stats.covariance import covariance
from privet.stats.mean import mean
from privet.stats.moments import Moments, moments
from privet.stats.proportion import proportion
from privet.stats.target_error import TargetError, target_error
from privet.stats.total import total
from privet.stats.variance import stddev, variance

__all__ = [
    "Asking",
    "Moments",
    "TargetError",
    "correlation",
    "count",
    "covariance",
    "mean",
    "moments",
    "proportion",
    "stddev",
    "target_error",
    "total",
    "variance",
]
