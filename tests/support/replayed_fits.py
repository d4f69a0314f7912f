"""Fits of neighbors by a ledger that says to the second what it said to the first: then nothing else may differ."""

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np

from privet.core import Ledger, Mechanism, Release, Sensitive, Sensitivity, Unit
from privet.core.mechanism import refuse_uncovered
from privet.core.reservation import Reservation
from privet.mechanisms.noisy_steps import NoisySteps
from privet.mechanisms.perturbed_minimiser import LabeledRows
from privet.mechanisms.sample_and_aggregate import GroupedRows, SampleAndAggregate
from privet.noise.for_tests import seeded_entropy_for_tests
from tests.support.recording_ledger import LARGE, assert_within, exactly


@dataclass(frozen=True)
class Drawn:
    """One draw: what the mechanism was given, and what was said."""

    mechanism: Mechanism[Any, Any]
    sensitivity: Sensitivity
    secret: Any
    said: Release[Any]


class ReplayingPlans(Ledger):
    """A ledger that keeps what its mechanisms are given, and says what is in its script, if it has one."""

    def __init__(self, unit: Unit, script: Sequence[Drawn] = ()) -> None:
        super().__init__(LARGE, unit=unit)
        self.script, self.drawn = script, list[Drawn]()

    def release(self, secret: Sensitive[Any], mechanism: Mechanism[Any, Any], **said: Any) -> Release[Any]:  # noqa: ANN401 - the ledger's
        return self._said(super().release, secret, mechanism, said)

    def reserve(self, plan: Any, **said: Any) -> Reservation:  # noqa: ANN401 - the ledger's own signature
        reservation = super().reserve(plan, **said)
        draw = reservation.release

        def release(secret: Sensitive[Any], mechanism: Mechanism[Any, Any], **more: Any) -> Release[Any]:  # noqa: ANN401 - the ledger's
            return self._said(draw, secret, mechanism, more)

        reservation.release = release  # type: ignore[method-assign] # what is said is all we change
        return reservation

    def _said(
        self,
        draw: Callable[..., Release[Any]],
        secret: Sensitive[Any],
        mechanism: Mechanism[Any, Any],
        said: Mapping[str, Any],
    ) -> Release[Any]:
        assert secret.deferred, "a model computes nothing before the charge"
        assert secret.unit == self.unit
        refuse_uncovered(mechanism, secret.sensitivity)
        value = secret.reveal_to_ledger()
        mechanism.check(value)
        place = len(self.drawn)
        known = Sensitive.later(lambda: value, secret.sensitivity, self.unit)  # computed once, as a ledger does
        again = self.script[place].said if self.script else draw(known, mechanism, **said)
        self.drawn.append(Drawn(mechanism, secret.sensitivity, value, again))
        return again


@dataclass(frozen=True)
class Fitted:
    """All that came of a fit: what was drawn, and what an observer sees."""

    drawn: list[Drawn] = field(repr=False)
    seen: Any


def fitted(make: Callable[..., Any], unit: Unit, given: Mapping[str, Any], script: Sequence[Drawn] = ()) -> Fitted:
    """Fit a model that `make` makes for a ledger; questions that models draw at random are the same in every fit."""
    ledger = ReplayingPlans(unit, script)
    model = make(ledger=ledger)
    rooms = [room for name, room in sys.modules.items() if name.startswith("privet.learn") and hasattr(room, "Entropy")]
    with ExitStack() as stack, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for room in rooms:
            stack.enter_context(patch.object(room, "Entropy", lambda: seeded_entropy_for_tests(1)))
        try:
            model.fit(**given)
            problem = ""
        except Exception as raised:  # noqa: BLE001 - whatever it is, an observer sees it
            problem = f"{type(raised).__name__}: {raised}"
    ledger.script = ()
    seen = looks({name: value for name, value in vars(model).items() if name != "ledger"})
    return Fitted(ledger.drawn, (seen, problem, [str(each.message) for each in told]))


def looks(value: Any, within: tuple[int, ...] = ()) -> Any:  # noqa: ANN401 - anything a model keeps
    """What there is to see of a value, bit by bit, through all its attributes."""
    if id(value) in within:
        return "…"
    within = (*within, id(value))
    if isinstance(value, np.ndarray):
        return value.shape, str(value.dtype), repr(value.tolist())
    if isinstance(value, dict):
        return [(repr(key), looks(each, within)) for key, each in value.items()]
    if isinstance(value, list | tuple):
        return type(value).__name__, [looks(each, within) for each in value]
    if callable(value) or not hasattr(value, "__dict__") or type(value).__module__ == "fractions":
        return type(value).__name__, "" if callable(value) else repr(value)
    return type(value).__name__, looks(vars(value), within)


def refuse_different(mine: Fitted, theirs: Fitted, rows: int) -> None:
    """Fail unless neighbors gave the same list of draws, moved as declared, and look alike where noise came out alike.

    Args:
        mine, theirs: the second with the first one's draws as its script.
        rows: how many rows of mine and theirs together may differ.
    """
    assert [repr(each.mechanism) for each in mine.drawn] == [repr(each.mechanism) for each in theirs.drawn]
    for one, other in zip(mine.drawn, theirs.drawn, strict=True):
        assert one.sensitivity == other.sensitivity
        if isinstance(one.secret, LabeledRows) or isinstance(one.mechanism, SampleAndAggregate | NoisySteps):
            here, there = _rows(one.secret), _rows(other.secret)
            assert sum(((here - there) + (there - here)).values()) <= rows, "a row changed others"
        else:
            assert np.shape(one.secret) == np.shape(other.secret)
            assert np.asarray(one.secret).dtype == np.asarray(other.secret).dtype
            assert_within(exactly(one.secret), exactly(other.secret), one.sensitivity)
    assert mine.seen == theirs.seen


def _rows(secret: Any) -> Counter[Any]:  # noqa: ANN401 - what a mechanism is given
    """The rows that a mechanism is given; those of a minimiser are within their ball, exactly."""
    if isinstance(secret, LabeledRows):
        for row in secret.features.tolist():
            assert sum((Fraction(number) ** 2 for number in row), Fraction(0)) <= 1, "a row is too long"
        return Counter(zip(map(tuple, secret.features.tolist()), secret.codes.tolist(), strict=True))
    if hasattr(secret, "summed"):  # what is trained: whole numbers and targets
        return Counter(zip(map(tuple, secret.units.whole.tolist()), secret.units.target.tolist(), strict=True))
    table = secret.rows if isinstance(secret, GroupedRows) else secret
    return Counter(map(tuple, table.tolist()))
