"""Context: what all parts of one statement share while it is read."""

from dataclasses import dataclass, field

from privet.query.catalog import Catalog, DeclaredTable
from privet.query.plan.domain import Lister
from privet.query.plan.provenance import Marks
from privet.query.plan.relations import Relation, Released
from privet.query.plan.statement import Aggregate, Output, Stage
from privet.query.sql.name_scope import NameScope
from privet.query.sql.names import same

LAST = "answer"


@dataclass
class Context:
    """One statement at work.

    Args:
        catalog: the owner's declarations.
        values: lists the distinct values of a public table's column.
        marks: of columns.
        stages: made so far, in order.
        single: names of stages that have exactly one row.
        scalars: subqueries used as values, by the number in `marks.constant`.
        automatic: whether bounds that are missing will be searched for.
    """

    catalog: Catalog
    values: Lister
    marks: Marks = field(default_factory=Marks)
    stages: list[Stage] = field(default_factory=list)
    single: set[str] = field(default_factory=set)
    scalars: list[NameScope] = field(default_factory=list)
    automatic: bool = False

    def __post_init__(self) -> None:
        private = {name: table for name, table in self.catalog.tables.items() if not table.public}
        each = self.catalog.row_level
        self.marks.one_each = frozenset(
            name for name, t in private.items() if each or (not t.unit_path and t.unit_column in t.unique)
        )
        self.marks.joined_rows = {name: table.rows_joined_per_unit for name, table in private.items()}

    def declared(self, table: str) -> DeclaredTable:
        """A table of the catalog."""
        return self.catalog.tables[table]

    def stage(self, source: Aggregate | Relation, output: Output, *, name: str, single: bool) -> Released:
        """Adds a stage; its answer is a public table for those that follow."""
        free = name if name != LAST and not self._taken(name) else f"{name}_{len(self.stages) + 1}"
        while self._taken(free):
            free += "_"
        self.stages.append(Stage(free, source, output))
        if single:
            self.single.add(free)
            self.marks.single.add(free)
        return Released(free, tuple(self.marks.renewed(column) for column, _ in output.items))

    def _taken(self, name: str) -> bool:
        return any(same(stage.name, name) for stage in self.stages) or any(same(t, name) for t in self.catalog.tables)

    @property
    def unit_name(self) -> str:
        """The unit's column, for messages."""
        for table in self.catalog.tables.values():
            if table.unit_column is not None and not table.public:
                return table.unit_column
        return self.catalog.unit.name
