"""OwnersDesk: what only the owner does, and what an auditor may look at. Each act is an entry of the ledger."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, TextIO

from privet.core import Ledger
from privet.core.journals import DATASET, Entry, Row, Scope
from privet.core.journals.chain import Facts
from privet.core.journals.entry import SPENDS
from privet.core.journals.report import export_csv, export_json, questions, report
from privet.errors import InvalidParameter, NotAllowed
from privet.loss import Promise
from privet.loss.exact import readable
from privet.server.desk.asker import Asker
from privet.server.desk.history import new_version_in
from privet.server.desk.requests import APPROVED, DECLINED, Request, Requests
from privet.server.people import Invited, People, Person, Role, TokenFacts, TokenScope


class OwnersDesk:
    """What an owner does, and an auditor sees.

    Args:
        asker: an owner, or an auditor, who changes nothing.
        ledger: gives the ledger.
        people: everybody.
        requests: what waits.

    Privacy: exact answers are not here either. Whatever changes who may ask, or how much, is an entry of the ledger
        that says who has done it and why; where the entry cannot be written it is not done.
    """

    def __init__(self, asker: Asker, ledger: Callable[[], Ledger], people: People, requests: Requests) -> None:
        self._asker = asker
        self._ledger = ledger
        self._people = people
        self._requests = requests

    # --- looking ------------------------------------------------------------------------------------------------

    @property
    def ledger(self) -> Ledger:
        """The ledger, to look at."""
        return self._ledger()

    def report(self) -> dict[str, Any]:
        """Everything an owner or auditor asks first, as JSON; amounts are exact."""
        return report(self.ledger.journal)

    def entries(self, *, last: int | None = None) -> tuple[Entry, ...]:
        """What was spent, in order; the last so many if that is said."""
        if last is None:
            return self.ledger.entries
        units = self.ledger.journal.books().nothing.units
        rows = self._last(last, lambda facts: facts["kind"] in SPENDS)
        return tuple(Entry.of(row.sequence, row.facts, units) for row in rows)

    def acts(self, *, last: int = 100) -> tuple[dict[str, Any], ...]:
        """What owners did, the newest first: caps, freezes, and what is noted of people and approvals."""
        rows = self._last(last, lambda facts: facts["kind"] not in (*SPENDS, "answer", "checkpoint", "failure"))
        return tuple({"sequence": row.sequence, **row.facts} for row in reversed(rows))

    def _last(self, count: int, wanted: Callable[[Facts], bool]) -> list[Row]:
        """The last rows of some kind, in order: read from the end, twice as many until there are enough."""
        journal = self.ledger.journal
        looked = 10 * count + 1
        while True:
            first = max(0, journal.head().sequence + 1 - looked)
            found = [row for row in journal.rows(first) if wanted(row.facts)]
            if not first or len(found) >= count:
                return found[max(0, len(found) - count) :]
            looked *= 2

    def questions(self) -> list[dict[str, Any]]:
        """The questions that were paid for: when, by whom, for what, and what they cost."""
        return questions(self.ledger.journal)

    def verify(self) -> int:
        """Check the whole ledger; return how many rows it has, or raise."""
        return self.ledger.verify()

    def export(self, file: TextIO, *, csv: bool = False) -> None:
        """Write the record of processing: the report and every row, as JSON or for a spreadsheet."""
        (export_csv if csv else export_json)(self.ledger.journal, file)

    def people(self) -> tuple[Person, ...]:
        """Everybody with an account."""
        return tuple(self._people)

    def invitations(self) -> tuple[Invited, ...]:
        """Invitations that are still good."""
        return self._people.invitations()

    def requests(self, *, waiting: bool = True) -> tuple[Request, ...]:
        """Questions that wait for approval, or all there were."""
        return self._requests.all(waiting=waiting)

    def tokens_of(self, name: str) -> tuple[TokenFacts, ...]:
        """Somebody's tokens, without what is secret."""
        return self._people.tokens_of(name)

    # --- the ledger's terms -------------------------------------------------------------------------------------

    def set_cap(
        self, limit: Promise | None, *, analyst: str | None = None, purpose: str | None = None, reason: str
    ) -> int:
        """Set, raise, lower or (None) remove a cap of an analyst, of a purpose, or the limit of all."""
        self._refuse_others()
        scope = Scope(self._name(analyst), purpose)
        account = self.ledger.journal.books().account(scope)
        return self.ledger.journal.cap(limit, scope=scope, frozen=account.frozen, reason=self._signed(reason))

    def freeze(self, *, analyst: str | None = None, purpose: str | None = None, reason: str) -> int:
        """Stop every spend of an analyst, for a purpose, or of everybody."""
        self._refuse_others()
        return self.ledger.journal.freeze(Scope(self._name(analyst), purpose), reason=self._signed(reason))

    def thaw(self, *, analyst: str | None = None, purpose: str | None = None, reason: str) -> int:
        """Allow it again."""
        self._refuse_others()
        return self.ledger.journal.freeze(Scope(self._name(analyst), purpose), reason=self._signed(reason), thaw=True)

    def unfreeze(self, analyst: str | None = None, *, everyone: bool = False, reason: str) -> int:
        """Let somebody ask again whose answers failed too often, or everybody."""
        self._refuse_others()
        return self.ledger.journal.unfreeze(self._name(analyst), everyone=everyone, reason=self._signed(reason))

    def renew(self, *, analyst: str | None = None, reason: str) -> int:
        """Start a new period: the cap counts from zero again, and the promise in total grows by it."""
        self._refuse_others()
        scope = DATASET if analyst is None else Scope(self._name(analyst))
        return self.ledger.journal.renew(scope, reason=self._signed(reason))

    def new_version(self, *, reason: str) -> int:
        """Say that the data are new: from now on no answer of before is brought back for an equal question."""
        with self._act("new version of the data", {}, reason):
            return new_version_in(self._people.database)

    def declare(self, *, reason: str, **declared: str) -> int:
        """State what the record of processing says: purpose, retention, minimisation, security, controller, note."""
        with self._act("declared", {}, reason):
            return self.ledger.journal.declare(**declared)

    # --- requests -----------------------------------------------------------------------------------------------

    def approve(self, number: str, *, reason: str) -> Request:
        """Let a question be asked, once, within a week."""
        return self._decided(number, APPROVED, reason)

    def decline(self, number: str, *, reason: str) -> Request:
        """Do not let it be asked."""
        return self._decided(number, DECLINED, reason)

    def _decided(self, number: str, state: str, reason: str) -> Request:
        request = self._requests.of(number)
        about = {"request": number, "analyst": request.analyst, "price": request.price, "question": request.text}
        with self._act(f"request {state}", about, reason):
            return self._requests.decide(number, state, by=self._asker.name, reason=reason)

    # --- people -------------------------------------------------------------------------------------------------

    def invite(  # noqa: PLR0913 - what the account will be, each by name
        self,
        name: str,
        *,
        role: Role = Role.ANALYST,
        cap: Promise | None = None,
        largest_epsilon: Fraction | None = None,
        needs_approval: bool = False,
        agent: bool = False,
        reason: str,
    ) -> str:
        """Invite somebody, with a cap if one is said; return the secret of the link, which is shown this once."""
        about = _person_facts(name, role, largest_epsilon, needs_approval=needs_approval, agent=agent)
        with self._act("person invited", about, reason):
            secret = self._people.invite(
                name, role=role, largest_epsilon=largest_epsilon, needs_approval=needs_approval, agent=agent
            )
            self._capped(name, cap, reason)
        return secret

    def add(  # noqa: PLR0913 - what the account is, each by name
        self,
        name: str,
        *,
        role: Role = Role.ANALYST,
        cap: Promise | None = None,
        password: str | None = None,
        largest_epsilon: Fraction | None = None,
        needs_approval: bool = False,
        agent: bool = False,
        reason: str,
    ) -> Person:
        """Make an account, such as an agent's, which has tokens and no password."""
        about = _person_facts(name, role, largest_epsilon, needs_approval=needs_approval, agent=agent)
        with self._act("person added", about, reason):
            person = self._people.add(
                name,
                role=role,
                password=password,
                largest_epsilon=largest_epsilon,
                needs_approval=needs_approval,
                agent=agent,
            )
            self._capped(name, cap, reason)
        return person

    def _capped(self, name: str, cap: Promise | None, reason: str) -> None:
        if cap is not None:
            self.ledger.journal.cap(cap, scope=Scope(name), reason=self._signed(reason))

    def change(self, name: str, *, largest_epsilon: Fraction | None, needs_approval: bool, reason: str) -> Person:
        """Set what somebody may ask without approval."""
        about = {
            "name": self._name(name) or "",
            "largest_epsilon": "any" if largest_epsilon is None else readable(largest_epsilon),
            "needs_approval": str(needs_approval),
        }
        with self._act("person changed", about, reason):
            return self._people.change(name, largest_epsilon=largest_epsilon, needs_approval=needs_approval)

    def deactivate(self, name: str, *, reason: str) -> Person:
        """Let somebody come in no more, at once."""
        with self._act("person deactivated", {"name": self._name(name) or ""}, reason):
            return self._people.deactivate(name)

    def activate(self, name: str, *, reason: str) -> Person:
        """Let somebody come in again."""
        with self._act("person activated", {"name": self._name(name) or ""}, reason):
            return self._people.activate(name)

    def set_password(self, name: str, password: str, *, reason: str) -> None:
        """Set somebody's password, who has forgotten theirs; their sessions end."""
        self._refuse_others()

        def note(person: Person) -> None:
            self.ledger.journal.note("password set", by=self._asker.name, about={"name": person.name}, reason=reason)

        self._people.change_password(name, password, noting=note)

    def make_token(
        self, name: str, *, label: str, scopes: Collection[TokenScope] | None = None, seconds: float | None, reason: str
    ) -> str:
        """Make a token for somebody, such as an agent; it is shown this once."""
        said = "default" if scopes is None else " ".join(sorted(each.value for each in scopes))
        with self._act("token made", {"name": self._name(name) or "", "label": label, "scopes": said}, reason):
            return self._people.make_token(name, label=label, scopes=scopes, seconds=seconds)

    def revoke_token(self, number: str, *, reason: str) -> None:
        """Make anybody's token good for nothing, at once."""
        with self._act("token revoked", {"token": number}, reason):
            self._people.revoke_token(number)

    def take_back(self, number: str, *, reason: str) -> None:
        """Make an invitation good for nothing."""
        with self._act("invitation taken back", {"invitation": number}, reason):
            self._people.take_back(number)

    # --- each act is an entry -------------------------------------------------------------------------------------

    @contextmanager
    def _act(self, act: str, about: dict[str, str], reason: str) -> Iterator[None]:
        """What is done in it stays done if it could be written into the ledger, and only then."""
        self._refuse_others()
        with self._people.database.together():
            yield
            self.ledger.journal.note(act, by=self._asker.name, about=about, reason=reason)

    def _refuse_others(self) -> None:
        self._asker.refuse_without(TokenScope.OWN)
        if self._asker.person.role is not Role.OWNER:
            raise NotAllowed("only an owner does this")

    def _signed(self, reason: str) -> str:
        """A reason with who gave it."""
        if not reason.strip():
            raise InvalidParameter("a reason must be given in words, for those who read the ledger later")
        return f"{reason} (by {self._asker.name})"

    def _name(self, name: str | None) -> str | None:
        """A name as the ledger knows it."""
        if name is None:
            return None
        known = self._people.named(name)
        return name if known is None else known.name


def _person_facts(
    name: str, role: Role, largest: Fraction | None, *, needs_approval: bool, agent: bool
) -> dict[str, str]:
    return {
        "name": name,
        "role": role.value,
        "largest_epsilon": "any" if largest is None else readable(largest),
        "needs_approval": str(needs_approval),
        "agent": str(agent),
    }
