"""office: the owner's desk of a server, for whoever may run commands where its files are."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from privet.errors import InvalidParameter
from privet.server.desk import Asker
from privet.server.desk.owners_desk import OwnersDesk
from privet.server.people import Person, Role
from privet.server.serve import opened, prepared
from privet.server.settings import Settings

BY = "the command line"  # who did it, in the ledger
Catalog: TypeAlias = Annotated[
    Path | None, typer.Option(help="The catalog that is served; the only one here by default.")
]
Config: TypeAlias = Annotated[Path | None, typer.Option(help="The settings of the server; server.toml if it is here.")]
Why: TypeAlias = Annotated[str, typer.Option(help="Why; recorded in the ledger.")]


@contextmanager
def office(config: Path | None, catalog: Path | None) -> Iterator[tuple[Settings, OwnersDesk]]:
    """The settings of a server, and its owner's desk; what is done there is an entry of the ledger.

    Args:
        config: the file of settings.
        catalog: the catalog.
    """
    settings = prepared(found_settings(config, catalog))
    people, desk = opened(settings)
    try:
        yield settings, desk.owner(Asker.of(Person(BY, Role.OWNER), "console"))
    finally:
        desk.close()
        people.close()


def found_settings(config: Path | None, catalog: Path | None, *, folder: Path = Path()) -> Settings:
    """What was named; else server.toml, else the only catalog here that has people."""
    here = folder / "server.toml"
    if config is None and catalog is None and not here.exists():
        served = [each.with_name(each.name.removesuffix(".people.db") + ".toml") for each in folder.glob("*.people.db")]
        if len(served) != 1:
            raise InvalidParameter("say which server: --catalog hospital.toml, or --config server.toml")
        catalog = served[0]
    if config is None and here.exists():
        config = here
    return Settings.read(config, catalog=catalog)
