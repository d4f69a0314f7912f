"""Privet: let others learn from data about people without exposing anyone."""

from privet.core import Ledger, Release, Sensitive, Sensitivity, Unit, calibrate
from privet.errors import BudgetExceeded, PrivetError
from privet.loss import ConcentratedGuarantee, Guarantee, Neighbors, PrivacyLoss
from privet.stats import (
    count,
    histogram,
    histogram2d,
    maximum,
    median,
    minimum,
    quantile,
    quantiles,
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
