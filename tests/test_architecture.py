"""The folder layout is the architecture; these tests keep it true."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "privet"
LAYERS = [
    {"errors"},
    {"wording"},
    {"loss", "noise", "display"},
    {"core"},
    {"mechanisms"},
    {"postprocessing"},
    {"asking"},  # refuses unknown words with wording's did-you-mean
    {"stats", "query", "learn", "local", "synth", "series", "audit", "explain"},
    {"demo", "server"},
    {"cli"},
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
QUERY = [  # the layers of query/: folders, and options.py, which every layer above it is told by; "" is the other doors
    {"scalars"},
    {"functions"},
    {"plan"},
    {"catalog", "measures"},
    {"options"},
    {"aggregates"},
    {"sql", "printing", "pricing"},
    {"backends"},
    {"second_price", "drafting"},
    {"answering"},
    {"results"},
    {"remote"},
    {""},
]
FRONT_DOORS = 12  # files at the top of query/, at most
DOORS: dict[str, str | tuple[str, ...]] = {  # each library that only few files may import, or one room
    "cryptography": ("noise/entropy.py", "server/certificates.py", "local/device/signature.py"),  # bits; keys
    "secrets": "noise/entropy.py",
    "flint": (
        "noise",
        "mechanisms/linear_loss.py",
        "mechanisms/objective_solver.py",
    ),  # draws; proofs of a solver's end
    "duckdb": (
        "query",
        "server/postgres/introspection",
    ),  # the second holds empty tables, so that drivers can look at them
    "sqlglot": (
        "query/sql",
        "query/second_price",
        "server/postgres/introspection",
    ),  # what analysts write; what engines are given, read back; what drivers ask about empty tables
    "pyspark": "query",
    "psycopg": "",  # the ledger's journal and the query backend
    "fastapi": "server",
    "starlette": "server",
    "uvicorn": "server",
    "mcp": "server/agents/",
    "altair": "display/chart.py",
    "vl_convert": "display/chart.py",
    "typer": "cli",
    "sklearn": "learn",
    "torch": "learn/torch/",
    "narwhals": "learn",
    "segno": "server/survey/qr_code.py",
    "sqlite3": ("core/journals/", "server/people/", "server/collector/sqlite_store.py"),  # and a backup of any journal
}
RANDOMNESS = {"random", "secrets", "uuid"}
SECRETS = {"Sensitive", "Ledger", "Reservation", "Journal", "Entropy", "BitSource"}  # what released numbers do not need
SIGNPOST = re.compile(r"^May import: (?P<rooms>[^.]+)\.$\n^Never touches: (?P<never>[^.]+)\.", re.MULTILINE)
NO_LAYER = "no layer"  # what the docstring of the lowest says
PAGES = [ROOT / "ARCHITECTURE.md", ROOT / "docs" / "where-do-i.md"]
NAMED_FILE = re.compile(r"`([\w./-]+\.(?:py|md|sql|txt|toml))`")
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
    return {there for there in rooms_of(tree) - {here} if LEVEL[there] >= LEVEL[here]}


def layer(module: str, layers: list[set[str]]) -> str:
    """The folder of query/ that a module is in, or a file that is a layer by itself, or "" for the top."""
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


def signpost(text: str, here: str) -> set[str] | None:
    """The rooms that the docstring of a room says it may import; None if it does not say so, or names one not below."""
    found = SIGNPOST.search(text)
    if found is None:
        return None
    below = {there for there in LEVEL if LEVEL[there] < LEVEL[here]}
    rooms = " ".join(found["rooms"].split())
    named = below if rooms == "every room below" else set(rooms.split(", "))
    return named if named <= below else None


def layers_signpost(text: str, here: str) -> tuple[set[str], set[str]] | None:
    """The layers of query/ and the rooms that a layer says it may import; None if not all of them are below it."""
    found = SIGNPOST.search(text)
    if found is None or found["rooms"].count(";") != 1:
        return None
    layers, rooms = (set(part.split(", ")) - {NO_LAYER} for part in " ".join(found["rooms"].split()).split("; "))
    level = next(number for number, names in enumerate(QUERY) if here in names)
    below = set().union(*QUERY[:level])
    return (layers, rooms) if layers <= below and all(LEVEL[each] < LEVEL["query"] for each in rooms) else None


def missing_files(text: str) -> set[str]:
    """Files that a page names that are not there: a path begins at src/privet or at the top, a bare name anywhere."""
    names = {path.name for path in FILES}
    return {
        each
        for each in NAMED_FILE.findall(text)
        if not any((folder / each).exists() for folder in (SOURCE, ROOT)) and each not in names
    }


def rooms_of(tree: ast.AST) -> set[str]:
    """The rooms that a file imports."""
    return {module.split(".")[1] for module in imported_modules(tree) if module.startswith("privet.")}


def secret_names(tree: ast.AST) -> set[str]:
    """What a file imports that holds secrets, charges for them or draws noise."""
    return {each.rpartition(".")[2] for each in imported_modules(tree)} & SECRETS


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


def test_every_folder_is_a_room_whose_signpost_is_true() -> None:
    folders = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert folders <= LEVEL.keys()
    for here in folders:
        docstring = ast.get_docstring(parsed()[SOURCE / here / "__init__.py"]) or ""
        named = signpost(docstring, here)
        assert named is not None, f"{here}/__init__.py must say: May import: …. Never touches: …."
        used = set().union(*(rooms_of(tree) for path, tree in parsed().items() if room(path) == here)) - {here}
        assert used <= named, f"{here} imports rooms that its docstring does not name"


def test_released_numbers_are_made_better_without_secrets() -> None:
    inside = {name(path): tree for path, tree in parsed().items() if room(path) == "postprocessing"}
    found = {path: secret_names(tree) for path, tree in inside.items()}
    assert inside
    assert {path: names for path, names in found.items() if names} == {}


def test_imports_point_down_inside_query() -> None:
    inside = {path: tree for path, tree in parsed().items() if room(path) == "query"}
    wrong = {name(path): upward_layers(layer(module(path), QUERY), tree) for path, tree in inside.items()}
    assert {path: found for path, found in wrong.items() if found} == {}, "imports point down, never up or sideways"


def test_every_folder_of_query_is_a_layer() -> None:
    folders = {path.parent.name for path in (SOURCE / "query").glob("*/__init__.py")}
    assert folders == set().union(*QUERY) - {"", "options"}
    assert len(list((SOURCE / "query").glob("*.py"))) <= FRONT_DOORS


def test_every_layer_of_query_has_a_signpost_that_is_true() -> None:
    for here in set().union(*QUERY) - {"", "options"}:
        folder = SOURCE / "query" / here
        named = layers_signpost(ast.get_docstring(parsed()[folder / "__init__.py"]) or "", here)
        assert named is not None, f"query/{here}/__init__.py must say: May import: layers; rooms. Never touches: …."
        trees = [tree for path, tree in parsed().items() if folder in path.parents]
        modules = {each for tree in trees for each in imported_modules(tree) if each.startswith("privet.query.")}
        assert {layer(each, QUERY) for each in modules} - {here} <= named[0], here
        assert set().union(*map(rooms_of, trees)) - {"query"} <= named[1], here


def test_pages_name_files_that_are_there() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert missing_files(text) == set(), page.name
        assert len(NAMED_FILE.findall(text)) > 20, f"{page.name}: are files still written as `folder/file.py`?"


def test_the_source_names_files_that_are_there() -> None:
    known = {f"/{each.relative_to(ROOT).as_posix()}" for top in ("src", "tests") for each in (ROOT / top).rglob("*.py")}
    for path in FILES:
        named = {each for each in NAMED_FILE.findall(path.read_text(encoding="utf-8")) if each.endswith(".py")}
        assert {each for each in named if not any(there.endswith(f"/{each}") for there in known)} == set(), name(path)


def test_the_glossary_names_classes_that_are_there() -> None:
    named = set(re.findall(r"`([A-Z][a-z]\w+)`", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")))
    classes = {node.name for tree in parsed().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    assert {"Options", "Quote", "Charge", "Run", "Span", "AggregateRule", "Budget", "Price", "Payment"} <= named
    assert named <= classes


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
    assert upward_imports("postprocessing", ast.parse("from privet.asking.budget import Budget")) == {"asking"}
    assert upward_imports("loss", ast.parse("from privet.explain.theorems import event_bounds")) == {"explain"}
    assert secret_names(ast.parse("from privet.core import Release, Sensitive")) == {"Sensitive"}
    assert signpost("A room.\n\nMay import: errors, loss.\nNever touches: data.", "core") == {"errors", "loss"}
    assert signpost("A room.\n\nMay import: query.\nNever touches: data.", "core") is None
    assert signpost("A room.\n\nMay import: errors.", "core") is None
    assert layers_signpost("A.\n\nMay import: plan; errors.\nNever touches: rows.", "sql") == ({"plan"}, {"errors"})
    assert layers_signpost("A.\n\nMay import: sql; errors.\nNever touches: rows.", "plan") is None
    assert layers_signpost("A.\n\nMay import: no layer; cli.\nNever touches: rows.", "scalars") is None
    assert missing_files("`query/plan/statement.py`, `statement.py`, `plan/statement.py`") == {"plan/statement.py"}
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
