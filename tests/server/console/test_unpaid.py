"""What is shown before anything is paid does not depend on the data; what stands before the pages is heard."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
import pytest
from starlette.testclient import TestClient

import privet
from privet.loss import Guarantee
from privet.query.catalog import Catalog
from privet.server.console import console_router
from privet.server.http.app import make_app
from privet.server.settings import Settings
from tests.support.console import BY_SEX, BY_TOWN, COUNT, Hall, opened

SECRETS = re.compile(r"[0-9a-f]{32,64}|\d\d:\d\d")
UNPAID = (
    *("/ask", "/history", "/account", "/help", "/ask?amount=9&sql=SELECT+COUNT(*)+AS+n+FROM+patient"),
    *(
        f"/ask?sql={sql}"
        for sql in (COUNT, BY_SEX, BY_TOWN, "SELECT * FROM patient", "SELECT MEDIAN(age) AS m FROM patient")
    ),
)
OWNERS = ("/owner", "/owner/person?name=ada", "/owner/record.txt", "/owner/promise.txt", "/connect")


def patients(count: int, age: int | None) -> Catalog:
    """So many patients, of whom the last is of this age and lives where nobody else does."""
    frame = pa.table(
        {
            "pid": pa.array(range(count), pa.int64()),
            "age": pa.array([*(each % 90 for each in range(count - 1)), age], pa.int64()),
            "sex": pa.array([*("FM"[each % 2] for each in range(count - 1)), None if age is None else "F"]),
            "town": pa.array([*("Ahorn" for _ in range(count - 1)), "Hinterm Holz"]),
        }
    )
    return privet.Catalog.of(
        frame,
        table="patient",
        unit="person",
        unit_column="pid",
        limit=Guarantee(3, "1e-5"),
        columns={"age": {"bounds": [0, 110]}, "sex": {"values": ["F", "M"]}, "town": {}},
    )


def pages(catalog: Catalog) -> list[tuple[int, str]]:
    with opened(catalog) as hall:
        ada, olga = hall.browser("ada"), hall.browser("olga")
        answers = [ada.get(f"/console{path}") for path in UNPAID] + [olga.get(f"/console{path}") for path in OWNERS]
        answers.append(ada.ask("SELECT COUNT(*) FROM patient, patient AS p"))
        return [(each.status_code, SECRETS.sub("", each.text)) for each in answers]


def test_unpaid_pages_are_the_same_on_neighbors() -> None:
    first = pages(patients(300, 44))
    assert first == pages(patients(301, 2**62))
    assert first == pages(patients(301, None))
    assert first != pages(
        privet.Catalog.of(
            pa.table({"pid": [1]}), table="patient", unit="person", unit_column="pid", limit=Guarantee(2), columns={}
        )
    )


@contextmanager
def behind_the_gate(settings: Settings) -> Iterator[tuple[Hall, TestClient]]:
    with opened(patients(300, 44), settings) as hall:
        app = make_app(hall.desk, hall.people, settings)
        app.mount("/console", console_router(hall.desk, hall.people, settings))
        yield hall, TestClient(app, base_url="http://localhost:8443")


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_large_broken_and_foreign_requests_stop_at_the_gate(kind: str) -> None:
    with behind_the_gate(Settings(largest_body=5_000)) as (_, browser):
        big = browser.post("/console/sign-in", content=b"a" * 6_000, headers={"content-type": kind})
        assert big.status_code == 413
        drip = browser.post("/console/sign-in", content=iter([b"a" * 3_000] * 3), headers={"content-type": kind})
        assert drip.status_code == 413
        broken = browser.post("/console/sign-in", content=b"--x\r\n\xff", headers={"content-type": kind})
        assert broken.status_code == 400
        assert browser.get("/console/sign-in", headers={"host": "evil.example"}).status_code == 421
        answer = browser.get("/console/sign-in")
        assert answer.headers["content-security-policy"].count("style-src 'self'") == 1
