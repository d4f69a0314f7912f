"""Released values as JSON: one text for each value, and back."""

import math
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.errors import InvalidParameter

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None


def encoded(value: object) -> Json:  # noqa: PLR0911 - one line for each kind of value
    """Return numbers, texts, lists and dictionaries for a value.

    The text says nothing that the value does not: minus zero is zero, and numpy's numbers are plain ones.

    Example:
        >>> encoded(np.array([1.5, -0.0]))
        {'array': [1.5, 0.0], 'dtype': 'float64'}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, np.ndarray):
        return {"array": encoded(value.tolist()), "dtype": str(value.dtype)}
    if isinstance(value, tuple):
        return {"tuple": [encoded(each) for each in value]}
    if isinstance(value, list):
        return [encoded(each) for each in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dictionary": {key: encoded(each) for key, each in value.items()}}
    if is_dataclass(value) and not isinstance(value, type):
        facts = {field.name: encoded(getattr(value, field.name)) for field in fields(value) if field.init}
        return {"kind": type(value).__name__, **facts}
    raise InvalidParameter(f"a {type(value).__name__} cannot be written as JSON: map the release to numbers first")


def decoded(value: Json, kinds: Iterable[type] = ()) -> Any:  # noqa: ANN401, PLR0911 - whatever was encoded
    """Return what `encoded` was given; `kinds` are the dataclasses that may occur in it."""
    if isinstance(value, list):
        return [decoded(each, kinds) for each in value]
    if not isinstance(value, dict):
        return value
    if "fraction" in value:
        return Fraction(str(value["fraction"]))
    if "array" in value:
        return np.array(decoded(value["array"], kinds), dtype=str(value["dtype"]))
    if "tuple" in value:
        return tuple(decoded(value["tuple"], kinds))
    if "dictionary" in value:
        inside: Any = value["dictionary"]
        return {key: decoded(each, kinds) for key, each in inside.items()}
    known = {kind.__name__: kind for kind in kinds}
    name = str(value["kind"])
    if name not in known:
        raise InvalidParameter(f"the class {name} is not known here: import it, or pass it in kinds")
    return known[name](**{key: decoded(each, kinds) for key, each in value.items() if key != "kind"})


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise InvalidParameter("only finite numbers can be released")
    return number + 0.0
