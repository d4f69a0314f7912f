"""Signals: Ctrl-C and its like wait while something is held that must be let go.

Python runs the handler of a signal between any two steps of the main thread. What it raises can arrive after a lock was
taken and before the `try` that would give it back, or within the `finally` that does, and no arrangement of `try` helps
against both. So handlers wait: `deferred` lets them, `heed` answers those that came, where somebody waits for others,
and `heard` answers them at once, while something runs that may take long. Between those points nothing is raised.
"""

import _signal  # type: ignore[import-not-found] # typeshed does not have it
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType, TracebackType
from typing import Any, TypeVar

T = TypeVar("T")

SLICE = 0.02  # seconds: who waits while signals wait looks so often whether one came

_handler_of: Callable[[int], Any] = _signal.getsignal  # not those of `signal`, which make enumerations of all numbers:
_set_handler: Callable[[int, Any], Any] = _signal.signal  # that takes ten times as long as all the rest here
_EVERY = tuple(sorted(int(number) for number in signal.valid_signals()))


class _State:
    """Of the main thread, the only one that runs handlers."""

    inside = False  # somebody has deferred signals, whether they wait just now or not
    waits = False
    owner = 0  # the thread that has
    came: "dict[int, _Gate]" = {}  # noqa: RUF012 - of the class, which is all there is
    gated: set[int] = set()  # noqa: RUF012 - likewise


class _Gate:
    """A handler that waits where it must; anywhere else it is the one that was there before."""

    def __init__(self, before: Callable[[int, FrameType | None], Any]) -> None:
        self.before = before

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Run when the signal comes."""
        if _State.waits:
            _State.came[number] = self
        else:
            self.before(number, frame)


class deferred:  # noqa: N801 - used as a function
    """While this lasts signals wait; what their handlers raise is raised when it ends.

    In other threads than the main one it does nothing: no handler runs there. Within itself it may be used again.

    Proof: what is held is taken after the gates are closed and given back before they are opened, so no handler runs
        between. An interrupt while they are being closed finds nothing held, and gates that let everything through.
    """

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        """Close the gates."""
        self._before: bool | None = None
        if not _is_main():
            return
        if _State.inside:
            self._before = _State.waits
            if not self._before:  # within a computation, which may have set handlers of its own
                _close_gates()
            _State.waits = True
            return
        try:
            _close_gates()
            mine = threading.get_ident()
            _State.owner, _State.inside, _State.waits = mine, True, True  # at once: an interrupt may come at any line
        except BaseException:
            _open_gates()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Open them, and answer what came."""
        if not _is_main() or not _State.inside:
            return
        if self._before is not None:
            _State.waits = self._before
            if not self._before:
                _answer()
            return
        try:
            _State.inside = _State.waits = False
            _open_gates()
        finally:
            try:
                _open_gates()  # handlers that are back already may have raised in between
            finally:
                _answer()


def heed() -> None:
    """Answer the signals that came: for who waits while signals are deferred, and can bear an exception here."""
    if _State.came and _is_main():
        _answer()


def heard(compute: Callable[[], T]) -> T:
    """The result of something that may take long, during which signals are answered at once.

    Proof: Python looks for signals when it calls, when it jumps back and when a function begins. Between the end of
        `compute`, however it ends, and the line that closes the gates it does none of these.
    """
    if not _State.waits or not _is_main():
        return compute()
    _answer()
    _State.waits = False
    try:
        return compute()
    finally:
        _State.waits = True
        _close_gates()  # also before handlers that it has set


_STOP: "ContextVar[threading.Event | None]" = ContextVar("privet_stop", default=None)


@contextmanager
def stopped_by(stop: "threading.Event | None") -> Iterator[None]:
    """While this lasts setting the event does in this thread what Ctrl-C does in the main one while an engine works.

    Threads hear no signals; this is how whoever asked in one stops their own statement.
    """
    before = _STOP.set(stop)
    try:
        yield
    finally:
        _STOP.reset(before)


def is_stopped() -> bool | None:
    """Whether whoever asked wants this thread to stop; None if they cannot say so."""
    stop = _STOP.get()
    return None if stop is None else stop.is_set()


def _is_main() -> bool:
    return threading.get_ident() == threading.main_thread().ident


def _close_gates() -> None:
    for number in _EVERY:
        handler = _handler_of(number)
        if callable(handler):
            _State.gated.add(number)
            if type(handler) is not _Gate:
                _set_handler(number, _Gate(handler))


def _open_gates() -> None:
    """Put the handlers back that were there; one that was not ours stays."""
    for number in tuple(_State.gated):
        handler = _handler_of(number)
        if type(handler) is _Gate:
            _set_handler(number, handler.before)
        _State.gated.discard(number)


def _answer() -> None:
    """Run the handlers of all signals that came, whatever the first of them raise."""
    while _State.came:
        number = next(iter(_State.came))
        gate = _State.came.pop(number)
        try:
            gate.before(number, sys._getframe())  # noqa: SLF001 - as Python itself calls handlers
        finally:
            if _State.came and not _State.waits:
                _answer()


def _in_forked_child() -> None:
    if _State.inside and _State.owner != threading.get_ident():  # another thread had deferred them, and is not here
        _State.inside = _State.waits = False
        _open_gates()
    _State.came = {}


os.register_at_fork(after_in_child=_in_forked_child)
