"""The workbench: a question, its price while it is typed, and its answer."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, cast

from anyio import to_thread
from starlette.responses import Response

from privet.errors import (
    AnalystFrozen,
    AnswerLost,
    ApprovalNeeded,
    BudgetExceeded,
    Busy,
    Cancelled,
    InvalidParameter,
    KeyReused,
    LedgerUnavailable,
    NotAllowed,
    PrivetError,
    QueryRefused,
    ReleaseFailed,
    ServiceFailed,
)
from privet.loss.exact import shortest
from privet.query.results.explanation import Explanation
from privet.server.console.routes.route import Page, away
from privet.server.console.routes.stored import stored
from privet.server.console.views.amounts import first_of, limit_of
from privet.server.console.views.answer_view import AnswerView, answer_view
from privet.server.console.views.price_view import PriceView, asked_of, price_view
from privet.server.console.views.question_form import QuestionForm, keywords_of, usual_delta
from privet.server.console.views.side_view import budget_view, history_lines, request_lines
from privet.server.console.views.starting import Card, cards_of
from privet.server.console.views.table_view import table_views
from privet.server.console.visit import Visit
from privet.server.desk import Asked, BudgetFacts
from privet.server.desk.question import tidied
from privet.server.pace import Pace
from privet.server.people import TokenScope
from privet.server.people.secret import new_secret
from privet.wording.printable import printable

SHOWN = 8  # questions beside the editor
OUTCOMES: tuple[tuple[type[PrivetError], str], ...] = (
    (Cancelled, "stopped"),
    (AnalystFrozen, "frozen"),
    (ReleaseFailed, "failed"),
    (ServiceFailed, "failed"),
    (AnswerLost, "lost"),
    (Busy, "busy"),
    (LedgerUnavailable, "busy"),
    (ApprovalNeeded, "busy"),
    (KeyReused, "busy"),
    (QueryRefused, "refused"),
    (InvalidParameter, "refused"),
    (BudgetExceeded, "refused"),
)


@dataclass(frozen=True)
class Workbench:
    """What the page shows: the question, its price, and what became of it."""

    sql: str = ""
    purpose: str = ""
    key: str = ""
    state: str = "empty"
    price: PriceView | None = None
    refusal: str = ""
    answer: AnswerView | None = None
    request: str = ""
    cards: list[Card] = field(default_factory=list)


async def ask_page(visit: Visit) -> Response:
    """The empty workbench, or one that begins with a question of a link."""
    form = QuestionForm.of(visit.request.query_params)
    if "request" in visit.request.query_params:
        form = await _requested(visit, visit.request.query_params["request"])
    return await _shown(visit, await _priced(visit, replace(form, key=new_secret(128))))


async def ask_like(visit: Visit) -> Response:
    """The workbench with an answer that was stored, and its question."""
    budget = await away(visit.doors.desk.budget, visit.asker)
    asked = await stored(visit, str(visit.request.path_params["number"]))
    t = visit.doors.pages.texts
    spent = first_of(asked.answer.spent)
    form = QuestionForm(
        amount=shortest(spent) if spent else "",
        sql=asked.text,
        purpose="" if asked.purpose == asked.text else asked.purpose,
        key=new_secret(128),
    )
    bench = await _priced(visit, form)
    shown = answer_view(t, replace(asked, repeated=False), left=str(budget_view(t, budget).words))
    return await _shown(visit, replace(bench, state="answered", answer=shown))


async def price(visit: Visit) -> Response:
    """The strip alone, for the script."""
    form = QuestionForm.of(visit.form)
    bench = await _priced(visit, form)
    return visit.page("part-price.html", view=bench)


async def ask(visit: Visit) -> Response:
    """Run a question, price it anew, or send it to the owner."""
    form = QuestionForm.of(visit.form)
    wish = visit.said("do")
    if visit.said("take") or wish not in ("run", "again", "request"):
        return await _shown(visit, await _priced(visit, form))
    bench = await _priced(visit, form)
    if bench.price is None:
        return await _shown(visit, bench)
    if wish == "request":
        return await _request(visit, form, bench)
    return await _run(visit, form, bench, fresh=wish == "again")


async def stop(visit: Visit) -> Response:
    """Stop a question that runs, as far as it can be; what was charged stays charged."""
    await away(visit.doors.desk.cancel, visit.asker, visit.said("key"))
    return await _shown(visit, Workbench(state="stopped", key=new_secret(128)))


async def _run(visit: Visit, form: QuestionForm, bench: Workbench, *, fresh: bool) -> Response:
    assert bench.price is not None  # noqa: S101 - the caller looked
    try:
        asked = await _answered(visit, form, bench.price.keywords, fresh=fresh)
    except NotAllowed:
        raise
    except PrivetError as problem:
        return await _shown(visit, _outcome(bench, problem))
    if not visit.part:
        return visit.to(f"/ask/{asked.number}")
    t = visit.doors.pages.texts
    budget = await away(visit.doors.desk.budget, visit.asker)
    shown = answer_view(t, asked, left=str(budget_view(t, budget).words))
    after = await _priced(visit, replace(form, key=new_secret(128)))
    return await _shown(visit, replace(after, state="answered", answer=shown))


async def _answered(visit: Visit, form: QuestionForm, keywords: Mapping[str, Any], *, fresh: bool) -> Asked:
    """The answer, at a public time after the question if the owner wants that."""
    work = partial(
        visit.doors.desk.ask,
        visit.asker,
        form.sql,
        purpose=form.purpose or None,
        key=form.key or None,
        fresh=fresh,
        **keywords,
    )
    pace, began = Pace(visit.doors.settings.answer_after), time.monotonic()
    try:
        return await to_thread.run_sync(work, limiter=visit.doors.asking)
    finally:
        await asyncio.sleep(pace.left(time.monotonic() - began))


def _outcome(bench: Workbench, problem: PrivetError) -> Workbench:
    state = next((state for kind, state in OUTCOMES if isinstance(problem, kind)), "failed")
    key = new_secret(128) if state in ("lost", "failed", "busy", "stopped") else bench.key
    return replace(bench, state=state, refusal=printable(problem), key=key)


async def _request(visit: Visit, form: QuestionForm, bench: Workbench) -> Response:
    assert bench.price is not None  # noqa: S101 - the caller looked
    try:
        request = await away(
            visit.doors.desk.request, visit.asker, form.sql, purpose=form.purpose or None, **bench.price.keywords
        )
    except PrivetError as problem:
        return await _shown(visit, _outcome(bench, problem))
    return await _shown(visit, replace(bench, state="requested", request=request.number))


async def _requested(visit: Visit, number: str) -> QuestionForm:
    """The question of a request, as it has to be asked."""
    requests = await away(visit.doors.desk.requests, visit.asker)
    found = next((each for each in requests if each.number == number), None)
    if found is None:
        raise NotAllowed("there is no such request of yours")
    amount = found.price.partition(",")[0].rpartition("=")[2] or found.epsilon
    return QuestionForm(sql=found.text, purpose=found.purpose or "", amount=amount)


# --- the price --------------------------------------------------------------------------------------------------


async def _priced(visit: Visit, form: QuestionForm) -> Workbench:
    """A question with its price, or with why it has none. Nothing private is read, nothing is spent."""
    t = visit.doors.pages.texts
    bench = Workbench(sql=form.sql, purpose=form.purpose, key=form.key)
    longest = visit.doors.settings.largest_statement
    if not form.sql.strip():
        return replace(bench, cards=await away(cards_of, t, visit.doors.desk, visit.asker))
    if len(form.sql) > longest:
        return replace(bench, state="refused", refusal=t.plain("ask.too_long", longest=f"{longest:,}"))
    try:
        budget = await away(visit.doors.desk.budget, visit.asker)
        view = await away(_explained, visit, form, budget)
    except NotAllowed:
        raise
    except PrivetError as problem:
        return replace(bench, state="refused", refusal=printable(problem))
    if view.approval is not None and await away(_allowed, visit, form, view):
        view = replace(view, approval=None)
    return replace(bench, state="priced", price=view)


def _allowed(visit: Visit, form: QuestionForm, view: PriceView) -> bool:
    """Whether the owner has allowed this very question; the desk decides again when it is run."""
    return any(
        each.state == "approved"
        and tidied(each.text) == tidied(form.sql)
        and (each.purpose or "") == form.purpose
        and each.price == view.cost
        for each in visit.doors.desk.requests(visit.asker)
    )


def _explained(visit: Visit, form: QuestionForm, budget: BudgetFacts) -> PriceView:
    catalog = visit.doors.desk.catalog
    limit = limit_of(budget.limit, budget.spent, budget.remaining)
    room = max(limit, asked_of(catalog.limit))
    said = keywords_of(
        visit.doors.pages.texts,
        form,
        limit=catalog.limit,
        budget=catalog.budget,
        room=first_of(budget.remaining) or room,
    )
    if form.moved == "slider":
        said = keywords_of(visit.doors.pages.texts, form, limit=catalog.limit, budget=catalog.budget, room=room)
    told, keywords = _explain(visit, form.sql, said, usual_delta(catalog.limit, catalog.budget))
    if "error" in keywords:  # asked by the price that was found, so that it is the same question as by that price
        word = "rho" if "rho" in told.promise.__dict__ else "epsilon"
        found = {word: asked_of(told.promise)}
        keywords = {**{name: each for name, each in keywords.items() if name != "error"}, **found}
    return price_view(visit.doors.pages.texts, told, budget, room=room, keywords=keywords)


def _explain(
    visit: Visit, sql: str, said: Mapping[str, Any], delta: Fraction | None
) -> tuple[Explanation, dict[str, Any]]:
    """The explanation, with a δ only where the question needs one."""
    desk, asker = visit.doors.desk, visit.asker
    try:
        return cast("Explanation", desk.explain(asker, sql, **said)), dict(said)
    except (InvalidParameter, QueryRefused):
        if delta is None:
            raise
        with_delta = {**said, "delta": delta}
        try:
            return cast("Explanation", desk.explain(asker, sql, **with_delta)), with_delta
        except (InvalidParameter, QueryRefused):
            pass
        raise


async def _shown(visit: Visit, bench: Workbench) -> Response:
    """The whole page, or for the script the parts that change."""
    desk, asker, t = visit.doors.desk, visit.asker, visit.doors.pages.texts
    budget = await away(desk.budget, asker)
    asked = await away(desk.history, asker, last=SHOWN + 1)
    requests = await away(desk.requests, asker)
    values: dict[str, Any] = {
        "view": bench,
        "budget": budget_view(t, budget),
        "history": history_lines(asked[:SHOWN]),
        "more": len(asked) > SHOWN,
        "waiting": request_lines(t, requests),
        "longest": visit.doors.settings.largest_statement,
    }
    if visit.part:
        return visit.page("part-ask.html", **values)
    tables = await away(desk.tables, asker)
    return visit.page("ask.html", tables=table_views(t, tables, desk.catalog), **values)


ASK = (
    Page("/ask", ask_page, TokenScope.ASK, hidden=True),
    Page("/ask", ask, TokenScope.ASK, ("POST",)),
    Page("/price", price, TokenScope.ASK, ("POST",)),
    Page("/stop", stop, TokenScope.ASK, ("POST",)),
    Page("/ask/{number}", ask_like, TokenScope.ASK, hidden=True),
)
