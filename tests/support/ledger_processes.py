"""What child processes of the journal tests do; imported by them, so it stays small."""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from privet.core import Entry, Ledger, Mechanism, Sensitive, Sensitivity, Unit
from privet.core.journals import journal
from privet.errors import AnswerLost, BudgetExceeded
from privet.loss import Amount, Guarantee, PrivacyLoss
from privet.mechanisms import DiscreteLaplace
from privet.noise import BitSource

PERSON = Unit("person")
COUNT = DiscreteLaplace(l1_sensitivity=1, scale=1)
SECRET = Sensitive(42, Sensitivity(1), PERSON)

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.support.ledger_processes"])


def ask(ledger: Ledger, purpose: str = "a count", **more: Any) -> Any:  # noqa: ANN401 - a release
    return ledger.release(SECRET, COUNT, purpose=purpose, **more)


def spend_all(ledger: Ledger, attempts: int, purpose: str = "a count") -> int:
    """How many of the attempts were answered."""
    answered = 0
    for _ in range(attempts):
        try:
            ask(ledger, purpose)
        except BudgetExceeded:
            continue
        answered += 1
    return answered


def forked(code: Callable[[], int]) -> int:
    """The number of a forked child that ends with this code, or 255 if it fails; it never goes on with the tests."""
    child = os.fork()
    if child:
        return child
    try:
        os._exit(code())
    finally:
        os._exit(255)


def spend_from_process(address: str, analyst: str | None, attempts: int, results: Any, go: Any) -> None:  # noqa: ANN401 - queue and event
    ledger = Ledger.open(address, analyst=analyst)
    go.wait()
    results.put((analyst, spend_all(ledger, attempts)))
    ledger.close()


def spend_in_processes(address: str, analysts: Sequence[str | None], attempts: int) -> list[tuple[str | None, int]]:
    """What each of so many processes was answered, all spending at once."""
    results, go = CONTEXT.Queue(), CONTEXT.Event()
    children = [
        CONTEXT.Process(target=spend_from_process, args=(address, each, attempts, results, go), daemon=True)
        for each in analysts
    ]
    for child in children:
        child.start()
    go.set()
    found = [results.get(timeout=60) for _ in children]
    for child in children:
        child.join(60)
        assert child.exitcode == 0
    return found


def processes_and_threads(ledger: Ledger, address: str) -> int:
    """How many answers 8 processes of 25 attempts and 32 threads of 4 attempts got, all at once."""
    answered: list[int] = []
    threads = [threading.Thread(target=lambda: answered.append(spend_all(ledger, 4))) for _ in range(32)]
    for thread in threads:
        thread.start()
    found = spend_in_processes(address, [None] * 8, 25)
    for thread in threads:
        thread.join()
    return sum(count for _, count in found) + sum(answered)


def in_threads(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What each of so many threads returns, all starting at once."""
    barrier = threading.Barrier(count)

    def run(number: int) -> Any:  # noqa: ANN401 - whatever the work returns
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


class Slow(DiscreteLaplace):
    """Takes its time, and counts how often it ran."""

    def sample(self, value: Any, source: BitSource) -> Any:  # noqa: ANN401 - as its parent
        RUNS.append(time.monotonic())
        time.sleep(0.1)
        return super().sample(value, source)


RUNS: list[float] = []


def loop_until_killed(address: str, path: str, start: int) -> None:
    """Release with keys 0, 1, 2, … and write each answer to a file, until somebody ends the process."""
    ledger = Ledger.open(address)
    with open(path, "a", encoding="ascii") as file:  # noqa: PTH123 - a plain file
        for number in range(start, start + 10_000):
            release = ask(ledger, key=f"key {number}")
            file.write(f"{number} {release.to_json()}\n")
            file.flush()


def die_at(point: str) -> None:
    """From now on, end the process without any cleaning up when it reaches a point."""

    def end(at: str) -> None:
        if at == point:
            sys.stderr.flush()
            os.kill(os.getpid(), signal.SIGKILL)

    for module in list(sys.modules.values()):  # wherever the function was imported to
        if getattr(module, "reached", None) is journal.reached and module is not journal:
            module.reached = end  # type: ignore[attr-defined]
    journal.reached = end  # type: ignore[assignment] # its argument has another name


def release_and_die(address: str, point: str, key: str, path: str) -> None:
    """Release and write the answer to a file, but end at a point on the way."""
    ledger = Ledger.open(address)
    die_at(point)
    text = ask(ledger, key=key).to_json()
    Path(path).write_text(text, encoding="ascii")


def retry(ledger: Ledger, key: str) -> str:
    """The stored answer, or that it is lost."""
    try:
        text: str = ask(ledger, key=key).to_json()
    except AnswerLost:
        return LOST
    return text


LOST = "lost"


def run(target: Callable[..., None], *arguments: object) -> int | None:
    """Run in a child process and return how it ended."""
    child = CONTEXT.Process(target=target, args=arguments, daemon=True)
    child.start()
    child.join(60)
    return child.exitcode


def priced(amount: Amount, mechanism: Mechanism[Any, Any] = COUNT) -> Entry:
    """An entry of any cost, for journals directly."""
    return Entry("release", "by hand", repr(mechanism), mechanism.loss, amount)


def new_ledger(address: Any, limit: Guarantee = Guarantee(10), **more: Any) -> Ledger:  # noqa: ANN401, B008 - frozen
    return Ledger(limit, unit=PERSON, journal=address, **more)


NOTHING = PrivacyLoss()
