"""Statistics of arrays and columns: one call, an answer with an error bar and a price."""

from privet.stats.asking import Asking
from privet.stats.cdf import cdf
from privet.stats.count import count
from privet.stats.counts import counts
from privet.stats.hierarchical_counts import hierarchical_counts
from privet.stats.histogram import histogram, histogram2d
from privet.stats.quantile import maximum, median, minimum, quantile
from privet.stats.quantiles import quantile_interval, quantiles
from privet.stats.top_k import top_k
from privet.stats.total import total

__all__ = [
    "Asking",
    "cdf",
    "count",
    "counts",
    "hierarchical_counts",
    "histogram",
    "histogram2d",
    "maximum",
    "median",
    "minimum",
    "quantile",
    "quantile_interval",
    "quantiles",
    "top_k",
    "total",
]
