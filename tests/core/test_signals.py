"""Signals wait while something is held, are answered where somebody waits or computes, and nothing of it stays."""

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

from privet.core import signals
from privet.core.signals import deferred, heard, heed

pytestmark = pytest.mark.usefixtures("control_c")


class Ended(BaseException):
    """What a handler of SIGTERM raises."""


@pytest.fixture
def term() -> Iterator[None]:
    def end(*_: object) -> None:
        raise Ended

    before = signal.signal(signal.SIGTERM, end)
    yield
    signal.signal(signal.SIGTERM, before)


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def test_it_waits_and_is_raised_at_the_end() -> None:
    steps = list[str]()
    with pytest.raises(KeyboardInterrupt), deferred():  # noqa: PT012 - what comes after it is the test
        interrupt()
        steps.append("after it")
    assert steps == ["after it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_within_each_other_the_outermost_counts() -> None:
    steps = list[str]()
    with pytest.raises(KeyboardInterrupt), deferred():  # noqa: PT012 - what comes after it is the test
        with deferred():
            interrupt()
            steps.append("inner")
        steps.append("outer")
    assert steps == ["inner", "outer"]


def test_who_waits_heeds_it_and_the_rest_is_undisturbed() -> None:
    steps = list[str]()
    with pytest.raises(KeyboardInterrupt), deferred():  # noqa: PT012 - what comes after it is the test
        try:
            interrupt()
            heed()
            steps.append("never")
        finally:
            interrupt()  # a second one while it is cleaned up
            steps.append("cleaned up")
    assert steps == ["cleaned up"]
    assert not signals._State.came


def test_a_long_computation_hears_it_at_once_and_only_that() -> None:
    steps = list[str]()

    def compute() -> None:
        steps.append("begun")
        interrupt()
        steps.append("never")

    with deferred():
        with pytest.raises(KeyboardInterrupt):
            heard(compute)
        interrupt()
        steps.append("waits again")
        assert signals._State.came
        signals._State.came.clear()
    assert steps == ["begun", "waits again"]


def test_what_came_before_a_computation_is_answered_before_it() -> None:
    with pytest.raises(KeyboardInterrupt), deferred():  # noqa: PT012 - the first line is no test
        interrupt()
        heard(lambda: pytest.fail("it must not begin"))


def test_a_computation_may_defer_and_set_handlers_of_its_own() -> None:
    heard_by = list[int]()

    def compute() -> None:
        signal.signal(signal.SIGTERM, lambda number, _: heard_by.append(number))
        with deferred():
            signal.raise_signal(signal.SIGTERM)
            assert not heard_by
        assert heard_by

    before = signal.getsignal(signal.SIGTERM)
    try:
        with deferred():
            heard(compute)
            signal.raise_signal(signal.SIGTERM)
            assert len(heard_by) == 1
        assert len(heard_by) == 2
        assert type(signal.getsignal(signal.SIGTERM)).__name__ == "function"
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("term")
def test_each_of_several_is_answered() -> None:
    with pytest.raises(BaseException) as told, deferred():  # noqa: PT011, PT012 - one of two, with the other behind it
        interrupt()
        signal.raise_signal(signal.SIGTERM)
    kinds = {type(told.value), type(told.value.__context__)}
    assert kinds == {KeyboardInterrupt, Ended}


def test_the_error_that_was_raised_is_behind_the_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt) as told, deferred():  # noqa: PT012 - both
        interrupt()
        raise ValueError("behind")
    assert isinstance(told.value.__context__, ValueError)


def test_other_threads_run_no_handlers_and_defer_none() -> None:
    def work() -> None:
        with deferred():
            _thread.interrupt_main()
            time.sleep(5)

    thread = threading.Thread(target=work, daemon=True)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - while the thread lasts
        thread.start()
        thread.join()
    assert thread.is_alive()


def test_a_child_that_another_thread_forks_can_be_interrupted() -> None:
    found = list[int]()

    def fork() -> None:
        child = os.fork()
        if child == 0:
            try:
                interrupt()
            except KeyboardInterrupt:
                os._exit(0)
            os._exit(1)
        found.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    with deferred():
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
    assert found == [0]


def test_an_interrupt_at_every_line_leaves_the_handlers_as_they_were() -> None:
    """Real signals, at every line of this module and between: it is raised once, and never lost."""
    for place in range(5_000):
        lines = Lines(place)
        told = False
        try:
            sys.settrace(lines.trace)
            with deferred():
                heard(lambda: None)
                with deferred():
                    pass
        except KeyboardInterrupt:
            told = True
        finally:
            sys.settrace(None)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler, place
        assert not signals._State.inside
        assert not signals._State.came
        assert told == lines.sent
        if not lines.sent:
            assert place > 400  # so many lines there are
            return
    pytest.fail("there is no end to its lines")


class Lines:
    """Sends a signal at one line."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.sent = False

    def trace(self, frame: FrameType, event: str, _: object) -> Any:  # noqa: ANN401 - itself
        if event == "line" and not self.sent and frame.f_code.co_filename == signals.__file__:
            self.place -= 1
            if self.place < 0:
                self.sent = True
                interrupt()
        return self.trace
