"""Sessions: one engine with the data as the owner last said that they are, and closed when nobody uses it."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from privet.errors import InvalidParameter, NotAllowed, ServiceFailed
from privet.server.desk import Desk
from privet.server.people import Role
from tests.support.desks_on_disk import comer, desk_in

COUNT = "SELECT COUNT(*) AS n FROM t"


def catalog(folder: Path, *, rows: int = 100, more: str = "") -> Path:
    table = pa.table({"id": list(range(rows)), "x": [each % 7 for each in range(rows)]})
    parquet.write_table(table, folder / "new.parquet")
    (folder / "new.parquet").replace(folder / "t.parquet")
    file = folder / "t.toml"
    file.write_text(
        f'unit = "person"\nlimit = {{ epsilon = 1000 }}\n{more}\n[tables.t]\nparquet = "t.parquet"\n'
        'unit_column = "id"\ncolumns.x = { type = "integer", bounds = [0, 100] }\n',
        encoding="utf-8",
    )
    return file


def counted(desk: Desk, **more: object) -> float:
    return float(desk.ask(comer(desk, "ada"), COUNT, epsilon=100, **more).answer.rows[0]["n"])  # type: ignore[arg-type]


def test_new_data_are_opened_when_the_owner_says_so_and_not_before(tmp_path: Path) -> None:
    with desk_in(tmp_path, catalog(tmp_path)) as desk, desk_in(tmp_path, tmp_path / "t.toml") as other:
        version = desk.version
        assert round(counted(desk)) == 100
        catalog(tmp_path, rows=300)
        assert desk.version == version  # it follows from nothing in the data: when they change tells when somebody came
        assert round(counted(desk)) == 100  # the stored answer
        with pytest.raises(InvalidParameter, match="was replaced"):
            counted(desk, fresh=True)
        desk.owner(comer(desk, "olga", role=Role.OWNER)).new_version(reason="the May delivery")
        for each in (desk, other):
            assert round(counted(each)) == 300
            assert each.version != version
        catalog(tmp_path, rows=5)
        parquet.write_table(pa.table({"id": ["a"], "y": [1]}), tmp_path / "t.parquet")
        desk.owner(comer(desk, "olga")).new_version(reason="the June delivery")
        for _ in range(2):
            with pytest.raises(ServiceFailed) as failed:
                counted(desk)
            assert str(tmp_path) not in str(failed.value)
        assert len(desk.history(comer(desk, "ada"))) == 2  # what was answered can be opened without the data
        catalog(tmp_path, rows=50)
        assert round(counted(desk)) == 50


def test_only_those_the_catalog_names_may_ask(tmp_path: Path) -> None:
    named = catalog(tmp_path, more="[analysts.ada]\nlimit = { epsilon = 5 }\n")
    with desk_in(tmp_path, named) as desk:
        assert desk.budget(comer(desk, "ada")).remaining.epsilon == 5
        for act in (lambda: desk.ask(comer(desk, "bob"), COUNT, epsilon=1), lambda: desk.budget(comer(desk, "bob"))):
            with pytest.raises(NotAllowed, match="names who may ask"):
                act()


def test_a_broken_handle_is_opened_again(tmp_path: Path) -> None:
    with desk_in(tmp_path, catalog(tmp_path)) as desk:
        counted(desk)
        desk.ledger.journal._broken = "the disk was full"
        assert round(counted(desk, fresh=True)) == 100
        assert desk.budget(comer(desk, "ada")).spent.epsilon == 200
