"""A small table of invented people as plan nodes, for tests that need no SQL and no engine."""

from fractions import Fraction

from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.limits import Limits
from privet.query.plan.relations import Owner, Table
from privet.query.plan.statement import Aggregate, Key, Output, Stage, Statement
from privet.query.scalars.expressions import Column, Expression, Literal, Reference
from privet.query.scalars.facts import Facts, Type, Value

PID = Column("pid", Facts(Type.INTEGER, nullable=False))
AGE = Column("age", Facts(Type.INTEGER, nullable=False, low=Fraction(0), high=Fraction(110)))
COST = Column("cost", Facts(Type.REAL, low=Fraction(0), high=Fraction(5000)))
SEX = Column("sex", Facts(Type.TEXT, values=("F", "M")))
CITY = Column("city", Facts(Type.TEXT))
ONE = Limits(rows_per_unit=1)
PEOPLE = Table("people", (PID, AGE, COST, SEX, CITY), Owner((PID,), ONE))
BY_SEX = (Key(Column("sex", SEX.facts), Reference(SEX), ("F", "M")),)
BY_CITY = (Key(Column("city", CITY.facts), Reference(CITY), None),)
WHOLE = {
    Function.COUNT_ROWS,
    Function.COUNT,
    Function.COUNT_DISTINCT,
    Function.COUNT_UNITS,
}


def asked(
    function: Function,
    argument: Column | None = None,
    *,
    condition: Expression | None = None,
    fraction: Fraction | None = None,
    sample: bool = True,
) -> Aggregation:
    """An aggregate of a column."""
    expression = None if argument is None else Reference(argument)
    return Aggregation(function, expression, condition, fraction, sample)


def aggregate(*items: Aggregation, keys: tuple[Key, ...] = (), limits: Limits = ONE) -> Aggregate:
    """An aggregate of people whose columns are called x0, x1, …"""
    named = []
    for place, item in enumerate(items):
        whole = item.function in WHOLE or (item.function is Function.SUM and item.argument == Reference(AGE))
        named.append((Column(f"x{place}", Facts(Type.INTEGER if whole else Type.REAL)), item))
    return Aggregate(PEOPLE, keys, tuple(named), limits)


def statement(source: Aggregate) -> Statement:
    """SELECT everything that is released."""
    columns = [*(key.column for key in source.keys), *(column for column, _ in source.items)]
    output = Output(tuple((Column(column.name, column.facts), Reference(column)) for column in columns))
    return Statement("SELECT … FROM people", (Stage("answer", source, output),))


def literal(value: Value, kind: Type) -> Literal:
    """A constant."""
    return Literal(value, kind)
