"""Dialect: the words in which engines differ. What is printed alike everywhere is in `function_templates.py`."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from privet.query.printing.literal_texts import date_of, moment_of
from privet.query.scalars.expressions import Call
from privet.query.scalars.facts import Type, Value

FAR = float(1 << 42)  # real numbers are hashed as multiples of 2^-20 between -2^42 and 2^42
FINE = float(1 << 20)
LONGEST_UNIT = 1000  # bytes of a unit's text that is read as it is
LONG = 1 << 63  # from which on whole numbers are wide


class Dialect(ABC):
    """How one engine writes names, types, literals and the few functions that have no common form.

    Every method returns an expression that cannot fail, whatever the data: see each for what it is then.
    """

    types: Mapping[Type, str]
    wide: str  # whole numbers of at least 127 bits
    inlined: str  # after AS, before a common table that is to be computed wherever it is mentioned
    kept: str  # the same for one that is to be computed once
    fence: str = ""  # at the end of a common table, so that it is computed as it stands, and before what is above it
    templates: "Mapping[str, Template]" = MappingProxyType({})  # functions that the engine writes its own way

    @abstractmethod
    def name(self, text: str) -> str:
        """A name of the catalog, quoted."""

    @abstractmethod
    def quoted(self, text: str) -> str:
        """A text as a constant, whatever it holds."""

    def literal(self, value: Value, type_: Type) -> str:
        """A constant of this type, to the last bit; a date or timestamp from its ISO text."""
        if type_ is Type.TEXT and value is not None:
            return self.quoted(str(value))
        if type_ is Type.BOOLEAN and value is not None:
            return "TRUE" if value else "FALSE"
        if type_ is Type.INTEGER and value is not None:
            return f"CAST({int(value)} AS {self.types[type_] if -LONG <= int(value) < LONG else self.wide})"
        return f"CAST({_constant(value, type_)} AS {self.types[type_]})"

    def size(self, text: str) -> str:
        """How many bytes a text has, at least as many as letters: known without reading it."""
        return f"OCTET_LENGTH({text})"

    def first_letters(self, text: str, most: int) -> str:
        """The first letters of a text, at most so many."""
        return f"LEFT({text}, {most})"

    @abstractmethod
    def number(self, text: str) -> str:
        """A real number; NULL if it is NaN. The text is used once."""

    def one_zero(self, text: str) -> str:
        """A real number, with 0.0 for -0.0, which is equal to it (`functions/zeros.py`). The text is used once."""
        return f"({text} + {self.literal(0.0, Type.REAL)})"

    @abstractmethod
    def total(self, text: str) -> str:
        """A whole-number expression; NULL where it overflows. The text is used once."""

    def narrowed(self, text: str) -> str:
        """A sum of whole numbers as one of 64 bits; NULL if it is larger. The text is used once."""
        return f"TRY_CAST({text} AS {self.types[Type.INTEGER]})"

    def place(self, text: str, origin: Fraction, step: Fraction, *, most: Fraction | None = None) -> str:  # noqa: ARG002 - for engines that raise errors
        """How many steps a real number is from the origin, and a half: its floor is the nearest place; NULL for NULL.

        The text is a plain name, or such a name between two ends; `most` is how large it can be, if the statement
        itself sees to that.
        """
        first, width, half = (self.literal(float(number), Type.REAL) for number in (origin, step, 0.5))
        return f"({text} - {first}) / {width} + {half}"

    @abstractmethod
    def quotient(self, dividend: str, divisor: str) -> str:
        """The whole part of the quotient of two whole numbers, of which the first is >= 0 and the second > 0."""

    @abstractmethod
    def convert(self, text: str, source: Type, target: Type, *, fits: bool = False) -> str:
        """A value as another type, NULL where that cannot be: the rule of `functions/casts.py`.

        `fits` says that it is known to be no whole number of more than 62 bits; were it one, it may be any, or NULL.
        """

    @abstractmethod
    def read(self, text: str, engine_type: str, target: Type) -> str:
        """A column of the engine's type as one of ours, with one zero.

        NaN, years beyond 1 to 9999 and texts that say no such value are NULL; a whole number of more than 64 bits is
        the last that has so many.
        """

    @abstractmethod
    def unit(self, text: str, engine_type: str, target: Type) -> str:
        """A unit column as it is declared; never rounded, because that would make one unit of two."""

    @abstractmethod
    def fingerprint(self, text: str) -> str:
        """The SHA-256 of a text that is not NULL, in 64 letters: the same on every engine. It cannot fail."""

    def short_unit(self, text: str) -> str:
        """A unit that is a text, in no more than `LONGEST_UNIT` letters and a fingerprint; NULL stays NULL.

        Texts that are longer keep their first letters and their fingerprint, so units are the same if and only if
        they are equal, up to collisions of SHA-256: what was short stays within the limit, what was long is beyond it.
        Uncut, an id of megabytes would be multiplied by every join, until the engine fails for all.
        """
        long = f"{self.first_letters(text, LONGEST_UNIT)} || {self.fingerprint(text)}"
        return f"CASE WHEN {self.size(text)} > {LONGEST_UNIT} THEN {long} ELSE {text} END"

    @abstractmethod
    def identity(self, text: str, engine_type: str) -> str:
        """A key or unit column of the engine's type, as something that can be compared with any other of its class."""

    @abstractmethod
    def part(self, part: str, text: str) -> str:
        """A part of a date or timestamp as a whole number; the names are those of `functions/times.py`."""

    @abstractmethod
    def start(self, part: str, text: str) -> str:
        """The first day of a year, quarter, month, week (Monday) or the day itself, as a date."""

    @abstractmethod
    def days_between(self, first: str, second: str) -> str:
        """Days from the first date to the second, as a whole number."""

    @abstractmethod
    def add_days(self, text: str, days: str, type_: Type) -> str:
        """A date or timestamp so many days later; NULL beyond the years 1 to 9999."""

    @abstractmethod
    def digest(self, texts: tuple[str, ...]) -> str:
        """A hash of several values, of which some may be NULL; what is equal has one hash. Each engine has its own.

        Rows and groups of a unit are chosen by it, and by nothing else of the data, so privacy asks no more of it.
        """

    def among(self, text: str, values: Sequence[Value], type_: Type) -> str:
        """Whether a value, a plain name, is one of these, of which none is NULL and there is at least one."""
        return f"{text} IN ({', '.join(self.literal(value, type_) for value in values)})"

    def hashable(self, text: str, type_: Type) -> str:
        """What `digest` takes of a value, a plain name: engines write real numbers differently, so whole ones instead.

        Values that are less than 2^-20 apart may have one hash; whoever orders by it then orders by the value.
        """
        if type_ is not Type.REAL:
            return text
        low, high, fine = (self.literal(number, Type.REAL) for number in (-FAR, FAR, FINE))
        place = f"CAST(FLOOR(LEAST(GREATEST({text}, {low}), {high}) * {fine}) AS {self.types[Type.INTEGER]})"
        return f"CASE WHEN {text} IS NOT NULL THEN {place} END"

    def common(self, name: str, select: str, names: Collection[str]) -> str:  # noqa: ARG002 - for engines that need to be told
        """A common table among those of these names, with what the engine is told about how to compute it."""
        return select

    def sent_whole(self, name: str) -> str:  # noqa: ARG002 - as above
        """What stands after SELECT where a public table, and a small one, is joined."""
        return ""

    def plain_real(self, text: str, engine_type: str) -> str | None:  # noqa: ARG002 - for engines that are faster so
        """A column of floats as a real number that may be NaN; None where it is read as any other, or is no float."""
        return None

    def is_number(self, text: str) -> str:
        """Whether a real number is there and not NaN, for what `plain_real` gives."""
        return f"{text} <= {self.literal(math.inf, Type.REAL)}"

    def added(self, text: str, most: int) -> str:  # noqa: ARG002 - for engines whose sums are no wider than what is added
        """An aggregate: the exact sum of whole numbers, of up to 2^33 rows, that are each at most so large."""
        return f"SUM({text})"

    def counted(self, rows: str, unit: str) -> str:  # noqa: ARG002 - for engines that sort
        """What stands after FROM where the rows of each unit, a whole number, are counted."""
        return rows

    def chosen_by(self, value: str, by: str, *, most: bool, each: Callable[[str], str]) -> str:
        """The value where `by` is least (or most), of equal ones the least (or most); both are NULL where either is.

        Args:
            value: a plain name.
            by: a plain name.
            most: whether the largest `by` is looked for.
            each: what stands behind an aggregate: FILTER (…).
        """
        first, second = self.pair(by, value)
        both = f"CASE WHEN {by} IS NOT NULL THEN {first} END"
        return second(each(f"{'MAX' if most else 'MIN'}({both})"))

    def pair(self, first: str, second: str) -> tuple[str, Callable[[str], str]]:
        """Two values as one that is ordered by the first, then by the second; and how the second is taken from it."""
        return f"STRUCT_PACK(a := {first}, b := {second})", lambda text: f"STRUCT_EXTRACT({text}, 'b')"

    @abstractmethod
    def quantile(self, text: str, fraction: str) -> str:
        """An aggregate: the quantile of real numbers, interpolated."""


def _constant(value: Value, type_: Type) -> str:
    """What is cast to a type: NULL, or a text."""
    if value is None:
        return "NULL"
    match type_:
        case Type.DATE:
            return f"'{date_of(str(value)).isoformat()}'"
        case Type.TIMESTAMP:
            return f"'{moment_of(str(value)).isoformat(sep=' ')}'"
        case _:
            return f"'{float(value) + 0.0!r}'"


Template: TypeAlias = Callable[[Dialect, Call, list[str]], str]  # prints a call, given its printed arguments
