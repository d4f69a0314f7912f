"""Turns: so many at once, in all and of each."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from privet.errors import Busy, Cancelled
from privet.server.desk.turns import Turns


def test_no_more_run_than_may_in_all_and_of_each() -> None:
    turns = Turns(3, 2, patience=30)
    most: dict[str, int] = {}
    now: dict[str, int] = {"ada": 0, "bob": 0}
    lock = threading.Lock()

    def run(name: str) -> None:
        with turns.taken(name, threading.Event()):
            with lock:
                now[name] += 1
                most[name] = max(most.get(name, 0), now[name])
                most["all"] = max(most.get("all", 0), sum(now.values()))
            threading.Event().wait(0.01)
            with lock:
                now[name] -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(run, ["ada", "bob"] * 8))
    assert most["ada"] <= 2
    assert most["bob"] <= 2
    assert most["all"] <= 3
    assert turns.running == 0


def test_who_waits_too_long_is_told_to_come_again() -> None:
    turns = Turns(1, 1, patience=0.05)
    with turns.taken("ada", threading.Event()):
        with pytest.raises(Busy) as busy, turns.taken("bob", threading.Event()):
            pass
        assert busy.value.retry_after > 0
    with turns.taken("bob", threading.Event()):
        assert turns.running == 1


def test_one_person_does_not_fill_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.server.desk.turns.QUEUE", 4)
    turns = Turns(1, 1, patience=30)
    stop = threading.Event()

    def wait() -> None:
        with turns.taken("ada", stop):
            pass

    with turns.taken("ada", stop), ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(wait) for _ in range(4)]
        while turns._waiting["ada"] < 4:
            pass
        with pytest.raises(Busy), turns.taken("ada", stop):
            pass
        stop.set()
        for each in waiting:
            with pytest.raises(Cancelled, match="before anything was charged"):
                each.result(30)
    assert not turns._waiting
