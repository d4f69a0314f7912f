import json
from dataclasses import replace
from fractions import Fraction

from privet.query.scalars.facts import Facts, Type
from privet.server.agents.catalog_facts import LISTED, catalog_facts
from tests.support.hospital import HOSPITAL, PATIENT, by_day, text


def column(told: dict[str, object], table: str, name: str) -> dict[str, object]:
    tables = {each["name"]: each for each in told["tables"]}  # type: ignore[attr-defined]
    return next(each for each in tables[table]["columns"] if each["name"] == name)


def test_what_is_declared_is_told() -> None:
    told = catalog_facts(HOSPITAL)
    assert told["protects"] == "each patient, with all of its rows"
    assert column(told, "patient", "age") == {"name": "age", "type": "integer", "bounds": [0, 110]}
    assert column(told, "patient", "sex")["values"] == ["F", "M"]
    assert column(told, "patient", "blood")["other_values_count_as"] == "unknown"
    assert column(told, "visit", "day")["bounds"] == ["2024-01-01", "2024-12-31"]
    assert column(told, "visit", "weight")["bounds"] is None
    assert "never shown" in str(column(told, "patient", "pid")["says"])
    (lab,) = (each for each in told["tables"] if each["name"] == "lab")
    assert lab["belongs_by"] == ["vid is visit.vid"]
    assert lab["limits"] == {"of": "each patient", "rows_per_unit": 6}
    (clinic,) = (each for each in told["tables"] if each["name"] == "clinic")
    assert clinic["about"].startswith("public rows")


def test_windows_of_time_are_what_is_protected() -> None:
    assert catalog_facts(by_day())["protects"] == "patient: its rows within any 3 values of day on end"


def test_where_the_data_is_is_not_told() -> None:
    secret = replace(HOSPITAL, source="postgresql://me:password@db/clinic", ledger="sqlite:////srv/ledger.db")
    assert catalog_facts(secret) == catalog_facts(HOSPITAL)


def test_long_lists_and_odd_values_are_told_safely() -> None:
    many = Facts(Type.TEXT, values=tuple(f"v{n}" for n in range(LISTED + 1)))
    odd = Facts(Type.REAL, low=Fraction(1, 3), high=Fraction(10**400))
    table = replace(PATIENT, columns={"pid": PATIENT.columns["pid"], "m": many, "o": odd, "t": text("\x1b[2J")})
    told = catalog_facts(replace(HOSPITAL, tables={"patient": table}))
    assert column(told, "patient", "m")["values_in_all"] == LISTED + 1
    assert len(column(told, "patient", "m")["values"]) == LISTED  # type: ignore[arg-type]
    assert column(told, "patient", "t")["values"] == ["\\x1b[2J"]
    json.dumps(told, allow_nan=False)
