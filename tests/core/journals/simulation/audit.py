"""Audit: what must hold at every moment, and at the end, whatever befell the processes."""

import hashlib
import json
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from tests.core.journals.simulation.log import Item, items_at, recovered_at

if TYPE_CHECKING:
    from tests.core.journals.simulation.world import World

NAME = "/disk/ledger.db"
ANCHOR = f"{NAME}.anchor"
SLOT = 512  # bytes of the anchor that remember one row
SECOND = 1.0  # how long anything may take, at most, while nobody is stopped


class Audit:
    """Answered is part of recorded, recorded is within the caps, and everybody is answered within a second.

    Args:
        world: what is watched.
        limit: how much may be spent.
    """

    def __init__(self, world: "World", limit: int) -> None:
        self.world = world
        self.limit = limit
        self.touched: Counter[str] = Counter()  # how often data was read, by purpose
        self.told: dict[str, object] = {}  # the answers, by key
        self.lost: set[str] = set()  # the keys whose answers were said to be lost
        self.keys: set[str] = set()
        self._purposes = self._runs = 0
        self._read: dict[str, tuple[str, str, Fraction]] = {}

    def new_purpose(self) -> str:
        """A purpose that nobody had before."""
        self._purposes += 1
        return f"question {self._purposes}"

    def computed(self) -> int:
        """An answer that nobody had before."""
        self._runs += 1
        return self._runs

    # --- at every moment ------------------------------------------------------------------------------------------

    def committed(self, items: list[Item]) -> None:
        """Rows were written, on whichever log."""
        total = sum((self._row(item)[2] for item in items if item[0] == "row"), Fraction(0))
        if total > self.limit:
            self.world.found(f"{total} is recorded, and the limit is {self.limit}")

    def data_read(self, purpose: str) -> None:
        """Data is about to be read: what was spent for it must be on the disk, and the anchor know it."""
        self.touched[purpose] += 1
        rows = [item[1] for item in items_at(self.world.disk.durable_names, NAME, surely=True) if item[0] == "row"]
        spends = [row for row in rows if self._row(("row", row))[:2] in (("release", purpose), ("draw", purpose))]
        if len(spends) < self.touched[purpose]:
            self.world.found(f"{purpose!r} reads data, and its spend is not on the disk")
        elif self.anchored() < spends[-1][0]:
            self.world.found(f"{purpose!r} reads data, and the anchor on the disk does not know row {spends[-1][0]}")
        elif sum(self.touched.values()) > self.limit:
            self.world.found(f"data was read {sum(self.touched.values())} times, and the limit is {self.limit}")

    def answered(self, key: str, value: object) -> None:
        """A key was answered."""
        if key in self.lost and not self._doubtful():
            self.world.found(f"{key!r} was answered after its answer was said to be lost")
        if self.told.setdefault(key, value) != value:
            self.world.found(f"{key!r} was answered with {self.told[key]} and with {value}")

    def said_lost(self, key: str) -> None:
        """A key was said to have lost its answer."""
        self.lost.add(key)
        if key in self.told:
            self.world.found(f"{key!r} was answered, and then its answer was said to be lost")

    def _doubtful(self) -> bool:
        """Whether a process died while it stored an answer: that may come back when the log is read anew."""
        rows = recovered_at(self.world.disk.names, NAME)
        return any(item[0] == "row" and self._row(item)[0] == "answer" for item in rows)

    def took(self, what: str, since: float) -> None:
        """Something ended, one way or another."""
        seconds = self.world.now - max(since, self.world.quiet_since)
        if seconds > SECOND:
            self.world.found(f"{what} took {seconds:.2f} s, and nobody was stopped")

    def agrees(self) -> None:
        """The anchor remembers the last row, now that nobody is writing."""
        rows = [item[1][0] for item in items_at(self.world.disk.names, NAME) if item[0] == "row"]
        if not self.world.over and rows and self.anchored(surely=False) != rows[-1]:
            self.world.found(f"the anchor remembers row {self.anchored(surely=False)}, and the last is {rows[-1]}")

    # --- what is on the disk ---------------------------------------------------------------------------------------

    def anchored(self, *, surely: bool = True) -> int:
        """The row that the anchor remembers; or, surely, would remember if the power were cut now."""
        inode = (self.world.disk.durable_names if surely else self.world.disk.names).get(ANCHOR)
        data = b"" if inode is None else inode.durable if surely else bytes(inode.data)
        return max(map(_sequence, (data[:SLOT], data[SLOT : 2 * SLOT])))

    def begun(self) -> bool:
        """Whether there is a row."""
        return any(item[0] == "row" for item in items_at(self.world.disk.names, NAME))

    def full(self) -> bool:
        """Whether nothing more fits."""
        items = items_at(self.world.disk.names, NAME)
        return sum((self._row(item)[2] for item in items if item[0] == "row"), Fraction(0)) + 1 > self.limit

    def _row(self, item: Item) -> tuple[str, str, Fraction]:
        """The kind of a row, its purpose and its cost."""
        body = item[1][1]
        if body not in self._read:
            facts = json.loads(body)
            cost = Fraction(facts["cost"][0]) if facts["kind"] in ("release", "reservation") else Fraction(0)
            self._read[body] = facts["kind"], facts.get("purpose", ""), cost
        return self._read[body]


def _sequence(slot: bytes) -> int:
    """The row that a slot of the anchor remembers; -1 if it is empty or torn."""
    checksum, _, text = slot.strip().partition(b" ")
    whole = text and hashlib.sha256(text).hexdigest()[:16].encode() == checksum
    return int(json.loads(text)["sequence"]) if whole else -1
