"""Wire values: what is said besides a question, as JSON and back. Numbers stay exact, dates stay dates."""

import datetime as dt
import math
import numbers
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from privet.errors import InvalidParameter
from privet.loss.risk import Risk
from privet.query.options import ALL
from privet.query.scalars.parameters import Parameters
from privet.wording.nearest import nearest

MAPPED = ("params", "error", "weights")  # keywords whose objects are names and values


def said_to_wire(said: Mapping[str, object]) -> dict[str, Any]:
    """Keywords of a question, as JSON can hold them; what was not said is left out.

    Example:
        >>> said_to_wire({"epsilon": Fraction(1, 3), "params": {"since": dt.date(2024, 1, 31)}, "delta": None})
        {'epsilon': '1/3', 'params': {'since': {'date': '2024-01-31'}}}
    """
    return {word: _keyword(word, value) for word, value in said.items() if value is not None}


def said_from_wire(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords that `said_to_wire` wrote.

    Raises:
        InvalidParameter: if a word is none of them, or a value means nothing.
    """
    for word in facts:
        if word not in ALL:
            raise InvalidParameter(f"a question does not take the keyword {word!r:.80}{nearest(word, ALL)}")
    return {word: _said(word, value) for word, value in facts.items() if value is not None}


def _keyword(word: str, value: object) -> Any:  # noqa: ANN401 - JSON
    if word == "params":
        given = Parameters.of(value)  # type: ignore[arg-type] # it refuses what is neither
        plain = {name: _parameter(each) for name, each in given.items}
        return list(plain.values()) if given.listed else plain
    if isinstance(value, Risk):
        return {"kind": value.kind, "most": str(value.most), "base": str(value.base)}
    if isinstance(value, Mapping):
        return {str(name): _number(word, each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_number(word, each) for each in value]
    return _number(word, value)


def _number(word: str, value: object) -> bool | int | float | str | None:
    """A number or a text; those that JSON has not are texts, which are as exact."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Fraction | Decimal):
        return str(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value) if math.isfinite(value) else str(float(value))
    raise InvalidParameter(f"{word} must be a number or a text, got a {type(value).__name__}")


def _parameter(value: object) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dt.datetime):
        return {"timestamp": value.isoformat()}
    return {"date": value.isoformat()} if isinstance(value, dt.date) else value


def _said(word: str, value: Any) -> Any:  # noqa: ANN401 - JSON
    if word == "params":
        if isinstance(value, dict):
            return {name: _given(name, each) for name, each in value.items()}
        return [_given(str(place), each) for place, each in enumerate(value, 1)] if isinstance(value, list) else value
    if word == "risk" and isinstance(value, dict):
        return _risk(value)
    return value


def _risk(facts: Mapping[str, Any]) -> Risk:
    most, base = (_number("risk", facts.get(each, "")) for each in ("most", "base"))
    match facts.get("kind"):
        case "posterior":
            return Risk.posterior(base, most)  # type: ignore[arg-type] # it refuses what is no number
        case "advantage":
            return Risk.advantage(most)  # type: ignore[arg-type] # the same
        case "power":
            return Risk.power(true_positive=most, false_positive=base)  # type: ignore[arg-type] # the same
    raise InvalidParameter('risk must be a text such as "50% to 60%"')


def _given(name: str, value: Any) -> Any:  # noqa: ANN401 - JSON
    """A value of a parameter; a date and a timestamp say what they are."""
    if not isinstance(value, dict):
        return value
    kinds = {"date": dt.date, "timestamp": dt.datetime}
    word = next(iter(value), None)
    if len(value) == 1 and word in kinds and isinstance(value[word], str):
        try:
            return kinds[word].fromisoformat(value[word])
        except ValueError:
            pass
    raise InvalidParameter(f'parameter {name:.80} must be a value, {{"date": "2024-01-31"}} or {{"timestamp": "…"}}')
