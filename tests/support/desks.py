"""Desks of invented people, for the tests of the doors."""

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from privet.loss import Guarantee
from privet.query.catalog import Catalog
from privet.server.desk import Desk
from privet.server.people import People
from privet.server.people.password import Work
from privet.server.settings import Settings

ROWS = 500
TOWNS = ("Bern", "Chur", "Genf")


def people_catalog(rows: int = ROWS, *, limit: Guarantee | None = None) -> Catalog:
    """A table of people in towns."""
    each = range(rows)
    frame = pa.table({"pid": list(each), "age": [n % 90 for n in each], "town": [TOWNS[n % 3] for n in each]})
    return Catalog.of(
        frame,
        table="patient",
        unit="person",
        unit_column="pid",
        limit=Guarantee(100, "1e-3") if limit is None else limit,
        columns={"age": {"bounds": [0, 110]}, "town": {"type": "text", "values": list(TOWNS)}},
    )


@contextmanager
def a_desk(catalog: Catalog | None = None, **settings: object) -> Iterator[Desk]:
    """A desk with nobody before it, whose passwords cost little."""
    people = People.open(None, work=Work(16, 8, 1), iterations=4096)
    try:
        desk = Desk.open(catalog or people_catalog(), people=people, settings=Settings(**settings), create=True)  # type: ignore[arg-type]
        try:
            yield desk
        finally:
            desk.close()
    finally:
        people.close()
