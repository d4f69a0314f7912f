"""What is known of numbers makes texts shorter: the values stay the same, and nothing fails if it was not so."""

import itertools
import math
from collections.abc import Mapping
from fractions import Fraction

import pytest

from privet.query.backends.duckdb.dialect import DuckDBDialect
from privet.query.backends.group_keys import plain_value
from privet.query.functions import call, evaluate
from privet.query.functions.curves import CURVES
from privet.query.printing.function_templates import print_expression
from privet.query.scalars.expressions import Column, Expression, Literal, Reference
from privet.query.scalars.facts import Facts, Type, Value
from tests.query.engines.test_functions import same
from tests.query.printing.test_function_templates import LITERALS, NUMBERS, ONE, TWO
from tests.support.engines import ENGINES, engine_of

NOT_ON_SPARK = {"ln", "log10", "exp", "power", *CURVES}
RANGES = [(-9, 9), (0, 9), (1, 9), (-9, -1)]
ON_SPARK = {(-9, 9), (1, 9)}  # a statement takes a second there: the other ranges are left to soak
EVERY = [
    pytest.param(
        engine,
        ends,
        marks=[pytest.mark.soak] if engine == "spark" and ends not in ON_SPARK else [],
        id=f"{engine}-{ends[0]}_to_{ends[1]}",
    )
    for engine in ENGINES
    for ends in RANGES
]
INSIDE: dict[Type, list[float]] = {
    Type.INTEGER: [-9, -8, -2, -1, 0, 1, 2, 3, 9],
    Type.REAL: [-9.0, -2.5, -1.0, -0.5, -0.0, 1e-300, 0.5, 1.0, 1.5, 2.5, 8.999, 9.0],
}
OUTSIDE: dict[Type, list[Value]] = {
    Type.INTEGER: [0, -1, -5, 10, 2**63 - 1, -(2**63)],
    Type.REAL: [0.0, -5.0, 10.0, 1e19, -1e300, 1.7976931348623157e308, math.inf, -math.inf],
}


def _of(functions: Mapping[str, tuple[Type, ...]], kind: Type) -> list[str]:
    return [name for name, kinds in functions.items() if kind in kinds]


def asked(kind: Type, ends: tuple[int, int], engine: str) -> tuple[tuple[Column, ...], list[tuple[str, Expression]]]:
    """Two columns of numbers in this range, and every function of one or both that the engine has."""
    low, high = map(Fraction, ends)
    made = tuple(Column(f"x{n}", Facts(kind, low=low, high=high)) for n in range(2))
    one, other = map(Reference, made)
    whole = Literal(2, Type.INTEGER)
    few: list[tuple[str, tuple[Expression, ...]]] = [(name, (one,)) for name in _of(ONE, kind) if name != "cast_text"]
    few += [(name, (one, second)) for name in _of(TWO, kind) for second in (other, whole)]
    few += [(name, (one, *literals)) for name, of, literals in LITERALS if of is kind]
    return made, [(name, call(name, *parts)) for name, parts in few if not (engine == "spark" and name in NOT_ON_SPARK)]


@pytest.mark.parametrize(("engine", "ends"), EVERY)
@pytest.mark.parametrize("kind", NUMBERS, ids=lambda kind: kind.value)
def test_functions_are_what_they_are_without_it(engine: str, kind: Type, ends: tuple[int, int]) -> None:
    made, wanted = asked(kind, ends, engine)
    inside: list[Value] = [None, *(number for number in INSIDE[kind] if ends[0] <= number <= ends[1])]
    rows = list(itertools.product(inside, repeat=2))
    found = engine_of(engine).column(made, rows, [expression for _, expression in wanted])
    wrong = [
        (name, row, value, meant)
        for row, values in zip(rows, found, strict=True)
        for (name, expression), value in zip(wanted, map(plain_value, values), strict=True)
        if not same(value, meant := evaluate(expression, dict(zip(made, row, strict=True))), loose=True)
    ]
    assert not wrong, (len(wrong), wrong[:20])


@pytest.mark.parametrize(("engine", "ends"), EVERY)
@pytest.mark.parametrize("kind", NUMBERS, ids=lambda kind: kind.value)
def test_numbers_beyond_their_range_do_not_raise(engine: str, kind: Type, ends: tuple[int, int]) -> None:
    made, wanted = asked(kind, ends, engine)
    rows = list(itertools.product(OUTSIDE[kind], repeat=2))
    assert len(engine_of(engine).column(made, rows, [expression for _, expression in wanted])) == len(rows)


@pytest.mark.parametrize(("engine", "ends"), EVERY)
def test_one_number_is_known_and_the_other_may_be_infinite(engine: str, ends: tuple[int, int]) -> None:
    known = Column("x0", Facts(Type.REAL, low=Fraction(ends[0]), high=Fraction(ends[1])))
    unknown = Column("x1", Facts(Type.REAL))
    one, other = Reference(known), Reference(unknown)
    left_out = NOT_ON_SPARK if engine == "spark" else {"power"}
    names = [name for name in _of(TWO, Type.REAL) if name not in left_out]
    wanted = [call(name, *pair) for name in names for pair in ((one, other), (other, one))]
    inside = [number for number in INSIDE[Type.REAL] if ends[0] <= number <= ends[1]]
    rows = list(itertools.product([None, *inside], [None, *OUTSIDE[Type.REAL], *inside]))
    found = engine_of(engine).column((known, unknown), rows, wanted)
    wrong = [
        (expression, row, value, meant)
        for row, values in zip(rows, found, strict=True)
        for expression, value in zip(wanted, map(plain_value, values), strict=True)
        if not same(value, meant := evaluate(expression, {known: row[0], unknown: row[1]}), loose=True)
    ]
    assert not wrong, (len(wrong), wrong[:20])


@pytest.mark.parametrize("name", [*(name for name, kinds in ONE.items() if Type.REAL in kinds), "round"])
def test_a_number_that_is_known_is_mentioned_once(name: str) -> None:
    known = Column("x0", Facts(Type.REAL, low=Fraction(1), high=Fraction(9)))
    text = print_expression(call(name, Reference(known)), DuckDBDialect(), lambda _: "here")
    assert text.count("here") == 1, text
    unknown = Column("x0", Facts(Type.REAL))
    longer = print_expression(call("ln", Reference(unknown)), DuckDBDialect(), lambda _: "here")
    assert longer.count("here") > 1  # so this can fail
