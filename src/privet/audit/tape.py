"""Tape: what a computation hands to its mechanisms, and what they answer; played again for a neighbor."""

import copy
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np

from privet.audit.followed import Followed
from privet.core import Entry, Ledger, Mechanism, Sensitive, Sensitivity
from privet.core.spending import Spending
from privet.errors import InvalidParameter
from privet.mechanisms.grouped_choice import GroupedChoice
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.mechanisms.noisy_steps import NoisySteps
from privet.mechanisms.partition_selection import Partitions
from privet.mechanisms.two_round_selection import TwoRoundSelection
from privet.noise import BitSource

CROWD = 1000  # times as many units as there are, where answers are as of a crowd
LARGEST = 1 << 52
KEPT = (
    "a replay never touches a ledger that is kept, because what mechanisms answer in it was said of other data: open "
    "one in memory, or let the replay hand you one"
)

_release = Ledger.release
_spend = Spending._spend  # noqa: SLF001 - what is written is what is looked at
_spend_plan = Spending._spend_plan  # noqa: SLF001 - likewise
_open = threading.Lock()


@dataclass(frozen=True)
class Drawn:
    """One draw.

    Args:
        mechanism: what drew.
        sensitivity: what was declared of the secret.
        secret: what the mechanism was given.
        said: what it answered.
    """

    mechanism: Mechanism[Any, Any]
    sensitivity: Sensitivity
    secret: Any = field(repr=False)
    said: Any = field(repr=False)


@dataclass
class Tape:
    """Everything that goes through ledgers during one run.

    Args:
        before: the tape of the first neighbor, whose answers are given again; None for the first itself.
        source: where the first one's bits come from; None for the ledger's own.
        crowd: whether mechanisms answer as of a thousand times as many units, so that small groups are named too.
    """

    before: "Tape | None" = None
    source: BitSource | None = None
    crowd: bool = False
    drawn: list[Drawn] = field(default_factory=list)
    charges: list[str] = field(default_factory=list)
    problem: BaseException | None = None
    _strayed: bool = False

    def speak(self, mechanism: Mechanism[Any, Any], moves: Sensitivity, value: Any, source: BitSource) -> Any:  # noqa: ANN401 - any secret
        """The answer of a mechanism: what it said of the first neighbor, as long as it is asked the same."""
        try:
            kept = Followed(value) if isinstance(mechanism, NoisySteps) else value
            said = self._said(mechanism, kept, source)
            self.drawn.append(Drawn(mechanism, moves, kept, copied(said)))
        except BaseException as problem:
            self.problem = problem  # the ledger is about to hide it
            raise
        return said

    def _said(self, mechanism: Mechanism[Any, Any], value: Any, source: BitSource) -> Any:  # noqa: ANN401 - any secret
        place = len(self.drawn)
        known = None if self.before is None or place >= len(self.before.drawn) else self.before.drawn[place]
        self._strayed |= self.before is not None and (known is None or repr(known.mechanism) != repr(mechanism))
        if known is not None and not self._strayed:
            if isinstance(value, Followed):
                value.follow(known.secret.led)
            return copied(known.said)
        bits = source if self.source is None else self.source
        return answered(mechanism, value, bits) if self.crowd else mechanism.sample(value, bits)

    def charged(self, entry: Entry) -> None:
        """Keep what a ledger is about to write."""
        asked = (entry.kind, entry.purpose, entry.mechanism, repr(entry.loss), repr(entry.cost), entry.key)
        self.charges.append(" · ".join(str(each) for each in asked))


def answered(mechanism: Mechanism[Any, Any], value: Any, source: BitSource) -> Any:  # noqa: ANN401 - any secret
    """What a mechanism answers of a thousand times as many units; of what cannot be multiplied, as it is."""
    if isinstance(mechanism, TwoRoundSelection):
        return tuple(sorted(value(()), key=repr))
    if isinstance(mechanism, Partitions) and isinstance(value, dict):
        return mechanism.sample({key: number * CROWD for key, number in value.items()}, source)
    if isinstance(mechanism, GroupedChoice | GroupedInterval):
        many = [{at: weight * CROWD for at, weight in found.items()} for found in value]
        return mechanism.sample(many, source)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return mechanism.sample(np.clip(value, -LARGEST, LARGEST) * CROWD, source)
    return mechanism.sample(value, source)


def copied(said: Any) -> Any:  # noqa: ANN401 - any answer
    """An answer of its own for each neighbor, whose code may change it; the same where it cannot be copied."""
    try:
        return copy.deepcopy(said)
    except Exception:  # noqa: BLE001 - a lock, a module: whatever cannot be copied
        return said


class Listening:
    """Where ledgers speak to while a replay is open: the tape of the run that goes on, if one does."""

    def __init__(self) -> None:
        self.tape: Tape | None = None
        self._others = set(threading.enumerate()) - {threading.current_thread()}

    def hears(self, ledger: Spending) -> Tape | None:
        """The tape of a ledger's draw; None if it is another thread's, which began before the replay."""
        if self.tape is None or threading.current_thread() in self._others:
            return None
        if ledger._journal.lasting:  # noqa: SLF001 - what tells a real ledger from an invented one
            raise InvalidParameter(KEPT)
        return self.tape


@contextmanager
def listening() -> Iterator[Listening]:
    """While it is open, ledgers do what ledgers do, and ask the tape for what mechanisms answer.

    It holds for the thread that opens it and for those that begin meanwhile; others draw noise as ever.
    """
    if not _open.acquire(blocking=False):
        raise InvalidParameter("a replay is open in this process already: end it first, they cannot be nested")
    try:
        here = Listening()

        def release(ledger: Ledger, secret: Sensitive[Any], mechanism: Mechanism[Any, Any], **how: Any) -> Any:  # noqa: ANN401 - as the method
            tape = here.hears(ledger)
            if tape is None:
                return _release(ledger, secret, mechanism, **how)
            moves: Any = getattr(secret, "sensitivity", None)
            speaking = lambda value, source: tape.speak(mechanism, moves, value, source)  # noqa: E731 - a method
            heard = copy.copy(mechanism)
            object.__setattr__(heard, "sample", speaking)
            return _release(ledger, secret, heard, **how)

        def spend(ledger: Spending, entry: Entry, **how: Any) -> Any:  # noqa: ANN401 - as the method
            tape = here.hears(ledger)
            if tape is not None:
                tape.charged(entry)
            return _spend(ledger, entry, **how)

        def spend_plan(ledger: Spending, entry: Entry, draws: Any) -> Any:  # noqa: ANN401 - as the method
            tape = here.hears(ledger)
            for each in () if tape is None else (entry, *draws):
                tape.charged(each)  # type: ignore[union-attr] # there is one
            return _spend_plan(ledger, entry, draws)

        with (
            patch.object(Ledger, "release", release),
            patch.object(Spending, "_spend", spend),
            patch.object(Spending, "_spend_plan", spend_plan),
        ):
            yield here
    finally:
        _open.release()
