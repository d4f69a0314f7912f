from dataclasses import replace
from pathlib import Path

from privet.loss import Guarantee
from privet.query.remote.public_catalog import catalog_of, public_text
from tests.support.hospital import HOSPITAL

SECRETS = ("secret-host", "secret-file", "secret-ledger", "secret-anchor", "mallory")


def test_a_catalog_is_told_without_places_and_other_analysts() -> None:
    tables = {
        name: replace(table, files="secret-file.parquet") if name == "patient" else table
        for name, table in HOSPITAL.tables.items()
    }
    whole = replace(
        HOSPITAL,
        tables=tables,
        source="postgresql://u:p@secret-host/base",
        ledger="secret-ledger.db",
        anchor="secret-anchor",
        analysts={"mallory": Guarantee("0.5")},
        folder=Path("/secret-folder"),
    )
    text = public_text(whole)
    assert not any(secret in text for secret in SECRETS)
    there = catalog_of(text, address="https://stats.example.org")
    assert (repr(there), there.unit, there.limit, there.budget) == (
        (repr(replace(whole, analysts={})), whole.unit, whole.limit, whole.budget)
    )
    assert {name: table.columns for name, table in there.tables.items()} == {
        name: table.columns for name, table in tables.items()
    }
