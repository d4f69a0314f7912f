"""The statements of the golden corpus: those that are answered, and those that are refused with their message."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent


def accepted() -> dict[str, str]:
    """Name to statement; an entry starts with `-- name`."""
    return _entries((FOLDER / "accepted.sql").read_text(encoding="utf-8"), r"-- ([a-z0-9_]+)")


def refused() -> dict[str, str]:
    """Statement to message; an entry starts with `-- refused: message`."""
    text = (FOLDER / "refused.sql").read_text(encoding="utf-8")
    found = re.split(r"^-- refused: (.*)\n", text, flags=re.MULTILINE)[1:]
    return {statement.strip(): message for message, statement in zip(found[::2], found[1::2], strict=True)}


def _entries(text: str, heading: str) -> dict[str, str]:
    found = re.split(rf"^{heading}\n", text, flags=re.MULTILINE)[1:]
    names = found[::2]
    assert len(set(names)) == len(names), "every entry has a name of its own"
    return {name: statement.strip() for name, statement in zip(names, found[1::2], strict=True)}
