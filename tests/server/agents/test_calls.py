"""What agents are told, with a real desk behind."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from privet.loss import Guarantee
from privet.server.agents.calls import Calls, Reply
from privet.server.desk import Asker, Desk
from privet.server.people import Role, TokenScope
from tests.support.desks import a_desk

COUNT = "SELECT COUNT(*) AS n FROM patient"
BY_TOWN = "SELECT town, COUNT(*) AS n FROM patient GROUP BY town"


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with a_desk() as opened:
        yield opened


class Agent:
    """Calls tools as one analyst."""

    def __init__(self, desk: Desk, name: str, **account: Any) -> None:  # noqa: ANN401 - as `People.add` has it
        self.calls = Calls(desk, permalinks="https://privet.example.org/answers/")
        self.asker = Asker.of(desk.people.add(name, agent=True, **account), "agent")

    def __call__(self, tool: str, **said: object) -> dict[str, Any]:
        reply = self.reply(tool, **said)
        assert reply.refused == (reply.facts["status"] == "refused")
        assert reply.facts["charged"] in {"nothing", "yes", "perhaps"}
        return dict(reply.facts)

    def reply(self, tool: str, **said: object) -> Reply:
        return self.calls.reply(self.asker, tool, said)


def test_an_answer_comes_with_interval_price_receipt_and_cautions(desk: Desk) -> None:
    told = Agent(desk, "all")("ask", sql=BY_TOWN, epsilon="0.5", purpose="towns")
    assert (told["status"], told["charged"], told["repeated"]) == ("ok", "yes", False)
    assert [row["town"] for row in told["rows"]] == ["Bern", "Chur", "Genf"]
    assert all(row["n"]["low"] < row["n"]["value"] < row["n"]["high"] for row in told["rows"])
    receipt = told["receipt"]
    assert (receipt["price"]["epsilon"], receipt["purpose"], receipt["statement"]) == ("0.5", "towns", BY_TOWN)
    assert receipt["permalink"] == f"https://privet.example.org/answers/{receipt['number']}"
    assert told["do_not_conclude"]


def test_the_same_again_is_free_and_another_purpose_is_not(desk: Desk) -> None:
    agent = Agent(desk, "again")
    first, again = (agent("ask", sql=COUNT, epsilon=1, purpose="one") for _ in range(2))
    assert (first["charged"], again["charged"], again["repeated"]) == ("yes", "nothing", True)
    assert first["rows"] == again["rows"]
    assert agent("ask", sql=COUNT, epsilon=1, purpose="two")["charged"] == "yes"
    assert agent("budget")["spent"]["epsilon"] == "2"


def test_a_price_costs_nothing(desk: Desk) -> None:
    agent = Agent(desk, "price")
    told = agent("price", sql=BY_TOWN, error=20)
    assert told["charged"] == "nothing"
    assert told["columns"] == [{"name": "n", "expected_margin": "20"}]
    assert agent("budget")["spent"]["epsilon"] == "0"
    assert "queries" not in told


def test_what_was_answered_is_read_again_by_its_number_and_by_nobody_else(desk: Desk) -> None:
    mine, other = Agent(desk, "mine"), Agent(desk, "other")
    told = mine("ask", sql=BY_TOWN, epsilon=1, purpose="towns")
    number = told["receipt"]["number"]
    again = mine("stored_answer", number=number, from_row=1)
    assert (again["charged"], again["rows"]) == ("nothing", told["rows"][1:])
    theirs, nobodys = (other("stored_answer", number=each) for each in (number, "0" * 32))
    assert theirs == nobodys
    assert theirs["error"] == "NotAllowed"


def test_an_answer_above_the_largest_waits_for_the_owner_and_is_charged_once(desk: Desk) -> None:
    agent = Agent(desk, "large", largest_epsilon=Fraction(1))
    asked = {"sql": COUNT, "epsilon": 2, "purpose": "know it better"}
    waits, still = agent("ask", **asked), agent("ask", **asked)
    assert (waits["status"], waits["charged"]) == ("waits_for_owner", "nothing")
    assert waits["request"] == still["request"]
    owner = desk.owner(Asker.of(desk.people.add("owner", role=Role.OWNER), "console"))
    (request,) = [each for each in owner.requests() if each.analyst == "large"]
    assert (request.number, request.text, request.why) == (waits["request"], COUNT, "know it better")
    owner.approve(request.number, reason="it is worth it")
    answered, again = agent("ask", **asked), agent("ask", **asked)
    assert (answered["charged"], again["charged"]) == ("yes", "nothing")
    assert agent("budget")["spent"]["epsilon"] == "2"
    assert agent("ask", sql=COUNT, epsilon=1, purpose="small")["status"] == "ok"


def test_what_the_owner_declines_is_refused(desk: Desk) -> None:
    agent = Agent(desk, "declined", needs_approval=True)
    waits = agent("ask", sql=COUNT, epsilon="0.1", purpose="try")
    owner = desk.owner(Asker.of(desk.people.add("second owner", role=Role.OWNER), "console"))
    owner.decline(waits["request"], reason="no")
    told = agent("ask", sql=COUNT, epsilon="0.1", purpose="try")
    assert (told["status"], told["error"], told["charged"]) == ("refused", "ApprovalNeeded", "nothing")


@pytest.mark.parametrize(
    ("tool", "said", "error"),
    [
        ("ask", {"sql": "SELECT * FROM patient", "epsilon": 1, "purpose": "p"}, "QueryRefused"),
        ("ask", {"sql": "DROP TABLE patient", "epsilon": 1, "purpose": "p"}, "QueryRefused"),
        ("ask", {"sql": f"{COUNT}; {COUNT}", "epsilon": 1, "purpose": "p"}, "QueryRefused"),
        ("ask", {"sql": "(" * 20_000, "epsilon": 1, "purpose": "p"}, "QueryRefused"),
        ("ask", {"sql": COUNT, "epsilon": 1000, "purpose": "p"}, "BudgetExceeded"),
        ("ask", {"sql": COUNT, "purpose": "p"}, "InvalidParameter"),
        ("ask", {"sql": COUNT, "epsilon": 1, "error": 5, "purpose": "p"}, "InvalidParameter"),
        ("ask", {"sql": COUNT, "epsilon": 1, "purpose": "p", "analyst": "all"}, "InvalidParameter"),
        ("ask", {"sql": COUNT, "epsilon": 0, "purpose": "p"}, "InvalidParameter"),
        ("ask", {"sql": COUNT, "epsilon": "1e-99999999", "purpose": "p"}, "InvalidParameter"),
        ("price", {"sql": "nonsense\x00\x1b"}, "InvalidParameter"),
        ("price", {"sql": COUNT, "error": {}}, "InvalidParameter"),
        ("describe_tables", {"table": "patient"}, "InvalidParameter"),
        ("drop_tables", {}, "InvalidParameter"),
        ("stored_answer", {"number": "../../people"}, "NotAllowed"),
    ],
)
def test_refusals_say_what_is_wrong_and_cost_nothing(
    desk: Desk, tool: str, said: dict[str, object], error: str
) -> None:
    name = f"refused {len(list(desk.people))}"
    agent = Agent(desk, name)
    told = agent(tool, **said)
    assert (told["error"], told["charged"]) == (error, "nothing")
    assert told["message"].isprintable()
    assert agent("budget")["spent"]["epsilon"] == "0"


def test_what_nobody_foresaw_is_one_sentence(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("patient 17 is 44 years old")

    agent = Agent(desk, "unlucky")
    monkeypatch.setattr(desk, "ask", broken)
    told = agent("ask", sql=COUNT, epsilon=1, purpose="p")
    assert (told["error"], told["charged"]) == ("ServiceFailed", "perhaps")
    assert "17" not in str(told)


def test_who_may_only_read_spends_nothing(desk: Desk) -> None:
    agent = Agent(desk, "reader")
    agent.asker = Asker(agent.asker.person, frozenset({TokenScope.READ}), "agent")
    assert agent("price", sql=COUNT, epsilon=1)["status"] == "ok"
    assert agent("ask", sql=COUNT, epsilon=1, purpose="p")["error"] == "NotAllowed"
    agent.asker = Asker(agent.asker.person, frozenset({TokenScope.AUDIT}), "agent")
    assert {agent(tool)["error"] for tool in ("describe_tables", "budget")} == {"NotAllowed"}


def test_a_cap_holds_whatever_an_agent_tries() -> None:
    with a_desk() as desk:
        owner = desk.owner(Asker.of(desk.people.add("owner", role=Role.OWNER), "console"))
        owner.set_cap(Guarantee(1, 0), analyst="capped", reason="a test")
        agents = [Agent(desk, "capped")]
        agents += [Agent.__new__(Agent) for _ in range(3)]  # other conversations of the same account
        for each in agents[1:]:
            each.calls, each.asker = Calls(desk), agents[0].asker
        told = [
            each("ask", sql=COUNT, epsilon="0.3", purpose=f"{place} {turn}")
            for turn in range(2)
            for place, each in enumerate(agents)
        ]
        assert [each["charged"] for each in told].count("yes") == 3
        assert {each.get("error") for each in told} == {None, "BudgetExceeded"}
        assert agents[3]("budget")["remaining"]["epsilon"] == "0.1"
