"""Catalog files: what they mean, and one sentence for every way to get one wrong."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Unit
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.query.catalog import ExpectedRows, Step, TimeWindow
from privet.query.catalog.column_words import WORDS as COLUMN_WORDS
from privet.query.catalog.toml_file import TABLE_WORDS, catalog_from, read_catalog
from privet.query.catalog.word_reader import TOP
from privet.query.plan.limits import ONE_ROW, Limits
from privet.query.scalars.facts import ExpectedValues, Facts, Type

HOSPITAL = """
name = "hospital"
source = "duckdb:///hospital.duckdb"
unit = "patient"
neighbors = "replace"
limit = { epsilon = "10", delta = "1e-5" }
budget = { epsilon = 0.1 }
[analysts.ada]
limit = { epsilon = 1, delta = 1e-6 }
[tables.patient]
unit_column = "pid"
expected = { rows = 20000 }
columns.age = { type = "integer", bounds = [0, 110] }
columns.sex = { type = "text", values = ["F", "M"], other = "?" }
[tables.visit]
unit_column = "pid"
unique = ["id"]
groups_per_unit = 4
rows_per_group = 5
expected = { rows = 120000, units = 20000 }
parquet = "visits/*.parquet"
columns.cost = { type = "real", bounds = ["0.1", 5000.5], expected = { mean = 300, deviation = "400.5" } }
columns.day = { type = "date", bounds = [2020-01-01, "2024-12-31"] }
columns.at = { type = "timestamp", bounds = [1970-01-01T00:00:01, "1970-01-02T00:00:00.5"] }
columns.level = { type = "real", values = [1, 2.5] }
columns.on = { type = "date", values = [2024-02-29, "20240301"] }
columns.time = { type = "timestamp", values = [2024-02-29T10:00:00, "2024-03-01T10:00"] }
[tables.item]
unit_path = 'visit_id -> visit.id -> pid'
rows_per_unit = 3
location = "main.items"
[tables.clinic]
public = true
"""
SMALL = 'unit = "patient"\nlimit = { epsilon = 1 }\n'
VISIT = SMALL + '[tables.visit]\nunit_column = "pid"\n'


def test_every_word_means_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "our.toml").write_text(HOSPITAL, encoding="utf-8")
    found = read_catalog(tmp_path / "our.toml")
    assert (found.name, found.source) == ("hospital", "duckdb:///hospital.duckdb")
    assert found.unit == Unit("patient", "replace")
    assert (found.limit, found.budget) == (Guarantee(10, "1e-5"), Guarantee("0.1"))
    assert found.analysts == {"ada": Guarantee(1, "1e-6")}
    assert found.ledger == str(tmp_path / "our.ledger.db")
    assert found.folder == tmp_path
    visit, item = found.tables["visit"], found.tables["item"]
    assert visit.limits == Limits(groups_per_unit=4, rows_per_group=5)
    assert visit.unique == {"id"}
    assert visit.files == "visits/*.parquet"
    assert (item.unit_column, item.unit_path) == ("pid", (Step("visit_id", "visit", "id"),))
    assert (item.limits, item.location) == (Limits(rows_per_unit=3), "main.items")
    assert found.tables["clinic"].public
    patient = found.tables["patient"]
    assert (patient.limits, patient.limits.said, item.limits.said) == (ONE_ROW, False, True)
    assert (patient.expected, visit.expected) == (ExpectedRows(20_000), ExpectedRows(120_000, 20_000))


def test_columns_are_exact() -> None:
    tables = catalog_from(HOSPITAL).tables
    assert tables["patient"].columns == {
        "age": Facts(Type.INTEGER, nullable=False, low=Fraction(0), high=Fraction(110)),
        "sex": Facts(Type.TEXT, nullable=False, values=("F", "M"), other="?"),
    }
    visit = tables["visit"].columns
    assert visit["cost"] == Facts(
        Type.REAL,
        nullable=False,
        low=Fraction(1, 10),
        high=Fraction(10001, 2),
        expected=ExpectedValues(Fraction(300), Fraction(801, 2)),
    )
    assert visit["day"] == Facts(Type.DATE, nullable=False, low=Fraction(18262), high=Fraction(20088))
    assert (visit["at"].low, visit["at"].high) == (Fraction(1), Fraction(86400) + Fraction(1, 2))
    assert visit["level"].values == (1, 2.5)
    assert visit["on"].values == ("2024-02-29", "2024-03-01")
    assert visit["time"].values == ("2024-02-29 10:00:00", "2024-03-01 10:00:00")


def test_a_name_and_a_ledger_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "wards.toml"
    file.write_text(VISIT)
    assert read_catalog(file).name == "wards"
    for named, place in {
        "spent.db": str(tmp_path / "spent.db"),
        "sqlite:///spent.db": str(tmp_path / "spent.db"),
        "sqlite:////srv/spent.db": "/srv/spent.db",
        "postgresql://host/base?ledger=x": "postgresql://host/base?ledger=x",
    }.items():
        file.write_text(f'ledger = "{named}"\n' + VISIT)
        assert read_catalog(file).ledger == place


def test_rows_windows_and_rho() -> None:
    rows = catalog_from('unit = "row"\nlimit = { rho = 0.5 }\n[tables.people]\n')
    assert (rows.row_level, rows.unit, rows.limit) == (True, Unit("row"), ConcentratedGuarantee("0.5"))
    day = '\nwindow = { column = "day", length = 7 }\n[tables.visit]\nunit_column = "pid"\ncolumns.day.type = '
    within = catalog_from('unit = "patient"\nlimit = { epsilon = 1 }' + day + '"date"')
    assert within.window == TimeWindow("day", 7)
    assert within.unit == Unit("patient's 7 consecutive days")  # the ledger must not promise more than that
    whole = catalog_from('unit = "patient"\nlimit = { epsilon = 1 }' + day + '"integer"')
    assert whole.unit == Unit("patient's 7 consecutive values of day")


def test_a_longer_path_with_odd_names() -> None:
    found = catalog_from(
        SMALL
        + """
[tables."line items"]
unit_path = '"order id" -> order-book.id -> cust -> "a.b"."the ""key" -> household'
[tables.order-book]
unique = ["id"]
unit_path = 'cust->"a.b"."the ""key"->household'
[tables."a.b"]
unique = ['the "key']
unit_column = "household"
"""
    )
    steps = (Step("order id", "order-book", "id"), Step("cust", "a.b", 'the "key'))
    assert found.tables["line items"].unit_path == steps
    assert found.tables["order-book"].unit_path == steps[1:]


COLUMN = VISIT + "columns.x = "
PATHS = (
    SMALL.replace("{ epsilon = 1 }", "{{ epsilon = 1 }}")
    + '[tables.item]\nunit_path = "{}"\n[tables.orders]\nunit_column = "cust"\n{}'
)


MISTAKES = [
    ("", "the file is empty: draft one with `privet catalog draft DATA`"),
    ("# only a remark\n", "the file is empty"),
    ("unit = ", "this is not TOML: Invalid value (at end of document)"),
    ("unit = 'a'\nunit = 'b'\n", "this is not TOML: Cannot overwrite a value (at line 2"),
    ("x = " + "[" * 5000, "this is not TOML"),
    ("unit = " + "9" * 5000, "too long"),
    ("unit = 1e" + "9" * 30, "a number in it is too long"),
    ("limit = { epsilon = 1 }", 'unit is missing: say who is protected, such as unit = "patient"'),
    ("unit = 'p'", "limit is missing: say how much may be revealed, such as limit = { epsilon"),
    (SMALL, "tables: none is declared"),
    ("unti = 'p'", "unknown word 'unti': did you mean unit?"),
    (VISIT + "colums = {}", "tables.visit: unknown word 'colums': did you mean columns?"),
    (VISIT + "ledger = 'x'", "tables.visit: ledger is a word of the whole file: move it above the first [table]"),
    (
        VISIT + 'columns.x = { type = "real", sign = "up" }',
        """columns.x: sign must be "positive" or "negative", got 'up'""",
    ),
    (
        VISIT + 'columns.x = { type = "real", sign = "positive", bounds = [0, 1] }',
        "columns.x: sign is of a number without",
    ),
    (VISIT + 'columns.x = { type = "text", sign = "positive" }', "columns.x: sign is of a number without bounds"),
    (VISIT + "expected = 5", "tables.visit.expected: must be a table such as { rows = 120000, units = 20000 }, got 5"),
    (VISIT + "expected.units = 5", "tables.visit.expected: needs rows, such as { rows = 120000"),
    (VISIT + "expected.rows = 1.5", "tables.visit.expected.rows: must be a whole number from 1 on, got 1.5"),
    (VISIT + f"expected.rows = {10**400}", "tables.visit.expected: no table has more than 2^62 rows: correct it"),
    (VISIT + "expected.row = 1", "tables.visit.expected: unknown word 'row': did you mean rows?"),
    (VISIT + "expected = { rows = 4, units = 5 }", "tables.visit.expected: every unit that counts has a row"),
    ("unit = 'row'\nlimit.rho = 1\n[tables.v]\nexpected = { rows = 4, units = 4 }", "expected: with unit = "),
    (VISIT + "[tables.c]\npublic = true\nexpected.rows = 4", "a public table are counted exactly: leave out expected"),
    (VISIT + "columns.a = { type = 'real', expected = 3 }", "such as { mean = 300, deviation = 400 }, got 3"),
    (VISIT + "columns.a = { type = 'real', expected = {} }", "columns.a.expected: needs a mean"),
    (VISIT + "columns.a = { type = 'real', expected.mean = nan }", "expected.mean: must be a finite number, got NaN"),
    (VISIT + "columns.a = { type = 'real', expected.mean = true }", "expected.mean: must be a finite number, got true"),
    (VISIT + "columns.a = { type = 'real', expected.mean = 1e301 }", "expected.mean: must be a finite number"),
    (VISIT + "columns.a = { type = 'text', expected.mean = 1 }", "columns.a: text has no mean: leave out expected"),
    (
        VISIT + "columns.a = { type = 'real', bounds = [0, 5], expected.mean = 6 }",
        "columns.a: the expected mean lies outside the bounds: correct the mean, or widen them",
    ),
    (VISIT + "columns.a = { type = 'real', expected = { mean = 1, deviation = -1 } }", "deviation is below 0"),
    (VISIT + "zzz = 1", "tables.visit: unknown word 'zzz': known are bounding, columns,"),
    ("tables = 1\n" + SMALL, "tables: must be a table such as [tables.visit], got 1"),
    ("tables.visit = 1\n" + SMALL, "tables: visit must be a table such as [tables.visit], got 1"),
    ("unit = 3\nlimit = { epsilon = 1 }", 'unit: must be a text such as "patient", got 3'),
    ("unit = ' '\nlimit = { epsilon = 1 }", 'unit: must be a text such as "patient", got " "'),
    ("neighbors = 'friends'\n" + VISIT, "neighbors: "),
    ("unit = 'p'\nlimit = 3\n[tables.v]", "limit: must be a table such as { epsilon"),
    ("unit = 'p'\nlimit = { rho = 1, epsilon = 1 }", "limit: give epsilon (and delta), or rho"),
    ("unit = 'p'\nlimit = { rho = 1, delta = 0.1 }", "limit: give epsilon (and delta), or rho"),
    ("unit = 'p'\nlimit = { delta = 1 }", "limit: give epsilon (and delta), or rho"),
    ("unit = 'p'\nlimit = { epsilon = nan }", "limit: epsilon must be a finite number"),
    ("unit = 'p'\nlimit = { epsilon = -1 }", "limit: epsilon must be >= 0, got -1"),
    ("unit = 'p'\nlimit = { epsilon = 1, delta = 1 }", "limit: delta must be in [0, 1)"),
    ("unit = 'p'\nlimit = { epsilon = [1] }", "limit: epsilon must be a finite number"),
    ("analysts.ada = {}\n" + VISIT, "analysts.ada: how much may they learn: add limit"),
    ("analysts.ada.limit.epsilon = 2\n" + VISIT, "analysts.ada.limit: (ε=2)-DP is above the dataset's limit (ε=1)"),
    ("analysts.ada.limit.rho = 1\n" + VISIT, "analysts.ada.limit: give it in the same terms as the limit"),
    ("analysts.ada.limit.epsilon = 1\nanalysts.Ada.limit.epsilon = 1\n" + VISIT, "analysts: ada and Ada differ by"),
    ("budget = { epsilon = 1, delta = 0.1 }\n" + VISIT, "budget: (ε=1, δ=0.1)-DP is above the dataset's limit"),
    (SMALL + "[tables.visit]", "tables.visit: who is a row about: add unit_column, or unit_path"),
    (VISIT + "public = true", "tables.visit: a public table is about nobody"),
    (VISIT + "public = 1", "tables.visit.public: must be true or false, got 1"),
    ("unit = 'row'\nlimit = { epsilon = 1 }\n[tables.visit]\nunit_column = 'a'", 'tables.visit: with unit = "row"'),
    (SMALL + "[tables.c]\npublic = true\nrows_per_unit = 1", "tables.c: a public table has no units to limit"),
    (VISIT + "rows_per_unit = 0", "tables.visit.rows_per_unit: must be a whole number from 1 on, got 0"),
    (VISIT + "rows_per_unit = 1.0", "tables.visit.rows_per_unit: must be a whole number from 1 on, got 1.0"),
    (VISIT + "rows_per_unit = true", "tables.visit.rows_per_unit: must be a whole number from 1 on, got true"),
    (VISIT + "rows_per_group = 2", "tables.visit: give rows_per_unit alone, or groups_per_unit and rows_per_group"),
    (VISIT + "rows_per_group = 2\nrows_per_unit = 3\ngroups_per_unit = 1", "give rows_per_unit alone"),
    (VISIT + "rows_per_unit = 9223372036854775807", "tables.visit: limits are whole numbers"),
    (VISIT + "unique = 'id'", 'tables.visit.unique: must be a list of texts such as ["id"], got "id"'),
    (VISIT + "parquet = 'visits'", "tables.visit.parquet: must end with .parquet or .pq"),
    (VISIT + "parquet = 'a.parquet'\ncsv = 'a.csv'", "tables.visit: give one of parquet, csv and location"),
    (VISIT + "columns.a.type = 'text'\ncolumns.A.type = 'text'", "tables.visit.columns: a and A differ by case"),
    (VISIT + "columns.'\u00e9'.type = 'text'\ncolumns.'e\u0301'.type = 'text'", "differ by case only"),
    (VISIT + "columns.PID.type = 'text'", "tables.visit.columns: PID and pid differ by case"),
    (VISIT + "[tables.Visit]\npublic = true", "tables: visit and Visit differ by case only: rename one"),
    (VISIT + "columns = 'x'", "tables.visit.columns: must be a table such as { type"),
    (COLUMN + "'text'", 'tables.visit.columns: x must be a table such as { type = "integer"'),
    (COLUMN + "{}", "tables.visit.columns.x: needs a type: one of boolean, integer, real, text, date, timestamp"),
    (COLUMN + "{ type = 'int' }", "tables.visit.columns.x.type: there is no type 'int'"),
    (COLUMN + "{ type = 'integr' }", "columns.x.type: there is no type 'integr': did you mean integer?"),
    (COLUMN + "{ typ = 'text' }", "tables.visit.columns.x: unknown word 'typ': did you mean type?"),
    (COLUMN + "{ type = 'integer', bounds = [9, 1] }", "columns.x.bounds: are swapped: write [1, 9]"),
    (COLUMN + "{ type = 'integer', bounds = [0.5, 1] }", "x.bounds: of integer are finite, such as [0, 110]"),
    (COLUMN + "{ type = 'integer', bounds = [0, 1e30] }", "bounds of integers are whole numbers within ±2^62"),
    (COLUMN + "{ type = 'real', bounds = [0, inf] }", "bounds: of real are finite, such as [0, 5000], got"),
    (COLUMN + "{ type = 'real', bounds = [nan, 1] }", "columns.x.bounds: of real are finite"),
    (COLUMN + "{ type = 'real', bounds = ['inf', 1] }", "columns.x.bounds: of real are finite"),
    (COLUMN + "{ type = 'real', bounds = [true, 1] }", "columns.x.bounds: of real are finite"),
    (COLUMN + "{ type = 'real', bounds = [0, '1e400'] }", "columns.x.bounds: of real are finite"),
    (COLUMN + "{ type = 'real', bounds = [2020-01-01, 1] }", "columns.x.bounds: of real are finite"),
    (COLUMN + "{ type = 'real', bounds = [1] }", "columns.x.bounds: must be the lowest and the highest value"),
    (COLUMN + "{ type = 'real', bounds = 5 }", "columns.x.bounds: must be the lowest and the highest value"),
    (COLUMN + "{ type = 'text', bounds = [0, 1] }", "columns.x.bounds: text has no bounds: list its values"),
    (COLUMN + "{ type = 'date', bounds = [0, 1] }", "bounds: of date are finite, such as [2020-01-01, 2024-12-31]"),
    (COLUMN + "{ type = 'date', bounds = [2020-01-02, 2020-01-01] }", "swapped: write [2020-01-01, 2020-01-02]"),
    (COLUMN + "{ type = 'date', bounds = [2020-01-01T10:00:00, 2021-01-01] }", "bounds: of date are finite"),
    (COLUMN + "{ type = 'date', bounds = ['2020-02-30', 2021-01-01] }", "bounds: of date are finite"),
    (COLUMN + "{ type = 'timestamp', bounds = [2020-01-01T00:00:00Z, 2021-01-01] }", "bounds: of timestamp are"),
    (COLUMN + "{ type = 'text', values = [] }", "tables.visit.columns.x: values is empty"),
    (COLUMN + "{ type = 'text', values = 'F' }", 'columns.x.values: must be a list such as ["F", "M"], got "F"'),
    (COLUMN + "{ type = 'text', values = ['F', 1] }", "columns.x.values: must be of type text, got 1"),
    (COLUMN + "{ type = 'integer', values = [1, true] }", "columns.x.values: must be of type integer, got true"),
    (COLUMN + "{ type = 'integer', values = [1.5] }", "columns.x.values: must be of type integer, got 1.5"),
    (COLUMN + "{ type = 'boolean', values = [1] }", "columns.x.values: must be of type boolean, got 1"),
    (COLUMN + "{ type = 'real', values = [nan] }", "columns.x.values: must be finite, got NaN"),
    (COLUMN + "{ type = 'date', values = ['May'] }", 'columns.x.values: must be of type date, got "May"'),
    (COLUMN + "{ type = 'text', values = ['F', 'F'] }", "columns.x: a value is listed twice"),
    (COLUMN + "{ type = 'integer', values = [5], bounds = [0, 4] }", "x: the value 5 is outside its bounds"),
    (COLUMN + "{ type = 'text', other = 'o' }", "columns.x: other needs values of type text beside it"),
    (COLUMN + "{ type = 'text', values = ['o'], other = 'o' }", "other is 'o', which is one of the values"),
    (COLUMN + "{ type = 'text', nullable = 'yes' }", 'columns.x.nullable: must be true or false, got "yes"'),
    (VISIT + "unit_path = 'a -> b.c -> d'", "tables.visit.unit_path: give unit_column or unit_path, not both"),
    (PATHS.format("o -> orders", ""), "tables.item.unit_path: must be written like order_id -> orders.id ->"),
    (PATHS.format("cust", ""), "tables.item.unit_path: must be written like"),
    (PATHS.format("o -> order.id -> cust", ""), "unit_path: there is no table order: did you mean orders?"),
    (PATHS.format("o -> orders.id -> cust", ""), "orders.id must be unique, or a row could be about"),
    (PATHS.format("o -> orders.id -> seller", 'unique = ["id"]'), "orders is not declared to belong to seller"),
    ("window = { column = 'day' }\n" + VISIT, "window: give column and length"),
    ("window = { column = 'day', length = 0 }\n" + VISIT, "window.length: must be a whole number from 1 on"),
    ("window = { column = 'day', length = 2 }\n" + VISIT, "window: tables.visit has no column day"),
    ("window = { column = 'x', length = 2 }\n" + COLUMN + "{ type = 'text' }", "must be a date or an integer"),
    (
        "window = { column = 'x', length = 2 }\nunit = 'row'\nlimit = { epsilon = 1 }\n[tables.a]",
        "window: a window is of a unit's rows",
    ),
]


@pytest.mark.parametrize(("text", "says"), MISTAKES)
def test_mistakes_are_one_sentence_with_file_place_and_fix(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "our.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidParameter) as refused:
        read_catalog(file)
    said = str(refused.value)
    assert said.startswith(f"{file}: ")
    assert says in said
    assert "\n" not in said


def test_files_that_are_no_catalogs(tmp_path: Path) -> None:
    def said(path: Path) -> str:
        with pytest.raises(InvalidParameter) as refused:
            read_catalog(path)
        return str(refused.value)

    assert "is a folder: name the catalog file in it" in said(tmp_path)
    assert "there is no file" in said(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"unit = 'a'\nname = 'Z\xfcrich'")
    assert "latin.toml is not UTF-8 text (line 2): save it as UTF-8" in said(tmp_path / "latin.toml")
    (tmp_path / "zero.toml").write_bytes(b"unit = '\x00'")
    assert "this is not TOML" in said(tmp_path / "zero.toml")
    assert "cannot be read" in said(tmp_path / "zero.toml" / "below")
    assert "cannot be read" in said(Path("a\0b"))


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "our.toml").write_text(VISIT, encoding="utf-8-sig")
    assert read_catalog(tmp_path / "our.toml").unit == Unit("patient")


@given(st.text())
def test_any_text_is_a_catalog_or_a_sentence(text: str) -> None:
    try:
        catalog_from(VISIT + text)
    except InvalidParameter as problem:
        assert "\n" not in str(problem).replace("\\n", "")  # noqa: PT017 - either is fine


def test_the_catalog_of_the_manual_is_one_and_has_every_word() -> None:
    page = (Path(__file__).parents[3] / "docs" / "catalog.md").read_text(encoding="utf-8")
    text = page.partition("```toml\n")[2].partition("```")[0]
    assert set(catalog_from(text).tables) == {"patient", "visit", "prescription", "clinic"}
    for word in (*TOP, *TABLE_WORDS, *COLUMN_WORDS):
        assert f"`{word}`" in page or f"[{word}." in page or f"`{word}." in page, word
