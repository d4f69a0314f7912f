"""Runs: how often anything is run on one input, many times at once where it can be."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from privet.audit.adapters.adapted import Adapted
from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.mechanisms.additive import AdditiveNoise
from privet.mechanisms.kary_randomized_response import KaryRandomizedResponse
from privet.mechanisms.randomized_response import RandomizedResponse
from privet.mechanisms.whole_noise import WholeNoise
from privet.noise import BitSource, Entropy

BY_NUMBER = (AdditiveNoise, WholeNoise, RandomizedResponse, KaryRandomizedResponse)  # fresh noise for every number
WORDS = {"source", "count"}  # parameters of a function that an audit fills in


@runtime_checkable
class Privatizing(Protocol):
    """What local protocols do: a report for each of many values."""

    def privatize(self, values: Any, *, entropy: BitSource | None = None) -> Any:  # noqa: ANN401 - any column
        """A report for each value."""
        ...


class Randomising(Protocol):
    """What diffprivlib's mechanisms do."""

    def randomise(self, value: Any) -> Any:  # noqa: ANN401 - any input, any outcome
        """One run."""
        ...


Subject: TypeAlias = Mechanism[Any, Any] | Privatizing | Randomising | Callable[..., Any]
TOGETHER = 100_000  # runs at once, where many are drawn together
ALONE = 200  # runs between two looks at the clock, where each is run by itself


@dataclass(frozen=True)
class Draw:
    """How a subject is run.

    Args:
        many: (input, how often) to outcomes, one entry or row a run; None where each run is by itself.
        once: one run; None where there are many.
    """

    many: Callable[[Any, int], Any] | None
    once: Callable[[Any], Any] | None = None

    @property
    def batch(self) -> int:
        """How many runs at once."""
        return TOGETHER if self.many is not None else ALONE

    def __call__(self, value: Any, count: int) -> Any:  # noqa: ANN401 - any input, any outcomes
        """So many runs of one input."""
        if self.many is not None:
            return self.many(value, count)
        return [self._one(value) for _ in range(count)]

    def both(self, pair: tuple[Any, Any], count: int) -> tuple[Any, Any]:
        """So many runs of either input.

        Runs by themselves take turns, and a coin says who begins each turn: a subject that changes as it is run (its
        cache fills, its budget runs out) changes for both inputs, and is not accused of it.
        """
        if self.many is not None:
            return self.many(pair[0], count), self.many(pair[1], count)
        answers: tuple[list[Any], list[Any]] = ([], [])
        for coin in (Entropy().words(count) & np.uint64(1)).tolist():
            for side in (coin, 1 - coin):
                answers[side].append(self._one(pair[side]))
        return answers

    def _one(self, value: Any) -> Any:  # noqa: ANN401 - any input, any outcome
        once = self.once
        return None if once is None else outcome_of(lambda: once(value))


def draw_of(subject: Subject, source: BitSource | None = None) -> Draw:
    """How to run a subject many times on one input.

    Args:
        subject: a mechanism of Privet, a protocol for local privacy, or a function of the input. A function with a
            parameter `count` is run many times at once and returns as many outcomes; one with a parameter `source`
            draws its bits from there.
        source: where bits come from; the operating system's by default.
    """
    bits = Entropy() if source is None else source
    if isinstance(subject, Adapted):
        return Draw(None, subject.run)
    if isinstance(subject, Mechanism):
        return _of_mechanism(subject, bits)
    if isinstance(subject, Privatizing):
        return Draw(lambda value, count: subject.privatize([value] * count, entropy=bits))
    if not callable(subject):
        raise InvalidParameter(
            f"an audit needs a mechanism or a function of the input, got {type(subject).__name__}: "
            "pass the function itself, not its answer"
        )
    return _of_function(subject, bits)


def name_of(subject: Subject) -> str:
    """What a subject is called."""
    if isinstance(subject, Mechanism | Privatizing | Adapted):
        return repr(subject)
    return str(getattr(subject, "__name__", type(subject).__name__))


class Exit(Exception):  # noqa: N818 - named as a kind of outcome
    """A run that would have ended the process: an outcome, too, and never the end of an audit that found nothing."""


def outcome_of(run: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever it gives
    """What an observer sees of one run: its answer, or how it failed."""
    try:
        return run()
    except Exception as problem:  # noqa: BLE001 - a failure is an outcome
        return problem
    except SystemExit as end:
        return Exit(str(end.code))


def _of_function(function: Callable[..., Any], source: BitSource) -> Draw:
    known = _parameters(function)
    given = {"source": source} if "source" in known else {}
    if "count" not in known:
        return Draw(None, lambda value: function(value, **given))

    def together(value: Any, count: int) -> Any:  # noqa: ANN401 - whatever it gives
        answers = outcome_of(lambda: function(value, **given, count=count))
        if isinstance(answers, Exception):
            return [answers] * count
        if not hasattr(answers, "__len__") or len(answers) != count:
            raise InvalidParameter(
                f"a function with a parameter `count` must return {count} outcomes in a list or an array's rows: "
                "return one for each run, or leave `count` out to be run once for each"
            )
        return answers

    return Draw(together)


def _parameters(function: Callable[..., Any]) -> set[str]:
    try:
        return WORDS & set(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # some functions written in C do not say
        return set()


def _of_mechanism(mechanism: Mechanism[Any, Any], source: BitSource) -> Draw:
    if isinstance(mechanism, BY_NUMBER):
        return Draw(lambda value, count: _tiled(mechanism, value, source, count))
    many = getattr(mechanism, "many", None)
    if many is not None:
        return Draw(
            lambda value, count: _or_one_by_one(mechanism, value, source, count, lambda: many(value, source, count))
        )
    return Draw(lambda value, count: _one_by_one(mechanism, value, source, count))


def _one_by_one(mechanism: Mechanism[Any, Any], value: Any, source: BitSource, count: int) -> list[Any]:  # noqa: ANN401 - any input
    """What a ledger would see of so many runs: what is refused is refused before the charge."""
    refused = outcome_of(lambda: mechanism.check(value))
    if refused is not None:
        return [refused] * count
    return [outcome_of(lambda: mechanism.sample(value, source)) for _ in range(count)]


def _or_one_by_one(
    mechanism: Mechanism[Any, Any],
    value: Any,  # noqa: ANN401 - any input
    source: BitSource,
    count: int,
    together: Callable[[], Any],
) -> Any:  # noqa: ANN401 - whatever it gives
    """All runs together; what is refused so may be refused one by one too, and that is an outcome."""
    answers = outcome_of(together)
    if not isinstance(answers, Exception):
        return answers
    return _one_by_one(mechanism, value, source, count)


def _tiled(mechanism: Mechanism[Any, Any], value: Any, source: BitSource, count: int) -> Any:  # noqa: ANN401 - any input
    """One run on the input written `count` times below itself: its noise is fresh for every number."""
    rows: NDArray[Any] = np.asarray(value)

    def together() -> Any:  # noqa: ANN401 - whatever it gives
        return mechanism.sample(np.broadcast_to(rows, (count, *rows.shape)).copy(), source)

    return _or_one_by_one(mechanism, value, source, count, together)
