"""Unit-local: a second look at a finished plan, which trusts nothing that was thought while it was made.

Every relation that is owned must be made unit by unit (docs/proofs/queries.md). This file asks each node for the one
thing its case of the proof needs, and that every expression reads columns of its own source.
"""

from collections.abc import Iterable

from privet.query.plan.aggregation import Aggregation
from privet.query.plan.relations import (
    Few,
    Filter,
    Group,
    Join,
    JoinKind,
    Project,
    Relation,
    Released,
    Table,
    Union,
    Window,
    sources,
)
from privet.query.plan.statement import Aggregate, Output, Statement
from privet.query.scalars.expressions import Call, Column, Expression, Reference, columns_in


class NotUnitLocal(AssertionError):  # noqa: N818 - named for what is wrong
    """A plan breaks the invariant: a mistake of Privet's, caught before anything is read."""


def _require(holds: bool, what: str) -> None:  # noqa: FBT001 - a check
    if not holds:
        raise NotUnitLocal(f"the plan was made wrongly and is not run: {what}")


def check_unit_local(statement: Statement) -> None:
    """Raises if some node of a statement could mix units, or an answer could show more than was released."""
    earlier: set[str] = set()
    for stage in statement.stages:
        source = stage.source
        if isinstance(source, Aggregate):
            _private(source, earlier)
            released = (*(key.column for key in source.keys), *(column for column, _ in source.items))
        else:
            _relation(source, earlier)
            _require(source.owner is None, "an answer that shows rows of units")
            released = source.columns
        _shown(stage.output, released)
        earlier.add(stage.name)


def check_search(bins: Aggregate, statement: Statement) -> None:
    """Raises if what is counted to find a limit of a statement could mix units."""
    _require(not bins.searches and not bins.selects, "limits are searched without end")
    _private(bins, {stage.name for stage in statement.stages})


def _shown(output: Output, released: tuple[Column, ...]) -> None:
    """HAVING and windows read what is released, and all else that and the windows."""
    condition = () if output.condition is None else (output.condition,)
    windows = [column for window in output.windows for column in window[1].columns]
    _reads((*condition, *map(Reference, windows)), released)
    qualify = () if output.qualify is None else (output.qualify,)
    shown = (*(each for _, each in output.items), *qualify, *(each for each, _ in output.order))
    _reads(shown, (*released, *(column for column, _ in output.windows)))


def _private(aggregate: Aggregate, earlier: set[str]) -> None:
    """A private aggregate, and the searches for its bounds."""
    source = aggregate.source
    _relation(source, earlier)
    _require(source.owner is not None, "a private aggregate of public rows")
    _reads((key.expression for key in aggregate.keys), source.columns)
    _aggregations((item for _, item in aggregate.items), source.columns)
    for search in aggregate.searches:
        for step in search.steps:
            _require(not step.searches and not step.selects, "bounds are searched without end")
            _private(step, earlier)


def _reads(expressions: Iterable[Expression], columns: tuple[Column, ...]) -> None:
    known = set(columns)
    _require(all(columns_in(expression) <= known for expression in expressions), "a column of elsewhere is read")


def _aggregations(items: Iterable[Aggregation], columns: tuple[Column, ...]) -> None:
    for item in items:
        _reads(item.parts, columns)


def _relation(relation: Relation, earlier: set[str]) -> None:  # noqa: C901 - one branch for each node
    """One node and those below it."""
    for source in sources(relation):
        _relation(source, earlier)
    columns = relation.columns
    _require(len(set(columns)) == len(columns), "a column occurs twice")
    if relation.owner is not None:
        _require(bool(relation.owner.unit) and set(relation.owner.unit) <= set(columns), "a unit was lost")
    if not isinstance(relation, Table):
        owned = any(source.owner is not None for source in sources(relation))
        _require((relation.owner is not None) == owned, "rows changed their owner")
    if isinstance(relation, Released):
        _require(relation.stage in earlier, "a later stage is read")
    elif isinstance(relation, Filter):
        _reads([relation.condition], relation.source.columns)
        _same_unit(relation, dict(relation.renewed))
    elif isinstance(relation, Project):
        _reads((expression for _, expression in relation.items), relation.source.columns)
        _same_unit(relation, _plain(relation.items))
    elif isinstance(relation, Join):
        _join(relation)
    elif isinstance(relation, Union):
        _union(relation)
    elif isinstance(relation, Group):
        _reads((expression for _, expression in relation.keys), relation.source.columns)
        _aggregations((item for _, item in relation.items), relation.source.columns)
        _same_unit(relation, _plain(relation.keys))
    elif isinstance(relation, Window):
        _window(relation)
    elif isinstance(relation, Few):
        _require(relation.owner is relation.source.owner, "the unit is not the source's")
        _require(relation.owner is not None and relation.rows > 0, "rows are left out of public tables")


def _plain(items: tuple[tuple[Column, Expression], ...]) -> dict[Column, Column]:
    """New columns that hold an old one as it is."""
    return {column: expression.column for column, expression in items if isinstance(expression, Reference)}


def _same_unit(relation: Filter | Project | Group | Window, old: dict[Column, Column]) -> None:
    """The unit of a row is the unit of the rows it was made from."""
    if relation.owner is not None and relation.source.owner is not None:
        unit = tuple(old.get(column) for column in relation.owner.unit)
        _require(unit == relation.source.owner.unit, "the unit is not the source's")


def _window(relation: Window) -> None:
    source = relation.source
    argument = () if relation.argument is None else (relation.argument,)
    _reads((*argument, *relation.partition, *(key for key, _ in relation.order)), source.columns)
    if isinstance(relation.function, Aggregation):
        _aggregations([relation.function], source.columns)
    _same_unit(relation, dict(relation.renewed))
    _counted(relation)
    if source.owner is not None:
        inside = all(Reference(column) in relation.partition for column in source.owner.unit)
        _require(inside, "a window reaches over units")


def _counted(relation: Window) -> None:
    """Rows are counted away from the one at hand in an order, and a literal number of them."""
    ordered = relation.frame is None or bool(relation.order)
    _require(ordered and relation.number >= 0, "a window counts rows that are in no order")


def _union(relation: Union) -> None:
    owners = [source.owner for source in relation.sources]
    _require(len({owner is None for owner in owners}) == 1, "a union of owned and public rows")
    for source in relation.sources:
        _require(len(source.columns) == len(relation.columns), "a union of different columns")
        types = [(old.facts.type, new.facts.type) for old, new in zip(source.columns, relation.columns, strict=True)]
        _require(all(old is new for old, new in types), "a union of different types")
        if relation.owner is not None and source.owner is not None:
            places = [relation.columns.index(column) for column in relation.owner.unit]
            unit = tuple(source.columns[place] for place in places)
            _require(unit == source.owner.unit, "a union of different units")


def _join(relation: Join) -> None:
    left, right = relation.left, relation.right
    both = (*left.columns, *right.columns)
    _require(len(set(both)) == len(both), "a relation is joined with itself")
    condition = () if relation.condition is None else (relation.condition,)
    _reads((*(expression for _, expression in relation.items), *condition), both)
    owned = left.owner is not None and right.owner is not None
    _require(relation.same_unit == owned, "rows of different units are paired")
    if relation.owner is None:
        return
    made = dict(relation.items)
    unit = tuple(made[column] for column in relation.owner.unit)
    if left.owner is not None and right.owner is not None:
        _require(len(left.owner.unit) == len(right.owner.unit), "units of different kinds are paired")
        types = [(a.facts.type, b.facts.type) for a, b in zip(left.owner.unit, right.owner.unit, strict=True)]
        _require(all(a is b for a, b in types), "units of different types are paired")
        if relation.kind is JoinKind.FULL:
            pairs = zip(left.owner.unit, right.owner.unit, strict=True)
            wanted = [("coalesce", (Reference(a), Reference(b))) for a, b in pairs]
            made_of = [(part.function, part.arguments) for part in unit if isinstance(part, Call)]
            _require(made_of == wanted, "a unit was lost")
            return
        _require(unit == tuple(map(Reference, left.owner.unit)), "the unit is not the left one's")
        return
    side = left if left.owner is not None else right
    kept = {JoinKind.INNER, JoinKind.CROSS, *((JoinKind.LEFT,) if side is left else ())}
    _require(relation.kind in kept, "public rows without an owner are kept")
    assert side.owner is not None  # noqa: S101 - one side is owned
    _require(unit == tuple(map(Reference, side.owner.unit)), "the unit is not the owned side's")
