"""How analysts connect: what the owner reads after the set-up, and may come back to."""

from urllib.parse import urlsplit

from starlette.responses import Response

from privet.server.console.routes.route import Page, away
from privet.server.console.views.amounts import promise_words
from privet.server.console.visit import Visit
from privet.server.people import TokenScope

PYTHON = """import privet

session = privet.connect("{address}", token="privet_…")
session.sql("SELECT COUNT(*) AS n FROM {table}", epsilon=0.1)"""


async def connect(visit: Visit) -> Response:
    """Addresses of the doors that are open."""
    desk, settings = visit.doors.desk, visit.doors.settings
    ledger = await away(lambda: desk.owner(visit.asker).ledger)
    host = urlsplit(settings.address).hostname or "localhost"
    psql = f'psql "host={host} port={settings.postgres_port} dbname={desk.catalog.name} user=NAME"'
    table = next((each.name for each in desk.catalog.tables.values() if not each.public), "people")
    return visit.page(
        "setup-5.html",
        step=5,
        name=desk.catalog.name,
        limit=promise_words(ledger.limit),
        address=settings.address,
        psql=psql if settings.postgres else "",
        python=PYTHON.format(address=settings.address, table=table),
    )


CONNECT = (Page("/connect", connect, TokenScope.OWN),)
