"""Fits of neighbors: the exact numbers a model would release for two sets of rows that differ in one unit."""

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import Unit
from privet.learn import PrivateEstimator
from tests.support.recording_ledger import RecordingPlans, assert_within

if TYPE_CHECKING:
    from privet.core import Sensitivity

Make = Callable[..., PrivateEstimator]
EVIL = (np.nan, np.inf, -np.inf, -0.0, 1e308, -1e308, 5e-324)


def secrets(model: PrivateEstimator, rows: Any, target: Any = None, **more: Any) -> list[Any]:  # noqa: ANN401 - rows of any kind
    """The exact numbers of each release of one fit."""
    ledger = model.ledger
    assert isinstance(ledger, RecordingPlans)
    model.fit(*((rows,) if target is None else (rows, target)), **more)
    return list(ledger.secrets)


def moved(make: Make, mine: tuple[Any, ...], theirs: tuple[Any, ...], *, replaced: bool = False) -> list[float]:
    """Assert that no release moves farther than declared; return the L1 moves as shares of what was declared.

    Args:
        make: takes a ledger, and returns the model.
        mine, theirs: what `fit` gets, of neighbors.
        replaced: whether a unit is replaced.
    """
    unit = Unit("person", neighbors="replace" if replaced else "add_remove")
    told: list[list[tuple[Fraction, ...]]] = []
    declared: list[Sensitivity] = []
    for each in (mine, theirs):
        ledger = RecordingPlans(unit)
        told.append(secrets(make(ledger=ledger), *each))
        declared = ledger.sensitivities
    shares = []
    for one, other, sensitivity in zip(*told, declared, strict=True):
        assert_within(one, other, sensitivity)
        total = sum((abs(a - b) for a, b in zip(one, other, strict=True)), Fraction(0))
        shares.append(float(total / sensitivity.l1))
    return shares
