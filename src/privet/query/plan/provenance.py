"""Provenance: what is remembered about column versions beside their facts, while a plan is made."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from privet.query.plan.limits import ROWS_JOINED
from privet.query.scalars.expressions import Column, Expression, Reference, columns_in, facts_of
from privet.query.scalars.facts import Facts

if TYPE_CHECKING:
    from privet.query.plan.relations import Relation


@dataclass
class Marks:
    """What the making of a plan needs to know about columns.

    Args:
        places: "table.column" of versions that hold a column of the catalog as it is, for messages.
        from_unit: versions made from the unit's own column.
        unit_or_null: versions that hold the unit, or NULL where an outer join found no partner.
        unique: versions in which no value occurs twice, or so it is declared.
        constant: versions that have one value for all rows: the number of their scalar subquery.
        kept: versions of columns of public tables whose rows a join keeps, partner or not.
        partnered: versions of the unit's column after such a join: rows without a partner have none, and do not count.
        single: stages that have one row.
        one_each: private tables that have one row for each unit, or so it is declared.
        joined_rows: how many rows of a unit may be joined, by private table.
        rows_joined: the same where no table says so.
        scans: how many tables each relation reads.
    """

    places: dict[Column, str] = field(default_factory=dict)
    from_unit: set[Column] = field(default_factory=set)
    unit_or_null: set[Column] = field(default_factory=set)
    unique: set[Column] = field(default_factory=set)
    constant: dict[Column, int] = field(default_factory=dict)
    kept: set[Column] = field(default_factory=set)
    partnered: set[Column] = field(default_factory=set)
    single: set[str] = field(default_factory=set)
    one_each: frozenset[str] = frozenset()
    joined_rows: Mapping[str, int] = field(default_factory=dict)
    rows_joined: int = ROWS_JOINED
    scans: "dict[Relation, int]" = field(default_factory=dict)

    def renewed(self, old: Column, facts: Facts | None = None, *, name: str | None = None) -> Column:
        """A new version of a column: the same values, perhaps fewer or with NULLs."""
        new = Column(name or old.name, facts or old.facts)
        if old in self.places:
            self.places[new] = self.places[old]
        if old in self.constant:
            self.constant[new] = self.constant[old]
        for marked in (self.from_unit, self.unit_or_null, self.unique, self.kept, self.partnered):
            if old in marked:
                marked.add(new)
        return new

    def computed(self, name: str, expression: Expression) -> Column:
        """A new column that holds the value of an expression."""
        if isinstance(expression, Reference):
            return self.renewed(expression.column, name=name)
        new = Column(name, facts_of(expression))
        read = columns_in(expression)
        if read & self.from_unit:
            self.from_unit.add(new)
        if read & self.kept:
            self.kept.add(new)
        return new

    def joined(self, new: Column) -> None:
        """After a join values may repeat."""
        self.unique.discard(new)
