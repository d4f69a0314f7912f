"""Silence: what runs after the charge gives its result, or one sentence; nothing else of it is seen."""

import logging
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar

import numpy as np

from privet.core.signals import heard, is_stopped
from privet.errors import ReleaseFailed

T = TypeVar("T")

FAILED = (
    "the answer could not be computed; it stays paid for. The reason is not shown, because it may depend on the data: "
    "run the computation on data of your own invention to see it. To try again costs anew, and takes a new key where "
    "keys are used: the same key is charged no more, and only tells that its answer is lost"
)
UNTOLD = "it failed, and so did the attempt to say why"


@dataclass(frozen=True, slots=True)
class Failure:
    """That a computation failed.

    Args:
        problem: what may be raised: it holds no word, cause or frame of the computation.
        reason: what happened, in full; for the owner alone.
        interrupted: whether it was stopped by Ctrl-C.
    """

    problem: BaseException
    reason: str
    interrupted: bool = False


def silently(compute: Callable[[], T], *, passing: tuple[type[BaseException], ...] = ()) -> T | Failure:
    """The result of a computation that may have seen the data; or a failure that does not tell which.

    Args:
        compute: what runs after the charge.
        passing: errors of our own whose text cannot depend on the data; they pass, without frames and causes.

    Privacy: whatever `compute` raises, a SystemExit, a cancellation or a library's panic too, becomes the sentence of
        `ReleaseFailed`, without a cause, a context, a note or a frame that has seen a value. Ctrl-C still interrupts,
        without a word: a KeyboardInterrupt passes only in the main thread, or in one that whoever asked has stopped
        (`signals.stopped_by`), of the very class and without arguments, as Python's own handler raises it, and a new
        one is raised in its place. numpy's errors are ignored, and Python's
        warnings are neither shown, recorded nor made errors, whatever the caller has set for either; records of
        `logging` and what `sys.unraisablehook` (destructors, callbacks) and `threading.excepthook` would print are
        dropped. All of it holds for the thread that computes and for those that begin while it does.
    Proof: the exceptions that are raised are made here, outside of the frames and the `except` clauses that held the
        computation, which are gone when they are raised.
    Not covered: what a function of the owner's prints, or a native library writes to the standard error by itself (a
        panic in Rust does, before Python hears of it); the garbage of a computation that is collected after it; its
        threads that outlive it; warnings that another thread turns into errors while it runs; time. A bare
        KeyboardInterrupt that the computation raises itself looks like Ctrl-C: it tells that it was raised, no more.

    Example:
        >>> silently(lambda: 6 * 7)
        42
        >>> failure = silently(lambda: int("patient 17"))
        >>> type(failure.problem).__name__, "patient" in str(failure.problem), "patient" in failure.reason
        ('ReleaseFailed', False, True)
    """
    if _SILENT.get():  # a release within a statement: all is silent already
        return _attempted(compute, passing)
    _keep_hooks()
    begun = object()
    before = _SILENT.set(True)
    _RUNNING[begun] = threading.enumerate()
    try:
        with np.errstate(all="ignore"):
            return _attempted(compute, passing)
    finally:
        _RUNNING.pop(begun, None)
        _SILENT.reset(before)


def _attempted(compute: Callable[[], T], passing: tuple[type[BaseException], ...]) -> T | Failure:
    try:
        return _told(compute, passing)
    except BaseException:  # noqa: BLE001, S110 - raised while an error was looked at: by Ctrl-C, or by its own text
        pass
    return Failure(ReleaseFailed(FAILED), UNTOLD)


def _told(compute: Callable[[], T], passing: tuple[type[BaseException], ...]) -> T | Failure:
    try:
        return heard(compute)
    except BaseException as problem:  # noqa: BLE001 - SystemExit, cancellations and panics too: each is an answer
        if _is_control_c(problem):
            return Failure(KeyboardInterrupt(), "interrupted", interrupted=True)
        reason = heard(partial(_written, problem))
        if isinstance(problem, passing):
            return Failure(type(problem)(str(problem)), reason)
        return Failure(ReleaseFailed(FAILED), reason)


def _written(problem: BaseException) -> str:
    return "".join(traceback.format_exception(problem))


def _is_control_c(problem: BaseException) -> bool:
    heard_here = threading.current_thread() is threading.main_thread() or is_stopped()
    return type(problem) is KeyboardInterrupt and not problem.args and bool(heard_here)


# --- what would be shown by other ways ------------------------------------------------------------------------------

_SILENT: ContextVar[bool] = ContextVar("privet_silent", default=False)
_RUNNING: dict[object, list[threading.Thread]] = {}  # for each computation the threads that were there before it
os.register_at_fork(after_in_child=_RUNNING.clear)  # those of other threads do not go on in a child


def is_computing() -> bool:
    """Whether this thread is within a computation that was paid for."""
    return _SILENT.get()


def _is_silent() -> bool:
    """Whether this thread computes something that nobody may hear of, or began while somebody does."""
    if _SILENT.get():
        return True
    if not _RUNNING:
        return False
    here = threading.current_thread()
    return any(here not in before for before in tuple(_RUNNING.values()))


class _WhileSilent(type):
    def __subclasscheck__(cls, category: type) -> bool:
        return _is_silent()


class Unheard(Warning, metaclass=_WhileSilent):
    """Every warning while its thread is silent, and none else: filters are shared by all threads, this class is not."""


class _Hook(Generic[T]):
    """What a hook did before, but only where somebody may hear of it."""

    def __init__(self, before: Callable[..., T]) -> None:
        self.before: Final = before

    def __call__(self, *arguments: Any, **named: Any) -> T | None:  # noqa: ANN401 - as the hook is called
        return None if _is_silent() else self.before(*arguments, **named)

    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., T | None]:
        """As a method of a class."""
        return lambda *arguments, **named: self(instance, *arguments, **named)


_HOOKS: tuple[tuple[Any, str], ...] = (
    (warnings, "_showwarnmsg"),  # through which all warnings are shown or recorded, whatever filters a function sets
    (sys, "unraisablehook"),
    (threading, "excepthook"),
    (logging.Logger, "handle"),
)


def _keep_hooks() -> None:
    """See to it that our filter is the first and our hooks are in place: others may have set theirs since."""
    filters = warnings.filters
    if not filters or filters[0][2] is not Unheard:
        warnings.simplefilter("ignore", Unheard)
    for place, name in _HOOKS:
        there = vars(place).get(name)
        if there is not None and type(there) is not _Hook:
            setattr(place, name, _Hook(there))
