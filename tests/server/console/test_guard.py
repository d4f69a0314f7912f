"""Forms of other sites, planted sessions, foreign places to go to."""

import pytest

from privet.server.settings import Settings
from tests.support.console import COUNT, PASSWORD, Hall, invented, opened


def test_a_form_without_its_token_does_nothing(hall: Hall) -> None:
    browser = hall.browser("ada")
    other = hall.browser("ben")
    for token in ("", "0" * 64, other.token("/ask"), "ä"):
        answer = browser.post("/console/ask", data={"csrf": token, "sql": COUNT, "do": "run"}, follow_redirects=False)
        assert answer.status_code == 400
    assert hall.spent("ada") == 0
    assert browser.ask(COUNT).status_code == 303  # the same with its own
    assert hall.spent("ada") > 0


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost.evil.example:8443"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_form_that_another_site_sends_is_refused_even_with_its_token(hall: Hall, headers: dict[str, str]) -> None:
    browser = hall.browser("ada")
    assert browser.submit("/ask", {"sql": COUNT, "do": "run"}, **headers).status_code == 403
    assert hall.spent("ada") == 0


def test_own_origins_are_not_foreign(hall: Hall) -> None:
    browser = hall.browser("ada")
    headers = {"origin": "http://localhost:8443", "sec-fetch-site": "same-origin"}
    assert browser.submit("/ask", {"sql": COUNT, "do": "run"}, **headers).status_code == 303


def test_a_session_that_was_planted_is_not_taken_over(hall: Hall) -> None:
    planted = hall.people.begin_session(hall.people.add("mallory", password=PASSWORD))
    browser = hall.browser()
    browser.cookies.set("privet", planted, domain="localhost.local", path="/")
    token = browser.token("/account")
    browser.post("/console/sign-out", data={"csrf": token})
    assert hall.people.by_session(planted) is None
    before = dict(browser.cookies)
    browser.sign_in("ada")
    assert browser.cookies["privet"] not in before.values()


def test_signing_out_ends_the_session_on_the_server(hall: Hall) -> None:
    browser = hall.browser("ada")
    secret = browser.cookies["privet"]
    assert hall.people.by_session(secret) is not None
    browser.submit("/sign-out", {})
    assert hall.people.by_session(secret) is None
    assert browser.get("/console/ask", follow_redirects=False).status_code == 303


@pytest.mark.parametrize(
    "place", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/%0d%0aX:1//", "ask"]
)
def test_signing_in_leads_nowhere_else(hall: Hall, place: str) -> None:
    browser = hall.browser()
    form = {"name": "ada", "password": PASSWORD, "next": place}
    answer = browser.submit("/sign-in", form, of="/sign-in")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/console/"


def test_signing_in_leads_back(hall: Hall) -> None:
    browser = hall.browser()
    asked = browser.get("/console/ask?sql=SELECT+1", follow_redirects=False)
    shown = browser.get(asked.headers["location"]).text
    assert 'name="next" value="/ask?sql=SELECT+1"' in shown


def test_cookies_are_for_this_server_alone() -> None:
    plain, secure = Settings(), Settings(public_address="https://privet.example.org", behind_proxy=True)
    for settings, host, name in (
        (plain, "http://localhost:8443", "privet="),
        (secure, "https://privet.example.org", "__Host-privet="),
    ):
        with opened(invented(), settings) as hall:
            browser = hall.browser(host=host)
            form = {"name": "ada", "password": PASSWORD}
            said = browser.submit("/sign-in", form, of="/sign-in").headers.get_list("set-cookie")
            session = next(each for each in said if each.startswith(name))
            assert "HttpOnly" in session
            assert "SameSite=lax" in session
            assert "Path=/" in session
            assert ("Secure" in session) == (settings is secure)
            assert "Domain" not in session


def test_a_wrong_password_and_an_unknown_name_look_alike(hall: Hall) -> None:
    answers = []
    for name in ("ada", "nobody"):
        answer = hall.browser().submit("/sign-in", {"name": name, "password": "not this one"}, of="/sign-in")
        answers.append((answer.status_code, answer.text.replace(name, "").split("<main")[1].split("csrf")[0]))
    assert answers[0] == answers[1]
    assert answers[0][0] == 401


def test_a_tab_that_was_left_open_is_sent_to_the_door_and_not_to_an_error(hall: Hall) -> None:
    browser = hall.browser("ada")
    token = browser.token("/ask")
    hall.people.sign_out(browser.cookies["privet"])
    answer = browser.post("/console/ask", data={"csrf": token, "sql": COUNT, "do": "run"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/console/sign-in")
