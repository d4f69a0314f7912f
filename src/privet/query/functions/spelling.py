"""Spelling: how numbers and times are written in a text. Whatever is written otherwise is none, on every engine.

The patterns are those that Python, RE2, Java and PostgreSQL read alike; group 1 is what counts.
"""

import re

LONGEST_NUMBER = 100  # letters of a text that is read as a number
SPACE = r"^[ \t\n\r]*"
END = r"[ \t\n\r]*$"
INTEGER_TEXT = f"{SPACE}([+-]?[0-9]+){END}"
REAL_TEXT = f"{SPACE}([+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?){END}"
YEAR = "([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})"  # 0001 to 9999
TIME_TEXT = "([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,6})?)?)?"
DATE_TEXT = f"{SPACE}({YEAR}-[0-9]{{2}}-[0-9]{{2}}){TIME_TEXT}{END}"
TIMESTAMP_TEXT = f"{SPACE}({YEAR}-[0-9]{{2}}-[0-9]{{2}}{TIME_TEXT}){END}"


def matched(text: str, pattern: str) -> str | None:
    """Group 1 of a pattern, where the whole text is written so.

    Example:
        >>> matched(" -7 ", INTEGER_TEXT), matched("7 cows", INTEGER_TEXT)
        ('-7', None)
    """
    found = re.match(pattern.removesuffix("$") + r"\Z", text)
    return None if found is None else found[1]
