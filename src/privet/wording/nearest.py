"""What somebody may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str:
    """', did you mean …?' if a known word is close, else the list of them.

    Example:
        >>> nearest("colums", ["columns", "public"]), nearest("x", ["columns", "public"])
        (': did you mean columns?', ': known are columns, public')
    """
    names = sorted(set(known))
    meant = close(word, names)
    if meant is not None:
        return f": did you mean {meant}?"
    return f": known are {', '.join(names)}" if names else ": there is none"


def close(word: str, known: Iterable[str]) -> str | None:
    """The known word that is meant, if one is close.

    Example:
        >>> close("AEG", ["age", "city"])
        'age'
    """
    names = {each.casefold(): each for each in known}
    found = get_close_matches(word.casefold(), names, n=1, cutoff=0.6)
    return names[found[0]] if found else None
