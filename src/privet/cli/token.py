"""`privet token`: secrets by which programs come into a server."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from privet.cli.exit_status import errors_in_one_sentence
from privet.cli.office import Catalog, Config, Why, office
from privet.server.people import TokenScope
from privet.wording.printable import plain

DAY = 86_400.0  # seconds
app = typer.Typer(add_completion=False, no_args_is_help=True, help="Secrets by which programs come into a server.")


@app.command()
def new(  # noqa: PLR0913 - what a token is, each by name
    name: Annotated[str, typer.Argument(help="Whose; `privet people add` makes accounts.")],
    *,
    scope: Annotated[
        list[TokenScope] | None, typer.Option(help="What it may do: ask, read, own, audit; as often as needed.")
    ] = None,
    days: Annotated[int, typer.Option(help="How long it is good.", min=1, max=3650)] = 365,
    label: Annotated[str, typer.Option(help="What it is for.")] = "command line",
    why: Why = "made by the owner",
    config: Config = None,
    catalog: Catalog = None,
) -> None:
    """Make a token, and print it: this once, for only its hash is kept."""
    with errors_in_one_sentence(), office(config, catalog) as (_, desk):
        scopes = frozenset(scope) if scope else None
        typer.echo(desk.make_token(name, label=label, scopes=scopes, seconds=days * DAY, reason=why))


@app.command(name="list")
def show(
    name: Annotated[str, typer.Argument(help="Whose.")], *, config: Config = None, catalog: Catalog = None
) -> None:
    """Show somebody's tokens, without what is secret."""
    with errors_in_one_sentence(), office(config, catalog) as (_, desk):
        table = Table("number", "for", "may", "until", box=None)
        for each in desk.tokens_of(name):
            until = "ever" if each.expires is None else datetime.fromtimestamp(each.expires, UTC).date().isoformat()
            may = " ".join(sorted(scope.value for scope in each.scopes))
            table.add_row(each.number, plain(each.label), may, "revoked" if each.revoked else until)
        Console().print(table)


@app.command()
def revoke(
    number: Annotated[str, typer.Argument(help="Of the token: what stands between its first two underscores.")],
    *,
    why: Why = "revoked by the owner",
    config: Config = None,
    catalog: Catalog = None,
) -> None:
    """Make a token good for nothing, at once."""
    with errors_in_one_sentence(), office(config, catalog) as (_, desk):
        desk.revoke_token(number, reason=why)
        typer.echo("it is good for nothing now")
