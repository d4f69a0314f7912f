"""Every page: who may see it, and the headers it has."""

import re
from collections.abc import Iterator

import pytest

from privet.server.console.router import PAGES
from tests.support.console import Hall, invented, opened

ANYBODY = ("/sign-in", "/epsilon", "/help")
ANALYST = ("/ask", "/history", "/account")
READERS = ("/owner", "/owner/ledger.csv", "/owner/ledger.json", "/owner/record.txt", "/owner/promise.txt")
OWNER = ("/owner/invite", "/owner/person?name=ada", "/connect")
INLINE = re.compile(r"<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:", re.IGNORECASE)
OUTSIDE = re.compile(r"""(?:src|href|action)=["']?(?:https?:)?//""")


@pytest.fixture(scope="module")
def house() -> Iterator[Hall]:
    with opened(invented()) as found:
        yield found


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        (None, ANYBODY),
        ("ada", (*ANYBODY[1:], *ANALYST)),
        ("vera", (*ANYBODY[1:], "/account", *READERS)),
        ("olga", (*ANYBODY[1:], *ANALYST, *READERS, *OWNER)),
    ],
)
def test_everybody_sees_their_own_pages_and_no_others(house: Hall, name: str | None, seen: tuple[str, ...]) -> None:
    browser = house.browser(name)
    for path in (*ANYBODY, *ANALYST, *READERS, *OWNER):
        answer = browser.get(f"/console{path}", follow_redirects=False)
        allowed = {200} if path in seen else {303, 403, 404}
        assert answer.status_code in allowed, path
        if path not in seen and name is not None and path != "/sign-in":
            assert answer.status_code != 303, path


def test_pages_are_strict_and_have_nothing_inline_and_nothing_from_elsewhere(house: Hall) -> None:
    browser = house.browser("olga")
    for path in (*ANYBODY, *ANALYST, "/owner", *OWNER, "/nowhere", "/ask?sql=SELECT+COUNT(*)+FROM+patient"):
        answer = browser.get(f"/console{path}")
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'"), path
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert INLINE.search(answer.text) is None, path
        assert OUTSIDE.search(answer.text) is None, path


def test_planted_markup_is_found_by_these_checks() -> None:
    assert INLINE.search("<script>x</script>")
    assert INLINE.search("<p style='x'>")
    assert INLINE.search("<img onerror=alert(1)>")
    assert OUTSIDE.search('<script src="//cdn.example/x.js">')
    assert not INLINE.search('<script src="/console/static/privet.js" defer></script>')


def test_static_files_are_kept_and_nothing_else_is_a_file(house: Hall) -> None:
    browser = house.browser()
    assert "immutable" in browser.get("/console/static/privet.css?1").headers["cache-control"]
    for name in ("../pages.py", "%2e%2e/pages.py", "privet.py", "", "x.css", "..%2Fpages.py"):
        assert browser.get(f"/console/static/{name}").status_code in (404, 405), name


def test_every_form_needs_its_token_and_every_page_a_person_but_those_of_the_door(house: Hall) -> None:
    browser = house.browser()
    for page in PAGES:
        path = f"/console{page.path}".replace("{number}", "0" * 32)
        method = page.methods[0]
        answer = browser.request(method, path, follow_redirects=False)
        if method == "POST":
            assert answer.status_code in (303, 400), path
        elif page.scope is not None:
            assert answer.status_code == 303, path
            assert "/sign-in" in answer.headers["location"]


def test_an_unforeseen_error_tells_nothing(house: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = house.browser("ada")

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("row 7: /srv/secret.parquet")

    monkeypatch.setattr(house.desk, "history", broken)
    answer = browser.get("/console/history")
    assert answer.status_code == 500
    assert "row 7" not in answer.text
    assert "secret" not in answer.text
