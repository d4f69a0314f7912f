"""PostgreSQL's words. Where it would raise an error, the expression looks first.

How it looks is in `float_arithmetic.py` and `text_values.py`.
"""

import re
from collections.abc import Callable
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.query.backends.postgres import float_arithmetic, literals, text_values
from privet.query.backends.postgres.functions import POSTGRES
from privet.query.backends.postgres.literals import FENCE, named, real, text_of
from privet.query.printing.dialect import Dialect
from privet.query.scalars.facts import Type, Value
from privet.query.scalars.unit_types import unit_type

WHOLE = {"smallint", "integer", "bigint"}
REALS = {"real", "double precision"}
TEXTS = {"text", "character varying", "character", "name", "ENUM", "uuid", '"char"'}
LONG = 1 << 62  # real numbers become whole within this
BITS_63 = (-(1 << 63), (1 << 63) - 1)
FIRST_DAY, LAST_DAY = "0001-01-01", "9999-12-31"
EPOCH_DAYS = (-719_162, 2_932_896)  # those two, in days since 1970-01-01
FEW_DAYS = 4_000_000  # nothing within the years 1 to 9999 is farther apart
PARTS = {"day_of_week": "dow", "day_of_year": "doy", "iso_year": "isoyear"}
SMALL = 1 << 30  # numbers of which 2^33 add up to no more than 63 bits
WHOLE_NUMBER = re.compile(r"CAST\((\d+) AS BIGINT\)")
SURE_DIGITS = 300  # of a decimal, before and after its point, that is surely a float's size


class PostgresDialect(Dialect):
    """How PostgreSQL writes what engines write differently."""

    types = {  # noqa: RUF012 - never changed
        Type.BOOLEAN: "BOOLEAN",
        Type.INTEGER: "BIGINT",
        Type.REAL: "DOUBLE PRECISION",
        Type.TEXT: "TEXT",
        Type.DATE: "DATE",
        Type.TIMESTAMP: "TIMESTAMP",
    }
    wide = "NUMERIC"
    inlined = "NOT MATERIALIZED"
    kept = "MATERIALIZED"
    fence = FENCE
    templates = POSTGRES

    def name(self, text: str) -> str:
        """A quoted name; a name that cannot be one is refused."""
        return literals.quoted_name(text)

    def quoted(self, text: str) -> str:
        """With the order of its bytes."""
        return text_of(literals.quoted(text))

    def literal(self, value: Value, type_: Type) -> str:
        """A constant, with its type; NULL, too, is a text in the order of bytes."""
        return text_of("NULL") if value is None and type_ is Type.TEXT else super().literal(value, type_)

    def number(self, text: str) -> str:
        """NaN equals itself in PostgreSQL."""
        return f"NULLIF({text}, {real(float('nan'))})"

    def total(self, text: str) -> str:
        """Of numbers that are wide already."""
        return text_values.within(text, *BITS_63)

    def narrowed(self, text: str) -> str:
        """Sums are as wide as they need to be."""
        return text_values.within(text, *BITS_63)

    def place(self, text: str, origin: Fraction, step: Fraction, *, most: Fraction | None = None) -> str:
        """With values so far away that they are at an end anyway brought nearer, and those very near to 0 made 0."""
        far = min(Fraction(2) ** 900 * step, Fraction(2) ** 1000)
        if max(abs(origin), step * (1 << 60)) > Fraction(2) ** 1000:
            raise InvalidParameter("the bounds of an aggregate are too large for PostgreSQL: write CLIP(x, low, high)")
        first, width, half = (real(float(number)) for number in (origin, step, 0.5))
        low = real(float(-far))
        high = real(float(far))
        held = f"CASE WHEN {text} < {low} THEN {low} WHEN {text} > {high} THEN {high} ELSE {text} END"  # NULL stays
        near = f"({f'({held})' if most is None or most > far else text} - {first})"
        tiny = float(step) * 2.0**-60
        steps = f"{near} / {width} + {half}"
        if step <= 1:
            return steps
        return f"CASE WHEN {near} < {real(-tiny)} THEN {steps} WHEN {near} < {real(tiny)} THEN {half} ELSE {steps} END"

    def quotient(self, dividend: str, divisor: str) -> str:
        """BIGINT by BIGINT is cut off; what is wide says so in its text."""
        if self.wide in dividend or self.wide in divisor:
            return f"DIV({dividend}, {divisor})"
        whole = WHOLE_NUMBER.fullmatch(divisor)
        number = int(whole[1]) if whole else 0
        if number > 0 and number & (number - 1) == 0:
            return f"(({dividend}) >> {number.bit_length() - 1})"
        return f"(({dividend}) / {divisor})"

    def convert(self, text: str, source: Type, target: Type, *, fits: bool = False) -> str:  # noqa: ARG002 - a name costs little
        """One type as another."""
        if source is Type.TEXT:
            return text_values.from_text(text, target)
        if target is Type.TEXT:
            return text_values.real_as_text(text) if source is Type.REAL else text_of(text)
        if target is Type.INTEGER and source is Type.REAL:
            return float_arithmetic.whole(text)
        if source is Type.BOOLEAN:
            return f"CAST(CAST({text} AS INTEGER) AS {self.types[target]})"
        if target is Type.BOOLEAN:
            return f"({text} <> 0)"
        return f"CAST({text} AS {self.types[target]})"

    def read(self, text: str, engine_type: str, target: Type) -> str:  # noqa: C901, PLR0911 - one return for each type
        """A column as it is declared; what does not fit is NULL."""
        kind = _plain(engine_type)
        if kind in TEXTS:
            return text_values.from_text(text_of(text), target)
        match target:
            case Type.INTEGER if kind in WHOLE:
                return f"CAST({text} AS BIGINT)" if kind != "bigint" else text
            case Type.INTEGER if kind in REALS:
                return _held(
                    self.number(f"CAST({text} AS DOUBLE PRECISION)"), real(LONG), float_arithmetic.NEAREST_WHOLE
                )
            case Type.INTEGER if kind == "numeric":
                return _held(_known(text), str(BITS_63[1]), "ROUND({a}, 0)")
            case Type.REAL if kind == "numeric":
                small = not _unlimited(engine_type)
                return self.number(f"CAST({text} AS DOUBLE PRECISION)") if small else text_values.exact_real(text)
            case Type.REAL if kind in WHOLE | REALS:
                known = text if kind == "double precision" else f"CAST({text} AS DOUBLE PRECISION)"
                return self.number(self.one_zero(known)) if kind in REALS else known
            case Type.DATE if kind in {"date", "timestamp without time zone"}:
                return _finite(text, "DATE", f"DATE '{FIRST_DAY}'", f"DATE '{LAST_DAY}'")
            case Type.TIMESTAMP if kind in {"date", "timestamp without time zone"}:
                last = f"TIMESTAMP '{LAST_DAY} 23:59:59.999999'"
                return _finite(text, "TIMESTAMP", f"TIMESTAMP '{FIRST_DAY} 00:00:00'", last)
            case Type.BOOLEAN if kind == "boolean":
                return text
            case Type.TEXT:
                return text_of(text)
        return text_values.from_text(text_of(text), target)

    def unit(self, text: str, engine_type: str, target: Type) -> str:
        """A text declared a whole number must say one plainly; a whole number stays one, whatever is declared."""
        if _plain(engine_type) in TEXTS and target is Type.INTEGER:
            return text_values.plainly_whole(text_of(text))
        if unit_type(engine_type) is Type.INTEGER or target is Type.TEXT:
            return self.identity(text, engine_type)
        return self.read(text, engine_type, target)

    def fingerprint(self, text: str) -> str:
        """Of its bytes as they are stored, so that nothing is converted, which could fail."""
        return f"(ENCODE(SHA256(CONVERT_TO({text}, GETDATABASEENCODING())), 'hex') COLLATE \"C\")"

    def identity(self, text: str, engine_type: str) -> str:
        """Whole numbers as such, real ones as such (0 and -0 are one, NaN is none), all else as text."""
        kind = _plain(engine_type)
        exact = _known(text) if kind == "numeric" else text
        if unit_type(engine_type) is Type.INTEGER:
            return f"CAST({exact} AS BIGINT)" if kind != "bigint" else text
        if kind in REALS:
            return self.read(text, engine_type, Type.REAL)
        return text_of(f"TRIM_SCALE({exact})" if kind == "numeric" else text)

    def part(self, part: str, text: str) -> str:
        """EXTRACT gives a decimal, also of the seconds; Sunday is 0."""
        return f"CAST(FLOOR(EXTRACT({PARTS.get(part, part)} FROM {text})) AS BIGINT)"

    def start(self, part: str, text: str) -> str:
        """The first day; without a detour through a time zone."""
        return f"CAST(DATE_TRUNC('{part}', CAST({text} AS TIMESTAMP)) AS DATE)"

    def days_between(self, first: str, second: str) -> str:
        """The difference of dates is a whole number."""
        return f"CAST({second} - {first} AS BIGINT)"

    def add_days(self, text: str, days: str, type_: Type) -> str:
        """The day is computed as a whole number first, which is held to the years 1 to 9999."""
        few = f"CASE WHEN {{b}} BETWEEN -{FEW_DAYS} AND {FEW_DAYS} THEN {{b}} END"
        low, high = EPOCH_DAYS
        gap = f"(CAST({{a}} AS DATE) - DATE '1970-01-01') + {few}"
        if type_ is Type.DATE:
            pattern = f"DATE '1970-01-01' + CAST({text_values.within(gap, low, high)} AS INTEGER)"
        else:
            pattern = f"CASE WHEN {gap} BETWEEN {low} AND {high} THEN {{a}} + ({few}) * INTERVAL '1 day' END"
        return named(pattern, a=text, b=days)

    def digest(self, texts: tuple[str, ...]) -> str:
        """MD5 of the texts, each behind its mark, so that NULL is not the empty text."""
        joined = " || ".join(f"COALESCE('=' || CAST({text} AS TEXT), '') || '|'" for text in texts)
        return f"(MD5('privet|' || {joined}) COLLATE \"C\")"

    def added(self, text: str, most: int) -> str:
        """Sums of 32 bits are of 64, and faster than decimals, which those of 64 are."""
        return f"SUM(CAST({text} AS INTEGER))" if most < SMALL else f"SUM({text})"

    def counted(self, rows: str, unit: str) -> str:
        """Whole numbers are sorted: a hash table of units outgrows the caches, and then takes twice as long."""
        return f"(SELECT {unit} FROM {rows} ORDER BY {unit}{self.fence}) AS t"  # noqa: S608 - names of our own

    def chosen_by(self, value: str, by: str, *, most: bool, each: Callable[[str], str]) -> str:
        """Rows have no least before PostgreSQL 18: the first of all values in order."""
        way = "DESC" if most else "ASC"
        ordered = f"ORDER BY {by} {way} NULLS LAST, {value} {way} NULLS LAST"
        return f"({each(f'ARRAY_AGG({value} {ordered})')})[1]"

    def quantile(self, text: str, fraction: str) -> str:
        """Interpolated; PostgreSQL's own."""
        return f"PERCENTILE_CONT({fraction}) WITHIN GROUP (ORDER BY {text})"


def _plain(engine_type: str) -> str:
    """The engine's type without its parameters."""
    return re.sub(r"\(.*?\)", "", engine_type).strip()


def _held(text: str, most: str, whole: str) -> str:
    """A number as a whole one of 64 bits: the last that has so many where it is larger."""
    low, high = (f"CAST({end} AS BIGINT)" for end in BITS_63)
    return named(
        f"CASE WHEN {{a}} >= {most} THEN {high} WHEN {{a}} <= -{most} THEN {low} ELSE CAST({whole} AS BIGINT) END",
        a=text,
    )


def _known(text: str) -> str:
    """A decimal; NULL if it is NaN, which is no number."""
    return f"NULLIF({text}, CAST('NaN' AS NUMERIC))"


def _unlimited(engine_type: str) -> bool:
    """Whether a decimal may be larger than a float can be, or nearer to 0."""
    digits, _, scale = engine_type.partition("(")[2].rstrip(")").partition(",")
    return not all(each.isdigit() and int(each) <= SURE_DIGITS for each in (digits, scale or "0"))


def _finite(text: str, kind: str, low: str, high: str) -> str:
    """A date or timestamp within the years 1 to 9999; before it is converted, for "infinity" may not be."""
    return f"CASE WHEN {text} BETWEEN {low} AND {high} THEN CAST({text} AS {kind}) END"
