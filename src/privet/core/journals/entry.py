"""Entry: one spend, as a ledger hands it to its journal and reads it back."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from privet.core.journals.chain import Facts, canonical
from privet.core.journals.tally import tallied
from privet.core.journals.terms import kept
from privet.loss import Amount, LossCurve, PrivacyLoss

SPENDS = ("release", "reservation", "draw")  # the kinds of entries that are about answers


@dataclass(frozen=True, slots=True)
class Entry:
    """One spend of a ledger.

    Args:
        kind: "release", "reservation", or "draw" (a release from a reservation, paid for already).
        purpose: what it was for, in the asker's words.
        mechanism: what ran, with its public parameters.
        loss: the curves, so that the entry can be priced again by better mathematics.
        cost: what the ledger's rule charged.
        reservation: the sequence of the reservation a draw was taken from.
        sequence: its place in the journal; 0 before it is written.
        analyst: who asked, where that is known.
        key: the idempotency key it was asked with, if any.
        request: a hash of what was asked, for the key.
        plan: whether a draw is itself a plan to draw from.
        at: when it was written, by the clock of the machine; for people only, nothing is decided by it.

    Example:
        >>> from privet import Guarantee, Ledger, Unit, count
        >>> ledger = Ledger(Guarantee(1), unit=Unit("person"))
        >>> _ = count([1, 2, 3], epsilon="0.5", ledger=ledger, purpose="visitors")
        >>> [(entry.kind, entry.purpose) for entry in ledger.entries]
        [('release', 'visitors')]
    """

    kind: str
    purpose: str
    mechanism: str
    loss: PrivacyLoss
    cost: Amount
    reservation: int | None = None
    sequence: int = 0
    analyst: str | None = None
    key: str | None = None
    request: str | None = None
    plan: bool = False
    at: str | None = None

    def numbered(self, sequence: int) -> "Entry":
        """The same entry with its place in the journal."""
        return replace(self, sequence=sequence)

    @property
    def facts(self) -> dict[str, Any]:
        """The entry as JSON, without its place."""
        return {
            "kind": self.kind,
            "purpose": self.purpose,
            "mechanism": self.mechanism,
            "loss": loss_facts(self.loss),
            "cost": amount_facts(kept(self.cost)),
            "reservation": self.reservation,
            "analyst": self.analyst,
            "key": self.key,
            "request": self.request,
            "plan": self.plan,
        }

    @classmethod
    def of(cls, sequence: int, facts: Facts, units: tuple[str, ...]) -> "Entry":
        """The entry that a row holds."""
        known = {name: facts.get(name) for name in ("reservation", "analyst", "key", "request", "at")}
        loss = _loss_of(canonical(facts["loss"]))
        cost = amount_of(facts["cost"], units)
        words: tuple[str, str, str] = facts["kind"], facts["purpose"], facts["mechanism"]
        return cls(*words, loss, cost, sequence=sequence, plan=bool(facts.get("plan")), **known)  # type: ignore[arg-type] # as `facts` wrote them


def amount_facts(amount: Amount) -> list[str]:
    """An amount as JSON, exactly."""
    return [str(part) for part in amount.parts]


def amount_of(texts: list[str], units: tuple[str, ...]) -> Amount:
    """The amount that `amount_facts` wrote."""
    return _amount_of(tuple(texts), units)


@lru_cache(maxsize=1024)
def _amount_of(texts: tuple[str, ...], units: tuple[str, ...]) -> Amount:
    return tallied(Amount(*map(Fraction, texts), units=units))


@lru_cache(maxsize=1024)
def loss_facts(loss: PrivacyLoss) -> Facts:
    """A loss as JSON; whoever gets it must not change it."""
    facts: Facts = json.loads(loss.to_json())
    return facts


@lru_cache(maxsize=1024)
def _loss_of(text: str) -> PrivacyLoss:
    return PrivacyLoss.from_json(text, curves=_curves(LossCurve))


def _curves(kind: type[Any]) -> Iterator[type[LossCurve]]:
    """Every kind of curve that is imported, so that entries of users' own mechanisms can be read back."""
    for child in kind.__subclasses__():
        yield child
        yield from _curves(child)
