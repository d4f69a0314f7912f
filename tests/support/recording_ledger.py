"""A ledger that keeps what it was handed: the exact secrets and their declared sensitivities. For tests only."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from privet.core import Ledger, Mechanism, Release, Sensitive, Sensitivity, Unit
from privet.core.reservation import Reservation
from privet.loss import Guarantee, Promise
from privet.loss.exact import Exact

LARGE = Guarantee(10**9, "0.9")


class Recording(Ledger):
    """A ledger with a large limit; `secrets` and `sensitivities` are those of all releases so far."""

    def __init__(self, unit: Unit, limit: Promise = LARGE) -> None:
        super().__init__(limit, unit=unit)
        self.secrets: list[tuple[Fraction, ...]] = []
        self.sensitivities: list[Sensitivity] = []
        self.mechanisms: list[Mechanism[Any, Any]] = []

    def release(  # noqa: PLR0913 - the ledger's own signature
        self,
        secret: Sensitive[Any],
        mechanism: Mechanism[Any, Any],
        *,
        purpose: str,
        delta: Exact | None = None,
        key: str | None = None,
        kinds: Iterable[type] = (),
    ) -> Release[Any]:
        assert secret.deferred, "a statistic computes nothing before the charge"
        self.secrets.append(exactly(secret.reveal_to_ledger()))
        self.sensitivities.append(secret.sensitivity)
        self.mechanisms.append(mechanism)
        return super().release(secret, mechanism, purpose=purpose, delta=delta, key=key, kinds=kinds)


def exactly(value: Any) -> tuple[Fraction, ...]:  # noqa: ANN401 - a number or an array
    """Return the numbers of a secret, exact."""
    return tuple(Fraction(number) for number in np.ravel(np.asarray(value, dtype=object)).tolist())


def recorded(ask: Callable[[Ledger], object], unit: Unit) -> tuple[tuple[Fraction, ...], Sensitivity]:
    """Return the exact secret behind one question, and the sensitivity that was declared for it."""
    ledger = _one_ledger(unit)
    asked = len(ledger.secrets)
    ask(ledger)
    (secret,) = ledger.secrets[asked:]
    (sensitivity,) = ledger.sensitivities[asked:]
    return secret, sensitivity


@cache
def _one_ledger(unit: Unit) -> Recording:
    """Opening a ledger takes longer than a small release."""
    return Recording(unit)


def assert_within(mine: tuple[Fraction, ...], theirs: tuple[Fraction, ...], sensitivity: Sensitivity) -> None:
    """Fail if two exact secrets of neighbors are farther apart than declared, in any norm."""
    moves = [abs(one - other) for one, other in zip(mine, theirs, strict=True)]
    assert max(moves, default=Fraction(0)) <= sensitivity.linf
    assert sum(moves) <= sensitivity.l1
    assert sum(move**2 for move in moves) <= sensitivity.l2**2
    assert sum(move > 0 for move in moves) <= sensitivity.cells


class RecordingPlans(Recording):
    """A ledger that keeps what its reservations were handed too, and draws from the bits it is given, if any."""

    def __init__(self, unit: Unit, source: Any = None, *, limit: Promise = LARGE) -> None:  # noqa: ANN401 - bits
        super().__init__(unit, limit)
        if source is not None:
            self._entropy = source

    def reserve(self, plan: Any, **said: Any) -> Reservation:  # noqa: ANN401 - the ledger's own signature
        reservation = super().reserve(plan, **said)
        draw = reservation.release

        def release(secret: Sensitive[Any], mechanism: Mechanism[Any, Any], **more: Any) -> Release[Any]:  # noqa: ANN401 - the ledger's
            assert secret.deferred, "a model computes nothing before the charge"
            self.secrets.append(exactly(secret.reveal_to_ledger()))
            self.sensitivities.append(secret.sensitivity)
            self.mechanisms.append(mechanism)
            return draw(secret, mechanism, **more)

        reservation.release = release  # type: ignore[method-assign] # what is handed over is all we add
        return reservation
