"""Tiny databases and plans over them, drawn by hypothesis: NULL, NaN, infinities, huge numbers, many rows of a unit."""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import pyarrow as pa
from hypothesis import strategies as st

from privet.core import Unit
from privet.loss import Guarantee
from privet.query.aggregates import RULES
from privet.query.catalog import Catalog, DeclaredTable, Step
from privet.query.functions import call
from privet.query.measures.request import SQUARE_STEPS, Bounded, Measure, Shape, Span
from privet.query.plan.aggregation import Aggregation, Function
from privet.query.plan.limits import Limits
from privet.query.plan.relations import (
    Filter,
    Group,
    Join,
    JoinKind,
    Owner,
    Project,
    Ranking,
    Relation,
    Table,
    Union,
    Window,
)
from privet.query.plan.statement import Key
from privet.query.scalars.expressions import Column, Expression, Literal, Reference, facts_of
from privet.query.scalars.facts import Facts, Type, Value

Rows = list[dict[str, Value]]
Data = dict[str, Rows]

LIMITS = Limits(rows_per_unit=2)
COLUMNS: Mapping[str, Mapping[str, Facts]] = {
    "visit": {
        "vid": Facts(Type.INTEGER),
        "city": Facts(Type.TEXT, values=("a", "b")),
        "pay": Facts(Type.REAL, low=Fraction(-5), high=Fraction(10)),
        "age": Facts(Type.INTEGER, low=Fraction(0), high=Fraction(100)),
        "free": Facts(Type.REAL),
        "flag": Facts(Type.BOOLEAN),
        "day": Facts(Type.DATE, low=Fraction(0), high=Fraction(30_000)),
    },
    "person": {"score": Facts(Type.INTEGER), "kind": Facts(Type.TEXT)},
    "item": {"price": Facts(Type.REAL, low=Fraction(0), high=Fraction(8))},
    "clinic": {"city": Facts(Type.TEXT), "beds": Facts(Type.INTEGER, low=Fraction(0), high=Fraction(9))},
}
HIDDEN = {"visit": ("pid",), "person": ("pid",), "item": ("vid",), "clinic": ()}
ARROW = {
    Type.BOOLEAN: pa.bool_(),
    Type.INTEGER: pa.int64(),
    Type.REAL: pa.float64(),
    Type.TEXT: pa.string(),
    Type.DATE: pa.date32(),
    Type.TIMESTAMP: pa.timestamp("us"),
}
WHOLE = st.sampled_from([None, 0, 1, 2, 3, 7, -1, 60, 101, 2**62, 2**63 - 1, -(2**63)])
REAL = st.sampled_from([None, 0.0, 0.5, 1.0, 2.25, -3.7, 9.99, 10.1, 1e308, -1e308, math.inf, -math.inf, math.nan])
TEXT = st.sampled_from([None, "a", "b", "c", "", "é'\"\\"])
VALUES = {
    Type.BOOLEAN: st.sampled_from([None, True, False]),
    Type.INTEGER: WHOLE,
    Type.REAL: REAL,
    Type.TEXT: TEXT,
    Type.DATE: st.sampled_from([None, "1970-01-01", "2024-02-29", "1900-12-31", "9999-12-31"]),
}
PIDS = st.sampled_from([None, 1, 1, 1, 2, 2, 3, 4])
VIDS = st.sampled_from([None, 1, 2, 3])


def catalog(data: Data) -> Catalog:
    """The catalog of the four tables, with the rows as frames."""
    tables = {
        "visit": DeclaredTable("visit", COLUMNS["visit"], unit_column="pid", limits=LIMITS, unique=frozenset({"vid"})),
        "person": DeclaredTable("person", COLUMNS["person"], unit_column="pid", limits=LIMITS),
        "item": DeclaredTable(
            "item", COLUMNS["item"], unit_column="pid", unit_path=(Step("vid", "visit", "vid"),), limits=LIMITS
        ),
        "clinic": DeclaredTable("clinic", COLUMNS["clinic"], public=True),
    }
    frames = {name: frame(name, rows) for name, rows in data.items()}
    return Catalog("tiny", Unit("person"), Guarantee(1), tables, frames=frames)


def frame(name: str, rows: Rows) -> pa.Table:
    kinds = {column: facts.type for column, facts in COLUMNS[name].items()}
    kinds |= dict.fromkeys(HIDDEN[name], Type.INTEGER)
    return pa.table(
        {
            column: pa.array([_arrow(row[column], kind) for row in rows], type=ARROW[kind])
            for column, kind in kinds.items()
        }
    )


def _arrow(value: Value, kind: Type) -> object:
    return dt.date.fromisoformat(str(value)) if kind is Type.DATE and value is not None else value


def rows_of(name: str, size: int) -> st.SearchStrategy[Rows]:
    columns: dict[str, st.SearchStrategy[Value]] = {
        column: VALUES[facts.type] for column, facts in COLUMNS[name].items()
    }
    if "pid" in HIDDEN[name]:
        columns["pid"] = PIDS
    if name in {"visit", "item"}:
        columns["vid"] = VIDS
    return st.lists(st.fixed_dictionaries(columns), max_size=size)


def databases(size: int = 7) -> st.SearchStrategy[Data]:
    return st.fixed_dictionaries({name: rows_of(name, size if name == "visit" else 4) for name in COLUMNS})


# --- relations ---


def table(name: str) -> Table:
    """A table with new versions of its columns, and its unit hidden behind them."""
    columns = tuple(Column(column, facts) for column, facts in COLUMNS[name].items())
    if name == "clinic":
        return Table(name, columns, None)
    unit = Column("pid", Facts(Type.INTEGER))
    return Table(name, (*columns, unit), Owner((unit,), LIMITS))


def renewed(relation: Relation) -> tuple[tuple[tuple[Column, Column], ...], Owner | None]:
    pairs = tuple((Column(column.name, column.facts), column) for column in relation.columns)
    return pairs, owner_after(relation, {old: new for new, old in pairs})


def owner_after(relation: Relation, new: Mapping[Column, Column]) -> Owner | None:
    owner = relation.owner
    return None if owner is None else Owner(tuple(new[column] for column in owner.unit), owner.limits)


def visible(relation: Relation) -> list[Column]:
    unit = relation.owner.unit if relation.owner is not None else ()
    return [column for column in relation.columns if column not in unit]


def of_type(relation: Relation, *types: Type) -> list[Column]:
    return [column for column in visible(relation) if column.facts.type in types]


@st.composite
def numbers(draw: st.DrawFn, relation: Relation) -> Expression:  # noqa: PLR0911 - one return for each kind
    """A number made of the columns of a relation."""
    columns = of_type(relation, Type.INTEGER, Type.REAL)
    if not columns:
        return Literal(1, Type.INTEGER)
    one, other = (Reference(draw(st.sampled_from(columns))) for _ in range(2))
    half = Literal(0.5, Type.REAL)
    match draw(st.sampled_from(["self", "self", "self", "add", "multiply", "divide", "case", "ln", "round", "clip"])):
        case "add" | "multiply" | "divide" as function:
            return call(function, one, other)
        case "case":
            return call("case", call("gt", one, half), other, Literal(None, Type.REAL))
        case "ln":
            return call("ln", one)
        case "round":
            return call("round", one, Literal(0, Type.INTEGER))
        case "clip":
            return call("clip", one, Literal(-1, Type.INTEGER), Literal(3, Type.INTEGER))
        case _:
            return one


@st.composite
def conditions(draw: st.DrawFn, relation: Relation) -> Expression:
    number = draw(numbers(relation))
    options = [
        call("gt", number, Literal(1, Type.INTEGER)),
        call("le", number, Literal(2.5, Type.REAL)),
        call("not", call("is_null", number)),
    ]
    for column in of_type(relation, Type.TEXT):
        options.append(call("in", Reference(column), Literal("a", Type.TEXT), Literal("c", Type.TEXT)))
        options.append(call("like", Reference(column), Literal("_%", Type.TEXT)))
    options += [Reference(column) for column in of_type(relation, Type.BOOLEAN)]
    one = draw(st.sampled_from(options))
    if draw(st.booleans()):
        return call(draw(st.sampled_from(["and", "or"])), one, call("not", draw(st.sampled_from(options))))
    return one


def _unit_first(relation: Relation) -> list[tuple[Column, Expression]]:
    assert relation.owner is not None
    return [(Column(column.name, column.facts), Reference(column)) for column in relation.owner.unit]


def filtered(relation: Relation, condition: Expression) -> Filter:
    pairs, owner = renewed(relation)
    return Filter(relation, condition, pairs, owner)


@st.composite
def projected(draw: st.DrawFn, relation: Relation) -> Project:
    unit = _unit_first(relation)
    chosen = draw(st.lists(st.sampled_from(visible(relation)), max_size=3)) if visible(relation) else []
    expressions = [Reference(column) for column in chosen] + [draw(numbers(relation))]
    items = [(Column(f"p{n}", facts_of(item)), item) for n, item in enumerate(expressions)]
    assert relation.owner is not None
    return Project(relation, (*unit, *items), Owner(tuple(column for column, _ in unit), relation.owner.limits))


def joined(left: Relation, right: Relation, kind: JoinKind, condition: Expression | None) -> Join:
    assert left.owner is not None
    pairs: dict[Column, tuple[Column, Expression]] = {
        column: (Column(column.name, column.facts.where(nullable=True)), Reference(column))
        for column in (*left.columns, *right.columns)
    }
    if kind is JoinKind.FULL and right.owner is not None:
        for one, other in zip(left.owner.unit, right.owner.unit, strict=True):
            pairs[one] = (pairs[one][0], call("coalesce", Reference(one), Reference(other)))
    owner = Owner(tuple(pairs[column][0] for column in left.owner.unit), left.owner.limits)
    return Join(left, right, kind, condition, right.owner is not None, tuple(pairs.values()), owner)


@st.composite
def with_public(draw: st.DrawFn, relation: Relation) -> Relation:
    clinic = table("clinic")
    texts = of_type(relation, Type.TEXT)
    kind = draw(st.sampled_from([JoinKind.INNER, JoinKind.LEFT, JoinKind.CROSS]))
    if not texts or kind is JoinKind.CROSS:
        return joined(relation, clinic, JoinKind.CROSS, None)
    condition = call("eq", Reference(draw(st.sampled_from(texts))), Reference(clinic.columns[0]))
    return joined(relation, clinic, kind, condition)


@st.composite
def with_same_unit(draw: st.DrawFn, relation: Relation) -> Relation:
    other = table(draw(st.sampled_from(["visit", "person", "item"])))
    kind = draw(st.sampled_from([JoinKind.INNER, JoinKind.LEFT, JoinKind.FULL, JoinKind.CROSS]))
    numbers_ = (of_type(relation, Type.INTEGER), of_type(other, Type.INTEGER))
    condition = None
    if all(numbers_) and kind is not JoinKind.CROSS and draw(st.booleans()):
        condition = call("le", *(Reference(draw(st.sampled_from(columns))) for columns in numbers_))
    return joined(relation, other, kind, condition)


def united(relation: Relation) -> Relation:
    """A relation and a filtered version of itself, one after the other."""
    again = filtered(relation, Literal(value=True, type=Type.BOOLEAN))
    columns = tuple(Column(column.name, column.facts) for column in relation.columns)
    return Union((relation, again), columns, owner_after(relation, dict(zip(relation.columns, columns, strict=True))))


AGGREGATES = [  # quantiles are compared elsewhere: Spark has none within a unit
    function for function, rule in RULES.items() if function is not Function.QUANTILE and not rule.ordered
]


@st.composite
def aggregations(draw: st.DrawFn, relation: Relation) -> tuple[Column, Aggregation]:
    return draw(aggregations_of(relation, draw(st.sampled_from(AGGREGATES))))


@st.composite
def aggregations_of(draw: st.DrawFn, relation: Relation, function: Function) -> tuple[Column, Aggregation]:
    """An aggregate of whatever its rule takes."""
    rule = RULES[function]
    taken = [draw(numbers(relation) if Type.INTEGER in types else conditions(relation)) for types in rule.takes]
    first, second = (*taken, None, None)[:2]
    condition = None if rule.ordered else draw(st.none() | conditions(relation))
    wanted = Aggregation(function, first, condition, sample=draw(st.booleans()), second=second)
    return Column("agg", Facts(rule.exact_facts(wanted, None)[0].type)), wanted


@st.composite
def grouped(draw: st.DrawFn, relation: Relation) -> Group:
    unit = _unit_first(relation)
    texts = of_type(relation, Type.TEXT, Type.BOOLEAN)
    keys = list(unit)
    if draw(st.booleans()) and texts:
        column = draw(st.sampled_from(texts))
        keys.append((Column(column.name, column.facts), Reference(column)))
    items = tuple(draw(st.lists(aggregations(relation), min_size=1, max_size=2)))
    assert relation.owner is not None
    return Group(relation, tuple(keys), items, Owner(tuple(column for column, _ in unit), relation.owner.limits))


@st.composite
def windowed(draw: st.DrawFn, relation: Relation) -> Window:
    assert relation.owner is not None
    pairs, owner = renewed(relation)
    partition: list[Expression] = [Reference(column) for column in relation.owner.unit]
    texts = of_type(relation, Type.TEXT)
    if draw(st.booleans()) and texts:
        partition.append(Reference(draw(st.sampled_from(texts))))
    order = ((draw(numbers(relation)), draw(st.booleans())),) if draw(st.booleans()) else ()
    ranked: bool = draw(st.booleans())
    if ranked:
        ranking = draw(st.sampled_from(list(Ranking)))
        argument = draw(numbers(relation)) if ranking in {Ranking.LAG, Ranking.LEAD} else None
        item = Column("w", Facts(Type.INTEGER) if argument is None else facts_of(argument))
        return Window(relation, item, ranking, argument, tuple(partition), order, pairs, owner)
    able = [each for each in AGGREGATES if RULES[each].windows and each is not Function.COUNT_DISTINCT]
    chosen = draw(st.sampled_from([*able, Function.FIRST] if order else able))
    item, wanted = draw(aggregations_of(relation, chosen))
    return Window(relation, item, wanted, None, tuple(partition), order, pairs, owner)


@st.composite
def relations(draw: st.DrawFn, depth: int = 2) -> Relation:
    """An owned relation."""
    relation: Relation = table(draw(st.sampled_from(["visit", "visit", "person", "item"])))
    for _ in range(draw(st.integers(0, depth))):
        match draw(st.sampled_from(["filter", "project", "public", "same", "union", "group", "window"])):
            case "filter":
                relation = filtered(relation, draw(conditions(relation)))
            case "project":
                relation = draw(projected(relation))
            case "public":
                relation = draw(with_public(relation))
            case "same":
                relation = draw(with_same_unit(relation))
            case "union":
                relation = united(relation)
            case "group":
                relation = draw(grouped(relation))
            case _:
                relation = draw(windowed(relation))
    return relation


# --- requests ---

LATTICES = (
    Span.between(Fraction(-5), Fraction(10), whole=False),
    Span.between(Fraction(0), Fraction(100), whole=True),
    Span(Fraction(1), -3, 4),
    Span(Fraction(1), -9, -2),
    Span(Fraction(1, 3), -7, 9),
    Span(Fraction(1), 2**59, 2**59 + 5),
    Span(Fraction(1), -(2**31), 2**31),
)
SQUARES = (Span.between(Fraction(-5), Fraction(10), whole=False, most=SQUARE_STEPS), Span(Fraction(1), -2, 3))
SUMMED = (Shape.ROWS, Shape.UNITS, Shape.SUM, Shape.MEAN, Shape.SPREAD, Shape.PRODUCTS, Shape.DISTINCT)


@st.composite
def measures(draw: st.DrawFn, relation: Relation, shapes: Sequence[Shape] = SUMMED) -> Measure:
    shape = draw(st.sampled_from(list(shapes)))
    condition = draw(st.none() | conditions(relation))
    if shape is Shape.UNITS:
        return Measure(shape, None, condition)
    if shape is Shape.DISTINCT:
        columns = of_type(relation, Type.TEXT, Type.INTEGER, Type.BOOLEAN)
        argument = Reference(draw(st.sampled_from(columns))) if columns else Literal(1, Type.INTEGER)
        return Measure(shape, argument, condition)
    if shape is Shape.ROWS and draw(st.booleans()):
        return Measure(shape, None, condition)
    span = draw(st.sampled_from(SQUARES if shape in {Shape.SPREAD, Shape.PRODUCTS} else LATTICES))
    if shape is Shape.PRODUCTS:
        other = draw(st.sampled_from(SQUARES))
        return Measure(shape, draw(numbers(relation)), condition, span, draw(numbers(relation)), other)
    return Measure(shape, draw(numbers(relation)), condition, span)


@st.composite
def keys_of(draw: st.DrawFn, relation: Relation) -> tuple[Key, ...]:
    columns = of_type(relation, Type.TEXT, Type.BOOLEAN, Type.INTEGER)
    chosen = draw(st.lists(st.sampled_from(columns), max_size=2, unique=True)) if columns else []
    keys = []
    for column in chosen:
        domain: tuple[Value, ...] | None = None
        if draw(st.booleans()):
            domain = {
                Type.TEXT: ("a", "b", "é'\"\\", None),
                Type.BOOLEAN: (True, None),
                Type.INTEGER: (1, 7, 2**62),
            }[column.facts.type]
        keys.append(Key(Column(column.name, column.facts), Reference(column), domain))
    return tuple(keys)


LIMIT = st.builds(Limits, rows_per_unit=st.integers(1, 4)) | st.builds(
    lambda groups, rows: Limits(groups_per_unit=groups, rows_per_group=rows), st.integers(1, 3), st.integers(1, 3)
)


@st.composite
def requests(draw: st.DrawFn, *, ranks: bool = False, depth: int = 1) -> Bounded:
    source = draw(relations(depth))
    keys = draw(keys_of(source))
    limits = draw(LIMIT)
    private = any(key.domain is None for key in keys)
    if ranks:
        chosen: tuple[Measure, ...] = (draw(measures(source, (Shape.RANKS,))),)
    else:
        chosen = tuple(draw(st.lists(measures(source), min_size=1, max_size=3, unique=True)))
    units = any(measure.shape is Shape.UNITS for measure in chosen)
    cap = bool(keys) and (limits.groups_per_unit is not None or private or units or draw(st.booleans()))
    sample = all(measure.shape is not Shape.DISTINCT for measure in chosen) and draw(st.booleans())
    return Bounded(source, keys, limits, chosen, cap_groups=cap, sample=sample)
