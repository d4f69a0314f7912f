"""OwnAccount: what everybody does with their own account. Each act is an entry of the ledger."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from privet.core import Ledger
from privet.errors import NotAllowed
from privet.server.desk.asker import Asker
from privet.server.desk.telling import telling
from privet.server.people import People, TokenFacts, TokenScope
from privet.server.people.tokens import YEAR


class OwnAccount:
    """The tokens and the password of who has come in.

    Args:
        asker: who, by the console: a token makes no tokens, so one that is stolen ends when it is revoked.
        ledger: gives the ledger.
        people: everybody.
    """

    def __init__(self, asker: Asker, ledger: Callable[[], Ledger], people: People) -> None:
        if asker.via != "console" or not asker.person.active:
            raise NotAllowed("tokens and passwords are changed in the console, by who has signed in there")
        self._asker = asker
        self._ledger = ledger
        self._people = people

    def tokens(self) -> tuple[TokenFacts, ...]:
        """One's tokens, without what is secret."""
        return self._people.tokens_of(self._asker.name)

    @telling
    def make_token(
        self, *, label: str, scopes: Collection[TokenScope] | None = None, seconds: float | None = YEAR
    ) -> str:
        """Make a token for oneself; it is shown this once."""
        with self._act("token made", label):
            return self._people.make_token(self._asker.name, label=label, scopes=scopes, seconds=seconds)

    @telling
    def revoke_token(self, number: str) -> None:
        """Make one of one's tokens good for nothing, at once."""
        with self._act("token revoked", number):
            self._people.revoke_token(number, name=self._asker.name)

    @telling
    def change_password(self, old: str, new: str) -> None:
        """Set another password, knowing the one there was; all sessions end."""
        if self._people.by_password(self._asker.name, old) is None:
            raise NotAllowed("the old password is wrong")
        self._people.change_password(
            self._asker.name,
            new,
            noting=lambda person: noted(self._ledger(), "password changed", by=person.name, what=""),
        )

    @contextmanager
    def _act(self, act: str, what: str) -> Iterator[None]:
        """What is done in it stays done if it could be written into the ledger, and only then."""
        with self._people.database.together():
            yield
            noted(self._ledger(), act, by=self._asker.name, what=what)


def noted(ledger: Ledger, act: str, *, by: str, what: str) -> None:
    """Write what somebody has done with their own account."""
    ledger.journal.note(act, by=by, about={"name": by, "what": what}, reason="their own account")
