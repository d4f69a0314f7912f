"""Words: one table of a catalog file, read word by word; every mistake is a sentence that begins with its place."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from privet.errors import InvalidParameter, PrivetError
from privet.loss import ConcentratedGuarantee, Guarantee, Promise
from privet.query.plan.limits import AUTO, Limit
from privet.wording.nearest import nearest

TOP = ("name", "source", "unit", "neighbors", "limit", "budget", "window", "ledger", "anchor", "analysts", "tables")


@dataclass(frozen=True)
class Words:
    """A table of the file whose words are all known.

    Args:
        table: as TOML gave it; numbers with a point are decimals.
        place: its dotted name in the file; empty for the file itself.
        known: the words that may stand here.

    Example:
        >>> Words({"epsilom": 1}, "limit", ("epsilon", "delta", "rho"))
        Traceback (most recent call last):
        ...
        privet.errors.InvalidParameter: limit: unknown word 'epsilom': did you mean epsilon?
    """

    table: Mapping[str, Any]
    place: str
    known: tuple[str, ...]

    def __post_init__(self) -> None:
        for word in self.table:
            if word not in self.known:
                at = f"{self.place}: " if self.place else ""
                if self.place and word in TOP:
                    raise InvalidParameter(f"{at}{word} is a word of the whole file: move it above the first [table]")
                raise InvalidParameter(f"{at}unknown word {word!r}{nearest(word, self.known)}")

    def __contains__(self, word: str) -> bool:
        return word in self.table

    def at(self, word: str) -> str:
        """The place of a word."""
        return f"{self.place}.{word}" if self.place else word

    def wrong(self, word: str, sentence: str) -> InvalidParameter:
        """An error at a word."""
        return InvalidParameter(f"{self.at(word)}: {sentence}")

    def text(self, word: str, *, example: str) -> str | None:
        """A text with something in it, or None if the word is not there."""
        found = self.table.get(word)
        if found is None or (isinstance(found, str) and found.strip()):
            return found
        raise self.wrong(word, f"must be a text such as {example}, got {as_written(found)}")

    def flag(self, word: str) -> bool:
        """True or false; false if the word is not there."""
        found = self.table.get(word, False)
        if isinstance(found, bool):
            return found
        raise self.wrong(word, f"must be true or false, got {as_written(found)}")

    def count(self, word: str) -> int | None:
        """A whole number from 1 on, or None if the word is not there."""
        found = self.table.get(word)
        if found is None or (isinstance(found, int) and not isinstance(found, bool) and found >= 1):
            return found
        raise self.wrong(word, f"must be a whole number from 1 on, got {as_written(found)}")

    def limit(self, word: str) -> Limit:
        """A whole number from 1 on or "auto", or None if the word is not there."""
        if (found := self.table.get(word)) == AUTO:
            return "auto"
        if isinstance(found, str):
            raise self.wrong(word, f'must be a whole number from 1 on, or "{AUTO}", got {as_written(found)}')
        return self.count(word)

    def texts(self, word: str) -> tuple[str, ...]:
        """A list of texts; none if the word is not there."""
        found = self.table.get(word, [])
        if isinstance(found, list) and all(isinstance(each, str) for each in found):
            return tuple(found)
        raise self.wrong(word, f'must be a list of texts such as ["id"], got {as_written(found)}')

    def tables(self, word: str) -> Mapping[str, Mapping[str, Any]]:
        """A table of tables; empty if the word is not there."""
        found = self.within(word) if word in self.table else {}
        for name, each in found.items():
            if not isinstance(each, Mapping):
                raise self.wrong(word, f"{name} must be a table such as {EXAMPLES[word]}, got {as_written(each)}")
        return found

    def within(self, word: str) -> Mapping[str, Any]:
        """What stands under a word that is a table."""
        found = self.table[word]
        if isinstance(found, Mapping):
            return found
        raise self.wrong(word, f"must be a table such as {EXAMPLES[word]}, got {as_written(found)}")

    def promise(self, word: str) -> Promise:
        """How much may be revealed: ε and δ, or ρ."""
        parts = Words(self.within(word), self.at(word), ("epsilon", "delta", "rho"))
        if ("rho" in parts) == ("epsilon" in parts) or ("rho" in parts and "delta" in parts):
            raise self.wrong(word, "give epsilon (and delta), or rho, such as " + EXAMPLES["limit"])
        try:
            return ConcentratedGuarantee(**parts.table) if "rho" in parts else Guarantee(**parts.table)
        except PrivetError as problem:
            raise self.wrong(word, str(problem)) from None


EXAMPLES = {
    "limit": '{ epsilon = "10", delta = "1e-5" }',
    "budget": '{ epsilon = "0.5", delta = "1e-7" }',
    "window": '{ column = "day", length = 7 }',
    "tables": "[tables.visit]",
    "analysts": "[analysts.ada]",
    "columns": '{ type = "integer", bounds = [0, 110] }',
}


def as_written(value: object) -> str:
    """A value of the file as its author would write it."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return '"' + value + '"'
        case Mapping():
            return "a table"
        case list():
            return "[" + ", ".join(map(as_written, value)) + "]"
        case _:
            return str(value)
