"""A collector beside the other doors of a server: its analysts have the accounts of the others."""

import asyncio
from pathlib import Path

import httpx
from fastapi import FastAPI

from privet.server.collect import hang_in
from privet.server.people import People, Role, TokenScope
from tests.support.collecting import YES, collector, held, message, question


def test_a_collector_hangs_in_beside_other_doors(tmp_path: Path) -> None:
    facts = question()
    made = collector(tmp_path / "a.db", facts)
    people = People.open(None)
    people.add("olga", role=Role.OWNER)
    own, read = (
        people.make_token("olga", label="a test", scopes=[scope]) for scope in (TokenScope.OWN, TokenScope.READ)
    )
    app = FastAPI()
    hang_in(app, made, people)

    async def asked() -> None:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://server.test") as client:
            answer = await client.post("/v1/reports", content=message(facts, YES).pack())
            assert answer.status_code == 202
            stop = f"/v1/collections/{facts.id}/stop"
            for token, status in (("x", 401), (read, 403), (own, 204)):
                answer = await client.post(stop, headers={"authorization": f"Bearer {token}"})
                assert answer.status_code == status
            assert (await client.get(f"/survey/{facts.id}")).status_code == 200
            answer = await client.get("/v1/stats", headers={"authorization": f"Bearer {read}"})
            assert answer.json() == {"202": 0}

    asyncio.run(asked())
    assert held(made, facts) == 0
    assert len(made.store.periods(facts.id_bytes)) == 1
