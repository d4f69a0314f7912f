"""The aggregate of docs/how-to/add-an-aggregate.md: put into a copy of Privet as printed, it keeps the contract."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "how-to" / "add-an-aggregate.md"
BLOCKS = re.findall(r"^```(?:python|markdown)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
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
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "docs").mkdir()
    for name in ("docs/sql.md", "pyproject.toml"):
        shutil.copy(ROOT / name, copy / name)
    for block, (file, behind) in zip(BLOCKS, PLACES.values(), strict=True):
        text = (copy / file).read_text(encoding="utf-8")
        before, found, after = text.rpartition(behind)
        assert found, f"{behind!r} is not in {file}"
        (copy / file).write_text(
            before + block.removesuffix("\n" * (behind[0] == ",")) + found + after, encoding="utf-8"
        )
    return copy


def contract(copy: Path, *words: str) -> str:
    """What the tests of the copy say about the new aggregate."""
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", CONTRACT, "-k", *words]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False).stdout  # noqa: S603 - our own


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
