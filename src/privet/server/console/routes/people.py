"""People, for the owner: invitations, caps, freezes, tokens, access."""

from fractions import Fraction
from urllib.parse import quote

from starlette.responses import Response

from privet.core.journals import Scope
from privet.errors import InvalidParameter, NotAllowed, PrivetError
from privet.loss import ConcentratedGuarantee, Guarantee, Promise
from privet.server.console.routes.owner import worded
from privet.server.console.routes.route import Page, away
from privet.server.console.routes.sign import seconds_of, token_view
from privet.server.console.views.amounts import (
    amount_words,
    first_of,
    limit_of,
    number_words,
    promise_words,
    typed_number,
)
from privet.server.console.views.times import time_words
from privet.server.console.visit import Visit
from privet.server.people import Role, TokenScope

EMPTY = {"name": "", "kind": "analyst", "cap": "", "largest": "", "approve": "", "reason": ""}


async def invite_page(visit: Visit) -> Response:
    """The form."""
    return await _invite_form(visit, dict(EMPTY, reason=visit.doors.pages.texts.plain("invite.reason")))


async def _invite_form(visit: Visit, form: dict[str, str], *, status: int = 200, error: str = "") -> Response:
    limit = visit.doors.desk.catalog.limit
    ledger = visit.doors.desk.owner(visit.asker).ledger
    left = await away(lambda: ledger.journal.books().dataset.remaining)
    words = amount_words(left, up=False) if left is not None else promise_words(limit)
    return visit.page("invite.html", status=status, form=form, error=error, letter=_letter(visit), left=words, link="")


async def invite(visit: Visit) -> Response:
    """Make an invitation, and show its link this once."""
    form = {name: visit.said(name).strip() for name in EMPTY}
    kind = form["kind"]
    role = Role.AUDITOR if kind == "auditor" else Role.ANALYST
    owners = visit.doors.desk.owner(visit.asker)
    try:
        cap = None if role is Role.AUDITOR else cap_of(visit, form["cap"])
        secret = await away(
            owners.invite,
            form["name"],
            role=role,
            cap=cap,
            largest_epsilon=_largest(visit, form["largest"]),
            needs_approval=bool(form["approve"]),
            agent=kind == "agent",
            reason=form["reason"],
        )
    except PrivetError as problem:
        return await _invite_form(visit, form, status=422, error=str(problem))
    invited = await away(visit.doors.people.invited, secret)
    link = f"{visit.doors.settings.address}{visit.root}/invitation?code={quote(secret)}"
    until = "" if invited is None else time_words(invited.expires)
    return visit.page("invite.html", form=form, name=form["name"], link=link, until=until)


def cap_of(visit: Visit, text: str) -> Promise | None:
    """A cap as it was typed, in what the dataset's limit counts; none if nothing was typed."""
    if not text:
        return None
    number = typed_number(text)
    if number is None:
        raise InvalidParameter(visit.doors.pages.texts.plain("invite.cap_number"))
    limit = visit.doors.desk.catalog.limit
    return ConcentratedGuarantee(number) if isinstance(limit, ConcentratedGuarantee) else Guarantee(number, limit.delta)


def _largest(visit: Visit, text: str) -> Fraction | None:
    if not text:
        return None
    number = typed_number(text)
    if number is None:
        raise InvalidParameter(visit.doors.pages.texts.plain("invite.largest_number"))
    return number


def _letter(visit: Visit) -> str:
    return "ρ" if isinstance(visit.doors.desk.catalog.limit, ConcentratedGuarantee) else "ε"


# --- one person -------------------------------------------------------------------------------------------------


async def person(visit: Visit) -> Response:
    """The page of somebody."""
    return await person_page(visit)


async def person_page(
    visit: Visit, *, status: int = 200, error: str = "", said: object = "", secret: str = ""
) -> Response:
    """The page of somebody, with what was just done."""
    values = await away(_person_values, visit)
    return visit.page(
        "person.html", status=status, error=error, said=said, secret=secret, letter=_letter(visit), **values
    )


def _person_values(visit: Visit) -> dict[str, object]:
    t, name = visit.doors.pages.texts, _name(visit)
    owners = visit.doors.desk.owner(visit.asker)
    found = visit.doors.people.named(name)
    invited = next((each for each in owners.invitations() if each.name == name), None)
    if found is None and invited is None:
        raise NotAllowed("there is no such account")
    role = found.role if found is not None else Role.ANALYST if invited is None else invited.role
    who = name if found is None else found.name
    books = owners.ledger.journal.books()
    account = books.account(Scope(who))
    cap, budget = "", t("person.budget_open", spent=amount_words(account.spent, up=True))
    if account.limit is not None and account.remaining is not None:
        cap = number_words(limit_of(account.limit, account.spent, account.remaining), up=False)
        budget = t("person.budget", spent=amount_words(account.spent, up=True), limit=promise_words(account.limit))
    tokens = [] if found is None else [token_view(visit, each) for each in owners.tokens_of(who)]
    view = {
        "name": who,
        "role": role.value,
        "agent": found is not None and found.agent,
        "asks": role is not Role.AUDITOR,
        "active": found is None or found.active,
        "me": who == visit.asker.name,
        "frozen": account.frozen,
        "failing": books.frozen(who),
        "cap": cap,
        "budget": budget,
    }
    return {"person": view, "tokens": tokens, "left": first_of(account.spent)}


async def set_cap(visit: Visit) -> Response:
    """Raise, lower or set a cap."""
    t, name = visit.doors.pages.texts, _name(visit)
    owners = visit.doors.desk.owner(visit.asker)
    try:
        cap = cap_of(visit, visit.said("cap").strip())
        if cap is None:
            raise InvalidParameter(visit.doors.pages.texts.plain("invite.cap_number"))
        await away(owners.set_cap, cap, analyst=name, reason=visit.said("reason-cap"))
    except PrivetError as problem:
        return await person_page(visit, status=422, error=str(problem))
    return await person_page(visit, said=t("person.capped"))


async def freeze(visit: Visit) -> Response:
    """Freeze somebody, let them ask again, or forgive failed answers."""
    t, name, reason = visit.doors.pages.texts, _name(visit), visit.said("reason-freeze")
    owners = visit.doors.desk.owner(visit.asker)
    wish = visit.said("do")
    try:
        if wish == "unfreeze":
            await away(owners.unfreeze, name, reason=worded(visit, reason))
        else:
            await away(owners.thaw if wish == "thaw" else owners.freeze, analyst=name, reason=reason)
    except PrivetError as problem:
        return await person_page(visit, status=422, error=str(problem))
    words = {"unfreeze": "person.forgiven", "thaw": "person.thawed"}.get(wish, "person.frozen")
    return await person_page(visit, said=t(words))


async def make_token(visit: Visit) -> Response:
    """Make a token for somebody, and show it this once."""
    t, name = visit.doors.pages.texts, _name(visit)
    owners = visit.doors.desk.owner(visit.asker)
    try:
        secret = await away(
            owners.make_token,
            name,
            label=visit.said("label"),
            seconds=seconds_of(visit),
            reason=t.plain("account.make"),
        )
    except PrivetError as problem:
        return await person_page(visit, status=422, error=str(problem))
    return await person_page(visit, secret=secret)


async def revoke_token(visit: Visit) -> Response:
    """Take somebody's token back."""
    t, name = visit.doors.pages.texts, _name(visit)
    owners = visit.doors.desk.owner(visit.asker)
    number = visit.said("token")
    if number not in {each.number for each in await away(owners.tokens_of, name)}:
        raise NotAllowed("there is no such token")
    await away(owners.revoke_token, number, reason=t.plain("account.revoke"))
    return await person_page(visit, said=t("account.taken"))


async def access(visit: Visit) -> Response:
    """End somebody's access, or let them come back."""
    t, name, reason = visit.doors.pages.texts, _name(visit), visit.said("reason-access")
    owners = visit.doors.desk.owner(visit.asker)
    back = visit.said("do") == "back"
    invited = next((each for each in await away(owners.invitations) if each.name == name), None)
    try:
        if invited is not None:
            await away(owners.take_back, invited.number, reason=worded(visit, reason))
            return visit.to("/owner#people")
        await away(owners.activate if back else owners.deactivate, name, reason=worded(visit, reason))
    except PrivetError as problem:
        return await person_page(visit, status=422, error=str(problem))
    return await person_page(visit, said=t("person.returned" if back else "person.ended"))


def _name(visit: Visit) -> str:
    """Whose page it is: as the form says, or the address."""
    visit.asker.refuse_without(TokenScope.OWN)
    return visit.said("name") if visit.request.method == "POST" else visit.request.query_params.get("name", "")


PEOPLE = (
    Page("/owner/invite", invite_page, TokenScope.OWN),
    Page("/owner/invite", invite, TokenScope.OWN, ("POST",)),
    Page("/owner/person", person, TokenScope.OWN, hidden=True),
    Page("/owner/person/cap", set_cap, TokenScope.OWN, ("POST",)),
    Page("/owner/person/freeze", freeze, TokenScope.OWN, ("POST",)),
    Page("/owner/person/token", make_token, TokenScope.OWN, ("POST",)),
    Page("/owner/person/revoke", revoke_token, TokenScope.OWN, ("POST",)),
    Page("/owner/person/access", access, TokenScope.OWN, ("POST",)),
)
