"""The ledger of a catalog: one budget, wherever and however often it is opened."""

from dataclasses import replace
from pathlib import Path

import pytest

from privet.core import Ledger, Scope, Unit
from privet.errors import BudgetExceeded, InvalidParameter, LedgerUnavailable, NewLedger, PrivetError
from privet.loss import Guarantee, ZcdpSum
from privet.query.catalog import Catalog
from privet.query.catalog.catalog_ledger import ledger_of
from privet.query.catalog.toml_file import read_catalog
from tests.support.ledger_processes import ask

TEXT = """
unit = "person"
limit = {{ epsilon = {limit} }}
{more}
[tables.visit]
unit_column = "pid"
"""


def catalog(folder: Path, *, limit: str = "2", more: str = "") -> Catalog:
    (folder / "our.toml").write_text(TEXT.format(limit=limit, more=more))
    return read_catalog(folder / "our.toml")


ANALYSTS = "[analysts.ada]\nlimit = { epsilon = 1 }\n[analysts.bob]\nlimit = { epsilon = 2 }"


def test_it_is_made_beside_the_catalog_and_opened_again(tmp_path: Path) -> None:
    with ledger_of(catalog(tmp_path)) as ledger:
        assert (ledger.limit, ledger.dataset) == (Guarantee(2), "our")
        ask(ledger)
    assert (tmp_path / "our.ledger.db").exists()
    with ledger_of(catalog(tmp_path)) as ledger:
        assert ledger.spent.epsilon == 1
        ask(ledger)
        with pytest.raises(BudgetExceeded):
            ask(ledger)


def test_analysts_have_caps_and_nobody_else_may_ask(tmp_path: Path) -> None:
    declared = catalog(tmp_path, more=ANALYSTS)
    with ledger_of(declared, analyst="ada") as ledger:
        ask(ledger)
        with pytest.raises(BudgetExceeded, match="ada"):
            ask(ledger)
        caps = {name: ledger.journal.books().account(Scope(name)).limit for name in ("ada", "bob")}
        assert caps == {"ada": Guarantee(1), "bob": Guarantee(2)}
        rows = ledger.journal.verify()
    with ledger_of(declared, analyst="bob") as ledger:
        assert ledger.journal.verify() == rows  # the caps are written once
        ask(ledger)
    with pytest.raises(InvalidParameter, match="analyst 'adda' is not in the catalog: did you mean ada"):
        ledger_of(declared, analyst="adda")
    with pytest.raises(InvalidParameter, match="this catalog names who may ask: say analyst=…, one of ada, bob"):
        ledger_of(declared)


def test_a_changed_limit_is_explained_and_not_taken_over(tmp_path: Path) -> None:
    ledger_of(catalog(tmp_path, more=ANALYSTS), analyst="ada").close()
    with pytest.raises(InvalidParameter) as refused:
        ledger_of(catalog(tmp_path, limit="9", more=ANALYSTS), analyst="ada")
    assert str(refused.value) == (
        "the catalog gives the dataset the limit (ε=9)-DP, but the ledger keeps (ε=2)-DP: change it there too, with "
        f"the reason: privet ledger cap {tmp_path}/our.ledger.db --epsilon 9 --reason '…'"
    )
    with pytest.raises(InvalidParameter, match=r"gives analyst 'ada' .* --analyst ada --epsilon 1\.5 --reason"):
        ledger_of(catalog(tmp_path, more=ANALYSTS.replace("epsilon = 1", "epsilon = '3/2'")), analyst="ada")
    with Ledger.open(str(tmp_path / "our.ledger.db")) as owner:
        owner.journal.cap(Guarantee(9), reason="agreed")
    with ledger_of(catalog(tmp_path, limit="9", more=ANALYSTS), analyst="ada") as ledger:
        assert ledger.limit == Guarantee(9)


def test_a_ledger_that_its_owner_made_first_keeps_its_rule(tmp_path: Path) -> None:
    place = str(tmp_path / "own.db")
    Ledger(Guarantee(2, 1e-6), unit=Unit("person"), rule=ZcdpSum(), journal=place, dataset="our").close()
    text = TEXT.format(limit="2, delta = 1e-6", more='ledger = "own.db"')
    (tmp_path / "our.toml").write_text(text)
    with ledger_of(read_catalog(tmp_path / "our.toml")) as ledger:
        assert ledger.rule == ZcdpSum()


def test_another_unit_or_dataset_is_refused(tmp_path: Path) -> None:
    ledger_of(catalog(tmp_path)).close()
    text = TEXT.format(limit="2", more="")
    (tmp_path / "our.toml").write_text(text.replace('"person"', '"visit"'))
    with pytest.raises(InvalidParameter, match=r"protects Unit\('person'.*but the catalog says Unit\('visit'"):
        ledger_of(read_catalog(tmp_path / "our.toml"))
    (tmp_path / "our.toml").write_text('name = "other"\n' + text)
    with pytest.raises(InvalidParameter, match="this is the ledger of our, not of 'other'"):
        ledger_of(read_catalog(tmp_path / "our.toml"))


def test_deleting_the_file_does_not_refill_the_budget(tmp_path: Path) -> None:
    with ledger_of(catalog(tmp_path)) as ledger:
        ask(ledger)
    for file in tmp_path.glob("our.ledger.db*"):
        if not file.name.endswith(".anchor"):
            file.unlink()
    with pytest.raises(PrivetError):
        ledger_of(catalog(tmp_path))


def test_an_empty_folder_is_told_of_or_refused(tmp_path: Path) -> None:
    """A disk that is not mounted looks like this: no second budget without a word."""
    declared = catalog(tmp_path)
    with pytest.raises(LedgerUnavailable, match=r"no ledger at .*our\.ledger\.db"):
        ledger_of(declared, create=False)
    assert not list(tmp_path.glob("our.ledger*"))
    with pytest.warns(NewLedger, match=r"no ledger at .*our\.ledger\.db, so a new one was made, with nothing spent"):
        ledger_of(declared).close()
    ledger_of(declared, create=False).close()


def test_a_catalog_names_the_anchor_of_its_ledger(tmp_path: Path) -> None:
    declared = catalog(tmp_path, more='anchor = "elsewhere.anchor"')
    with ledger_of(declared) as ledger:
        ask(ledger)
    assert (tmp_path / "elsewhere.anchor").exists()
    assert ledger_of(declared).spent.epsilon == 1
    with pytest.raises(LedgerUnavailable, match="name its place with anchor="):
        ledger_of(catalog(tmp_path))


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "our.ledger.db").write_bytes(b"something else" * 500)
    with pytest.raises(PrivetError) as refused:
        ledger_of(catalog(tmp_path))
    assert "our.ledger.db" in str(refused.value)


def test_without_a_name_it_is_in_memory(tmp_path: Path) -> None:
    memory = replace(catalog(tmp_path), ledger=None)
    ask(ledger_of(memory))
    assert ledger_of(memory).spent.epsilon == 0
    assert not (tmp_path / "our.ledger.db").exists()
