"""`privet people`: who may ask a server."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from privet.cli.exit_status import errors_in_one_sentence
from privet.cli.office import Catalog, Config, Why, office
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import exact, readable
from privet.server.people import Role
from privet.wording.printable import plain

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Who may ask a server.")


@app.command()
def add(  # noqa: PLR0913 - what an account is, each by name
    name: Annotated[str, typer.Argument(help="As the ledger will know them, for good.")],
    *,
    role: Annotated[Role, typer.Option(help="What they are.")] = Role.ANALYST,
    epsilon: Annotated[str | None, typer.Option(help="A cap of their own: the ε of all their answers.")] = None,
    delta: Annotated[str, typer.Option(help="With --epsilon: the δ.")] = "0",
    largest_epsilon: Annotated[str | None, typer.Option(help="The largest ε of one answer without approval.")] = None,
    approve: Annotated[bool, typer.Option("--approve", help="The owner approves each question.")] = False,
    agent: Annotated[bool, typer.Option("--agent", help="A program that asks by itself: tokens, no password.")] = False,
    why: Why = "added by the owner",
    config: Config = None,
    catalog: Catalog = None,
) -> None:
    """Invite somebody: prints a link with which they choose a password, once, within a week."""
    with errors_in_one_sentence(), office(config, catalog) as (settings, desk):
        words = {
            "role": role,
            "cap": None if epsilon is None else Guarantee(epsilon, delta),
            "largest_epsilon": None if largest_epsilon is None else exact(largest_epsilon, "--largest-epsilon"),
            "needs_approval": approve,
            "agent": agent,
            "reason": why,
        }
        if agent:
            desk.add(name, **words)  # type: ignore[arg-type] # each as it is called
            typer.echo(f"added; it comes in with a token: privet token new {name}")
            return
        typer.echo(settings.invitation(desk.invite(name, **words)))  # type: ignore[arg-type] # the same


@app.command(name="list")
def show(config: Config = None, catalog: Catalog = None) -> None:
    """Show everybody with an account."""
    with errors_in_one_sentence(), office(config, catalog) as (_, desk):
        table = Table("name", "role", "largest ε of an answer", "approval", "may come in", box=None)
        for each in desk.people():
            largest = "any" if each.largest_epsilon is None else readable(each.largest_epsilon)
            needed = "each question" if each.needs_approval else "above that"
            table.add_row(plain(each.name), each.role.value, largest, needed, "yes" if each.active else "no")
        Console().print(table)


@app.command()
def close(
    name: Annotated[str, typer.Argument(help="Whose account.")],
    *,
    reopen: Annotated[bool, typer.Option("--reopen", help="Let them come in again.")] = False,
    why: Why = "closed by the owner",
    config: Config = None,
    catalog: Catalog = None,
) -> None:
    """Let somebody come in no more, at once; what they have spent stays spent."""
    with errors_in_one_sentence(), office(config, catalog) as (_, desk):
        (desk.activate if reopen else desk.deactivate)(name, reason=why)
        typer.echo(f"{name} may come in again" if reopen else f"{name} may come in no more")


@app.command()
def password(
    name: Annotated[str, typer.Argument(help="Whose.")],
    *,
    why: Why = "the password was forgotten",
    config: Config = None,
    catalog: Catalog = None,
) -> None:
    """Set somebody's password, who has forgotten it; it is typed, not an argument."""
    with errors_in_one_sentence(), office(config, catalog) as (_, desk):
        typed = typer.prompt("New password", hide_input=True, confirmation_prompt=True)
        if not isinstance(typed, str):
            raise InvalidParameter("a password is typed")
        desk.set_password(name, typed, reason=why)
