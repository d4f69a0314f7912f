"""The folder layout is the architecture; these tests keep it true."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

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
QUERY = [  # the layers of query/, as folders; "" is its top, the front doors
    {"scalars", "wording"},
    {"functions"},
    {"plan"},
    {"catalog", "measures"},
    {"aggregates"},
    {"sql", "printing", "pricing"},
    {"backends"},
    {"second_price", "drafting"},
    {"answering"},
    {"results"},
    {""},
]
FRONT_DOORS = 12  # files at the top of query/, at most
DOORS: dict[str, str | tuple[str, ...]] = {  # each library that only few files may import, or one room
    "cryptography": "noise/entropy.py",
    "secrets": "noise/entropy.py",
    "flint": "noise",
    "duckdb": "query",
    "sqlglot": ("query/sql", "query/second_price"),  # what analysts write; what engines are given, read back
    "pyspark": "query",
    "psycopg": "",  # the ledger's journal and the query backend
    "fastapi": "server",
    "altair": "explain/chart.py",
    "vl_convert": "explain/chart.py",
    "typer": "cli",
    "sqlite3": "core/journals/",  # the journal in a file, and a backup of any journal
}
RANDOMNESS = {"random", "secrets", "uuid"}
FILES = sorted(SOURCE.rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def room(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def module(path: Path) -> str:
    parts = ("privet", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parsed() -> Mapping[Path, ast.Module]:
    """Every file, read once."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def imported_modules(tree: ast.AST, *, at_once: bool = False) -> Iterator[str]:
    """What is imported anywhere in a file; or only what is imported as soon as the file is, or for its types."""
    for node in statements(tree) if at_once else ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that a reader sees the room"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes that are not inside of functions."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node
            yield from statements(node)


def upward_imports(here: str, tree: ast.AST) -> set[str]:
    rooms = {module.split(".")[1] for module in imported_modules(tree) if module.startswith("privet.")}
    return {there for there in rooms - {here} if LEVEL[there] >= LEVEL[here]}


def layer(module: str, layers: list[set[str]]) -> str:
    """The folder of query/ that a module is in, or "" for the top."""
    folder = f"{module}.".split(".")[2]
    return folder if any(folder in names for names in layers) else ""


def upward_layers(here: str, tree: ast.AST, layers: list[set[str]] = QUERY) -> set[str]:
    """Layers of query/ that a file of `here` imports, though they are not below it."""
    level = {name: number for number, names in enumerate(layers) for name in names}
    found = {layer(each, layers) for each in imported_modules(tree) if each.startswith("privet.query.")}
    return {there for there in found - {here} if level[there] >= level[here]}


def cycles(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """Modules that import themselves by way of others: what is left when all that import nothing left are removed."""
    left = {here: {there for there in found if there in imports and there != here} for here, found in imports.items()}
    while free := {here for here, found in left.items() if not found}:
        left = {here: found - free for here, found in left.items() if here not in free}
    return sorted(left)


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


def test_imports_point_down() -> None:
    rooms = {path: tree for path, tree in parsed().items() if room(path) != "__init__"}
    wrong = {name(path): upward_imports(room(path), tree) for path, tree in rooms.items()}
    assert {path: found for path, found in wrong.items() if found} == {}, "imports point down, never up or sideways"


def test_imports_point_down_inside_query() -> None:
    inside = {path: tree for path, tree in parsed().items() if room(path) == "query"}
    wrong = {name(path): upward_layers(layer(module(path), QUERY), tree) for path, tree in inside.items()}
    assert {path: found for path, found in wrong.items() if found} == {}, "imports point down, never up or sideways"


def test_every_folder_of_query_is_a_layer() -> None:
    folders = {path.parent.name for path in (SOURCE / "query").glob("*/__init__.py")}
    assert folders == set().union(*QUERY) - {""}
    assert len(list((SOURCE / "query").glob("*.py"))) <= FRONT_DOORS


def test_nothing_in_query_imports_itself() -> None:
    known = {module(path) for path in FILES}
    imports = {
        module(path): {
            each if each in known else each.rpartition(".")[0] for each in imported_modules(tree, at_once=True)
        }
        for path, tree in parsed().items()
        if room(path) == "query"
    }
    assert cycles(imports) == []


def test_randomness_has_one_door() -> None:
    found = {name(path): random_calls(tree) for path, tree in parsed().items() if name(path) != "noise/entropy.py"}
    assert {path: calls for path, calls in found.items() if calls} == {}


def test_each_library_has_one_door() -> None:
    wrong = [
        (name(path), library)
        for path, tree in parsed().items()
        for library in {each.split(".")[0] for each in imported_modules(tree)}
        if not name(path).startswith(DOORS.get(library, ""))
    ]
    assert wrong == [], "see DOORS"


def test_planted_faults_are_caught() -> None:
    assert upward_imports("loss", ast.parse("from privet.core import ledger")) == {"core"}
    assert upward_imports("stats", ast.parse("import privet.query.session")) == {"query"}
    assert upward_layers("plan", ast.parse("from privet.query.pricing.price import price")) == {"pricing"}
    assert upward_layers("sql", ast.parse("def f():\n    from privet.query.printing import Source")) == {"printing"}
    assert upward_layers("results", ast.parse("from privet.query.session import Session")) == {""}
    assert upward_layers("results", ast.parse("from privet.query.plan.limits import Limits")) == set()
    assert cycles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"]}) == ["a", "b", "c", "d"]
    assert cycles({"a": ["b", "c"], "b": ["c"], "c": ["json"]}) == []
    assert random_calls(ast.parse("import numpy as np\nnp.random.default_rng()")) == {"np.random"}
    assert random_calls(ast.parse("from random import choice")) == {"random.choice"}
    assert random_calls(ast.parse("import os\nos.urandom(8)")) == {"os.urandom"}


def test_files_are_found() -> None:
    assert any(name(path) == "noise/entropy.py" for path in FILES)
    assert len(parsed()) == len(FILES)
