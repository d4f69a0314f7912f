"""called_like: how a function is called, told to whoever calls it otherwise."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from privet.errors import InvalidParameter

P = ParamSpec("P")
R = TypeVar("R")


def called_like(example: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Refuse arguments that a function does not take with an example of those that it does.

    Python's own sentence counts arguments by their places, and says nothing of what to write instead.

    Args:
        example: of a call.

    Example:
        >>> @called_like("area(2, height=3)")
        ... def area(width: int, *, height: int) -> int:
        ...     return width * height
        >>> area(2, 3)
        Traceback (most recent call last):
        ...
        privet.errors.InvalidParameter: write area(2, height=3): too many positional arguments
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                signature.bind(*args, **kwargs)
            except TypeError as problem:
                raise InvalidParameter(f"write {example}: {problem}") from None
            return function(*args, **kwargs)

        return checked

    return decorated
