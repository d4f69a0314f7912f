"""Spark's words."""

import re
from collections.abc import Callable, Collection, Mapping

from privet.errors import InvalidParameter
from privet.query.backends.shared_dialect import LONG, held, narrowed, plain, real, short, within
from privet.query.backends.spark.functions import SPARK
from privet.query.backends.spark.shared_rows import arranged
from privet.query.functions.spelling import DATE_TEXT, INTEGER_TEXT, REAL_TEXT, TIMESTAMP_TEXT
from privet.query.printing.dialect import Dialect
from privet.query.printing.literal_texts import refuse_unprintable
from privet.query.scalars.facts import Type
from privet.query.scalars.unit_types import unit_type

WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}
REALS = {"FLOAT", "DOUBLE"}
SAFE = 1 << 29  # 2^33 whole numbers up to this add up to less than 2^63
FIRST_DAY, LAST_DAY = "0001-01-01", "9999-12-31"
EPOCH_DAYS = (-719_162, 2_932_896)  # those two, in days since 1970-01-01
DAY = 86_400_000_000  # microseconds
PLAIN = re.compile(r"[ !#-&(-\[\]-~]")  # what stands in a literal as it is: printable ASCII, but for quotes and \
PARTS = {
    "day_of_week": "(DAYOFWEEK({0}) - 1)",
    "day_of_year": "DAYOFYEAR({0})",
    "week": "WEEKOFYEAR({0})",
    "iso_year": "EXTRACT(YEAROFWEEK FROM {0})",
}


class SparkDialect(Dialect):
    """How Spark writes what engines write differently.

    Args:
        checks_texts: whether Spark can tell texts that are no UTF-8 (from version 4 on).

    Whole numbers of 127 bits are DECIMAL(38, 0): products and sums of those keep that type, and all that is printed
    stays below 2^126 < 10^38, so none is rounded or NULL.
    """

    types = {  # noqa: RUF012 - never changed
        Type.BOOLEAN: "BOOLEAN",
        Type.INTEGER: "BIGINT",
        Type.REAL: "DOUBLE",
        Type.TEXT: "STRING",
        Type.DATE: "DATE",
        Type.TIMESTAMP: "TIMESTAMP_NTZ",
    }
    wide = "DECIMAL(38, 0)"
    inlined = ""  # Spark computes common tables wherever they are mentioned, or once: it does not let us choose
    kept = ""
    templates = SPARK

    def __init__(self, *, checks_texts: bool = True) -> None:
        self._checks_texts = checks_texts

    def name(self, text: str) -> str:
        """A quoted name; a name that cannot be one is refused."""
        refuse_unprintable(text)
        if "\0" in text:
            raise InvalidParameter("a name with a zero in it is none for Spark; rename it")
        return "`" + text.replace("`", "``") + "`"

    def quoted(self, text: str) -> str:
        """Between quotes."""
        return quoted(text)

    def number(self, text: str) -> str:
        """Spark has a word for it."""
        return f"NANVL({text}, CAST(NULL AS DOUBLE))"

    def total(self, text: str) -> str:
        """Spark has no word for it: each function of `functions.py` is total by itself."""
        raise InvalidParameter(f"Spark cannot compute {text} without a failure")

    def common(self, name: str, select: str, names: Collection[str]) -> str:
        """Rows that are counted and weighed are moved once."""
        return arranged(name, select, names)

    def sent_whole(self, name: str) -> str:
        """By hint: of its own accord Spark sends nothing."""
        return f"/*+ BROADCAST({name}) */ "

    def added(self, text: str, most: int) -> str:
        """A sum of BIGINTs is one, and would wrap around: where it could, decimals are added."""
        return f"SUM({text})" if most <= SAFE else f"SUM(CAST({text} AS {self.wide}))"

    def quotient(self, dividend: str, divisor: str) -> str:
        """DIV gives 64 bits; of wide numbers, what is left over is taken away first, so that the division is exact."""
        if self.wide in dividend:
            return f"CAST((({dividend}) - ({dividend}) % {divisor}) / {divisor} AS {self.wide})"
        power = re.fullmatch(r"CAST\((\d+) AS BIGINT\)", divisor)
        if power is not None and (number := int(power[1])) & (number - 1) == 0:
            return f"SHIFTRIGHT({dividend}, {number.bit_length() - 1})"
        return f"(({dividend}) DIV {divisor})"

    def convert(self, text: str, source: Type, target: Type, *, fits: bool = False) -> str:
        """One type as another."""
        if source is Type.TEXT:
            return _from_text(text, target)
        if source is Type.REAL and target is Type.TEXT:
            raise InvalidParameter("Spark writes real numbers as texts differently: ROUND or CAST to a whole one first")
        if target is Type.INTEGER and source is Type.REAL:
            if fits:
                return f"CAST(ROUND({text}, 0) AS BIGINT)"
            return _nearest(text)
        return f"CAST({text} AS {self.types[target]})"

    def read(self, text: str, engine_type: str, target: Type) -> str:  # noqa: PLR0911 - one return for each type
        """A column as it is declared."""
        kind = plain(engine_type)
        if kind == "VARCHAR":
            return self._valid(text) if target is Type.TEXT else self._matched(text, target)
        match target:
            case Type.INTEGER if kind in REALS:
                number = self.number(f"CAST({text} AS DOUBLE)")
                return held(self.convert(number, Type.REAL, Type.INTEGER), number)
            case Type.INTEGER if kind == "DECIMAL":
                return held(f"TRY_CAST(ROUND({text}, 0) AS BIGINT)", text)
            case Type.REAL:
                real = text if kind == "DOUBLE" else f"CAST({text} AS DOUBLE)"
                return self.number(self.one_zero(real)) if kind in REALS else real
            case Type.DATE:
                return within(f"TRY_CAST({text} AS DATE)", *(f"CAST('{day}' AS DATE)" for day in (FIRST_DAY, LAST_DAY)))
            case Type.TIMESTAMP:
                ends = (f"{FIRST_DAY} 00:00:00", f"{LAST_DAY} 23:59:59.999999")
                low, high = (f"CAST('{end}' AS TIMESTAMP_NTZ)" for end in ends)
                return within(f"TRY_CAST({text} AS TIMESTAMP_NTZ)", low, high)
        return text if kind == self.types[target] else f"TRY_CAST({text} AS {self.types[target]})"

    def unit(self, text: str, engine_type: str, target: Type) -> str:
        """A text declared a whole number must say one plainly; a whole number stays one, whatever is declared."""
        if plain(engine_type) == "VARCHAR":
            whole = f"TRY_CAST({_plainly_whole(text)} AS BIGINT)"
            return whole if target is Type.INTEGER else self.read(text, engine_type, target)
        if unit_type(engine_type) is Type.INTEGER or target is Type.TEXT or plain(engine_type) in REALS:
            return self.identity(text, engine_type)
        return f"TRY_CAST({text} AS BIGINT)" if target is Type.INTEGER else self.read(text, engine_type, target)

    def fingerprint(self, text: str) -> str:
        """Of 256 bits."""
        return f"SHA2({text}, 256)"

    def identity(self, text: str, engine_type: str) -> str:
        """Whole numbers as such, all else as text; real ones are refused, because Spark writes them differently."""
        kind = plain(engine_type)
        if unit_type(engine_type) is Type.INTEGER:
            return f"CAST({text} AS BIGINT)" if kind != "BIGINT" else text
        if kind in REALS:
            raise InvalidParameter(
                "a unit or key of real numbers cannot be used on Spark: make it a whole number or text"
            )
        return f"HEX({text})" if kind == "BLOB" else f"CAST({text} AS STRING)"

    def part(self, part: str, text: str) -> str:
        """Sunday is 0."""
        return f"CAST({PARTS.get(part, f'{part.upper()}({{0}})').format(text)} AS BIGINT)"

    def start(self, part: str, text: str) -> str:
        """The first day."""
        return f"CAST({text} AS DATE)" if part == "day" else f"TRUNC(CAST({text} AS DATE), '{part.upper()}')"

    def days_between(self, first: str, second: str) -> str:
        """The difference of dates."""
        return f"CAST(DATEDIFF({second}, {first}) AS BIGINT)"

    def add_days(self, text: str, days: str, type_: Type) -> str:
        """Computed as a whole number first, which is held to the years 1 to 9999."""
        few = f"CASE WHEN {days} BETWEEN -4000000 AND 4000000 THEN {days} END"
        if type_ is Type.DATE:
            low, high = EPOCH_DAYS
            day = _inside(f"(UNIX_DATE({text}) + {few})", low, high)
            return f"DATE_FROM_UNIX_DATE(CAST({day} AS INT))"
        low = EPOCH_DAYS[0] * DAY
        high = (EPOCH_DAYS[1] + 1) * DAY - 1
        moment = _inside(f"(UNIX_MICROS(CAST({text} AS TIMESTAMP)) + {DAY} * {few})", low, high)
        return f"CAST(TIMESTAMP_MICROS({moment}) AS TIMESTAMP_NTZ)"

    def digest(self, texts: tuple[str, ...]) -> str:
        """MD5 of the texts, each behind its mark, so that NULL is not the empty text."""
        joined = " || ".join(f"COALESCE('=' || CAST({text} AS STRING), '') || '|'" for text in texts)
        return f"MD5('privet|' || {joined})"

    def pair(self, first: str, second: str) -> tuple[str, Callable[[str], str]]:
        """Spark's own."""
        return f"NAMED_STRUCT('a', {first}, 'b', {second})", lambda text: f"({text}).b"

    def quantile(self, text: str, fraction: str) -> str:
        """Refused."""
        del text, fraction
        raise InvalidParameter(
            "a MEDIAN or quantile within a unit is not computed on Spark, which interpolates otherwise; use AVG or MAX"
        )

    def _matched(self, text: str, target: Type) -> str:
        """A column of texts as another type."""
        if target is Type.INTEGER:
            number = _from_text(text, Type.REAL)
            whole = f"TRY_CAST({_plainly_whole(text)} AS BIGINT)"
            near = self.convert(number, Type.REAL, Type.INTEGER)
            return held(f"{whole}, {near}", number)
        return self.one_zero(_from_text(text, target)) if target is Type.REAL else _from_text(text, target)

    def _valid(self, text: str) -> str:
        """A text; NULL (or, before Spark 4, repaired) if it is no UTF-8: as keys, several would look like one."""
        return f"TRY_VALIDATE_UTF8({text})" if self._checks_texts else f"DECODE(ENCODE({text}, 'UTF-8'), 'UTF-8')"


def quoted(text: str) -> str:
    """A text literal: whatever is not plain ASCII is written by its number."""
    refuse_unprintable(text)
    letters = (letter if PLAIN.fullmatch(letter) else f"\\U{ord(letter):08X}" for letter in text)
    return "'" + "".join(letters) + "'"


def engine_types(types: Mapping[str, str]) -> dict[str, str]:
    """Types of Spark's as other engines call them."""
    words = {
        "string": "VARCHAR",
        "int": "INTEGER",
        "timestamp_ntz": "TIMESTAMP",  # one with a zone is read as the clock in UTC shows it
        "binary": "BLOB",
    }
    return {
        name: "VARCHAR" if kind.startswith(("varchar", "char", "string")) else words.get(kind, kind.upper())
        for name, kind in types.items()
    }


def _inside(text: str, low: int, high: int) -> str:
    """A whole number, NULL outside."""
    return within(text, str(low), str(high))


def _matched(text: str, pattern: str) -> str:
    """What group 1 of a pattern finds; NULL if the text is written otherwise. Java's $ would let a line end follow."""
    whole = quoted(pattern.removesuffix("$") + r"\z")
    return f"NULLIF(REGEXP_EXTRACT({text}, {whole}, 1), '')"


def _nearest(text: str) -> str:
    """The whole number next to a real one, NULL beyond 62 bits. As a decimal, Spark would make it of a few digits."""
    inside = f"{text} >= {real(-LONG)} AND {text} <= {real(LONG)}"
    return f"CASE WHEN {inside} THEN CAST(ROUND({text}, 0) AS BIGINT) END"


def _plainly_whole(text: str) -> str:
    """The whole number that a text consists of, as a wide one; else NULL."""
    return f"TRY_CAST({_matched(short(text), INTEGER_TEXT)} AS DECIMAL(38, 0))"


def _from_text(text: str, target: Type) -> str:
    """What a text says, if it says it plainly."""
    match target:
        case Type.INTEGER:
            near = f"CAST({_nearest(_from_text(text, Type.REAL))} AS DECIMAL(38, 0))"
            return narrowed(f"COALESCE({_plainly_whole(text)}, {near})")
        case Type.REAL:
            return f"TRY_CAST({_matched(short(text), REAL_TEXT)} AS DOUBLE)"
        case Type.BOOLEAN:
            word = f"LOWER(BTRIM({text}, ' '))"
            return f"CASE WHEN {word} IN ('true', 't', '1') THEN TRUE WHEN {word} IN ('false', 'f', '0') THEN FALSE END"
        case Type.DATE:
            return f"TRY_CAST({_matched(text, DATE_TEXT)} AS DATE)"
        case Type.TIMESTAMP:
            return f"TRY_CAST({_matched(text, TIMESTAMP_TEXT)} AS TIMESTAMP_NTZ)"
        case _:
            return text
