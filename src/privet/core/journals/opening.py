"""Opening: a journal is made, or found and believed: by its chain, its terms and what its anchor remembers."""

from privet.core.journals.books import OWNERS, Books
from privet.core.journals.chain import Row, canonical
from privet.core.journals.failures import ALLOWED
from privet.core.journals.handle import Handle, Written, stamp
from privet.core.journals.pages import Pages
from privet.core.journals.terms import Terms
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable

SCHEMA = 1


class Opening(Handle):
    """The part of a journal that runs once, before anything is asked of it."""

    def open(self, terms: Terms | None = None) -> Terms:
        """Record the terms in a new journal, or compare them with those of an old one; then check the rows.

        Args:
            terms: what the ledger shall be about; without them there must be a journal already.
        """
        with self._steady(create=terms is not None):
            if self._books is None:
                self._start(terms)
            books = self._current()
            if terms is not None:
                _refuse_other_terms(books, terms, self.place)
            return books.terms

    def _start(self, terms: Terms | None) -> None:
        made: Written = []
        with self._writing() as pages:  # alone, so that no anchor runs ahead of what is read
            first = next(pages.rows(0, 0), None)
            if first is not None:
                self._load(pages, first)
            elif terms is None:
                raise LedgerUnavailable(f"there is no ledger at {self.place}: make one with `privet ledger create`")
            else:
                self._trusted(-1)
                facts = {"kind": "opened", "schema": SCHEMA, "terms": terms.facts, **stamp(nonce=True)}
                made = [(Row.after(None, facts), facts)]
                pages.append(made[0][0])
        if made:
            self._books, self._first = Books(), made[0][0]
            self._take_in(made)
        else:
            self._committed(self._seen())

    def _load(self, pages: Pages, first: Row) -> None:
        """Check the rows since the last checkpoint that the anchor covers, and all after it."""
        facts = first.facts_after(None)
        if facts.get("schema") != SCHEMA:
            raise LedgerUnavailable(
                f"{self.place} is of version {facts.get('schema')} and this Privet knows {SCHEMA}: "
                "run `pip install --upgrade privet`"
            )
        self._first = first
        last = pages.last() or 0
        sequence, known = self._trusted(last)
        start = self._checkpoint_before(sequence)
        previous, books = None, Books()
        for row in pages.rows(max(start - 1, 0)):
            if row.sequence == start - 1:
                previous = row
                continue
            facts = row.facts_after(previous)
            if row.sequence == start and start:
                books = Books.at_checkpoint(start, facts)
            else:
                if row.sequence > sequence and facts["kind"] in OWNERS:
                    self._attest(row)
                books.apply(row.sequence, facts)
            refuse_rewritten(row, sequence, known)
            previous = row
        if previous is None or previous.sequence != last or canonical(books.terms.facts) != _terms_text(first):
            raise LedgerDamaged(f"{self.place} does not begin as it goes on")
        self._books, self._head = books, previous


def _refuse_other_terms(books: Books, terms: Terms, place: str) -> None:
    known = books.terms
    if (known.unit, known.rule) != (terms.unit, terms.rule):
        raise InvalidParameter(
            f"{place} protects {known.unit!r} and counts by {known.rule.name!r}, not {terms.unit!r} by "
            f"{terms.rule.name!r}: open it with Ledger.open, which takes its own terms"
        )
    if terms.dataset not in books.names:
        raise InvalidParameter(
            f"{place} is the ledger of {known.dataset!r}, not of {terms.dataset!r}: if that is a copy or view of the "
            "same data, its owner records it with `privet ledger share`"
        )
    if terms.failures not in (ALLOWED, known.failures):
        raise InvalidParameter(
            f"{place} was made for {known.failures} failures, not {terms.failures}: that is for good; leave it out"
        )
    if terms.limit not in (known.limit, books.dataset.limit):
        raise InvalidParameter(
            f"{place} has the limit {books.dataset.limit!r}, not {terms.limit!r}: change it with `privet ledger cap`"
        )


def refuse_rewritten(row: Row, sequence: int, known: str | None) -> None:
    """Refuse a row at the place that the anchor remembers if it is not the one."""
    if row.sequence == sequence and known is not None and row.hash.hex() != known:
        raise LedgerDamaged(f"row {sequence} is not the one that the anchor remembers: the journal was rewritten")


def _terms_text(first: Row) -> str:
    return canonical(first.facts["terms"])
