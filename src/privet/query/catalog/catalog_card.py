"""What a notebook shows of a catalog: its tables and columns, and what is public about each."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from privet.display import Card, Column
from privet.query.catalog.declared_table import DeclaredTable
from privet.query.scalars.dates import iso_date
from privet.query.scalars.facts import Bound, Facts, Type

if TYPE_CHECKING:
    from privet.query.catalog.catalog import Catalog

LISTED = 6  # values of a column that are named


def catalog_card(catalog: "Catalog") -> Card:
    """A row for each column that may be named."""
    rows = [row for table in catalog.tables.values() for row in _rows(table)]
    names = ("table", "column", "type", "public about it")
    columns = tuple(Column(name, [row[place] for row in rows]) for place, name in enumerate(names))
    caps = [f"at most {promise!r} for {name}" for name, promise in catalog.analysts.items()]
    return Card(
        f"Catalog of {catalog.name}",
        columns=columns,
        lines=(
            f"protects each {catalog.unit.name}, {catalog.unit.neighbors.value}; {catalog.limit!r} for all answers",
            *caps,
        ),
    )


def _rows(table: DeclaredTable) -> Iterator[tuple[str, str, str, str]]:
    about = "public" if table.public else "private"
    for place, (name, facts) in enumerate(table.columns.items()):
        yield (
            f"{table.name} ({about})" if not place else "",
            name,
            facts.type.value,
            "says whose a row is" if name == table.unit_column and not table.unit_path else _known(facts),
        )


def _known(facts: Facts) -> str:
    """What is declared about a column, in words."""
    words = []
    if facts.values is not None:
        more = f" and {len(facts.values) - LISTED:,} more" if len(facts.values) > LISTED else ""
        words.append(f"{', '.join(map(str, facts.values[:LISTED]))}{more}")
    elif facts.low is not None or facts.high is not None:
        words.append(f"from {_end(facts, facts.low)} to {_end(facts, facts.high)}")
    if facts.other is not None:
        words.append(f"all others count as {facts.other}")
    if facts.expected is not None:
        words.append(f"about {float(facts.expected.mean):g} on average")
    if facts.sign is not None:
        words.append(facts.sign)
    if facts.nullable:
        words.append("may be NULL")
    return "; ".join(words)


def _end(facts: Facts, bound: Bound) -> str:
    if bound is None:
        return "anywhere"
    return (iso_date(int(bound)) if facts.type is Type.DATE else None) or f"{float(bound):g}"
