"""`privet serve`: private answers from one dataset, for a browser, programs, SQL clients and agents."""

import logging
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from privet.cli.exit_status import errors_in_one_sentence, tell
from privet.errors import InvalidParameter

PATIENTS = 20_000  # of the invented hospital
NEEDS = "privet serve needs more packages: pip install 'privet[server]'"
app = typer.Typer(add_completion=False)


@app.command()
def serve(  # noqa: PLR0913 - everything that a flag says, each by name
    catalog: Annotated[Path | None, typer.Argument(help="The catalog, such as hospital.toml.")] = None,
    *,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file of settings (docs/server/operate.md); flags win.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Where to listen; this machine alone by default.")] = None,
    port: Annotated[int | None, typer.Option(help="Of HTTP and the console; 8443 by default.")] = None,
    postgres: Annotated[bool | None, typer.Option(help="Whether SQL clients may come by PostgreSQL's wire.")] = None,
    postgres_port: Annotated[int | None, typer.Option(help="Its port; 5433 by default.")] = None,
    console: Annotated[bool | None, typer.Option(help="Whether there are pages for people.")] = None,
    agents: Annotated[bool | None, typer.Option(help="Whether AI agents may come, at /mcp.")] = None,
    collector: Annotated[
        str | None, typer.Option(help="Collect privatized reports too, in this file or postgresql://….")
    ] = None,
    dev: Annotated[bool | None, typer.Option("--dev", help="Make a certificate for localhost.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="A PEM file, for TLS.")] = None,
    certificate_key: Annotated[Path | None, typer.Option(help="Its private key.")] = None,
    behind_proxy: Annotated[
        bool | None, typer.Option("--behind-proxy", help="A reverse proxy ends TLS before this server.")
    ] = None,
    public_address: Annotated[
        str | None, typer.Option(help="How the outside calls it, such as https://privet.example.org.")
    ] = None,
    people: Annotated[str | None, typer.Option(help="Where accounts are; beside the catalog by default.")] = None,
    workers: Annotated[int | None, typer.Option(help="How many processes share the ledger.")] = None,
    repeats: Annotated[bool | None, typer.Option(help="Whether equal questions bring back the stored answer.")] = None,
    answer_after: Annotated[
        str | None, typer.Option(help="Answers leave at these seconds only, such as 0.5,2,10.")
    ] = None,
    metrics: Annotated[bool | None, typer.Option("--metrics", help="Serve public counts at /metrics.")] = None,
) -> None:
    """Serve one dataset to those who have an account, until Ctrl-C; without a catalog, make one in the browser first.

    The first time it prints a link with which you become its owner. Each answer is charged to the ledger of the catalog
    before the data is read, whichever door it was asked at.
    """
    with errors_in_one_sentence():
        try:
            from privet.server.serve import serve as served  # noqa: PLC0415 - its packages may be missing
            from privet.server.settings import Settings  # noqa: PLC0415 - the same
        except ModuleNotFoundError as missing:
            if str(missing.name).startswith("privet"):
                raise
            raise InvalidParameter(NEEDS) from None
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
        logging.getLogger("privet").setLevel(logging.WARNING)
        logging.getLogger("privet.server").setLevel(logging.INFO)
        logging.getLogger("uvicorn").setLevel(logging.WARNING)
        settings = Settings.read(
            config,
            catalog=catalog,
            host=host,
            port=port,
            postgres=postgres,
            postgres_port=postgres_port,
            console=console,
            agents=agents,
            collector=collector,
            dev=dev,
            certificate=certificate,
            certificate_key=certificate_key,
            behind_proxy=behind_proxy,
            public_address=public_address,
            people=people,
            workers=workers,
            repeats=repeats,
            answer_after=None if answer_after is None else _seconds(answer_after),
            metrics=metrics,
        )
        served(settings, tell=tell, invent=_hospital)


def _hospital(folder: Path) -> Path:
    """The invented hospital, for whoever wants to look around first."""
    from privet.demo.hospital import open_hospital  # noqa: PLC0415 - only if somebody asks for it

    return open_hospital(folder, patients=PATIENTS, epsilon=Fraction(3)).catalog


def _seconds(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise InvalidParameter(
            f"--answer-after must be seconds with commas, such as 0.5,2,10, got {text!r:.60}"
        ) from None
