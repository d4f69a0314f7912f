"""Privet: let others learn from data about people without exposing anyone."""

from privet.core import Ledger, Release, Sensitive, Sensitivity, Unit, calibrate
from privet.errors import BudgetExceeded, PrivetError
from privet.loss import ConcentratedGuarantee, Guarantee, Neighbors, PrivacyLoss
from privet.stats import (
    correlation,
    count,
    covariance,
    mean,
    moments,
    proportion,
    stddev,
    target_error,
    total,
    variance,
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
