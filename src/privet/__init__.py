"""Privet: let others learn from data about people without exposing anyone."""

from privet.core import Ledger, Release, Sensitive, Sensitivity, Unit, calibrate
from privet.errors import BudgetExceeded, PrivetError
from privet.loss import ConcentratedGuarantee, Guarantee, Neighbors, PrivacyLoss
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
    "connect",
]
