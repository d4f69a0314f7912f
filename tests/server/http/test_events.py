import asyncio

import pytest
from anyio import CapacityLimiter

from privet.errors import BudgetExceeded
from privet.server.http import events
from privet.server.pace import Pace
from tests.support.served import COUNT, Served


@pytest.mark.parametrize("fails", [False, True])
def test_an_answer_leaves_at_a_step_and_so_does_a_refusal(monkeypatch: pytest.MonkeyPatch, *, fails: bool) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    def ask() -> int:
        if fails:
            raise BudgetExceeded("too much")
        return 7

    async def asked() -> int:
        return await events.paced(ask, CapacityLimiter(1), Pace([1000]))

    monkeypatch.setattr("privet.server.http.events.asyncio.sleep", sleep)
    if fails:
        with pytest.raises(BudgetExceeded):
            asyncio.run(asked())
    else:
        assert asyncio.run(asked()) == 7
    assert 900 < slept[-1] <= 1000


def test_only_what_runs_and_is_ones_own_is_stopped(server: Served) -> None:
    ada, bob = server.client("ada"), server.client("bob")
    number = ada.post("/sql", json={"statement": COUNT, "epsilon": 1}, headers={"idempotency-key": "mine"}).json()[
        "number"
    ]
    for who in (ada, bob):
        for key in (number, "mine", "unknown"):
            assert who.post("/cancel", json={"key": key}).json() == {"stopped": False}
        assert who.get("/running").json() == {"running": []}
