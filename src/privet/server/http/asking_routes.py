"""Asking: prices and answers over HTTP."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Header, Request
from starlette.responses import Response, StreamingResponse

from privet.errors import InvalidParameter
from privet.query.remote.explanation_json import explanation_to_json
from privet.query.remote.transport import ANSWER
from privet.server.desk import Asked, AskedBatch, Desk
from privet.server.http.bodies import Batch, Key, Question, Wanted
from privet.server.http.events import events, paced
from privet.server.http.formats import ARROW, DESCRIBED, EVENTS, JSON, answered, wanted_format
from privet.server.http.signed_in import Questioner, Reader
from privet.server.http.strict_route import PREFIX, StrictRoute
from privet.server.pace import Pace

AT_ONCE = 64  # threads that ask; each waits for its turn at the desk
Idempotency = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Makes asking again safe: what was paid for under a key is brought back, and not paid for twice.",
        max_length=200,
    ),
]

router = APIRouter(prefix=PREFIX, route_class=StrictRoute)


def asking_threads(request: Request) -> CapacityLimiter:
    """Those that ask are apart from those that look, so that a price is told while others wait for answers."""
    state = request.app.state
    if not hasattr(state, "asking_threads"):
        state.asking_threads = CapacityLimiter(AT_ONCE)
    found: CapacityLimiter = state.asking_threads
    return found


@router.post("/explain", tags=["asking"])
async def explain(request: Request, asker: Reader, wanted: Wanted) -> Response:
    """Price one statement or several, and say how good the answer would be; nothing is read or spent."""
    kind = wanted_format(request, JSON, ANSWER)
    desk: Desk = request.app.state.desk
    text = one_of(wanted)
    refuse_long(request, text)
    told = await to_thread.run_sync(
        lambda: desk.explain(asker, text, weights=wanted.weights, **wanted.keywords()),
    )
    if kind == ANSWER:
        return Response(json.dumps({"explanation": explanation_to_json(told)}), media_type=ANSWER)
    return Response(json.dumps(told.to_dict(), ensure_ascii=False, allow_nan=False), media_type=JSON)


@router.post("/sql", tags=["asking"], responses=dict(DESCRIBED))
async def sql(request: Request, asker: Questioner, question: Question, key: Idempotency = None) -> Response:
    """Answer one statement, or bring its answer back for free if you have asked the same before.

    With Accept: text/event-stream, events tell when it was taken, that it still runs, and the answer or the problem.
    """
    kind = wanted_format(request, JSON, ARROW, ANSWER, EVENTS)
    refuse_long(request, question.statement)
    desk: Desk = request.app.state.desk

    def ask() -> Asked:
        return desk.ask(
            asker,
            question.statement,
            purpose=question.purpose,
            key=key,
            fresh=question.fresh,
            weights=question.weights,
            **question.keywords(),
        )

    return await _answer(request, kind, ask)


@router.post("/batch", tags=["asking"], responses=dict(DESCRIBED))
async def batch(request: Request, asker: Questioner, asked: Batch, key: Idempotency = None) -> Response:
    """Answer several statements at once: all are paid for and answered, or none."""
    kind = wanted_format(request, JSON, ANSWER, EVENTS)
    refuse_long(request, asked.statements)
    desk: Desk = request.app.state.desk

    def ask() -> AskedBatch:
        return desk.batch(
            asker,
            asked.statements,
            weights=asked.weights,
            purpose=asked.purpose,
            key=key,
            fresh=asked.fresh,
            **asked.keywords(),
        )

    return await _answer(request, kind, ask)


@router.post("/cancel", tags=["asking"])
async def cancel(request: Request, asker: Questioner, which: Key) -> dict[str, Any]:
    """Stop a statement of yours that runs, by its key or number; what was charged stays charged."""
    desk: Desk = request.app.state.desk
    return {"stopped": await to_thread.run_sync(desk.cancel, asker, which.key)}


@router.get("/running", tags=["asking"])
async def running(request: Request, asker: Reader) -> dict[str, Any]:
    """The numbers of your statements that run."""
    desk: Desk = request.app.state.desk
    return {"running": await to_thread.run_sync(desk.running, asker)}


async def _answer(request: Request, kind: str, ask: Callable[[], Asked | AskedBatch]) -> Response:
    threads, pace = asking_threads(request), Pace(request.app.state.settings.answer_after)
    if kind == EVENTS:
        return StreamingResponse(events(ask, threads, pace), media_type=EVENTS)
    return answered(await paced(ask, threads, pace), kind)


def one_of(wanted: Wanted) -> Any:  # noqa: ANN401 - one text, a list or a mapping
    """The statement, or the statements."""
    if (wanted.statement is None) == (wanted.statements is None):
        raise InvalidParameter("say either statement, with one SELECT, or statements, with several")
    return wanted.statement if wanted.statements is None else wanted.statements


def refuse_long(request: Request, text: str | Iterable[str] | Mapping[str, str]) -> None:
    """Raise if a statement is longer than this server reads."""
    most: int = request.app.state.settings.largest_statement
    texts = (text,) if isinstance(text, str) else text.values() if isinstance(text, Mapping) else text
    if any(len(each) > most for each in texts):
        raise InvalidParameter(f"a statement has at most {most:,} letters here: shorten it, or ask for several")
