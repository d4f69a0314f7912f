"""Question: one statement, or several at once, with all that was said about them."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from privet.errors import InvalidParameter
from privet.query.options import Keywords
from privet.query.results.answer import Answer
from privet.query.results.answers import Answers
from privet.query.results.explanation import Explanation
from privet.query.results.explanations import Explanations
from privet.query.session import Session

WORDED = re.compile(r"""['"`$]|--|/\*""")  # where a statement has words of its own, in which spaces count
LONGEST_PURPOSE = 10_000  # letters


@dataclass(frozen=True)
class Question:
    """What is asked.

    Args:
        statements: one SELECT; or several, as `Session.batch` takes them.
        purpose: what it is for, if that was said.
        weights: as it was said.
        keywords: as they were said.
    """

    statements: str | tuple[str, ...] | Mapping[str, str]
    purpose: str | None
    weights: Any
    keywords: Keywords

    @classmethod
    def of(cls, statements: object, purpose: str | None, weights: object, keywords: Keywords) -> "Question":
        """Refuse what is no question."""
        refuse_wordless(purpose, "purpose")
        if isinstance(statements, str):
            return cls(_whole(statements), purpose, weights, keywords)
        if isinstance(statements, Mapping):
            return cls({_whole(name): _whole(text) for name, text in statements.items()}, purpose, weights, keywords)
        if isinstance(statements, list | tuple):
            return cls(tuple(map(_whole, statements)), purpose, weights, keywords)
        raise InvalidParameter("a question is one SELECT; a batch is a list of them, or a mapping of names to them")

    @property
    def texts(self) -> tuple[str, ...]:
        """The statements."""
        if isinstance(self.statements, str):
            return (self.statements,)
        return tuple(self.statements.values() if isinstance(self.statements, Mapping) else self.statements)

    def refuse_longer(self, most: int) -> None:
        """Refuse more than so many letters, before anything is done with them."""
        if sum(map(len, self.texts)) > most:
            raise InvalidParameter(f"statements have at most {most:,} letters here, all of a batch together: ask less")

    def same_as(self, session: Session, version: str) -> str:
        """A hash that two questions share if one's answer is the other's.

        Args:
            session: of who asks.
            version: of the data.
        """
        tidy = self._tidied()
        asked = session.question(tidy.statements, weights=self.weights, **self.keywords)
        facts = [session.ledger.analyst, version, self.purpose, asked]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def _tidied(self) -> "Question":
        if isinstance(self.statements, str):
            return replace(self, statements=tidied(self.statements))
        if isinstance(self.statements, Mapping):
            return replace(self, statements={name: tidied(text) for name, text in self.statements.items()})
        return replace(self, statements=tuple(map(tidied, self.statements)))

    def answer(self, session: Session, key: str) -> Answer | Answers:
        """Ask it."""
        if isinstance(self.statements, str):
            return session.sql(self.statements, purpose=self.purpose, key=key, weights=self.weights, **self.keywords)
        statements = self.statements if isinstance(self.statements, Mapping) else list(self.statements)
        return session.batch(statements, purpose=self.purpose, key=key, weights=self.weights, **self.keywords)

    def explain(self, session: Session) -> Explanation | Explanations:
        """What it would cost."""
        if isinstance(self.statements, str):
            return session.explain(self.statements, weights=self.weights, **self.keywords)
        statements = self.statements if isinstance(self.statements, Mapping) else list(self.statements)
        return session.explain(statements, weights=self.weights, **self.keywords)

    def read(self, text: str) -> Answer | Answers:
        """An answer to it that was stored."""
        return Answer.from_json(text) if isinstance(self.statements, str) else Answers.from_json(text)


def tidied(text: str) -> str:
    r"""A statement without what means nothing: spaces around it, its last semicolons, how it is broken into lines.

    Example:
        >>> tidied(" SELECT  COUNT(*)\nFROM people; "), tidied("SELECT 'a  b';")
        ('SELECT COUNT(*) FROM people', "SELECT 'a  b'")
    """
    found = text.strip().rstrip(";").rstrip()
    return found if WORDED.search(found) else " ".join(found.split())


def refuse_wordless(words: object, name: str) -> None:
    """Refuse what is neither left out nor says anything."""
    said = isinstance(words, str) and bool(words.strip()) and len(words) <= LONGEST_PURPOSE and _is_whole(words)
    if words is not None and not said:
        raise InvalidParameter(f"{name} must say in words, in at most {LONGEST_PURPOSE:,} letters, what this is for")


def _whole(text: object) -> str:
    if not isinstance(text, str) or not text.strip() or not _is_whole(text):
        raise InvalidParameter("a statement is a text, such as SELECT COUNT(*) FROM people")
    return text


def _is_whole(text: str) -> bool:
    """Whether a text can be stored: no half characters, and no letter 0."""
    return "\0" not in text and not any("\ud800" <= each <= "\udfff" for each in text)
