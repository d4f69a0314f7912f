"""Damaged and busy anchors, and journals of other versions, on SQLite and PostgreSQL: each is told in one sentence."""

import fcntl
import hashlib
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from privet.core import Ledger
from privet.core.journals.anchor import Anchor
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable, PrivetError
from tests.core.journals.anchored_place import Place, told_once
from tests.core.journals.attacker import Attacker
from tests.core.journals.test_sqlite import child
from tests.support.ledger_processes import ask, new_ledger

pytestmark = pytest.mark.whole


def slot(**changed: object) -> Callable[[dict[str, Any]], bytes]:
    """A slot with a right checksum, and other fields; those that are None are left out."""

    def made(facts: dict[str, Any]) -> bytes:
        return summed(json.dumps({name: value for name, value in (facts | changed).items() if value is not None}))

    return made


def summed(text: str) -> bytes:
    return f"{hashlib.sha256(text.encode()).hexdigest()[:16]} {text}\n".encode().ljust(512)


PUT_BACK = "put back the right file, or make a new one with `privet ledger anchor --recreate --reason …`"
DAMAGED: dict[str, tuple[Callable[[dict[str, Any]], bytes], str]] = {
    "empty": (lambda _: b"", PUT_BACK),
    "truncated": (lambda _: slot()(_)[:100], PUT_BACK),
    "blank": (lambda _: b" " * 1536, PUT_BACK),
    "zeros": (lambda _: bytes(1536), PUT_BACK),
    "binary": (lambda _: bytes(range(256)) * 6, PUT_BACK),
    "text": (lambda _: b"an anchor\n" * 200, PUT_BACK),
    "only an announcement of a later row": (lambda _: b" " * 1024 + slot()(_), PUT_BACK),
    "both marks destroyed": (lambda _: bytes(1024) + slot(sequence=0, hash=_["journal"])(_), PUT_BACK),
    "no fields": (lambda _: summed("{}"), PUT_BACK),
    "a field missing": (slot(hash=None), PUT_BACK),
    "a field more": (slot(color="green"), PUT_BACK),
    "a list": (lambda _: summed("[1, 2, 3]"), PUT_BACK),
    "a number": (lambda _: summed("7"), PUT_BACK),
    "not JSON": (lambda _: summed("{"), PUT_BACK),
    "nested": (lambda _: summed("[" * 400), PUT_BACK),
    "sequence a text": (slot(sequence="1"), PUT_BACK),
    "sequence a fraction": (slot(sequence=1.0), PUT_BACK),
    "sequence true": (slot(sequence=True), PUT_BACK),
    "sequence negative": (slot(sequence=-1), PUT_BACK),
    "sequence huge": (slot(sequence=10**100), PUT_BACK),
    "hash a number": (slot(hash=7), PUT_BACK),
    "hash short": (slot(hash="00"), PUT_BACK),
    "ahead": (slot(sequence=2**62), "put back the newest copy, or count the limit as spent"),
    "another row": (slot(hash="00" * 32), "the journal was rewritten; put back the right one"),
    "another journal": (slot(journal="00" * 32), "put back the right journal, or name its own anchor with anchor=…"),
    "newer": (slot(version=2), "of version 2 and this Privet knows 1: run `pip install --upgrade privet`"),
    "much newer": (slot(version=2, more=[], hash=None), "run `pip install --upgrade privet`"),
    "older": (slot(version=0), "of version 0, which no Privet has ever written: put back the file"),
    "of no version": (slot(version="x"), "of version x, which no Privet has ever written: put back the file"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_anchor_is_refused(place: Place, damage: str) -> None:
    """With one sentence, that says what to do next, whether the ledger is open, opened or made."""
    ledger = place.new()
    ask(ledger)
    mark = Anchor(place.anchor).read().mark
    made, says = DAMAGED[damage]
    place.anchor.write_bytes(made({"journal": mark.journal, "sequence": mark.sequence, "hash": mark.hash}))
    for attempt in (place.open, place.new, lambda: ask(ledger)):
        with pytest.raises((LedgerDamaged, LedgerUnavailable)) as refused:
            attempt()
        assert says in told_once(refused.value)
        assert (
            place.anchor.name in str(refused.value) or "the anchor remembers" in str(refused.value) or "ahead" in damage
        )
    place.journal().recreate_anchor(reason="damaged")
    assert place.open().spent.epsilon == 1


@pytest.mark.parametrize("kind", ["folder", "in a file", "nowhere", "loop", "null", "fifo"])
def test_an_anchor_that_is_no_file_is_refused(place: Place, kind: str) -> None:
    place.new().close()
    bad = place.anchor.with_name("bad")
    told = LedgerUnavailable
    if kind == "folder":
        bad.mkdir()
    elif kind == "in a file":
        bad = place.anchor / "bad"
    elif kind == "nowhere":
        bad = place.anchor.with_name("no folder") / "bad"
    elif kind == "loop":
        bad.symlink_to(bad)
    elif kind == "fifo":
        os.mkfifo(bad)
    for attempt in (place.open, place.new):
        with pytest.raises(PrivetError, match=r"anchor=|name another") as refused:
            attempt(anchor="a\0b" if kind == "null" else bad)
        assert isinstance(refused.value, InvalidParameter if kind == "null" else told)
        told_once(refused.value)


AS_NOBODY = """
import os, sys
from pathlib import Path
from privet.core.journals.anchor import Anchor
from privet.errors import PrivetError
os.setegid(65534)
os.seteuid(65534)
try:
    Anchor(Path(sys.argv[1])).read()
except PrivetError as problem:
    print(type(problem).__name__, problem)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write")
@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_an_anchor_that_may_not_be_read_or_written_is_refused(folder: Path, mode: int) -> None:
    new_ledger(f"sqlite:///{folder}/ledger.db").close()
    folder.chmod(0o755)
    (folder / "ledger.db.anchor").chmod(mode)
    said = child(AS_NOBODY, folder / "ledger.db.anchor")
    assert said.startswith("LedgerUnavailable")
    assert "cannot be used (Permission denied): let this user read and write the file" in said


# --- versions -------------------------------------------------------------------------------------------------------

NEWER = (LedgerUnavailable, "and this Privet knows 1: run `pip install --upgrade privet`")
NEVER = (LedgerDamaged, "which no Privet has ever written: put back the file or table as it was")
VERSIONS = {2: NEWER, 999: NEWER, 0: NEVER, -1: NEVER}


@pytest.mark.parametrize("version", VERSIONS)
def test_other_versions_are_refused(place: Place, version: int) -> None:
    """Also by a handle that had the ledger open when the version changed, before it writes or after it has read."""
    ledger = place.new()
    kind, says = VERSIONS[version]
    ask(ledger)
    place.attacker.version(version)
    rows = place.attacker.rows()
    for attempt in (lambda: ask(ledger), place.open, place.new):
        with pytest.raises((LedgerDamaged, LedgerUnavailable)) as refused:
            attempt()
        assert isinstance(refused.value, kind)
        assert f"is a journal of version {version}" in told_once(refused.value)
        assert says in str(refused.value)
    assert place.attacker.rows() == rows
    place.attacker.version(1)
    ask(place.open())


@pytest.mark.parametrize("schema", [2, 0, None, "x", True])
def test_other_versions_of_rows_are_refused(place: Place, schema: object) -> None:
    place.new().close()
    terms = place.attacker.rows()[0].facts
    place.attacker.rewrite(0, [{**terms, "schema": schema}])
    kind, says = NEWER if schema == 2 else NEVER
    with pytest.raises(kind, match=says.replace("`", ".")):
        place.open()


def test_a_table_of_something_else_is_refused(database: str) -> None:
    attacker = Attacker(f"{database}&ledger=commented")
    new_ledger(attacker.address).close()
    for comment in ("NULL", "'something else'", "'privet journal version '", "'privet journal version ²'"):
        with attacker._connected() as execute:
            execute(f"COMMENT ON TABLE entries IS {comment}")
        for attempt in (Ledger.open, new_ledger):
            with pytest.raises(LedgerDamaged, match="which no Privet has ever written: put back"):
                attempt(attacker.address)


# --- waiting --------------------------------------------------------------------------------------------------------


@contextmanager
def held(path: Path) -> Iterator[threading.Timer]:
    """The lock of an anchor, as another process has it that was stopped; given back after a while, to hang nowhere."""
    file = os.open(path, os.O_RDWR)
    fcntl.flock(file, fcntl.LOCK_EX)
    rescue = threading.Timer(20, fcntl.flock, (file, fcntl.LOCK_UN))
    rescue.start()
    yield rescue
    rescue.cancel()
    rescue.join()
    os.close(file)


@pytest.mark.parametrize("attempt", ["opens", "spends", "looks"])
def test_a_busy_anchor_is_refused_after_a_while(place: Place, attempt: str) -> None:
    place.new().close()
    ledger = Ledger.open(place.journal(timeout=0.1))
    tries: dict[str, Callable[[], object]] = {
        "opens": place.journal(timeout=0.1).open,
        "spends": lambda: ask(ledger),
        "looks": lambda: ledger.limit,
    }
    with held(place.anchor) as rescue:
        busy = r"busy: another process has held it for 0\.1 seconds; try again, or end that process"
        with pytest.raises(LedgerUnavailable, match=busy):
            tries[attempt]()
        assert rescue.is_alive()
    ask(ledger)
    assert place.open().spent.epsilon == 1


@pytest.mark.usefixtures("control_c")
def test_waiting_for_an_anchor_can_be_interrupted(place: Place) -> None:
    ledger = place.new()
    with held(place.anchor) as rescue:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            ask(ledger)
        assert rescue.is_alive()
    assert not place.open().spent.epsilon
    ask(ledger)
    ask(place.open())
