"""Killed server processes: whoever retries gets the stored answer, or hears that it is lost; nothing is free."""

import os
import signal
import time
from pathlib import Path

import pytest

from privet.core.journals.entry import SPENDS
from privet.errors import AnswerLost
from privet.noise import BitSource
from tests.support.desks_on_disk import comer, desk_in
from tests.support.ledger_processes import forked

pytestmark = pytest.mark.whole
KEYS = 40  # questions with a key each, in an order of each worker's own


def question(number: int) -> str:
    return f"SELECT COUNT(*) AS n FROM patient WHERE age > {number}"  # noqa: S608 - a number of this file


def work(folder: Path, first: int) -> int:
    """Ask everything, with keys; what is lost is lost."""
    with desk_in(folder, engine_threads=1) as desk:
        ada = comer(desk, "ada")
        for turn in range(KEYS):
            number = (first + turn) % KEYS
            try:
                desk.ask(ada, question(number), epsilon="0.5", key=f"key {number}")
            except AnswerLost:
                continue
    return 0


def kill_some(folder: Path, *, kills: int, source: BitSource) -> None:
    with desk_in(folder) as desk:
        comer(desk, "ada")
    for turn in range(kills):
        children = [forked(lambda first=first: work(folder, first)) for first in (turn, turn + KEYS // 2)]  # type: ignore[misc]
        time.sleep(0.3 + int(source.words(1)[0]) % 1000 / 1000)
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def check(folder: Path) -> tuple[int, int]:
    """How many answers are stored and lost: each key was charged once, and gives the same answer each time."""
    stored = lost = 0
    with desk_in(folder) as desk:
        ada = comer(desk, "ada")
        before = desk.budget(ada).spent.epsilon
        facts = [row.facts for row in desk.ledger.journal.rows()]
        charged = [each for each in facts if each["kind"] in SPENDS and each.get("key")]
        assert len({each["key"] for each in charged}) == len(charged)
        assert before * 2 == len(charged)
        for number in range(KEYS):
            try:
                first = desk.ask(ada, question(number), epsilon="0.5", key=f"key {number}")
            except AnswerLost:
                lost += 1
                continue
            again = desk.ask(ada, question(number), epsilon="0.5")
            assert again.answer.rows == first.answer.rows
            assert again.number == first.number
            stored += 1
        assert desk.budget(ada).spent.epsilon * 2 == KEYS
        desk.ledger.verify()
    return stored, lost


def test_killed_workers_charge_each_key_once(tmp_path: Path, source: BitSource) -> None:
    kill_some(tmp_path, kills=3, source=source)
    stored, lost = check(tmp_path)
    assert stored + lost == KEYS


@pytest.mark.soak
def test_killed_workers_charge_each_key_once_at_a_hundred_moments(tmp_path: Path, source: BitSource) -> None:
    found = []
    for turn in range(10):
        folder = tmp_path / str(turn)
        folder.mkdir()
        kill_some(folder, kills=5, source=source)
        found.append(check(folder))
    assert sum(lost for _, lost in found) > 0  # some were hit
