"""The console in a real Chromium: from the wizard to an export, on a desk and on a phone; axe; without a script."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from privet.server.console import FirstRun, console_router
from privet.server.desk import Desk
from privet.server.people import People
from privet.server.settings import Settings
from tests.support.console import BY_TOWN, CHEAP, PASSWORD, invented, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import Page

pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("chromium")]

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
BY_SEX = "SELECT sex, COUNT(*) AS n, AVG(age) AS mean_age FROM patient GROUP BY sex"
INJECTED = """() => {
    const script = document.createElement("script");
    script.textContent = "window.injected = 1";
    document.body.append(script);
}"""
SERIOUS = ("serious", "critical")
TROUBLES: list[str] = []  # what pages complained of
WAIT = 15_000  # milliseconds until a test that waits gives up


@pytest.fixture(scope="module")
def chromium() -> Iterator["Chromium"]:
    playwright = pytest.importorskip("playwright.sync_api", reason="pages are not looked at: playwright is missing")
    if not CHROMIUM.exists():
        pytest.skip(f"pages are not looked at: there is no {CHROMIUM}, such as Debian's package chromium")
    with playwright.sync_playwright() as found:
        browser = found.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def no_troubles() -> Iterator[None]:
    """What a page complained of is a failure, but for refusals with a status of their own."""
    TROUBLES.clear()
    yield
    assert [each for each in TROUBLES if "status of 4" not in each] == []


@contextmanager
def served(make: Any) -> Iterator[str]:  # noqa: ANN401 - what makes an application of settings
    """An application on a free port of this machine."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        settings = Settings(port=listening.getsockname()[1])
        with make(settings) as app:
            server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none", lifespan="off"))
            thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
            thread.start()
            try:
                yield f"{settings.address}/console"
            finally:
                server.should_exit = True
                thread.join(10)


@contextmanager
def console(settings: Settings) -> Iterator[Starlette]:
    with opened(invented(), settings) as hall:
        yield hall.app


def page_of(chromium: "Chromium", **how: Any) -> "Page":  # noqa: ANN401 - options of playwright
    """A page of a browser of its own, in which every error of the console is an error of the test."""
    context = chromium.new_context(**{"viewport": DESK, **how})
    context.set_default_timeout(WAIT)
    page = context.new_page()
    page.on("pageerror", lambda problem: TROUBLES.append(str(problem)))
    page.on("console", lambda said: TROUBLES.append(said.text) if said.type == "error" else None)
    return page


def sign_in(page: "Page", address: str, name: str) -> None:
    page.goto(f"{address}/sign-in")
    page.fill("#f-name", name)
    page.fill("#f-password", PASSWORD)
    page.click("main button.primary")
    page.wait_for_selector("header .who")


def issues(page: "Page") -> list[str]:
    """What axe finds that is serious; in the other colours, which change nothing else, only by contrast."""
    found = _issues(page, {"resultTypes": ["violations"]})
    page.emulate_media(color_scheme="dark")
    found += _issues(page, {"resultTypes": ["violations"], "runOnly": ["color-contrast"]})
    page.emulate_media(color_scheme="light")
    return found


def _issues(page: "Page", options: dict[str, Any]) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing").Axe()
    found = axe.run(page, options=options).response["violations"]
    return [
        f"{page.url}: {each['id']}: {each['nodes'][0]['html'][:150]}" for each in found if each["impact"] in SERIOUS
    ]


def fits(page: "Page") -> bool:
    """Whether nothing sticks out to the right."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


@contextmanager
def nothing_yet(tmp_path: Path) -> Iterator[str]:
    """A server without a catalog, in a folder with one file."""
    ages = [each % 90 for each in range(4_000)]
    rows = {"pid": list(range(4_000)), "age": ages, "sex": ["FM"[each % 2] for each in range(4_000)]}
    pq.write_table(pa.table(rows), tmp_path / "patient.parquet")
    people = People.open(None, work=CHEAP, iterations=4096)
    desks: list[Desk] = []

    @contextmanager
    def first(settings: Settings) -> Iterator[FirstRun]:
        def begin(catalog: Path) -> Starlette:
            desks.append(Desk.open(catalog, people=people, settings=settings, create=True))
            return Starlette(routes=[Mount("/console", console_router(desks[0], people, settings))])

        yield FirstRun(begin, people=people, settings=settings, folder=tmp_path, code="the-code")

    with served(first) as address:
        yield address
    for desk in desks:
        desk.close()
    people.close()


def set_up(olga: "Page", address: str) -> list[str]:
    """The wizard, with one thing to put right; what axe finds on its pages."""
    olga.goto(f"{address}/setup?code=the-code")
    found = issues(olga)
    for name, value in (("name", "olga"), ("password", PASSWORD), ("again", PASSWORD)):
        olga.fill(f"#f-{name}", value)
    olga.click("main button.primary")
    olga.fill("#f-place", "patient.parquet")
    found += issues(olga)
    olga.click("main button.primary")
    olga.fill("#f-unit", "patient")
    olga.select_option("select[name=owner-0]", "pid")
    found += issues(olga)
    olga.click("main button.primary")
    for name, value in (("low-0-1", "110"), ("high-0-1", "0"), ("values-0-2", "F, M")):
        olga.fill(f"input[name={name}]", value)
    olga.click("main button.primary")
    olga.wait_for_selector(".field-error")
    found += issues(olga)
    olga.fill("input[name=low-0-1]", "0")
    olga.fill("input[name=high-0-1]", "110")
    olga.click("main button.primary")
    olga.wait_for_selector("#limit-form")
    found += issues(olga)
    assert fits(olga)
    olga.click("main button.primary")
    olga.wait_for_selector("#c-web")
    return found + issues(olga)


def invited(olga: "Page") -> str:
    """The link for ada, who asks before answers above ε 0.05."""
    olga.click("a[href$='/owner/invite']")
    for name, value in (("name", "ada"), ("cap", "1"), ("largest", "0.05")):
        olga.fill(f"#f-{name}", value)
    olga.click("main button.primary")
    return olga.inner_text("#link")


def request(ada: "Page", link: str) -> list[str]:
    """Accept the invitation, and ask for a question to be allowed; what axe finds."""
    ada.goto(link)
    found = issues(ada)
    ada.fill("#f-password", PASSWORD)
    ada.fill("#f-again", PASSWORD)
    ada.click("main button.primary")
    ada.wait_for_selector(".card")
    ada.fill("#sql", BY_SEX)
    ada.wait_for_selector("button[value=request]")
    assert "± 60" in ada.inner_text(".pm-list").replace("\N{NO-BREAK SPACE}", " ")
    ada.fill("#purpose", "for the board")
    ada.click("button[value=request]")
    ada.wait_for_selector("#outcome .callout.ok")
    return found + issues(ada)


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_from_the_wizard_to_an_export(chromium: "Chromium", tmp_path: Path, size: dict[str, int]) -> None:
    with nothing_yet(tmp_path) as address:
        olga = page_of(chromium, viewport=size, accept_downloads=True)
        ada = page_of(chromium, viewport=size, accept_downloads=True)
        found = set_up(olga, address)
        found += request(ada, invited(olga))
        olga.goto(f"{address}/owner")
        found += issues(olga)
        olga.fill("#why-1", "they may know")
        olga.click("button[value=approve]")
        olga.wait_for_selector(".said")

        ada.goto(f"{address}/ask")
        ada.click("#side a[href*='request=']")
        ada.click("button[value=run]")
        ada.wait_for_selector("#answer table")
        assert ada.locator("#answer tbody tr").count() == 3  # F, M, and nothing said
        assert ada.locator("#answer .pm").count() >= 4  # the average of no rows has none
        assert fits(ada)
        found += issues(ada)
        with ada.expect_download() as saved:
            ada.click("a[href$='.csv']")
        assert saved.value.suggested_filename.startswith("for-the-board-")

        olga.goto(f"{address}/owner")
        olga.wait_for_selector(".fig")
        found += issues(olga)
        with olga.expect_download() as ledger:
            olga.click("a[href$='ledger.json']")
        assert "for the board" in Path(ledger.value.path()).read_text(encoding="utf-8")
        assert found == []


def test_axe_finds_nothing_serious_on_any_page(chromium: "Chromium") -> None:
    with served(console) as address:
        page = page_of(chromium)
        found: list[str] = []
        for path in ("/sign-in", "/epsilon", "/help", "/nowhere"):
            page.goto(f"{address}{path}")
            found += issues(page)
        sign_in(page, address, "ada")
        found += issues(page)
        page.goto(f"{address}/ask?amount=0.5&sql={BY_TOWN}")
        found += issues(page)
        page.click("button[value=run]")
        page.wait_for_selector("#answer")
        found += issues(page)
        number = page.get_attribute("#answer .receipt a", "href") or ""
        page.goto(f"{address}{number.removeprefix('/console')}")
        found += issues(page)
        for path in (
            "/history",
            "/account",
            "/ask?sql=SELECT+*+FROM+patient",
            "/ask?amount=9&sql=SELECT+COUNT(*)+FROM+patient",
        ):
            page.goto(f"{address}{path}")
            found += issues(page)
        page.click("form.out button")
        sign_in(page, address, "olga")
        for path in ("/owner", "/owner/invite", "/owner/person?name=ada", "/connect"):
            page.goto(f"{address}{path}")
            found += issues(page)
        assert found == []


def test_asking_works_without_a_script(chromium: "Chromium") -> None:
    with served(console) as address:
        page = page_of(chromium, java_script_enabled=False)
        sign_in(page, address, "ada")
        page.click(".card >> nth=0")
        assert page.locator("#price .amount").count() == 1
        page.fill("#sql", BY_SEX)
        page.fill("#wanted", "10")
        page.click("button[value=price]")
        assert page.input_value("#wanted") == "10"
        page.fill("#amount", "0.2")
        page.click("button[value=price]")
        assert page.input_value("#amount") == "0.2"
        page.click("button[value=run]")
        assert page.locator("#answer tbody tr").count() == 2
        before = page.inner_text("#side .big")
        page.reload()
        assert page.inner_text("#side .big") == before


def test_the_keyboard_is_enough_and_the_price_follows_what_is_typed(chromium: "Chromium") -> None:
    with served(console) as address:
        page = page_of(chromium)
        sign_in(page, address, "ada")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.focus("#sql")
        page.keyboard.type("SELECT COUNT(*) AS n FROM patient")
        page.wait_for_selector("#exactness")
        assert page.evaluate("document.activeElement.id") == "sql"
        narrow = page.inner_text(".pm-list b")
        page.focus("#exactness")
        page.keyboard.press("End")
        page.wait_for_function("old => document.querySelector('.pm-list b').textContent !== old", arg=narrow)
        assert page.locator(".over").count() == 1
        page.focus("#amount")
        page.fill("#amount", "0.3")
        page.wait_for_function("() => document.querySelector('.pm-list b').textContent.includes('10')")
        page.focus("#sql")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("#answer")
        assert page.locator("#answer .pm").count() == 1


def test_planted_faults_are_found(chromium: "Chromium") -> None:
    with served(console) as address:
        page = page_of(chromium)
        page.goto(f"{address}/sign-in")
        page.evaluate("document.querySelector('label[for=f-name]').remove()")
        assert any("label" in each for each in issues(page))
        page.evaluate(INJECTED)
        assert page.evaluate("() => window.injected === undefined")
        assert any("Content Security Policy" in each for each in TROUBLES)
        TROUBLES.clear()


def test_the_slider_can_be_dragged(chromium: "Chromium") -> None:
    with served(console) as address:
        page = page_of(chromium)
        sign_in(page, address, "ada")
        page.goto(f"{address}/ask?amount=0.1&sql=SELECT+COUNT(*)+AS+n+FROM+patient")
        before = page.input_value("#amount")
        box = page.locator("#exactness").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2, steps=4)
        page.wait_for_timeout(400)  # long enough for a price that would have taken the slider away
        page.mouse.move(box["x"] + box["width"] / 8, box["y"] + box["height"] / 2, steps=4)
        page.mouse.up()
        page.wait_for_function("old => document.getElementById('amount').value !== old", arg=before)
        assert float(page.input_value("#amount")) < 0.01
