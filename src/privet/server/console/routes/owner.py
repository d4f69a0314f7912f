"""The owner's page: what is left, what was promised, what waits, who may ask, the ledger. Auditors may read it."""

import re

from starlette.responses import Response

from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable, PrivetError
from privet.server.console.routes.route import Page, away
from privet.server.console.views.amounts import promise_words
from privet.server.console.views.ledger_view import ledger_page
from privet.server.console.views.owner_view import Known, OwnerView, owner_view, utc_now
from privet.server.console.views.table_view import declarations
from privet.server.console.visit import Visit
from privet.server.people import Role, TokenScope
from privet.wording.printable import printable

PLACE = re.compile(r"(?<![\w/])(?:[a-z]+://)?/[^\s:,;]+")
FIGURES = 15  # digits of a row's number


async def owner(visit: Visit) -> Response:
    """The page."""
    return await owner_page(visit)


async def owner_page(visit: Visit, *, status: int = 200, error: str = "", said: object = "") -> Response:
    """The page, with what was just done."""
    query = visit.request.query_params
    find, before = query.get("find", "")[:200], query.get("before", "")
    place = int(before) if before.isascii() and before.isdigit() and len(before) < FIGURES else None
    view = await away(_view, visit, find, place)
    if isinstance(view, str):
        return visit.page("broken.html", status=503, sentence=view)
    acting = visit.asker.person.role is Role.OWNER
    return visit.page("owner.html", status=status, view=view, find=find, error=error, said=said, may_act=acting)


def _view(visit: Visit, find: str, before: int | None) -> OwnerView | str:
    """The page, or why there is none."""
    desk, t = visit.doors.desk, visit.doors.pages.texts
    owners = desk.owner(visit.asker)
    try:
        rows = owners.verify()
        journal = owners.ledger.journal
        journal.books()
    except (LedgerDamaged, LedgerUnavailable) as problem:
        return _without_places(printable(problem))
    budget = desk.catalog.budget
    tables = desk.tables(visit.asker)
    first = next(iter(journal.rows()), None)
    known = Known(
        ledger=owners.ledger,
        questions=owners.questions(),
        people=owners.people(),
        invited=owners.invitations(),
        requests=owners.requests(),
        page=ledger_page(t, journal, find=find, before=before),
        catalog=declarations(t, tables, desk.catalog, budget="" if budget is None else promise_words(budget)),
        rows=rows,
        opened=None if first is None else first.facts.get("at"),
    )
    return owner_view(t, known, now=utc_now())


def _without_places(sentence: str) -> str:
    """A sentence about the ledger that does not say where it is."""
    return PLACE.sub("…", sentence)


async def decide(visit: Visit) -> Response:
    """Allow a question once, or decline it."""
    t = visit.doors.pages.texts
    number, reason, wish = visit.said("number"), visit.said("reason"), visit.said("do")
    owners = visit.doors.desk.owner(visit.asker)
    try:
        worded(visit, reason)
        request = await away(owners.approve if wish == "approve" else owners.decline, number, reason=reason)
    except PrivetError as problem:
        return await owner_page(visit, status=422, error=str(problem))
    if visit.said("do") == "approve":
        return await owner_page(visit, said=t("owner.allowed", name=request.analyst))
    return await owner_page(visit, said=t("owner.declined"))


async def freeze(visit: Visit) -> Response:
    """Stop or allow every spend of everybody; or say that the data are new."""
    reason, wish = visit.said("reason"), visit.said("do")
    owners = visit.doors.desk.owner(visit.asker)
    act, said = {
        "thaw": (owners.thaw, "owner.all_thawed"),
        "version": (owners.new_version, "owner.version_said"),
    }.get(wish, (owners.freeze, "owner.all_frozen"))
    try:
        worded(visit, reason)
        await away(act, reason=reason)
    except PrivetError as problem:
        return await owner_page(visit, status=422, error=str(problem))
    return await owner_page(visit, said=visit.doors.pages.texts(said))


def worded(visit: Visit, reason: str) -> str:
    """A reason, if there is one."""
    if not reason.strip():
        raise InvalidParameter(visit.doors.pages.texts.plain("owner.reason_missing"))
    return reason


OWNER = (
    Page("/owner", owner, TokenScope.AUDIT),
    Page("/owner/decide", decide, TokenScope.OWN, ("POST",)),
    Page("/owner/freeze", freeze, TokenScope.OWN, ("POST",)),
)
