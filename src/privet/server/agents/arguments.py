"""Arguments: what an agent hands to a tool, checked before anything is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privet.errors import InvalidParameter
from privet.loss.exact import shown
from privet.query.options import Keywords
from privet.server.agents.tools import (
    LONGEST_NUMBER,
    LONGEST_PURPOSE,
    LONGEST_SQL,
    MOST_ERRORS,
    TOOLS,
    Tool,
)
from privet.wording.nearest import nearest

LONGEST_NAME = 200  # letters of a column's
MOST_ROWS = 10**12


@dataclass(frozen=True)
class Arguments:
    """What was said to one tool.

    Args:
        sql: the statement.
        keywords: what to spend.
        purpose: what it is for.
        number: of an answer that is stored.
        from_row: the first row to tell.
    """

    sql: str = ""
    keywords: Keywords | None = None
    purpose: str | None = None
    number: str = ""
    from_row: int = 0

    @classmethod
    def of(cls, tool: Tool, said: Mapping[str, Any]) -> "Arguments":
        """Refuse what the tool does not take, before anything is asked."""
        if unknown := said.keys() - tool.properties.keys():
            word = str(min(unknown))[:LONGEST_NUMBER]
            takes = nearest(word, tool.properties) if tool.properties else ": it takes none"
            raise InvalidParameter(f"{tool.name} does not take the argument {shown(word)}{takes}")
        given = {name: value for name, value in said.items() if value is not None}
        if missing := [name for name in tool.required if name not in given]:
            raise InvalidParameter(f"{tool.name} needs {missing[0]}: {tool.properties[missing[0]]['description']}")
        return cls(
            _text(given.get("sql", ""), "sql", LONGEST_SQL),
            _spending(given),
            _purpose(given["purpose"]) if "purpose" in given else None,
            _text(given.get("number", ""), "number", LONGEST_NUMBER),
            _count(given.get("from_row", 0), "from_row", least=0),
        )


def tool_called(name: str) -> Tool:
    """The tool of this name, or a refusal."""
    if name not in TOOLS:
        word = name[:LONGEST_NUMBER]
        raise InvalidParameter(f"there is no tool {shown(word)}{nearest(word, TOOLS)}")
    return TOOLS[name]


def _text(value: object, name: str, most: int) -> str:
    if not isinstance(value, str):
        raise InvalidParameter(f"{name} must be a text, got {shown(value)}")
    if len(value) > most:
        raise InvalidParameter(f"{name} must have at most {most:,} letters, got {len(value):,}")
    if any("\ud800" <= each <= "\udfff" for each in value):
        raise InvalidParameter(f"{name} must be a text of Unicode: it holds half of a letter")
    return value


def _purpose(value: object) -> str:
    """A purpose goes to the ledger and to the owner's screen: one line that anybody can read."""
    text = _text(value, "purpose", LONGEST_PURPOSE).strip()
    if not text:
        raise InvalidParameter("purpose must say in words what the answer is for")
    if not text.isprintable():
        raise InvalidParameter(
            "purpose must be one line of letters that can be seen: leave out line breaks and controls"
        )
    return text


def _count(value: object, name: str, *, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST_ROWS:
        raise InvalidParameter(f"{name} must be a whole number >= {least}, got {shown(value)}")
    return value


def _spending(given: Mapping[str, Any]) -> Keywords:
    """What to spend, as a session takes it."""
    said: Keywords = {}
    if "epsilon" in given:
        said["epsilon"] = _amount(given["epsilon"], "epsilon")
    if "delta" in given:
        said["delta"] = _amount(given["delta"], "delta")
    if "rows" in given:
        said["rows"] = _count(given["rows"], "rows", least=1)
    if "error" in given:
        error = given["error"]
        said["error"] = _errors(error) if isinstance(error, Mapping) else _amount(error, "error")
    return said


def _errors(error: Mapping[str, Any]) -> dict[str, int | float | str]:
    if len(error) > MOST_ERRORS:
        raise InvalidParameter(f"error may name at most {MOST_ERRORS} columns, got {len(error):,}")
    return {
        _text(name, "the name of a column in error", LONGEST_NAME): _amount(each, "error")
        for name, each in error.items()
    }


def _amount(value: object, name: str) -> int | float | str:
    """A number that is short enough to be computed with."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise InvalidParameter(f'{name} must be a number, or a text such as "0.5", got {shown(value)}')
    if isinstance(value, int) and abs(value) >= 10**LONGEST_NUMBER:
        raise InvalidParameter(f"{name} must be a number of at most {LONGEST_NUMBER} digits")
    if isinstance(value, str):
        return _text(value, name, LONGEST_NUMBER)
    return value
