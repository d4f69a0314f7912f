"""Progress: silent for two seconds, then a bar on a terminal's standard error; Ctrl-C stops the engine."""

import _thread
import io
import threading
import time
from collections.abc import Callable

import pytest
from rich.console import Console

from privet.core.signals import is_stopped, stopped_by
from privet.query.backends import progress
from privet.query.backends.progress import watched


@pytest.fixture(name="screen")
def _screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal that remembers what it showed, and little patience."""
    shown = io.StringIO()
    monkeypatch.setattr(progress, "SILENCE", 0.1)
    monkeypatch.setattr(progress, "_screen", lambda: Console(file=shown, force_terminal=True, width=80))
    return shown


def wait(seconds: float = 0.6) -> int:
    time.sleep(seconds)
    return 7


def nothing() -> None:
    """Stops nothing."""


def test_a_quick_statement_shows_nothing(screen: io.StringIO) -> None:
    assert watched(lambda: 7, percent=lambda: None, stop=nothing) == 7
    assert not screen.getvalue()


def test_a_slow_one_shows_a_bar_with_the_time(screen: io.StringIO) -> None:
    asked: list[int] = []

    def percent() -> float:
        asked.append(1)
        return 40.0

    assert watched(wait, percent=percent, stop=nothing) == 7
    assert "asking" in screen.getvalue()
    assert "0:00:00" in screen.getvalue()
    assert asked


def test_an_engine_that_does_not_say_how_far_it_is(screen: io.StringIO) -> None:
    assert watched(wait, percent=lambda: None, stop=nothing) == 7
    assert "asking" in screen.getvalue()


def test_nothing_is_shown_where_nobody_looks(screen: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(watched(wait, percent=lambda: None, stop=nothing)))
    thread.start()
    thread.join()
    assert found == [7]
    monkeypatch.setattr(progress, "_screen", lambda: Console(file=screen, force_terminal=False))
    assert watched(wait, percent=lambda: None, stop=nothing) == 7
    assert not screen.getvalue()


@pytest.mark.parametrize("problem", [TimeoutError(), ValueError(), OSError()])
def test_what_goes_wrong_is_told_at_once(problem: Exception) -> None:
    """Also if it looks like the end of our own patience."""

    def fail() -> None:
        raise problem

    with pytest.raises(type(problem)):
        watched(fail, percent=lambda: None, stop=nothing)


@pytest.mark.usefixtures("control_c")
def test_control_c_stops_the_engine(screen: io.StringIO) -> None:
    stopped = threading.Event()
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        watched(lambda: stopped.wait(20), percent=lambda: None, stop=stopped.set)
    timer.join()
    assert stopped.is_set()
    assert "asking" in screen.getvalue()


@pytest.mark.usefixtures("control_c")
def test_an_engine_that_is_told_too_early_is_told_again(screen: io.StringIO) -> None:
    """Ctrl-C may come before the statement has reached the engine."""
    told: list[float] = []
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        watched(lambda: _until(lambda: len(told) > 2), percent=lambda: None, stop=lambda: told.append(0))
    timer.join()
    assert len(told) >= 3
    assert "asking" in screen.getvalue()


def _until(done: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if done():
            return
        time.sleep(0.01)


def test_in_a_thread_whoever_asked_stops_it_as_by_control_c() -> None:
    goes, stop = threading.Event(), threading.Event()
    found: list[object] = []

    def ask() -> None:
        with stopped_by(stop):
            try:
                watched(lambda: goes.wait(30), percent=lambda: None, stop=goes.set)
            except KeyboardInterrupt:
                found.append("stopped")
            found.append(is_stopped())
        found.append(is_stopped())

    thread = threading.Thread(target=ask)
    thread.start()
    stop.set()
    thread.join(30)
    assert found == ["stopped", True, None]
    assert goes.is_set()  # the engine was told
    with stopped_by(threading.Event()):
        assert watched(lambda: 7, percent=lambda: None, stop=nothing) == 7
