"""Pages to read: the history, what ε means, what can be asked."""

import math
from functools import lru_cache

from markupsafe import Markup
from starlette.responses import Response

from privet.server.console.charts.beliefs import after, at_most, before_after, posterior
from privet.server.console.charts.bells import bells, price_of_margin
from privet.server.console.routes.route import Page, away
from privet.server.console.texts import Texts
from privet.server.console.views.side_view import history_lines
from privet.server.console.visit import Visit
from privet.server.people import TokenScope

CASES = (("e-01", "0.1"), ("e-05", "0.5"), ("e-1", "1"), ("e-2", "2"), ("e-4", "4"))
PRIORS = (1, 10, 50, 90)
FAR = 3.0  # from where a share needs a digit after the point


async def history(visit: Visit) -> Response:
    """Every question of the asker."""
    asked = await away(visit.doors.desk.history, visit.asker, last=1000)
    return visit.page("history.html", history=history_lines(asked))


async def epsilon(visit: Visit) -> Response:
    """What ε means; for everybody."""
    cases, margin = await away(_cases, visit.doors.pages.texts.language)
    return visit.page("epsilon.html", cases=cases, margin_chart=margin)


async def what(visit: Visit) -> Response:
    """What can be asked; for everybody."""
    return visit.page("help.html")


@lru_cache
def _cases(language: str) -> tuple[list[dict[str, object]], Markup]:
    """The five cases: they never change, so they are drawn once."""
    t = Texts(language)
    found: list[dict[str, object]] = []
    for name, words in CASES:
        value = float(words)
        fine = 1 if value < 0.2 else 0  # noqa: PLR2004 - beliefs that hardly move
        belief = [
            (str(prior), at_most(after(prior / 100, value), 1 if prior * value > 100 * FAR else fine))
            for prior in PRIORS
        ]
        found.append(
            {
                "id": name,
                "eps": words,
                "half": at_most(1 / (1 + math.exp(-value)), fine),
                "belief": belief,
                "bars": before_after(t, value),
                "posterior": posterior(t, value, f"p-{name}", size=320),
                "bells": bells(t, value, f"d-{name}"),
            }
        )
    return found, price_of_margin(t)


READING = (
    Page("/history", history, TokenScope.ASK),
    Page("/epsilon", epsilon, None),
    Page("/help", what, None),
)
