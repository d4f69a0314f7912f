"""What only the owner of a ledger does: caps, freezes, periods, names and declarations, each an entry."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from privet.core.journals.books import Books
from privet.core.journals.chain import Facts, Row
from privet.core.journals.entry import SPENDS, amount_facts, amount_of
from privet.core.journals.pages import Pages
from privet.core.journals.scope import DATASET, Scope
from privet.core.journals.tally import added
from privet.core.journals.terms import promise_facts, refuse_huge, refuse_undeclarable, refuse_wordless
from privet.errors import InvalidParameter
from privet.loss import Amount, Promise

BATCH = 1_000  # rows read at a time


class OwnersActs(ABC):
    """The part of a journal that is its owner's; every act has a reason, for those who read the ledger later."""

    @abstractmethod
    def books(self) -> Books:
        """The state after every row that is there now."""

    @abstractmethod
    def _own(self, facts: Callable[[Pages, Books], Facts], *, announced: bool = True) -> int:
        """Write what the owner does, and return its place."""

    def cap(self, limit: Promise | None, *, scope: Scope = DATASET, frozen: bool = False, reason: str) -> int:
        """Set, raise, lower or (None) remove the cap of a scope, and freeze or thaw it; return the entry's place.

        What was spent before counts. A cap below it stops further spends; it takes nothing back.
        """
        _refuse_reason(reason)
        if limit is not None:
            refuse_huge(limit)
        elif scope == DATASET:
            raise InvalidParameter("the dataset cannot be without a limit: lower or freeze it instead")

        def facts(pages: Pages, books: Books) -> Facts:
            if limit is not None:
                books.terms.capacity(limit)
            account = books.account(scope)
            spent = account.spent if account.tracked else _spent_before(pages, scope, books.nothing)
            return {
                "kind": "cap",
                "scope": scope.facts,
                "limit": None if limit is None else promise_facts(limit),
                "frozen": frozen,
                "spent": amount_facts(spent),
                "reason": reason,
            }

        return self._own(facts)

    def freeze(self, scope: Scope = DATASET, *, reason: str, thaw: bool = False) -> int:
        """Stop (or, thawing, allow again) every spend of a scope; the cap itself stays."""
        return self.cap(self.books().account(scope).limit, scope=scope, frozen=not thaw, reason=reason)

    def renew(self, scope: Scope = DATASET, *, reason: str) -> int:
        """Start a new period of a scope: its cap counts from zero again, and the promise in total grows by it."""
        _refuse_reason(reason)

        def facts(_: Pages, books: Books) -> Facts:
            if books.account(scope).limit is None:
                raise InvalidParameter(f"{scope!r} has no cap that could be renewed: set one with `privet ledger cap`")
            return {"kind": "renewal", "scope": scope.facts, "reason": reason}

        return self._own(facts)

    def unfreeze(self, analyst: str | None = None, *, everyone: bool = False, reason: str) -> int:
        """Let an analyst whose answers failed ask again, or everyone: the failures so far count no more.

        Args:
            analyst: who; None is whoever asked without a name.
            everyone: all of them.
            reason: why; it is recorded.
        """
        _refuse_reason(reason)

        def facts(_: Pages, books: Books) -> Facts:
            if not (everyone or books.failures.counted[analyst]):
                raise InvalidParameter(
                    f"no answer of {analyst or 'nobody by name'} has failed: see `privet ledger show`"
                )
            return {"kind": "unfrozen", "analyst": analyst, "everyone": everyone, "reason": reason}

        return self._own(facts)

    def share(self, name: str, *, reason: str) -> int:
        """Record the name of a copy or view of the data: it shares this ledger."""
        _refuse_reason(reason)
        refuse_wordless(name, "a dataset needs a name")
        return self._own(lambda *_: {"kind": "shared", "name": name, "reason": reason})

    def declare(self, **declared: str) -> int:
        """Record what the owner states about the processing: purpose, retention, minimisation, security, ….."""
        refuse_undeclarable(declared)
        return self._own(lambda *_: {"kind": "declared", "declared": declared})

    def note(self, act: str, *, by: str, about: Mapping[str, str], reason: str) -> int:
        """Record what was done beside the ledger, such as an account that was made; nothing is counted for it.

        Args:
            act: what was done, in few words.
            by: who did it.
            about: to what, by name.
            reason: why.
        """
        _refuse_reason(reason)
        refuse_wordless(act, "an act needs a name")
        told = {str(name): str(value) for name, value in about.items()}
        return self._own(lambda *_: {"kind": "noted", "act": act, "by": by, "about": told, "reason": reason})


def _refuse_reason(reason: object) -> None:
    refuse_wordless(reason, "a reason must be given in words, for those who read the ledger later")


def _spent_before(pages: Pages, scope: Scope, nothing: Amount) -> Amount:
    """The sum of all spends of a scope that was not counted so far; of rows that are still what they were."""
    total = nothing
    last = pages.last() or 0
    previous: Row | None = None
    for first in range(0, last + 1, BATCH):
        for row in pages.rows(first, first + BATCH - 1):
            facts = row.facts_after(previous)
            previous = row
            if facts["kind"] == "lost" or (facts["kind"] in SPENDS and scope.counts(facts)):
                total = added(total, amount_of(facts["cost"], nothing.units))
    return total
