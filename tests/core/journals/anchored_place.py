"""A ledger with an anchor on a volume of its own, for tests of what the anchor is good for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet.core import Ledger
from privet.core.journals import journal_at
from privet.core.journals.anchored import AnchoredJournal
from privet.core.journals.chain import Facts
from privet.loss import Guarantee
from tests.core.journals.attacker import Attacker
from tests.support.ledger_processes import new_ledger

NOT_KNOWN = (
    r"changes what only the owner may, and the anchor does not know it: .*`privet ledger anchor --accept --reason"
)


@dataclass
class Place:
    """Where a ledger is, and its anchor."""

    address: str
    anchor: Path

    @property
    def attacker(self) -> Attacker:
        return Attacker(self.address)

    def new(self, limit: Guarantee = Guarantee(10), **more: Any) -> Ledger:  # noqa: ANN401, B008 - as new_ledger; frozen
        return new_ledger(self.address, limit, **{"anchor": self.anchor} | more)

    def open(self, **more: Any) -> Ledger:  # noqa: ANN401 - as Ledger.open
        return Ledger.open(self.address, **{"anchor": self.anchor} | more)

    def journal(self, *, timeout: float = 30.0) -> AnchoredJournal:
        """A handle that is not open yet."""
        journal = journal_at(self.address, anchor=self.anchor)
        made = type(journal)(self.address.removeprefix("sqlite:///"), anchor=self.anchor, timeout=timeout)  # type: ignore[call-arg] # both are made so
        assert isinstance(made, AnchoredJournal)
        return made


def told_once(problem: BaseException) -> str:
    """The sentence of an error."""
    text = str(problem)
    assert "\n" not in text
    return text


def spend_facts(ledger: Ledger) -> Facts:
    """What the last spend of a ledger says."""
    return [row for row in ledger.journal.rows() if row.facts["kind"] == "release"][-1].facts
