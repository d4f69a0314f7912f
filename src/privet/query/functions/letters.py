"""Letters: upper and lower case, one letter for one, by a list that is the same on every engine.

The simple mappings of Unicode: ß is no SS, and a Greek sigma is the same at the end of a word. Engines have lists of
other years, or know ASCII alone; where they do, they are given this one.
"""

from functools import cache

LAST = 0x1F000  # no letter beyond has a case
SURROGATES = range(0xD800, 0xE000)
ALPHA_AND_IOTA = range(0x1F80, 0x1FB0)  # whose upper case is two letters, or one with a small iota
RAISED = {"ß": "ẞ", "\u1fb3": "\u1fbc", "\u1fc3": "\u1fcc", "\u1ff3": "\u1ffc"}
LOWERED = {"İ": "i"}


@cache
def lower_table() -> tuple[str, str]:
    """Letters that have a lower case, and what it is."""
    pairs = [(letter, _lower(letter)) for letter in _letters()]
    return _changed(pairs)


@cache
def upper_table() -> tuple[str, str]:
    """Letters that have an upper case, and what it is."""
    pairs = [(letter, _upper(letter)) for letter in _letters()]
    return _changed(pairs)


def lower(text: str) -> str:
    """The text in lower case.

    Example:
        >>> lower("ÄΣß"), upper("straße")
        ('äσß', 'STRAẞE')
    """
    return text.lower() if text.isascii() else "".join(map(_lower, text))


def upper(text: str) -> str:
    """The text in upper case."""
    return text.upper() if text.isascii() else "".join(map(_upper, text))


def _letters() -> list[str]:
    return [chr(code) for code in range(1, LAST) if code not in SURROGATES]


def _changed(pairs: list[tuple[str, str]]) -> tuple[str, str]:
    different = [(old, new) for old, new in pairs if old != new]
    return "".join(old for old, _ in different), "".join(new for _, new in different)


def _lower(letter: str) -> str:
    other = LOWERED.get(letter) or letter.lower()
    return other if len(other) == 1 else letter


def _upper(letter: str) -> str:
    other = RAISED.get(letter) or letter.upper()
    if len(other) == 1:
        return other
    code = ord(letter)
    return chr(code + 8) if code in ALPHA_AND_IOTA and code % 16 < 8 else letter  # noqa: PLR2004 - eight pairs a row
