"""What the pages of a survey say, in English and German: one file a language, with the same names."""

import tomllib
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "de")


@cache
def words_of(language: str) -> dict[str, str]:
    """The words of a language; English for any other.

    Example:
        >>> words_of("de")["yes"], words_of("en").keys() == words_of("de").keys()
        ('Ja', True)
    """
    name = language if language in LANGUAGES else LANGUAGES[0]
    read = tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))
    return {key: text.replace(" %", "\N{NO-BREAK SPACE}%") for key, text in read.items()}
