"""Fragments: pieces of SQL that a frame puts together."""

from collections.abc import Iterable

from privet.errors import InvalidParameter

CLOSING = {")": "(", "]": "["}


def quoted(name: str) -> str:
    """A name as SQL.

    Example:
        >>> quoted('the "best" one')
        '"the ""best"" one"'
    """
    return '"' + name.replace('"', '""') + '"'


def bare(text: str) -> str:
    """The name that a column of a select list has."""
    stripped = text.strip()
    if stripped.startswith('"') and stripped.endswith('"'):
        return stripped[1:-1].replace('""', '"')
    return stripped.rpartition(".")[2]


def all_of(conditions: Iterable[str]) -> str:
    """The condition that all of them hold, each kept apart."""
    return " AND ".join(f"({each})" for each in conditions)


def refuse_fragment(text: object, place: str) -> None:
    """Raise unless a piece of SQL is complete in itself, so that pieces cannot run into each other.

    Privacy: nothing rests on this: the whole statement is checked like any other.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidParameter(f"{place}: give a piece of SQL as text, got {text!r}")
    open_brackets = []
    inside = ""
    previous = ""
    for char in text:
        if inside:
            inside = "" if char == inside else inside
        elif char in "'\"":
            inside = char
        elif char in "([":
            open_brackets.append(char)
        elif char in ")]":
            if not open_brackets or open_brackets.pop() != CLOSING[char]:
                raise InvalidParameter(f"{place}: {text!r} closes a bracket that it did not open")
        elif char == ";" or previous + char in ("--", "/*"):
            raise InvalidParameter(f"{place}: {text!r} holds more than one piece of SQL: no comments or semicolons")
        previous = char
    if inside or open_brackets:
        raise InvalidParameter(f"{place}: {text!r} does not end where its brackets and quotes should")
