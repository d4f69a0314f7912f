"""Whatever the OpenAPI description allows and what it does not: no crash, no trace, no charge without a record."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode

from tests.support.served import Served, served

pytestmark = pytest.mark.whole
STATUSES = {200, 400, 401, 402, 403, 404, 405, 406, 409, 410, 413, 422, 503}


@pytest.fixture(scope="module")
def open_to_all() -> Iterator[Served]:
    with served(requests_per_minute=10**9, allowed_hosts=("testserver",)) as found:
        yield found


def asked_at_random(found: Served, *, examples: int) -> dict[int, int]:
    """How often each status came, of requests to every route, good ones and bad ones."""
    schema: Any = schemathesis.openapi.from_asgi("/api/v1/openapi.json", found.app)
    counted: dict[int, int] = {}
    for mode in GenerationMode:
        for operation in schema.get_all_operations():

            @settings(
                max_examples=examples,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(operation.ok().as_strategy(generation_mode=mode))
            def check(case: Any) -> None:  # noqa: ANN401 - has no types
                headers = {"authorization": f"Bearer {found.tokens['olga']}"}
                response = case.call(headers=headers)
                counted[response.status_code] = counted.get(response.status_code, 0) + 1
                assert response.status_code in STATUSES, (case.as_curl_command(), response.text)
                assert b"Traceback" not in response.content
                if response.status_code != 200:
                    assert response.headers["content-type"][0] == "application/problem+json"
                    assert response.json().keys() >= {"type", "title", "status", "detail", "hint", "charged"}

            check()
    return counted


def test_a_few_of_every_kind(open_to_all: Served) -> None:
    counted = asked_at_random(open_to_all, examples=1)
    assert counted[200] > 5
    assert counted[400] > 5
    journal = open_to_all.desk.ledger.journal
    assert journal.verify() > 0
    spent = sum(entry.cost.epsilon for entry in open_to_all.desk.ledger.entries)
    assert open_to_all.desk.ledger.spent.epsilon == spent


@pytest.mark.soak
def test_many_of_every_kind(open_to_all: Served) -> None:
    asked_at_random(open_to_all, examples=400)
