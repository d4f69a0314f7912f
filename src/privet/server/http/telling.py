"""Telling: errors as problems, and nothing of what only the owner may know."""

import json
import logging
import traceback
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from privet.errors import Busy, InvalidParameter, NotAllowed, PrivetError, ServiceFailed, SignInNeeded
from privet.query.remote.problems import MEDIA_TYPE, PREFIX, problem_of

LOG = logging.getLogger("privet.server")
UNFORESEEN = "this went wrong for a reason that nobody foresaw, which only the owner is told; it may have been paid for"
NOT_THERE = "there is nothing here that you may see"
LONGEST = 300  # letters of a place in a body


class NotThere(NotAllowed):
    """Something is not there, or is not for who asks: nobody can tell which."""

    def __init__(self) -> None:
        super().__init__(NOT_THERE)


def problem_response(error: PrivetError) -> Response:
    """An error as application/problem+json."""
    facts = problem_of(error)
    if isinstance(error, NotThere):
        return bare_problem(HTTPStatus.NOT_FOUND, NOT_THERE)
    headers = {}
    if isinstance(error, SignInNeeded):
        headers["www-authenticate"] = 'Bearer realm="privet"'
    if isinstance(error, Busy):
        headers["retry-after"] = str(max(1, round(error.retry_after + 0.5)))
    number = getattr(error, "number", None)
    more = {} if number is None else {"number": number}
    return _response(facts["status"], {**facts, **more}, headers)


def bare_problem(status: HTTPStatus, detail: str, *, name: str | None = None) -> Response:
    """A problem of HTTP itself, about which Privet's errors say nothing; nothing was charged."""
    said = name or status.phrase.lower().replace(" ", "-")
    facts = {"type": PREFIX + said, "title": status.phrase, "status": int(status), "detail": detail}
    return _response(int(status), {**facts, "hint": "see the OpenAPI description", "charged": False}, {})


def _response(status: int, facts: Mapping[str, object], headers: Mapping[str, str]) -> Response:
    return Response(json.dumps(facts, ensure_ascii=False), status, dict(headers), MEDIA_TYPE)


def tell_problems(app: FastAPI) -> None:
    """Answer every error that a route raises with a problem."""

    @app.exception_handler(PrivetError)
    async def of_privet(request: Request, error: PrivetError) -> Response:  # noqa: ARG001 - as handlers are called
        return problem_response(error)

    @app.exception_handler(RequestValidationError)
    async def of_a_body(request: Request, error: RequestValidationError) -> Response:  # noqa: ARG001 - the same
        first = error.errors()[0]
        place = ".".join(str(each) for each in first["loc"][1:])[:LONGEST] or "the body"
        return problem_response(InvalidParameter(f"{place}: {str(first['msg'])[:LONGEST].lower()}"))

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> Response:  # noqa: ARG001 - the same
        status = HTTPStatus(error.status_code)
        found = bare_problem(status, NOT_THERE if status is HTTPStatus.NOT_FOUND else f"{status.phrase.lower()} here")
        found.headers.update(dict(error.headers or {}))
        return found


def unforeseen(error: Exception) -> Response:
    """What is told about an error that nobody foresaw; the log says where it was raised, and not what it says."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    where = ", ".join(f"{each.filename.rpartition('privet/')[2]}:{each.lineno}" for each in frames)
    LOG.error("unforeseen: %s at %s", type(error).__name__, where)
    return problem_response(ServiceFailed(UNFORESEEN))
