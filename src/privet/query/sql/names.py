"""Names: identifiers as SQL compares them: without case, unless quoted; Unicode in normal form."""

import unicodedata
from collections.abc import Callable, Iterable
from typing import TypeVar

from sqlglot import exp

Item = TypeVar("Item")


def spelled(identifier: exp.Expr) -> str:
    """The name as it is written."""
    return unicodedata.normalize("NFC", identifier.name)


def matching(identifier: exp.Expr, items: Iterable[Item], *, name: Callable[[Item], str]) -> list[Item]:
    """The items of this name; an exact spelling wins over one that differs in case."""
    word = spelled(identifier)
    pairs = [(item, unicodedata.normalize("NFC", name(item))) for item in items]
    exact = [item for item, other in pairs if other == word]
    if exact or identifier.args.get("quoted"):
        return exact
    return [item for item, other in pairs if other.casefold() == word.casefold()]


def same(a: str, b: str) -> bool:
    """Whether two names are one, case aside."""
    return unicodedata.normalize("NFC", a).casefold() == unicodedata.normalize("NFC", b).casefold()
