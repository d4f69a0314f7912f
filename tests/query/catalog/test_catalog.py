"""Catalogs made in Python."""

from datetime import date
from fractions import Fraction
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.core import Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.query.catalog import Catalog, DeclaredTable, TimeWindow
from privet.query.plan.limits import Limits
from privet.query.scalars.facts import Facts, Type

ROWS: dict[str, Any] = {
    "id": [1, 2],
    "age": [34, 61],
    "pay": [1.5, float("nan")],
    "city": ["Bern", None],
    "here": [True, False],
    "born": [date(1990, 1, 1), date(1963, 5, 5)],
}
COLUMNS: dict[str, dict[str, Any]] = {
    "age": {"bounds": (0, 110)},
    "pay": {"bounds": ["0", 1e6], "nullable": True},
    "city": {"values": ("Bern", "Genf")},
    "here": {"type": "boolean"},
    "born": {"type": "date"},
}
FRAMES = {"pandas": pd.DataFrame(ROWS), "polars": pl.DataFrame(ROWS), "arrow": pa.table(ROWS)}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_every_kind_give_the_same_catalog(kind: str) -> None:
    catalog = Catalog.of(
        FRAMES[kind], table="people", unit="person", unit_column="id", limit=Guarantee(1), columns=COLUMNS
    )
    found = {name: facts.type for name, facts in catalog.tables["people"].columns.items()}
    assert found == {
        "age": Type.REAL if kind == "pandas" else Type.INTEGER,  # pandas would call it real if one were missing
        "pay": Type.REAL,
        "city": Type.TEXT,
        "here": Type.BOOLEAN,
        "born": Type.DATE,
        "id": Type.INTEGER,
    }
    assert catalog.frames["people"] is FRAMES[kind]
    assert catalog.unit == Unit("person")
    assert "Bern" not in repr(catalog)


def test_public_frames_and_limits() -> None:
    cities = pa.table({"city": ["Bern", "Genf"], "canton": ["BE", "GE"], "raw": [b"", b""]})
    catalog = Catalog.of(
        FRAMES["arrow"],
        unit="row",
        limit=Guarantee(1),
        columns={"city": {}},
        public={"cities": cities},
        unique=["cities.city", "other.x"],
        neighbors="replace",
        groups_per_unit=2,
        rows_per_group=1,
    )
    assert catalog.row_level
    table = catalog.tables["cities"]
    assert table.public
    assert (set(table.columns), table.unique) == ({"city", "canton"}, frozenset({"city"}))
    assert catalog.tables["data"].limits == Limits(groups_per_unit=2, rows_per_group=1)


GOOD: dict[str, Any] = {"unit": "person", "unit_column": "id", "limit": Guarantee(1), "columns": {}}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"limit": None}, "limit is missing"),
        ({"columns": {"agee": {}}}, "tables.data.columns.agee: the frame has no such column: did you mean age?"),
        ({"unit_column": "idd"}, "unit_column: the frame has no column idd: did you mean id?"),
        ({"unit_column": None}, "tables.data: who is a row about"),
        ({"columns": {"age": {"bounds": [1, 0]}}}, "tables.data.columns.age.bounds: are swapped"),
        (
            {"columns": {"age": {"bound": [1, 0]}}},
            "tables.data.columns.age: unknown word 'bound': did you mean bounds?",
        ),
        ({"columns": {"age": [0, 1]}}, "tables.data.columns.age: must be words such as"),
        ({"rows_per_unit": 0}, "tables.data: limits are whole numbers from 1 on, got 0"),
        ({"rows_per_group": 1}, "tables.data: give rows_per_unit alone"),
        ({"table": " ", "name": "x"}, "tables: a name is empty"),
        ({"name": ""}, "name: a dataset needs a name"),
        ({"colums": {}}, "does not take the keyword 'colums': did you mean columns?"),
        ({"limit": 5}, "limit: must be a Guarantee, such as privet.Guarantee(1), got 5"),
        ({"analysts": {"ann": 5}}, "analysts.ann.limit: must be a Guarantee"),
    ],
)
def test_mistakes(changes: dict[str, Any], says: str) -> None:
    declared = {name: value for name, value in {**GOOD, **changes}.items() if name != "limit" or value}
    with pytest.raises(InvalidParameter) as refused:
        Catalog.of(FRAMES["pandas"], **declared)
    assert says in str(refused.value)


def test_what_is_no_frame() -> None:
    for other in ([1, 2], ROWS, None):
        with pytest.raises(InvalidParameter, match="a frame is a pandas, polars or Spark DataFrame"):
            Catalog.of(other, **GOOD)


def test_a_table_made_by_hand_is_checked_too() -> None:
    def catalog(**facts: Any) -> Catalog:  # noqa: ANN401 - whatever facts hold
        table = DeclaredTable("t", {"x": Facts(**facts)}, unit_column="id")
        return Catalog("d", Unit("person"), Guarantee(1), {"t": table})

    with pytest.raises(InvalidParameter, match=r"tables\.t\.columns\.x: bounds are swapped"):
        catalog(type=Type.REAL, low=2, high=1)
    with pytest.raises(InvalidParameter, match=r"tables\.t\.columns\.x: text has no bounds"):
        catalog(type=Type.TEXT, low=2)
    with pytest.raises(InvalidParameter, match="values must be of type text, got 3"):
        catalog(type=Type.TEXT, values=(3,))
    with pytest.raises(InvalidParameter, match="values must be of type integer, got True"):
        catalog(type=Type.INTEGER, values=(True,))


def test_a_window_names_what_is_protected() -> None:
    declared = {**GOOD, "columns": {"born": {}, "age": {}}}
    found = Catalog.of(FRAMES["polars"], **declared, window=("born", 7))
    assert (found.window, found.unit.name) == (TimeWindow("born", 7), "person's 7 consecutive days")
    assert (
        Catalog.of(FRAMES["polars"], **declared, window=("age", 2)).unit.name == "person's 2 consecutive values of age"
    )
    with pytest.raises(InvalidParameter, match="the length of the window must be a whole number >= 1"):
        Catalog.of(FRAMES["polars"], **declared, window=("age", 0))
    with pytest.raises(InvalidParameter, match=r"window: tables\.data has no column day"):
        Catalog.of(FRAMES["polars"], **declared, window=("day", 2))


def test_a_notebook_shows_what_is_public_and_no_password() -> None:
    columns = {"pid": Facts(Type.INTEGER), "born": Facts(Type.DATE, low=Fraction(0), high=Fraction(365))}
    table = DeclaredTable("patient", columns, unit_column="pid")
    source = "postgresql://owner:secret@localhost/db"
    catalog = Catalog("clinic", Unit("patient"), Guarantee(1), {"patient": table}, source=source)
    shown = catalog._repr_html_()
    assert "patient (private)" in shown
    assert "says whose a row is" in shown
    assert "from 1970-01-01 to 1971-01-01" in shown
    assert "secret" not in shown
    assert repr(catalog) == "Catalog(clinic: patient(pid, born); (ε=1)-DP per patient)"
