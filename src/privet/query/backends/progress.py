"""Progress: what is shown while an engine works, and what Ctrl-C does to it."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from privet.core.signals import is_stopped

SILENCE = 2.0  # seconds before anything is shown
PATIENCE = 0.1  # seconds between two looks
WHOLE = 100.0  # percent
T = TypeVar("T")


def watched(run: Callable[[], T], *, percent: Callable[[], float | None], stop: Callable[[], None]) -> T:
    """The result of a statement, which runs in a thread of its own, so that Ctrl-C is heard and the engine told.

    In a thread that can be stopped (`signals.stopped_by`) that is heard like Ctrl-C. After two seconds a bar is shown,
    or a spinner where the engine cannot say how far it is, with the time that has passed: on the standard error, if
    that is a terminal and the statement was asked from the main thread.

    Args:
        run: the statement.
        percent: how much of it is done, if that is known; called from this thread.
        stop: tells the engine to stop; called from this thread, at Ctrl-C, until the statement has ended.

    Raises:
        KeyboardInterrupt: at Ctrl-C, once the engine has stopped.
        Exception: whatever `run` raises.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="privet") as pool:
        future = pool.submit(run)
        try:
            return _awaited(future, percent) if is_stopped() is None else _unless_stopped(future)
        except KeyboardInterrupt:
            future.cancel()  # it may not have begun
            while not future.done():  # or have begun, but not yet reached the engine: then it must be told again
                stop()
                wait([future], timeout=PATIENCE)
            raise


def _unless_stopped(future: Future[T]) -> T:
    """The result; or what Ctrl-C raises, once whoever asked has said that they do not want it."""
    while not wait([future], timeout=PATIENCE).done:
        if is_stopped():
            raise KeyboardInterrupt
    return future.result()


def _awaited(future: Future[T], percent: Callable[[], float | None]) -> T:
    if wait([future], timeout=SILENCE).done or not _shows():
        return future.result()
    with ExitStack() as screen:
        bar = screen.enter_context(_bar())
        task = bar.add_task("asking", total=None)
        while not wait([future], timeout=PATIENCE).done:
            done = percent()
            bar.update(task, completed=done or 0, total=None if done is None else WHOLE)
        return future.result()


def _bar() -> Progress:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=_screen(), transient=True)


def _shows() -> bool:
    return threading.current_thread() is threading.main_thread() and _screen().is_terminal


def _screen() -> Console:
    return Console(stderr=True)
