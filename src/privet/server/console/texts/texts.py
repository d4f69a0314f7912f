"""Texts: the sentences of one language, by their names."""

import re
import tomllib
from functools import lru_cache
from pathlib import Path

from markupsafe import Markup, escape

FOLDER = Path(__file__).parent
SIGNS = re.compile(r"([±εδρ]) (?=(?:<b>)?[0-9{])")
PERCENT = re.compile(r"(?<=[0-9}]) %")


class Texts:
    r"""The sentences of one language, by their names such as "ask.title".

    Args:
        language: the name of a file beside this one, such as "en".

    What is filled in is escaped; the sentences themselves may have tags in them and are ours.

    Example:
        >>> Texts("en")("answer.confidence", share="95<")
        Markup('± at 95&lt;\xa0%')
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._sentences = _read(language)

    def __call__(self, name: str, /, **values: object) -> Markup:
        """The sentence, with values filled in and escaped."""
        return Markup(self._sentences[name]).format(**{key: escape(value) for key, value in values.items()})  # noqa: S704 - a file of ours; what is filled in is escaped

    def plain(self, name: str, /, **values: object) -> str:
        """The sentence as plain text, for files and attributes that are escaped later."""
        return self._sentences[name].format(**values)

    @property
    def names(self) -> frozenset[str]:
        """Of all sentences."""
        return frozenset(self._sentences)


def keep_together(text: str) -> str:
    r"""A number stays on one line with its sign.

    Example:
        >>> keep_together("ε 0.3 at 95 %")
        'ε\xa00.3 at 95\xa0%'
    """
    return PERCENT.sub("\N{NO-BREAK SPACE}%", SIGNS.sub("\\1\N{NO-BREAK SPACE}", text))


@lru_cache
def _read(language: str) -> dict[str, str]:
    found = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return {
        f"{page}.{name}": keep_together(sentence)
        for page, sentences in found.items()
        for name, sentence in sentences.items()
    }
