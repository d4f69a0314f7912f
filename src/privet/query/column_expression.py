"""Expression: a column of a frame and what is made of it, written with Python's operators.

It is a piece of SQL and nothing more: names are quoted, values become literals of their type, never pasted text. The
whole statement passes the same front door as any other, so it means, costs and is refused the same.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NoReturn, Protocol, Unpack

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.exact import exact_within, shortest, shown, whole
from privet.query.options import Keywords
from privet.query.results.answer import Answer
from privet.query.results.explanation import Explanation

Literal = bool | int | float | str | date | Decimal | np.generic | None
Name = str  # which in a class with a `str` of its own has another meaning
PARTS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")


class Asked(Protocol):
    """A statement with one aggregate, that can be asked."""

    def answer(self, *, purpose: str | None = None, key: str | None = None, **keywords: Unpack[Keywords]) -> Answer:
        """See `Summary.answer`."""
        ...

    def explain(self, **keywords: Unpack[Keywords]) -> Explanation:
        """See `Summary.explain`."""
        ...


class Aggregating(Protocol):
    """Rows of which an aggregate can be asked: a frame."""

    def agg(self, *aggregates: "Expression", **named: "str | Expression") -> Asked:
        """See `Rows.agg`."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Expression:
    """A piece of SQL about the rows of a frame.

    Args:
        sql: the piece, complete in itself.
        name: what it is called in an answer; "" if it has no name yet, see `alias`.
        rows: the frame it was taken from, of which it can be asked alone.
        plain: whether it is a column as it is.

    Example:
        >>> age = Expression('"age"', "age")
        >>> (age > 40) & ~age.is_in([50, 60])
        (("age" > 40) AND (NOT ("age" IN (50, 60))))
        >>> (age * 2).mean().alias("twice")
        AVG(("age" * 2))
    """

    sql: str
    name: str = ""
    rows: Aggregating | None = None
    plain: bool = False
    __hash__ = None  # type: ignore[assignment] # == is a condition, not a comparison

    def __repr__(self) -> str:
        return self.sql

    def __bool__(self) -> NoReturn:
        raise InvalidParameter("a condition on columns is neither true nor false: join them by & | ~, each in brackets")

    def alias(self, name: str) -> "Expression":
        """The same, under a name."""
        return replace(self, name=named(name, "alias"), plain=False)

    # --- operators ----------------------------------------------------------------------------------------------

    def _with(self, sign: str, other: object, *, turned: bool = False) -> "Expression":
        left, right = (literal(other), self.sql) if turned else (self.sql, literal(other))
        return self._made(f"({left} {sign} {right})")

    def _made(self, sql: str, name: str = "") -> "Expression":
        return Expression(sql, name, self.rows)

    def _call(self, function: str, *values: object) -> "Expression":
        return self._made(f"{function}({', '.join([self.sql, *map(literal, values)])})")

    def __eq__(self, other: object) -> "Expression":  # type: ignore[override] # a condition
        return self.is_null() if other is None else self._with("=", other)

    def __ne__(self, other: object) -> "Expression":  # type: ignore[override] # a condition
        return self.is_not_null() if other is None else self._with("<>", other)

    def __lt__(self, other: object) -> "Expression":
        return self._with("<", other)

    def __le__(self, other: object) -> "Expression":
        return self._with("<=", other)

    def __gt__(self, other: object) -> "Expression":
        return self._with(">", other)

    def __ge__(self, other: object) -> "Expression":
        return self._with(">=", other)

    def __and__(self, other: object) -> "Expression":
        return self._with("AND", other)

    def __or__(self, other: object) -> "Expression":
        return self._with("OR", other)

    def __invert__(self) -> "Expression":
        return self._made(f"(NOT {self.sql})")

    def __add__(self, other: object) -> "Expression":
        return self._with("+", other)

    def __radd__(self, other: object) -> "Expression":
        return self._with("+", other, turned=True)

    def __sub__(self, other: object) -> "Expression":
        return self._with("-", other)

    def __rsub__(self, other: object) -> "Expression":
        return self._with("-", other, turned=True)

    def __mul__(self, other: object) -> "Expression":
        return self._with("*", other)

    def __rmul__(self, other: object) -> "Expression":
        return self._with("*", other, turned=True)

    def __truediv__(self, other: object) -> "Expression":
        return self._with("/", other)

    def __rtruediv__(self, other: object) -> "Expression":
        return self._with("/", other, turned=True)

    def __floordiv__(self, other: object) -> "Expression":
        return self._with("//", other)

    def __mod__(self, other: object) -> "Expression":
        return self._with("%", other)

    def __neg__(self) -> "Expression":
        return self._made(f"(- {self.sql})")

    # --- of each row --------------------------------------------------------------------------------------------

    def is_null(self) -> "Expression":
        """Whether there is no value."""
        return self._made(f"({self.sql} IS NULL)")

    def is_not_null(self) -> "Expression":
        """Whether there is a value."""
        return self._made(f"({self.sql} IS NOT NULL)")

    def is_in(self, values: Iterable[Literal]) -> "Expression":
        """Whether it is one of these."""
        if isinstance(values, str | bytes | Expression) or not isinstance(values, Iterable):
            raise InvalidParameter(f"is_in takes a list of values, got {shown(values)}")
        listed = [literal(each) for each in values]
        if not listed:
            raise InvalidParameter("is_in needs at least one value: none is in an empty list")
        return self._made(f"({self.sql} IN ({', '.join(listed)}))")

    def between(self, low: "Literal | Expression", high: "Literal | Expression") -> "Expression":
        """Whether it lies between two values, both included."""
        return self._made(f"({self.sql} BETWEEN {literal(low)} AND {literal(high)})")

    def fill_null(self, value: "Literal | Expression") -> "Expression":
        """The value, or this one where there is none."""
        return self._call("COALESCE", value)

    def clip(self, low: Literal, high: Literal) -> "Expression":
        """The value, or the nearer of these bounds: what needs bounds has them then."""
        return self._call("CLIP", low, high)

    def round(self, digits: int = 0) -> "Expression":
        """The value to so many digits."""
        return self._call("ROUND", whole(digits, "digits", low=-15))

    def abs(self) -> "Expression":
        """The size."""
        return self._call("ABS")

    @property
    def str(self) -> "Texts":
        """What can be done to texts."""
        return Texts(self)

    @property
    def dt(self) -> "Times":
        """What can be done to dates and timestamps."""
        return Times(self)

    # --- private aggregates -------------------------------------------------------------------------------------

    def _aggregate(self, function: Name) -> "Expression":
        return self._made(f"{function}({self.sql})", self.name)

    def sum(self) -> "Expression":
        """Their sum."""
        return self._aggregate("SUM")

    def mean(self) -> "Expression":
        """Their average."""
        return self._aggregate("AVG")

    def count(self) -> "Expression":
        """How many values there are."""
        return self._aggregate("COUNT")

    def n_unique(self) -> "Expression":
        """How many different values there are."""
        return self._made(f"COUNT(DISTINCT {self.sql})", self.name)

    def median(self) -> "Expression":
        """The value in the middle."""
        return self._aggregate("MEDIAN")

    def quantile(self, q: float) -> "Expression":
        """The value below which this share lies."""
        share = exact_within(q, "q", low=0, high=1)
        return self._made(f"QUANTILE_CONT({self.sql}, {_decimal(float(share))})", self.name)

    def min(self) -> "Expression":
        """A low quantile, which stands for the least."""
        return self._aggregate("MIN")

    def max(self) -> "Expression":
        """A high quantile, which stands for the largest."""
        return self._aggregate("MAX")

    def std(self) -> "Expression":
        """The standard deviation."""
        return self._aggregate("STDDEV")

    def var(self) -> "Expression":
        """The variance."""
        return self._aggregate("VARIANCE")

    # --- of the answer ------------------------------------------------------------------------------------------

    def desc(self) -> "Expression":
        """In falling order, for `order_by`."""
        return self._made(f"{self.sql} DESC")

    def answer(self, **keywords: Any) -> Answer:  # noqa: ANN401 - see Summary.answer
        """Ask for this aggregate of all rows of its frame. See `Session.sql`."""
        return self._alone().answer(**keywords)

    def explain(self, **keywords: Any) -> Explanation:  # noqa: ANN401 - see Summary.explain
        """What asking for it would cost. See `Session.explain`."""
        return self._alone().explain(**keywords)

    def _alone(self) -> Asked:
        if self.rows is None:
            raise InvalidParameter(f"{self.sql} is not taken from a frame: put it into agg of one")
        return self.rows.agg(self if self.name else self.alias("value"))


@dataclass(frozen=True)
class Texts:
    """What can be done to texts."""

    of: Expression

    def lower(self) -> Expression:
        """In small letters."""
        return self.of._call("LOWER")  # noqa: SLF001 - its own half

    def upper(self) -> Expression:
        """In capitals."""
        return self.of._call("UPPER")  # noqa: SLF001 - the same

    def strip(self) -> Expression:
        """Without spaces around."""
        return self.of._call("TRIM")  # noqa: SLF001 - the same

    def len(self) -> Expression:
        """How many letters."""
        return self.of._call("LENGTH")  # noqa: SLF001 - the same

    def starts_with(self, start: str) -> Expression:
        """Whether it begins so."""
        return self.of._call("STARTS_WITH", start)  # noqa: SLF001 - the same

    def slice(self, offset: int, length: int) -> Expression:
        """So many letters from a place on, counted from 0."""
        first = whole(offset, "offset", low=0) + 1
        return self.of._call("SUBSTRING", first, whole(length, "length", low=0))  # noqa: SLF001 - the same

    def like(self, pattern: str) -> Expression:
        """Whether it fits a pattern, in which % stands for any letters and _ for one."""
        return self.of._with("LIKE", pattern)  # noqa: SLF001 - the same


@dataclass(frozen=True)
class Times:
    """What can be done to dates and timestamps."""

    of: Expression

    def year(self) -> Expression:
        """The year."""
        return self._part("year")

    def month(self) -> Expression:
        """The month, from 1."""
        return self._part("month")

    def day(self) -> Expression:
        """The day of the month."""
        return self._part("day")

    def hour(self) -> Expression:
        """The hour, from 0."""
        return self._part("hour")

    def truncate(self, every: str) -> Expression:
        """The beginning of its "year", "month", "week" or "day"."""
        if every not in PARTS:
            raise InvalidParameter(f"truncate takes one of {', '.join(PARTS)}, got {shown(every)}")
        return self.of._made(f"DATE_TRUNC('{every}', {self.of.sql})")  # noqa: SLF001 - its own half

    def _part(self, part: str) -> Expression:
        return self.of._made(f"EXTRACT({part} FROM {self.of.sql})")  # noqa: SLF001 - its own half


def named(name: object, place: str) -> str:
    """A name, or a refusal."""
    if not isinstance(name, str) or not name.strip():
        raise InvalidParameter(f"{place} takes a name, got {shown(name)}")
    return name


def literal(value: object) -> str:  # noqa: PLR0911 - a line for each type
    """A value as SQL, by its type; an expression as it is.

    Example:
        >>> literal(3), literal("it's"), literal(None), literal(date(2024, 5, 1)), literal(-0.5)
        ('3', "'it''s'", 'NULL', "DATE '2024-05-01'", '(-0.5)')
    """
    if isinstance(value, Expression):
        return value.sql
    plain = value.item() if isinstance(value, np.generic) and not isinstance(value, np.datetime64) else value
    if plain is None:
        return "NULL"
    if isinstance(plain, bool):
        return "TRUE" if plain else "FALSE"
    if isinstance(plain, int):
        return str(plain) if plain >= 0 else f"({plain})"
    if isinstance(plain, float | Decimal) and math.isfinite(plain):
        return _decimal(plain)
    if isinstance(plain, str) and "\0" not in plain:
        return "'" + plain.replace("'", "''") + "'"
    if isinstance(plain, datetime) and plain.tzinfo is None:
        return f"TIMESTAMP '{plain.isoformat(sep=' ')}'"
    if isinstance(plain, date) and not isinstance(plain, datetime):
        return f"DATE '{plain.isoformat()}'"
    raise InvalidParameter(
        "beside a column stands another one, a finite number, a text, True or False, a date or a timestamp without a "
        f"zone, got {shown(value)}"
    )


def _decimal(number: float | Decimal) -> str:
    text = shortest(exact_within(number, "number", low=-math.inf)) if isinstance(number, float) else str(number)
    return f"({text})" if text.startswith("-") else text
