"""Broken computations that go through a ledger: what they release moves by more than they declared, or tells more.

Each is a function of the rows and a ledger, as a user writes it; `privet.audit.replay` finds what is wrong without
chance. Give it rows that a caller may have: `ROWS` holds two neighbors for each.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.mechanisms import DiscreteLaplace, Laplace

PERSON = Unit("person")
HIGH = 100
Computation: TypeAlias = Callable[[list[Any], Ledger], Any]


def average_charged_once(rows: list[float], ledger: Ledger) -> float:
    """AVG: a sum and a count, each with the noise of the whole ε, paid for as one number."""
    parts = Sensitive([int(sum(min(max(row, 0), 1) for row in rows)), len(rows)], Sensitivity(1), PERSON)
    total, count = np.asarray(ledger.release(parts, DiscreteLaplace(1, 1), purpose="average").value).tolist()
    return total / max(count, 1)  # type: ignore[no-any-return]


def unused_clip(rows: list[float], ledger: Ledger) -> float:
    """The clipped rows are computed, and the others are added up."""
    _ = np.clip(rows, 0, HIGH)
    total = Sensitive(float(np.sum(rows)), Sensitivity(HIGH), PERSON)
    return float(ledger.release(total, Laplace(HIGH, HIGH), purpose="sum").value)


def nan_passes(rows: list[float], ledger: Ledger) -> float:
    """NaN is neither below nor above a bound, so it is not clipped, and the sum is NaN."""
    total = Sensitive(float(np.clip(rows, 0, HIGH).sum()), Sensitivity(HIGH), PERSON)
    return float(ledger.release(total, Laplace(HIGH, HIGH), purpose="sum").value)


def classes_from_data(labels: list[str], ledger: Ledger) -> dict[str, float]:
    """A noisy count for each class that occurs: a rare one is named by a single row."""
    counts = {label: Sensitive(labels.count(label), Sensitivity(1), PERSON) for label in sorted(set(labels))}
    return {
        label: float(ledger.release(count, DiscreteLaplace(1, 1), purpose=f"count of {label}").value)
        for label, count in counts.items()
    }


def divided_by_batch(gradients: list[float], ledger: Ledger) -> float:
    """DP-SGD: noise for the sum, and then all of it divided by the exact number of gradients."""
    total = Sensitive(float(np.clip(gradients, -1, 1).sum()), Sensitivity(1), PERSON)
    return float(ledger.release(total, Laplace(1, 4), purpose="step").value) / len(gradients)


COMPUTATIONS: Mapping[str, Computation] = MappingProxyType(
    {
        "average_charged_once": average_charged_once,
        "unused_clip": unused_clip,
        "nan_passes": nan_passes,
        "classes_from_data": classes_from_data,
        "divided_by_batch": divided_by_batch,
    }
)
ROWS: Mapping[str, tuple[list[Any], list[Any]]] = MappingProxyType(
    {
        "average_charged_once": ([0.0], [0.0, 1.0]),
        "unused_clip": ([0.0, 1.0], [0.0, 1.0, 1e9]),
        "nan_passes": ([0.0, 1.0], [0.0, 1.0, float("nan")]),
        "classes_from_data": (["no", "no"], ["no", "no", "yes"]),
        "divided_by_batch": ([1.0, 1.0], [1.0, 1.0, 0.0]),
    }
)
