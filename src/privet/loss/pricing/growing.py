"""Growing: totals over the parts of a loss that grows, each extended by the latest part only."""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Generic, TypeVar

from privet.loss.pricing.grid import Direction

Total = TypeVar("Total")

Runs = frozenset[tuple[Direction, int]]

REMEMBERED = 64  # keys whose last total is kept


class Parts(tuple[tuple[Direction, int], ...]):  # noqa: SLOT001 - it remembers its other forms
    """The parts of a loss, all read in one direction, and how often each runs."""

    @cached_property
    def runs(self) -> Runs:
        """The same without an order, hashed once for all totals."""
        return frozenset(self)

    @cached_property
    def total(self) -> int:
        """How many runs there are."""
        return sum(times for _, times in self)

    def joined(self, others: "Parts") -> "Parts":
        """With parts that are not among these."""
        both = Parts(self + others)
        both.__dict__.update(runs=self.runs | others.runs, total=self.total + others.total)
        return both

    @property
    def adding(self) -> bool:
        """The direction."""
        return self[0][0].adding


class Growing(Generic[Total]):
    """The last total of each key, for losses that are read after every spend.

    Up to the order in which parts are combined, a total is the same with and without a memory. Threads may share it:
    what is stored is immutable and stored at once, so at worst a total is computed again.
    """

    def __init__(self, combined: Callable[[Total, Total], Total]) -> None:
        self._combined = combined
        self._last: dict[Hashable, tuple[Runs, Total]] = {}
        self.clear = self.cache_clear = self._last.clear  # also by the name that functions with a memory have

    def total(self, key: Hashable, runs: Runs, of: Callable[[Runs], Total]) -> Total:
        """The total over all parts, where `of` gives that of a few."""
        known, total = self._last.get(key) or (frozenset(), None)
        if total is None or not known <= runs:
            total = of(runs)
        elif len(known) < len(runs):
            total = self._combined(total, of(runs - known))
        self._last[key] = (runs, total)
        if len(self._last) > REMEMBERED:
            for old in list(self._last)[:-REMEMBERED]:
                self._last.pop(old, None)
        return total
