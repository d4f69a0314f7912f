"""Failures: how many answers failed after they were paid for, and who may not ask any more because of it."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

ALLOWED = 3  # failures of one analyst, unless the owner says otherwise when the ledger is made
TOGETHER = 4  # times as many by all analysts together: one person may have several names


class Failures:
    """What was counted since the owner last unfroze; nobody's name (None) is one analyst.

    Args:
        counted: by analyst.

    Privacy: whether an answer fails may depend on one person. An analyst sees at most `allowed` failures, and all
        analysts together at most `TOGETHER` times as many, before nobody of them is told anything until the owner
        has looked. Whether somebody is frozen follows from failures that were seen already.
    """

    def __init__(self, counted: Mapping[str | None, int] | None = None) -> None:
        self.counted: Counter[str | None] = Counter(counted or {})

    def frozen(self, analyst: str | None, *, allowed: int) -> bool:
        """Whether an analyst may not ask."""
        return bool(self.counted) and (self.counted[analyst] >= allowed or self.all_frozen(allowed=allowed))

    def all_frozen(self, *, allowed: int) -> bool:
        """Whether nobody may ask."""
        return self.counted.total() >= TOGETHER * allowed

    def count(self, analyst: str | None) -> None:
        """One more."""
        self.counted[analyst] += 1

    def forget(self, analyst: str | None, *, everyone: bool) -> None:
        """The owner has looked."""
        if everyone:
            self.counted.clear()
        else:
            self.counted.pop(analyst, None)

    @property
    def facts(self) -> list[list[Any]]:
        """As JSON."""
        return [
            [name, count] for name, count in sorted(self.counted.items(), key=lambda each: (each[0] is not None, each))
        ]
