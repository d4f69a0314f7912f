"""After the charge one sentence leaves, and nothing else: by no kind of exception, frame, warning or hook."""

import _thread
import asyncio
import io
import logging
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr
from typing import Any

import numpy as np
import pytest

from privet import Guarantee, Ledger, Sensitive, Sensitivity, Unit
from privet.core.ledger import NO_RANDOMNESS
from privet.core.signals import stopped_by
from privet.core.silence import FAILED, Failure, silently
from privet.errors import EntropyError, ReleaseFailed
from privet.mechanisms import Laplace
from tests.support.reachable import reachable

PERSON = Unit("person")
NOISY = Laplace(l1_sensitivity=1, scale=1)
TOLD = "patient 123456"


class Panic(BaseException):
    """As a native library's, and with everything that an exception can carry."""


class Fatal(KeyboardInterrupt):
    """Looks like Ctrl-C, and is not."""


def ask(compute: Callable[[], Any], mechanism: Laplace = NOISY) -> object:
    secret = Sensitive.later(compute, Sensitivity(1), PERSON)
    return Ledger(Guarantee(100), unit=PERSON).release(secret, mechanism, purpose="asked").value


def raising(problem: BaseException) -> Callable[[], int]:
    def compute() -> int:
        row = np.array([123456.0])
        problem.add_note(f"{TOLD} {row}")
        raise problem from ValueError(TOLD)

    return compute


KINDS: tuple[tuple[type[BaseException], tuple[Any, ...]], ...] = (
    (ValueError, (TOLD,)),
    (SystemExit, (TOLD,)),
    (SystemExit, (0,)),
    (asyncio.CancelledError, (TOLD,)),
    (GeneratorExit, (TOLD,)),
    (StopIteration, (TOLD,)),
    (KeyboardInterrupt, (TOLD,)),
    (Fatal, ()),
    (Panic, (TOLD,)),
    (MemoryError, (TOLD,)),
    (EntropyError, (TOLD,)),
    (ReleaseFailed, (TOLD,)),
    (BaseExceptionGroup, (TOLD, [KeyboardInterrupt(), ValueError(TOLD)])),
)


@pytest.mark.parametrize(("kind", "arguments"), KINDS)
def test_whatever_is_raised_is_one_sentence(kind: type[BaseException], arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ReleaseFailed) as caught:
        ask(raising(kind(*arguments)))
    failed = caught.value
    assert (type(failed), failed.args) == (ReleaseFailed, (FAILED,))
    assert (failed.__cause__, failed.__context__, getattr(failed, "__notes__", None)) == (None, None, None)
    shown = traceback.TracebackException.from_exception(failed, capture_locals=True).stack
    told = [str(frame.locals) for frame in shown if frame.filename != __file__]
    assert told
    assert not any("123456" in each for each in told)


def test_a_text_that_raises_itself_is_not_heard() -> None:
    class Loud(Exception):  # noqa: N818 - loud
        def __str__(self) -> str:
            raise SystemExit(TOLD)

    with pytest.raises(ReleaseFailed) as caught:
        ask(raising(Loud()))
    assert (str(caught.value), caught.value.__context__) == (FAILED, None)


def test_lost_randomness_is_told_in_words_of_our_own() -> None:
    class Broken(Laplace):
        def sample(self, value: Any, source: Any) -> Any:  # noqa: ANN401, ARG002 - a stand-in
            raise EntropyError(TOLD)

    with pytest.raises(EntropyError) as caught:
        ask(lambda: 1.0, Broken(l1_sensitivity=1, scale=1))
    assert (str(caught.value), caught.value.__context__, caught.value.__cause__) == (NO_RANDOMNESS, None, None)


@pytest.mark.usefixtures("control_c")
def test_control_c_interrupts_without_a_word() -> None:
    def compute() -> int:
        _thread.interrupt_main()
        for _ in range(10_000_000):
            pass
        return 1

    with pytest.raises(KeyboardInterrupt) as caught:
        ask(compute)
    assert (caught.value.args, caught.value.__context__) == ((), None)
    assert ask(lambda: 1.0) is not None


def test_another_thread_cannot_be_interrupted_by_control_c() -> None:
    found: list[BaseException] = []

    def work() -> None:
        try:
            ask(raising(KeyboardInterrupt()))
        except BaseException as problem:  # noqa: BLE001 - whatever it is
            found.append(problem)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [type(each) for each in found] == [ReleaseFailed]


# --- frames -------------------------------------------------------------------------------------------------------


class Exact:
    """A value that is looked for."""


@pytest.mark.parametrize("deferred", [True, False])
def test_the_exact_value_is_in_no_frame(deferred: bool) -> None:  # noqa: FBT001 - a case
    class Failing(Laplace):
        def check(self, value: object) -> None:
            pass

        def sample(self, value: Any, source: Any) -> Any:  # noqa: ANN401, ARG002 - a stand-in
            kept = [value]
            raise ValueError(kept)

    exact = Exact()
    ledger = Ledger(Guarantee(100), unit=PERSON)
    secret: Any = Sensitive(exact, Sensitivity(1), PERSON)
    if deferred:
        secret = Sensitive.later(lambda: exact, Sensitivity(1), PERSON)
    with pytest.raises(ReleaseFailed) as caught:
        ledger.release(secret, Failing(l1_sensitivity=1, scale=1), purpose="asked")
    assert not any(isinstance(each, Exact) for each in reachable(caught.value))
    assert any(isinstance(each, Laplace) for each in reachable(caught.value)), "the search finds what is there"


# --- warnings and what else is shown --------------------------------------------------------------------------------


def warn_as_a_library_does() -> float:
    warnings.warn(TOLD, RuntimeWarning, stacklevel=1)
    return float(np.float64(1) / np.float64(0)) * 0 + 1 if np.geterr()["divide"] == "raise" else 1.0


def warn_by_numpy() -> float:
    np.log(np.array([0.0, -1.0]))
    np.array([5e-324]) * 0.1  # underflows
    return 1.0


def warn_whatever_is_set() -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn(TOLD, stacklevel=1)
    return 1.0


def warn_from_a_thread() -> float:
    thread = threading.Thread(target=lambda: (warnings.warn(TOLD, stacklevel=1), np.log(np.array([0.0]))))
    thread.start()
    thread.join()
    return 1.0


def break_a_destructor() -> float:
    class Torn:
        def __del__(self) -> None:
            raise ValueError(TOLD)

    Torn()
    return 1.0


def break_a_thread() -> float:
    thread = threading.Thread(target=raising(ValueError(TOLD)))
    thread.start()
    thread.join()
    return 1.0


def write_a_log() -> float:
    logging.getLogger("a library").error(TOLD)
    return 1.0


LOUD = (
    warn_as_a_library_does,
    warn_by_numpy,
    warn_whatever_is_set,
    warn_from_a_thread,
    break_a_destructor,
    break_a_thread,
    write_a_log,
)


@pytest.mark.parametrize("compute", LOUD)
@pytest.mark.parametrize("how", ["error", "always", "recorded"])
def test_nothing_is_shown_and_no_setting_of_the_caller_changes_that(
    compute: Callable[[], float], how: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: shown.append(str(told.exc_value)))
    monkeypatch.setattr(threading, "excepthook", lambda told: shown.append(str(told.exc_value)))
    stderr = io.StringIO()
    with (
        redirect_stderr(stderr),
        warnings.catch_warnings(record=how == "recorded") as recorded,
        np.errstate(all="raise"),
    ):
        warnings.simplefilter("error" if how == "error" else "always")
        assert isinstance(ask(compute), float)
    assert (stderr.getvalue(), recorded or [], shown, caplog.records) == ("", [], [], [])


@pytest.mark.parametrize("compute", LOUD)
def test_what_others_say_is_still_heard(
    compute: Callable[[], float], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the test above: the same, after an answer and outside of one, is shown."""
    shown: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: shown.append(str(told.exc_value)))
    monkeypatch.setattr(threading, "excepthook", lambda told: shown.append(str(told.exc_value)))
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        assert isinstance(ask(lambda: 1.0), float)
        compute()
    assert len(recorded) + len(shown) + len(caplog.records) >= 1


def test_threads_that_were_there_before_are_heard() -> None:
    """A computation silences itself, not the process."""
    begun = threading.Event()
    asked = threading.Event()
    warned = []

    def other() -> None:
        begun.set()
        asked.wait(20)
        with pytest.warns(UserWarning, match="of somebody else"):
            warnings.warn("of somebody else", stacklevel=1)
        warned.append(1)

    thread = threading.Thread(target=other)
    thread.start()
    begun.wait(20)

    def compute() -> float:
        asked.set()
        thread.join()
        return 1.0

    assert isinstance(ask(compute), float)
    assert warned == [1]


def test_the_reason_is_kept_for_the_owner() -> None:
    failure = silently(raising(SystemExit(TOLD)))
    assert isinstance(failure, Failure)
    assert TOLD in failure.reason
    assert "in compute" in failure.reason


def test_in_a_thread_only_who_may_stop_it_and_did_is_heard() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    def worded() -> None:
        raise KeyboardInterrupt("patient 17")

    found: list[object] = []

    def compute() -> None:
        for stop, raising in ((None, interrupt), (False, interrupt), (True, interrupt), (True, worded)):
            event = None if stop is None else threading.Event()
            if event is not None and stop:
                event.set()
            with stopped_by(event):
                outcome = silently(raising)
            assert isinstance(outcome, Failure)
            found.append((type(outcome.problem), outcome.interrupted))

    thread = threading.Thread(target=compute)
    thread.start()
    thread.join()
    assert found == [(ReleaseFailed, False), (ReleaseFailed, False), (KeyboardInterrupt, True), (ReleaseFailed, False)]
