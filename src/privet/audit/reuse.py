"""Reuse: noise that is drawn twice: seeds, forked children, and answers that come again far above chance."""

import math
import os
import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from privet.audit.figures import figure
from privet.audit.outcomes import Reader
from privet.audit.runs import outcome_of
from privet.audit.test import ALPHA
from privet.audit.views import fingerprints
from privet.errors import InvalidParameter
from privet.loss.exact import whole

Make = Callable[[], Callable[[], Any]]  # makes what is run, as a program does when it starts
FEWEST = 8


@dataclass(frozen=True)
class Reuse:
    """Whether streams of answers that should be independent hold the same noise.

    Args:
        streams: how many were compared: made anew, and in forked children.
        length: answers of each stream.
        pairs: pairs of streams that are equal from their beginning.
        fork: whether a forked child is in one of those pairs.
        repeated: pairs of equal answers within streams.
        expected: so many would be there by chance, if equal answers were as frequent as between streams.
        chance: how probable one equal pair of streams would be, if all answers were independent.
        alpha: how often noise may be said to be reused where it is not.
    """

    streams: int
    length: int
    pairs: int
    fork: bool
    repeated: int
    expected: float
    chance: float
    alpha: float

    @property
    def found(self) -> bool:
        """Whether noise was used twice."""
        return self.pairs > 0 and self.chance < self.alpha

    @property
    def verdict(self) -> str:
        """One sentence."""
        if self.found:
            where = "a forked child repeats the noise of its parent" if self.fork else "streams made anew are equal"
            return f"noise is used twice: {where}, {self.pairs} of {math.comb(self.streams, 2)} pairs"
        if self.chance >= self.alpha:
            return "nothing can be said: answers are equal too often by themselves; take longer streams"
        rare = f"by chance one would be seen with probability {figure(self.chance)}"
        return f"no reuse found in {self.streams} streams of {self.length} answers; {rare}"

    def __repr__(self) -> str:
        return f"Reuse({self.verdict})"


def reuse(make: Make, *, length: int = 64, anew: int = 4, children: int = 2, alpha: float = ALPHA) -> Reuse:
    """Start a program several times, and in forked children, and compare the answers it gives to one question.

    Args:
        make: makes what is run, as when a program starts, and returns a function without arguments that gives one
            answer, always to the same question.
        length: answers of each stream.
        anew: streams that are made anew.
        children: forked children that go on with the last stream after it was used; 0 where there is no `os.fork`.
        alpha: how often noise may be said to be reused where it is not.

    Proof: independent streams are equal with probability c^length, where c is how often two answers are; c is estimated
        and doubled, from answers at different places of streams, which are independent even where streams are equal.

    Example:
        >>> from privet.mechanisms import Laplace
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> def seeded():
        ...     source = seeded_entropy_for_tests(7)
        ...     return lambda: Laplace(1, 1).sample(0.0, source)
        >>> reuse(seeded, children=0).verdict
        'noise is used twice: streams made anew are equal, 6 of 6 pairs'
    """
    number, size = whole(anew, "anew", low=1), whole(length, "length", low=FEWEST)
    if whole(children, "children", low=0) and not hasattr(os, "fork"):
        raise InvalidParameter("this system has no fork: write children=0")
    ask = make()
    streams = [[outcome_of(ask) for _ in range(size)]]
    forked = [_in_child(lambda: [outcome_of(ask) for _ in range(size)]) for _ in range(children)]
    here = [outcome_of(ask) for _ in range(size)] if children else None  # the parent goes on too
    for _ in range(number - 1):
        again = make()
        streams.append([outcome_of(again) for _ in range(size)])
    together = [*streams, *forked, *([here] if here is not None else [])]
    reader = Reader()
    seen = [reader.read([(each,) for each in stream]) for stream in together]
    width = max(each.columns.shape[1] for each in seen)
    prints = np.array([fingerprints(each, width) for each in seen])
    equal = [pair for pair in combinations(range(len(prints)), 2) if (prints[pair[0]] == prints[pair[1]]).all()]
    rate, repeated = _equal_answers(prints)
    return Reuse(
        streams=len(prints),
        length=size,
        pairs=len(equal),
        fork=any(max(pair) >= number for pair in equal),
        repeated=repeated,
        expected=rate * math.comb(size, 2) * len(prints),
        chance=min(1.0, math.comb(len(prints), 2) * rate**size),
        alpha=alpha,
    )


def _equal_answers(prints: np.ndarray[Any, Any]) -> tuple[float, int]:
    """How often two answers of one stream are equal, from above, and how many such pairs there were."""
    counts = [Counter(stream.tolist()) for stream in prints]
    repeated = sum(math.comb(times, 2) for count in counts for times in count.values())
    pairs = len(prints) * math.comb(prints.shape[1], 2)
    return min(1.0, (repeated + 1) / pairs * 2), repeated


def _in_child(run: Callable[[], list[Any]]) -> list[Any]:
    """What a forked child gives, sent back through a pipe."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - coverage does not follow into forked children
        try:
            os.close(reading)
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump([_plain(each) for each in run()], pipe)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    if not text:
        raise InvalidParameter("a forked child gave no answers: the subject cannot be run after a fork")
    return list(pickle.loads(text))  # noqa: S301 - our own child's


def _plain(value: Any) -> Any:  # noqa: ANN401 - any answer
    return repr(value) if isinstance(value, BaseException) else value
