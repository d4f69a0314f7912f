"""What somebody may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str:
    """', did you mean …?' if a known word is close, else the list of them.

    Example:
        >>> nearest("colums", ["columns", "public"]), nearest("x", ["columns", "public"])
        (': did you mean columns?', ': known are columns, public')
    """
    names = {each.casefold(): each for each in known}
    close = get_close_matches(word.casefold(), names, n=1, cutoff=0.6)
    if close:
        return f": did you mean {names[close[0]]}?"
    return f": known are {', '.join(sorted(names.values()))}" if names else ": there is none"
