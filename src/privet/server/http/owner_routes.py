"""Owner: people, caps, approvals and the ledger, for owners; auditors may look."""

import io
from dataclasses import asdict
from datetime import UTC, datetime
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeAlias

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from pydantic import Field, StrictBool
from starlette.responses import Response

from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, Promise
from privet.loss.exact import exact, readable
from privet.server.desk import Asker, Desk
from privet.server.desk.owners_desk import OwnersDesk
from privet.server.http.bodies import Body, Count, Long, Number, Text
from privet.server.http.signed_in import Auditor, Owner
from privet.server.http.strict_route import PREFIX, StrictRoute
from privet.server.people import Person, Role, TokenFacts, TokenScope

DAY = 86_400.0  # seconds
Last: TypeAlias = Annotated[int, Query(ge=1, le=10_000)]
router = APIRouter(prefix=f"{PREFIX}/owner", route_class=StrictRoute, tags=["owner"])


class Reason(Body):
    """Why; it stands in the ledger."""

    reason: Annotated[Long, Field(min_length=1)]


class PromiseSaid(Body):
    """How much may be learned: epsilon and delta, or rho."""

    epsilon: Number | None = None
    delta: Number = 0
    rho: Number | None = None

    def promise(self) -> Promise:
        """As a promise."""
        if (self.epsilon is None) == (self.rho is None):
            raise InvalidParameter("a limit is epsilon (and delta), or rho")
        if self.rho is not None:
            return ConcentratedGuarantee(self.rho)
        return Guarantee(self.epsilon or 0, self.delta)


class Scoped(Reason):
    """An analyst, a purpose of theirs, or (neither) everybody."""

    analyst: Text | None = None
    purpose: Long | None = None


class Cap(Scoped):
    """A cap; without a limit it is removed."""

    limit: PromiseSaid | None = None


class NewPerson(Reason):
    """Somebody to be."""

    name: Text
    role: Literal["owner", "analyst", "auditor"] = "analyst"
    cap: PromiseSaid | None = None
    largest_epsilon: Number | None = None
    needs_approval: StrictBool = False
    agent: StrictBool = False


class Changed(Reason):
    """What somebody may ask without approval, or whether they may come in."""

    largest_epsilon: Number | None = None
    needs_approval: StrictBool = False


class Activity(Reason):
    """Whether somebody may come in."""

    active: StrictBool


class NewToken(Reason):
    """A token to be."""

    label: Text
    scopes: Annotated[list[Literal["ask", "read", "own", "audit"]], Field(min_length=1, max_length=4)] | None = None
    days: Annotated[Count, Field(le=36_500)] | None = 365


async def _done(request: Request, asker: Asker, act: Any) -> Any:  # noqa: ANN401 - whatever an act gives
    """An act at the owner's desk, in a thread."""
    desk: Desk = request.app.state.desk

    def done() -> Any:  # noqa: ANN401 - the same
        return act(desk.owner(asker))

    return await to_thread.run_sync(done)


def _largest(said: Number | None) -> Fraction | None:
    return None if said is None else exact(said, "largest_epsilon")


# --- looking ------------------------------------------------------------------------------------------------------


@router.get("/report")
async def report(request: Request, asker: Auditor) -> dict[str, Any]:
    """What was promised and what was spent, by whom."""
    found: dict[str, Any] = await _done(request, asker, lambda desk: desk.report())
    return found


@router.get("/entries")
async def entries(request: Request, asker: Auditor, last: Last = 100) -> dict[str, Any]:
    """The questions that were paid for."""
    return {"entries": (await _done(request, asker, lambda desk: desk.questions()))[-last:]}


@router.get("/acts")
async def acts(request: Request, asker: Auditor, last: Last = 100) -> dict[str, Any]:
    """What owners did."""
    return {"acts": await _done(request, asker, lambda desk: desk.acts(last=last))}


@router.get("/verify")
async def verify(request: Request, asker: Auditor) -> dict[str, Any]:
    """Check the whole ledger against itself and its anchor."""
    return {"rows": await _done(request, asker, lambda desk: desk.verify())}


@router.get("/export")
async def export(request: Request, asker: Auditor, form: Literal["json", "csv"] = "json") -> Response:
    """The record of processing, with every row."""

    def written(desk: OwnersDesk) -> str:
        file = io.StringIO()
        desk.export(file, csv=form == "csv")
        return file.getvalue()

    content = await _done(request, asker, written)
    headers = {"content-disposition": f'attachment; filename="privet-ledger.{form}"'}
    return Response(content, media_type="text/csv" if form == "csv" else "application/json", headers=headers)


@router.get("/requests")
async def waiting(request: Request, asker: Auditor, *, decided: bool = False) -> dict[str, Any]:
    """Questions that wait for approval; with decided=true those too that were decided."""
    found = await _done(request, asker, lambda desk: desk.requests(waiting=not decided))
    return {"requests": [asdict(each) for each in found]}


@router.get("/people")
async def people(request: Request, asker: Auditor) -> dict[str, Any]:
    """Everybody with an account."""
    return {"people": [person_facts(each) for each in await _done(request, asker, lambda desk: desk.people())]}


@router.get("/people/{name}/tokens")
async def tokens(request: Request, asker: Auditor, name: str) -> dict[str, Any]:
    """Somebody's tokens, without what is secret."""
    return {"tokens": [token_facts(each) for each in await _done(request, asker, lambda desk: desk.tokens_of(name))]}


# --- acts ---------------------------------------------------------------------------------------------------------


@router.post("/people")
async def invite(request: Request, asker: Owner, new: NewPerson) -> dict[str, Any]:
    """Invite somebody; the link is shown this once."""
    secret = await _done(
        request,
        asker,
        lambda desk: desk.invite(
            new.name,
            role=Role(new.role),
            cap=None if new.cap is None else new.cap.promise(),
            largest_epsilon=_largest(new.largest_epsilon),
            needs_approval=new.needs_approval,
            agent=new.agent,
            reason=new.reason,
        ),
    )
    return {"name": new.name, "invitation": secret, "link": request.app.state.settings.invitation(secret)}


@router.post("/people/{name}")
async def change(request: Request, asker: Owner, name: str, new: Changed) -> dict[str, Any]:
    """Set what somebody may ask without approval."""
    largest = _largest(new.largest_epsilon)
    return person_facts(
        await _done(
            request,
            asker,
            lambda desk: desk.change(
                name, largest_epsilon=largest, needs_approval=new.needs_approval, reason=new.reason
            ),
        )
    )


@router.post("/people/{name}/activity")
async def activity(request: Request, asker: Owner, name: str, new: Activity) -> dict[str, Any]:
    """Let somebody come in no more, or again."""

    def act(desk: OwnersDesk) -> Person:
        return (desk.activate if new.active else desk.deactivate)(name, reason=new.reason)

    return person_facts(await _done(request, asker, act))


@router.post("/people/{name}/tokens")
async def make_token(request: Request, asker: Owner, name: str, new: NewToken) -> dict[str, Any]:
    """Make a token for somebody; it is shown this once."""
    scopes = None if new.scopes is None else frozenset(map(TokenScope, new.scopes))
    seconds = None if new.days is None else new.days * DAY
    made = await _done(
        request,
        asker,
        lambda desk: desk.make_token(name, label=new.label, scopes=scopes, seconds=seconds, reason=new.reason),
    )
    return {"token": made}


@router.post("/tokens/{number}/revoke")
async def revoke(request: Request, asker: Owner, number: str, why: Reason) -> dict[str, Any]:
    """Make a token good for nothing, at once."""
    await _done(request, asker, lambda desk: desk.revoke_token(number, reason=why.reason))
    return {"revoked": number}


@router.post("/caps")
async def cap(request: Request, asker: Owner, new: Cap) -> dict[str, Any]:
    """Set, raise, lower or remove a cap."""
    limit = None if new.limit is None else new.limit.promise()
    row = await _done(
        request, asker, lambda desk: desk.set_cap(limit, analyst=new.analyst, purpose=new.purpose, reason=new.reason)
    )
    return {"row": row}


@router.post("/freeze")
async def freeze(request: Request, asker: Owner, scope: Scoped) -> dict[str, Any]:
    """Stop every spend of an analyst, for a purpose, or of everybody."""
    row = await _done(
        request, asker, lambda desk: desk.freeze(analyst=scope.analyst, purpose=scope.purpose, reason=scope.reason)
    )
    return {"row": row}


@router.post("/thaw")
async def thaw(request: Request, asker: Owner, scope: Scoped) -> dict[str, Any]:
    """Allow it again."""
    row = await _done(
        request, asker, lambda desk: desk.thaw(analyst=scope.analyst, purpose=scope.purpose, reason=scope.reason)
    )
    return {"row": row}


@router.post("/version")
async def new_version(request: Request, asker: Owner, why: Reason) -> dict[str, Any]:
    """Say that the data are new: no answer of before is brought back for an equal question."""
    return {"version": await _done(request, asker, lambda desk: desk.new_version(reason=why.reason))}


@router.post("/requests/{number}/approve")
async def approve(request: Request, asker: Owner, number: str, why: Reason) -> dict[str, Any]:
    """Let a question be asked, once, within a week."""
    return asdict(await _done(request, asker, lambda desk: desk.approve(number, reason=why.reason)))


@router.post("/requests/{number}/decline")
async def decline(request: Request, asker: Owner, number: str, why: Reason) -> dict[str, Any]:
    """Do not let it be asked."""
    return asdict(await _done(request, asker, lambda desk: desk.decline(number, reason=why.reason)))


def person_facts(person: Person) -> dict[str, Any]:
    """Somebody, as JSON."""
    largest = person.largest_epsilon
    return {
        **asdict(person),
        "role": person.role.value,
        "largest_epsilon": None if largest is None else readable(largest),
    }


def token_facts(token: TokenFacts) -> dict[str, Any]:
    """A token without what is secret, as JSON."""
    until = token.expires
    return {
        **asdict(token),
        "scopes": sorted(each.value for each in token.scopes),
        "made": datetime.fromtimestamp(token.made, UTC).isoformat(timespec="seconds"),
        "expires": None if until is None else datetime.fromtimestamp(until, UTC).isoformat(timespec="seconds"),
    }
