"""What is written is read back as the same catalog."""

from fractions import Fraction
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Unit
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.query.catalog import Catalog, DeclaredTable, Step
from privet.query.catalog.toml_file import catalog_from
from privet.query.catalog.toml_text import catalog_text
from privet.query.plan.limits import ONE_ROW, Limits
from privet.query.scalars.engine_types import readable_as, type_of
from privet.query.scalars.facts import Facts, Type
from tests.query.catalog.test_toml_file import HOSPITAL

WINDOW = """
unit = "patient"
limit = { epsilon = 1 }
window = { column = "day", length = 7 }
[tables.visit]
unit_column = "pid"
columns.day = { type = "date" }
"""
ROWS = 'unit = "row"\nlimit = { rho = "1/3" }\n[tables.people]\ncsv = "people.csv"\n'


@pytest.mark.parametrize("text", [HOSPITAL, WINDOW, ROWS])
def test_a_file_survives(text: str) -> None:
    found = catalog_from(text)
    assert catalog_from(catalog_text(found)) == found


NAMES = st.text(min_size=1).filter(lambda name: bool(name.strip()) and name == name.encode("utf-8", "ignore").decode())
NUMBERS = st.fractions(min_value=-(10**9), max_value=10**9)


def bounded(kind: Type, numbers: st.SearchStrategy[Fraction]) -> st.SearchStrategy[Facts]:
    pairs = st.lists(numbers, min_size=2, max_size=2).map(sorted)
    return pairs.map(lambda pair: Facts(kind, nullable=False, low=pair[0], high=pair[1]))


COLUMNS = st.one_of(
    st.builds(Facts, st.sampled_from(Type), nullable=st.booleans()),
    bounded(Type.REAL, NUMBERS),
    bounded(Type.INTEGER, st.integers(-(1 << 62), 1 << 62).map(Fraction)),
    bounded(Type.DATE, st.integers(-700_000, 2_900_000).map(Fraction)),
    bounded(Type.TIMESTAMP, st.integers(-(10**16), 10**17).map(lambda n: Fraction(n, 10**6))),
    st.lists(NAMES, min_size=1, unique=True).map(lambda each: Facts(Type.TEXT, values=tuple(each))),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, unique=True).map(
        lambda each: Facts(Type.REAL, values=tuple(each))
    ),
)
LIMITS = st.one_of(
    st.just(ONE_ROW),
    st.builds(Limits, rows_per_unit=st.integers(1, 10**6)),
    st.builds(Limits, groups_per_unit=st.integers(1, 9), rows_per_group=st.integers(1, 9)),
)
PROMISES = st.one_of(
    st.fractions(min_value=Fraction(1, 1000), max_value=1000).map(Guarantee),
    st.fractions(min_value=Fraction(1, 1000), max_value=1000).map(ConcentratedGuarantee),
)


@given(NAMES, NAMES, st.dictionaries(NAMES, COLUMNS, max_size=4), LIMITS, PROMISES)
def test_every_catalog_survives(
    name: str, unit: str, columns: dict[str, Facts], limits: Limits, promise: Guarantee | ConcentratedGuarantee
) -> None:
    column = "\N{HOUSE BUILDING} id"
    told_apart = {normalize("NFC", each).casefold() for each in (*columns, column)}
    if len(told_apart) != len(columns) + 1 or unit == "row":
        return
    owner = DeclaredTable("owner", {}, unit_column=column, unique=frozenset({name}))
    path = (Step("a b", "owner", name),)
    table = DeclaredTable(name, columns, unit_column=column, unit_path=path, limits=limits)
    if name.casefold() == "owner":
        return
    catalog = Catalog("d", Unit(unit), promise, {"owner": owner, name: table}, ledger="/tmp/x.db", budget=promise)  # noqa: S108 - never opened
    assert catalog_from(catalog_text(catalog)) == catalog


def test_types_of_engines() -> None:
    expected = {
        "DECIMAL(18,3)": Type.REAL,
        "TIMESTAMP_NS": Type.TIMESTAMP,
        "ENUM('a', ')b')": None,  # a closing bracket in a value: not read rather than misread
        "ENUM('a', 'b')": Type.TEXT,
        "double precision": Type.REAL,
        "timestamp[us]": Type.TIMESTAMP,
        "INTEGER[]": None,
        "STRUCT(a INTEGER)": None,
        "": None,
    }
    assert {name: type_of(name) for name in expected} == expected
    assert readable_as(Type.INTEGER, Type.REAL)
    assert not readable_as(Type.REAL, Type.INTEGER)
    assert not readable_as(None, Type.TEXT)
