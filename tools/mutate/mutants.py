# ruff: noqa: INP001 - a script, not a package
"""Mutants: small changes that nobody chose, drawn from the code of chosen files. A reader judges those that survive.

Why our own: mutmut and cosmic-ray were tried on `core/sensitivity.py`, which has 116 lines. mutmut makes 154 mutants of
it and cosmic-ray 269, and neither draws a sample, so that one small file takes minutes and the tree takes days. The
survivors that were looked at had other words in error messages. cosmic-ray edits the working tree, and leaves its last
mutant there if it is stopped. What is needed here is less: a seed, a sample, the test file that mirrors the source, and
the copies that planted faults already use.
"""

import ast
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from fault import ROOT, SOURCE, mirror

CHOSEN = (  # rooms in which a wrong line is a wrong answer or a wrong price
    "asking",
    "core",
    "loss",
    "mechanisms",
    "noise",
    "postprocessing",
    "query",
    "stats",
)
OTHER: dict[type[ast.AST], type[ast.AST]] = {  # what is written for an operator
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
Change = Callable[[], None]


class Mutant(NamedTuple):
    """A file with one small change: where, what it was and what it is, and the whole text."""

    file: str
    line: int
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        """One line for a reader."""
        return f"{self.file}:{self.line}  {self.before}  ->  {self.after}"


def drawn(count: int, seed: int, words: Sequence[str]) -> list[Mutant]:
    """So many mutants of the chosen files whose path holds one of the words; the same seed gives the same ones."""
    dice = random.Random(seed)  # noqa: S311 - which lines are tried is no secret
    files = [file for file in mirrored() if not words or any(word in file for word in words)]
    sizes = [len((SOURCE / file).read_text(encoding="utf-8")) for file in files]
    found = [one_of(file, dice) for file in dice.choices(files, sizes, k=count)] if files else []
    return list(dict.fromkeys(mutant for mutant in found if mutant is not None))


def mirrored() -> list[str]:
    """The files of chosen rooms that have a test file of their own."""
    files = [path.relative_to(SOURCE).as_posix() for room in CHOSEN for path in sorted((SOURCE / room).rglob("*.py"))]
    return [file for file in files if (ROOT / mirror(file)).is_file()]


def one_of(file: str, dice: random.Random) -> Mutant | None:
    """One mutant of a file, or nothing if there is nothing to change."""
    tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
    places = [node for node in _code(tree) if next(changes(node), None)]
    if not places:
        return None
    node = dice.choice(places)
    before = ast.unparse(node)
    dice.choice(list(changes(node)))()
    return Mutant(file, node.lineno, _short(before), _short(ast.unparse(node)), ast.unparse(tree) + "\n")


def changes(node: ast.AST) -> Iterator[Change]:
    """Everything that may be changed about a node, each as a function that does it."""
    match node:
        case ast.Compare():
            yield from (_operator(node.ops, place) for place, op in enumerate(node.ops) if type(op) in OTHER)
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign() if type(node.op) in OTHER and not _is_text(node):
            yield lambda: setattr(node, "op", OTHER[type(node.op)]())
        case ast.Constant(value=bool()):
            yield lambda: setattr(node, "value", not node.value)
        case ast.Constant(value=int() | float()):
            yield lambda: setattr(node, "value", node.value + 1)
        case ast.If() | ast.IfExp():
            yield lambda: setattr(node, "test", ast.Constant(value=False))
            yield lambda: setattr(node, "test", ast.Constant(value=True))
        case ast.UnaryOp(op=ast.Not()):
            yield lambda: setattr(node, "operand", ast.UnaryOp(op=ast.Not(), operand=node.operand))
        case ast.Return(value=ast.expr()):
            yield lambda: setattr(node, "value", ast.Constant(value=None))
        case ast.Expr(value=ast.Call()):
            yield lambda: setattr(node, "value", ast.Constant(value=None))


def _operator(ops: list[ast.cmpop], place: int) -> Change:
    return lambda: ops.__setitem__(place, OTHER[type(ops[place])]())  # type: ignore[call-overload]


def _code(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Nodes that run; not types, and nothing in what is raised, because sentences of errors are not the point here."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Raise | ast.arg):
            continue
        if isinstance(node, ast.expr | ast.stmt):
            yield node
        yield from _code(node)


def _is_text(node: ast.AST) -> bool:
    """Whether a sum is one of texts, or `|` of types."""
    return any(isinstance(each, ast.JoinedStr | ast.Constant) and not _is_number(each) for each in ast.walk(node))


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 70 else f"{line[:67]}..."  # noqa: PLR2004 - two of them in a line


def tests_of(mutant: Mutant) -> tuple[str, ...]:
    """The tests that should notice."""
    return (Path(mirror(mutant.file)).as_posix(),)
