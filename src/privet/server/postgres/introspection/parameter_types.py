"""ParameterTypes: what $1, $2, … of a question are, told by what they are compared with; no value is seen."""

from collections.abc import Mapping

import sqlglot
from sqlglot import exp

from privet.query.catalog import Catalog
from privet.query.scalars.facts import Type
from privet.query.sql.parsing import Usual
from privet.server.postgres.introspection.rewriting import LONGEST, UNREADABLE
from privet.server.postgres.wire_types import BOOL, DATE, FLOAT8, INT8, TEXT, TIMESTAMP

MOST = 1_000  # parameters
OIDS: Mapping[Type, int] = {
    Type.BOOLEAN: BOOL,
    Type.INTEGER: INT8,
    Type.REAL: FLOAT8,
    Type.TEXT: TEXT,
    Type.DATE: DATE,
    Type.TIMESTAMP: TIMESTAMP,
}
CASTS: Mapping[exp.DType, int] = {
    exp.DType.BOOLEAN: BOOL,
    exp.DType.DATE: DATE,
    exp.DType.TIMESTAMP: TIMESTAMP,
    exp.DType.DOUBLE: FLOAT8,
    exp.DType.FLOAT: FLOAT8,
    exp.DType.DECIMAL: FLOAT8,
    **dict.fromkeys((exp.DType.INT, exp.DType.BIGINT, exp.DType.SMALLINT), INT8),
}
COMPARED = (exp.Binary, exp.Between, exp.In)


def question_parameters(text: str, catalog: Catalog) -> list[int]:
    """The numbers of the types of a question's parameters; text where nothing tells."""
    if "$" not in text or len(text) > LONGEST:
        return []
    try:
        tree = sqlglot.parse_one(text, dialect=Usual)
        columns = _columns(catalog)
        found: dict[int, int] = {}
        for node in tree.find_all(exp.Parameter, exp.Placeholder):
            if node.name.isdecimal() and 0 < int(node.name) <= MOST:
                found[int(node.name)] = _oid(node, columns) or found.get(int(node.name), 0)
    except UNREADABLE:  # whoever reads the question says why
        return []
    return [found.get(place) or TEXT for place in range(1, max(found, default=0) + 1)]


def _columns(catalog: Catalog) -> dict[str, int]:
    """The type of each name; 0 if columns of that name differ."""
    found: dict[str, int] = {}
    for table in catalog.tables.values():
        for name, facts in table.columns.items():
            oid = OIDS[facts.type]
            found[name.lower()] = oid if found.get(name.lower(), oid) == oid else 0
    return found


def _oid(node: exp.Expr, columns: Mapping[str, int]) -> int:
    parent = node.parent
    while isinstance(parent, exp.Paren | exp.Neg):
        parent = parent.parent
    if isinstance(parent, exp.Cast):
        return CASTS.get(parent.to.this, TEXT)
    if isinstance(parent, exp.Limit | exp.Offset):
        return INT8
    if not isinstance(parent, COMPARED):
        return 0
    return max((_of(other, columns) for other in parent.iter_expressions() if other is not node), default=0)


def _of(node: exp.Expr, columns: Mapping[str, int]) -> int:  # noqa: PLR0911 - one return for each kind
    match node:
        case exp.Column():
            return columns.get(node.name.lower(), 0)
        case exp.Count():
            return INT8
        case exp.AggFunc() if isinstance(node, exp.Sum | exp.Avg):
            return FLOAT8
        case exp.Literal():
            return TEXT if node.is_string else INT8 if node.is_int else FLOAT8
        case exp.Boolean():
            return BOOL
        case exp.Cast():
            return CASTS.get(node.to.this, TEXT)
        case exp.Paren() | exp.Neg() | exp.Binary() | exp.Min() | exp.Max():
            return max((_of(each, columns) for each in node.iter_expressions()), default=0)
    return 0
