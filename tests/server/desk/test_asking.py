"""Asking: paid for once, however many ask at once, and whatever dies in between."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet.errors import AnswerLost, BudgetExceeded, Cancelled, KeyReused, ReleaseFailed, ServiceFailed
from privet.query.answering.charge import Charge
from privet.query.backends.duckdb import DuckDBBackend
from privet.server.desk import Asker, Desk
from privet.server.desk.history import History
from privet.server.desk.question import Question
from tests.support.desks import a_desk
from tests.support.desks_on_disk import comer, desk_in
from tests.support.ledger_processes import forked
from tests.support.slow_catalogs import SLOW, of_one_person

COUNT = "SELECT COUNT(*) AS n FROM patient"
SECRET = "/srv/secret/ledger.db"  # noqa: S105 - a place, that nobody may be told


@pytest.fixture
def desk() -> Iterator[Desk]:
    with a_desk(statements_at_once=8, statements_per_person=8) as opened:
        yield opened


def spent(desk: Desk, asker: Asker) -> Fraction | float:
    return desk.budget(asker).spent.epsilon


def losing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no answer be stored."""

    def lose(*_: object) -> None:
        raise AnswerLost(f"it could not be stored ({SECRET} is full)")

    monkeypatch.setattr(Charge, "keep", lose)


def test_many_who_ask_the_same_at_once_pay_once(desk: Desk) -> None:
    ada = comer(desk, "ada")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: desk.ask(ada, COUNT, epsilon=1), range(24)))
    assert len({each.number for each in found}) == 1
    assert sorted({each.repeated for each in found}) == [False, True]
    assert sum(not each.repeated for each in found) == 1
    assert spent(desk, ada) == 1


@pytest.mark.parametrize("key", [None, "one", "others"])
def test_server_processes_that_are_asked_the_same_at_once_charge_once(tmp_path: Path, key: str | None) -> None:
    with desk_in(tmp_path) as one, desk_in(tmp_path) as two:
        comer(one, "ada")

        def ask(turn: int) -> str:
            desk = (one, two)[turn % 2]
            mine = f"{key}{turn % 3}" if key == "others" else key
            return desk.ask(comer(desk, "ada"), COUNT, epsilon=1, key=mine).number

        with ThreadPoolExecutor(4) as pool:
            numbers = set(pool.map(ask, range(12)))
        assert len(numbers) == 1
        assert spent(one, comer(one, "ada")) == spent(two, comer(two, "ada")) == 1


def test_a_lost_answer_does_not_lock_a_question(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = comer(desk, "ada")
    with monkeypatch.context() as patch:
        losing(patch)
        with pytest.raises(AnswerLost) as lost:
            desk.ask(ada, COUNT, epsilon=1)
        assert SECRET not in str(lost.value)
    assert [each.state for each in desk.history(ada)] == ["unanswered"]
    with pytest.raises(AnswerLost):
        desk.stored(ada, desk.history(ada)[0].number)
    again = desk.ask(ada, COUNT, epsilon=1)
    assert (again.repeated, spent(desk, ada)) == (False, 2)
    assert desk.ask(ada, COUNT, epsilon=1).number == again.number


def test_what_was_asked_with_a_key_and_is_lost_is_never_asked_again_with_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = comer(desk, "ada")
    with monkeypatch.context() as patch:
        losing(patch)
        with pytest.raises(AnswerLost):
            desk.ask(ada, COUNT, epsilon=1, key="k")
    for _ in range(2):
        with pytest.raises(AnswerLost, match="not computed again"):
            desk.ask(ada, COUNT, epsilon=1, key="k")
    assert spent(desk, ada) == 1
    assert not desk.ask(ada, COUNT, epsilon=1, key="new").repeated
    assert desk.ask(ada, COUNT, epsilon=1).repeated
    with pytest.raises(AnswerLost):
        desk.ask(ada, COUNT, epsilon=1, key="k")
    assert spent(desk, ada) == 2


def test_keys_outlive_the_history_in_which_they_were(tmp_path: Path) -> None:
    with desk_in(tmp_path) as desk:
        ada = comer(desk, "ada")
        first = desk.ask(ada, COUNT, epsilon=1, key="k")
        for table in ("asked", "latest", "keys"):
            desk.people.database.run(f"DELETE FROM {table}")  # noqa: S608 - names of this test
        desk._answers.clear()
        assert desk.ask(ada, COUNT, epsilon=1, key="k").answer.rows == first.answer.rows
        with pytest.raises(KeyReused) as reused:
            desk.ask(ada, COUNT, epsilon=2, key="k")
        assert "entry" not in str(reused.value)  # how many entries there are tells what others do
        assert spent(desk, ada) == 1


def test_a_process_that_is_killed_after_the_charge_leaves_a_lost_answer(tmp_path: Path) -> None:
    def die() -> int:
        with desk_in(tmp_path) as desk:
            Charge.run = lambda _: signal.raise_signal(signal.SIGKILL)  # type: ignore[method-assign,assignment,return-value]
            desk.ask(comer(desk, "ada"), COUNT, epsilon=1, key="k")
        return 0

    assert os.WIFSIGNALED(os.waitpid(forked(die), 0)[1])
    with desk_in(tmp_path) as desk:
        ada = comer(desk, "ada")
        assert spent(desk, ada) == 1
        with pytest.raises(AnswerLost):
            desk.ask(ada, COUNT, epsilon=1, key="k")
        assert not desk.ask(ada, COUNT, epsilon=1).repeated
        assert spent(desk, ada) == 2


def test_an_answer_that_cannot_be_computed_stays_paid_for(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = comer(desk, "ada")

    def fail(*_: object) -> None:
        raise RuntimeError("patient 17 has a value that is not a number")

    with monkeypatch.context() as patch:
        patch.setattr(DuckDBBackend, "_fetch", fail)
        with pytest.raises(ReleaseFailed) as failed:
            desk.ask(ada, COUNT, epsilon=1)
    assert "17" not in str(failed.value)
    assert spent(desk, ada) == 1


def test_whoever_asked_stops_it_and_pays(tmp_path: Path) -> None:
    with desk_in(tmp_path, of_one_person(tmp_path)) as desk:
        ada, bob = comer(desk, "ada"), comer(desk, "bob")
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(desk.ask, ada, SLOW, epsilon=1, key="k")
            while not desk.running(ada) or not desk.budget(ada).spent.epsilon:
                assert not asked.done()
            (number,) = desk.running(ada)
            assert [each.state for each in desk.history(ada)] == ["running"]
            assert not desk.cancel(bob, number)
            assert not desk.cancel(bob, "k")
            assert not desk.cancel(ada, "another")
            assert desk.cancel(ada, "k")
            with pytest.raises(Cancelled, match="stays charged"):
                asked.result(timeout=60)
        assert (desk.running(ada), spent(desk, ada)) == ((), 1)
        assert not desk.ledger.journal.books().failures.counted  # stopping is no failure
        with pytest.raises(AnswerLost):
            desk.ask(ada, SLOW, epsilon=1, key="k")


def test_an_answer_that_is_in_the_ledger_is_told_though_its_history_was_not_written(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = comer(desk, "ada")

    def refuse(*_: object) -> None:
        raise ServiceFailed("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(History, "answered", refuse)
        first = desk.ask(ada, COUNT, epsilon=1)
    assert [each.state for each in desk.history(ada)] == ["unanswered"]
    desk._answers.clear()
    assert desk.stored(ada, first.number).answer.rows == first.answer.rows  # type: ignore[union-attr]
    assert desk.ask(ada, COUNT, epsilon=1).number == first.number
    assert [(each.state, each.spent) for each in desk.history(ada)] == [("answered", str(first.answer.spent))]


def test_who_waits_for_an_equal_question_gets_its_answer(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = comer(desk, "ada")
    goes, inside = threading.Event(), threading.Event()
    plain = DuckDBBackend._fetch

    def slow(self: DuckDBBackend, text: str) -> object:
        inside.set()
        goes.wait(30)
        return plain(self, text)

    monkeypatch.setattr(DuckDBBackend, "_fetch", slow)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(desk.ask, ada, COUNT, epsilon=1)
        assert inside.wait(30)
        second = pool.submit(desk.ask, ada, COUNT, epsilon=1, key="k")
        assert not second.done()
        goes.set()
        assert first.result(30).answer.rows == second.result(30).answer.rows
        assert (first.result().repeated, second.result().repeated) == (False, True)
    assert spent(desk, ada) == 1


def test_who_waited_for_one_that_was_refused_is_refused_too(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = comer(desk, "ada")
    goes, inside = threading.Event(), threading.Event()
    plain = Question.answer

    def slow(self: Question, *asked: Any) -> object:  # noqa: ANN401 - as it is asked
        inside.set()
        goes.wait(30)
        return plain(self, *asked)

    monkeypatch.setattr(Question, "answer", slow)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(desk.ask, ada, COUNT, epsilon=1000)
        assert inside.wait(30)
        others = [pool.submit(desk.ask, ada, COUNT, epsilon=1000) for _ in range(2)]
        goes.set()
        for each in (first, *others):
            with pytest.raises(BudgetExceeded):
                each.result(30)
    assert (spent(desk, ada), desk.history(ada)) == (0, ())


def test_who_waits_can_stop_waiting(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = comer(desk, "ada")
    goes, inside, stop = threading.Event(), threading.Event(), threading.Event()
    plain = DuckDBBackend._fetch

    def slow(self: DuckDBBackend, text: str) -> object:
        inside.set()
        goes.wait(30)
        return plain(self, text)

    monkeypatch.setattr(DuckDBBackend, "_fetch", slow)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(desk.ask, ada, COUNT, epsilon=1)
        assert inside.wait(30)
        second = pool.submit(desk.ask, ada, COUNT, epsilon=1, stop=stop)
        stop.set()
        with pytest.raises(Cancelled, match="before anything was charged"):
            second.result(30)
        goes.set()
        assert not first.result(30).repeated
