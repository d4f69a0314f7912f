"""Calls that do not fit: every public function of arrays says so in one sentence of its own."""

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from inspect import Parameter, signature
from typing import Any

import numpy as np
import pytest

import privet
from privet.asking.asking import Asking
from privet.errors import InvalidParameter, PrivetError

AGES = np.array([31.0, 44.0, 47.0, 68.0] * 25)
PAIR = ((0, 110), (0, 110))


def curve(rows: Any) -> Callable[[float], float]:  # noqa: ANN401 - rows
    return lambda at: float(np.mean(rows <= at))


CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "cdf": ((AGES,), {"edges": [0, 50, 100]}),
    "correlation": (((AGES, AGES),), {"bounds": PAIR}),
    "count": ((AGES,), {}),
    "counts": (({"old": AGES > 40},), {}),
    "covariance": (((AGES, AGES),), {"bounds": PAIR}),
    "covariance_matrix": (((AGES, AGES),), {"bounds": PAIR}),
    "hierarchical_counts": ((AGES,), {"edges": [0, 50, 100]}),
    "histogram": ((AGES,), {"edges": [0, 50, 100]}),
    "histogram2d": ((AGES, AGES), {"edges": ([0, 50, 100], [0, 50, 100])}),
    "maximum": ((AGES,), {"bounds": (0, 110)}),
    "mean": ((AGES,), {"bounds": (0, 110)}),
    "median": ((AGES,), {"bounds": (0, 110)}),
    "minimum": ((AGES,), {"bounds": (0, 110)}),
    "moments": ((AGES,), {"bounds": (0, 110)}),
    "proportion": ((AGES > 40,), {}),
    "quantile": ((AGES, 0.9), {"bounds": (0, 110)}),
    "quantile_interval": ((AGES, 0.5), {"bounds": (0, 110)}),
    "quantiles": ((AGES, [0.25, 0.75]), {"bounds": (0, 110)}),
    "release": ((42,), {"sensitivity": 1}),
    "release_function": ((curve, AGES), {"sensitivity": "1/100", "degree": 3, "order": 2}),
    "sample_and_aggregate": ((np.median, AGES), {"blocks": 10, "bounds": (0, 110)}),
    "sampled_sensitivity": ((np.mean, lambda count: np.linspace(0, 1, count), 10), {"gamma": "0.5"}),
    "smooth_median": ((AGES,), {"bounds": (0, 110), "step": 1}),
    "smooth_sensitivity": ((np.max, AGES), {"local_sensitivities": lambda _: [1.0], "step": 1}),
    "stddev": ((AGES,), {"bounds": (0, 110)}),
    "target_error": (("mean",), {"error": 1, "bounds": (0, 110), "rows": 100}),
    "top_k": ((["a", "b"] * 50, 1), {"categories": ["a", "b"]}),
    "total": ((AGES,), {"bounds": (0, 110)}),
    "variance": ((AGES,), {"bounds": (0, 110)}),
}
UNPRICED = {"target_error", "sampled_sensitivity"}
WRONG: list[Any] = [None, True, -1, 0.5, float("nan"), "x", b"x", [], [None], {}, {"a": 1}, (1,), (1, "x"), ((1,),)]
WRONG += [
    [[1, 2], [3]],
    np.zeros((2, 2)),
    np.array("x"),
    np.array([date(2024, 1, 1)], dtype="M8[D]"),
    object(),
    print,
]
WRONG += [Fraction(1, 3), 1j, range(0), date(2024, 1, 1), {1, 2}, iter([1])]


def full(name: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    args, keywords = CALLS[name]
    price = {} if name in UNPRICED else {"epsilon": 1}
    return args, {**keywords, **price, **({"neighbors": "replace"} if name == "smooth_median" else {})}


def told(call: Callable[[], object]) -> str | None:
    """The one sentence with which a call is refused; None if it is answered. Anything else fails."""
    try:
        call()
    except PrivetError as refused:
        text = str(refused)
        assert text, "a refusal without a word"
        assert "\n" not in text
        return text
    return None


def test_every_public_function_is_here() -> None:
    functions = {name for name in privet.__all__ if callable(getattr(privet, name)) and name.islower()}
    assert functions - {"connect", "calibrate", "describe"} == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_fits_is_answered_and_others_say_how(name: str) -> None:
    function = getattr(privet, name)
    args, keywords = full(name)
    assert told(lambda: function(*args, **keywords)) is None
    needed = [each.name for each in signature(function).parameters.values() if each.default is Parameter.empty]
    needed = [each for each in needed if each != "asking"]
    for left in range(len(args)):
        with pytest.raises(InvalidParameter, match=rf"{needed[left]}.* missing; write {name}\("):
            function(*args[:left], **keywords)
    for each in [each for each in needed if each in keywords]:
        rest = {key: value for key, value in keywords.items() if key != each}
        with pytest.raises(InvalidParameter, match=rf"{each} is missing; write {name}\("):
            function(*args, **rest)
    with pytest.raises(InvalidParameter, match=rf"without a name; write {name}\("):
        function(*args, 1, **keywords)
    with pytest.raises(InvalidParameter, match=rf"is given twice; write {name}\("):
        function(*args, **keywords, **{next(iter(signature(function).parameters)): 1})
    assert "epsilonn" in (told(lambda: function(*args, **keywords, epsilonn=1)) or "")


@pytest.mark.parametrize("name", CALLS)
def test_what_is_of_a_wrong_kind_is_refused_in_words_or_answered(name: str) -> None:
    function = getattr(privet, name)
    args, keywords = full(name)
    words = [*signature(function).parameters, *([] if name in UNPRICED else Asking.__annotations__)]
    for word in words:
        if word == "asking":
            continue
        for wrong in WRONG:
            place = list(signature(function).parameters).index(word) if word in signature(function).parameters else 99
            changed = tuple(wrong if place == number else each for number, each in enumerate(args))
            named = {} if place < len(args) else {word: wrong}
            told(lambda: function(*changed, **{**keywords, **named}))  # noqa: B023 - called at once


HUGE: list[Any] = [10**400, -(10**400), 10**30, 1e308, 5e-324, "1e-400"]


@pytest.mark.parametrize("name", ["release_function", "target_error"])
def test_what_is_huge_is_refused_before_anything_is_computed(name: str) -> None:
    function = getattr(privet, name)
    args, keywords = full(name)
    for word in ("degree", "order", "dimension", "waves", "error", "confidence", "rows", "cells", "rows_per_unit"):
        if word in signature(function).parameters:
            for huge in HUGE:
                told(lambda: function(*args, **{**keywords, word: huge}))  # noqa: B023 - called at once
