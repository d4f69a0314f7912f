"""Support: which answers can occur at all: steps of the lattice, strange numbers, and floats of one input only."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.audit.adapters.recognised import adapted
from privet.audit.bounds import at_least
from privet.audit.figures import figure
from privet.audit.outcomes import Array, Outcomes, Reader
from privet.audit.runs import Subject, draw_of, name_of
from privet.audit.test import ALPHA
from privet.audit.views import lowest_bit
from privet.loss.exact import Exact, exact, whole
from privet.noise import BitSource

SHARE = 0.5  # of alpha for each input


@dataclass(frozen=True)
class Support:
    """Which answers two neighboring inputs give.

    Args:
        subject: what was run.
        runs: of each input.
        steps: the exponent of the finest power of two whose multiples all answers of either input are; None where an
            input gives no number but zero.
        kinds: what kinds of answers either input gives.
        negative_zeros: how many answers of either input hold a zero with a minus sign.
        off_step: how many answers of either are no multiple of the step that was declared.
        finer: how many answers of either are finer than every answer of the other.
        alone: how many answers of either are of a kind that the other never gives.
        alpha: how often `leaks` may be wrong where nothing was declared.
    """

    subject: str
    runs: int
    steps: tuple[int | None, int | None]
    kinds: tuple[tuple[str, ...], tuple[str, ...]]
    negative_zeros: tuple[int, int]
    off_step: tuple[int, int]
    finer: tuple[int, int]
    alone: tuple[int, int]
    alpha: float

    @property
    def leaks(self) -> bool:
        """Whether answers tell the inputs apart by which of them can occur.

        An answer off the declared step is certain. Otherwise at least e^2 times as many answers that are finer than any
        of the other input, or of a kind that it never gives, are taken for a leak, at this confidence: answers that are
        rare under both inputs may be seen of one alone.
        """
        return any(self.off_step) or self._often(self.finer) or self._often(self.alone)

    def _often(self, counts: tuple[int, int]) -> bool:
        rare = 1 - at_least(self.runs, self.runs, self.alpha * SHARE)  # an answer never seen in so many runs
        return at_least(max(counts), self.runs, self.alpha * SHARE) > math.e**2 * rare

    @property
    def verdict(self) -> str:
        """One sentence."""
        if any(self.off_step):
            return f"leaks: {max(self.off_step):,} of {self.runs:,} answers are no multiple of the declared step"
        if self._often(self.finer):
            share = figure(max(self.finer) / self.runs)
            return f"leaks: a share of {share} of one input's answers is finer than any answer of the other"
        if self._often(self.alone):
            only = sorted(set(self.kinds[0]) ^ set(self.kinds[1]))
            return f"differs: only one input gives {', '.join(only)}, in {self.runs:,} runs of each"
        return f"no leak found in {self.runs:,} runs: both inputs give the same kinds on the same lattice"

    def __repr__(self) -> str:
        return f"Support({self.subject}: {self.verdict})"


def support(  # noqa: PLR0913 - what is run and how, each by name
    subject: Subject,
    *,
    pair: tuple[Any, Any],
    step: Exact | None = None,
    trials: int = 10_000,
    alpha: float = ALPHA,
    source: BitSource | None = None,
) -> Support:
    """Look at which answers occur: noise that was added in floats shows its input in the last bits (Mironov 2012).

    Args:
        subject: a mechanism or a function, as for `test`.
        pair: two neighboring inputs.
        step: all answers should be multiples of it, if that is promised.
        trials: runs of each input.
        alpha: how often a leak may be told where there is none, if no step is promised.
        source: where a mechanism's bits come from.

    Example:
        >>> from privet.mechanisms import Laplace
        >>> good = Laplace(1, 1)
        >>> support(good, pair=(0.0, 1.0), step=good.lattice.step, trials=1000).leaks
        False
        >>> from privet.audit import zoo
        >>> naive = zoo.SPECIMENS["float_laplace"]
        >>> support(naive.run, pair=naive.pair).verdict
        "leaks: a share of 0... of one input's answers is finer than any answer of the other"
    """
    subject = adapted(subject)
    reader, draw, runs = Reader(), draw_of(subject, source), whole(trials, "trials", low=1)
    seen = [reader.read(draw(value, runs)) for value in pair]
    finest = [_finest(outcomes) for outcomes in seen]
    ends = [_end(bits) for bits in finest]
    finer = [0 if end is None else int((mine < end).sum()) for mine, end in zip(finest, ends[::-1], strict=True)]
    declared = None if step is None else exact(step, "step")
    off = [0 if declared is None else _off(outcomes.columns, declared) for outcomes in seen]
    zeros = [int((np.signbit(each.columns) & (each.columns == 0)).any(axis=1).sum()) for each in seen]
    kinds = [tuple(reader.names[kind] for kind in np.unique(each.kinds)) for each in seen]
    return Support(
        subject=name_of(subject),
        runs=runs,
        steps=(ends[0], ends[1]),
        kinds=(kinds[0], kinds[1]),
        negative_zeros=(zeros[0], zeros[1]),
        off_step=(off[0], off[1]),
        finer=(finer[0], finer[1]),
        alone=_alone(seen[0], seen[1]),
        alpha=alpha,
    )


def _alone(one: Outcomes, other: Outcomes) -> tuple[int, int]:
    """How many answers of either are of a kind that the other never gives."""
    return int((~np.isin(one.kinds, other.kinds)).sum()), int((~np.isin(other.kinds, one.kinds)).sum())


def _finest(outcomes: Outcomes) -> Array:
    """The lowest bit of all numbers of each answer; NaN where they are zero."""
    bits = np.stack([lowest_bit(column) for column in outcomes.columns.T], axis=1)
    return np.asarray(np.fmin.reduce(bits, axis=1), dtype=np.float64)


def _end(bits: Array) -> int | None:
    known = bits[~np.isnan(bits)]
    return int(known.min()) if known.size else None


def _off(columns: Array, step: Fraction) -> int:
    """How many answers hold a number that is no multiple of the step, decided exactly."""
    exponent = step.denominator.bit_length() - 1
    finite = np.isfinite(columns)
    if step == Fraction(1, 2**exponent) or (step.denominator == 1 and step.numerator & (step.numerator - 1) == 0):
        power = -exponent if step < 1 else step.numerator.bit_length() - 1
        bits = np.stack([lowest_bit(column) for column in columns.T], axis=1)
        return int(((bits < power) & finite).any(axis=1).sum())
    rows = np.where(finite, columns, 0.0).tolist()
    return sum(any((Fraction(each) / step).denominator != 1 for each in row) for row in rows)
