"""Facts: what is publicly known about one version of a column."""

import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

Value: TypeAlias = bool | int | float | str | None  # a literal or key; dates are ISO texts with their own type
Bound: TypeAlias = Fraction | None

LONGEST_TEXT = 1_000  # letters (code points) of a text, unless the owner declares another number for its column


class Type(enum.Enum):
    """The types of a query. An engine's many widths are read as one of these."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"

    @property
    def numeric(self) -> bool:
        """Whether arithmetic is meant for it."""
        return self in {Type.INTEGER, Type.REAL}


@dataclass(frozen=True)
class ExpectedValues:
    """What the owner of a column expects of its values, before any bounds: public, rough, and believed by nothing.

    Args:
        mean: of the values.
        deviation: their standard deviation; None if nobody knows.
    """

    mean: Fraction
    deviation: Fraction | None = None


@dataclass(frozen=True)
class Facts:
    """What holds for every value of a column, whatever the data: declared by the owner, or derived from declarations.

    Args:
        type: what the values are.
        nullable: whether NULL can occur.
        low: the smallest value; numbers only. For dates, days since 1970-01-01; for timestamps, seconds.
        high: the largest value.
        values: all values it can have besides NULL, in the order they are shown; None if that is not known.
        origin: (table, column) of a public table whose values these are, if so: a key taken from there is public.
        other: the key under which values outside `values` are counted, if the owner wants them counted.
        longest: how many letters a text has at most, because it is cut to them or is a literal; None if it is not cut.
        expected: what its values are probably like. Explanations use it, and searches for bounds.
        sign: "positive" or "negative" if numbers without bounds are that, or 0. Searches for bounds use it, and nothing
            else does: rows need not keep to it.

    Privacy: facts choose scales and domains, so they make answers better or worse; no guarantee rests on them being
        true. What bounds a contribution is the clipping that the engine carries out on what it finds, and what bounds
        a text is the cutting.
    """

    type: Type
    nullable: bool = True
    low: Bound = None
    high: Bound = None
    values: tuple[Value, ...] | None = None
    origin: tuple[str, str] | None = None
    other: str | None = None
    longest: int | None = None
    expected: ExpectedValues | None = None
    sign: str | None = None

    @property
    def bounded(self) -> bool:
        """Whether both bounds are known."""
        return self.low is not None and self.high is not None

    def where(self, **changes: object) -> "Facts":
        """These facts with some changed."""
        return replace(self, **changes)  # type: ignore[arg-type] # the dataclass checks the names


def longest_of(facts: Iterable[Facts]) -> int | None:
    """How many letters one of several has at most; None if that is not known of one."""
    known = [one.longest for one in facts]
    return max((each for each in known if each is not None), default=0) if None not in known else None
