"""Every route, without a token and with tokens that are not good for it. New routes are found by themselves."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from starlette.routing import Route

from privet.server.desk.asker import MAY
from privet.server.people import TokenScope
from tests.support.served import COUNT, NAMES, Served, people_scopes, served

OPEN = {"/healthz", "/readyz", "/api/v1/openapi.json"}
SPENDS = {"/api/v1/sql", "/api/v1/batch", "/api/v1/requests", "/api/v1/cancel"}  # by POST
FILLED = {"number": "0" * 32, "name": "ada"}
UNKNOWN_TOKEN = f"privet_{'0' * 16}_{'0' * 64}"


@pytest.fixture(scope="module")
def whole() -> Iterator[Served]:
    with served() as found:
        yield found


def routes(found: Served) -> list[tuple[str, str]]:
    """Method and path of each that is described."""
    paths = found.app.openapi()["paths"]
    return [(method, path) for path, methods in paths.items() for method in methods]


def leaves(router: Any) -> Iterator[Route]:  # noqa: ANN401 - routers within routers, however they are kept
    for each in getattr(router, "routes", ()):
        if isinstance(each, Route):
            yield each
        else:
            yield from leaves(getattr(each, "original_router", each))


def needed(method: str, path: str) -> TokenScope:
    """What the rule says: who looks at the ledger audits, who changes it owns, who spends asks, others read."""
    if path.startswith("/api/v1/owner/"):
        return TokenScope.AUDIT if method == "get" else TokenScope.OWN
    return TokenScope.ASK if method == "post" and path in SPENDS else TokenScope.READ


def asked(found: Served, method: str, path: str, token: str | None, **headers: str) -> Any:  # noqa: ANN401 - a response
    said = {} if token is None else {"authorization": f"Bearer {token}"}
    address = f"http://localhost{path.format(**FILLED)}"
    return found.client().request(method, address, json={}, headers={**said, **headers})


def test_every_route_is_described_or_open(whole: Served) -> None:
    found = list(leaves(whole.app))
    hidden = {each.path for each in found if not each.include_in_schema}
    assert hidden == OPEN
    assert len(found) - len(hidden) == len(routes(whole)) > 20
    for path in OPEN:
        assert asked(whole, "get", path, None).status_code == 200


def test_nobody_comes_in_without_a_good_token(whole: Served) -> None:
    people = whole.people
    revoked = people.make_token("ada", label="gone", scopes=None)
    people.revoke_token(people.tokens_of("ada")[0].number)
    expired = people.make_token("ada", label="old", seconds=timedelta(days=1).total_seconds())
    clock, people._clock = people._clock, lambda: clock() + 2 * timedelta(days=1).total_seconds()
    people.add("gone")
    closed = people.make_token("gone", label="x")
    people.deactivate("gone")
    good = whole.tokens["olga"]
    bad = [
        None,
        "",
        "x",
        UNKNOWN_TOKEN,
        revoked,
        expired,
        closed,
        good[:-1],
        good + "0",
        good.upper(),
        f"{good} {good}",
    ]
    told = set()
    for method, path in routes(whole):
        for token in bad:
            found = asked(whole, method, path, token)
            assert found.status_code == 401, (method, path, token)
            assert found.headers["www-authenticate"].startswith("Bearer")
            told.add(found.text)
        for scheme in ("Basic", "bearer x", "Token"):
            assert asked(whole, method, path, None, authorization=f"{scheme} {good}").status_code == 401
    people._clock = clock
    assert len(told) == 1, "why a token is not good is not told"


def test_every_token_does_what_its_scope_says_and_nothing_else(whole: Served) -> None:
    for method, path in routes(whole):
        enough = MAY[needed(method, path)]
        for name in NAMES:
            for scope in people_scopes(whole.people, name):
                found = asked(whole, method, path, whole.tokens[f"{name}:{scope.value}"])
                refused = found.status_code == 403 and found.json()["type"].endswith("not-allowed")
                assert refused == (scope not in enough), (method, path, name, scope)
                assert found.status_code < 500, (method, path, found.text)


def test_others_answers_are_as_if_they_were_not_there(whole: Served) -> None:
    mine = whole.client("ada").post("/sql", json={"statement": COUNT, "epsilon": 1}).json()["number"]
    seen = set()
    for number in (mine, "0" * len(mine), mine[:-1], "..", "%2e%2e", "a/b", "é", "x" * 5000, "%00"):
        for who in ("bob", "vera", "olga"):
            found = whole.client(who).get(f"/answers/{number}")
            assert found.status_code == 404, number
            seen.add(found.text)
    assert len(seen) == 1
    assert "ada" not in str(whole.client("bob").get("/history").json())
    assert whole.client("ada").get(f"/answers/{mine}").status_code == 200


def test_a_token_in_an_address_is_refused_though_it_is_good(whole: Served) -> None:
    token = whole.tokens["ada"]
    for query in (f"token={token}", f"ACCESS_TOKEN={token}"):
        assert whole.client().get(f"/budget?{query}").status_code in (400, 401)
        found = whole.client("ada").get(f"/budget?{query}")
        assert found.status_code == 400
        assert token not in found.text


def test_a_session_of_a_browser_is_no_token(whole: Served) -> None:
    whole.people.add("carla", password="a long sentence here")  # noqa: S106 - of a test
    secret = whole.people.sign_in("carla", "a long sentence here")
    client = whole.client()
    client.cookies.set("session", str(secret))
    assert client.get("/budget").status_code == 401, "so that no other site's form can ask with it"
