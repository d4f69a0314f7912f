import io
import json

import pyarrow as pa
import pytest

from privet.query.remote.transport import ANSWER
from privet.query.results.answer import Answer
from tests.support.served import BY_CITY, COUNT, Served

ARROW = "application/vnd.apache.arrow.stream"


def test_a_question_is_answered_and_the_same_again_is_free(server: Served) -> None:
    ada = server.client("ada")
    before = ada.get("/budget").json()["spent"]["parts"]
    first = ada.post("/sql", json={"statement": BY_CITY, "epsilon": "0.5", "delta": 0.0000001}).json()
    again = ada.post("/sql", json={"statement": BY_CITY, "epsilon": 0.5, "delta": "1e-7"}).json()
    assert {row["city"] for row in first["rows"]} == {"Bern", "Basel", "Chur"}
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert {**first, "repeated": True} == again
    assert ada.get("/budget").json()["spent"]["parts"] != before
    stored = ada.get(f"/answers/{first['number']}").json()
    assert stored["rows"] == first["rows"]
    assert ada.get("/history").json()["history"][0]["number"] == first["number"]
    olga = server.client("olga")
    following = olga.post("/owner/version", json={"reason": "a new month"}).json()["version"]
    assert olga.post("/owner/version", json={"reason": "and another"}).json()["version"] == following + 1
    assert not ada.post("/sql", json={"statement": BY_CITY, "epsilon": "0.5", "delta": "1e-7"}).json()["repeated"]


def test_an_answer_is_json_arrow_or_whole(server: Served) -> None:
    ada, body = server.client("ada"), {"statement": COUNT, "epsilon": 1}
    plain = ada.post("/sql", json=body)
    whole = ada.post("/sql", json=body, headers={"accept": ANSWER})
    arrow = ada.post("/sql", json=body, headers={"accept": f"text/html, {ARROW};q=0.9, */*;q=0.1"})
    assert plain.headers["content-type"] == "application/json"
    answer = Answer.from_json(whole.json()["answer"])
    table = pa.ipc.open_stream(io.BytesIO(arrow.content)).read_all()
    assert table.equals(answer.table)
    assert answer.rows == plain.json()["rows"]
    facts = json.loads(table.schema.metadata[b"privet"])
    assert (facts["number"], facts["spent"]) == (plain.json()["number"], plain.json()["spent"])
    assert ada.post("/sql", json=body, headers={"accept": "image/png"}).status_code == 406


def test_a_batch_is_paid_for_at_once(server: Served) -> None:
    ada = server.client("ada")
    asked = {"statements": {"n": COUNT, "age": "SELECT AVG(age) AS a FROM patient"}, "epsilon": 1, "weights": {"n": 3}}
    found = ada.post("/batch", json=asked).json()
    assert len(found["answers"]) == 2
    assert ada.get(f"/answers/{found['number']}").json()["answers"] == found["answers"]


def test_a_price_is_told_and_nothing_is_spent(server: Served) -> None:
    ada = server.client("ada:read")
    before = ada.get("/budget").content
    one = ada.post("/explain", json={"statement": COUNT, "error": 5}).json()
    two = ada.post("/explain", json={"statements": [COUNT, BY_CITY], "epsilon": 1}).json()
    assert one["affordable"]
    assert len(two["statements"]) == 2
    assert ada.get("/budget").content == before
    wrong = ada.post("/explain", json={"epsilon": 1})
    assert (wrong.status_code, wrong.json()["charged"]) == (400, False)


def test_a_key_is_paid_for_once_and_belongs_to_one_question(server: Served) -> None:
    ada, body = server.client("ada"), {"statement": COUNT, "epsilon": "0.25", "fresh": True}
    first = ada.post("/sql", json=body, headers={"idempotency-key": "k1"}).json()
    spent = ada.get("/budget").json()["spent"]
    again = ada.post("/sql", json=body, headers={"idempotency-key": "k1"}).json()
    assert again["rows"] == first["rows"]
    assert ada.get("/budget").json()["spent"] == spent
    other = ada.post("/sql", json={**body, "epsilon": "0.5"}, headers={"idempotency-key": "k1"})
    assert (other.status_code, other.json()["type"]) == (409, "urn:privet:error:key-reused")
    assert ada.post("/sql", json=body, headers={"idempotency-key": "x" * 201}).status_code == 400


def test_events_tell_when_it_is_taken_and_end_with_the_answer(server: Served) -> None:
    ada = server.client("ada", accept="text/event-stream")
    found = ada.post("/sql", json={"statement": COUNT, "epsilon": 1})
    assert found.headers["content-type"].startswith("text/event-stream")
    events = [each.split("\n") for each in found.text.strip().split("\n\n")]
    assert [each[0] for each in events] == ["event: taken", "event: answer"]
    assert json.loads(events[-1][1].removeprefix("data: "))["rows"]
    refused = ada.post("/sql", json={"statement": "SELECT * FROM patient", "epsilon": 1}).text
    assert "event: problem" in refused
    assert '"charged": false' in refused


@pytest.mark.parametrize(
    ("body", "status", "name"),
    [
        ({"statement": "SELECT * FROM patient", "epsilon": 1}, 422, "query-refused"),
        ({"statement": COUNT, "epsilon": "1e5"}, 402, "budget-exceeded"),
        ({"statement": COUNT, "epsilon": -1}, 400, "invalid-parameter"),
        ({"statement": COUNT}, 400, "invalid-parameter"),
        ({"statement": COUNT, "epsilon": 1, "epsilom": 1}, 400, "invalid-parameter"),
        ({"statement": COUNT, "epsilon": True}, 400, "invalid-parameter"),
        ({"statement": COUNT, "epsilon": [1]}, 400, "invalid-parameter"),
        ({"statement": "", "epsilon": 1}, 400, "invalid-parameter"),
        ({"statement": COUNT, "epsilon": 1, "params": {"a": {"date": "x"}}}, 400, "invalid-parameter"),
        ([], 400, "invalid-parameter"),
    ],
)
def test_refusals_are_problems_and_cost_nothing(server: Served, body: object, status: int, name: str) -> None:
    ada = server.client("ada")
    before = ada.get("/budget").content
    found = ada.post("/sql", json=body)
    facts = found.json()
    assert (found.status_code, facts["type"]) == (status, f"urn:privet:error:{name}"), facts
    assert found.headers["content-type"] == "application/problem+json"
    assert facts.keys() == {"type", "title", "status", "detail", "hint", "charged"}
    assert facts["charged"] is False
    assert ada.get("/budget").content == before


def test_the_session_says_who_asks_and_what_is_public(server: Served) -> None:
    facts = server.client("ada").get("/session").json()
    assert (facts["analyst"], facts["scopes"]) == ("ada", ["ask", "read"])
    assert "Bern" in facts["catalog"]
    tables = server.client("ada").get("/tables").json()["tables"]
    assert [column["name"] for column in tables[0]["columns"]] == ["age", "city", "pid"]
