"""Tables: a table of the catalog as a relation, with the columns that tell its units apart."""

from sqlglot import exp

from privet.query.catalog import DeclaredTable
from privet.query.functions import call
from privet.query.plan.domain import listed
from privet.query.plan.relations import Owner, Project, Relation, Table
from privet.query.scalars.expressions import Column, Expression, Reference
from privet.query.scalars.facts import LONGEST_TEXT, Facts, Type
from privet.query.sql.context import Context
from privet.query.sql.name_scope import Name, NameScope
from privet.query.sql.names import matching, same, spelled
from privet.query.sql.refuse import because, refuse
from privet.wording.nearest import close

ROW = "row"  # the hidden unit of a table whose rows are the units: the engine tells rows apart


def table_scope(node: exp.Table, context: Context) -> NameScope:
    """The table a name stands for."""
    found = matching(node.this, context.catalog.tables, name=str)
    if len(found) != 1:
        known = sorted(context.catalog.tables)
        meant = close(spelled(node.this), known)
        fix = f"there are {', '.join(known[:12])}" if meant is None else f"did you mean {meant}?"
        raise refuse(node.this, "there is no such table in the catalog", fix)
    declared = context.declared(found[0])
    if declared.public:
        return _public(declared, context)
    return _private(declared, context, node)


def refuse_schema(node: exp.Table | exp.Column, context: Context) -> None:
    """Raise if a name stands in a schema of which the catalog says nothing.

    Engines call the usual schema main, public, dbo or default; a data set is called as its catalog, and a table may
    say where it is. Whatever the schema, the name means the table of the catalog.
    """
    known = {"main", "public", "dbo", "default", context.catalog.name}
    for table in context.catalog.tables.values():
        known |= set((table.location or "").split(".")[:-1])
    for word in ("db", "catalog"):
        part = node.args.get(word)
        if part is not None and not any(same(spelled(part), other) for other in known):
            raise because(node, "qualified table")


def _public(declared: DeclaredTable, context: Context) -> NameScope:
    columns = []
    for name, facts in declared.columns.items():
        column = Column(name, facts.where(origin=(declared.name, name)))
        context.marks.places[column] = f"{declared.name}.{name}"
        if name in declared.unique:
            context.marks.unique.add(column)
        columns.append(column)
    names = tuple(Name(declared.name, column.name, column) for column in columns)
    return NameScope(Table(declared.name, tuple(columns), None), names)


def _private(declared: DeclaredTable, context: Context, node: exp.Table) -> NameScope:
    facts = dict(declared.columns)
    here = declared.unit_column if not declared.unit_path and not context.catalog.row_level else None
    if here is not None:
        facts[here] = unit_facts(declared, context)
    columns = {name: Column(name, known if name == here else _cut(known)) for name, known in facts.items()}
    for name, column in columns.items():
        context.marks.places[column] = f"{declared.name}.{name}"
        if name in declared.unique:
            context.marks.unique.add(column)
    hidden: tuple[Column, ...] = ()
    if here is not None:
        unit = columns[here]
    else:
        unit = Column(ROW if context.catalog.row_level else str(declared.unit_column), unit_facts(declared, context))
        hidden = (unit,)
    if not context.catalog.row_level:
        context.marks.from_unit.add(unit)
    relation = Table(declared.name, (*columns.values(), *hidden), Owner((unit,), declared.limits))
    named = dict(columns)
    if declared.unit_path:
        named.setdefault(unit.name, unit)  # the unit can be named, also where it is in another table
    scope = NameScope(relation, tuple(Name(declared.name, name, column) for name, column in named.items()))
    return scope if context.catalog.window is None else _by_day(scope, context, node)


def _cut(facts: Facts) -> Facts:
    """Texts are cut as they are read; a unit's are not, because that would make one unit of several."""
    if facts.type is not Type.TEXT:
        return facts
    return facts.where(longest=LONGEST_TEXT if facts.longest is None else facts.longest)


def unit_facts(declared: DeclaredTable, context: Context) -> Facts:
    """What is known about the unit's column: as declared here, or where the unit's other tables declare it."""
    if context.catalog.row_level:
        return Facts(Type.INTEGER, nullable=False)
    tables = [declared, *context.catalog.tables.values()]
    if declared.unit_path:
        tables.insert(0, context.declared(declared.unit_path[-1].table))
    for table in tables:
        if not table.public and table.unit_column is not None and table.unit_column in table.columns:
            return table.columns[table.unit_column].where(
                nullable=False, low=None, high=None, longest=None
            )  # it is not clipped
    return Facts(Type.TEXT, nullable=False)


def _at_day(scope: NameScope, day: Column, context: Context) -> NameScope:
    """The table with the column of the window as part of its unit; unit columns are not clipped to bounds."""
    relation = scope.relation
    assert isinstance(relation, Table)  # noqa: S101 - just made
    assert relation.owner is not None  # noqa: S101 - of a private table
    values = listed(day.facts.where(nullable=False), values=context.values)
    whole = day.facts.type is Type.INTEGER
    facts = day.facts.where(low=None, high=None, values=values) if whole else day.facts
    renewal = {day: context.marks.renewed(day, facts.where(nullable=False))}
    columns = tuple(renewal.get(column, column) for column in relation.columns)
    owner = Owner((*relation.owner.unit, renewal[day]), relation.owner.limits)
    return scope.over(Table(relation.name, columns, owner), renewal)


def _by_day(scope: NameScope, context: Context, node: exp.Table) -> NameScope:
    """For w-event privacy a unit is a person on one day (or at one whole number)."""
    window = context.catalog.window
    assert window is not None  # noqa: S101 - asked for catalogs with a window only
    relation = scope.relation
    day = next((name.column for name in scope.names if name.name == window.column), None)
    assert relation.owner is not None  # noqa: S101 - of a private table
    if day is None:
        fix = f"declare {window.column} for this table, or make the table public"
        raise refuse(node.this, f"the table has no column {window.column}, by which the catalog protects", fix)
    if day.facts.type in {Type.DATE, Type.INTEGER}:
        return _at_day(scope, day, context)
    if day.facts.type is not Type.TIMESTAMP:
        raise because(node.this, "unknown clause")
    items: list[tuple[Column, Expression]] = [(column, Reference(column)) for column in relation.columns]
    renewal = {column: context.marks.renewed(column) for column in relation.columns}
    start = call("trunc_day", Reference(day))
    hidden = context.marks.computed(window.column, start)
    items = [*((renewal[column], expression) for column, expression in items), (hidden, start)]
    owner = Owner((*(renewal[column] for column in relation.owner.unit), hidden), relation.owner.limits)
    made: Relation = Project(relation, tuple(items), owner)
    return scope.over(made, renewal)
