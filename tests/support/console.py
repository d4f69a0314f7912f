"""A console over a small invented dataset, and browsers without a window: clients that keep cookies and send forms."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

import privet
from privet.loss import ConcentratedGuarantee, Guarantee, Promise
from privet.query.catalog import Catalog
from privet.server.console import console_router
from privet.server.desk import Asker, Desk
from privet.server.people import People, Role
from privet.server.people.password import Work
from privet.server.settings import Settings

HOST = "http://localhost:8443"
PASSWORD = "a long sentence"  # noqa: S105 - of people who do not exist
TOWNS = ("Ahorn", "Birken", "<img src=x onerror=alert(1)>", "=HYPERLINK(1)")
COUNT = "SELECT COUNT(*) AS n FROM patient"
BY_SEX = "SELECT sex, COUNT(*) AS n, AVG(age) AS a FROM patient GROUP BY sex"
BY_TOWN = "SELECT town, COUNT(*) AS n FROM patient GROUP BY town"
TOKEN = re.compile(r'name="csrf" value="([0-9a-f]+)"')
KEY = re.compile(r'name="key" value="([0-9a-f]+)"')
NUMBER = re.compile(r"/console/answers/([0-9a-f]{32})")
CHEAP = Work(16, 8, 1)
PATIENTS = 4_000


def invented(limit: Promise | None = None, *, table: str = "patient", column: str = "town") -> Catalog:
    """Patients with an age, a sex and a town, of which some have names that are no names."""
    frame = pa.table(
        {
            "pid": list(range(PATIENTS)),
            "age": [each % 90 for each in range(PATIENTS)],
            "sex": ["FM"[each % 2] for each in range(PATIENTS)],
            column: [TOWNS[each % len(TOWNS)] for each in range(PATIENTS)],
        }
    )
    return privet.Catalog.of(
        frame,
        table=table,
        unit="person",
        unit_column="pid",
        limit=limit or Guarantee(3, Fraction(1, 10**5)),
        columns={"age": {"bounds": [0, 110]}, "sex": {"values": ["F", "M"]}, column: {}},
    )


class Browser(TestClient):
    """A client that signs in and sends forms as a browser without a script does."""

    def sign_in(self, name: str, password: str = PASSWORD) -> "Browser":
        """Come in."""
        self.submit("/sign-in", {"name": name, "password": password}, of="/sign-in")
        return self

    def token(self, page: str) -> str:
        """The token of the forms of a page."""
        found = TOKEN.search(self.get(f"/console{page}").text)
        assert found is not None, page
        return found[1]

    def submit(self, path: str, form: dict[str, str], *, of: str = "/ask", **headers: str) -> Any:  # noqa: ANN401 - the answer of whichever client starlette brings
        """Send a form that stands on another page."""
        said = {"csrf": self.token(of), **form}
        return self.post(f"/console{path}", data=said, headers=headers, follow_redirects=False)

    def ask(self, sql: str, **form: str) -> Any:  # noqa: ANN401 - the same
        """Run a question with the form of the workbench."""
        return self.submit("/ask", {"sql": sql, "do": "run", "amount": "0.1", **form})


@dataclass(frozen=True)
class Hall:
    """A console with an owner, two analysts and an auditor."""

    desk: Desk
    people: People
    settings: Settings
    app: Starlette

    def browser(self, name: str | None = None, *, host: str = HOST) -> Browser:
        """A browser, signed in if a name is said."""
        client = Browser(self.app, base_url=host, raise_server_exceptions=False)
        return client if name is None else client.sign_in(name)

    def spent(self, name: str) -> Fraction:
        """What somebody has spent."""
        person = self.people.named(name)
        assert person is not None
        return Fraction(self.desk.budget(Asker.of(person, "console")).spent.epsilon)


@contextmanager
def opened(catalog: Catalog, settings: Settings | None = None) -> Iterator[Hall]:
    """A console over a catalog."""
    said = settings or Settings()
    people = People.open(None, work=CHEAP, iterations=4096)
    desk = Desk.open(catalog, people=people, settings=said, create=True)
    owner = desk.owner(Asker.of(people.add("olga", role=Role.OWNER, password=PASSWORD), "console"))
    concentrated = isinstance(catalog.limit, ConcentratedGuarantee)
    cap: Promise = ConcentratedGuarantee("0.2") if concentrated else Guarantee(1, Fraction(1, 10**5))
    owner.add("ada", password=PASSWORD, cap=cap, reason="invited")
    owner.add("ben", password=PASSWORD, cap=cap, largest_epsilon=Fraction(1, 100), reason="invited")
    owner.add("vera", role=Role.AUDITOR, password=PASSWORD, reason="audits")
    app = Starlette(routes=[Mount("/console", console_router(desk, people, said))])
    try:
        yield Hall(desk, people, said, app)
    finally:
        desk.close()
        people.close()
