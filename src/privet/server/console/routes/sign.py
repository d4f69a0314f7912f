"""Coming in and going out: signing in, accepting an invitation, the account and its tokens."""

from starlette.responses import Response

from privet.errors import Busy, InvalidParameter, NotAllowed, PrivetError, SignInNeeded
from privet.server.console.guard import FORM, local_path
from privet.server.console.routes.route import Page, away
from privet.server.console.views.times import day_words
from privet.server.console.visit import SESSION, Visit
from privet.server.people import Role, TokenFacts, TokenScope
from privet.server.people.secret import new_secret

DAY = 86_400.0
LONGEST_DAYS = 3650


async def start(visit: Visit) -> Response:
    """To whatever somebody came for."""
    if visit.person is None:
        return visit.to("/sign-in")
    return visit.to("/ask" if visit.person.role is Role.ANALYST else "/owner")


async def sign_in_page(visit: Visit) -> Response:
    """The door."""
    if visit.person is not None:
        return visit.to("/")
    back = local_path(visit.request.query_params.get("next"), otherwise="/")
    return visit.page("sign-in.html", next=back, name="")


async def sign_in(visit: Visit) -> Response:
    """Compare a password. The session is new each time: one that was planted before is worth nothing."""
    name, back = visit.said("name"), local_path(visit.said("next"), otherwise="/")
    try:
        secret = await away(visit.doors.people.sign_in, name, visit.said("password"))
    except Busy as problem:
        return visit.page("sign-in.html", status=429, next=back, name=name, error=str(problem))
    if secret is None:
        wrong = visit.doors.pages.texts("sign.wrong")
        return visit.page("sign-in.html", status=401, next=back, name=name, error=wrong)
    return await _come_in(visit, secret, back)


async def _come_in(visit: Visit, secret: str, back: str) -> Response:
    if visit.session:
        await away(visit.doors.people.sign_out, visit.session)
    visit.fresh = False
    return visit.keep(visit.keep(visit.to(back), SESSION, secret), FORM, new_secret())


async def sign_out(visit: Visit) -> Response:
    """End the session here and on the server."""
    if visit.session:
        await away(visit.doors.people.sign_out, visit.session)
    visit.fresh = False
    return visit.forget(visit.to("/sign-in"))


async def invitation_page(visit: Visit) -> Response:
    """Whoever has the link chooses a password."""
    code = visit.request.query_params.get("code", "")
    t = visit.doors.pages.texts
    if await away(visit.doors.people.invited, code) is None:
        return visit.page("error.html", status=404, title=t("error.not_found"), sentence=t("invited.bad"))
    return visit.page("invitation.html", code=code, dataset=visit.doors.desk.catalog.name)


async def invitation(visit: Visit) -> Response:
    """Accept an invitation, and come in."""
    t = visit.doors.pages.texts
    code = visit.said("code")
    try:
        person = await away(visit.doors.people.accept_invitation, code, twice(visit))
    except NotAllowed:
        return visit.page("error.html", status=404, title=t("error.not_found"), sentence=t("invited.bad"))
    except InvalidParameter as problem:
        dataset = visit.doors.desk.catalog.name
        return visit.page("invitation.html", status=422, code=code, dataset=dataset, error=str(problem))
    return await _come_in(visit, await away(visit.doors.people.begin_session, person), "/")


def twice(visit: Visit) -> str:
    """A new password, if it was typed the same twice."""
    if visit.said("password") != visit.said("again"):
        raise InvalidParameter(visit.doors.pages.texts.plain("invited.differ"))
    return visit.said("password")


# --- the account ----------------------------------------------------------------------------------------------


async def account(visit: Visit) -> Response:
    """Tokens and the password."""
    return await account_page(visit)


async def account_page(
    visit: Visit, *, status: int = 200, error: str = "", said: object = "", secret: str = ""
) -> Response:
    """The page of the account, with what was just done."""
    tokens = await away(visit.doors.people.tokens_of, visit.asker.name)
    view = [token_view(visit, each) for each in tokens]
    return visit.page("account.html", status=status, tokens=view, error=error, said=said, secret=secret)


def token_view(visit: Visit, token: TokenFacts) -> dict[str, object]:
    """What is shown of a token: never itself."""
    until = visit.doors.pages.texts("account.ever") if token.expires is None else day_words(token.expires)
    may = ", ".join(sorted(each.value for each in token.scopes))
    return {"id": token.number, "name": token.label, "may": may, "until": until, "revoked": token.revoked}


async def make_token(visit: Visit) -> Response:
    """Make a token, and show it this once."""
    try:
        secret = await away(
            visit.doors.people.make_token, visit.asker.name, label=visit.said("label"), seconds=seconds_of(visit)
        )
    except PrivetError as problem:
        return await account_page(visit, status=422, error=str(problem))
    return await account_page(visit, secret=secret)


def seconds_of(visit: Visit) -> float:
    """How long a token is to be good, as the form says it in days."""
    days = visit.said("days").strip()
    if not (days.isascii() and days.isdigit() and len(days) < 6 and 0 < int(days) <= LONGEST_DAYS):  # noqa: PLR2004 - digits
        raise InvalidParameter(visit.doors.pages.texts.plain("account.days_number", most=LONGEST_DAYS))
    return int(days) * DAY


async def revoke_token(visit: Visit) -> Response:
    """Take one of one's own tokens back."""
    await away(visit.doors.people.revoke_token, visit.said("token"), name=visit.asker.name)
    return await account_page(visit, said=visit.doors.pages.texts("account.taken"))


async def change_password(visit: Visit) -> Response:
    """Change one's own password; the browser that did it comes in anew."""
    t = visit.doors.pages.texts
    people, asker = visit.doors.people, visit.asker
    try:
        await away(people.change_password, asker.name, twice(visit), old=visit.said("old"))
    except (InvalidParameter, NotAllowed) as problem:
        return await account_page(visit, status=422, error=str(problem))
    person = await away(people.named, asker.name)
    if person is None:
        raise SignInNeeded("sign in first")
    visit.session = await away(people.begin_session, person)
    return visit.keep(await account_page(visit, said=t("account.changed")), SESSION, visit.session)


SIGN = (
    Page("/", start, None),
    Page("/sign-in", sign_in_page, None),
    Page("/sign-in", sign_in, None, ("POST",)),
    Page("/sign-out", sign_out, None, ("POST",)),
    Page("/invitation", invitation_page, None),
    Page("/invitation", invitation, None, ("POST",)),
    Page("/account", account, TokenScope.READ),
    Page("/account/token", make_token, TokenScope.READ, ("POST",)),
    Page("/account/revoke", revoke_token, TokenScope.READ, ("POST",)),
    Page("/account/password", change_password, TokenScope.READ, ("POST",)),
)
