"""strict_json: JSON of strangers, read so that it means one thing only."""

import json
import math
from typing import Any, NoReturn

from privet.errors import InvalidParameter

DEEPEST = 12
LONGEST_NUMBER = 400  # characters


def strict_json(content: bytes) -> Any:  # noqa: ANN401 - JSON
    """What a body says.

    Raises:
        InvalidParameter: it is no JSON in UTF-8, a name occurs twice in an object, a number is NaN, infinite or
            absurdly long, a text has half of a character or the letter 0, or it is nested deeply: readers differ about
            all of these.

    Example:
        >>> strict_json(b'{"epsilon": 0.1}')
        {'epsilon': 0.1}
        >>> strict_json(b'{"epsilon": 1, "epsilon": 9}')
        Traceback (most recent call last):
        ...
        privet.errors.InvalidParameter: the body must be JSON: a name occurs twice in one object
    """
    try:
        found = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_once,
            parse_constant=_no_number,
            parse_float=_float,
            parse_int=_int,
        )
    except InvalidParameter:
        raise
    except (ValueError, RecursionError):
        raise InvalidParameter("the body must be JSON in UTF-8, as the OpenAPI description says") from None
    _refuse_odd(found, DEEPEST)
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidParameter("the body must be JSON: a name occurs twice in one object")
    return found


def _no_number(text: str) -> NoReturn:
    raise InvalidParameter(f"the body must be JSON: {text} is no number there")


def _float(text: str) -> float:
    if len(text) > LONGEST_NUMBER or not math.isfinite(number := float(text)):
        raise InvalidParameter("the body must be JSON: a number in it is too long or too large")
    return number


def _int(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise InvalidParameter("the body must be JSON: a number in it is too long or too large")
    return int(text)


def _refuse_odd(value: object, deeper: int) -> None:
    if isinstance(value, str):
        if any("\ud800" <= each <= "\udfff" or each == "\0" for each in value):
            raise InvalidParameter("the body must be JSON: a text in it has half of a character, or the letter 0")
        return
    if not isinstance(value, dict | list):
        return
    if not deeper:
        raise InvalidParameter(f"the body must be JSON: it is nested more than {DEEPEST} deep")
    for each in value:
        _refuse_odd(each, deeper - 1)
        if isinstance(value, dict):
            _refuse_odd(value[each], deeper - 1)
