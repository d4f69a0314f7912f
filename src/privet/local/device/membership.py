"""Membership: what a device keeps about one collection it takes part in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from privet.errors import BudgetExceeded, InvalidParameter
from privet.local.device.collection import Collection
from privet.local.device.report_message import ReportMessage
from privet.local.device_budget import DeviceBudget
from privet.local.memoized_device import MemoizedDevice
from privet.loss.exact import exact_within, meant_by
from privet.noise import BitSource, UniformLaw

EARLY = 9  # tenths of the next period in which reports are sent: what is left is for another try


@dataclass
class Waiting:
    """A report that is to be sent: the same bytes, however often it takes."""

    body: bytes
    period: int
    after: float


@dataclass
class Membership:
    """A collection that somebody agreed to, its budget, and what waits to be sent.

    Args:
        collection: what was agreed to.
        address: of the collector.
        day: of the consent, as 2026-11-19.
        entropy: where random bits come from.
    """

    collection: Collection
    address: str
    day: str
    entropy: BitSource
    period: int | None = None
    waiting: list[Waiting] = field(default_factory=list)
    told: bool = False  # in this period, where answers are kept
    _budget: DeviceBudget | None = None
    _kept: MemoizedDevice | None = None

    def __post_init__(self) -> None:
        facts = self.collection
        if facts.keeps_answers:
            protocol: Any = facts.randomizer
            self._kept = self._kept or MemoizedDevice(protocol, self.entropy)
        else:
            self._budget = self._budget or DeviceBudget(
                facts.randomizer,
                events=facts.events,
                none=self._none,
                lifetime=facts.lifetime,
                entropy=self.entropy,
            )

    @property
    def _none(self) -> Any:  # noqa: ANN401 - a category
        """What is reported for events that did not happen; surveys report nothing then, and any value is checked."""
        if self.collection.none is not None:
            return self.collection.none
        names = getattr(self.collection.randomizer, "categories", None)
        return 0 if names is None else names.names[0]

    @property
    def spent(self) -> Fraction:
        """The ε of all reports of periods that have ended."""
        if self._kept is not None:
            return meant_by(self._kept.spent)
        return self._budget.spent if self._budget is not None else Fraction(0)

    def tell(self, value: Any, now: float) -> None:  # noqa: ANN401 - a category
        """Privatize an event at once; the event itself is not kept."""
        self.roll(now)
        if self.period is None:
            raise InvalidParameter("this collection has not begun, or is over")
        if self._budget is not None:
            self._budget.add(value)
        elif self._kept is not None:
            if self.told:
                raise BudgetExceeded("only 1 event of a period is reported: this one is not")
            if self._after_reporting(value) > Fraction(self.collection.lifetime):
                raise BudgetExceeded("the lifetime of this collection has no room for another value")
            self._queue([self._kept.report(value)], self.collection.period_at(now), now)
            self.told = True
        if self.collection.period_seconds is None and self._budget is not None:
            self._queue(self._budget.close(), 0, now)
            self.period = None

    def roll(self, now: float) -> None:
        """End the period if it is over: exactly M of its reports wait to be sent then, whatever happened."""
        facts = self.collection
        current = facts.period_at(now)
        inside = 0 <= current < facts.periods and (facts.period_seconds is not None or not self.told)
        if self.period is not None and current > self.period:
            self._end_period(self.period, current, now)
        if facts.period_seconds is None:
            self.period = 0 if self.spent == 0 else None
        else:
            self.period = current if inside else None

    def _end_period(self, ended: int, current: int, now: float) -> None:
        facts, late = self.collection, current - ended > self.collection.grace
        if self._kept is not None:
            fits = self.told or self._after_reporting(self._none) <= Fraction(facts.lifetime)
            if not self.told and not late and fits:
                self._queue([self._kept.report(self._none)], ended, now)
            self.told = False
            return
        try:
            reports = [] if self._budget is None else self._budget.close()
        except BudgetExceeded:
            return  # the lifetime is used up: nothing leaves any more
        if not late:
            self._queue(reports, ended, now)

    def _after_reporting(self, value: Any) -> Fraction:  # noqa: ANN401 - a category
        """What all reports would have cost after one more about this value."""
        if self._kept is None:
            return Fraction(0)
        trial = MemoizedDevice.from_json(self._kept.to_json(), entropy=self.entropy)
        trial.report(value)
        return meant_by(trial.spent)

    def _queue(self, reports: list[bytes], period: int, now: float) -> None:
        """Reports are sent in the next period, each at a random time of its own."""
        facts = self.collection
        ends = facts.period_ends(period)
        for payload in reports:
            after = now
            if ends is not None and facts.period_seconds is not None:
                room = max(1, facts.period_seconds * EARLY // 10)
                after = float(ends + int(UniformLaw(room).many(self.entropy, 1)[0]))
            body = ReportMessage(facts.id_bytes, facts.config_hash, period, ReportMessage.fresh_nonce(), payload)
            self.waiting.append(Waiting(body.pack(), period, after))

    def facts(self) -> dict[str, Any]:
        """Everything, as JSON holds it."""
        return {
            "collection": self.collection.to_json(),
            "address": self.address,
            "day": self.day,
            "period": self.period,
            "told": self.told,
            "waiting": [[each.body.hex(), each.period, each.after] for each in self.waiting],
            "budget": None if self._budget is None else self._budget.to_json(),
            "kept": None if self._kept is None else self._kept.to_json(),
        }

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any], entropy: BitSource) -> "Membership":
        """What `facts` wrote."""
        budget, kept = facts["budget"], facts["kept"]
        return cls(
            Collection.from_json(facts["collection"]),
            str(facts["address"]),
            str(facts["day"]),
            entropy,
            facts["period"],
            [Waiting(bytes.fromhex(body), int(period), float(after)) for body, period, after in facts["waiting"]],
            bool(facts["told"]),
            None if budget is None else DeviceBudget.from_json(budget, entropy=entropy),
            None if kept is None else MemoizedDevice.from_json(kept, entropy=entropy),
        )


def limit(value: Any, name: str) -> Fraction:  # noqa: ANN401 - a number or a text
    """A limit of ε."""
    return exact_within(value, name, low=0, high=10**9)
