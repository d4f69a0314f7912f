"""timing: whether how long something takes tells neighbors apart. It is reported apart, and judges no claim."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from privet.audit.figures import figure
from privet.audit.progress import Progress
from privet.audit.runs import name_of, outcome_of
from privet.errors import InvalidParameter
from privet.loss.exact import whole

ALPHA = 1e-6
FEWEST = 20


@dataclass(frozen=True)
class Timing:
    """How long the runs of two neighbors took.

    Args:
        subject: what was run.
        runs: of each input, taking turns.
        medians: in seconds, of the first input and of the second.
        slower: how often a run of the second input takes longer than one of the first; 1/2 if time tells nothing.
        p: the probability of ranks as uneven as these or more, if time told nothing (Mann and Whitney 1947).
        alpha: below which p is taken for a difference.

    Example:
        >>> Timing("a sum", 100, (0.001, 0.0011), slower=0.9, p=1e-9, alpha=0.01).differs
        True
    """

    subject: str
    runs: int
    medians: tuple[float, float]
    slower: float
    p: float
    alpha: float

    @property
    def differs(self) -> bool:
        """Whether time tells the inputs apart, at this confidence."""
        return self.p < self.alpha

    @property
    def verdict(self) -> str:
        """What time tells; whatever it is, no promise of ε speaks of time."""
        first, second = (f"{figure(1000 * median)} ms" for median in self.medians)
        said = "tells the inputs apart" if self.differs else "was not seen to tell the inputs apart"
        return f"time {said}: {first} and {second} at the median of {self.runs:,} runs each, p = {self.p:.2g}"

    def __repr__(self) -> str:
        return f"Timing({self.subject}: {self.verdict})"

    def to_json(self) -> str:
        """All of it as JSON."""
        return json.dumps({**asdict(self), "differs": self.differs, "verdict": self.verdict}, ensure_ascii=False)


def timing(
    run: Callable[[Any], Any],
    *,
    pair: Sequence[Any],
    trials: int = 2_000,
    alpha: float = ALPHA,
    progress: bool | None = None,
) -> Timing:
    """Measure a function on two neighboring inputs, in turns, and compare the ranks of the times.

    Args:
        run: a function of the input; failures take time, too.
        pair: two neighboring inputs.
        trials: runs of each input.
        alpha: how often a difference may be told where there is none.
        progress: True to show how far it is from two seconds on, False never to; by default on terminals.

    Not covered: time that depends on what else the machine does, on caches that earlier runs have filled, on a network.

    Example:
        >>> found = timing(lambda rows: sum(range(rows)), pair=(10, 100_000), trials=50)
        >>> found.differs, round(found.slower, 1)
        (True, 1.0)
    """
    number = whole(trials, "trials", low=FEWEST)
    if len(pair) != 2:  # noqa: PLR2004 - two neighbors
        raise InvalidParameter("timing needs two neighboring inputs: write pair=(data, neighbor)")
    taken: tuple[list[float], list[float]] = ([], [])
    watch = Progress(2 * number, shown=progress)
    try:
        for turn in range(number):
            for side in (0, 1) if turn % 2 else (1, 0):  # neither is always the first
                began = time.perf_counter()
                outcome_of(lambda side=side: run(pair[side]))  # type: ignore[misc] # of no argument
                taken[side].append(time.perf_counter() - began)
            watch.step(2)
    finally:
        watch.end()
    return compared_times(name_of(run), taken, alpha)


def compared_times(subject: str, taken: tuple[Sequence[float], Sequence[float]], alpha: float = ALPHA) -> Timing:
    """What measured times of two inputs say."""
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - slow to load

    first, second = (np.asarray(each, dtype=np.float64) for each in taken)
    ranks = mannwhitneyu(second, first, alternative="two-sided")
    slower = float(ranks.statistic) / (len(first) * len(second))
    medians = (float(np.median(first)), float(np.median(second)))
    return Timing(subject, len(first), medians, slower, float(ranks.pvalue), alpha)
