"""Privet: let others learn from data about people without exposing anyone."""

from importlib import import_module
from typing import TYPE_CHECKING

from privet.core import Ledger, Release, Sensitive, Sensitivity, Unit, calibrate
from privet.errors import BudgetExceeded, PrivetError
from privet.loss import ConcentratedGuarantee, Guarantee, Neighbors, PrivacyLoss
from privet.stats import (
    cdf,
    correlation,
    count,
    counts,
    covariance,
    covariance_matrix,
    hierarchical_counts,
    histogram,
    histogram2d,
    maximum,
    mean,
    median,
    minimum,
    moments,
    proportion,
    quantile,
    quantile_interval,
    quantiles,
    release_function,
    sample_and_aggregate,
    sampled_sensitivity,
    smooth_median,
    smooth_sensitivity,
    stddev,
    target_error,
    top_k,
    total,
    variance,
)

if TYPE_CHECKING:
    from privet.query.catalog import Catalog
    from privet.query.connect import connect

__all__ = [
    "BudgetExceeded",
    "Catalog",
    "ConcentratedGuarantee",
    "Guarantee",
    "Ledger",
    "Neighbors",
    "PrivacyLoss",
    "PrivetError",
    "Release",
    "Sensitive",
    "Sensitivity",
    "Unit",
    "calibrate",
    "cdf",
    "connect",
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

_LATER = {"Catalog": "privet.query.catalog", "connect": "privet.query.connect"}  # engine and parser load when needed

if not TYPE_CHECKING:  # a type checker knows every name from above, and should refuse all others

    def __getattr__(name: str) -> object:
        if name not in _LATER:
            raise AttributeError(f"module 'privet' has no attribute {name!r}")
        return getattr(import_module(_LATER[name]), name)
