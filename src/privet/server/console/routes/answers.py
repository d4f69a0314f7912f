"""Stored answers by their permalinks, and as files."""

from dataclasses import replace

from starlette.responses import Response

from privet.server.console.downloads import KINDS, file_name
from privet.server.console.routes.route import Page, away
from privet.server.console.routes.stored import stored
from privet.server.console.views.answer_view import answer_view
from privet.server.console.visit import Visit
from privet.server.people import TokenScope


async def answer(visit: Visit) -> Response:
    """An answer of the asker's own, as a page or, with an ending, as a file; another's is as if it were not there."""
    number, _, kind = str(visit.request.path_params["number"]).partition(".")
    asked = await stored(visit, number, kind)
    texts = visit.doors.pages.texts
    if not kind:
        return visit.page("answer.html", answer=answer_view(texts, replace(asked, repeated=False)))
    made = KINDS[kind]
    content = await away(made.content, texts, asked, f"{visit.doors.settings.address}{visit.root}")
    headers = {"content-disposition": f'attachment; filename="{file_name(asked, kind)}"'}
    return Response(content, media_type=made.media_type, headers=headers)


ANSWERS = (Page("/answers/{number}", answer, TokenScope.ASK, hidden=True),)
