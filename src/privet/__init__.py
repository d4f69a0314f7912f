"""Privet: let others learn from data about people without exposing anyone."""

from privet.core import Ledger, Release, Sensitive, Sensitivity, Unit, calibrate
from privet.errors import BudgetExceeded, PrivetError
from privet.loss import ConcentratedGuarantee, Guarantee, Neighbors, PrivacyLoss
from privet.stats import (
    cdf,
    count,
    counts,
    hierarchical_counts,
    histogram,
    histogram2d,
    maximum,
    median,
    minimum,
    quantile,
    quantile_interval,
    quantiles,
    top_k,
    total,
)

__all__ = [
    "BudgetExceeded",
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
