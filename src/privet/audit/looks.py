"""Looks: everything there is to see of a value, bit by bit, each part under a name of its own."""

import hashlib
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.core import Release
from privet.loss import PrivacyLoss

USUAL_NAN = 0x7FF8000000000000
UNSEEN = ", not looked into"
MANY = 2_000  # parts of one value that are named; of more there is a checksum
LONG = 2_000  # letters of a text that are kept
TABLES = ("to_pydict", "to_dict")  # what Arrow, pandas and polars call their columns; tried in this order
PLAIN = (str, bytes, bool, int, float, complex, Fraction, np.generic, type(None))


def looks(value: Any, name: str = "the answer") -> dict[str, str]:  # noqa: ANN401 - anything
    """What an observer sees of a value: its parts by name, types and order included.

    Args:
        value: anything: numbers, tables, releases, models.
        name: what it is called.

    Example:
        >>> looks({"a": [1, -0.0]})
        {'the answer': "dict of str 'a'", "the answer['a']": 'list of 2', "the answer['a'][0]": 'int 1', \
"the answer['a'][1]": 'float -0.0'}
    """
    seen: dict[str, str] = {}
    rest = hashlib.sha256()
    for number, (place, words) in enumerate(_parts(value, name, ())):
        if number < MANY:
            seen[place] = words if len(words) <= LONG else f"{words[:LONG]}… ({len(words)} letters, {_sum(words)})"
        else:
            rest.update(f"{place}: {words}\n".encode(errors="backslashreplace"))
            seen[f"{name}: the rest"] = rest.hexdigest()[:16]
    return seen


def written(value: Any) -> str:  # noqa: ANN401 - anything
    """A value with its type: 0.0, -0.0 and 0 are three.

    Example:
        >>> written((0, -0.0)), written("a")
        ('(int 0, float -0.0)', "str 'a'")
    """
    if isinstance(value, tuple | list):
        return f"({', '.join(map(written, value))})"
    if isinstance(value, float) and math.isnan(value):
        return f"{type(value).__name__} {_not_a_number(value)}"
    return f"{type(value).__name__} {value!r}"


def _not_a_number(value: float) -> str:
    """Which of the many NaN: a sign or a payload may tell something."""
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    return "nan" if bits == USUAL_NAN else f"nan {bits:x}"


def _sum(words: str) -> str:
    return hashlib.sha256(words.encode(errors="backslashreplace")).hexdigest()[:16]


def _parts(value: Any, name: str, within: tuple[int, ...]) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - anything
    if id(value) in within:
        yield name, "itself"
        return
    within = (*within, id(value))
    if isinstance(value, PLAIN):
        yield name, written(value)
    elif isinstance(value, BaseException):
        yield name, failure(value)
    elif isinstance(value, np.ndarray):
        yield from _array(value, name)
    elif isinstance(value, Mapping):
        yield name, f"{type(value).__name__} of {', '.join(map(written, value))}"
        for key, each in value.items():
            yield from _parts(each, f"{name}[{key!r}]", within)
    elif isinstance(value, list | tuple):
        yield name, f"{type(value).__name__} of {len(value)}"
        for place, each in enumerate(value):
            yield from _parts(each, f"{name}[{place}]", within)
    elif isinstance(value, set | frozenset):
        yield name, f"{type(value).__name__} of {', '.join(sorted(map(written, value)))}"
    else:
        yield from _object(value, name, within)


def _object(value: Any, name: str, within: tuple[int, ...]) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - anything
    """A table by its columns; anything else by its attributes, or as it writes itself."""
    kind = type(value).__name__
    columns = columns_of(value)
    if columns is not None:
        yield name, f"{kind}, {value.schema}" if hasattr(value, "schema") else kind
        yield from _parts(columns, name, within)
        yield from _beside_columns(value, name, within)
    elif isinstance(value, PrivacyLoss | type) or callable(value):
        yield name, f"{kind} {getattr(value, '__qualname__', '') or value!r}"
    elif is_dataclass(value) or isinstance(value, Release):
        yield name, kind
        for each in fields(value):
            yield from _parts(getattr(value, each.name), f"{name}.{each.name}", within)
    elif hasattr(value, "__next__") or hasattr(value, "__await__"):
        yield name, kind + UNSEEN
    elif vars_of(value) or "__repr__" not in dir_of(type(value)):
        yield name, kind if vars_of(value) or type(value) is object else kind + UNSEEN
        for attribute, each in vars_of(value).items():
            yield from _parts(each, f"{name}.{attribute}", within)
    else:
        yield name, written(value)


def _beside_columns(value: Any, name: str, within: tuple[int, ...]) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - a table
    """What pandas keeps beside its columns: their types, and whatever somebody attached."""
    for beside in ("dtypes", "attrs"):
        held: Any = getattr(value, beside, None)
        if hasattr(held, "to_dict"):
            held = {column: str(each) for column, each in held.to_dict().items()}
        if held is not None and not callable(held):
            yield from _parts(held, f"{name}.{beside}", within)


def dir_of(kind: type) -> set[str]:
    """What a class and those it is made of say of themselves, but for what every object has."""
    return {name for each in kind.__mro__ if each is not object for name in vars(each)}


def vars_of(value: Any) -> dict[str, Any]:  # noqa: ANN401 - anything
    """The attributes of an object, those in slots too."""
    slots = [each for kind in type(value).__mro__ for each in _names(vars(kind).get("__slots__", ()))]
    held = {name: getattr(value, name) for name in slots if name[:2] != "__" and hasattr(value, name)}
    return held | (dict(vars(value)) if hasattr(value, "__dict__") else {})


def _names(slots: Any) -> list[str]:  # noqa: ANN401 - as a class says them
    return [slots] if isinstance(slots, str) else list(slots)


def columns_of(value: Any) -> Any:  # noqa: ANN401 - anything
    """The columns of a table, by name; None if it is none."""
    if not hasattr(value, "columns"):
        return None
    for method in TABLES:
        if callable(getattr(value, method, None)):
            try:
                return getattr(value, method)()
            except Exception:  # noqa: BLE001, S112 - it only has the name of a table's method
                continue
    return None


def _array(value: np.ndarray[Any, Any], name: str) -> Iterator[tuple[str, str]]:
    yield name, f"array of {value.dtype} in shape {value.shape}"
    for place, each in zip(np.ndindex(value.shape), value.ravel().tolist(), strict=True):
        yield (
            f"{name}{list(place)}",
            _not_a_number(each) if isinstance(each, float) and math.isnan(each) else written(each),
        )


def failure(problem: BaseException) -> str:
    """An error, what is noted beside it, and the errors that it names as its reasons.

    Example:
        >>> failure(ValueError("no"))
        'ValueError: no'
    """
    told = [f"{type(problem).__name__}: {problem}", *getattr(problem, "__notes__", ())]
    why = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    if why is not None:
        told.append(f"from {failure(why)}")
    return "; ".join(told)
