"""Page: one address of the console, who may use it, and what answers it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeAlias, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from privet.server.console.visit import Visit
from privet.server.people import TokenScope

P = ParamSpec("P")
R = TypeVar("R")
Answer: TypeAlias = Callable[[Visit], Awaitable[Response]]


@dataclass(frozen=True)
class Page:
    """One address.

    Args:
        path: where, with parameters in braces.
        answer: what answers it.
        scope: what somebody must be allowed to do; None for everybody, signed in or not.
        methods: GET for pages, POST for forms.
        hidden: whether what is not allowed looks as if it were not there.
    """

    path: str
    answer: Answer
    scope: TokenScope | None
    methods: tuple[str, ...] = ("GET",)
    hidden: bool = False


async def away(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Do something slow in a thread, so that others need not wait."""
    return await run_in_threadpool(partial(work, *args, **kwargs))
