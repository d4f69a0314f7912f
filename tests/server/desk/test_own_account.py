"""OwnAccount: everybody's own tokens and password, changed at the console, and written down."""

from collections.abc import Iterator

import pytest

from privet.core.journals.memory import MemoryJournal
from privet.errors import InvalidParameter, LedgerUnavailable, NotAllowed
from privet.server.desk import Asker, Desk
from privet.server.people import TokenScope
from tests.support.desks import a_desk
from tests.support.desks_on_disk import comer

PASSWORD = "a sentence that is long"  # noqa: S105 - of invented people
OTHER = "another one that is long"


@pytest.fixture
def desk() -> Iterator[Desk]:
    with a_desk() as opened:
        opened.people.add("ada", password=PASSWORD)
        yield opened


def acts(desk: Desk) -> list[str]:
    return [row.facts["act"] for row in desk.ledger.journal.rows() if row.facts["kind"] == "noted"]


def test_what_somebody_does_with_their_account_is_written_down(desk: Desk) -> None:
    mine = desk.account(comer(desk, "ada", via="console"))
    token = mine.make_token(label="notebook", scopes=[TokenScope.READ])
    assert desk.people.by_token(token)
    mine.revoke_token(mine.tokens()[0].number)
    assert desk.people.by_token(token) is None
    mine.change_password(PASSWORD, OTHER)
    assert desk.people.by_password("ada", OTHER)
    person = desk.accept_invitation(desk.people.invite("bob"), PASSWORD)
    assert desk.people.by_password("bob", PASSWORD) == person
    assert acts(desk) == ["token made", "token revoked", "password changed", "invitation accepted"]
    text = "".join(row.body for row in desk.ledger.journal.rows())
    for secret in (token, token.split("_")[2], PASSWORD, OTHER):
        assert secret not in text
    desk.ledger.verify()


def test_what_is_refused_or_cannot_be_written_is_not_done(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = desk.account(comer(desk, "ada", via="console"))
    theirs = desk.people.make_token("ada", label="x").split("_")[1]
    invitation = desk.people.invite("bob")
    for act, error in (
        (lambda: mine.make_token(label="x", scopes=[TokenScope.OWN]), NotAllowed),
        (lambda: mine.revoke_token("0" * 16), NotAllowed),
        (lambda: mine.change_password(OTHER, OTHER), NotAllowed),
        (lambda: mine.change_password(PASSWORD, "short"), InvalidParameter),
        (lambda: desk.account(comer(desk, "carl", via="console")).revoke_token(theirs), NotAllowed),
        (lambda: desk.accept_invitation("0", PASSWORD), NotAllowed),
        (lambda: desk.accept_invitation(invitation, "short"), InvalidParameter),
    ):
        with pytest.raises(error):
            act()
    assert acts(desk) == []

    def refuse(*_: object, **__: object) -> int:
        raise LedgerUnavailable("the disk is full")

    monkeypatch.setattr(MemoryJournal, "note", refuse)
    for change in (
        lambda: mine.make_token(label="x"),
        lambda: mine.revoke_token(theirs),
        lambda: mine.change_password(PASSWORD, OTHER),
        lambda: desk.accept_invitation(invitation, PASSWORD),
    ):
        with pytest.raises(LedgerUnavailable):
            change()
    assert [(each.number, each.revoked) for each in mine.tokens()] == [(theirs, False)]
    assert desk.people.by_password("ada", PASSWORD)
    assert desk.people.invited(invitation)
    assert desk.people.named("bob") is None


@pytest.mark.parametrize("via", ["http", "postgres", "agent"])
def test_tokens_make_no_tokens(desk: Desk, via: str) -> None:
    with pytest.raises(NotAllowed, match="in the console"):
        desk.account(Asker(comer(desk, "ada").person, frozenset(TokenScope), via))
