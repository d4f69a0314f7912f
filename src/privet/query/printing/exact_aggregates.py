"""Aggregates: exact ones, within a unit or of public rows. Sums are sums of whole numbers, so their order is nothing.

Real numbers are added up at places of a power-of-two step that follows from their bounds: 2^40 places up to the
larger bound, so that halves and quarters are exact. Without bounds they are held between -2^42 and 2^42 at steps of
2^-20. For a variance, whole or real, there are 2^30 places, and without bounds real ones are held between -2^20 and
2^20, whole ones between -2^30 and 2^30: then the squares of sums of 2^33 rows stay below 2^127.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from privet.errors import InvalidParameter
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.printing.dialect import Dialect
from privet.query.scalars.expressions import facts_of
from privet.query.scalars.facts import Facts, Type

PLACES = 40  # bits
SQUARE_PLACES = 30
WIDEST, WIDEST_SQUARE = 900, 450  # bits of a bound, so that sums and squares are numbers on every engine
MOMENTS = {Function.SUM, Function.AVG, Function.VARIANCE, Function.STDDEV}
SQUARED = {Function.VARIANCE, Function.STDDEV}


@dataclass(frozen=True)
class Scale:
    """Where numbers are added up: at step × place, between -most and most (none: as far as they go)."""

    step: Fraction
    most: Fraction | None

    @classmethod
    def of(cls, facts: Facts, *, squared: bool) -> "Scale":
        """The scale for what is known of an argument."""
        if facts.type is Type.INTEGER and not (squared and facts.bounded):
            return cls(Fraction(1), Fraction(1 << SQUARE_PLACES) if squared else None)
        if not facts.bounded:
            return (
                cls(Fraction(1, 1 << 10), Fraction(1 << 20))
                if squared
                else cls(Fraction(1, 1 << 20), Fraction(1 << 42))
            )
        power = _bits(max(abs(Fraction(end or 0)) for end in (facts.low, facts.high, Fraction(1, 1 << 100))))
        if power > (WIDEST_SQUARE if squared else WIDEST):
            raise InvalidParameter("an aggregate within a unit has bounds too wide to add up: write CLIP(x, low, high)")
        finest = 0 if facts.type is Type.INTEGER else power - (SQUARE_PLACES if squared else PLACES)
        return cls(Fraction(2) ** max(finest, power - SQUARE_PLACES if squared else finest), Fraction(2) ** power)


def _bits(number: Fraction) -> int:
    """The smallest power of two that is not below the number."""
    power = number.numerator.bit_length() - number.denominator.bit_length()
    while Fraction(2) ** power < number:
        power += 1
    return power


def place(wanted: Aggregation, text: str, dialect: Dialect) -> str:
    """The argument of an aggregate as it is aggregated; the text is repeated, so it is a plain name."""
    if wanted.argument is None or wanted.function not in MOMENTS:
        return text
    facts = facts_of(wanted.argument)
    scale = Scale.of(facts, squared=wanted.function in SQUARED)
    if scale.most is None:
        return text
    if facts.type is Type.INTEGER and scale.step == 1:
        low, high = (dialect.literal(int(end), Type.INTEGER) for end in (-scale.most, scale.most))
        return f"CASE WHEN {text} IS NOT NULL THEN LEAST(GREATEST({text}, {low}), {high}) END"
    value = text if facts.type is Type.REAL else dialect.convert(text, facts.type, Type.REAL)
    low, high = (dialect.literal(float(number), Type.REAL) for number in (-scale.most, scale.most))
    near = f"FLOOR({dialect.place(f'LEAST(GREATEST({value}, {low}), {high})', Fraction(0), scale.step)})"
    return f"CASE WHEN {text} IS NOT NULL THEN CAST({near} AS {dialect.types[Type.INTEGER]}) END"


def print_aggregation(  # noqa: PLR0911 - one return for each function
    wanted: Aggregation, text: str, condition: str | None, over: str, dialect: Dialect
) -> str:
    """An exact aggregate.

    Args:
        wanted: which.
        text: the name of the column that holds `place` of its argument.
        condition: the name of the column that holds its FILTER.
        over: " OVER (…)" for a window, else empty.
        dialect: the engine's words.
    """
    tail = (f" FILTER (WHERE {condition})" if condition is not None else "") + over
    real, whole = dialect.types[Type.REAL], dialect.types[Type.INTEGER]
    match wanted.function:
        case Function.COUNT_ROWS:
            return f"COUNT(*){tail}"
        case Function.COUNT_UNITS:
            return f"CAST(LEAST(COUNT(*){tail}, 1) AS {whole})"
        case Function.COUNT:
            return f"COUNT({text}){tail}"
        case Function.COUNT_DISTINCT:
            return f"COUNT(DISTINCT {text}){tail}"
        case Function.MINIMUM:
            return f"{'BOOL_AND' if _is_true_or_false(wanted) else 'MIN'}({text}){tail}"
        case Function.MAXIMUM:
            return f"{'BOOL_OR' if _is_true_or_false(wanted) else 'MAX'}({text}){tail}"
        case Function.QUANTILE:
            fraction = dialect.literal(float(wanted.fraction or 0), Type.REAL)
            return dialect.one_zero(dialect.number(dialect.quantile(f"CAST({text} AS {real})", fraction) + tail))
        case _:
            return _moment(wanted, lambda inner: f"{inner}{tail}", text, dialect)


def _is_true_or_false(wanted: Aggregation) -> bool:
    return wanted.argument is not None and facts_of(wanted.argument).type is Type.BOOLEAN


def _moment(wanted: Aggregation, each: Callable[[str], str], text: str, dialect: Dialect) -> str:
    if wanted.argument is None:
        raise InvalidParameter(f"{wanted.function.value} needs an argument")
    facts = facts_of(wanted.argument)
    real = dialect.types[Type.REAL]
    step = dialect.literal(float(Scale.of(facts, squared=wanted.function in SQUARED).step), Type.REAL)
    total = each(dialect.added(text, 1 << 63))
    count = each(f"COUNT({text})")
    if wanted.function is Function.SUM:
        if facts.type is Type.INTEGER:
            return dialect.narrowed(total)
        return f"(CAST({total} AS {real}) * {step})"
    if wanted.function is Function.AVG:
        return f"(CAST({total} AS {real}) * {step} / NULLIF({count}, 0))"
    squares = each(dialect.added(f"CAST({text} AS {dialect.wide}) * {text}", 1 << 60))
    n, q, s = (f"CAST({part} AS {dialect.wide})" for part in (count, squares, total))
    gap = f"{n} * {q} - {s} * {s}"
    others = f"({count} - 1)" if wanted.sample else count
    pairs = f"NULLIF(CAST({count} AS {real}) * {others}, 0)"
    variance = f"(CAST({gap} AS {real}) * {step} * {step} / {pairs})"
    return f"SQRT({variance})" if wanted.function is Function.STDDEV else variance
