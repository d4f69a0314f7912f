"""Statements whose audit finds what is planted in a copy of the source; as a program it prints what was found there."""

import json
import sys
from dataclasses import replace
from fractions import Fraction

import privet
from privet.audit import Replayed, query, worlds
from privet.core import Unit
from privet.loss import Guarantee
from privet.query.catalog import Catalog, DeclaredTable
from privet.query.plan.limits import Limits
from privet.query.scalars.facts import Facts, Type
from privet.query.session import Session

VISITS = DeclaredTable(
    "visits",
    {
        "ward": Facts(Type.TEXT, values=("bern", "genf")),
        "cost": Facts(Type.REAL),
        "points": Facts(Type.INTEGER),
        "stay": Facts(Type.INTEGER, low=Fraction(0), high=Fraction(30)),
    },
    unit_column="id",
    limits=Limits(groups_per_unit=2, rows_per_group=2),
)
CATALOG = Catalog("planted", Unit("person"), Guarantee(1000, "0.5"), {"visits": VISITS})
STATEMENTS = {  # what shows each fault: a statement, and what is special about the unit that comes
    "a cap that is not applied": ("SELECT SUM(stay) FROM visits", "very many rows"),
    "a key from data": ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", "a key of its own"),
    "a failure that depends on a row": ("SELECT SUM(CLIP(CAST(cost AS BIGINT), 0, 9)) FROM visits", "odd reals"),
    "an unstable zero": ("SELECT cost, COUNT(*) FROM visits GROUP BY cost", "minus zero"),
}


def opened(tables: object) -> Session:
    """A session on a world."""
    return privet.connect(replace(CATALOG, frames=tables), threads=1)  # type: ignore[arg-type] # Arrow tables by name


def found(*, everything: bool = False) -> dict[str, Replayed]:
    """What the audit finds, statement by statement: in the world that shows its fault, or in all."""
    asked = {}
    for name, (text, odd) in STATEMENTS.items():
        some = [world for world in worlds(CATALOG) if everything or world.name == odd]
        asked[name] = query(opened, {name: text}, some, epsilon=1, delta="1e-6")
    return asked


if __name__ == "__main__":
    told = found(everything="everything" in sys.argv)
    sys.stdout.write(json.dumps({name: [each.kind for each in audit.differences] for name, audit in told.items()}))
