"""Books: what the rows of a journal add up to.

Books are never stored and believed: every handle keeps its own, made from the rows, each of which it has checked
against the chain. So there is no total on disk that someone could edit.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from privet.core.journals.chain import Facts, canonical
from privet.core.journals.entry import SPENDS, Entry, amount_facts, amount_of
from privet.core.journals.failures import Failures
from privet.core.journals.scope import DATASET, Scope, scopes_named, scopes_of
from privet.core.journals.terms import Terms, kept, promise_facts, promise_of
from privet.errors import LedgerDamaged
from privet.loss import Amount, Promise

OWNERS = ("cap", "renewal", "shared", "declared", "unfrozen")  # the kinds of entries that only the owner writes


@dataclass(frozen=True)
class Account:
    """What one scope may spend and has spent.

    Args:
        spent: in this period.
        total: in all periods.
        limit: the cap of each period; None if there is none.
        capacity: the cap in the terms of the rule.
        frozen: whether nothing more may be spent until the owner thaws it.
        period: 1, 2, 3, …; a renewal starts the next.
        tracked: whether it is counted from its first spend on.
    """

    spent: Amount
    total: Amount
    limit: Promise | None = None
    capacity: Amount | None = None
    frozen: bool = False
    period: int = 1
    tracked: bool = True

    def charged(self, cost: Amount) -> "Account":
        """The account after a spend."""
        spent = kept(self.spent + cost)
        total = spent if self.period == 1 else kept(self.total + cost)
        after = object.__new__(Account)  # nothing else changes, and this happens for every spend
        after.__dict__.update(self.__dict__, spent=spent, total=total)
        return after

    def holds(self) -> bool:
        """Whether what was spent is within the cap, and nothing is frozen."""
        return not self.frozen and (self.capacity is None or self.spent.fits(self.capacity))

    def allows(self, cost: Amount) -> bool:
        """Whether a spend fits."""
        return not self.frozen and (self.capacity is None or kept(self.spent + cost).fits(self.capacity))

    @property
    def remaining(self) -> Amount | None:
        """What may still be spent in this period; None if there is no cap."""
        if self.capacity is None:
            return None
        return self.capacity * 0 if self.frozen else self.capacity.less(self.spent)


@dataclass(frozen=True)
class Refusal:
    """Why a spend was not written.

    Args:
        scope: whose cap it does not fit; None if the plan it draws from does not hold it.
        account: the state of that scope.
        failed: whether it is not a cap at all: too many answers failed, and the owner has not looked yet.
    """

    scope: Scope | None
    account: Account | None = None
    failed: bool = False


class Books:
    """The state of a journal after some of its rows.

    Args:
        thorough: whether to count purposes that have no cap too, as a full check of the journal does.
    """

    def __init__(self, *, thorough: bool = False) -> None:
        self.thorough = thorough
        self.rows = 0
        self.spends = 0
        self.accounts: dict[Scope, Account] = {}
        self.plans: dict[int, Counter[str]] = {}
        self.owners: dict[int, str | None] = {}  # of plans: the analyst who reserved
        self._terms: Terms | None = None
        self.declared: dict[str, str] = {}
        self.names: set[str] = set()
        self.failures = Failures()

    # --- reading ----------------------------------------------------------------------------------------------

    @property
    def terms(self) -> Terms:
        """What the ledger is about."""
        if self._terms is None:
            raise LedgerDamaged("the journal does not begin with its terms")
        return self._terms

    @cached_property
    def nothing(self) -> Amount:
        """Zero, in the rule's units."""
        return self.terms.capacity(self.terms.limit) * 0

    @property
    def dataset(self) -> Account:
        """The account of everything."""
        return self.accounts[DATASET]

    def account(self, scope: Scope) -> Account:
        """The state of a scope; an empty one if nothing is counted there."""
        return self.accounts.get(scope) or Account(self.nothing, self.nothing, tracked=scope.always_counted)

    def frozen(self, analyst: str | None) -> bool:
        """Whether too many answers failed for this analyst to ask on."""
        return self.failures.frozen(analyst, allowed=self.terms.failures)

    def refusal(self, facts: Facts) -> Refusal | None:
        """What forbids a spend: failures, then the widest scope first; None if it fits everywhere."""
        if self.frozen(facts["analyst"]):
            return Refusal(Scope(facts["analyst"]), failed=True)
        cost = amount_of(facts["cost"], self.nothing.units)
        for scope in scopes_of(facts):
            account = self.accounts.get(scope)
            if account is not None and not account.allows(cost):
                return Refusal(scope, account)
        if facts["kind"] == "draw" and not self._holds(facts):
            return Refusal(None)
        return None

    def _holds(self, facts: Facts) -> bool:
        """Whether the plan still has every curve of a draw, and is the asker's."""
        number = facts["reservation"]
        left = self.plans.get(number, Counter())
        asked = curves_of(facts["loss"])
        return self.owners.get(number) == facts["analyst"] and all(left[each] >= n for each, n in asked.items())

    # --- growing ----------------------------------------------------------------------------------------------

    def spend(self, entry: Entry) -> Refusal | None:
        """Take in a plain release if it fits everywhere, without its row; else say what forbids it."""
        if self.failures.counted and self.frozen(entry.analyst):
            return Refusal(Scope(entry.analyst), failed=True)
        cost, grown = kept(entry.cost), {}
        for scope in scopes_named(entry.analyst, entry.purpose):
            account = self.accounts.get(scope)
            if account is None and not scope.always_counted:
                continue
            grown[scope] = (account or self.account(scope)).charged(cost)
            if not grown[scope].holds():
                return Refusal(scope, account)
        self.accounts |= grown
        self.rows, self.spends = self.rows + 1, self.spends + 1
        return None

    def apply(self, sequence: int, facts: Facts, *, checked: bool = False) -> None:
        """Take in the next row; refuses rows that no journal would have written.

        Args:
            sequence: its place.
            facts: what it says.
            checked: whether `refusal` has just allowed it.
        """
        try:
            self._apply(sequence, facts, checked=checked)
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as problem:
            raise LedgerDamaged(f"row {sequence} cannot be read as an entry") from problem
        self.rows += 1

    def _apply(self, sequence: int, facts: Facts, *, checked: bool) -> None:
        kind = facts["kind"]
        if (kind == "opened") != (sequence == 0):
            raise LedgerDamaged(f"row {sequence} is not where it belongs: terms are the first row, and only that")
        if kind in SPENDS:
            if not checked:
                self._refuse_unlawful(sequence, facts)
            self._spend(sequence, facts)
        elif kind in OWNERS:
            self._own(sequence, facts)
        elif kind == "opened":
            self._open(facts)
        elif kind == "checkpoint":
            if canonical(facts["state"]) != canonical(self.state()):
                raise LedgerDamaged(f"the totals of checkpoint {sequence} are not those of the rows before it")
        elif kind == "failure":
            self.failures.count(facts["analyst"])
        elif kind not in ("answer", "anchored"):
            raise LedgerDamaged(f"row {sequence} is of the unknown kind {str(kind)[:40]!r}: upgrade Privet")

    def _own(self, sequence: int, facts: Facts) -> None:
        """Take in what the owner did."""
        if facts["kind"] == "cap":
            self._cap(sequence, facts)
        elif facts["kind"] == "renewal":
            scope = Scope.of(facts["scope"])
            account = self.accounts[scope]
            self.accounts[scope] = replace(account, spent=self.nothing, period=account.period + 1)
        elif facts["kind"] == "declared":
            self.declared |= facts["declared"]
        elif facts["kind"] == "unfrozen":
            self.failures.forget(facts["analyst"], everyone=facts["everyone"])
        else:
            self.names.add(facts["name"])

    def _open(self, facts: Facts) -> None:
        self._terms = Terms.of(facts["terms"])
        self.declared, self.names = dict(self._terms.declared), {self._terms.dataset, *self._terms.shared_by}
        limit = self._terms.limit
        self.accounts[DATASET] = Account(self.nothing, self.nothing, limit, self._terms.capacity(limit))

    def _refuse_unlawful(self, sequence: int, facts: Facts) -> None:
        """Raise on a spend that was not allowed when it was written."""
        cost = amount_of(facts["cost"], self.nothing.units)
        if len(cost.parts) != len(self.nothing.parts) or not cost.fits(cost):
            raise LedgerDamaged(f"row {sequence} has a cost that the rule does not count")
        if (refused := self.refusal(facts)) is not None:
            allowed = "the failures before it allow" if refused.failed else f"{refused.scope or 'its plan'} allows"
            raise LedgerDamaged(f"row {sequence} spends more than {allowed}")

    def _spend(self, sequence: int, facts: Facts) -> None:
        cost = amount_of(facts["cost"], self.nothing.units)
        for scope in scopes_of(facts):
            if scope in self.accounts or scope.always_counted or self.thorough:
                self.accounts[scope] = self.account(scope).charged(cost)
        if facts["kind"] == "draw":
            self._draw(facts)
        if facts["kind"] == "reservation" or facts["plan"]:
            self.plans[sequence], self.owners[sequence] = curves_of(facts["loss"]), facts["analyst"]
        self.spends += 1

    def _draw(self, facts: Facts) -> None:
        number = facts["reservation"]
        left = self.plans[number] - curves_of(facts["loss"])
        if left:
            self.plans[number] = left
        else:
            del self.plans[number], self.owners[number]

    def _cap(self, sequence: int, facts: Facts) -> None:
        scope = Scope.of(facts["scope"])
        limit = None if facts["limit"] is None else promise_of(facts["limit"])
        if limit is None and scope == DATASET:
            raise LedgerDamaged(f"row {sequence} takes away the limit of the dataset")
        account = self.account(scope)
        before = amount_of(facts["spent"], self.nothing.units)
        if account.tracked or self.thorough:
            if before != account.spent:
                raise LedgerDamaged(f"row {sequence} states another total than the rows before it")
        else:
            account = replace(account, spent=before, total=before)
        capacity = None if limit is None else self.terms.capacity(limit)
        self.accounts[scope] = replace(
            account, limit=limit, capacity=capacity, frozen=bool(facts["frozen"]), tracked=True
        )

    # --- checkpoints ------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything, as JSON: books can be opened from here without the rows before."""
        return {
            "terms": self.terms.facts,
            "declared": self.declared,
            "names": sorted(self.names),
            "spends": self.spends,
            "accounts": sorted(self._account_facts(), key=canonical),
            "plans": [[number, self.owners[number], dict(left)] for number, left in sorted(self.plans.items())],
            **({"failures": self.failures.facts} if self.failures.counted else {}),  # older checkpoints know of none
        }

    def _account_facts(self) -> Iterator[Mapping[str, Any]]:
        for scope, account in self.accounts.items():
            if account.tracked:
                yield {
                    "scope": scope.facts,
                    "spent": amount_facts(account.spent),
                    "total": amount_facts(account.total),
                    "limit": None if account.limit is None else promise_facts(account.limit),
                    "frozen": account.frozen,
                    "period": account.period,
                }

    @classmethod
    def at_checkpoint(cls, sequence: int, facts: Facts) -> "Books":
        """Books as they were when the checkpoint was written."""
        books = cls()
        try:
            state = facts["state"]
            books._terms = Terms.of(state["terms"])
            books.declared, books.names = dict(state["declared"]), set(state["names"])
            books.rows, books.spends = sequence + 1, state["spends"]
            books.failures = Failures(dict(state.get("failures", ())))
            for number, owner, left in state["plans"]:
                books.plans[number], books.owners[number] = Counter(left), owner
            for each in state["accounts"]:
                books.accounts[Scope.of(each["scope"])] = books._account_of(each)
        except (KeyError, TypeError, ValueError) as problem:
            raise LedgerDamaged(f"row {sequence} cannot be read as a checkpoint") from problem
        return books

    def _account_of(self, facts: Facts) -> Account:
        limit = None if facts["limit"] is None else promise_of(facts["limit"])
        spent, total = (amount_of(facts[name], self.nothing.units) for name in ("spent", "total"))
        capacity = None if limit is None else self.terms.capacity(limit)
        return Account(spent, total, limit, capacity, frozen=facts["frozen"], period=facts["period"])


def curves_of(loss: Facts) -> Counter[str]:
    """How often each curve occurs in a loss, the curves as text."""
    counted: Counter[str] = Counter()
    for curve in loss["loss"]:
        counted[canonical({name: value for name, value in curve.items() if name != "times"})] += curve["times"]
    return counted
