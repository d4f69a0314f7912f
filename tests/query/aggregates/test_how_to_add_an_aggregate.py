"""The aggregate of docs/how-to/add-an-aggregate.md: put into a copy of Privet as printed, it keeps the contract."""

from pathlib import Path

import pytest

from tests.support.how_to import copy_with, said_by_tests

pytestmark = pytest.mark.whole

PAGE = "add-an-aggregate.md"
SUMS, ENUM = "src/privet/query/aggregates/sums.py", "src/privet/query/plan/aggregation.py"
PLACES = {  # of each block of the page, in order: the file, and what stands right behind it there
    "name": (ENUM, "\n\n@dataclass(frozen=True)\nclass Aggregation:"),
    "rule": (SUMS, "SUMS: Mapping"),
    "entry": (SUMS, "}\n"),
    "imports": (SUMS, "from privet.query.aggregates.exact"),
    "example": ("tests/query/aggregates/examples.py", "}\n"),
    "documentation": ("docs/sql.md", ", `MEDIAN`"),
}
CONTRACT = "tests/query/aggregates/test_contract.py"


@pytest.fixture(name="copy", scope="module")
def _copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Privet with what the page says."""
    copy = tmp_path_factory.mktemp("copy")
    copy_with(copy, PAGE, list(PLACES.values()))
    return copy


def contract(copy: Path, *words: str) -> str:
    """What the tests of the copy say about the new aggregate."""
    return said_by_tests(copy, CONTRACT, "-k", *words)


def test_it_keeps_the_contract(copy: Path) -> None:
    said = contract(copy, "ROOT_MEAN_SQUARE or every")
    assert " passed" in said, said
    assert "failed" not in said, said
    assert "error" not in said, said


def test_only_so_many_files_are_touched() -> None:
    assert len({file for file, _ in PLACES.values()}) == 4, "name, rule, example and documentation"


def test_the_sql_of_another_aggregate_within_a_unit_is_noticed(copy: Path) -> None:
    rules = copy / SUMS
    right = rules.read_text(encoding="utf-8")
    rules.write_text(right.replace("exact=_exact_root", "exact=_exact_variance"), encoding="utf-8")
    said = contract(copy, "ROOT_MEAN_SQUARE and within")
    rules.write_text(right, encoding="utf-8")
    assert "1 failed" in said, said
