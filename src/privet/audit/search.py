"""The search for the pair of neighbors that shows most: few runs of many pairs, then more of fewer."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from privet.audit.claim import Claimed
from privet.audit.event import Aim, best_events
from privet.audit.outcomes import Reader
from privet.audit.runs import Draw
from privet.audit.sampled import Plan
from privet.audit.views import views
from privet.errors import InvalidParameter

FIRST = 120  # runs of each input of each pair in the first round
KEEP = 4  # one pair of so many stays in the search, which then has so many times the runs
ROUNDS = 3


@dataclass(frozen=True)
class Sought:
    """The most promising pair, and what it took to find it.

    Args:
        pair: two neighboring inputs.
        tried: how many pairs there were.
        runs: how often anything was run.
    """

    pair: tuple[Any, Any]
    tried: int
    runs: int

    @property
    def note(self) -> str:
        """For a finding."""
        return f"the pair is the most promising of {self.tried:,}, which took {self.runs:,} more runs"


def most_promising(draw: Draw, pairs: Iterable[tuple[Any, Any]], claim: Claimed, plan: Plan) -> Sought:
    """Look at all pairs, and longer at those that promise most; the audit of the last one has runs of its own."""
    left = list(pairs)
    if not left:
        raise InvalidParameter("the domain has no two neighbors: give it more rows or wider bounds")
    tried, runs, number = len(left), 0, FIRST
    later, share = plan.stages[-1]
    for _ in range(ROUNDS):
        if len(left) == 1:
            break
        aim = Aim(claim.delta, later, share / 2)
        promises = [promise(draw, pair, aim, number) - claim.epsilon for pair in left]
        runs += 2 * number * len(left)
        ranked = sorted(range(len(left)), key=lambda place: -promises[place])
        left = [left[place] for place in ranked[: max(1, len(left) // KEEP)]]
        number *= KEEP
    return Sought(left[0], tried, runs)


def promise(draw: Draw, pair: tuple[Any, Any], aim: Aim, runs: int) -> float:
    """About the ε that an audit of this pair will show."""
    reader = Reader()
    one, other = (reader.read(draw(value, runs)) for value in pair)
    return max(events[0].promise for events in best_events(one, other, views(one, other, reader.names), aim))
