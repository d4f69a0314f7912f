"""`privet ledger backup`, `verify` and `restore`, as an owner types them."""

import json
from pathlib import Path

import pytest

from privet.core import Ledger
from tests.cli.test_ledger import CREATE, privet
from tests.support.ledger_processes import ask


@pytest.fixture
def place(tmp_path: Path) -> str:
    """A ledger with a spend, and a backup of it."""
    made = str(tmp_path / "ledger.db")
    privet("create", made, *CREATE, "--epsilon", "5")
    with Ledger.open(made) as ledger:
        ask(ledger)
        assert "2 rows are in" in privet("backup", made, str(tmp_path / "backup"))
    return made


def test_an_owner_restores(place: str, tmp_path: Path) -> None:
    backup, moved = str(tmp_path / "backup"), str(tmp_path / "moved.db")
    checked = privet("verify", backup)
    assert checked == privet("verify", place)
    assert "2 rows are as they were written" in checked
    Path(place).rename(moved)
    told = privet("restore", backup, place)
    assert "ε=1, δ=0" in told
    assert "Restored from a backup" not in told
    with Ledger.open(place) as ledger:
        ask(ledger)
    Path(place).unlink()
    said = privet("restore", backup, place, fails=True)
    assert "remembers row 2" in said
    told = " ".join(privet("restore", backup, place, "--accept-loss", "the disk died").split())
    assert "all that was left then (ε=4, δ=1e-6) counts as spent by everybody" in told
    rows = json.loads(privet("export", place))["rows"]
    assert (rows[-1]["kind"], rows[-1]["reason"]) == ("lost", "the disk died")
    assert "lost" in privet("export", place, "--format", "csv")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["backup", "PLACE", "BACKUP"], "is there already"),
        (["backup", "NOWHERE", "NEW"], "no ledger at"),
        (["restore", "NEW", "NOWHERE"], "there is no file"),
        (["restore", "PLACE", "NOWHERE"], "is no backup of a ledger"),
        (["restore", "BACKUP", "PLACE"], "is there already: move it away"),
        (["restore", "BACKUP", "NOWHERE"], "nobody knows what was spent"),
        (["restore", "BACKUP", "NOWHERE", "--accept-loss", " "], "a reason must be given"),
        (["restore", "BACKUP", "NOWHERE", "--epsilon", "3"], "only said beside --accept-loss"),
        (["show", "BACKUP"], "is a backup"),
        (["verify", "NOWHERE"], "no ledger at"),
    ],
)
def test_mistakes_are_one_sentence(place: str, tmp_path: Path, words: list[str], says: str) -> None:
    names = {"PLACE": place, "BACKUP": tmp_path / "backup", "NOWHERE": tmp_path / "nowhere.db", "NEW": tmp_path / "new"}
    said = privet(*(str(names.get(word, word)) for word in words), fails=True)
    assert says in said
    assert said.startswith("privet: ")
    assert said.count("\n") == 1


def test_the_highest_limit_since_counts(place: str, tmp_path: Path) -> None:
    privet("cap", place, "--epsilon", "9", "--reason", "more")
    Path(place).unlink()
    words = ("restore", str(tmp_path / "backup"), place, "--accept-loss", "the disk died")
    assert "say the highest limit" in privet(*words, fails=True)
    assert "(ε=9, δ=1e-6)-DP" in privet(*words, "--epsilon", "9", "--delta", "1e-6")
