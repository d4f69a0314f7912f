"""Batch: the statements that are asked at once, with their names and their shares of what is spent."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from privet.errors import InvalidParameter, QueryRefused
from privet.loss.exact import Exact, exact, shortest
from privet.wording.nearest import nearest

Statements: TypeAlias = list[str] | tuple[str, ...] | Mapping[str, str]
Weights: TypeAlias = Mapping[str, Exact] | Sequence[Exact]


@dataclass(frozen=True)
class Batch:
    """Several statements that are asked at once.

    Args:
        texts: in the order in which they are answered.
        names: of each, or () if they have none.
        shares: how much of what is spent is each one's, in proportion.
    """

    texts: tuple[str, ...]
    names: tuple[str, ...]
    shares: tuple[Fraction, ...]

    @classmethod
    def of(cls, statements: Statements, weights: Weights | None = None) -> "Batch":
        """Refuse what is no list of texts, or names no statement."""
        named = isinstance(statements, Mapping)
        listed: object = statements  # whatever was passed
        if not isinstance(listed, Mapping | list | tuple) or not listed:
            raise InvalidParameter(
                f"a batch takes a list of statements, or a mapping of names to statements, got {statements!r:.80}"
            )
        names = tuple(statements) if isinstance(statements, Mapping) else ()
        texts = tuple(statements.values()) if isinstance(statements, Mapping) else tuple(statements)
        for each in (*names, *texts):
            if not isinstance(each, str):
                raise InvalidParameter(f"statements of a batch and their names are texts, got {each!r:.80}")
        return cls(texts, names, _shares(names if named else None, len(texts), weights))

    @property
    def different(self) -> dict[str, Fraction]:
        """Each text once, with the shares of all that ask it: what is asked twice is answered once."""
        found: dict[str, Fraction] = {}
        for text, share in zip(self.texts, self.shares, strict=True):
            found[text.strip()] = found.get(text.strip(), Fraction(0)) + share
        return found

    @contextmanager
    def naming(self, text: str) -> Iterator[None]:
        """Say which statement is refused."""
        try:
            yield
        except (InvalidParameter, QueryRefused) as problem:
            place = next(number for number, each in enumerate(self.texts) if each.strip() == text)
            which = repr(self.names[place]) if self.names else str(place + 1)
            raise type(problem)(f"statement {which} of the batch: {problem}") from problem


def _shares(names: tuple[str, ...] | None, number: int, weights: Weights | None) -> tuple[Fraction, ...]:
    if weights is None:
        return (Fraction(1),) * number
    if names is None:
        if isinstance(weights, Mapping) or len(weights) != number:
            raise InvalidParameter(f"weights of a list of {number} statements are a list of {number} numbers")
        given: Sequence[Exact] = weights
    else:
        if not isinstance(weights, Mapping):
            raise InvalidParameter("weights of statements with names are a mapping of names to numbers")
        for name in weights:
            if name not in names:
                raise InvalidParameter(f"weights: no statement of this batch is called {name!r}{nearest(name, names)}")
        given = [weights.get(name, 1) for name in names]
    shares = tuple(exact(each, "the weight of a statement") for each in given)
    if least := [each for each in shares if each <= 0]:
        raise InvalidParameter(f"the weight of a statement must be > 0, got {shortest(least[0])}: leave it out")
    return shares
