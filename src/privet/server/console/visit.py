"""Visit: one request to the console: who makes it, by which session, and how it is answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from privet.errors import SignInNeeded
from privet.server.console.guard import FORM, SESSION, cookie_name, form_token, is_secure
from privet.server.console.pages import Pages
from privet.server.desk import Asker
from privet.server.people import Person, Role

if TYPE_CHECKING:
    from privet.server.desk import Desk
    from privet.server.people import People
    from privet.server.settings import Settings

ASKING = 256  # threads in which questions wait for their turn at the desk
PART = "x-privet-part"  # the script asks for a part of a page
NAV = {
    Role.ANALYST: ("ask", "history", "epsilon", "help"),
    Role.OWNER: ("owner", "ask", "history", "epsilon", "help"),
    Role.AUDITOR: ("owner", "epsilon"),
}
WORDS = {"owner": "nav.overview"}


@dataclass(frozen=True)
class Doors:
    """What the pages stand on; questions run in threads of their own, so that pages need not wait for them."""

    desk: "Desk"
    people: "People"
    settings: "Settings"
    pages: Pages
    asking: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(ASKING))


@dataclass
class Visit:
    """One request.

    Args:
        request: as it came.
        doors: what the pages stand on.
        secret: of the cookie that the tokens of forms are made from.
        session: the secret of the browser's session, "" if there is none.
        person: who has signed in; None if nobody.
        form: what the form says, after its token was compared.
        fresh: whether the cookie of forms has to be set.
    """

    request: Request
    doors: Doors
    secret: str
    session: str = ""
    person: Person | None = None
    form: Mapping[str, Any] = field(default_factory=dict)
    fresh: bool = False

    @property
    def root(self) -> str:
        """Where the console hangs; never from what the browser said."""
        return str(self.request.scope.get("root_path", ""))

    @property
    def part(self) -> bool:
        """Whether the script asks for a part of a page."""
        return PART in self.request.headers

    @property
    def asker(self) -> Asker:
        """Who asks.

        Raises:
            SignInNeeded: nobody has signed in.
        """
        if self.person is None:
            raise SignInNeeded("sign in first")
        return Asker.of(self.person, "console")

    def said(self, name: str) -> str:
        """A field of the form; "" if it is no text."""
        value = self.form.get(name, "")
        return value if isinstance(value, str) else ""

    def page(self, template: str, *, status: int = 200, **values: object) -> Response:
        """A whole page."""
        return HTMLResponse(self.doors.pages.render(template, {**self._common(), **values}), status_code=status)

    def _common(self) -> dict[str, object]:
        t = self.doors.pages.texts
        person = self.person
        catalog = self.doors.desk.catalog
        path = self.request.url.path.removeprefix(self.root)
        there = bool(catalog.name)  # not so before the first run has ended
        links = (
            []
            if person is None or not there
            else [(f"/{each}", t(WORDS.get(each, f"nav.{each}"))) for each in NAV[person.role]]
        )
        return {
            "root": self.root,
            "csrf_token": form_token(self.session or self.secret),
            "who": None if person is None or not there else {"name": person.name, "role": person.role.value},
            "links": links,
            "here": next((each for each, _ in links if path == each or path.startswith(f"{each}/")), ""),
            "dataset": catalog.name if person is not None else "",
            "unit": catalog.unit.name,
            "error": "",
            "said": "",
            "view": None,
        }

    def to(self, path: str) -> Response:
        """Send the browser on, with GET."""
        return RedirectResponse(f"{self.root}{path}", status_code=303)

    def to_sign_in(self) -> Response:
        """Send the browser to the door, and back afterwards."""
        request = self.request
        here = request.url.path.removeprefix(self.root)
        query = f"?{request.url.query}" if request.url.query and request.method == "GET" else ""
        back = f"{here}{query}" if request.method == "GET" else "/"
        return self.to(f"/sign-in?next={quote(back, safe='')}" if back != "/" else "/sign-in")

    # --- cookies ----------------------------------------------------------------------------------------------

    def keep(self, response: Response, name: str, secret: str) -> Response:
        """Set a cookie that only this server is sent, and no script reads."""
        secure = is_secure(self.doors.settings)
        response.set_cookie(
            cookie_name(name, secure=secure), secret, path="/", secure=secure, httponly=True, samesite="lax"
        )
        return response

    def forget(self, response: Response) -> Response:
        """Take the browser's session away."""
        secure = is_secure(self.doors.settings)
        for name in (SESSION, FORM):
            response.delete_cookie(
                cookie_name(name, secure=secure), path="/", secure=secure, httponly=True, samesite="lax"
            )
        return response


__all__ = ["FORM", "SESSION", "Doors", "Visit"]
