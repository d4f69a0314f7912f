"""Statistics of arrays and columns: one call, an answer with an error bar and a price."""

from privet.stats.asking import Asking
from privet.stats.count import count
from privet.stats.histogram import histogram, histogram2d
from privet.stats.quantile import maximum, median, minimum, quantile
from privet.stats.quantiles import quantiles
from privet.stats.total import total

__all__ = [
    "Asking",
    "count",
    "histogram",
    "histogram2d",
    "maximum",
    "median",
    "minimum",
    "quantile",
    "quantiles",
    "total",
]
