"""Terms: what a ledger is about, fixed when its journal is made."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from privet.core.journals.chain import Facts
from privet.core.journals.failures import ALLOWED
from privet.core.unit import Unit
from privet.errors import InvalidParameter
from privet.loss import Amount, ConcentratedGuarantee, Guarantee, Promise, SpendingRule, rule_from_json
from privet.loss.exact import Exact, shortest, shown, whole

DECLARABLE = ("purpose", "retention", "minimisation", "security", "controller", "note")
FINEST = 1 << 1024  # totals are multiples of its inverse or of something coarser: sums of thirds stay exact
LARGEST = 10**300  # of a limit


@dataclass(frozen=True)
class Terms:
    """What a ledger is about.

    Args:
        limit: the promise at the beginning; later caps are entries of their own.
        unit: who is protected.
        rule: how spends add up, for good.
        dataset: the name of the data.
        version: which version of the data, where the owner keeps versions; all share this ledger.
        shared_by: names of copies and views of the data: they share this ledger.
        declared: what the owner states about the processing (purpose, retention, minimisation, security, …).
        failures: after so many answers of one analyst that failed after the charge, that analyst is frozen.
    """

    limit: Promise
    unit: Unit
    rule: SpendingRule
    dataset: str = "default"
    version: str | None = None
    shared_by: tuple[str, ...] = ()
    declared: Mapping[str, str] = field(default_factory=dict)
    failures: int = ALLOWED

    def __post_init__(self) -> None:
        for name in (self.dataset, *self.shared_by):
            refuse_wordless(name, "a dataset needs a name")
        refuse_undeclarable(self.declared)
        whole(self.failures, "failures")
        self.capacity(self.limit)  # refuses a limit that the rule cannot promise
        refuse_huge(self.limit)

    @property
    def counts_gamma(self) -> bool:
        """Whether random DP was declared when the ledger was made: only then is γ counted, and may be spent."""
        return gamma_of(self.limit) > 0

    def capacity(self, limit: Promise) -> Amount:
        """The largest total that keeps a limit, in the rule's units, and its γ if this ledger counts that.

        Proof for γ: let each spend's sensitivity fail for the data with probability γ_i. But for a probability of
            Σγ_i, whatever their dependence, all hold and the rule's promise with them: the union bound. It takes
            functions that were fixed before any answer about this data was seen; see docs/random-dp.md.
        """
        room = self.rule.capacity(limit)
        gamma = gamma_of(limit)
        if self.counts_gamma:
            return room.and_gamma(gamma)
        if gamma:
            raise InvalidParameter(
                f"this ledger was made without a γ, so none of its caps can have one: make a new one with {limit!r}"
            )
        return room

    @property
    def facts(self) -> dict[str, Any]:
        """The terms as JSON."""
        return {
            "limit": promise_facts(self.limit),
            "unit": {"name": self.unit.name, "neighbors": self.unit.neighbors.name.lower()},
            "rule": json.loads(self.rule.to_json()),
            "dataset": self.dataset,
            "version": self.version,
            "shared_by": list(self.shared_by),
            "declared": dict(self.declared),
            **({} if self.failures == ALLOWED else {"failures": self.failures}),
        }

    @classmethod
    def of(cls, facts: Facts) -> "Terms":
        """The terms that `facts` describes."""
        return cls(
            promise_of(facts["limit"]),
            Unit(facts["unit"]["name"], facts["unit"]["neighbors"]),
            rule_from_json(json.dumps(facts["rule"])),
            facts["dataset"],
            facts["version"],
            tuple(facts["shared_by"]),
            facts["declared"],
            facts.get("failures", ALLOWED),
        )


def refuse_undeclarable(declared: Mapping[str, str]) -> None:
    """Raise on anything but known fields with words in them."""
    for name, text in declared.items():
        if name not in DECLARABLE:
            raise InvalidParameter(f"{name!r} cannot be declared: allowed are {', '.join(DECLARABLE)}")
        refuse_wordless(text, f"{name} must be stated in words")


def refuse_wordless(text: object, sentence: str) -> None:
    """Raise with this sentence unless the text has words."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidParameter(f"{sentence}, got {shown(text)}")


def refuse_huge(limit: Promise) -> None:
    """Raise on limits that bound nothing."""
    size = limit.rho if isinstance(limit, ConcentratedGuarantee) else limit.epsilon
    if size > LARGEST:
        raise InvalidParameter("a limit above 1e300 promises nothing: choose an ε that means something, such as 1")


def promise_facts(promise: Promise) -> dict[str, str]:
    """A promise as JSON, exactly."""
    if isinstance(promise, ConcentratedGuarantee):
        return {"rho": shortest(promise.rho)}
    gamma = {"gamma": shortest(promise.gamma)} if promise.gamma else {}
    return {"epsilon": shortest(promise.epsilon), "delta": shortest(promise.delta), **gamma}


def gamma_of(promise: Promise) -> Fraction:
    """The probability with which a promise may fail altogether; 0 but for random DP."""
    return promise.gamma if isinstance(promise, Guarantee) else Fraction(0)


def promise_of(facts: Facts) -> Promise:
    """The promise that `facts` describes."""
    known: dict[str, Exact] = dict(facts)
    return ConcentratedGuarantee(**known) if "rho" in known else Guarantee(**known)


def kept(amount: Amount) -> Amount:
    """The amount itself, or where its denominator grew beyond reason the next larger one on a fixed fine grid.

    Without it a thousand spends of 1/p for primes p would make the total as long as all of them together.
    """
    for part in amount.parts:  # for every spend, so without a generator
        if not isinstance(part, float) and part.denominator > FINEST:
            return Amount(*map(_kept, amount.parts), units=amount.units)
    return amount


def _kept(part: Fraction | float) -> Fraction | float:
    if isinstance(part, float) or part.denominator <= FINEST:
        return part
    return Fraction(-(-part.numerator * FINEST // part.denominator), FINEST)
