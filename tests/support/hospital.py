"""A small hospital: the neutral schema that the query tests share, and tiny databases of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb

from privet.core import Unit
from privet.loss import Guarantee, Neighbors
from privet.query.catalog import Catalog, DeclaredTable, Step, TimeWindow
from privet.query.plan.limits import Limits
from privet.query.scalars.dates import day_of
from privet.query.scalars.facts import Facts, Type, Value

REGIONS = ("North", "South", "West")
CLINICS = (("A", "North", 10), ("B", "South", 20), ("C", "South", 30), ("D", "West", 40))
CODES = (("A00", "infections"), ("I10", "circulation"), ("J45", "breathing"))

Rows = Sequence[Sequence[object]]


def number(low: float, high: float, *, nullable: bool = False, whole: bool = True) -> Facts:
    """Facts of a number between bounds."""
    type_ = Type.INTEGER if whole else Type.REAL
    return Facts(type_, nullable=nullable, low=Fraction(low), high=Fraction(high))


def text(*values: str, nullable: bool = False, other: str | None = None) -> Facts:
    """Facts of a text, with its values if they are public."""
    return Facts(Type.TEXT, nullable=nullable, values=values or None, other=other)


def day(first: str, last: str) -> Facts:
    """Facts of a date between two."""
    return Facts(Type.DATE, nullable=False, low=Fraction(day_of(first) or 0), high=Fraction(day_of(last) or 0))


UNIT = Facts(Type.INTEGER, nullable=False)

PATIENT = DeclaredTable(
    "patient",
    {
        "pid": UNIT,
        "age": number(0, 110),
        "sex": text("F", "M"),
        "zip": text(),
        "smoker": Facts(Type.BOOLEAN, nullable=True),
        "blood": text("A", "B", "AB", "0", nullable=True, other="unknown"),
    },
    unit_column="pid",
)
VISIT = DeclaredTable(
    "visit",
    {
        "vid": Facts(Type.INTEGER, nullable=False),
        "pid": UNIT,
        "clinic": text(),
        "cost": number(0, 5000, nullable=True, whole=False),
        "day": day("2024-01-01", "2024-12-31"),
        "stay": number(0, 30),
        "note": text(nullable=True),
        "weight": Facts(Type.REAL, nullable=True),
    },
    unit_column="pid",
    limits=Limits(groups_per_unit=4, rows_per_group=5),
    unique=frozenset({"vid"}),
)
LAB = DeclaredTable(
    "lab",
    {"vid": Facts(Type.INTEGER, nullable=False), "code": text(), "result": number(-10, 10, whole=False)},
    unit_column="pid",
    unit_path=(Step("vid", "visit", "vid"),),
    limits=Limits(rows_per_unit=6),
)
CLINIC = DeclaredTable(
    "clinic",
    {"clinic": text(), "region": text(), "beds": number(0, 500)},
    public=True,
    unique=frozenset({"clinic"}),
)
ICD = DeclaredTable("icd", {"code": text(), "chapter": text()}, public=True, unique=frozenset({"code"}))

HOSPITAL = Catalog(
    "hospital",
    Unit("patient", Neighbors.ADD_REMOVE),
    Guarantee(10, 1e-5),
    {table.name: table for table in (PATIENT, VISIT, LAB, CLINIC, ICD)},
)


def row_level() -> Catalog:
    """The same tables where every row of a visit is a unit of its own; patients are left out."""
    visit = replace(VISIT, unit_column=None, limits=Limits(rows_per_unit=1))
    tables = {table.name: table for table in (visit, CLINIC, ICD)}
    return replace(HOSPITAL, name="rows", unit=Unit("visit"), tables=tables, row_level=True)


def by_day(length: int = 3) -> Catalog:
    """The same visits where what a patient did within any few days is protected."""
    tables = {table.name: table for table in (VISIT, CLINIC)}
    return replace(HOSPITAL, name="days", tables=tables, window=TimeWindow("day", length))


def public_values(table: str, column: str) -> tuple[Value, ...]:
    """The distinct values of a public table's column, as a session would list them."""
    rows: Mapping[str, tuple[tuple[str, ...], Rows]] = {
        "clinic": (("clinic", "region", "beds"), CLINICS),
        "icd": (("code", "chapter"), CODES),
    }
    names, found = rows[table]
    return tuple(dict.fromkeys(row[names.index(column)] for row in found))  # type: ignore[misc] # texts and numbers


TABLES = {
    "patient": "pid BIGINT, age INTEGER, sex VARCHAR, zip VARCHAR, smoker BOOLEAN, blood VARCHAR",
    "visit": (
        "vid BIGINT, pid BIGINT, clinic VARCHAR, cost DOUBLE, day DATE, stay INTEGER, note VARCHAR, weight DOUBLE"
    ),
    "lab": "vid BIGINT, code VARCHAR, result DOUBLE",
    "clinic": "clinic VARCHAR, region VARCHAR, beds INTEGER",
    "icd": "code VARCHAR, chapter VARCHAR",
}
PATIENTS: Rows = (
    (1, 34, "F", "1010", True, "A"),
    (2, 71, "M", "1010", False, "B"),
    (3, 15, "F", "1020", None, None),
    (4, 90, "M", "1030", False, "X"),
)
VISITS: Rows = (
    (1, 1, "A", 120.5, "2024-01-03", 2, "fever", 61.0),
    (2, 1, "B", 80.0, "2024-02-14", 0, None, 62.5),
    (3, 1, "A", None, "2024-02-15", 1, "check", None),
    (4, 2, "C", 4999.0, "2024-07-01", 30, "surgery", 88.0),
    (5, 3, "D", 25.0, "2024-12-31", 0, "fever", 45.5),
    (6, 4, "A", 300.0, "2024-03-10", 4, "fall", 70.0),
    (7, 4, "A", 310.0, "2024-03-11", 5, "fall", 70.5),
)
LABS: Rows = ((1, "A00", 1.5), (1, "I10", -2.0), (4, "I10", 9.5), (5, "J45", 0.0))


def build(
    path: Path | str = ":memory:",
    *,
    patients: Rows = PATIENTS,
    visits: Rows = VISITS,
    labs: Rows = LABS,
) -> duckdb.DuckDBPyConnection:
    """A database of the hospital with these rows."""
    connection = duckdb.connect(str(path))
    rows = {"patient": patients, "visit": visits, "lab": labs, "clinic": CLINICS, "icd": CODES}
    for name, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({columns})")
        marks = ", ".join("?" for _ in columns.split(","))
        for row in rows[name]:
            connection.execute(f"INSERT INTO {name} VALUES ({marks})", list(row))  # noqa: S608 - names of this file
    return connection
