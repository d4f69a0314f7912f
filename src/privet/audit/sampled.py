"""An audit by samples: an event is chosen on some runs and tested on others."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from privet.audit.bounds import Box, Seen, at_least, at_most
from privet.audit.claim import Claimed
from privet.audit.event import Aim, Event, best_events
from privet.audit.finding import Finding, Point
from privet.audit.outcomes import Outcomes, Reader, joined
from privet.audit.progress import Progress
from privet.audit.runs import Draw
from privet.audit.shown_inputs import both_shown
from privet.audit.views import views
from privet.errors import InvalidParameter

LEAST = 250  # runs of each input in the first look
GROWTH = 6  # how much longer all stages are with the next
LAST = 0.75  # the share of alpha that the last stage has
MORE = 0.9  # the share of a stage's alpha that the more promising direction has
FIRST = 0.6  # the share of the most promising event, beside others of its direction and smaller and larger ones
KEPT = 2_000_000  # numbers of the runs of each input by which an event is chosen, at most
FEWEST = 100_000  # so many runs are kept, however many numbers they have
POINTS = 24  # of the trade-off curve


@dataclass(frozen=True)
class Plan:
    """How many runs, in which stages, and how much of alpha each stage may spend.

    A stage tests, on runs of its own, events that were chosen on the runs of all stages before it. So each stage's
    bounds are wrong with probability at most its share of alpha, whatever was chosen and however the stages went on;
    the shares add up to alpha, so stopping after any stage is valid (union bound: alpha spending).

    Args:
        trials: runs of each input in all.
        alpha: in all.

    Example:
        >>> [(number, round(share, 4)) for number, share in Plan(64_000, 0.01).stages]
        [(296, 0.0), (1481, 0.0013), (8889, 0.0013), (53334, 0.0075)]
    """

    trials: int
    alpha: float

    @property
    def stages(self) -> list[tuple[int, float]]:
        """Runs and the share of alpha of each stage; the first only chooses."""
        ends = [self.trials]
        while ends[0] // GROWTH >= LEAST:
            ends.insert(0, ends[0] // GROWTH)
        if len(ends) == 1:
            ends.insert(0, self.trials // 2)
        early = len(ends) - 2
        spent = [self.alpha * (1 - LAST) / early] * early if early else []
        shares = [0.0, *spent, self.alpha - sum(spent)]
        return [(end - start, share) for start, end, share in zip([0, *ends], ends, shares, strict=False)]


@dataclass
class Tested:
    """An event and some that are a little larger or smaller, and how often they were seen in the runs of a stage.

    Args:
        event: likelier under `place`.
        place: 0 if the first input makes it likelier, 1 if the second does.
        alpha: of all bounds together; those of the trade-off curve have as much of their own.
        corners: places along the event's path where its trade-off curve is drawn.
    """

    event: Event
    place: int
    alpha: float
    corners: tuple[int, ...] = ()
    cells: list[NDArray[np.int64]] = field(default_factory=list)
    runs: list[int] = field(default_factory=lambda: [0, 0])

    def __post_init__(self) -> None:
        self.cells = [np.zeros(self.event.size, dtype=np.int64) for _ in range(2)]

    @classmethod
    def chosen(cls, event: Event, place: int, alpha: float, known: tuple[Outcomes, Outcomes]) -> "Tested":
        """An event, and the corners of its trade-off curve, all chosen by what was seen before."""
        shares = [event.counts(outcomes)[event.whole_path] / max(len(outcomes), 1) for outcomes in known]
        heights = np.cumsum(shares[0] + shares[1]) / 2
        places = np.searchsorted(heights, np.linspace(0, 1, POINTS)).clip(0, event.size - 1)
        return cls(event, place, alpha, tuple(np.unique(places).tolist()))

    def see(self, place: int, outcomes: Outcomes) -> None:
        """Count more runs of an input."""
        self.cells[place] += self.event.counts(outcomes)
        self.runs[place] += len(outcomes)

    def judged(self) -> list["Judged"]:
        """The events one by one, which share alpha; the most promising has the largest share."""
        events = [self.event.cut(length) for length in self.event.lengths]
        both = zip(events, shared(self.alpha, len(events)), strict=True)
        return [Judged(event, self.place, self._seen(event), alpha) for event, alpha in both]

    def _seen(self, event: Event) -> Seen:
        mine, theirs = (int(self.cells[side][event.chosen].sum()) for side in (self.place, 1 - self.place))
        return Seen(mine, self.runs[self.place], theirs, self.runs[1 - self.place])

    def curve(self) -> tuple[Point, ...]:
        """The trade-off curve of tests that accuse the cells in the order in which they were chosen.

        All bounds of all points hold at once, with probability 1 - alpha (union bound): which points there are was
        decided before these runs. So do, with 1 - the audit's alpha, the curves of both directions and of all stages.
        """
        order = self.event.whole_path
        mine, theirs = (np.cumsum(self.cells[side][order]) for side in (self.place, 1 - self.place))
        runs, others = self.runs[self.place], self.runs[1 - self.place]
        places, each = list(self.corners), self.alpha / (4 * max(len(self.corners), 1))
        points = []
        for caught, alarms in zip(mine[places].tolist(), theirs[places].tolist(), strict=True):
            missed = runs - caught
            rates = alarms / others, at_least(alarms, others, each), at_most(alarms, others, each)
            points.append((*rates, missed / runs, at_least(missed, runs, each), at_most(missed, runs, each)))
        return tuple(points)


@dataclass(frozen=True)
class Judged:
    """One event with what its counts say.

    Args:
        event: likelier under `place`.
        place: of the input that makes it likelier.
        seen: how often it happened.
        alpha: of its two bounds.
    """

    event: Event
    place: int
    seen: Seen
    alpha: float

    @cached_property
    def box(self) -> Box:
        """What the counts say of its probabilities."""
        return self.seen.likely(self.alpha)


@dataclass
class SampledAudit:
    """Runs both inputs in stages, and keeps what each stage has found.

    Args:
        draw: runs the subject.
        pair: two neighboring inputs.
        claim: what is claimed.
        plan: how many runs.
        progress: is told after each batch.
    """

    draw: Draw
    pair: tuple[Any, Any]
    claim: Claimed
    plan: Plan
    progress: Progress
    reader: Reader = field(default_factory=Reader)
    tested: tuple[Tested, ...] = ()
    judged: list[Judged] = field(default_factory=list)
    trials: int = 0

    def stages(self) -> Iterator[bool]:
        """Go on by a stage, and say whether the claim is contradicted."""
        (first, _), *rest = self.plan.stages
        known = self._run(first, ())
        self._refuse_failures(known)
        self._refuse_blanks(known)
        self.trials = first
        broken = False
        for runs, share in rest:
            now = self._chosen(known[0], known[1], runs, share)
            fresh = self._run(runs, now)
            known = tuple(_few(joined([new, old])) for new, old in zip(fresh, known, strict=True))
            self.tested = now
            self.trials += runs
            judged = [each for tested in now for each in tested.judged()]
            self.judged += judged
            broken = broken or any(self.claim.broken_by(each.box) for each in judged)
            yield broken

    def _refuse_failures(self, known: tuple[Outcomes, ...]) -> None:
        """Where nothing but one and the same failure is seen, nothing is audited: most likely the call is wrong."""
        kinds = {int(kind) for outcomes in known for kind in np.unique(outcomes.kinds)}
        if len(kinds) == 1 and kinds <= self.reader.failures:
            said = self.reader.names[kinds.pop()]
            raise InvalidParameter(
                f"every run failed with {said}, so nothing was audited: pass inputs that the subject takes"
            )

    def _refuse_blanks(self, known: tuple[Outcomes, ...]) -> None:
        """Where all that is seen cannot be looked into, nothing is audited."""
        kinds = {int(kind) for outcomes in known for kind in np.unique(outcomes.kinds)}
        if len(kinds) == 1 and kinds <= self.reader.blank:
            raise InvalidParameter(
                f"every run gave {self.reader.names[kinds.pop()]}, into which the audit cannot look: "
                "return the numbers and texts that an observer sees of it"
            )

    def _chosen(self, one: Outcomes, other: Outcomes, runs: int, share: float) -> tuple[Tested, ...]:
        """The best events of each direction; all are tested and share alpha, most of which have the more promising."""
        aim = Aim(self.claim.delta, runs, share * MORE * FIRST * FIRST)
        sides = best_events(one, other, views(one, other, self.reader.names), aim)
        first = 0 if sides[0][0].promise >= sides[1][0].promise else 1
        tested = []
        for place, events in enumerate(sides):
            shares = shared(share * (MORE if place == first else 1 - MORE), len(events))
            both = zip(events, shares, strict=True)
            tested += [Tested.chosen(event, place, alpha, (one, other)) for event, alpha in both]
        return tuple(tested)

    def _run(self, runs: int, tested: tuple[Tested, ...]) -> tuple[Outcomes, ...]:
        """Run both inputs so often, test the events, and keep the first outcomes to choose by."""
        kept: tuple[list[Outcomes], ...] = ([], [])
        for start in range(0, runs, self.draw.batch):
            number = min(runs - start, self.draw.batch)
            for side, answers in enumerate(self.draw.both(self.pair, number)):
                outcomes = self.reader.read(answers)
                for each in tested:
                    each.see(side, outcomes)
                if start < max(FEWEST, KEPT // outcomes.columns.shape[1]):
                    kept[side].append(outcomes)
            self.progress.step(2 * number)
        return tuple(_few(joined(each)) for each in kept)

    def _unread(self) -> list[str]:
        return [f"what is in a {kind} was not looked at: return what is seen of it" for kind in self.reader.unread]

    # --- the finding ------------------------------------------------------------------------------------------

    def finding(self, subject: str, notes: tuple[str, ...] = ()) -> Finding:
        """What all stages together say: each bound is the best of any stage, which the shares of alpha allow."""
        broken = [each for each in self.judged if self.claim.broken_by(each.box)]
        best = max(broken or self.judged, key=lambda each: (each.box.epsilon(self.claim.delta), each.event.promise))
        seen, boxes = best.seen, [each.box for each in self.judged]
        rare = math.log(2 / best.alpha) / seen.trials
        inputs = both_shown(self.pair[best.place], self.pair[1 - best.place])
        return Finding(
            subject=subject,
            claim=self.claim.words,
            claimed_epsilon=self.claim.epsilon,
            at_delta=self.claim.delta,
            violated=bool(broken),
            epsilon=max(box.epsilon(self.claim.delta) for box in boxes),
            delta=max(box.delta(self.claim.epsilon) for box in boxes),
            mu=max(box.mu() for box in boxes),
            alpha=self.plan.alpha,
            event=best.event.words(),
            pair=inputs,
            rates=(seen.hits / seen.trials, seen.others / seen.other_trials),
            tested=seen.trials,
            trials=self.trials,
            visible=visible(seen, best.alpha, self.claim),
            tradeoff=next(each for each in self.tested if each.place == best.place).curve(),
            notes=(f"events rarer than about {rare:.1g} are not judged by so few runs", *self._unread(), *notes),
        )


def _few(outcomes: Outcomes) -> Outcomes:
    """As many of them as are kept to choose by."""
    return outcomes[: max(FEWEST, KEPT // outcomes.columns.shape[1])]


def shared(alpha: float, events: int) -> list[float]:
    """The alpha of each of so many events, the most promising first.

    Example:
        >>> [round(part, 3) for part in shared(0.1, 3)], shared(0.1, 1)
        ([0.06, 0.02, 0.02], [0.1])
    """
    if events == 1:
        return [alpha]
    return [alpha * FIRST, *[alpha * (1 - FIRST) / (events - 1)] * (events - 1)]


def visible(seen: Seen, alpha: float, claim: Claimed) -> float:
    """The ε from which on this event, as likely as it is under its first input, contradicts the claim half the time."""
    rate, runs = seen.hits / seen.trials, seen.trials

    def gap(epsilon: float) -> float:
        expected = Seen(seen.hits, runs, round(runs * max(rate - claim.delta, 0) * math.exp(-epsilon)), runs)
        return expected.likely(alpha).epsilon(claim.delta) - claim.epsilon

    top = claim.epsilon + 50.0
    if not math.isfinite(top) or gap(top) <= 0:
        return math.inf
    if gap(claim.epsilon) >= 0:
        return claim.epsilon
    return float(brentq(gap, claim.epsilon, top, xtol=1e-3))
