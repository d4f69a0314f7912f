# ruff: noqa: INP001 - a script, not a package
"""Edits: what a fault does to a function, said in as few words of its source as can be.

An edit is given the function's syntax tree and changes one place of it. It looks for a piece of code in one function
only, and neither its layout nor its line matter; `it` stands for what was there. So a row needs to change only when
the very thing that it breaks is written anew.
"""

import ast
import copy
from collections.abc import Callable, Iterator
from typing import NamedTuple

Edit = Callable[[ast.AST], None]
Place = tuple[ast.AST, str, int | None]  # whose field, and which of the list in it

COMPARISONS: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
    "is": ast.Is,
    "is not": ast.IsNot,
    "in": ast.In,
    "not in": ast.NotIn,
}


class DoesNotFit(Exception):  # noqa: N818 - a row, not the program, is wrong
    """An edit found nothing to change, or more than one place."""


class _Found(NamedTuple):
    node: ast.AST
    place: Place


def instead(old: str, new: str) -> Edit:
    """Write a piece of code, which occurs once, in another way; either one expression or whole statements."""
    wanted, put = _pieces(old), _pieces(new)

    def edit(scope: ast.AST) -> None:
        if isinstance(wanted, ast.expr) and isinstance(put, ast.expr):
            place = _only(_where(scope, lambda node: _same(node, wanted)), old).place
            _set(place, put)
        else:
            _replace_statements(scope, _as_statements(wanted), _as_statements(put), old)

    return edit


def reworded(old: str, new: str) -> Edit:
    """Change some words of a function as Python prints it, where they stand once: for SQL and other texts."""

    def edit(scope: ast.AST) -> None:
        text = ast.unparse(scope)
        if text.count(old) != 1:
            raise DoesNotFit(f"{old!r} is found {text.count(old)} times")
        [changed] = ast.parse(text.replace(old, new)).body
        scope.__dict__.update(changed.__dict__)

    return edit


def forget(piece: str) -> Edit:
    """Leave out a statement, an operand of `and` or `or`, or an element of a tuple, list or set."""
    wanted = _pieces(piece)

    def edit(scope: ast.AST) -> None:
        if isinstance(wanted, ast.expr):
            found = [each for each in _where(scope, lambda node: _same(node, wanted)) if each.place[2] is not None]
            parent, field, index = _only(iter(found), piece).place
            _without(parent, field, index)
        else:
            _replace_statements(scope, _as_statements(wanted), [ast.Pass()], piece)

    return edit


def forget_call(function: str) -> Edit:
    """Leave out the statement that calls a function; its arguments may be any."""

    def edit(scope: ast.AST) -> None:
        def calls(node: ast.AST) -> bool:
            return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _named(node.value.func, function)

        _set(_only(_where(scope, calls), function).place, ast.Pass())

    return edit


def never(test: str) -> Edit:
    """An `if` is never taken: the one whose test holds this expression."""
    wanted = _pieces(test)

    def edit(scope: ast.AST) -> None:
        def asks(node: ast.AST) -> bool:
            return isinstance(node, ast.If | ast.IfExp) and any(_same(each, wanted) for each in ast.walk(node.test))

        node = _only(_where(scope, asks), test).node
        _set((node, "test", None), ast.Constant(value=False))

    return edit


def argument(function: str, change: str, which: int | str = 0) -> Edit:
    """Change what a function, which is called once, is given: by position or by keyword."""

    def edit(scope: ast.AST) -> None:
        call = _only(_where(scope, lambda node: isinstance(node, ast.Call) and _named(node.func, function)), function)
        _set(_argument(call.node, which, function), change)

    return edit


def returned(change: str) -> Edit:
    """Change what the only `return` of a function gives."""

    def edit(scope: ast.AST) -> None:
        found = _only(_where(scope, lambda node: isinstance(node, ast.Return)), "return")
        _set((found.node, "value", None), change)

    return edit


def returns(value: str) -> Edit:
    """The function does nothing but return this."""

    def edit(scope: ast.AST) -> None:
        if not isinstance(scope, ast.FunctionDef):
            raise DoesNotFit(f"it is to return {value}, and is no function")
        scope.body = ast.parse(f"return {value}").body

    return edit


def compared(old: str, new: str) -> Edit:
    """Change the only comparison of a kind: `compared("<=", "<")`."""

    def edit(scope: ast.AST) -> None:
        def compares(node: ast.AST) -> bool:
            return isinstance(node, ast.Compare) and any(isinstance(op, COMPARISONS[old]) for op in node.ops)

        node = _only(_where(scope, compares), old).node
        if isinstance(node, ast.Compare):
            node.ops = [COMPARISONS[new]() if isinstance(op, COMPARISONS[old]) else op for op in node.ops]

    return edit


def assigned(name: str, change: str) -> Edit:
    """Change what a name, which is assigned once, is set to."""

    def edit(scope: ast.AST) -> None:
        def sets(node: ast.AST) -> bool:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            return isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and any(
                target is not None and ast.unparse(target) == name for target in targets
            )

        _set((_only(_where(scope, sets), name).node, "value", None), change)

    return edit


def function_of(tree: ast.Module, path: str) -> ast.AST:
    """What is called by a path like `Ledger.release`: a function, a class, or a constant of a file or class."""
    here: ast.AST = tree
    for name in path.split("."):
        inside = [node for node in _defined(here) if name in _names(node)]
        if len(inside) != 1:
            raise DoesNotFit(f"{len(inside)} definitions are called {path}")
        here = inside[0]
    return here


def edited(text: str, path: str, edit: Edit) -> str:
    """The text of a file with one fault in it."""
    tree = ast.parse(text)
    edit(function_of(tree, path))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _defined(here: ast.AST) -> Iterator[ast.stmt]:
    """What is defined directly in a node, also inside of `if` and `try`."""
    for node in ast.iter_child_nodes(here):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign):
            yield node
        elif isinstance(node, ast.stmt):
            yield from _defined(node)


def _names(node: ast.stmt) -> set[str]:
    """What a definition defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {ast.unparse(target) for target in targets if target is not None}


def _pieces(text: str) -> ast.expr | list[ast.stmt]:
    body = ast.parse(text).body
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else body


def _as_statements(pieces: ast.AST | list[ast.stmt]) -> list[ast.stmt]:
    return pieces if isinstance(pieces, list) else [ast.Expr(value=pieces)]


def _same(node: object, wanted: object) -> bool:
    """Whether two pieces of code are the same; whether a name is read or set does not matter."""
    if isinstance(node, list) and isinstance(wanted, list):
        return len(node) == len(wanted) and all(_same(one, other) for one, other in zip(node, wanted, strict=True))
    if not isinstance(node, ast.AST) or type(node) is not type(wanted):
        return type(node) is type(wanted) and node == wanted
    fields = [field for field in node._fields if field not in {"ctx", "kind", "type_comment"}]
    return all(_same(getattr(node, field, None), getattr(wanted, field, None)) for field in fields)


def _named(function: ast.expr, name: str) -> bool:
    """Whether a function goes by this name: `append` and `journal.append` both name `self.journal.append`."""
    return f".{ast.unparse(function)}".endswith(f".{name}")


def _where(scope: ast.AST, right: Callable[[ast.AST], bool]) -> Iterator[_Found]:
    """The right nodes of a tree, and where they stand."""
    for parent in ast.walk(scope):
        for field, value in ast.iter_fields(parent):
            for index, node in enumerate(value) if isinstance(value, list) else ((None, value),):
                if isinstance(node, ast.AST) and right(node):
                    yield _Found(node, (parent, field, index))


def _only(found: Iterator[_Found], what: str) -> _Found:
    places = list(found)
    if len(places) != 1:
        raise DoesNotFit(f"{what!r} is found {len(places)} times")
    return places[0]


def _argument(call: ast.AST, which: int | str, function: str) -> Place:
    if isinstance(call, ast.Call) and isinstance(which, int) and which < len(call.args):
        return call, "args", which
    for keyword in call.keywords if isinstance(call, ast.Call) else ():
        if keyword.arg == which:
            return keyword, "value", None
    raise DoesNotFit(f"{function} is not given {which!r}")


def _get(place: Place) -> ast.expr:
    parent, field, index = place
    value = getattr(parent, field)
    result: ast.expr = value if index is None else value[index]
    return result


def _set(place: Place, change: str | ast.AST) -> None:
    """Put a node, or the expression of a text in which `it` is what was there."""
    parent, field, index = place
    node = _Instead(_get(place)).visit(ast.parse(change, mode="eval").body) if isinstance(change, str) else change
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


class _Instead(ast.NodeTransformer):
    """Puts a node wherever `it` stands."""

    def __init__(self, node: ast.expr) -> None:
        self.node = node

    def visit_Name(self, name: ast.Name) -> ast.expr:
        return copy.deepcopy(self.node) if name.id == "it" else name


def _without(parent: ast.AST, field: str, index: int | None) -> None:
    values = getattr(parent, field)
    del values[index]
    if isinstance(parent, ast.BoolOp) and len(values) == 1:
        values.append(ast.Constant(value=isinstance(parent.op, ast.And)))


def _replace_statements(scope: ast.AST, old: list[ast.stmt], new: list[ast.stmt], what: str) -> None:
    """Replace some statements that stand one after the other."""
    places = [
        (value, start)
        for node in ast.walk(scope)
        for _, value in ast.iter_fields(node)
        if isinstance(value, list)
        for start in range(len(value) - len(old) + 1)
        if all(_same(here, there) for here, there in zip(value[start:], old, strict=False))
    ]
    if len(places) != 1:
        raise DoesNotFit(f"{what!r} is found {len(places)} times")
    [(body, start)] = places
    body[start : start + len(old)] = new
