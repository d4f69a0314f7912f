"""Surveys in Chromium: what leaves the page, what is counted, and whether everybody can use it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request

from privet.local.device import Collection, ReportMessage
from privet.local.survey import ForcedResponse
from privet.server.collector import Collector
from privet.server.survey import classroom, new_survey
from tests.support.chromium import chromium
from tests.support.collecting import collector, held
from tests.support.serving import served

pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("chromium")]
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce", locale="fr-CH")
    opened = context.new_page()
    problems: list[str] = []
    opened.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda problem: problems.append(str(problem)))
    yield opened
    context.close()
    assert [each for each in problems if "ERR_" not in each and "410" not in each] == [], (
        "also what the policy of the page refused"
    )


def answer(page: Page, address: str, *, yes: bool) -> None:
    page.goto(address)
    page.get_by_text("Yes" if yes else "No", exact=True).first.click()
    page.locator("#agree").check()
    page.get_by_role("button", name="Flip the coins").or_(page.get_by_role("button", name="Draw")).click()
    page.locator("#send").click()
    page.get_by_role("heading", name="Sent. Thank you.").wait_for()


@pytest.mark.parametrize("people", [12, pytest.param(200, marks=pytest.mark.soak)])
def test_people_answer_on_the_page_and_the_result_holds_the_truth(people: int, page: Page, tmp_path: Path) -> None:
    facts = new_survey("Have you ever copied in an exam?", design="forced", epsilon="3", controller="Class 10b")
    made = collector(tmp_path / "a.db", facts)
    sent: list[bytes] = []
    page.on(
        "request", lambda request: sent.append(request.post_data_buffer or b"") if request.method == "POST" else None
    )
    with served(made) as address:
        for number in range(people):
            answer(page, f"{address}/survey/{facts.id}", yes=number % 3 == 0)
        page.goto(f"{address}/survey/{facts.id}/results")
        shown = page.locator(".huge").inner_text()
        told = page.request.get(f"{address}/survey/{facts.id}/results.json").json()
    assert ("%" in shown) == (people == 200), "a result that is too wide is not shown"
    assert held(made, facts) == people == len(sent)
    known = [ReportMessage.unpack(body) for body in sent]
    assert len({each.nonce for each in known}) == people
    assert {(each.collection, each.config_hash, each.period) for each in known} == {
        (facts.id_bytes, facts.config_hash, 0)
    }
    lied = sum((each.payload == b"\1") != (number % 3 == 0) for number, each in enumerate(known))
    assert lied <= 12 + people // 10, "a lie in twenty is expected: more than that has a chance below 1e-6"
    design = ForcedResponse(1 - 2 * facts.randomizer.flip_zero)  # type: ignore[attr-defined]
    yes = sum(each.payload == b"\1" for each in known[: told["reports"]])
    low, high = told["rows"][1]["share_low"], told["rows"][1]["share_high"]
    wide = design.estimate(yes=yes, answers=told["reports"]).interval(1 - 1e-6)
    assert wide[0] <= 1 / 3 <= wide[1]
    assert low < high


def requests(page: Page) -> list[str]:
    """What a page asks for from now on."""
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(f"{request.method} {request.url}")

    page.on("request", note)
    return asked


def test_who_declines_sends_nothing(page: Page, tmp_path: Path) -> None:
    """Row R167, at the network: before consent, after it but before sending, and after "no, thank you"."""
    facts = classroom()
    made = collector(tmp_path / "a.db", facts)
    with served(made) as address:
        page.goto(f"{address}/survey/{facts.id}", wait_until="networkidle")
        asked = requests(page)
        page.get_by_role("button", name="Flip the coins").click()
        assert page.locator("#choose").inner_text().startswith("Choose Yes or No")
        page.get_by_text("Yes", exact=True).first.click()
        page.get_by_role("button", name="Flip the coins").click()
        assert page.locator("#choose").inner_text().startswith("Tick that you take part")
        page.locator("#agree").check()
        page.get_by_role("button", name="Flip the coins").click()
        assert page.locator("[data-show=bytes]").text_content() != ""
        page.locator("#state-flip").get_by_role("button", name="Do not send anything").click()
        page.get_by_role("heading", name="Nothing was sent.").wait_for()
        page.wait_for_timeout(300)
        assert asked == []
        assert "copied" not in page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
        assert not page.locator("#truth-yes").is_checked()
        assert page.locator("[data-show=bytes]").text_content() == ""
    assert held(made, facts) == 0


def test_an_answer_waits_where_there_is_no_connection(page: Page, tmp_path: Path) -> None:
    facts = classroom()
    made = collector(tmp_path / "a.db", facts)
    with served(made) as address:
        page.goto(f"{address}/survey/{facts.id}")
        page.get_by_text("No", exact=True).first.click()
        page.locator("#agree").check()
        page.get_by_role("button", name="Flip the coins").click()
        bodies: list[bytes] = []
        page.on("request", lambda request: bodies.append(request.post_data_buffer or b""))
        page.context.set_offline(True)
        page.locator("#send").click()
        page.get_by_role("heading", name="Not sent yet").wait_for()
        page.context.set_offline(False)
        page.get_by_role("button", name="Try again").click()
        page.get_by_role("heading", name="Sent. Thank you.").wait_for()
    assert len(bodies) == 2
    assert bodies[0] == bodies[1]
    assert held(made, facts) == 1


def test_real_coins_need_no_script_and_count_once(browser: Browser, tmp_path: Path) -> None:
    facts = new_survey("Have you ever?", controller="Class 10b", language="de")
    made = collector(tmp_path / "a.db", facts)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    with served(made) as address:
        page.goto(f"{address}/survey/{facts.id}")
        assert page.get_by_text("werfen Sie eine echte Münze").is_visible()
        page.locator("input[name=answer][value=yes]").check(force=True)
        page.locator("input[name=agree]").check()
        page.get_by_role("button", name="Senden").click()
        page.get_by_role("heading", name="Gesendet. Danke.").wait_for()
        page.reload()  # sends the form again
        assert made.store.held(facts.id_bytes, 0).payloads == b"\1"
        assert held(made, facts) == 1
    context.close()


def test_a_closed_survey_takes_nothing(page: Page, tmp_path: Path) -> None:
    facts = classroom()
    made = collector(tmp_path / "a.db", facts)
    with served(made) as address:
        page.goto(f"{address}/survey/{facts.id}")
        page.get_by_text("No", exact=True).first.click()
        page.locator("#agree").check()
        page.get_by_role("button", name="Flip the coins").click()
        made.stop(facts.id)
        page.locator("#send").click()
        page.get_by_role("heading", name="This survey is closed.").wait_for()
        page.goto(f"{address}/survey/{facts.id}?lang=de")
        page.get_by_role("heading", name="Diese Umfrage ist geschlossen.").wait_for()


@pytest.mark.parametrize("language", ["en", "de"])
def test_pages_have_no_serious_accessibility_problem(language: str, page: Page, tmp_path: Path) -> None:
    facts = classroom(language=language)
    made = collector(tmp_path / "a.db", facts)
    filled(made, facts)
    words = {"en": ("Yes", "Flip the coins"), "de": ("Ja", "Münzen werfen")}[language]
    with served(made) as address:
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.goto(f"{address}/survey/{facts.id}")
            check(page)
            page.keyboard.press("Tab")  # everything by the keyboard
            page.get_by_label(words[0], exact=True).first.focus()
            page.keyboard.press("Space")
            page.locator("#agree").focus()
            page.keyboard.press("Space")
            page.get_by_role("button", name=words[1]).press("Enter")
            check(page)
            assert page.evaluate("document.activeElement.tagName") == "H1", "readers of screens hear where they are"
            page.locator("#send").press("Enter")
            page.locator("#state-sent h1").wait_for()
            check(page)
            page.goto(f"{address}/survey/{facts.id}/results")
            check(page)
            page.goto(f"{address}/collections/{facts.id}/privacy")
            check(page)
            assert page.evaluate("document.documentElement.lang") == language
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], "no sideways scrolling"


def filled(made: Collector, facts: Collection) -> None:
    """Sixty answers, and a result shown twice."""
    from privet.server.collector.store import Kept  # noqa: PLC0415 - for this one
    from tests.support.collecting import message  # noqa: PLC0415 - for this one

    for part in range(4):
        made.store.keep([Kept.of(message(facts, (n + part) % 3 == 0)) for n in range(60)])
        made.live(facts.id)


def check(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    serious = [each for each in found if each["impact"] in {"serious", "critical"}]
    assert serious == [], json.dumps(serious, indent=1)[:3000]


def test_pages_come_from_here_alone(page: Page, tmp_path: Path) -> None:
    facts = classroom()
    made = collector(tmp_path / "a.db", facts)
    filled(made, facts)
    with served(made) as address:
        asked = requests(page)
        for path in (f"survey/{facts.id}", f"survey/{facts.id}/results", f"collections/{facts.id}/privacy"):
            answered = page.goto(f"{address}/{path}", wait_until="networkidle")
            assert answered is not None
            headers = answered.headers
            assert "set-cookie" not in headers
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["referrer-policy"] == "no-referrer"
    assert len(asked) > 6
    assert all(each.split(" ")[1].startswith(address) for each in asked)
