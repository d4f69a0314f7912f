"""Facts: what a signed-in analyst may look at: tables, their own budget, history and answers."""

import re
from dataclasses import asdict
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from privet.core.journals.terms import promise_facts
from privet.errors import NotAllowed
from privet.loss.exact import readable
from privet.query.remote.public_catalog import public_text
from privet.query.remote.transport import ANSWER
from privet.query.results.answer import amount_facts
from privet.server.desk import BudgetFacts, Desk
from privet.server.http.asking_routes import one_of
from privet.server.http.bodies import Wish
from privet.server.http.formats import ARROW, DESCRIBED, JSON, answered, wanted_format
from privet.server.http.signed_in import Questioner, Reader
from privet.server.http.strict_route import PREFIX, StrictRoute
from privet.server.http.telling import NotThere

NUMBER = re.compile(r"[A-Za-z0-9_-]{1,128}")
router = APIRouter(prefix=PREFIX, route_class=StrictRoute)


@router.get("/session", tags=["facts"])
async def session(request: Request, asker: Reader) -> dict[str, Any]:
    """What a program needs to know first: who it is, the catalog and its own limit."""
    desk: Desk = request.app.state.desk
    budget = await to_thread.run_sync(desk.budget, asker)
    unit = desk.catalog.unit
    return {
        "analyst": asker.name,
        "scopes": sorted(scope.value for scope in asker.scopes),
        "dataset": desk.catalog.name,
        "catalog": public_text(desk.catalog),
        "unit": {"name": unit.name, "neighbors": unit.neighbors.name.lower()},
        "limit": promise_facts(budget.limit),
        "repeats": request.app.state.settings.repeats,
    }


@router.get("/tables", tags=["facts"])
async def tables(request: Request, asker: Reader) -> dict[str, Any]:
    """The tables and what is public about them."""
    desk: Desk = request.app.state.desk
    found = await to_thread.run_sync(desk.tables, asker)
    return {"tables": [asdict(each) for each in found]}


@router.get("/budget", tags=["facts"])
async def budget(request: Request, asker: Reader) -> dict[str, Any]:
    """What you may spend, have spent and have left."""
    desk: Desk = request.app.state.desk
    return budget_facts(await to_thread.run_sync(desk.budget, asker))


@router.get("/history", tags=["facts"])
async def history(request: Request, asker: Reader, last: Annotated[int, Query(ge=1, le=1000)] = 50) -> dict[str, Any]:
    """Your last questions, the newest first."""
    desk: Desk = request.app.state.desk
    found = await to_thread.run_sync(lambda: desk.history(asker, last=last))
    return {"history": [asdict(each) for each in found]}


@router.get("/answers/{number}", tags=["facts"], responses=dict(DESCRIBED))
async def stored(request: Request, asker: Reader, number: str) -> Response:
    """An answer that you have got before; others' are as if they were not there."""
    kind = wanted_format(request, JSON, ARROW, ANSWER)
    if not NUMBER.fullmatch(number):
        raise NotThere
    desk: Desk = request.app.state.desk
    try:
        return answered(await to_thread.run_sync(desk.stored, asker, number), kind)
    except NotAllowed:
        raise NotThere from None


@router.get("/requests", tags=["approval"])
async def requests(request: Request, asker: Reader) -> dict[str, Any]:
    """Your questions that wait for the owner, or were decided."""
    desk: Desk = request.app.state.desk
    return {"requests": [asdict(each) for each in await to_thread.run_sync(desk.requests, asker)]}


@router.post("/requests", tags=["approval"])
async def wish(request: Request, asker: Questioner, wish: Wish) -> dict[str, Any]:
    """Ask the owner to approve a question; when they have, asking it the same way runs it, once."""
    desk: Desk = request.app.state.desk
    text = one_of(wish)
    found = await to_thread.run_sync(
        lambda: desk.request(asker, text, purpose=wish.purpose, why=wish.why, weights=wish.weights, **wish.keywords())
    )
    return asdict(found)


def budget_facts(found: BudgetFacts) -> dict[str, Any]:
    """A budget as JSON; amounts are exact."""
    largest = found.largest_epsilon
    return {
        "limit": promise_facts(found.limit),
        "spent": amount_facts(found.spent),
        "remaining": amount_facts(found.remaining),
        "largest_epsilon": None if largest is None else readable(largest),
        "needs_approval": found.needs_approval,
        "rule": found.rule,
    }
