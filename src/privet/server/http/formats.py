"""Formats: an answer as JSON, as Arrow, or with all that is known of it for `privet.connect`."""

import io
import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from privet.query.remote.transport import ANSWER
from privet.query.results.answer import Answer, amount_facts
from privet.query.results.answer_facts import answer_facts, answers_facts
from privet.server.desk import Asked, AskedBatch

JSON = "application/json"
ARROW = "application/vnd.apache.arrow.stream"
EVENTS = "text/event-stream"
DESCRIBED: Mapping[int | str, Any] = {  # for OpenAPI
    200: {
        "description": "The answer, in the format that Accept names.",
        "content": {
            JSON: {"schema": {"type": "object"}},
            ARROW: {"schema": {"type": "string", "format": "binary"}},
            ANSWER: {"schema": {"type": "object"}},
        },
    }
}


def wanted_format(request: Request, *known: str) -> str:
    """The format that a request would like best; JSON if it does not say.

    Raises:
        HTTPException: 406, if it wants none that there is.
    """
    said = ",".join(request.headers.getlist("accept")) or "*/*"
    liked = sorted(_weighed(each, place) for place, each in enumerate(said.split(",")))
    for less, _, kind in liked:
        found = next((each for each in known if kind in (each, "*/*", f"{each.partition('/')[0]}/*")), None)
        if found is not None and less < 0:
            return found
    raise HTTPException(406)


def _weighed(said: str, place: int) -> tuple[float, int, str]:
    """A part of Accept: what it is wanted less than, its place and its kind."""
    kind, *words = (word.strip().casefold() for word in said.split(";"))
    weight = next((word[2:] for word in words if word.startswith("q=")), "1")
    try:
        return -float(weight), place, kind
    except ValueError:
        return -1.0, place, kind


def asked_facts(asked: Asked | AskedBatch) -> dict[str, Any]:
    """What is told of an answer besides itself."""
    about: dict[str, Any] = {"statement": asked.text} if isinstance(asked, Asked) else {"statements": asked.texts}
    return {
        "number": asked.number,
        **about,
        "purpose": asked.purpose,
        "at": asked.at,
        "repeated": asked.repeated,
        "remaining": amount_facts(asked.remaining),
    }


def asked_json(asked: Asked | AskedBatch, *, whole: bool) -> dict[str, Any]:
    """An answer for programs; `whole` with all that is known of it."""
    found = asked.answer if isinstance(asked, Asked) else asked.answers
    if whole:
        return {**asked_facts(asked), "answer": found.to_json()}
    facts = answer_facts(found) if isinstance(found, Answer) else answers_facts(found)
    return {**facts, **asked_facts(asked)}


def answered(asked: Asked | AskedBatch, kind: str) -> Response:
    """An answer in a format."""
    if kind == ARROW and isinstance(asked, Asked):
        return Response(arrow_stream(asked), media_type=ARROW)
    text = json.dumps(asked_json(asked, whole=kind == ANSWER), ensure_ascii=False, allow_nan=False)
    return Response(text, media_type=ANSWER if kind == ANSWER else JSON)


def arrow_stream(asked: Asked) -> bytes:
    """The rows as an Arrow IPC stream, whose schema says all the rest under the name "privet"."""
    facts = {name: value for name, value in asked_json(asked, whole=False).items() if name != "rows"}
    known = asked.answer.table.schema.metadata or {}
    table = asked.answer.table.replace_schema_metadata({**known, b"privet": json.dumps(facts).encode()})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue()
