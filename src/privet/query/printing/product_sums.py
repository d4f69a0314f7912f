# ruff: noqa: S608 - SQL is printed from typed nodes, never from the text of an analyst
"""Product sums: all sums of products of two columns of an owned relation, in one statement.

    whole    rows in which every column has a value, each a whole number from -steps to steps around the middle
    heavy    units with more rows than count, and the weight of each of their rows, in parts    (unless rows are units)
    last     the weighted number of rows, and the sums of all columns and of all products of two, row by row of the
             upper triangle of Σ v v' with v = (steps, z1, …)

Nothing overflows: a number is at most 2^15, so a product times PART is at most 2^50, and sums are as wide as needed.
"""

from itertools import combinations_with_replacement

from privet.errors import InvalidParameter
from privet.query.measures.request import PART, Bounded
from privet.query.plan.relations import Filter, Project, Table
from privet.query.printing.catalog_tables import OnlyRows
from privet.query.printing.dialect import Dialect
from privet.query.printing.placed_rows import PlacedRows
from privet.query.printing.table_locations import Sources
from privet.query.scalars.expressions import Expression, Reference
from privet.query.scalars.facts import Type

MOST_STEPS = 1 << 15


def print_product_sums(request: Bounded, dialect: Dialect, sources: Sources) -> str:
    """The statement for a request of several measures of real numbers with one number of steps, without keys.

    Its columns are the numbers of the triangle, in parts of a row: PART stands for a row that counts as a whole.
    """
    owner = request.source.owner
    steps = {measure.span.steps for measure in request.measures}
    if owner is None or request.keys or len(steps) != 1 or max(steps) > MOST_STEPS:
        raise InvalidParameter("product sums need an owned relation and columns of one number of steps, at most 2^15")
    context = PlacedRows(request, owner, dialect, sources)
    context.chain.only = _only(request, unnumbered=sources.catalog.row_level)
    rows = context.rows()
    if not context.chain.only.unnumbered and not context.chain.steady:
        raise InvalidParameter("rows that may differ when they are read twice cannot be weighed: choose a simpler FROM")
    places = context.places()
    size = steps.pop()
    number = dialect.literal(size, Type.INTEGER)
    names = [f"z{place}" for place, _ in enumerate(places, 1)]
    centered = [f"2 * {place} - {number} AS {name}" for place, name in zip(places, names, strict=True)]
    there = " AND ".join(f"{place} IS NOT NULL" for place in places)
    context.chain.append("whole", f"SELECT {', '.join([*context.unit, *centered])} FROM {rows} WHERE {there}")
    source, weight = _weighed(context)
    cells = [f"{first} * {second}" for first, second in combinations_with_replacement([number, *names], 2)]
    part = dialect.literal(PART, Type.INTEGER)
    if weight is None:
        sums = [f"{dialect.added(cell, size * size)} * {part}" for cell in cells]
    else:
        share = f"CASE WHEN {weight} IS NULL THEN {part} ELSE {weight} END"
        sums = [dialect.added(f"{cell} * {share}", size * size * PART) for cell in cells]
    return f"{context.chain.text()}\nSELECT {', '.join(sums)} FROM {source}"


def _only(request: Bounded, *, unnumbered: bool) -> OnlyRows:
    """What of a table matters, where rows are those of one table, perhaps filtered, and columns are its own."""
    relation = request.source
    columns = {each.argument for each in request.measures}
    while isinstance(relation, Filter | Project):
        made = (
            relation.items
            if isinstance(relation, Project)
            else tuple((new, Reference(old)) for new, old in relation.renewed)
        )
        before: dict[Expression | None, Expression] = {Reference(new): expression for new, expression in made}
        columns = {before.get(each) for each in columns}
        relation = relation.source
    if not isinstance(relation, Table):
        return OnlyRows()
    return OnlyRows(frozenset(each.column for each in columns if isinstance(each, Reference)), unnumbered)


def _weighed(context: PlacedRows) -> tuple[str, str | None]:
    """The rows that are added up, and their weight, which is NULL where a row counts as a whole."""
    if context.chain.only.unnumbered:  # rows of one table that are each a unit: none has two
        return "whole", None
    dialect = context.dialect
    unit = ", ".join(context.unit)
    most = context.whole(context.cap * PART)
    weight = dialect.quotient(most, "COUNT(*)")
    counted = context.counted("whole")
    heavy = f"SELECT {unit}, {weight} AS weight FROM {counted} GROUP BY {unit} HAVING COUNT(*) > {context.cap}"
    context.chain.append("heavy", heavy, once=True)
    same = " AND ".join(f"whole.{name} = heavy.{name}" for name in context.unit)
    return f"whole LEFT JOIN heavy ON {same}", "heavy.weight"
