"""Collector: which collections there are, which periods take reports, and what is made of them when they end."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from privet.errors import InvalidParameter
from privet.local.device import Collection, ReportMessage, SigningKey
from privet.local.protocol import Protocol
from privet.local.tally import Tally
from privet.server.collector.results import result_of
from privet.server.collector.store import Held, PeriodState, Store

WRONG, UNKNOWN, OUTDATED, CLOSED, EARLY = 400, 404, 409, 410, 425
FRESH = 2.0  # seconds for which the list of collections is believed, for those that other processes add
FINER = 20  # live results move on when there is a twentieth more
OPEN = "open"
SHORT = 2  # bytes


class NotReleased(InvalidParameter):
    """There is no result, or there may be none; the message says why."""


@dataclass(frozen=True)
class Entry:
    """A collection with what each of its reports is looked at with."""

    collection: Collection
    signature: str
    state: str
    randomizer: Protocol[Any]
    _seen: dict[bytes, bool] = field(default_factory=dict, repr=False)  # which short payloads are reports

    def takes(self, payload: bytes) -> bool:
        """Whether a device can send this payload; what is said of short ones is remembered."""
        known = self._seen.get(payload)
        if known is not None:
            return known
        try:
            self.randomizer.decode([payload])
            found = True
        except InvalidParameter:
            found = False
        if len(payload) == self.randomizer.payload_bytes <= SHORT:
            self._seen[payload] = found
        return found


class Collector:
    """Everything between a report's bytes and a result.

    Args:
        store: rows.
        key: signs collections.
        clock: seconds since 1970; it tells periods and days, and nothing finer is kept.

    Privacy: each device's guarantee is that of its protocol, whoever runs this. The smaller shuffle guarantee
        needs that this process keeps nothing that it does not store: see docs/server/collector.md.
    """

    def __init__(self, store: Store, key: SigningKey, *, clock: Callable[[], float] = time.time) -> None:
        self.store, self.key = store, key
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: Mapping[bytes, Entry] = {}
        self._read_at = -FRESH
        self.refresh()

    # --- collections ------------------------------------------------------------------------------------------

    def publish(self, collection: Collection) -> None:
        """Open a collection: it is signed, and never changes."""
        if collection.id_bytes in self._entries:
            raise InvalidParameter("this collection is published already: collections do not change, make a new one")
        self.store.publish(collection.id_bytes, collection.to_json(), self.key.sign(collection.canonical))
        self.refresh()

    def refresh(self) -> None:
        """Read which collections there are."""
        known = self._entries
        fresh = {}
        for name, (text, signature, state) in self.store.published():
            before = known.get(name)
            if before is None or before.state != state:
                made = Collection.from_json(text)
                before = Entry(made, signature, state, made.randomizer)
            fresh[name] = before
        self._entries = fresh
        self._read_at = time.monotonic()

    def entry(self, name: bytes | str) -> Entry:
        """A collection by its id.

        Raises:
            KeyError: if there is none.
        """
        key = bytes.fromhex(name) if isinstance(name, str) else name
        if key not in self._entries or time.monotonic() - self._read_at > FRESH:
            with self._lock:
                if time.monotonic() - self._read_at > FRESH:
                    self.refresh()
        return self._entries[key]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All collections."""
        return tuple(self._entries.values())

    def stop(self, name: str) -> None:
        """Take no more reports for good; every period is closed."""
        entry = self.entry(name)
        self.store.set_state(entry.collection.id_bytes, "closed")
        for each in self.store.periods(entry.collection.id_bytes):
            if not each.closed:
                self._close(entry.collection, each.period)
        self.refresh()

    def delete(self, name: str) -> None:
        """Delete all that is held of a collection but its public text, which shows that it was."""
        self.store.set_state(self.entry(name).collection.id_bytes, "deleted")
        self.refresh()

    # --- reports ----------------------------------------------------------------------------------------------

    def refusal(self, message: ReportMessage) -> int | None:
        """Why a report is not taken, as a status; None if it is.

        Collections that are known are not read again for it: what others closed is seen by `Store.keep`.
        """
        entry = self._entries.get(message.collection)
        if entry is None:
            try:
                entry = self.entry(message.collection)
            except KeyError:
                return UNKNOWN
        facts = entry.collection
        if entry.state != OPEN:
            return CLOSED
        if message.config_hash != facts.config_hash:
            return OUTDATED
        current = facts.period_at(self._clock())
        if message.period >= facts.periods or message.period > current:
            return EARLY if message.period < facts.periods else WRONG
        if facts.period_seconds is not None and message.period < current - facts.grace:
            return CLOSED
        return None if entry.takes(message.payload) else WRONG

    # --- periods ----------------------------------------------------------------------------------------------

    def close(self, name: str, period: int) -> int:
        """Close a period: its reports become a tally, and are deleted; how many there were."""
        facts = self.entry(name).collection
        if not 0 <= period < facts.periods or period > facts.period_at(self._clock()):
            raise InvalidParameter("this period has not begun, so there is nothing to close")
        return self._close(facts, period)

    def _close(self, facts: Collection, period: int) -> int:
        held = self.store.closing(facts.id_bytes, period)
        if held is None:
            raise InvalidParameter("this period is closed already")
        try:
            tally = _tallied(facts, held)
        except BaseException:
            self.store.leave_open()
            raise
        self.store.close_period(facts.id_bytes, period, day=self._today().isoformat(), tally=tally.to_json())
        return tally.reports

    def tidy(self) -> None:
        """Close the periods whose time is over, and delete counts whose retention is."""
        self.refresh()
        for entry in self.entries:
            facts = entry.collection
            if entry.state == "deleted":
                continue
            for each in self.store.periods(facts.id_bytes):
                over = facts.period_seconds is not None and each.period < facts.period_at(self._clock()) - facts.grace
                if not each.closed and over:
                    self._close(facts, each.period)
                elif each.tally is not None and each.day is not None and self._old(each.day, facts.retention_days):
                    self.store.forget_tally(facts.id_bytes, each.period)

    def _old(self, day: str, retention: int) -> bool:
        return (self._today() - date.fromisoformat(day)).days > retention

    def _today(self) -> date:
        return datetime.fromtimestamp(self._clock(), tz=UTC).date()

    # --- results ----------------------------------------------------------------------------------------------

    def release(self, name: str, first: int, last: int) -> dict[str, Any]:
        """The result of a range of closed periods, made once; its counts are deleted.

        Raises:
            NotReleased: if a period is open or deleted, if there are too few reports, or if the range overlaps another.
        """
        facts = self.entry(name).collection
        tally, periods = self._closed_tally(facts, first, last)
        if tally.reports < facts.minimum_batch:
            raise NotReleased(
                f"a result needs at least {facts.minimum_batch:,} reports, and this range has fewer: add later periods"
            )
        result = {"first": first, "last": last, "periods": periods, **result_of(facts, tally)}
        if not self.store.release(facts.id_bytes, first, last, json.dumps(result, ensure_ascii=False)):
            raise NotReleased("this range overlaps a release: each period is released once")
        return result

    def _closed_tally(self, facts: Collection, first: int, last: int) -> tuple[Tally, int]:
        if not 0 <= first <= last < facts.periods:
            raise NotReleased(f"periods are from 0 to {facts.periods - 1:,}, the first before the last")
        if any(first <= to and last >= since for since, to, _ in self.store.releases(facts.id_bytes)):
            raise NotReleased("this range overlaps a release: each period is released once")
        known = {each.period: each for each in self.store.periods(facts.id_bytes)}
        if (
            any(not known[each].closed for each in known if first <= each <= last)
            or facts.period_at(self._clock()) < last
        ):
            raise NotReleased("a period of this range is still open: close it first")
        tallies = [self._tally(known[each]) for each in sorted(known) if first <= each <= last]
        if not tallies:
            raise NotReleased("no reports came in this range")
        return sum(tallies[1:], tallies[0]), len(tallies)

    @staticmethod
    def _tally(state: PeriodState) -> Tally:
        if state.tally is None:
            raise NotReleased("the counts of this range were deleted at the end of their retention")
        return Tally.from_json(state.tally)

    def releases(self, name: str) -> list[dict[str, Any]]:
        """What was released of a collection."""
        facts = self.entry(name).collection
        return [json.loads(result) for _, _, result in self.store.releases(facts.id_bytes)]

    def live(self, name: str) -> list[dict[str, Any]]:
        """Results so far of the present period, each with at least `live_step` more reports than the one before.

        Steps grow with the number of reports, so that no result is of one person more than another.
        """
        facts = self.entry(name).collection
        if facts.live_step is None:
            raise NotReleased("this collection shows nothing before its release")
        period = max(0, min(facts.period_at(self._clock()), facts.periods - 1))
        shown = self.store.shown(facts.id_bytes, period)
        held = self.store.held(facts.id_bytes, period)
        before, total = (shown[-1][0] if shown else 0), int(held.times.sum())
        needed = max(facts.live_step, before // FINER) if shown else max(facts.live_step, facts.minimum_batch)
        if total >= before + needed:
            tally = _tallied(facts, held).to_json()
            self.store.show((facts.id_bytes, period), total, tally, beyond=before)
            shown = self.store.shown(facts.id_bytes, period)
        return [result_of(facts, Tally.from_json(text)) for _, text in shown]


def _tallied(facts: Collection, held: Held) -> Tally:
    rows = np.frombuffer(held.payloads, dtype=np.uint8).reshape(-1, facts.randomizer.payload_bytes)
    return facts.randomizer.tally(facts.randomizer.decode(rows), times=held.times)
