"""Statistics of arrays and columns: one call, an answer with an error bar and a price."""

from privet.stats.asking import Asking
from privet.stats.bernstein_grid import BernsteinGrid
from privet.stats.cdf import cdf
from privet.stats.count import count
from privet.stats.counts import counts
from privet.stats.hierarchical_counts import hierarchical_counts
from privet.stats.histogram import histogram, histogram2d
from privet.stats.nadaraya_watson import NadarayaWatson
from privet.stats.priestley_chao import PriestleyChao
from privet.stats.quantile import maximum, median, minimum, quantile
from privet.stats.quantiles import quantile_interval, quantiles
from privet.stats.release_function import release_function
from privet.stats.sample_and_aggregate import sample_and_aggregate
from privet.stats.sampled_sensitivity import move_of, sampled_sensitivity
from privet.stats.sampling_plan import SamplingPlan
from privet.stats.smooth_sensitivity import smooth_median, smooth_sensitivity
from privet.stats.top_k import top_k
from privet.stats.total import total

__all__ = [
    "Asking",
    "BernsteinGrid",
    "NadarayaWatson",
    "PriestleyChao",
    "SamplingPlan",
    "cdf",
    "count",
    "counts",
    "hierarchical_counts",
    "histogram",
    "histogram2d",
    "maximum",
    "median",
    "minimum",
    "move_of",
    "quantile",
    "quantile_interval",
    "quantiles",
    "release_function",
    "sample_and_aggregate",
    "sampled_sensitivity",
    "smooth_median",
    "smooth_sensitivity",
    "top_k",
    "total",
]
