"""Values at the command line: numbers, texts and lists of them as Python writes them, or module:name."""

import ast
import math
import re
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from privet.errors import InvalidParameter
from privet.wording.printable import printable

PLACE = re.compile(r"\s*([^\s:]+):([^\W\d]\w*(?:\.[^\W\d]\w*)*)\s*", re.ASCII)  # module:name or folder/file.py:name
NAMED = {"nan": math.nan, "inf": math.inf}
LONG = 80


def value_of(text: str) -> Any:  # noqa: ANN401 - any value
    """The value of a text, without running it; nan and inf are numbers. module:name is imported instead.

    Example:
        >>> value_of("[0, 1.5], [0, nan]")
        ([0, 1.5], [0, nan])
    """
    if PLACE.fullmatch(text):
        return imported(text)
    try:
        return ast.literal_eval(_Numbers().visit(ast.parse(text.strip(), mode="eval")))
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        shown = printable(text if len(text) <= LONG else f"{text[:LONG]}…")
        raise InvalidParameter(
            f"{shown} is no value: write numbers, texts, lists, tuples and dictionaries as Python does, or module:name"
        ) from None


class _Numbers(ast.NodeTransformer):
    """Puts numbers in the place of their names."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(NAMED[node.id]), node) if node.id in NAMED else node


def imported(text: str) -> Any:  # noqa: ANN401 - whatever has this name
    """What a module or a file of Python calls by a name, such as counts:noisy or ./counts.py:noisy."""
    found = PLACE.fullmatch(text)
    if found is None:
        raise InvalidParameter(f"write module:name, or file.py:name, got {printable(text)}")
    value: Any = _module(found[1])
    for name in found[2].split("."):
        if not hasattr(value, name):
            raise InvalidParameter(f"{found[1]} has nothing called {found[2]}")
        value = getattr(value, name)
    return value


def _module(place: str) -> ModuleType:
    """The module, looked for in the working folder too, as `python -m` does."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return _of_file(Path(place)) if place.endswith(".py") else import_module(place)
    except (Exception, SystemExit) as problem:  # noqa: BLE001 - of the user's own module; its exit is not ours
        said = printable(f"{type(problem).__name__}: {problem}")
        raise InvalidParameter(f"{place} cannot be imported ({said})") from None


def _of_file(path: Path) -> ModuleType:
    """A file run as a module of its own name, once."""
    name = path.stem
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path.resolve()):
        return known
    spec = spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise ImportError("it is no file of Python")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
