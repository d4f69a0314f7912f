"""Books: what the rows of a journal add up to.

Books are never stored and believed: every handle keeps its own, made from the rows, each of which it has checked
against the chain. So there is no total on disk that someone could edit.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

from privet.core.journals.account import Account
from privet.core.journals.chain import Facts, canonical
from privet.core.journals.entry import SPENDS, Entry, amount_facts, amount_of
from privet.core.journals.failures import Failures
from privet.core.journals.scope import DATASET, Scope, scopes_named
from privet.core.journals.tally import Tally, added, tallied
from privet.core.journals.terms import Terms, kept, promise_facts, promise_of
from privet.errors import LedgerDamaged
from privet.loss import Amount, Promise

NO_CURVES: Counter[str] = Counter()
OWNERS = (
    "cap",
    "renewal",
    "shared",
    "declared",
    "unfrozen",
    "noted",
)  # the kinds of entries that only the owner writes


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
        counting: scopes to count from the first spend on, though they get their cap only later: a full check of the
            journal knows which, and compares what the cap says was spent before it.
    """

    def __init__(self, *, counting: Iterable[Scope] = ()) -> None:
        self.counting = frozenset(scope for scope in counting if not scope.always_counted)
        self.rows = 0
        self.spends = 0
        self.accounts: dict[Scope, Account] = {}
        self.plans: dict[int, Counter[str]] = {}
        self.owners: dict[int, str | None] = {}  # of plans: the analyst who reserved
        self._terms: Terms | None = None
        self.declared: dict[str, str] = {}
        self.names: set[str] = set()
        self.failures = Failures()
        self.losses: list[Amount] = []  # what was charged for rows that a restored backup did not have

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
        return tallied(self.terms.capacity(self.terms.limit) * 0)

    @property
    def dataset(self) -> Account:
        """The account of everything."""
        return self.accounts[DATASET]

    def account(self, scope: Scope) -> Account:
        """The state of a scope; an empty one if nothing is counted there."""
        return self.accounts.get(scope) or Account(self.lost, self.lost, tracked=scope.always_counted)

    @property
    def lost(self) -> Amount:
        """What anybody may have spent in rows that were lost."""
        return reduce(added, self.losses, self.nothing)

    def room(self, limit: Promise) -> Amount:
        """What the dataset could still spend under a limit, whether it is frozen or not."""
        return self.terms.capacity(limit).less(self.dataset.spent)

    def frozen(self, analyst: str | None) -> bool:
        """Whether too many answers failed for this analyst to ask on."""
        return self.failures.frozen(analyst, allowed=self.terms.failures)

    def refusal(self, facts: Facts) -> Refusal | None:
        """What forbids a spend: failures, then the widest scope first; None if it fits everywhere."""
        if self.frozen(facts["analyst"]):
            return Refusal(Scope(facts["analyst"]), failed=True)
        cost = amount_of(facts["cost"], self.nothing.units)
        for scope in scopes_named(facts["analyst"], facts["purpose"]):
            account = self.accounts.get(scope)
            if account is not None and not account.allows(cost):
                return Refusal(scope, account)
        if facts["kind"] == "draw" and not self._holds(facts, curves_of(facts["loss"])):
            return Refusal(None)
        return None

    def _holds(self, facts: Facts, asked: Mapping[str, int]) -> bool:
        """Whether the plan still has every curve of a draw, and is the asker's."""
        number = facts["reservation"]
        left: Mapping[str, int] = self.plans.get(number, {})
        return self.owners.get(number) == facts["analyst"] and all(left.get(each, 0) >= n for each, n in asked.items())

    # --- growing ----------------------------------------------------------------------------------------------

    def spend(self, entry: Entry) -> Refusal | None:
        """Take in a plain release if it fits everywhere, without its row; else say what forbids it."""
        if self.failures.counted and self.frozen(entry.analyst):
            return Refusal(Scope(entry.analyst), failed=True)
        refused = self._charge(entry.analyst, entry.purpose, tallied(kept(entry.cost)))
        if refused is None:
            self.rows += 1
        return refused

    def _charge(self, analyst: str | None, purpose: str, cost: Amount, *, checked: bool = False) -> Refusal | None:
        """Add a cost wherever it counts if it fits everywhere; else change nothing and say what forbids it."""
        grown = {}
        for scope in scopes_named(analyst, purpose):
            account = self.accounts.get(scope)
            if account is None:
                if not (scope.always_counted or scope in self.counting):
                    continue
                account = self.account(scope)
            grown[scope] = after = account.charged(cost)
            if not (checked or after.holds()):
                return Refusal(scope, account)
        self.accounts |= grown
        self.spends += 1
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
            self._spend(sequence, facts, checked=checked)
        elif kind in OWNERS:
            self._own(sequence, facts)
        elif kind == "opened":
            self._open(facts)
        elif kind == "checkpoint":
            if canonical(facts["state"]) != canonical(self.state()):
                raise LedgerDamaged(f"the totals of checkpoint {sequence} are not those of the rows before it")
        elif kind == "failure":
            self.failures.count(facts["analyst"])
        elif kind == "lost":
            self._lose(sequence, facts)
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
        elif facts["kind"] == "shared":
            self.names.add(facts["name"])

    def _open(self, facts: Facts) -> None:
        self._terms = Terms.of(facts["terms"])
        self.declared = dict(self._terms.declared)
        self.names = {self._terms.dataset, *self._terms.shared_by}
        limit = self._terms.limit
        self.accounts[DATASET] = Account(self.nothing, self.nothing, limit, tallied(self._terms.capacity(limit)))

    def _spend(self, sequence: int, facts: Facts, *, checked: bool) -> None:
        """Take in a spend; refuses one that was not allowed when it was written."""
        cost = amount_of(facts["cost"], self.nothing.units)
        kind = facts["kind"]
        analyst = facts["analyst"]
        if not isinstance(cost, Tally) or len(cost.wholes) != len(self.nothing.units):
            raise LedgerDamaged(f"row {sequence} has a cost that the rule does not count")
        planned = kind == "reservation" or facts["plan"]
        asked = curves_of(facts["loss"]) if planned or kind == "draw" else NO_CURVES
        if not checked:
            if self.failures.counted and self.frozen(analyst):
                raise LedgerDamaged(f"row {sequence} spends more than the failures before it allow")
            if kind == "draw" and not self._holds(facts, asked):
                raise LedgerDamaged(f"row {sequence} spends more than its plan allows")
        if (refused := self._charge(analyst, facts["purpose"], cost, checked=checked)) is not None:
            raise LedgerDamaged(f"row {sequence} spends more than {refused.scope} allows")
        if kind == "draw":
            self._draw(facts["reservation"], asked)
        if planned:
            self.plans[sequence] = asked
            self.owners[sequence] = analyst

    def _lose(self, sequence: int, facts: Facts) -> None:
        """Count what was lost as spent by everybody, for everything; plans are void: who knows what was drawn."""
        cost = amount_of(facts["cost"], self.nothing.units)
        capacity = self.dataset.capacity
        if capacity is None or not capacity.less(self.dataset.spent).fits(cost):
            raise LedgerDamaged(f"row {sequence} charges less for lost rows than they may have spent")
        self.accounts = {scope: account.charged(cost) for scope, account in self.accounts.items()}
        self.losses.append(cost)
        self.plans.clear()
        self.owners.clear()

    def _draw(self, number: int, asked: Counter[str]) -> None:
        left = self.plans[number] - asked
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
        if account.tracked or scope in self.counting:
            if before != account.spent:
                raise LedgerDamaged(f"row {sequence} states another total than the rows before it")
        else:
            account = replace(account, spent=before, total=before)
        capacity = None if limit is None else tallied(self.terms.capacity(limit))
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
            **({"losses": [amount_facts(each) for each in self.losses]} if self.losses else {}),
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
            books.declared = dict(state["declared"])
            books.names = set(state["names"])
            books.rows = sequence + 1
            books.spends = state["spends"]
            books.failures = Failures(dict(state.get("failures", ())))
            books.losses = [amount_of(each, books.nothing.units) for each in state.get("losses", ())]
            for number, owner, left in state["plans"]:
                books.plans[number] = Counter(left)
                books.owners[number] = owner
            for each in state["accounts"]:
                books.accounts[Scope.of(each["scope"])] = books._account_of(each)
        except (KeyError, TypeError, ValueError) as problem:
            raise LedgerDamaged(f"row {sequence} cannot be read as a checkpoint") from problem
        return books

    def _account_of(self, facts: Facts) -> Account:
        limit = None if facts["limit"] is None else promise_of(facts["limit"])
        spent, total = (amount_of(facts[name], self.nothing.units) for name in ("spent", "total"))
        capacity = None if limit is None else tallied(self.terms.capacity(limit))
        return Account(spent, total, limit, capacity, frozen=facts["frozen"], period=facts["period"])


def curves_of(loss: Facts) -> Counter[str]:
    """How often each curve occurs in a loss, the curves as text."""
    counted: Counter[str] = Counter()
    for curve in loss["loss"]:
        counted[canonical({name: value for name, value in curve.items() if name != "times"})] += curve["times"]
    return counted
