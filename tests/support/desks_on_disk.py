"""Desks whose ledger and people are files, as several processes of one server would open them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from privet.query.catalog import Catalog
from privet.server.desk import Asker, Desk
from privet.server.people import People, Role
from privet.server.people.password import Work
from privet.server.settings import Settings
from tests.support.desks import people_catalog

QUICK = Work(16, 8, 1)  # a real hash takes half a second


@contextmanager
def desk_in(folder: Path, catalog: Catalog | Path | None = None, **settings: object) -> Iterator[Desk]:
    """A desk on the files of a folder: whoever opens two has two server processes."""
    people = People.open(folder / "people.db", work=QUICK, iterations=4096)
    address = f"sqlite:///{folder}/ledger.db"
    asked = catalog if isinstance(catalog, Path) else replace(catalog or people_catalog(), ledger=address)
    try:
        desk = Desk.open(asked, people=people, settings=Settings(**settings), create=True)  # type: ignore[arg-type]
        try:
            yield desk
        finally:
            desk.close()
    finally:
        people.close()


def comer(desk: Desk, name: str, *, role: Role = Role.ANALYST, via: str = "http", **about: object) -> Asker:
    """Somebody who has come in; their account is made if there is none."""
    found = desk.people.named(name) or desk.people.add(name, role=role, **about)  # type: ignore[arg-type]
    return Asker.of(found, via)
