"""called_as: what a caller is told who leaves out an argument, or does not name it."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

from privet.errors import InvalidParameter
from privet.wording.nearest import nearest

P = ParamSpec("P")
R = TypeVar("R")


def called_as(example: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return what makes a function answer a call that does not fit with one sentence and this example.

    Args:
        example: a whole call, as somebody would type it.

    Example:
        >>> @called_as("mean(salaries, bounds=(0, 200_000), epsilon=1)")
        ... def mean(values, *, bounds, **asking): ...
        >>> mean([1, 2], epsilon=1)
        Traceback (most recent call last):
        privet.errors.InvalidParameter: mean: bounds is missing; write mean(salaries, bounds=(0, 200_000), epsilon=1)
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        named = signature(function).parameters

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            reason = _misfit(named, len(args), kwargs)
            if reason:
                raise InvalidParameter(f"{function.__name__}: {reason}; write {example}")
            return function(*args, **kwargs)

        return checked

    return decorate


def _misfit(named: Mapping[str, Parameter], given: int, keywords: Mapping[str, object]) -> str | None:
    """Why a call with so many arguments and these keywords does not fit; None if it does."""
    plain = [name for name, each in named.items() if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    if given > len(plain):
        most = "only the first argument goes" if len(plain) == 1 else f"only {len(plain)} arguments go"
        return f"{most} without a name"
    placed = plain[:given]
    for name in placed:
        if name in keywords:
            return f"{name} is given twice"
    takes_any = any(each.kind is Parameter.VAR_KEYWORD for each in named.values())
    for name in keywords:
        if name not in named and not takes_any:
            return f"there is no keyword {name}{nearest(name, named)}"
    needed = [each for each in named.values() if each.default is Parameter.empty]
    told = {*placed, *keywords}
    missing = [each.name for each in needed if each.kind is not Parameter.VAR_KEYWORD and each.name not in told]
    return f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing" if missing else None
