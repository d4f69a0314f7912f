"""The workbench as plain forms: price, answer, repeats, refusals, approval, and what nobody may see."""

import re
from fractions import Fraction

import pytest

from privet.errors import AnswerLost, Busy, ReleaseFailed
from privet.loss import ConcentratedGuarantee
from tests.support.console import BY_SEX, BY_TOWN, COUNT, KEY, NUMBER, Hall, invented, opened

AMOUNT = re.compile(r'name="amount" value="([^"]*)"')
WANTED = re.compile(r'name="wanted" value="([^"]*)"')
WAS = re.compile(r'name="(was_[a-z]+|column)" value="([^"]*)"')


def test_looking_is_free_and_running_is_charged_once_however_often_it_is_sent(hall: Hall) -> None:
    browser = hall.browser("ada")
    shown = browser.get("/console/ask", params={"sql": COUNT}).text
    assert AMOUNT.search(shown)
    assert "± 30" in shown.replace("\N{NO-BREAK SPACE}", " ")
    assert hall.spent("ada") == 0
    key = KEY.search(shown)
    assert key is not None
    first = browser.ask(COUNT, key=key[1])
    assert first.status_code == 303
    again = browser.ask(COUNT, key=key[1])
    assert again.headers["location"] == first.headers["location"]
    assert hall.spent("ada") == Fraction(1, 10)
    page = browser.get(first.headers["location"]).text
    assert NUMBER.search(page)
    assert 'class="pm">± ' in page
    assert 'value="again"' in page


def test_the_same_question_is_free_and_asking_again_is_not(hall: Hall) -> None:
    browser = hall.browser("ada")
    first = browser.ask(COUNT).headers["location"]
    assert browser.ask(COUNT, key="ab" * 16).headers["location"] == first
    assert hall.spent("ada") == Fraction(1, 10)
    assert browser.ask(COUNT, key="cd" * 16, do="again").headers["location"] != first
    assert hall.spent("ada") == Fraction(2, 10)


def test_the_slider_the_margin_and_the_price_are_one_number(hall: Hall) -> None:
    browser = hall.browser("ada")
    shown = browser.get("/console/ask", params={"sql": BY_SEX}).text
    was = dict(WAS.findall(shown))
    by_margin = browser.submit("/price", {**was, "sql": BY_SEX, "wanted": "10", "amount": was["was_amount"]}).text
    amount = AMOUNT.search(by_margin)
    assert amount is not None
    assert Fraction(amount[1]) > Fraction(was["was_amount"])
    form = {**dict(WAS.findall(by_margin)), "sql": BY_SEX, "wanted": "10", "amount": "0.5"}
    by_price = browser.submit("/price", form).text
    wanted = WANTED.search(by_price)
    assert wanted is not None
    assert float(wanted[1]) < 10
    moved = {**dict(WAS.findall(by_price)), "sql": BY_SEX, "wanted": wanted[1], "amount": "0.5", "slider": "0"}
    by_slider = AMOUNT.search(browser.submit("/price", moved).text)
    assert by_slider is not None
    assert by_slider[1] == "0.001"
    for word in ("wanted", "amount"):
        wrong = browser.submit("/price", {**was, "sql": BY_SEX, "amount": was["was_amount"], word: "nan"}).text
        assert "is a number above 0" in wrong


def test_what_is_refused_says_why_and_is_not_charged(hall: Hall) -> None:
    browser = hall.browser("ada")
    for sql in (
        "SELECT * FROM patient",
        "SELECT COUNT(* FROM patient",
        "DROP TABLE patient",
        "SELECT 1; SELECT 2",
        "\0",
    ):
        answer = browser.submit("/ask", {"sql": sql, "do": "run"})
        assert "Nothing was charged" in answer.text
    assert hall.spent("ada") == 0
    assert "at most" in browser.submit("/ask", {"sql": "SELECT " + "x" * 100_001, "do": "run"}).text


def test_unlisted_groups_take_a_delta_and_the_price_says_so(hall: Hall) -> None:
    browser = hall.browser("ada")
    shown = browser.get("/console/ask", params={"sql": BY_TOWN}).text
    assert "10⁻⁶" in shown
    assert (
        "10⁻⁶" not in browser.get("/console/ask", params={"sql": COUNT}).text.split("runbar")[0].split('id="price"')[1]
    )
    assert browser.ask(BY_TOWN).status_code == 303


def test_what_does_not_fit_is_not_charged_and_offers_what_does(hall: Hall) -> None:
    browser = hall.browser("ada")
    answer = browser.ask(COUNT, amount="2")
    assert answer.status_code == 200
    assert 'name="take" value="1"' in answer.text
    assert 'value="run"' not in answer.text
    assert hall.spent("ada") == 0
    taken = browser.submit("/ask", {"sql": COUNT, "amount": "2", "take": "0.5"})
    assert 'name="amount" value="0.5"' in taken.text


def test_a_question_above_the_largest_waits_for_the_owner_and_runs_once(hall: Hall) -> None:
    ben, olga = hall.browser("ben"), hall.browser("olga")
    assert 'value="request"' in ben.get("/console/ask", params={"sql": COUNT, "amount": "0.2"}).text
    assert "Nothing was charged" in ben.ask(COUNT, amount="0.2").text
    asked = ben.submit("/ask", {"sql": COUNT, "amount": "0.2", "purpose": "for the board", "do": "request"})
    assert "The owner was asked" in asked.text
    page = olga.get("/console/owner").text
    assert "for the board" in page
    number = re.findall(r'name="number" value="([0-9a-f]+)"', page)[0]
    assert (
        "in words" in olga.submit("/owner/decide", {"number": number, "do": "approve", "reason": " "}, of="/owner").text
    )
    done = olga.submit("/owner/decide", {"number": number, "do": "approve", "reason": "fine"}, of="/owner")
    assert "Allowed once" in done.text
    shown = ben.get("/console/ask", params={"request": number}).text
    assert 'name="amount" value="0.2"' in shown
    assert 'value="run"' in shown
    assert ben.ask(COUNT, amount="0.2", purpose="for the board").status_code == 303
    assert hall.spent("ben") == Fraction(1, 5)
    assert ben.ask(COUNT, amount="0.2", purpose="for the board", key="ee" * 16, do="again").status_code == 200
    assert hall.spent("ben") == Fraction(1, 5)


def test_nobody_sees_the_answers_requests_and_questions_of_others(hall: Hall) -> None:
    ada, ben, olga = (hall.browser(name) for name in ("ada", "ben", "olga"))
    number = ada.ask(BY_SEX, purpose="only mine").headers["location"].rpartition("/")[2]
    for other in (ben, olga):
        for path in (f"/answers/{number}", f"/answers/{number}.csv", f"/ask/{number}", f"/answers/{number}.exe"):
            assert other.get(f"/console{path}").status_code == 404, path
        assert "only mine" not in other.get("/console/history").text
        assert "only mine" not in other.get("/console/ask").text
    assert ada.get(f"/console/answers/{number}").status_code == 200
    missing = [ben.get(f"/console/answers/{each}").text for each in (number, "0" * 32)]
    assert missing[0].replace(number, "") == missing[1].replace("0" * 32, "")
    assert ben.get("/console/ask", params={"request": number}).status_code == 404


def test_an_analyst_is_told_nothing_of_what_others_spend(hall: Hall) -> None:
    ada, ben = hall.browser("ada"), hall.browser("ben")
    before = ada.get("/console/ask").text
    assert ben.ask(COUNT, amount="0.01").status_code == 303
    after = ada.get("/console/ask").text
    assert KEY.sub("", after) == KEY.sub("", before)


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (ReleaseFailed("row 7 is 12.5"), "No answer. The charge stays."),
        (AnswerLost("lost at /srv/ledger.db"), "the answer is gone"),
        (Busy("too many statements run"), "Not now. Nothing was charged."),
    ],
)
def test_failures_say_what_is_paid_and_never_why(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, problem: Exception, words: str
) -> None:
    browser = hall.browser("ada")

    def failing(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr(hall.desk, "ask", failing)
    answer = browser.ask(COUNT)
    assert words in answer.text
    assert "12.5" not in answer.text
    assert "/srv" not in answer.text


def test_the_script_gets_parts_with_the_same_words(hall: Hall) -> None:
    browser = hall.browser("ada")
    part = browser.submit("/price", {"sql": COUNT}, **{"X-Privet-Part": "1"})
    assert "<main" not in part.text
    assert 'id="price"' in part.text
    ran = browser.submit("/ask", {"sql": COUNT, "do": "run", "amount": "0.1"}, **{"X-Privet-Part": "1"})
    assert all(f'id="{each}"' in ran.text for each in ("price", "outcome", "side"))
    assert NUMBER.search(ran.text)


def test_stopping_says_that_the_charge_stays(hall: Hall) -> None:
    answer = hall.browser("ada").submit("/stop", {"key": "ab" * 16})
    assert "the charge stays" in answer.text


def test_a_limit_on_rho_has_prices_in_rho() -> None:
    with opened(invented(ConcentratedGuarantee("0.5"))) as hall:
        browser = hall.browser("ada")
        shown = browser.get("/console/ask", params={"sql": BY_SEX}).text
        assert ">ρ</button>" in shown
        assert "pass delta" not in browser.get("/console/ask", params={"sql": BY_TOWN}).text
        place = browser.ask(BY_SEX, amount="0.01").headers["location"]
        assert "ρ\N{NO-BREAK SPACE}0.01" in browser.get(place).text
        assert hall.browser("olga").get("/console/owner").status_code == 200
