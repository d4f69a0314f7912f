"""Whatever an agent hands over, it gets a reply, and nothing is charged but for an answer."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from privet.server.agents.calls import Calls
from privet.server.agents.tools import TOOLS
from privet.server.desk import Asker, Desk
from tests.support.desks import a_desk

COUNT = "SELECT COUNT(*) AS n FROM patient"
NAMES = ["sql", "epsilon", "error", "delta", "rows", "purpose", "from_row", "number", "key", "analyst", "", "\x1b[2J"]
NUMBERS = st.sampled_from(
    [0, -1, 1, 10**70, 0.5, -0.0, 1e-320, float("nan"), float("inf"), "1/3", "1/0", "1e-9999999", "٣"]
)
TEXTS = st.sampled_from(
    [COUNT, f"{COUNT};", "SELECT", "\x00", "\ud800", "(" * 5000, "x" * 30_000, "", "é'\"\\|=", "\u202e"]
)
VALUES = st.recursive(
    NUMBERS | TEXTS | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["n", "", "\x1b"]), inner, max_size=2),
    max_leaves=4,
)


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with a_desk() as opened:
        opened.people.add("ada", agent=True)
        yield opened


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from([*TOOLS, "", "nothing"]), st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5))
@example("ask", {"sql": COUNT, "epsilon": "1e-300", "purpose": "no room for numbers of this size"})
@example("ask", {"sql": COUNT, "epsilon": "0.5", "purpose": "a control: this is answered"})
def test_anything_gets_a_reply(desk: Desk, tool: str, said: dict[str, Any]) -> None:
    person = desk.people.named("ada")
    assert person is not None
    before = len(desk.ledger.entries)
    reply = Calls(desk).reply(Asker.of(person, "agent"), tool, said)
    charged = len(desk.ledger.entries) > before
    assert reply.facts["charged"] == "yes" if charged else reply.facts["charged"] == "nothing"
    assert reply.refused == (reply.facts["status"] == "refused")
    assert reply.facts.get("error") != "ServiceFailed"
    assert str(reply.facts.get("message", "x")).isprintable()
