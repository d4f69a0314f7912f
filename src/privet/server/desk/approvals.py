"""Approvals: which questions the owner has to approve first, and under which number those are asked."""

import math
from collections.abc import Callable
from fractions import Fraction

from privet.core.journals.journal import Journal
from privet.core.journals.report import promised
from privet.errors import ApprovalNeeded
from privet.loss.exact import readable
from privet.query.session import Session
from privet.server.desk.asker import Asker
from privet.server.desk.history import History
from privet.server.desk.question import Question
from privet.server.desk.requests import DECLINED, TAKEN_BACK, WAITING, Request, Requests

BEYOND = Fraction(10**9)  # ε of what no ε describes


class Approvals:
    """Asks the owner, and knows what they have said.

    Args:
        requests: what waits for them.
        history: makes numbers.
        journal: gives the ledger's journal.

    Privacy: a price follows from public facts alone, so what needs approval does, too.
    Proof: an approved question is asked under one number, made of the request's. The ledger charges a number once. So
        an approval is good for one answer, however often and wherever it is asked.
    """

    def __init__(self, requests: Requests, history: History, journal: Callable[[], Journal]) -> None:
        self._requests = requests
        self._history = history
        self._journal = journal

    def number(self, asker: Asker, session: Session, question: Question, same: str) -> str | None:
        """The number under which a question was approved; None if it needs no approval.

        Raises:
            ApprovalNeeded: it does, and has none, or that was used.
        """
        person = asker.person
        if person.largest_epsilon is None and not person.needs_approval:
            return None
        epsilon, price = price_of(session, question)
        if not person.needs_approval and person.largest_epsilon is not None and epsilon <= person.largest_epsilon:
            return None
        if not epsilon:  # of public tables alone
            return None
        found = self._requests.about(asker.name, same)
        if found is None or found.state == TAKEN_BACK:
            raise ApprovalNeeded(f"this costs {price}, which the owner has to approve first: make a request")
        if found.state == WAITING:
            raise ApprovalNeeded(f"this costs {price}, and waits for the owner's approval", number=found.number)
        if found.state == DECLINED:
            raise ApprovalNeeded("the owner has declined this: change it, or ask them", number=found.number)
        number = self._history.number_of("approved", asker.name, found.number)
        if self._journal().keyed(asker.name, number) is not None:
            raise ApprovalNeeded(
                f"this costs {price}; the owner has approved it once, and that was used: make another request"
            )
        return number

    def request(self, asker: Asker, session: Session, question: Question, same: str, *, why: str | None) -> Request:
        """Ask the owner."""
        epsilon, price = price_of(session, question)
        return self._requests.add(
            asker.name,
            same,
            texts=question.texts,
            purpose=question.purpose,
            why=why,
            price=price,
            epsilon=readable(epsilon),
        )


def price_of(session: Session, question: Question) -> tuple[Fraction, str]:
    """What a question costs, as an ε rounded up, and in the ledger's words."""
    price = question.explain(session).price
    books = session.ledger.journal.books()
    if math.inf in price.parts:
        return BEYOND, str(price)
    whole = price.and_gamma(Fraction(0)) if books.terms.counts_gamma and "gamma" not in price.units else price
    return promised(books, whole).epsilon, str(price)
