"""DuckDB's words."""

import re
from collections.abc import Sequence

from privet.query.backends.shared_dialect import LONG, held, narrowed, plain, real, short, within
from privet.query.functions.spelling import DATE_TEXT, INTEGER_TEXT, REAL_TEXT, TIMESTAMP_TEXT
from privet.query.printing.dialect import Dialect
from privet.query.printing.literal_texts import refuse_unprintable
from privet.query.scalars.facts import Type, Value
from privet.query.scalars.unit_types import unit_type

WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}  # what fits 64 bits
REALS = {"FLOAT", "DOUBLE"}
FIRST_DAY, LAST_DAY = "0001-01-01", "9999-12-31"
EPOCH_DAYS = (-719_162, 2_932_896)  # those two, in days since 1970-01-01
DAY = 86_400_000_000  # microseconds
MANY_TEXTS = 8  # from which on DuckDB turns IN into a join
PARTS = {"day_of_week": "dow", "day_of_year": "doy", "iso_year": "isoyear"}


class DuckDBDialect(Dialect):
    """How DuckDB writes what engines write differently."""

    types = {  # noqa: RUF012 - never changed
        Type.BOOLEAN: "BOOLEAN",
        Type.INTEGER: "BIGINT",
        Type.REAL: "DOUBLE",
        Type.TEXT: "VARCHAR",
        Type.DATE: "DATE",
        Type.TIMESTAMP: "TIMESTAMP",
    }
    wide = "HUGEINT"
    inlined = "NOT MATERIALIZED"
    kept = "MATERIALIZED"

    def name(self, text: str) -> str:
        """A quoted name; a name that cannot be one is refused."""
        refuse_unprintable(text)
        return '"' + text.replace('"', '""') + '"'

    def quoted(self, text: str) -> str:
        """Between quotes."""
        return quoted(text)

    def size(self, text: str) -> str:
        """DuckDB counts bytes of texts by another name."""
        return f"STRLEN({text})"

    def number(self, text: str) -> str:
        """NaN equals itself in DuckDB."""
        return f"NULLIF({text}, CAST('NaN' AS DOUBLE))"

    def total(self, text: str) -> str:
        """DuckDB can be asked for NULL instead of an error."""
        return f"TRY({text})"

    def quotient(self, dividend: str, divisor: str) -> str:
        """DuckDB's // rounds toward 0; a shift is faster where it is the same."""
        power = re.fullmatch(r"CAST\((\d+) AS BIGINT\)", divisor)
        if power is not None and (number := int(power[1])) & (number - 1) == 0:
            return f"(({dividend}) >> {number.bit_length() - 1})"
        return f"(({dividend}) // {divisor})"

    def convert(self, text: str, source: Type, target: Type, *, fits: bool = False) -> str:
        """One type as another."""
        if source is Type.TEXT:
            return _from_text(text, target)
        if target is Type.INTEGER and source is Type.REAL:
            if fits:
                return f"TRY_CAST(ROUND({text}, 0) AS BIGINT)"
            inside = f"{text} >= {real(-LONG)} AND {text} <= {real(LONG)}"
            return f"CASE WHEN {inside} THEN CAST(ROUND({text}, 0) AS BIGINT) END"
        if target is Type.REAL and source is Type.BOOLEAN:
            return f"CAST(CAST({text} AS BIGINT) AS DOUBLE)"
        return f"CAST({text} AS {self.types[target]})"

    def read(self, text: str, engine_type: str, target: Type) -> str:  # noqa: PLR0911 - one return for each type
        """A column as it is declared."""
        kind = plain(engine_type)
        if kind == "VARCHAR" and target is not Type.TEXT:
            return self._matched(text, target)
        match target:
            case Type.INTEGER if kind in WHOLE:
                return f"CAST({text} AS BIGINT)" if kind != "BIGINT" else text
            case Type.INTEGER:
                number = self.number(f"CAST({text} AS DOUBLE)") if kind in REALS else text
                return held(f"TRY_CAST({f'ROUND({number}, 0)' if kind in REALS else text} AS BIGINT)", number)
            case Type.REAL:
                real = text if kind == "DOUBLE" else f"CAST({text} AS DOUBLE)"
                return self.number(self.one_zero(real)) if kind in REALS else real
            case Type.DATE:
                return within(f"TRY_CAST({text} AS DATE)", f"DATE '{FIRST_DAY}'", f"DATE '{LAST_DAY}'")
            case Type.TIMESTAMP:
                last = f"TIMESTAMP '{LAST_DAY} 23:59:59.999999'"
                return within(f"TRY_CAST({text} AS TIMESTAMP)", f"TIMESTAMP '{FIRST_DAY} 00:00:00'", last)
        return text if kind == self.types[target] else f"TRY_CAST({text} AS {self.types[target]})"

    def plain_real(self, text: str, engine_type: str) -> str | None:
        """What may be NULL is slower to compute with in DuckDB, even where it is not."""
        kind = plain(engine_type)
        return self.one_zero(text if kind == "DOUBLE" else f"CAST({text} AS DOUBLE)") if kind in REALS else None

    def is_number(self, text: str) -> str:
        """NaN is above infinity in DuckDB."""
        return f"{text} <= CAST('Infinity' AS DOUBLE)"

    def unit(self, text: str, engine_type: str, target: Type) -> str:
        """A text declared a whole number must say one plainly; a whole number stays one, whatever is declared."""
        if plain(engine_type) == "VARCHAR" and target is Type.INTEGER:
            return f"TRY_CAST({_plainly_whole(text)} AS BIGINT)"
        if unit_type(engine_type) is Type.INTEGER or target is Type.TEXT:
            return self.identity(text, engine_type)
        return f"TRY_CAST({text} AS BIGINT)" if target is Type.INTEGER else self.read(text, engine_type, target)

    def fingerprint(self, text: str) -> str:
        """DuckDB gives it in hexadecimal digits."""
        return f"SHA256({text})"

    def identity(self, text: str, engine_type: str) -> str:
        """Whole numbers as such, real ones as such (0 and -0 are one, NaN is none), all else as text.

        Days and moments beyond the years 1 to 9999 are NULL: of some, a text would end the engine for good.
        """
        kind = plain(engine_type)
        if unit_type(engine_type) is Type.INTEGER:
            return f"CAST({text} AS BIGINT)" if kind != "BIGINT" else text
        if kind in REALS:
            return self.read(text, engine_type, Type.REAL)
        if (time := unit_type(engine_type)) in {Type.DATE, Type.TIMESTAMP}:
            return f"CAST({self.read(text, engine_type, time)} AS VARCHAR)"
        return f"CAST({text} AS VARCHAR)"

    def _matched(self, text: str, target: Type) -> str:
        """A column of texts as another type."""
        if target is Type.INTEGER:
            number = _from_text(text, Type.REAL)
            whole = f"TRY_CAST({_plainly_whole(text)} AS BIGINT)"
            return held(f"{whole}, TRY_CAST(ROUND({number}, 0) AS BIGINT)", number)
        return self.one_zero(_from_text(text, target)) if target is Type.REAL else _from_text(text, target)

    def part(self, part: str, text: str) -> str:
        """EXTRACT gives a whole number for all of them; Sunday is 0."""
        return f"EXTRACT({PARTS.get(part, part)} FROM {text})"

    def start(self, part: str, text: str) -> str:
        """The first day."""
        return f"CAST(DATE_TRUNC('{part}', {text}) AS DATE)"

    def days_between(self, first: str, second: str) -> str:
        """The difference of dates is a whole number."""
        return f"({second} - {first})"

    def add_days(self, text: str, days: str, type_: Type) -> str:
        """Computed as a whole number first, which is held to the years 1 to 9999."""
        few = f"CASE WHEN {days} BETWEEN -4000000 AND 4000000 THEN {days} END"
        if type_ is Type.DATE:
            low, high = EPOCH_DAYS
            day = _inside(f"(({text} - DATE '1970-01-01') + {few})", low, high)
            return f"(DATE '1970-01-01' + CAST({day} AS INTEGER))"
        low = EPOCH_DAYS[0] * DAY
        high = (EPOCH_DAYS[1] + 1) * DAY - 1
        return f"MAKE_TIMESTAMP({_inside(f'(EPOCH_US({text}) + {DAY} * {few})', low, high)})"

    def among(self, text: str, values: Sequence[Value], type_: Type) -> str:
        """Of many texts an ENUM: to look up its place is faster than to join a table of them."""
        listed = dict.fromkeys(map(str, values))
        if type_ is not Type.TEXT or len(listed) < MANY_TEXTS or any("\0" in each for each in listed):
            return super().among(text, values, type_)
        return f"TRY_CAST({text} AS ENUM({', '.join(map(quoted, listed))})) IS NOT NULL"

    def digest(self, texts: tuple[str, ...]) -> str:
        """DuckDB's own, of values as they are: texts would be long to write, to hash and to sort by.

        Twice: the hash of several values is put together of theirs by XOR, which orders groups alike for many units.
        """
        return f"HASH(HASH({', '.join(texts)}))"

    def quantile(self, text: str, fraction: str) -> str:
        """DuckDB wants the fraction as a plain number."""
        return f"QUANTILE_CONT({text}, {fraction})"


def quoted(text: str) -> str:
    """A text literal; quotes are doubled, and nothing else has a meaning inside."""
    refuse_unprintable(text)
    parts = ["'" + part.replace("'", "''") + "'" for part in text.split("\0")]
    return parts[0] if len(parts) == 1 else "(" + " || CHR(0) || ".join(parts) + ")"


def _inside(text: str, low: int, high: int) -> str:
    """A whole number, NULL outside; the text is used once."""
    clip = f"CASE WHEN ({text}) IS NULL THEN NULL ELSE LEAST(GREATEST({text}, {low - 1}), {high + 1}) END"
    return f"NULLIF(NULLIF({clip}, {low - 1}), {high + 1})"


def _plainly_whole(text: str) -> str:
    """The whole number that a text consists of, as a HUGEINT; else NULL."""
    return f"TRY_CAST(NULLIF(REGEXP_EXTRACT({short(text)}, '{INTEGER_TEXT}', 1), '') AS HUGEINT)"


def _from_text(text: str, target: Type) -> str:
    """What a text says, if it says it plainly."""
    match target:
        case Type.INTEGER:
            near = f"ROUND({_from_text(text, Type.REAL)}, 0)"
            return narrowed(f"COALESCE({_plainly_whole(text)}, TRY_CAST({near} AS HUGEINT))")
        case Type.REAL:
            return f"TRY_CAST(NULLIF(REGEXP_EXTRACT({short(text)}, '{REAL_TEXT}', 1), '') AS DOUBLE)"
        case Type.BOOLEAN:
            word = f"LOWER(TRIM({text}, ' '))"
            return f"CASE WHEN {word} IN ('true', 't', '1') THEN TRUE WHEN {word} IN ('false', 'f', '0') THEN FALSE END"
        case Type.DATE:
            return f"TRY_CAST(NULLIF(REGEXP_EXTRACT({text}, '{DATE_TEXT}', 1), '') AS DATE)"
        case Type.TIMESTAMP:
            return f"TRY_CAST(NULLIF(REGEXP_EXTRACT({text}, '{TIMESTAMP_TEXT}', 1), '') AS TIMESTAMP)"
        case _:
            return text
