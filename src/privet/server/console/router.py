"""The router of the console: each request for a page or form passes the same checks before its route."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route, Router

from privet.errors import Busy, NotAllowed, PrivetError, SignInNeeded
from privet.server.console.guard import FORM, HEADERS, SECRET, SESSION, cookie_name, is_foreign, is_secure, is_token
from privet.server.console.pages import STATIC, Pages
from privet.server.console.routes.answers import ANSWERS
from privet.server.console.routes.ask import ASK
from privet.server.console.routes.connect import CONNECT
from privet.server.console.routes.exports import EXPORTS
from privet.server.console.routes.owner import OWNER
from privet.server.console.routes.people import PEOPLE
from privet.server.console.routes.reading import READING
from privet.server.console.routes.route import Page
from privet.server.console.routes.sign import SIGN
from privet.server.console.texts import Texts
from privet.server.console.visit import Doors, Visit
from privet.server.people.secret import new_secret

if TYPE_CHECKING:
    from privet.server.desk import Desk
    from privet.server.people import People
    from privet.server.settings import Settings

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
PAGES = (*SIGN, *ASK, *ANSWERS, *READING, *OWNER, *PEOPLE, *CONNECT, *EXPORTS)
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
FILE = re.compile(r"[a-z]+\.(css|js|svg)")
MONTH = "public, max-age=2592000, immutable"
FIELDS = 10_000  # of a form: a wide table has some for each column
ERRORS = {
    400: "expired",
    403: "not_allowed",
    404: "not_found",
    405: "method",
    429: "slow",
    503: "slow",
}


def console_router(desk: "Desk", people: "People", settings: "Settings", *, language: str = "en") -> Router:
    """Every page; the application mounts them: `app.mount("/console", router)`.

    Args:
        desk: what they ask through.
        people: who may sign in.
        settings: of the server.
        language: of the texts.

    Privacy: a page shows public facts, what was released to who has signed in, and what is left for them; owners and
        auditors also see the ledger. No page reads a row. Every form has a token, every page the same strict headers.
    """
    return hung_in(Doors(desk, people, settings, Pages(Texts(language))), PAGES)


def hung_in(doors: Doors, pages: Iterable[Page]) -> Router:
    """These pages behind the checks that all share, with the style and the script."""
    routes = [Route(each.path, _guarded(each, doors), methods=list(each.methods)) for each in pages]
    return Router([*routes, Route("/static/{name}", static), Route("/{rest:path}", _missing(doors))])


async def static(request: Request) -> Response:
    """The style, the script and the sign; browsers may keep them, as their address has a version."""
    name = str(request.path_params["name"])
    if not FILE.fullmatch(name) or not (STATIC / name).is_file():
        return PlainTextResponse("not found", status_code=404, headers=HEADERS)
    kept = {**HEADERS, "cache-control": MONTH} if request.url.query else HEADERS
    return FileResponse(STATIC / name, media_type=KINDS[f".{name.rpartition('.')[2]}"], headers=kept)


def _missing(doors: Doors) -> Endpoint:
    async def missing(request: Request) -> Response:
        visit = await _visit(request, doors)
        return _finished(visit, _error(visit, 404))

    return missing


def _guarded(page: Page, doors: Doors) -> Endpoint:
    """A route behind the checks that all share."""

    async def guarded(request: Request) -> Response:
        visit = await _visit(request, doors)
        if request.method == "POST" and not is_foreign(request, doors.settings):
            try:  # what is raised while it is read is for whoever stands before the pages
                visit.form = await _form(request)
            except HTTPException as problem:
                return _finished(visit, _error(visit, problem.status_code))
        return _finished(visit, await _answered(page, visit))

    return guarded


async def _answered(page: Page, visit: Visit) -> Response:
    try:
        refused = _refused(page, visit) if visit.request.method == "POST" else None
        if refused is not None:
            return refused
        if page.scope is not None:
            visit.asker.refuse_without(page.scope)
        return await page.answer(visit)
    except HTTPException as problem:
        return _error(visit, problem.status_code)
    except Exception as problem:  # noqa: BLE001 - whatever it is, its text may hold anything
        return _told(page, visit, problem)


def _refused(page: Page, visit: Visit) -> Response | None:
    """What is answered to a form that is not one of ours."""
    if is_foreign(visit.request, visit.doors.settings):
        return _error(visit, 403)
    if is_token(visit.form.get("csrf"), visit.session or visit.secret):
        return None
    return visit.to_sign_in() if page.scope is not None and visit.person is None else _error(visit, 400)


def _told(page: Page, visit: Visit, problem: Exception) -> Response:
    """What is shown of an error: our own sentences, or one of a few constant ones."""
    if isinstance(problem, SignInNeeded):
        return visit.to_sign_in()
    if isinstance(problem, NotAllowed):
        return _error(visit, 404 if page.hidden else 403)
    if isinstance(problem, Busy):
        response = _error(visit, 503)
        response.headers["retry-after"] = str(max(1, round(getattr(problem, "retry_after", 1))))
        return response
    return _error(visit, 422, sentence=str(problem)) if isinstance(problem, PrivetError) else _error(visit, 500)


async def _visit(request: Request, doors: Doors) -> Visit:
    """Who makes a request: by the browser's session, if it has a good one."""
    secure = is_secure(doors.settings)
    session = request.cookies.get(cookie_name(SESSION, secure=secure), "")
    person = None
    if SECRET.fullmatch(session):
        person = await run_in_threadpool(partial(doors.people.by_session, session))
    secret = request.cookies.get(cookie_name(FORM, secure=secure), "")
    fresh = person is None and not SECRET.fullmatch(secret)
    return Visit(request, doors, new_secret() if fresh else secret, session if person else "", person, fresh=fresh)


async def _form(request: Request) -> Mapping[str, Any]:
    """What a form says; the same name twice is a form of ours nowhere, and the last one counts."""
    async with request.form(max_files=0, max_fields=FIELDS) as form:
        return dict(form)


def _error(visit: Visit, status: int, *, sentence: str = "") -> Response:
    t = visit.doors.pages.texts
    name = ERRORS.get(status, "wrong")
    return visit.page(
        "error.html", status=status, title=t(f"error.{name}"), sentence=sentence or t(f"error.{name}_what")
    )


def _finished(visit: Visit, response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if visit.fresh:
        visit.keep(response, FORM, visit.secret)
    return response
