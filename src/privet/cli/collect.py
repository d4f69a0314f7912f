"""`privet collect`: serve a collector and its surveys."""

from pathlib import Path
from typing import Annotated

import typer

from privet.cli.exit_status import errors_in_one_sentence
from privet.errors import InvalidParameter
from privet.wording.printable import printable

app = typer.Typer(add_completion=False)
NEEDS = "privet collect needs the extra server: pip install 'privet[server]'"
Store = Annotated[str, typer.Argument(help="A file of SQLite, or postgresql://…; made if it is not there.")]


@app.command()
def serve(  # noqa: PLR0913 - options
    store: Store = "survey.db",
    *,
    host: Annotated[str, typer.Option(help="Where to listen; 0.0.0.0 for phones in the same network.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port.")] = 8420,
    rate: Annotated[float, typer.Option(help="Reports a second from one address; a school may be one.")] = 50,
    certificate: Annotated[Path | None, typer.Option(help="A certificate, for https.")] = None,
    certificate_key: Annotated[Path | None, typer.Option(help="Its key.")] = None,
    key: Annotated[Path | None, typer.Option(help="The file of the key that signs collections.")] = None,
    token: Annotated[
        str, typer.Option(help="Print a new token with these scopes, run,read, and end.", show_default=False)
    ] = "",
) -> None:
    """Receive privatized reports, and show surveys and their results. Nothing is logged of requests."""
    with errors_in_one_sentence():
        try:
            from privet.server.collect import collector_config, open_collector, serve_collector  # noqa: PLC0415 - an extra
            from privet.server.collector.rate_limit import RateLimit  # noqa: PLC0415 - an extra
            from privet.server.collector.tokens import make_token  # noqa: PLC0415 - an extra
        except ModuleNotFoundError:
            raise InvalidParameter(NEEDS) from None
        collector = open_collector(store, key=key)
        if token:
            typer.echo(make_token(collector.store, token.split(",")))
            return
        scheme = "http" if certificate is None else "https"
        typer.echo(f"collecting at {scheme}://{host}:{port}; the key that signs collections: {collector.key.public}")
        for entry in collector.entries:
            if entry.collection.survey is not None and entry.state == "open":
                typer.echo(
                    f"  {printable(entry.collection.title)}: {scheme}://{host}:{port}/survey/{entry.collection.id}"
                )
        config = collector_config(
            collector,
            host=host,
            port=port,
            rate=RateLimit(rate=rate),
            certificate=certificate,
            certificate_key=certificate_key,
        )
        serve_collector(config)
