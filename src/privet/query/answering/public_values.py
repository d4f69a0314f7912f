"""PublicValues: the values of public tables, from which groups are known without the data."""

import pyarrow as pa

from privet.errors import InvalidParameter
from privet.query.answering.failed_run import unpaid
from privet.query.backends.backend import Backend
from privet.query.backends.group_keys import plain_value
from privet.query.catalog import Catalog
from privet.query.plan.relations import Group, Table
from privet.query.scalars.expressions import Column, Reference
from privet.query.scalars.facts import Value


class PublicValues:
    """Lists the distinct values of columns of public tables; each is read once."""

    def __init__(self, catalog: Catalog, backend: Backend) -> None:
        self._catalog = catalog
        self._backend = backend
        self._known: dict[tuple[str, str], tuple[Value, ...]] = {}

    def __call__(self, table: str, column: str) -> tuple[Value, ...]:
        """The values of a column, in an order made from themselves alone."""
        if (table, column) not in self._known:
            declared = self._catalog.tables[table]
            if not declared.public:
                raise InvalidParameter(f"{table} is private: its values are not listed")
            old = Column(column, declared.columns[column])
            new = Column(column, declared.columns[column])
            relation = Group(Table(table, (old,), None), ((new, Reference(old)),), (), None)
            with unpaid(), self._backend.apart() as backend:
                self._known[table, column] = _listed(backend.read(relation, {}))
        return self._known[table, column]


def _listed(table: pa.Table) -> tuple[Value, ...]:
    """The values of one column in an order made from themselves alone; dates as ISO texts."""
    found = map(plain_value, table.column(0).to_pylist())
    return tuple(sorted({value for value in found if value is not None}, key=lambda value: (str(type(value)), value)))
