"""The statements of a file, which semicolons separate. Each is then read alone, like any other."""

import re

from privet.errors import InvalidParameter

PIECES = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|;|[^;'\"/-]+|.", re.DOTALL)


def statements_in(text: str) -> list[str]:
    r"""The statements of a text, without those that hold nothing but comments.

    Semicolons in quotes and comments separate nothing. Whatever is cut wrongly is refused when it is read.

    Example:
        >>> statements_in("SELECT 1; -- one; two\nSELECT ';' AS x;\n")
        ['SELECT 1', "SELECT ';' AS x"]
    """
    found = [""]
    words = [False]
    for piece in PIECES.findall(text):
        if piece == ";":
            found.append("")
            words.append(False)
        elif piece.startswith(("--", "/*")):
            found[-1] += " "
        else:
            found[-1] += piece
            words[-1] = words[-1] or bool(piece.strip())
    kept = [each.strip() for each, said in zip(found, words, strict=True) if said]
    if not kept:
        raise InvalidParameter("the file holds no statement: write SELECT …; one after the other")
    return kept
