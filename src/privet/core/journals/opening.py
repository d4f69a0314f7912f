"""Opening: a journal is made, or found and believed: by its chain, its terms and what its anchor remembers."""

from privet.core.journals.books import Books
from privet.core.journals.chain import Facts, Row, canonical
from privet.core.journals.failures import ALLOWED
from privet.core.journals.handle import Handle, Written, stamp
from privet.core.journals.pages import Pages
from privet.core.journals.terms import Terms
from privet.core.journals.versions import refuse_version
from privet.core.journals.witness import Witness
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable

SCHEMA = 1


class Opening(Handle):
    """The part of a journal that runs once, before anything is asked of it."""

    def open(self, terms: Terms | None = None, *, create: bool = True) -> Terms:
        """Record the terms in a new journal, or compare them with those of an old one; then check the rows.

        Args:
            terms: what the ledger shall be about; without them there must be a journal already.
            create: whether the journal may be made; else there must be one of these terms already.
        """
        made_of = terms if create else None
        with self._steady(create=made_of is not None):
            if self._books is None:
                self._start(made_of)
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
                self._refuse_lost()
                made = [self._append_first(pages, terms)]
        if made:
            self._books = Books()
            self._first = made[0][0]
            self.made = True
            self._take_in(made)
        else:
            self._committed(self._seen())

    def _append_first(self, pages: Pages, terms: Terms) -> tuple[Row, Facts]:
        """Write the terms; something outside knows of them before they are there, or else it could be left out."""
        watched = {"anchored": True} if self._watched else {}
        facts = {"kind": "opened", "schema": SCHEMA, "terms": terms.facts, **watched, **stamp(nonce=True)}
        row = Row.after(None, facts)
        pages.append(row)
        self._begin(row)
        return row, facts

    def _load(self, pages: Pages, first: Row) -> None:
        """Check the rows since the last checkpoint that the anchor covers, and all after it."""
        witness = self._witness()
        self._refuse_first(first, witness)
        self._first = first
        last = pages.last() or 0
        start = self._checkpoint_before(last if witness.sequence is None else min(witness.sequence, last))
        previous = None
        books = Books()
        for row in pages.rows(max(start - 1, 0)):
            if row.sequence == start - 1:
                previous = row
                continue
            facts = self._facts(row, previous)
            witness.saw(row, facts)
            if row.sequence == start and start:
                books = Books.at_checkpoint(start, facts)
            else:
                books.apply(row.sequence, facts)
            previous = row
        if previous is None or previous.sequence != last or canonical(books.terms.facts) != _terms_text(first):
            raise LedgerDamaged(f"{self.place} does not begin as it goes on")
        witness.ended(previous)
        self._books = books
        self._head = previous

    def _refuse_first(self, first: Row, witness: Witness) -> None:
        """Refuse a journal of another version, of another anchor, or without the anchor that it was made with."""
        facts = first.facts_after(None)
        refuse_version(f"{self.place} is a journal", facts.get("schema"), known=SCHEMA)
        if facts.get("anchored") and not self._watched:
            raise LedgerUnavailable(
                f"{self.place} was made with an anchor: name its place with anchor=…, or make one for this "
                "host with `privet ledger anchor --anchor FILE --recreate --reason …`"
            )
        witness.first(first)


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


def _terms_text(first: Row) -> str:
    return canonical(first.facts["terms"])
