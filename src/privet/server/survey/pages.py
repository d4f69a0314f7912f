"""survey_routes: the pages of surveys: the question, the result, the code to take part, and who asks and why."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from privet.errors import PrivetError
from privet.local.device import ReportMessage
from privet.local.javascript import DEVICE, MODULE
from privet.server.collector.charts import chart_of
from privet.server.collector.collector import Collector, Entry, NotReleased
from privet.server.collector.group_commit import GroupCommit
from privet.server.collector.rate_limit import RateLimit
from privet.server.collector.report_counts import ReportCounts
from privet.server.collector.report_route import ACCEPTED, OFTEN, UNAVAILABLE, ReportRoute
from privet.server.collector.results import FORMATS, file_of
from privet.server.collector.store import StoreUnavailable
from privet.server.survey.privacy_facts import privacy_facts
from privet.server.survey.qr_code import qr_code
from privet.server.survey.result_page import answer_words, result_page
from privet.server.survey.words import LANGUAGES, words_of

HERE = Path(__file__).parent
MOST_FORM = 1024
ID_DIGITS = 32
SHORT = 8  # digits of an address that is typed
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "geolocation=(), camera=(), microphone=()",
    "cache-control": "no-store",
}
_PAGES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
Answer = Callable[[Request], Awaitable[Response]]


def survey_routes(collector: Collector, commit: GroupCommit, *, rate: RateLimit | None = None) -> list[BaseRoute]:
    """Pages under `/survey` and `/collections`; nothing on them comes from elsewhere, and they set no cookie.

    Args:
        collector: what is collected.
        commit: makes answers durable that come without a script.
        rate: how often an address may send.
    """
    pages = _Pages(collector, ReportRoute(collector, commit, rate=None, counts=ReportCounts()), rate)
    return [
        *(Route(f"/survey/static/{each.name}", _module_of(each), methods=["GET"]) for each in (MODULE, DEVICE)),
        Mount("/survey/static", StaticFiles(directory=HERE / "static")),
        Route("/s/{start}", _told(pages.short), methods=["GET"]),
        Route("/survey/{id}", _told(pages.question), methods=["GET"]),
        Route("/survey/{id}/answer", _told(pages.answer), methods=["POST"]),
        Route("/survey/{id}/results", _told(pages.results), methods=["GET"]),
        Route("/survey/{id}/results.{kind}", _told(pages.file), methods=["GET"]),
        Route("/collections/{id}/privacy", _told(pages.privacy), methods=["GET"]),
    ]


def _module_of(path: Path) -> Answer:
    content = path.read_bytes()

    async def module(_: Request) -> Response:
        return Response(content, media_type="text/javascript")

    return module


def _told(answer: Answer) -> Answer:
    """A page or one sentence."""

    async def safe(request: Request) -> Response:
        try:
            return await answer(request)
        except KeyError:
            return _sentence(404, "There is no such survey.")
        except StoreUnavailable as problem:
            return _sentence(503, str(problem))
        except PrivetError as problem:
            return _sentence(409, str(problem))

    return safe


def _sentence(status: int, sentence: str) -> Response:
    return Response(sentence, status, HEADERS, media_type="text/plain; charset=utf-8")


class _Pages:
    """The pages of one collector."""

    def __init__(self, collector: Collector, report: ReportRoute, rate: RateLimit | None) -> None:
        self._collector, self._report, self._rate = collector, report, rate

    async def question(self, request: Request) -> Response:
        """The question; the draw happens in the browser."""
        return self._asked(await self._survey(request), request)

    async def short(self, request: Request) -> Response:
        """The way from an address that can be typed."""
        start = str(request.path_params["start"])
        found = [each.collection.id for each in self._collector.entries if each.collection.id.startswith(start)]
        if len(start) != SHORT or len(found) != 1:
            raise KeyError(start)
        return Response(status_code=303, headers=HEADERS | {"location": f"/survey/{found[0]}"})

    def _asked(self, entry: Entry, request: Request, *, sent: bool | None = None, answer: str = "") -> Response:
        facts, language = entry.collection, _language(request, entry)
        words, survey = words_of(language), dict(facts.survey or {})
        over = entry.state != "open"
        told = answer_words(facts, language)
        page = {
            "config": {"id": facts.id, "survey": survey},
            "hash": facts.config_hash.hex(),
            "words": {name: text for name, text in words.items() if not name.startswith("gdpr_")},
        }
        return _page(
            "survey.html",
            **told,
            facts=facts,
            survey=survey,
            lang=language,
            other=_other(language),
            w=words,
            page=page,
            sent=False if over and sent is None else sent,
            sent_text=words["sent_text"].format(answer=answer),
            number=ReportMessage.fresh_nonce().hex(),
        )

    async def answer(self, request: Request) -> Response:
        """What real coins said, from a page without a script: it is taken as it is, like every other report."""
        entry = await self._survey(request)
        facts, words = entry.collection, words_of(_language(request, entry))
        if self._rate is not None and request.client is not None and not self._rate.allows(request.client.host):
            return _sentence(OFTEN, "too many answers: try again later")
        form = await _form(request)
        number = form.get("number", "")
        if form.get("answer") not in {"yes", "no"} or form.get("agree") != "yes" or not _is_nonce(number):
            return _sentence(400, words["agree_first"])
        yes = form["answer"] == "yes"
        message = ReportMessage(facts.id_bytes, facts.config_hash, 0, bytes.fromhex(number), bytes([yes]))
        status = await self._report.take(message.pack())
        if status == UNAVAILABLE:
            return _sentence(503, words["no_connection"])
        return self._asked(entry, request, sent=status == ACCEPTED, answer=words["yes_sent" if yes else "no_sent"])

    async def results(self, request: Request) -> Response:
        """The result so far, or the released one; large enough for a projector."""
        entry = await self._survey(request)
        facts, language = entry.collection, _language(request, entry)
        live = entry.state == "open"
        found = await asyncio.to_thread(self._found, entry)
        address = str(request.url.replace(path=f"/s/{facts.id[:SHORT]}", query=""))
        page = result_page(facts, found, language, live=live)
        return _page(
            "results.html",
            **page,
            facts=facts,
            survey=dict(facts.survey or {}),
            lang=language,
            other=_other(language),
            w=words_of(language),
            live=live,
            code=qr_code(address),
            address=address,
            short_address=address.partition("://")[2],
        )

    async def file(self, request: Request) -> Response:
        """The result as JSON, CSV, Arrow or a picture."""
        entry = await self._survey(request)
        found = await asyncio.to_thread(self._found, entry)
        if not found:
            raise NotReleased("there are too few answers for a result yet")
        kind = str(request.path_params["kind"])
        if kind == "json":
            return JSONResponse(found[-1], headers=HEADERS)
        if kind == "svg":
            drawn = chart_of(entry.collection, found[-1:])
            return Response(drawn, headers=_drawn_headers(), media_type="image/svg+xml")
        if kind not in FORMATS:
            raise KeyError(kind)
        return Response(file_of(found[-1:], kind), headers=HEADERS, media_type=FORMATS[kind])

    async def privacy(self, request: Request) -> Response:
        """Who asks, what for, and what happens with it: from the signed description."""
        entry = await asyncio.to_thread(self._collector.entry, _id(request))
        facts, language = entry.collection, _language(request, entry)
        told = privacy_facts(facts, language)
        words = words_of(language)
        return _page("privacy.html", facts=facts, told=told, lang=language, other=_other(language), w=words)

    def _found(self, entry: Entry) -> list[dict[str, Any]]:
        facts = entry.collection
        if entry.state != "open":
            return self._collector.releases(facts.id)
        return [] if facts.live_step is None else self._collector.live(facts.id)

    async def _survey(self, request: Request) -> Entry:
        entry = await asyncio.to_thread(self._collector.entry, _id(request))
        if entry.collection.survey is None or entry.state == "deleted":
            raise KeyError(entry.collection.id)
        return entry


def _page(name: str, **values: Any) -> Response:  # noqa: ANN401 - what the template has
    return HTMLResponse(_PAGES.get_template(name).render(**values), headers=HEADERS)


def _drawn_headers() -> dict[str, str]:
    """A picture that is opened by itself has its own style, and nothing else."""
    return HEADERS | {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}


def _language(request: Request, entry: Entry) -> str:
    """As the address or the survey says; what the browser would like is not looked at."""
    asked = request.query_params.get("lang", "")
    own = str((entry.collection.survey or {}).get("language", LANGUAGES[0]))
    return asked if asked in LANGUAGES else own


def _other(language: str) -> str:
    return LANGUAGES[1 - LANGUAGES.index(language)]


def _id(request: Request) -> str:
    name = str(request.path_params["id"])
    if len(name) != ID_DIGITS or set(name) - set("0123456789abcdef"):
        raise KeyError(name)
    return name


def _is_nonce(number: str) -> bool:
    return len(number) == ID_DIGITS and not set(number) - set("0123456789abcdef")


async def _form(request: Request) -> dict[str, str]:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_FORM:
            return {}
    try:
        return {name: values[0] for name, values in parse_qs(body.decode("ascii"), max_num_fields=8).items()}
    except ValueError:
        return {}
