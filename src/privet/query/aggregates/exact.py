"""Exact: an aggregate within a unit while it is printed: its columns, and the words in which engines differ."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from privet.query.aggregates.scale import Scale
from privet.query.plan.aggregation import Aggregation
from privet.query.scalars.expressions import facts_of
from privet.query.scalars.facts import Type, Value


class Words(Protocol):
    """What aggregates need of an engine's `printing/dialect.py`."""

    @property
    def types(self) -> Mapping[Type, str]:
        """The engine's name of each type."""

    @property
    def wide(self) -> str:
        """Whole numbers of at least 127 bits."""

    def literal(self, value: Value, type_: Type) -> str:
        """A constant."""

    def number(self, text: str) -> str:
        """A real number; NULL if it is NaN."""

    def one_zero(self, text: str) -> str:
        """A real number, with 0.0 for -0.0."""

    def narrowed(self, text: str) -> str:
        """A sum of whole numbers as one of 64 bits; NULL if it is larger."""

    def added(self, text: str, most: int) -> str:
        """The exact sum of whole numbers that are each at most so large."""

    def quantile(self, text: str, fraction: str) -> str:
        """The quantile of real numbers, interpolated."""

    def chosen_by(self, value: str, by: str, *, most: bool, each: Callable[[str], str]) -> str:
        """The value where `by` is least, or most."""


@dataclass(frozen=True)
class Exact:
    """One aggregate of the rows of a unit, to be written for an engine.

    Args:
        wanted: which.
        first: the name of the column that holds its argument, at its place on the scale if the rule has one.
        second: the same of the second argument. Both are NULL where either is.
        each: what stands behind each aggregate function: FILTER (…) and OVER (…).
        words: the engine's.
        squared: which scale the rule has.
    """

    wanted: Aggregation
    first: str
    second: str
    each: Callable[[str], str]
    words: Words
    squared: bool = False

    @property
    def type(self) -> Type:
        """Of the argument."""
        return Type.INTEGER if self.wanted.argument is None else facts_of(self.wanted.argument).type

    @property
    def count(self) -> str:
        """How many values there are."""
        return self.each(f"COUNT({self.first})")

    def total(self, text: str) -> str:
        """The sum of places."""
        return self.each(self.words.added(text, 1 << 63))

    def products(self, one: str, other: str) -> str:
        """The sum of products of places."""
        return self.each(self.words.added(f"CAST({one} AS {self.words.wide}) * {other}", 1 << 60))

    def gap(self, one: str, other: str) -> str:
        """N Σ one × other - Σ one × Σ other, exactly; as a real number n² times the covariance of places."""
        parts = (self.count, self.products(one, other), self.total(one), self.total(other))
        n, q, s, t = (f"CAST({part} AS {self.words.wide})" for part in parts)
        return self.real(f"{n} * {q} - {s} * {t}")

    def real(self, text: str) -> str:
        """A whole number as a real one."""
        return f"CAST({text} AS {self.words.types[Type.REAL]})"

    @property
    def pairs(self) -> str:
        """N (n - 1) of a sample, else n²; NULL if it is 0."""
        others = f"({self.count} - 1)" if self.wanted.sample else self.count
        return f"NULLIF({self.real(self.count)} * {others}, 0)"

    def step(self, place: int) -> str:
        """How far apart the places of an argument are, as a literal."""
        scale = Scale.of(facts_of(self.wanted.arguments[place]), squared=self.squared)
        return self.words.literal(float(scale.step), Type.REAL)
