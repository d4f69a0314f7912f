"""Resuming: a plan whose run has ended is found again by its key, and taken up by one run at a time."""

from privet.core.journals.chain import Facts, Row, canonical
from privet.core.journals.entry import Entry
from privet.core.journals.handle import Handle
from privet.core.journals.pages import Pages
from privet.core.journals.repeat import repeated
from privet.errors import BudgetExceeded, InvalidParameter, LedgerDamaged, LedgerUnavailable


class Resuming(Handle):
    """The part of a journal that lets a run go on with a plan that another run reserved.

    Privacy: what was paid for a plan is read from its row, which is believed because the chain leads from it to the
        last row, and that this handle has checked: a row that was changed since it was counted is noticed.
    """

    def reserved(self, entry: Entry) -> tuple[int, Facts]:
        """The place of the plan that was reserved with this entry's key, and what its row says.

        Raises:
            InvalidParameter: there is no such plan.
            BudgetExceeded: its row is that of another plan.
            KeyReused: the key belongs to another question.
        """
        return self._looked(lambda pages, _: self._reserved(pages, entry))

    def _reserved(self, pages: Pages, entry: Entry) -> tuple[int, Facts]:
        found = repeated(pages, entry.facts)
        if found is None:
            raise InvalidParameter(
                f"there is no plan to go on with: nothing was reserved with the key {entry.key!r}; reserve it first"
            )
        facts = self._chained(pages, found.sequence)
        if any(canonical(facts[each]) != canonical(entry.facts[each]) for each in ("kind", "purpose", "loss")):
            raise BudgetExceeded(
                f"{entry.purpose!r} cannot go on: entry {found.sequence} did not pay for this plan; reserve under a "
                "new key"
            )
        return found.sequence, facts

    def _chained(self, pages: Pages, sequence: int) -> Facts:
        """What a row says, which must be what the last row's hash stands for."""
        head = self._seen()
        previous: Row | None = None
        said: Facts = {}
        for row in pages.rows(sequence - 1, head.sequence):
            if row.sequence >= sequence:
                facts = row.facts_after(previous)
                said = facts if row.sequence == sequence else said
            previous = row
        if previous is None or previous.hash != head.hash or not said:
            raise LedgerDamaged(f"row {sequence} is not what later rows were written after")
        return said

    def take_up(self, sequence: int, entry: Entry) -> None:
        """Show from now on that this run is answering a plan, unless another does, or it was answered meanwhile.

        Privacy: nothing hangs on who takes up a plan: its curves are counted where they are drawn. It is one run at a
            time so that a plan has one answer.

        Raises:
            InvalidParameter: it has its answer.
            LedgerUnavailable: a run that lives holds the plan.
        """
        with self._steady():
            for each in tuple(self._leaving):  # they are done, and nobody else is inside
                self._leaving.discard(each)
                self._let_go(each)
            held = False
            try:
                with self._writing() as pages:  # alone, so that no two find it free
                    self._caught_up(pages)
                    _refuse_answered(pages, sequence, entry)
                    _refuse_held(entry, held=self._alive(sequence))
                    held = True
                    self._hold(sequence)
            except BaseException:
                if held:
                    self._let_go(sequence)
                raise


def _refuse_answered(pages: Pages, sequence: int, entry: Entry) -> None:
    if pages.answering(sequence) is not None:
        raise InvalidParameter(
            f"{entry.purpose!r} was answered already: take its answer with `recall`, or reserve under a new key"
        )


def _refuse_held(entry: Entry, *, held: bool) -> None:
    if held:
        raise LedgerUnavailable(
            f"{entry.purpose!r} cannot go on yet, a run that has not ended holds its plan: wait for it, end it, or, in "
            "this process, call `done()` of its reservation"
        )
