"""Parameters at the command line: --param age=40."""

import datetime as dt
from collections.abc import Callable, Sequence

from privet.errors import InvalidParameter
from privet.query.scalars.parameters import Given

READERS: tuple[Callable[[str], Given], ...] = (int, float, dt.date.fromisoformat, dt.datetime.fromisoformat)
WORDS: dict[str, Given] = {"true": True, "false": False, "null": None}


def params_of(said: Sequence[str] | None) -> dict[str, Given] | None:
    """Each name with its value: a number, a date, true, false or null where it reads so, or else a text.

    In quotes it is a text, whatever it says.

    Example:
        >>> params_of(["age=40", "city=Bern", "zip='3000'", "since=2024-01-31"])
        {'age': 40, 'city': 'Bern', 'zip': '3000', 'since': datetime.date(2024, 1, 31)}
    """
    if not said:
        return None
    found: dict[str, Given] = {}
    for each in said:
        name, equals, value = each.partition("=")
        if not equals or not name.strip() or name.strip() in found:
            raise InvalidParameter(f"--param takes name=value, each name once, got {each}: write --param age=40")
        found[name.strip()] = _value(value.strip())
    return found


def _value(text: str) -> Given:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for read in READERS:
        try:
            return read(text)
        except ValueError:
            continue
    return text
