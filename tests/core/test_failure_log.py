"""The reason of a failure is in the owner's log, and nowhere else."""

import json
import stat
from pathlib import Path

import pytest

from privet.core import Ledger, Sensitive, Sensitivity
from privet.core.failure_log import VARIABLE
from privet.errors import ReleaseFailed
from privet.loss import Guarantee
from tests.support.ledger_processes import COUNT, PERSON

TOLD = "patient 123456"


def compute() -> int:
    raise ValueError(TOLD)


def fail(ledger: Ledger) -> str:
    with pytest.raises(ReleaseFailed) as caught:
        ledger.release(Sensitive.later(compute, Sensitivity(1), PERSON), COUNT, purpose="fails")
    return str(caught.value)


def test_only_the_owner_reads_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "failures.log"
    ledger = Ledger(Guarantee(100), unit=PERSON, analyst="ada", failures=10)
    told = {fail(ledger)}
    assert not log.exists(), "off unless it is turned on"
    monkeypatch.setenv(VARIABLE, str(log))
    told.add(fail(ledger))
    told.add(fail(ledger))
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    first, second = map(json.loads, log.read_text().splitlines())
    assert (first["analyst"], first["entry"], second["entry"]) == ("ada", 3, 5)
    assert TOLD in first["reason"]
    assert "in compute" in first["reason"]
    assert TOLD not in str([row.facts for row in ledger.journal.rows()])
    assert len(told) == 1, "who asks sees no difference"


@pytest.mark.parametrize("how", ["readable", "link", "folder", "missing"])
def test_a_log_that_is_not_the_owners_alone_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    log, kept = tmp_path / "failures.log", tmp_path / "kept"
    if how == "readable":
        log.touch(0o644)
    elif how == "link":
        kept.touch(0o600)
        log.symlink_to(kept)
    elif how == "folder":
        log.mkdir()
    else:
        log = tmp_path / "nowhere" / "failures.log"
    monkeypatch.setenv(VARIABLE, str(log))
    assert fail(Ledger(Guarantee(100), unit=PERSON))
    assert not any(file.read_text() for file in tmp_path.iterdir() if file.is_file())
