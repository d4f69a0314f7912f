"""Views: the numbers that an attacker may read off an outcome, each with its name in words."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from privet.audit.learned import learned_score
from privet.audit.outcomes import Array, Outcomes, joined, wide

SINGLE = 24  # numbers of one outcome that are looked at by themselves
KINDS = 12  # kinds of outcomes whose numbers are looked at by themselves
FEW = 24  # different values of one number, up to which sequences are outcomes
DIGITS = 53
ATOMS = 400
MANY = 40_000  # exact outcomes that can be cells of their own


@dataclass(frozen=True)
class View:
    """One number for each run.

    Args:
        name: what it is, as it stands in "… is at least 2".
        scores: the numbers of some runs; NaN where there is none.
        says: in words, which runs have a score, where the score itself would tell nobody anything.
        cost: by how much an event of this view must be better than a simpler one, as a share.
        atoms: how many values that repeat can be cells of their own.
    """

    name: str
    scores: Callable[[Outcomes], Array]
    says: Callable[[float], str] | None = field(default=None, repr=False)
    cost: float = 0.0
    atoms: int = ATOMS


def views(one: Outcomes, other: Outcomes, names: list[str]) -> Iterator[View]:
    """All views worth a look, of what was seen under both inputs.

    Args:
        one: runs of the first input, to choose by.
        other: runs of the second.
        names: of the kinds.
    """
    both = joined([one, other])
    kinds, often = np.unique(both.kinds, return_counts=True)
    if len(kinds) > 1:
        yield View(
            "the kind of answer",
            lambda runs: runs.kinds.astype(np.float64),
            lambda kind: f"the answer is {names[int(kind)]}",
        )
    width = both.columns.shape[1]
    numbers = [place for place in range(min(width, SINGLE)) if np.isfinite(both.columns[:, place]).any()]
    for place in numbers:
        yield _number(place, width)
    if len(kinds) > 1:
        common = kinds[np.argsort(-often)][:KINDS].tolist()
        yield from (_within(kind, place, names[kind], width) for kind in common for place in numbers)
    if width > 1:
        yield from _of_rows()
    yield from (_finest(place, width) for place in numbers[:4] if _any_fraction(both.columns[:, place]))
    yield _whole(both, names)
    learned = learned_score(one, other)
    if learned is not None:
        yield View(
            "the score of a classifier", learned, cost=0.04 if width > 1 else 0.1
        )  # hard to read: only if better


def _number(place: int, width: int) -> View:
    name = "the answer" if width == 1 else f"number {place + 1} of the answer"
    return View(name, lambda runs: _column(runs, place))


def _within(kind: int, place: int, name: str, width: int) -> View:
    number = "the number" if width == 1 else f"number {place + 1}"
    inside = lambda runs: np.where(runs.kinds == kind, _column(runs, place), np.nan)  # noqa: E731 - a view
    return View(f"the answer is {name} and {number} of it", inside, cost=0.01)


def _column(runs: Outcomes, place: int) -> Array:
    columns = runs.columns
    return columns[:, place] if place < columns.shape[1] else np.full(len(runs), np.nan)


def _of_rows() -> Iterator[View]:
    """What all numbers of an answer say together."""
    yield View("the largest number of the answer", lambda runs: np.fmax.reduce(runs.columns, axis=1))
    yield View("the smallest number of the answer", lambda runs: np.fmin.reduce(runs.columns, axis=1))
    yield View("the sum of the answer", lambda runs: np.nansum(runs.columns, axis=1))
    yield View("the place of the largest number (from 0)", _place_of_largest)
    yield View("how many numbers of the answer are above 0", lambda runs: (runs.columns > 0).sum(axis=1) * 1.0)


def _place_of_largest(runs: Outcomes) -> Array:
    there = np.where(np.isnan(runs.columns), -np.inf, runs.columns)
    return np.asarray(np.argmax(there, axis=1), dtype=np.float64)


# --- bits and exact values ------------------------------------------------------------------------------------


def _any_fraction(column: Array) -> bool:
    seen = column[np.isfinite(column)]
    return bool((seen != np.floor(seen)).any())


def _finest(place: int, width: int) -> View:
    """Which multiples of powers of two can occur: what noise added in floats gives away (Mironov 2012)."""
    name = "the answer" if width == 1 else f"number {place + 1} of the answer"
    return View(
        f"the exponent of the lowest bit of {name}",
        lambda runs: lowest_bit(_column(runs, place)),
        lambda exponent: f"{name} is a multiple of 2^{int(exponent)} and of no larger power of two",
        cost=0.01,
    )


def lowest_bit(values: Array) -> Array:
    """The exponent of the lowest bit that is set in each float; NaN for zero and what is not finite.

    Example:
        >>> lowest_bit(np.array([1.0, 6.0, 0.75, 0.0])).tolist()
        [0.0, 1.0, -2.0, nan]
    """
    mantissas, exponents = np.frexp(np.where(np.isfinite(values), values, 0.0))
    whole = np.abs(np.ldexp(mantissas, DIGITS)).astype(np.int64)
    lowest: Array = np.log2((whole & -whole).astype(np.float64), where=whole != 0, out=np.full(len(values), np.nan))
    return np.asarray(lowest + exponents - DIGITS, dtype=np.float64)


def fingerprints(runs: Outcomes, width: int) -> Array:
    """A number for each different outcome: equal for equal ones, and by all chance different for different ones."""
    columns = wide(runs, width)[:, :width]  # the same numbers of an outcome, whatever was read beside it
    bits = np.ascontiguousarray(columns).view(np.uint64)  # so that the two zeros differ
    mixed = runs.kinds.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for column in bits.T:
        mixed = (mixed ^ column) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
    return np.asarray(mixed >> np.uint64(11), dtype=np.float64)


def _whole(both: Outcomes, names: list[str]) -> View:
    """Exact outcomes: sequences, values that repeat, and signs of zero."""
    width = both.columns.shape[1]
    known: dict[float, str] = {}

    def scores(runs: Outcomes) -> Array:
        return fingerprints(runs, width)

    def says(score: float) -> str:
        if not known:
            found, first = np.unique(scores(both), return_index=True)
            rows = [written(both.columns[run], names[int(both.kinds[run])]) for run in first.tolist()]
            known.update(zip(found.tolist(), rows, strict=True))
        return f"the whole answer is {known.get(score, 'another')}"

    return View("the whole answer", scores, says, cost=0.02, atoms=MANY)


def written(row: Array, kind: str) -> str:
    """A row of numbers as people write it; where there is none, of which kind the answer is."""
    if not np.isfinite(row).any():
        return kind
    numbers = [f"{each:.10g}" if np.isfinite(each) else "·" for each in row[:SINGLE].tolist()]
    return numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"
