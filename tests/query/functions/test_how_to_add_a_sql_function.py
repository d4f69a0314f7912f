"""The function of docs/how-to/add-a-sql-function.md: put into a copy of Privet as printed, it is total and answered."""

from pathlib import Path

import pytest

from tests.support.how_to import asked, copy_with, said_by_tests

pytestmark = pytest.mark.whole

PAGE = "add-a-sql-function.md"
RULES = "src/privet/query/functions/texts.py"
NAMES = "tests/query/functions/test_functions.py"
DRAWN = "tests/support/drawn_expressions.py"
TABLE = "tests/query/engines/test_functions.py::test_every_function_is_among_them"
SAME = {
    "postgres": "tests/query/engines/test_functions.py::test_functions_of_edge_values[text-postgres]",
    "spark": "tests/query/engines/test_on_spark.py::test_functions_of_edge_values[text]",
}
VALUES = "tests/query/printing/test_function_templates.py"
PLACES = [
    (RULES, '    "length": Rule('),
    ("src/privet/query/printing/function_templates.py", '        "length": '),
    ("src/privet/query/backends/spark/functions.py", '        "length": '),
    ("src/privet/query/backends/postgres/functions.py", '        "length": '),
    ("src/privet/query/sql/operators.py", "    exp.Length: "),
    (NAMES, " case coalesce"),
    (DRAWN, ' | "reverse":\n            return (part(Type.TEXT),)'),
    (DRAWN, '"position", "days_between"'),
    (VALUES, '    "not": (Type.BOOLEAN,),'),
    ("docs/sql.md", ", `IN`"),
]


@pytest.fixture(name="copy", scope="module")
def _copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Privet with what the page says."""
    copy = tmp_path_factory.mktemp("copy")
    copy_with(copy, PAGE, PLACES)
    return copy


def test_it_is_total_and_its_facts_are_true(copy: Path) -> None:
    said = said_by_tests(copy, NAMES, "tests/query/functions/test_evaluate.py", VALUES, TABLE)
    assert " passed" in said, said
    assert "failed" not in said, said


@pytest.mark.parametrize("engine", ["postgres", pytest.param("spark", marks=pytest.mark.soak)])  # which takes a minute
def test_it_is_the_same_on_every_engine(copy: Path, engine: str) -> None:
    said = said_by_tests(copy, SAME[engine])
    assert " passed" in said, said
    assert "failed" not in said, said


def test_it_is_answered(copy: Path, tmp_path: Path) -> None:
    found, printed = asked(copy, tmp_path, PAGE)
    assert found == printed


def test_another_value_in_the_engine_is_noticed(copy: Path) -> None:
    rules = copy / RULES
    right = rules.read_text(encoding="utf-8")
    rules.write_text(right.replace("8 * len(text.encode())", "8 * len(text)"), encoding="utf-8")
    said = said_by_tests(copy, VALUES, "-k", "bit_length")
    rules.write_text(right, encoding="utf-8")
    assert "failed" in said, said
