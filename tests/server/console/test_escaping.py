"""Names and values that are markup, formulas or commands stay what they are: texts."""

import csv
import html
import io
import json
import re

import pyarrow as pa

from privet.query.results.answer import Answer
from tests.support.console import BY_TOWN, TOWNS, Hall, invented, opened

VALUE = re.compile(r'value="[^"]*"')
NASTY = "<script>alert(1)</script>"
PURPOSE = '"><svg onload=alert(1)> =cmd|x {{7*7}} {% raw %} \u202e [x](javascript:alert(1))'


def answered(hall: Hall) -> tuple[str, str]:
    browser = hall.browser("ada")
    place = browser.ask(BY_TOWN, amount="1", purpose=PURPOSE).headers["location"]
    return place.rpartition("/")[2], browser.get(place).text


def test_keys_and_purposes_are_shown_as_they_are_written(hall: Hall) -> None:
    number, page = answered(hall)
    assert html.escape(TOWNS[2]) in page
    for text in (
        page,
        hall.browser("ada").get(f"/console/answers/{number}").text,
        hall.browser("olga").get("/console/owner").text,
    ):
        assert TOWNS[2] not in text
        assert "<svg onload" not in text
        assert "49" not in text.split("{{7*7}}")[0][-20:]
        assert "\u202e" not in VALUE.sub("", text)  # only whoever typed it sees it in their own field


def test_names_of_tables_and_columns_are_texts() -> None:
    with opened(invented(table=NASTY, column='"><b onclick=x>')) as hall:
        browser = hall.browser("ada")
        sql = f'SELECT COUNT(*) AS "{NASTY}" FROM "{NASTY}"'  # noqa: S608 - that it is read as a name is the point
        pages = [browser.get(f"/console{path}").text for path in ("/ask", "/history")]
        pages.append(browser.get("/console/ask", params={"sql": sql}).text)
        pages.append(hall.browser("olga").get("/console/owner").text)
        pages.append(hall.browser("olga").get("/console/connect").text)
        pages.append(browser.ask(sql).text)
        assert hall.spent("ada") > 0
        pages.append(browser.get("/console/history").text)
        for page in pages:
            assert NASTY not in page
            assert "<b onclick" not in page


def test_names_of_people_and_reasons_are_texts(hall: Hall) -> None:
    olga = hall.browser("olga")
    name = "<i>eve</i>"
    made = olga.submit(
        "/owner/invite", {"name": name, "kind": "analyst", "cap": "0.1", "reason": "<u>why</u>"}, of="/owner/invite"
    )
    assert made.status_code == 200
    for page in (
        made.text,
        olga.get("/console/owner").text,
        olga.get("/console/owner/person?name=%3Ci%3Eeve%3C%2Fi%3E").text,
    ):
        assert name not in page
        assert "<u>why" not in page
        assert html.escape(name) in page
    find = olga.get("/console/owner", params={"find": '"><script>x'}).text
    assert '"><script>x' not in find


def test_a_spreadsheet_takes_nothing_for_a_formula(hall: Hall) -> None:
    number, _ = answered(hall)
    answer = hall.browser("ada").get(f"/console/answers/{number}.csv")
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert rows[0] == ["town", "n", "n_low", "n_high"]
    assert any(row[0] == f"'{TOWNS[3]}" for row in rows)
    assert not any(
        cell.lstrip().startswith(("=", "+", "@", "-", "|"))
        for row in rows
        for cell in row
        if not cell.lstrip("-").isdigit()
    )
    name = answer.headers["content-disposition"]
    assert name.isascii()
    assert all(sign not in name for sign in "<>{}/\\|") and name.count('"') == 2  # noqa: PT018 - one sentence
    assert name.endswith('.csv"')


def test_a_notebook_runs_and_holds_the_same_answer(hall: Hall) -> None:
    number, _ = answered(hall)
    browser = hall.browser("ada")
    book = json.loads(browser.get(f"/console/answers/{number}.ipynb").text)
    first, code = book["cells"][0]["source"], book["cells"][1]["source"]
    assert "<svg" not in first
    assert "](javascript" not in first
    scope: dict[str, object] = {}
    exec(code, scope)  # noqa: S102 - that it runs is the point
    found = scope["answer"]
    assert isinstance(found, Answer)
    assert found.purpose == PURPOSE
    table = pa.ipc.open_stream(browser.get(f"/console/answers/{number}.arrow").content).read_all()
    assert table.to_pylist() == found.table.to_pylist()
    facts = table.schema.metadata
    assert json.loads(facts[b"privet.answer"])["purpose"] == PURPOSE
    assert "ε" in facts[b"privet.receipt"].decode()
