"""Privet: let others learn from data about people without exposing anyone."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet.asking.auto_bounds import AutoBounds
    from privet.core import Ledger, Release, Sensitive, Sensitivity, Unit, calibrate
    from privet.errors import BudgetExceeded, PrivetError
    from privet.explain.describe import describe
    from privet.loss import ConcentratedGuarantee, Guarantee, Neighbors, PrivacyLoss, Risk
    from privet.query.catalog import Catalog
    from privet.query.connect import connect
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
        release,
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

    __version__: str

__all__ = [
    "AutoBounds",
    "BudgetExceeded",
    "Catalog",
    "ConcentratedGuarantee",
    "Guarantee",
    "Ledger",
    "Neighbors",
    "PrivacyLoss",
    "PrivetError",
    "Release",
    "Risk",
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
    "describe",
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
    "release",
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

_WHERE = {  # the modules that have these names; all others are statistics
    "AutoBounds": "privet.asking.auto_bounds",
    "BudgetExceeded": "privet.errors",
    "Catalog": "privet.query.catalog",
    "ConcentratedGuarantee": "privet.loss",
    "Guarantee": "privet.loss",
    "Ledger": "privet.core",
    "Neighbors": "privet.loss",
    "PrivacyLoss": "privet.loss",
    "PrivetError": "privet.errors",
    "Release": "privet.core",
    "Risk": "privet.loss",
    "Sensitive": "privet.core",
    "Sensitivity": "privet.core",
    "Unit": "privet.core",
    "calibrate": "privet.core",
    "connect": "privet.query.connect",
    "describe": "privet.explain.describe",
}
_ROOMS = ("audit", "core", "errors", "explain", "local", "loss", "mechanisms", "noise", "query", "stats")

if not TYPE_CHECKING:  # a type checker knows every name from above, and should refuse all others

    def __getattr__(name: str) -> object:
        """A name, loaded when it is first asked for: nobody waits for what they do not use."""
        if name == "__version__":
            return import_module("importlib.metadata").version("privet")
        if name in _ROOMS:
            return import_module(f"privet.{name}")
        if name not in __all__:
            raise AttributeError(f"module 'privet' has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(_WHERE.get(name, "privet.stats")), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, *_ROOMS})
