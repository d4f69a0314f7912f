"""A plan that could mix units is caught, whoever made it."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from privet.query.functions import call
from privet.query.plan.limits import ONE_ROW
from privet.query.plan.relations import (
    Filter,
    Group,
    Join,
    JoinKind,
    Owner,
    Project,
    Relation,
    Released,
    Table,
    Union,
    Window,
)
from privet.query.plan.statement import Aggregate, Output, Stage, Statement
from privet.query.plan.unit_local import NotUnitLocal, check_unit_local
from privet.query.plan.window_frame import Frame
from privet.query.scalars.expressions import Call, Column, Expression, Literal, Reference
from privet.query.scalars.facts import Facts, Type
from privet.query.sql import read
from tests.support.hospital import HOSPITAL, public_values

Kind = TypeVar("Kind")


def sample(kind: type[Kind], text: str) -> Kind:
    """The first node of a kind in a statement."""
    node: object = read(text, HOSPITAL, values=public_values).stages[-1].source
    while not isinstance(node, kind):
        node = node.source  # type: ignore[attr-defined] # it is there
    return node


def statement(source: Relation) -> Statement:
    """COUNT(*) over a relation."""
    return Statement("", (Stage("answer", Aggregate(source, (), (), ONE_ROW), Output(())),))


VISIT = sample(Table, "SELECT COUNT(*) FROM visit")
FILTER = sample(Filter, "SELECT COUNT(*) FROM visit WHERE cost > 3")
PROJECT = sample(Project, "SELECT COUNT(x) FROM (SELECT cost AS x FROM visit)")
JOIN = sample(Join, "SELECT COUNT(*) FROM patient p JOIN visit v ON p.pid = v.pid")
FULL = sample(Join, "SELECT COUNT(*) FROM patient p FULL JOIN visit v ON p.pid = v.pid")
PUBLIC = sample(Join, "SELECT COUNT(*) FROM visit v JOIN clinic c ON v.clinic = c.clinic")
UNION = sample(Union, "SELECT COUNT(*) FROM (SELECT pid, cost FROM visit UNION ALL SELECT pid, age FROM patient)")
GROUP = sample(Group, "SELECT COUNT(*) FROM (SELECT pid, COUNT(*) AS n FROM visit GROUP BY pid)")
WINDOW = sample(
    Window, "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY pid ORDER BY day) AS k FROM visit)"
)
STRANGER = Column("pid", Facts(Type.INTEGER, nullable=False))


def owner(relation: Relation) -> Owner:
    assert relation.owner is not None
    return relation.owner


def without_unit(relation: Project) -> Project:
    items = tuple(item for item in relation.items if item[0] not in owner(relation).unit)
    return replace(relation, items=items)


def other_unit(relation: Project) -> Project:
    """The unit taken from another column."""
    wrong: Expression = Reference(next(c for c in relation.source.columns if c not in owner(relation.source).unit))
    items = tuple((c, wrong if c in owner(relation).unit else e) for c, e in relation.items)
    return replace(relation, items=items)


def changed_unit(relation: Project) -> Project:
    """The unit computed from the unit."""
    unit = owner(relation.source).unit[0]
    wrong = call("cast_integer", call("add", Reference(unit), Literal(1, Type.INTEGER)))
    items = tuple((c, wrong if c in owner(relation).unit else e) for c, e in relation.items)
    return replace(relation, items=items)


def first_side(relation: Join) -> Join:
    """A full join that knows the unit of one side only."""
    items = tuple(
        (c, Reference(owner(relation.left).unit[0]) if c in owner(relation).unit else e) for c, e in relation.items
    )
    return replace(relation, items=items)


def neither_side(relation: Join) -> Join:
    """A full join whose unit is NULL where both sides have it."""
    items = tuple(
        (c, call("nullif", *e.arguments) if c in owner(relation).unit and isinstance(e, Call) else e)
        for c, e in relation.items
    )
    return replace(relation, items=items)


def with_public(relation: Union) -> Union:
    """A union whose second part has the same columns, and no owner."""
    part = relation.sources[1]
    items = tuple((column, Literal(None, column.facts.type)) for column in part.columns)
    return replace(relation, sources=(relation.sources[0], Project(PUBLIC.right, items, None)))


BROKEN: dict[str, Callable[[], Relation]] = {
    "a unit lost": lambda: without_unit(PROJECT),
    "another unit": lambda: other_unit(PROJECT),
    "a changed unit": lambda: changed_unit(PROJECT),
    "a unit from elsewhere": lambda: replace(FILTER, owner=Owner((STRANGER,), owner(FILTER).limits)),
    "an owner forgotten": lambda: replace(FILTER, owner=None),
    "a condition on another table": lambda: replace(FILTER, condition=call("is_null", Reference(STRANGER))),
    "a join without the unit": lambda: replace(JOIN, same_unit=False),
    "a join that claims the unit": lambda: replace(PUBLIC, same_unit=True),
    "a public side kept": lambda: replace(PUBLIC, kind=JoinKind.FULL),
    "a full join of one side": lambda: first_side(FULL),
    "a full join of neither side": lambda: neither_side(FULL),
    "a relation joined with itself": lambda: replace(JOIN, right=JOIN.left),
    "a union with public rows": lambda: replace(UNION, sources=(UNION.sources[0], PUBLIC.right)),
    "a union with rows of nobody": lambda: with_public(UNION),
    "a union of other columns": lambda: replace(UNION, sources=(UNION.sources[0], VISIT)),
    "a group without the unit": lambda: replace(GROUP, keys=()),
    "a window without the unit": lambda: replace(WINDOW, partition=()),
    "a frame of rows in no order": lambda: replace(WINDOW, order=(), frame=Frame(-1, 0)),
    "a window that looks nowhere": lambda: replace(WINDOW, number=-1),
    "a later stage": lambda: replace(PUBLIC, right=Released("later", PUBLIC.right.columns)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_plans_are_caught(name: str) -> None:
    with pytest.raises(NotUnitLocal):
        check_unit_local(statement(BROKEN[name]()))


@pytest.mark.parametrize("relation", [VISIT, FILTER, PROJECT, JOIN, FULL, PUBLIC, UNION, GROUP, WINDOW])
def test_sound_plans_pass(relation: Relation) -> None:
    check_unit_local(statement(relation))


def test_answers_show_released_columns_only() -> None:
    good = read("SELECT COUNT(*) FROM visit", HOSPITAL, values=public_values)
    stage = good.stages[0]
    row = Reference(VISIT.columns[0])
    with pytest.raises(NotUnitLocal):
        check_unit_local(Statement("", (replace(stage, output=Output(((STRANGER, row),))),)))
    with pytest.raises(NotUnitLocal):
        check_unit_local(Statement("", (Stage("answer", VISIT, Output(())),)))
