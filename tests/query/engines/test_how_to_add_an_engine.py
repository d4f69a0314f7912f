"""The engine of docs/how-to/add-an-engine.md: put into a copy of Privet as printed, it answers and is paid for."""

from pathlib import Path

import pytest

from tests.support.how_to import asked, copy_with, said_by_tests

pytestmark = pytest.mark.whole

PAGE = "add-an-engine.md"
FOLDER = "src/privet/query/backends/sqlite"
CONNECT = "src/privet/query/connect.py"
PLACES = [
    (f"{FOLDER}/dialect.py", ""),
    (f"{FOLDER}/engine.py", ""),
    (f"{FOLDER}/__init__.py", ""),
    (CONNECT, "SERVERS: Mapping"),
    (CONNECT, '"postgresql": _postgres'),
    ("tests/test_architecture.py", "}\nRANDOMNESS"),
]


@pytest.fixture(name="copy", scope="module")
def _copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Privet with what the page says."""
    copy = tmp_path_factory.mktemp("copy")
    copy_with(copy, PAGE, PLACES)
    return copy


def test_it_answers_what_it_can_and_refuses_the_rest(copy: Path, tmp_path: Path) -> None:
    found, printed = asked(copy, tmp_path, PAGE)
    assert found == printed


def test_it_has_its_place_in_the_architecture(copy: Path) -> None:
    said = said_by_tests(copy, "tests/test_architecture.py", "-k", "imports or door")
    assert " passed" in said, said
    assert "failed" not in said, said
