"""Turns: first come, first served; a turn is never lost, whoever leaves."""

import _thread
import os
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import pytest

from privet.core.journals.turns import Turns, turns_at

pytestmark = pytest.mark.whole


def test_one_at_a_time() -> None:
    turns = Turns()
    inside = []
    most = []

    def work(number: int) -> None:
        with turns.taken(object(), timeout=30) as came:
            assert came
            inside.append(number)
            most.append(len(inside))
            time.sleep(0.001)
            inside.remove(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(64)))
    assert set(most) == {1}
    assert len(most) == 64


def test_first_come_first_served() -> None:
    turns = Turns()
    order = list[int]()

    def work(number: int) -> None:
        with turns.taken(object(), timeout=30):
            order.append(number)

    with turns.taken(object(), timeout=1):
        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for place, thread in enumerate(threads, 2):
            thread.start()
            while len(turns._line) < place:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == list(range(6))


def test_who_waits_too_long_leaves_and_takes_nothing_along() -> None:
    turns = Turns()
    came = list[bool]()

    def work() -> None:
        with turns.taken(object(), timeout=0.05) as mine:
            came.append(mine)

    with turns.taken(object(), timeout=1):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert came == [False]
    with turns.taken(object(), timeout=0) as mine:
        assert mine


def test_an_error_inside_passes_the_turn_on() -> None:
    turns = Turns()
    with pytest.raises(ValueError, match="inside"), turns.taken(object(), timeout=1):
        raise ValueError("inside")
    with turns.taken(object(), timeout=0) as mine:
        assert mine


@pytest.mark.usefixtures("control_c")
def test_control_c_while_waiting_leaves_the_queue() -> None:
    turns = Turns()
    go = threading.Event()

    def hold() -> None:
        with turns.taken(object(), timeout=1):
            go.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    while not turns._line:
        time.sleep(0.001)
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt), turns.taken(object(), timeout=10):
        pass
    timer.join()
    go.set()
    holder.join()
    with turns.taken(object(), timeout=0) as mine:
        assert mine


def test_a_file_has_one_queue_and_a_forked_child_another() -> None:
    here = turns_at((1, 2))
    assert turns_at((1, 2)) is here
    assert turns_at((1, 3)) is not here
    with here.taken(object(), timeout=1):
        child = os.fork()
        if child == 0:
            with turns_at((1, 2)).taken(object(), timeout=0) as mine:
                os._exit(0 if mine else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_handle_that_is_collected_meanwhile_takes_no_other_place_and_waits_for_nobody() -> None:
    """The collector runs wherever a thread allocates: here, as soon as a place is taken."""
    turns = Turns()
    gone = object()

    class Collecting(deque[tuple[int, threading.Event]]):
        def append(self, place: tuple[int, threading.Event], /) -> None:
            super().append(place)
            turns.leave(gone)

    turns._line = Collecting()
    came = list[bool]()

    def work() -> None:
        with turns.taken(object(), timeout=1) as mine:
            turns.leave(gone)
            came.append(mine and len(turns._line) == 1)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(10)
    assert came == [True]
