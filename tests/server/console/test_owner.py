"""The owner's page: what was promised, people and caps, freezes, exports, and a ledger that was changed."""

import csv
import io
import json
import re
import sqlite3
from fractions import Fraction
from pathlib import Path

import privet
from privet.loss import Guarantee
from tests.support.console import BY_SEX, COUNT, PASSWORD, Hall, invented, opened

LINK = re.compile(r'<code id="link" tabindex="0">([^<]+)</code>')
TOKEN = re.compile(r"privet_[0-9a-f]{16}_[0-9a-f]{64}")


def test_the_page_says_what_is_left_and_what_was_promised(hall: Hall) -> None:
    olga = hall.browser("olga")
    before = olga.get("/console/owner").text
    assert "Nothing has been revealed yet" in before
    hall.browser("ada").ask(COUNT, amount="1", purpose="for the board")
    after = olga.get("/console/owner").text.replace("\N{NO-BREAK SPACE}", " ")
    assert "can be at most <b>74 %</b> sure now" in after  # 73.1 %, rounded up
    assert "ε 2 <small>of 3 left</small>" in after
    assert "for the board" in after
    assert "for the board" not in olga.get("/console/owner", params={"find": "nothing like it"}).text
    assert 'class="l-accent"' in after


def test_who_is_invited_comes_in_with_a_cap_and_the_link_works_once(hall: Hall) -> None:
    olga = hall.browser("olga")
    form = {"name": "dora", "kind": "agent", "cap": "0.4", "largest": "0.1", "approve": "yes", "reason": "a trial"}
    made = olga.submit("/owner/invite", form, of="/owner/invite")
    link = LINK.search(made.text)
    assert link is not None
    assert link[1] not in olga.get("/console/owner").text
    place = link[1].removeprefix(hall.settings.address)
    dora = hall.browser()
    said = {
        "csrf": re.findall(r'name="csrf" value="([0-9a-f]+)"', dora.get(place).text)[0],
        "code": place.partition("=")[2],
    }
    differ = dora.post("/console/invitation", data={**said, "password": PASSWORD, "again": "another one"})
    assert "differ" in differ.text
    done = dora.post(
        "/console/invitation", data={**said, "password": PASSWORD, "again": PASSWORD}, follow_redirects=False
    )
    assert done.status_code == 303
    assert dora.get("/console/ask").status_code == 200
    assert hall.browser().get(place).status_code == 404
    person = hall.people.named("dora")
    assert person is not None
    assert (person.agent, person.needs_approval, person.largest_epsilon) == (True, True, Fraction(1, 10))
    for wrong in ({"cap": "-1"}, {"cap": "nan"}, {"name": ""}, {"name": "ada"}, {"largest": "x"}, {"reason": " "}):
        assert olga.submit("/owner/invite", {**form, "name": "eve", **wrong}, of="/owner/invite").status_code == 422


def test_caps_freezes_tokens_and_access_are_at_once_and_in_the_ledger(hall: Hall) -> None:
    olga, ada = hall.browser("olga"), hall.browser("ada")
    page = "/owner/person?name=ada"
    olga.submit("/owner/person/cap", {"name": "ada", "cap": "0.2", "reason-cap": "smaller"}, of=page)
    assert 'value="run"' not in ada.get("/console/ask", params={"sql": COUNT, "amount": "0.3"}).text
    olga.submit("/owner/person/freeze", {"name": "ada", "do": "freeze", "reason-freeze": "on leave"}, of=page)
    assert ada.ask(COUNT).status_code == 200
    assert hall.spent("ada") == 0
    olga.submit("/owner/person/freeze", {"name": "ada", "do": "thaw", "reason-freeze": "back"}, of=page)
    assert ada.ask(COUNT).status_code == 303
    made = olga.submit("/owner/person/token", {"name": "ada", "label": "x", "days": "9"}, of=page).text
    token = TOKEN.search(made)
    assert token is not None
    assert hall.people.by_token(token[0]) is not None
    assert TOKEN.search(olga.get(f"/console{page}").text) is None
    number = token[0].split("_")[1]
    assert olga.submit("/owner/person/revoke", {"name": "ben", "token": number}, of=page).status_code == 403
    olga.submit("/owner/person/revoke", {"name": "ada", "token": number}, of=page)
    assert hall.people.by_token(token[0]) is None
    olga.submit("/owner/person/access", {"name": "ada", "do": "end", "reason-access": "left"}, of=page)
    assert ada.get("/console/ask", follow_redirects=False).status_code == 303
    told = olga.get("/console/owner").text
    assert all(each in told for each in ("smaller", "on leave", "back", "left"))
    for path in ("cap", "freeze", "token", "access"):
        assert hall.browser("vera").submit(f"/owner/person/{path}", {"name": "ben"}, of="/account").status_code == 403


def test_everybody_can_be_frozen_at_once(hall: Hall) -> None:
    olga, ada = hall.browser("olga"), hall.browser("ada")
    olga.submit("/owner/freeze", {"do": "freeze", "reason": "an incident"}, of="/owner")
    assert ada.ask(COUNT).status_code == 200
    olga.submit("/owner/freeze", {"do": "thaw", "reason": "over"}, of="/owner")
    assert ada.ask(COUNT).status_code == 303


def test_when_the_data_are_new_equal_questions_are_paid_for_anew(hall: Hall) -> None:
    olga, ada = hall.browser("olga"), hall.browser("ada")
    assert ada.ask(COUNT).status_code == ada.ask(COUNT).status_code == 303
    spent = hall.desk.ledger.spent
    assert olga.submit("/owner/freeze", {"do": "version", "reason": ""}, of="/owner").status_code == 422
    olga.submit("/owner/freeze", {"do": "version", "reason": "a new month"}, of="/owner")
    assert hall.desk.ledger.spent == spent
    assert ada.ask(COUNT).status_code == 303
    assert hall.desk.ledger.spent.epsilon == 2 * spent.epsilon


def test_exports_hold_the_ledger_and_no_answer_in_words(hall: Hall) -> None:
    hall.browser("ada").ask(BY_SEX, purpose="=HYPERLINK(1)")
    vera = hall.browser("vera")
    rows = list(csv.reader(io.StringIO(vera.get("/console/owner/ledger.csv").text)))
    assert any("'=HYPERLINK(1)" in row for row in rows)
    found = json.loads(vera.get("/console/owner/ledger.json").text)
    assert found["entries"] >= 1
    record = vera.get("/console/owner/record.txt")
    assert "attachment" in record.headers["content-disposition"]
    assert "ada (analyst): epsilon 0.1" in record.text
    assert "each person" in record.text
    statement = vera.get("/console/owner/promise.txt").text
    assert "at most 96 % sure" in statement
    assert not any(word in statement.casefold() for word in ("anonym", "safe", "cannot be identified"))


def test_a_ledger_that_was_changed_is_told_to_the_owner_and_answers_nothing(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    catalog = invented()
    kept = privet.Catalog(
        name=catalog.name,
        unit=catalog.unit,
        limit=Guarantee(3),
        tables=catalog.tables,
        frames=catalog.frames,
        ledger=f"sqlite:///{place}",
    )
    with opened(kept) as hall:
        olga, ada = hall.browser("olga"), hall.browser("ada")
        assert ada.ask(COUNT).status_code == 303
        with sqlite3.connect(place) as base:
            base.execute("DROP TRIGGER entries_stay")
            base.execute("UPDATE entries SET body = replace(body, 'ada', 'eve')")
        base.close()
        page = olga.get("/console/owner")
        assert page.status_code == 503
        assert "Chain does not verify" in page.text
        assert str(tmp_path) not in page.text
