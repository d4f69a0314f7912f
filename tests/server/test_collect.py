"""A collector beside the other doors of a server: its analysts have the accounts of the others."""

import asyncio
from pathlib import Path
from typing import Any

import httpx

from privet.server.collect import hang_in
from privet.server.http.app import make_app
from privet.server.people import People, Role, TokenScope
from privet.server.settings import Settings
from tests.support.collecting import YES, collector, held, message, question


def test_a_collector_hangs_in_beside_other_doors(tmp_path: Path) -> None:
    facts = question()
    made = collector(tmp_path / "a.db", facts)
    people = People.open(None)
    people.add("olga", role=Role.OWNER)
    own, read = (
        people.make_token("olga", label="a test", scopes=[scope]) for scope in (TokenScope.OWN, TokenScope.READ)
    )
    unused: Any = None  # a desk, which a collector does not know
    app = make_app(unused, people, Settings(allowed_hosts=("server.test",)))
    hang_in(app, made, people)

    async def asked() -> None:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://server.test") as client:
            answer = await client.post("/v1/reports", content=message(facts, YES).pack())
            assert answer.status_code == 202
            assert "set-cookie" not in answer.headers
            stop = f"/v1/collections/{facts.id}/stop"
            for token, status in (("x", 401), (read, 403), (own, 204)):
                answer = await client.post(stop, headers={"authorization": f"Bearer {token}"})
                assert answer.status_code == status
            page = await client.get(f"/survey/{facts.id}")
            assert page.status_code == 200
            assert "script-src 'self'" in page.headers["content-security-policy"], "its own, not the server's"
            assert (await client.get("/survey/static/survey.js")).status_code == 200
            answer = await client.get("/v1/stats", headers={"authorization": f"Bearer {read}"})
            assert answer.json() == {"202": 0}

    asyncio.run(asked())
    assert held(made, facts) == 0
    assert len(made.store.periods(facts.id_bytes)) == 1
