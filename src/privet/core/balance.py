"""Balance: what a ledger shows, and that it is a handle, not data."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from privet.core.journals.backup import back_up
from privet.core.journals.entry import Entry
from privet.core.journals.journal import Journal
from privet.core.journals.scope import DATASET, Scope
from privet.core.mechanism import Mechanism
from privet.core.unit import Unit
from privet.loss import Amount, Guarantee, PrivacyLoss, Promise, SpendingRule, compare_rules
from privet.loss.rule_choice import RuleComparison

if TYPE_CHECKING:
    from privet.display import Chart


class Balance:
    """The part of a ledger that anybody may look at: limit, what is spent, what remains, and every entry."""

    unit: Unit
    rule: SpendingRule
    analyst: str | None
    _journal: Journal

    @property
    def limit(self) -> Promise:
        """The promise that is never broken, as it stands now; of each period, if the owner renews it."""
        limit = self._journal.books().dataset.limit
        return self._journal.books().terms.limit if limit is None else limit

    @property
    def spent(self) -> Amount:
        """What has been charged so far, exactly, in the rule's own terms; since the last renewal, if there was one."""
        return self._journal.books().dataset.spent

    @property
    def remaining(self) -> Amount:
        """What may still be charged through this handle, exactly: the least of the dataset's and the analyst's."""
        return self._left([DATASET] if self.analyst is None else [DATASET, Scope(self.analyst)])

    def _left(self, scopes: Iterable[Scope]) -> Amount:
        """The least that remains of several scopes, one of which has a limit."""
        books = self._journal.books()
        left = [each for scope in scopes if (each := books.account(scope).remaining) is not None]
        return Amount(*map(min, zip(*(each.parts for each in left), strict=True)), units=left[0].units)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every spend, in order."""
        return self._journal.entries()

    @property
    def journal(self) -> Journal:
        """Where the entries are; what its owner does to it (caps, renewals, checks) is done there."""
        return self._journal

    def verify(self) -> int:
        """Check the whole journal against itself and its anchor; return how many rows it has, or raise."""
        return self._journal.verify()

    def backup(self, path: str | Path) -> int:
        """Copy the journal into a new file while others go on spending; return how many rows it has, or raise.

        Nothing is spent from a backup; `privet ledger restore` puts it back. See docs/how-to/back-up-a-ledger.md.
        """
        return back_up(self._journal, path).sequence + 1

    @staticmethod
    def compare_rules(limit: Guarantee, answer: PrivacyLoss | Mechanism[Any, Any]) -> RuleComparison:
        """How many answers of one size each rule would admit under a limit, best first.

        Example:
            >>> from privet import Ledger
            >>> from privet.mechanisms import Laplace
            >>> print(Ledger.compare_rules(Guarantee(1, 1e-6), Laplace(l1_sensitivity=1, scale=100)))
            rule                                  answers
            Rényi divergence of order 22 adds up      492
            zCDP: ρ adds up                           488
            Gaussian: μ² adds up                      356
            ε and δ add up                            100
        """
        return compare_rules(limit, answer=answer.loss if isinstance(answer, Mechanism) else answer)

    def plot(self) -> "Chart":
        """A chart of what was spent after each question, below the limit; needs `pip install 'privet[charts]'`."""
        from privet.core.ledger_card import ledger_chart  # noqa: PLC0415 - for those who draw

        return ledger_chart(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: what is spent, what is left, and the last questions."""
        from privet.core.ledger_card import ledger_card  # noqa: PLC0415 - for notebooks

        return ledger_card(self).html()

    def __repr__(self) -> str:
        return (
            f"Ledger({self.limit!r} per {self.unit.name}, {self.unit.neighbors.value}; {self.rule.name}; "
            f"spent {self.spent}; {_counted(self._journal.books().spends)})"
        )

    # --- a ledger is a handle, not data -----------------------------------------------------------------------

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of files and connections; the ledger opens them again when it is used."""
        self._journal.close()

    def __copy__(self) -> Self:
        """A budget cannot be duplicated: whoever copies a ledger gets the same one."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Ledger cannot be pickled: that would be a second budget; open its journal again instead")


def _counted(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries:,} entries"
