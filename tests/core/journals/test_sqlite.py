"""SqliteJournal: the contract, many processes, and everything that can happen to a file."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from privet.core import Ledger, Scope, journal_at
from privet.core.journals import Row, disks
from privet.core.journals.sqlite import SqliteJournal
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable, PrivetError
from privet.loss import Guarantee
from tests.contracts.journal import JournalContract, fail
from tests.support.ledger_processes import (
    CONTEXT,
    ask,
    forked,
    new_ledger,
    processes_and_threads,
    spend_all,
    spend_in_processes,
)


@pytest.fixture
def address(folder: Path) -> str:
    return f"sqlite:///{folder}/ledger.db"


class TestContract(JournalContract):
    pass


# --- many processes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("repeats", [1, pytest.param(19, marks=pytest.mark.soak)])
def test_processes_and_threads_spend_exactly_the_cap(folder: Path, repeats: int) -> None:
    """8 processes of 25 attempts each and 32 threads, all at one cap of 100."""
    for repeat in range(repeats):
        address = f"sqlite:///{folder}/ledger-{repeat}.db"
        ledger = new_ledger(address, Guarantee(100))
        assert processes_and_threads(ledger, address) == 100
        assert ledger.spent.epsilon == 100
        assert len(ledger.entries) == 100
        ledger.verify()
        ledger.close()


@pytest.mark.parametrize("repeats", [1, pytest.param(19, marks=pytest.mark.soak)])
def test_processes_keep_every_scope(folder: Path, repeats: int) -> None:
    """3 analysts at 2 datasets, caps on both."""
    for repeat in range(repeats):
        for dataset in ("visits", "salaries"):
            address = f"sqlite:///{folder}/{dataset}-{repeat}.db"
            ledger = new_ledger(address, Guarantee(12), dataset=dataset)
            for analyst, cap in (("ada", 3), ("bob", 4), ("eve", 9)):
                ledger.journal.cap(Guarantee(cap), scope=Scope(analyst), reason="agreed")
            found = spend_in_processes(address, ["ada", "bob", "eve"] * 2, 9)
            by = {name: sum(count for who, count in found if who == name) for name in ("ada", "bob", "eve")}
            assert sum(by.values()) == 12 == ledger.spent.epsilon
            assert (by["ada"] <= 3, by["bob"] <= 4, by["eve"] <= 9) == (True, True, True)
            for name, count in by.items():
                assert ledger.journal.books().account(Scope(name)).spent.epsilon == count
            ledger.verify()
            ledger.close()


def test_processes_may_make_the_journal_at_the_same_moment(folder: Path) -> None:
    address = f"sqlite:///{folder}/new.db"
    children = [CONTEXT.Process(target=_make_and_spend, args=(address,), daemon=True) for _ in range(6)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
        assert child.exitcode == 0
    ledger = Ledger.open(address)
    assert ledger.spent.epsilon == 6
    assert ledger.verify() == 7


def _make_and_spend(address: str) -> None:
    ask(new_ledger(address))


def test_forked_children_open_the_journal_again(address: str) -> None:
    ledger = new_ledger(address, Guarantee(20))
    plan = ledger.reserve(ask(ledger).loss * 4, purpose="four")
    journal = cast("SqliteJournal", ledger.journal)

    def spend() -> int:
        assert journal._connection is None  # the parent's, whose locks are not the child's
        return spend_all(plan, 4) + 10 * spend_all(ledger, 5)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking while threads run is what is tested
        children = [forked(spend) for _ in range(8)]
    mine = spend_all(ledger, 5)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert max(codes) < 255
    assert sum(code % 10 for code in codes) == 4  # the plan was drawn once, not once in every child
    assert sum(code // 10 for code in codes) + mine == 15
    assert ledger.spent.epsilon == 20
    ledger.verify()


def test_a_stopped_process_does_not_hold_the_ledger(address: str) -> None:
    """A process killed while it holds the write lock frees it."""
    new_ledger(address)
    child = CONTEXT.Process(target=_hold_the_lock, args=(address,), daemon=True)
    child.start()
    while not Path(f"{address.removeprefix('sqlite:///')}.held").exists():
        assert child.is_alive()
    waiting = SqliteJournal(address.removeprefix("sqlite:///"), timeout=0.2)
    with pytest.raises(LedgerUnavailable, match="busy"):
        ask(Ledger.open(waiting))
    os.kill(child.pid or 0, signal.SIGKILL)
    child.join()
    ask(Ledger.open(waiting))


def _hold_the_lock(address: str) -> None:
    journal = SqliteJournal(address.removeprefix("sqlite:///"))
    journal.open()
    with journal._writing():
        Path(f"{journal.path}.held").touch()
        signal.pause()


# --- what happens to files --------------------------------------------------------------------------------------


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def put_back(folder: Path, copy: dict[str, bytes]) -> None:
    for path in folder.iterdir():
        path.unlink()
    for name, data in copy.items():
        (folder / name).write_bytes(data)


def test_a_removed_file_is_refused(address: str, folder: Path) -> None:
    ledger = new_ledger(address)
    ask(ledger)
    (folder / "ledger.db").unlink()
    with pytest.raises(LedgerDamaged, match="removed while it was open"):
        ask(ledger)
    with pytest.raises(LedgerUnavailable, match="refuses everything until it is opened again"):
        ask(ledger)
    with pytest.raises(LedgerUnavailable, match="no ledger at"):
        Ledger.open(address)
    with pytest.raises(LedgerDamaged, match=r"anchor .* remembers its row 1"):
        new_ledger(address)


def test_a_swapped_file_is_refused(address: str, folder: Path) -> None:
    ledger = new_ledger(address)
    ask(ledger)
    shutil.copy(folder / "ledger.db", folder / "copy.db")
    os.replace(folder / "copy.db", folder / "ledger.db")  # noqa: PTH105 - what an attacker types
    with pytest.raises(LedgerDamaged, match="replaced while it was open"):
        ask(ledger)


def test_a_removed_log_is_refused(address: str, folder: Path) -> None:
    ledger = new_ledger(address)
    ask(ledger)
    (folder / "ledger.db-wal").unlink()
    with pytest.raises(LedgerDamaged, match="write-ahead log"):
        ask(ledger)


def test_a_second_name_is_refused(address: str, folder: Path) -> None:
    ledger = new_ledger(address)
    ask(ledger)
    os.link(folder / "ledger.db", folder / "second.db")
    with pytest.raises(LedgerUnavailable, match="second name"):
        ask(ledger)
    with pytest.raises(LedgerUnavailable, match="second name"):
        Ledger.open(f"sqlite:///{folder}/second.db")
    (folder / "second.db").unlink()
    ask(ledger)


def test_an_old_copy_is_refused(address: str, folder: Path) -> None:
    with new_ledger(address, Guarantee(10)) as ledger:
        spend_all(ledger, 3)
        ledger.close()
        copy = files(folder)
        spend_all(ledger, 5)
    anchor = (folder / "ledger.db.anchor").read_bytes()
    put_back(folder, copy | {"ledger.db.anchor": anchor})
    with pytest.raises(LedgerDamaged, match=r"ends with row 3, but its anchor remembers row 8"):
        Ledger.open(address)
    with pytest.raises(LedgerDamaged):
        new_ledger(address, Guarantee(10))


def back_up(here: Path, there: Path) -> None:
    with closing(sqlite3.connect(here)) as source, closing(sqlite3.connect(there)) as target:
        source.backup(target)


def test_an_old_copy_put_back_in_place_is_refused_by_an_open_handle(address: str, folder: Path) -> None:
    ledger = new_ledger(address)
    spend_all(ledger, 2)
    old = Ledger.open(address)
    back_up(folder / "ledger.db", folder / "old.db")
    spend_all(ledger, 3)
    back_up(folder / "old.db", folder / "ledger.db")
    with pytest.raises(LedgerDamaged, match="no longer holds row 5"):
        ask(ledger)
    with pytest.raises(LedgerDamaged, match="anchor remembers row 5"):  # all it has seen is still there
        ask(old)


def test_the_anchor_of_another_volume_is_used(address: str, folder: Path) -> None:
    other = folder / "elsewhere"
    other.mkdir()
    new_ledger(address, anchor=other / "anchor").close()
    assert not (folder / "ledger.db.anchor").exists()
    with Ledger.open(address, anchor=other / "anchor") as ledger:
        ask(ledger)
    with pytest.raises(LedgerUnavailable, match="name its place with anchor="):
        Ledger.open(address)


@pytest.mark.parametrize("damage", [b"", b"garbage", bytes(1536)])
def test_a_lost_anchor_is_refused_until_the_owner_makes_a_new_one(address: str, folder: Path, damage: bytes) -> None:
    with new_ledger(address) as ledger:
        ask(ledger)
    (folder / "ledger.db.anchor").unlink()
    if damage:
        (folder / "ledger.db.anchor").write_bytes(damage)
    with pytest.raises((LedgerUnavailable, LedgerDamaged), match="privet ledger anchor --recreate"):
        Ledger.open(address)
    journal: Any = journal_at(address)
    journal.recreate_anchor(reason="the volume was lost")
    with Ledger.open(address) as ledger:
        assert ledger.spent.epsilon == 1
        assert [row.facts["kind"] for row in ledger.journal.rows()] == ["opened", "release", "anchored"]
        ask(ledger)


def test_the_anchor_never_moves_backwards(address: str) -> None:
    """A process that is slow to write the anchor finds a later row there, and leaves it."""
    ledger = new_ledger(address)
    spend_all(ledger, 3)
    journal: Any = ledger.journal
    early = list(journal.rows())[1]
    journal.anchor.advance(journal.identity, early)
    assert journal.anchor.read().mark.sequence == 3
    other = Row(3, early.body, early.hash)
    with pytest.raises(LedgerDamaged, match="another journal"):
        journal.anchor.advance(journal.identity, other)


def test_an_anchor_slot_that_is_torn_leaves_the_other(address: str, folder: Path) -> None:
    with new_ledger(address) as ledger:
        spend_all(ledger, 3)
    anchor = folder / "ledger.db.anchor"
    good = anchor.read_bytes()
    for slot in (0, 1):
        torn = bytearray(good)
        torn[slot * 512 + 40] ^= 1
        anchor.write_bytes(torn)
        with Ledger.open(address) as ledger:
            assert ledger.spent.epsilon == 3


@pytest.mark.parametrize("act", ["cap", "unfreeze"])
def test_a_cap_that_the_anchor_does_not_know_is_refused(address: str, folder: Path, act: str) -> None:
    """Someone who can write the file but not the anchor appends a raised limit, with a right hash."""
    with new_ledger(address, Guarantee(2)) as ledger:
        ask(ledger)
        fail(ledger)
        open_handle = Ledger.open(address)
        ledger.close()
        anchor = (folder / "ledger.db.anchor").read_bytes()
        if act == "cap":
            ledger.journal.cap(Guarantee(100), reason="forged")
        else:
            ledger.journal.unfreeze(reason="forged")
    (folder / "ledger.db.anchor").write_bytes(anchor)
    for attempt in (lambda: ask(open_handle), lambda: Ledger.open(address)):
        with pytest.raises(LedgerDamaged, match="only the owner may"):
            attempt()


def test_a_crash_between_a_cap_and_its_anchor_is_no_forgery(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = new_ledger(address, Guarantee(1))

    def crash(self: object, row: object) -> None:  # noqa: ARG001 - a stand-in
        raise KeyboardInterrupt

    monkeypatch.setattr(SqliteJournal, "_committed", crash)
    with pytest.raises(KeyboardInterrupt):
        ledger.journal.cap(Guarantee(2), reason="agreed")
    monkeypatch.undo()
    assert Ledger.open(address).limit == Guarantee(2)


@pytest.mark.parametrize(("point", "there"), [("_begin", False), ("_committed", True)])
def test_a_crash_while_a_journal_is_made_is_mended(
    address: str, monkeypatch: pytest.MonkeyPatch, point: str, *, there: bool
) -> None:
    """Before its first row is committed, when the anchor knows of it already, and after."""
    original = getattr(SqliteJournal, point)

    def crash(self: SqliteJournal, row: Row) -> None:
        if point == "_begin":
            original(self, row)
        raise KeyboardInterrupt

    monkeypatch.setattr(SqliteJournal, point, crash)
    with pytest.raises(KeyboardInterrupt):
        new_ledger(address)
    monkeypatch.undo()
    if not there:
        with pytest.raises(LedgerUnavailable, match="no ledger at"):
            Ledger.open(address)
        new_ledger(address).close()
    ask(Ledger.open(address))
    assert Ledger.open(address).verify() == 2


# --- versions and strangers -------------------------------------------------------------------------------------


def test_other_databases_and_versions_are_refused(folder: Path, address: str) -> None:
    stranger = folder / "stranger.db"
    with sqlite3.connect(stranger) as connection:
        connection.execute("CREATE TABLE entries (sequence INTEGER PRIMARY KEY)")
    connection.close()
    before = stranger.read_bytes()
    for attempt in (Ledger.open, new_ledger):
        with pytest.raises(LedgerUnavailable, match="a database of something else"):
            attempt(f"sqlite:///{stranger}")
    assert stranger.read_bytes() == before
    (folder / "text.db").write_text("not a database at all, but long enough to be read as the header of one" * 20)
    with pytest.raises(LedgerDamaged, match="damaged"):
        new_ledger(f"sqlite:///{folder}/text.db")
    new_ledger(address).close()
    with sqlite3.connect(folder / "ledger.db") as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(LedgerUnavailable, match=r"version 2 and this Privet knows 1: run `pip install --upgrade"):
        Ledger.open(address)


def test_the_table_keeps_its_rows_by_itself(address: str, folder: Path) -> None:
    ledger = new_ledger(address)
    ask(ledger)
    with sqlite3.connect(folder / "ledger.db") as connection:
        for statement in ("DELETE FROM entries", "UPDATE entries SET body = ''"):
            with pytest.raises(sqlite3.IntegrityError, match="entries never"):
                connection.execute(statement)
    connection.close()


def test_dropped_guards_are_noticed(address: str, folder: Path) -> None:
    new_ledger(address).close()
    with sqlite3.connect(folder / "ledger.db") as connection:
        connection.execute("DROP TRIGGER entries_stay")
    connection.close()
    with pytest.raises(LedgerDamaged, match="not those that Privet made"):
        Ledger.open(address)


@pytest.mark.parametrize("bad", ["", "sqlite://ledger.db", "mysql://host/db", "sqlite:///"])
def test_addresses_that_lead_nowhere(bad: str) -> None:
    with pytest.raises(InvalidParameter, match="a journal is at"):
        new_ledger(bad)


def test_an_address_may_be_a_path_with_odd_characters(folder: Path) -> None:
    odd = folder / "büch er? #1 %41.db"
    ledger = new_ledger(str(odd))
    ask(ledger)
    assert odd.exists()
    assert Ledger.open(str(odd)).spent.epsilon == 1


# --- disks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "9p", "fuse.sshfs", "fuse.s3fs"])
def test_network_file_systems_are_refused(
    address: str, folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 0 0:1 / / rw - ext4 /dev/sda rw\n2 1 0:2 / {folder} rw,noatime shared:1 - {kind} host:/ rw\n")
    monkeypatch.setattr(disks, "MOUNTS", mounts)
    with pytest.raises(LedgerUnavailable, match=f"network file system \\({kind}\\)"):
        new_ledger(address)
    assert not list(folder.iterdir())
    mounts.unlink()
    with pytest.raises(LedgerUnavailable, match="need Linux"):
        new_ledger(address)


def test_mounts_are_read_as_the_kernel_writes_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    lines = ("1 0 0:1 / / rw - ext4 a rw", "2 1 0:2 / /a\\040b rw - nfs b rw", "3 1 0:2 / /a rw - tmpfs c rw")
    mounts.write_text("\n".join((*lines, "4 1 0:3 / /a rw - xfs d rw", "broken line")))
    monkeypatch.setattr(disks, "MOUNTS", mounts)
    found = {name: disks.kind_of_disk(Path(name)) for name in ("/x/y", "/a b/c", "/a/c", "/ab/c")}
    assert found == {"/x/y": "ext4", "/a b/c": "nfs", "/a/c": "xfs", "/ab/c": "ext4"}


def child(script: str, *arguments: object, before: Callable[[], None] | None = None, **more: Any) -> str:  # noqa: ANN401 - of Popen
    """What a Python process prints."""
    done: subprocess.CompletedProcess[str] = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        preexec_fn=before,
        **more,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


SPEND = """
import sys
from tests.support.ledger_processes import Ledger, ask
from privet.errors import PrivetError
ledger, answered = Ledger.open(sys.argv[1]), 0
for _ in range(int(sys.argv[2])):
    try:
        ask(ledger, "x" * 2000)
        answered += 1
    except PrivetError as problem:
        print(type(problem).__name__, problem)
print(answered)
"""


def test_a_full_disk_refuses_and_loses_nothing(address: str) -> None:
    new_ledger(address, Guarantee(10**6)).close()

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    *said, answered = child(SPEND, address, 100, before=small_files).splitlines()
    assert 0 < int(answered) < 100
    assert all(line.startswith("LedgerUnavailable") for line in said)
    assert "refuses everything until it is opened again" in said[-1]
    with Ledger.open(address) as ledger:
        assert int(answered) <= ledger.spent.epsilon <= int(answered) + 1
        ledger.verify()
        ask(ledger)


OPEN_AS_NOBODY = """
import os, sys
from tests.support.ledger_processes import Ledger
from privet.errors import PrivetError
os.setegid(65534)
os.seteuid(65534)
try:
    Ledger.open(sys.argv[1])
except PrivetError as problem:
    print(type(problem).__name__, problem)
"""


@pytest.mark.parametrize(("mode", "told"), [(0o400, "cannot be"), (0o444, "its owner runs `chmod 600`")])
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write")
def test_a_ledger_that_may_not_be_written_is_refused(address: str, folder: Path, mode: int, told: str) -> None:
    new_ledger(address).close()
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(mode)
    said = child(OPEN_AS_NOBODY, address)
    assert said.startswith("LedgerUnavailable")
    assert told in said


SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
static int fails(int fd) {
    static int left = -1;
    const char *which = getenv("PRIVET_TEST_FAILING"), *when = getenv("PRIVET_TEST_AFTER");
    char link[64], path[PATH_MAX] = {0};
    if (!which || !when) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, path, sizeof path - 1) < 0 || !strstr(path, which)) return 0;
    if (left < 0) left = atoi(when);
    return left-- == 0;
}
int fsync(int fd) {
    if (fails(fd)) { errno = EIO; return -1; }
    return ((int (*)(int)) dlsym(RTLD_NEXT, "fsync"))(fd);
}
int fdatasync(int fd) {
    if (fails(fd)) { errno = EIO; return -1; }
    return ((int (*)(int)) dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
"""


@pytest.mark.parametrize("which", ["ledger.db-wal", "ledger.db.anchor"])
def test_a_failing_fsync_ends_all_answers(which: str, tmp_path: Path) -> None:
    """EIO once: the handle refuses everything from then on; opened again, everything answered is there."""
    if (compiler := shutil.which("gcc")) is None:
        pytest.skip("needs gcc, to make fsync fail")
    (tmp_path / "shim.c").write_text(SHIM)
    shim = tmp_path / "shim.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", shim, tmp_path / "shim.c", "-ldl"], check=True)  # noqa: S603
    address = f"sqlite:///{tmp_path}/ledger.db"
    new_ledger(address, Guarantee(100)).close()
    shown = {"LD_PRELOAD": str(shim), "PRIVET_TEST_FAILING": which, "PRIVET_TEST_AFTER": "6"}
    *said, answered = child(SPEND, address, 20, env=os.environ | shown).splitlines()
    assert 0 < int(answered) < 20
    assert len(said) == 20 - int(answered)
    assert all("refuses everything until it is opened again" in line for line in said[1:])
    with Ledger.open(address) as ledger:
        assert int(answered) <= ledger.spent.epsilon <= int(answered) + 1
        ledger.verify()
        ask(ledger)


def test_errors_are_all_of_the_family() -> None:
    assert issubclass(LedgerUnavailable, PrivetError)
    assert issubclass(LedgerDamaged, PrivetError)
