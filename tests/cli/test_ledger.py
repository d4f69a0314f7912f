"""`privet ledger …`, as an owner types it."""

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from privet.cli import app
from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.loss import ConcentratedGuarantee, Guarantee, RenyiSum, ZcdpSum
from privet.mechanisms import Laplace
from tests.contracts.journal import fail
from tests.support.ledger_processes import ask

CREATE = ["--epsilon", "1", "--delta", "1e-6", "--unit", "person", "--dataset", "visits"]


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "ledger.db")


def privet(*words: str, fails: bool = False) -> str:
    done = CliRunner().invoke(app, ["ledger", *words], env={"COLUMNS": "200"}, catch_exceptions=False)
    assert (done.exit_code != 0) == fails, done.output
    return done.output


def test_an_owners_day(place: str) -> None:
    said = privet("create", place, *CREATE, "--purpose", "bed planning", "--retention", "one year")
    assert "each person; one unit more or less" in said
    assert "nothing has been revealed about any person" in said
    privet("cap", place, "--analyst", "ada", "--epsilon", "0.5", "--reason", "agreed")
    with Ledger.open(place, analyst="bob") as ledger:
        ledger.rule.cost(ask(ledger).loss)
    said = privet("show", place)
    assert "analyst 'ada'" in said
    assert "analyst 'bob'" in said
    assert "Promised so far, by all answers together: (ε=1, δ=0)-DP." in said
    assert "at most 73.2 % sure" in said
    assert "bed planning" in said
    assert "frozen" in privet("cap", place, "--freeze", "--reason", "an incident")
    assert "frozen" not in privet("cap", place, "--thaw", "--reason", "all clear")
    assert "promised in all periods" in privet("renew", place, "--reason", "a new year")
    assert "shared by a view" in privet("share", place, "a view", "--reason", "the same rows")
    assert "two years" in privet("declare", place, "--declare", "retention=two years")
    privet("cap", place, "--analyst", "ada", "--remove", "--reason", "trusted")
    assert "9 rows are as they were written" in privet("verify", place)
    kinds = [row["kind"] for row in json.loads(privet("export", place))["rows"]]
    assert kinds == ["opened", "cap", "release", "cap", "cap", "renewal", "shared", "declared", "cap"]


def test_an_owner_unfreezes(place: str) -> None:
    assert "Failed after" not in privet("create", place, *CREATE, "--failures", "2", "--epsilon", "100")
    with Ledger.open(place, analyst="ada") as ada, Ledger.open(place) as nobody:
        for ledger in (ada, ada, nobody):
            fail(ledger)
        said = privet("show", place)
        assert "asked by analyst 'ada': 2 of 2: frozen until `privet ledger unfreeze`." in said
        assert "asked by nobody by name: 1 of 2." in said
        found = json.loads(privet("show", place, "--json"))["failures"]
        assert found["analysts"][1] == {"analyst": "ada", "failures": 2, "frozen": True}
        assert "reason" in privet("unfreeze", place, "ada", "--reason", " ", fails=True)
        assert "no answer of bob" in privet("unfreeze", place, "bob", "--reason", "mistaken", fails=True)
        assert "say one of" in privet("unfreeze", place, "ada", "--everyone", "--reason", "both", fails=True)
        said = privet("unfreeze", place, "ada", "--reason", "a broken file, replaced")
        assert "ada': 2" not in said
        assert "nobody by name: 1 of 2" in said
        assert ask(ada) is not None
        privet("unfreeze", place, "--reason", "seen")
        fail(ada)
        assert "Failed after" not in privet("unfreeze", place, "--everyone", "--reason", "seen")
    assert "unfrozen" in privet("export", place, "--format", "csv")


def test_random_dp_is_never_told_as_pure_dp(place: str) -> None:
    assert "γ=0.2" in privet("create", place, *CREATE, "--gamma", "0.2")
    ledger = Ledger.open(place)
    sampled = Sensitive(1, Sensitivity(1, gamma="0.05"), Unit("person"))
    ledger.release(sampled, Laplace(l1_sensitivity=1, scale=10), purpose="a mean")
    told = " ".join(privet("show", place).split())
    assert "(ε=0.1, δ=0, γ=0.05) random DP." in told
    assert "-DP." not in told


def test_exports(place: str, tmp_path: Path) -> None:
    privet("create", place, *CREATE)
    rows = list(csv.DictReader(io.StringIO(privet("export", place, "--format", "csv"))))
    assert [row["kind"] for row in rows] == ["opened"]
    privet("export", place, "--output", str(tmp_path / "all.json"))
    assert json.loads((tmp_path / "all.json").read_text())["dataset"] == "visits"
    said = privet("export", place, "--output", str(tmp_path / "none" / "all.json"), fails=True)
    assert "name another file" in said
    assert json.loads(privet("show", place, "--json"))["scopes"][0]["limit"] == {"epsilon": "1", "delta": "1e-6"}


def test_rules_and_units(place: str, tmp_path: Path) -> None:
    privet("create", place, *CREATE, "--neighbors", "replace", "--rule", "renyi:16", "--version", "3")
    ledger = Ledger.open(place)
    assert (ledger.rule, ledger.unit.neighbors.name) == (RenyiSum(16), "REPLACE")
    other = str(tmp_path / "other.db")
    privet("create", other, "--rho", "0.1", "--unit", "visit", "--dataset", "visits")
    assert (Ledger.open(other).limit, Ledger.open(other).rule) == (ConcentratedGuarantee("0.1"), ZcdpSum())
    for number, rule in enumerate(("epsilon:1e-8", "zcdp", "gaussian")):
        assert "rule" in privet("create", str(tmp_path / f"{number}.db"), *CREATE, "--rule", rule)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["create", "PLACE", "--unit", "person", "--dataset", "d"], "needs a limit"),
        (["create", "PLACE", *CREATE, "--rho", "1"], "not both"),
        (["create", "PLACE", "--delta", "0.1", "--unit", "person", "--dataset", "d"], "need --epsilon"),
        (["create", "PLACE", "--gamma", "0.1", "--unit", "person", "--dataset", "d"], "need --epsilon"),
        (["create", "PLACE", "--rho", "1", "--gamma", "0.1", "--unit", "p", "--dataset", "d"], "not both"),
        (["create", "PLACE", *CREATE, "--rule", "magic"], "a rule is"),
        (["create", "PLACE", *CREATE, "--rule", "zcdp:3"], "a rule is"),
        (["create", "PLACE", *CREATE, "--neighbors", "friends"], "neighbors"),
        (["create", "mysql://x", *CREATE], "a journal is at"),
        (["show", "PLACE"], "no ledger at"),
        (["cap", "PLACE", "--reason", "x"], "say one of"),
        (["cap", "PLACE", "--epsilon", "1", "--freeze", "--reason", "x"], "say one of"),
        (["declare", "PLACE"], "say what is declared"),
        (["declare", "PLACE", "--declare", "retention"], "say what is declared"),
        (["anchor", "PLACE", "--recreate"], "--reason"),
        (["anchor", "postgresql://localhost:1/x"], "no anchor"),
    ],
)
def test_mistakes_are_one_sentence(place: str, words: list[str], says: str) -> None:
    said = privet(*(place if word == "PLACE" else word for word in words), fails=True)
    assert says in said
    assert said.startswith("privet: ")
    assert said.count("\n") == 1


def test_an_existing_ledger_is_not_made_again(place: str) -> None:
    privet("create", place, *CREATE)
    assert "already" in privet("create", place, *CREATE, fails=True)


def test_the_anchor_can_be_seen_moved_and_made_anew(place: str, tmp_path: Path) -> None:
    privet("create", place, *CREATE)
    assert "remembers row 0" in privet("anchor", place)
    new = str(tmp_path / "elsewhere.anchor")
    assert new in privet("anchor", place, "--move", new).replace("\n", "")
    assert "there already" in privet("anchor", place, "--anchor", new, "--move", new, fails=True)
    with Ledger.open(place, anchor=new) as ledger:
        assert ledger.limit == Guarantee(1, "1e-6")
        ask(ledger)
    assert json.loads(privet("anchor", place, "--anchor", new, "--json"))["remembers"]["sequence"] == 1
    Path(new).unlink()
    assert "is missing" in privet("show", place, "--anchor", new, fails=True)
    privet("anchor", place, "--anchor", new, "--recreate", "--reason", "the volume burned")
    assert "3 rows" in privet("verify", place, "--anchor", new)


def test_what_others_wrote_cannot_move_the_cursor(place: str) -> None:
    privet("create", place, *CREATE)
    with Ledger.open(place, analyst="eve\x1b[2J") as ledger:
        ask(ledger, "[bold]beds\x1b[31m")
    said = privet("show", place)
    assert "\x1b[2J" not in said
    assert "eve" in said


def test_damage_is_told(place: str) -> None:
    privet("create", place, *CREATE)
    data = Path(place).read_bytes()
    spot = data.index(b'"visits"')
    Path(place).write_bytes(data[:spot] + b'"visitz"' + data[spot + 8 :])
    assert "row 0 was changed" in privet("verify", place, fails=True)
