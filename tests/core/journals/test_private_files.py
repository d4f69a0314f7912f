"""What a ledger in a file does with its files: only SQLite opens the database, and all are for their owner alone."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from privet.errors import LedgerUnavailable
from tests.support.ledger_processes import ask, new_ledger, retry


def test_two_handles_of_a_process_and_others_beside_it(folder: Path) -> None:
    """A notebook makes its ledger twice, and another process opens and closes it: no lock is dropped."""
    address = f"sqlite:///{folder}/ledger.db"
    first = new_ledger(address)
    ask(first)
    second = new_ledger(address)
    ask(second)
    del first
    gc.collect()
    subprocess.run([sys.executable, "-c", BESIDE, address], check=True)  # noqa: S603 - our own
    ask(second)
    assert second.spent.epsilon == 4


BESIDE = """
import sys
from privet import Ledger
from tests.support.ledger_processes import ask
with Ledger.open(sys.argv[1]) as ledger:
    ask(ledger)
"""


class Watch:
    """Who opens files through Python; SQLite does not. Hooks stay for good, so this one is turned on and off."""

    opened: "list[str] | None" = None

    @classmethod
    def hear(cls, event: str, details: "tuple[object, ...]") -> None:
        if cls.opened is not None and event == "open" and isinstance(details[0], str | os.PathLike):
            cls.opened.append(os.fspath(details[0]))


sys.addaudithook(Watch.hear)


def test_only_sqlite_opens_the_database(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing any other descriptor of it would drop this process's locks; the log is opened too, and has none."""
    path = folder / "ledger.db"
    opened = list[str]()
    monkeypatch.setattr(Watch, "opened", opened)
    with new_ledger(f"sqlite:///{path}") as ledger:
        ask(ledger, key="k")
        retry(ledger, "k")
        ledger.verify()
    with new_ledger(f"sqlite:///{path}") as again:
        assert again.spent.epsilon == 1
    assert f"{path}.lock" in opened  # it does see what is opened
    assert not {f"{path}", f"{path}-shm"} & set(opened)


@pytest.mark.parametrize("mode", [0o666, 0o660, 0o604])
@pytest.mark.parametrize("made", [False, True], ids=["empty", "in use"])
def test_files_are_for_their_owner_alone(folder: Path, *, made: bool, mode: int) -> None:
    path = folder / "ledger.db"
    before = os.umask(0)
    try:
        if made:
            ask(new_ledger(f"sqlite:///{path}"))
            gc.collect()
        else:
            path.touch()
        for each in folder.iterdir():
            each.chmod(mode)
        ledger = new_ledger(f"sqlite:///{path}")
        ask(ledger)
    finally:
        os.umask(before)
    names = {each.name for each in folder.iterdir()}
    assert names >= {"ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db.lock"}
    modes = {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir()}
    modes.pop("ledger.db.anchor", None)
    assert set(modes.values()) == {0o600}, modes


def test_a_file_that_others_can_use_and_cannot_be_changed_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = new_ledger(f"sqlite:///{folder}/ledger.db")
    ledger.close()
    (folder / "ledger.db").chmod(0o666)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)
    with pytest.raises(LedgerUnavailable, match="chmod 600"):
        ask(ledger)
