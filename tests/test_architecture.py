"""The folder layout is the architecture; these tests keep it true."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "privet"
LAYERS = [
    {"errors"},
    {"loss", "noise"},
    {"core"},
    {"mechanisms"},
    {"stats", "query", "learn", "local", "audit", "explain"},
    {"demo", "server"},
    {"cli"},
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
DOORS = {  # each library that only one file may import, or one room
    "cryptography": "noise/entropy.py",
    "secrets": "noise/entropy.py",
    "flint": "noise",
    "duckdb": "query",
    "sqlglot": "query/sql",
    "pyspark": "query",
    "psycopg": "",  # the ledger's journal and the query backend
    "fastapi": "server",
    "altair": "explain/chart.py",
    "vl_convert": "explain/chart.py",
    "typer": "cli",
    "sqlite3": "core/journals/sqlite.py",
}
RANDOMNESS = {"random", "secrets", "uuid"}
FILES = sorted(SOURCE.rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def room(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imported_modules(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that a reader sees the room"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def upward_imports(here: str, tree: ast.AST) -> set[str]:
    rooms = {module.split(".")[1] for module in imported_modules(tree) if module.startswith("privet.")}
    return {there for there in rooms - {here} if LEVEL[there] >= LEVEL[here]}


def random_calls(tree: ast.AST) -> set[str]:
    """Whatever looks like a second door to randomness: a module, `numpy.random`, `os.urandom`, `torch.rand`."""
    found = {module for module in imported_modules(tree) if module.split(".")[0] in RANDOMNESS}
    found |= {module for module in imported_modules(tree) if module.startswith(("numpy.random", "os.urandom"))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            call = f"{node.value.id}.{node.attr}"
            if call in {"np.random", "numpy.random", "os.urandom", "os.getrandom"} or call.startswith("torch.rand"):
                found.add(call)
    return found


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_point_down(path: Path) -> None:
    if room(path) != "__init__":
        assert not upward_imports(room(path), parsed(path)), "imports point down, never up or sideways"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_randomness_has_one_door(path: Path) -> None:
    if name(path) != "noise/entropy.py":
        assert not random_calls(parsed(path))


@pytest.mark.parametrize("path", FILES, ids=name)
def test_each_library_has_one_door(path: Path) -> None:
    for module in imported_modules(parsed(path)):
        door = DOORS.get(module.split(".")[0], "")
        assert name(path).startswith(door), f"{module} is imported in {door} only"


def test_planted_faults_are_caught() -> None:
    assert upward_imports("loss", ast.parse("from privet.core import ledger")) == {"core"}
    assert upward_imports("stats", ast.parse("import privet.query.session")) == {"query"}
    assert random_calls(ast.parse("import numpy as np\nnp.random.default_rng()")) == {"np.random"}
    assert random_calls(ast.parse("from random import choice")) == {"random.choice"}
    assert random_calls(ast.parse("import os\nos.urandom(8)")) == {"os.urandom"}


def test_files_are_found() -> None:
    assert any(name(path) == "noise/entropy.py" for path in FILES)
