"""OwnersDesk: each act is an entry, and only owners act."""

import inspect
import io
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from privet.core.journals.memory import MemoryJournal
from privet.errors import BudgetExceeded, InvalidParameter, LedgerUnavailable, NotAllowed
from privet.loss import Guarantee
from privet.server.desk import Asker, Desk
from privet.server.desk.owners_desk import OwnersDesk
from privet.server.people import Role, TokenScope
from tests.support.desks import a_desk
from tests.support.desks_on_disk import comer

COUNT = "SELECT COUNT(*) AS n FROM patient"
PASSWORD = "a sentence that is long"  # noqa: S105 - of an invented person
ACTS: dict[str, Callable[[OwnersDesk], Any]] = {
    "set_cap": lambda owner: owner.set_cap(Guarantee(1), analyst="ada", reason="why"),
    "freeze": lambda owner: owner.freeze(analyst="ada", reason="why"),
    "thaw": lambda owner: owner.thaw(analyst="ada", reason="why"),
    "unfreeze": lambda owner: owner.unfreeze(everyone=True, reason="why"),
    "renew": lambda owner: owner.renew(reason="why"),
    "new_version": lambda owner: owner.new_version(reason="why"),
    "declare": lambda owner: owner.declare(controller="the hospital", reason="why"),
    "approve": lambda owner: owner.approve(owner.requests()[0].number, reason="why"),
    "decline": lambda owner: owner.decline(owner.requests()[0].number, reason="why"),
    "invite": lambda owner: owner.invite("eve", cap=Guarantee(1), reason="why"),
    "add": lambda owner: owner.add("bot", agent=True, largest_epsilon=Fraction(1, 10), reason="why"),
    "change": lambda owner: owner.change("ada", largest_epsilon=None, needs_approval=True, reason="why"),
    "deactivate": lambda owner: owner.deactivate("ada", reason="why"),
    "activate": lambda owner: owner.activate("ada", reason="why"),
    "set_password": lambda owner: owner.set_password("ada", PASSWORD, reason="why"),
    "make_token": lambda owner: owner.make_token("ada", label="notebook", seconds=None, reason="why"),
    "revoke_token": lambda owner: owner.revoke_token(owner.tokens_of("ada")[0].number, reason="why"),
    "take_back": lambda owner: owner.take_back(owner.invitations()[0].number, reason="why"),
}
LOOKS = {"report", "entries", "acts", "questions", "verify", "export", "people", "invitations", "requests", "tokens_of"}


@pytest.fixture
def desk() -> Iterator[Desk]:
    with a_desk() as opened:
        comer(opened, "ada", needs_approval=True)
        comer(opened, "olga", role=Role.OWNER)
        opened.people.make_token("ada", label="first")
        opened.people.invite("greta")
        opened.request(comer(opened, "ada"), COUNT, epsilon=1)
        yield opened


def head(desk: Desk) -> int:
    return desk.ledger.journal.head().sequence


def test_every_act_is_listed_here() -> None:
    methods = {name for name, _ in inspect.getmembers(OwnersDesk, inspect.isfunction) if not name.startswith("_")}
    assert methods == ACTS.keys() | LOOKS


@pytest.mark.parametrize("act", ACTS)
def test_an_act_is_an_entry_that_says_who_and_why(desk: Desk, act: str) -> None:
    before = head(desk)
    ACTS[act](desk.owner(comer(desk, "olga")))
    written = [row.facts for row in desk.ledger.journal.rows(before + 1)]
    assert written
    for facts in (each for each in written if each["kind"] != "declared"):
        assert "why" in facts["reason"]
        assert facts.get("by") == "olga" or facts["reason"].endswith("(by olga)")
    assert PASSWORD not in json.dumps(written)
    assert desk.owner(comer(desk, "olga")).verify() == head(desk) + 1


def test_nobody_else_acts(desk: Desk) -> None:
    auditor = desk.owner(comer(desk, "audrey", role=Role.AUDITOR))
    before = head(desk), list(desk.people), desk.version
    reading = desk.owner(Asker(comer(desk, "olga").person, frozenset({TokenScope.AUDIT}), "http"))
    for act in ACTS.values():
        for owner in (auditor, reading):
            with pytest.raises(NotAllowed):
                act(owner)
    assert before == (head(desk), list(desk.people), desk.version)


def test_what_cannot_be_written_is_not_done(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = desk.owner(comer(desk, "olga"))

    def refuse(*_: object, **__: object) -> int:
        raise LedgerUnavailable("the disk is full")

    state = list(desk.people), desk.people.invitations(), desk.people.tokens_of("ada"), desk.version, owner.requests()
    monkeypatch.setattr(MemoryJournal, "note", refuse)
    for act in ACTS.keys() - {
        "set_cap",
        "freeze",
        "thaw",
        "unfreeze",
        "renew",
        "declare",
    }:  # which are entries themselves
        with pytest.raises(LedgerUnavailable):
            ACTS[act](owner)
    after = list(desk.people), desk.people.invitations(), desk.people.tokens_of("ada"), desk.version, owner.requests()
    assert after == state


@pytest.mark.parametrize("reason", ["", "  "])
def test_an_act_without_a_reason_is_not_done(desk: Desk, reason: str) -> None:
    owner = desk.owner(comer(desk, "olga"))
    before = head(desk)
    for act in (
        lambda: owner.set_cap(Guarantee(1), analyst="ada", reason=reason),
        lambda: owner.deactivate("ada", reason=reason),
    ):
        with pytest.raises(InvalidParameter):
            act()
    assert head(desk) == before
    assert desk.people.active("ada")


def test_caps_and_freezes_hold_at_once_and_are_taken_off_again(desk: Desk) -> None:
    bob, owner = comer(desk, "bob"), desk.owner(comer(desk, "olga"))
    owner.set_cap(Guarantee(1), analyst="BOB", reason="first month")  # whoever it is about, as the ledger knows them
    desk.ask(bob, COUNT, epsilon=1)
    with pytest.raises(BudgetExceeded):
        desk.ask(bob, COUNT, epsilon="0.5")
    owner.set_cap(Guarantee(3), analyst="bob", reason="second month")
    owner.freeze(analyst="bob", reason="a look")
    with pytest.raises(BudgetExceeded, match="frozen"):
        desk.ask(bob, COUNT, epsilon="0.5")
    owner.set_cap(Guarantee(2), analyst="bob", reason="less")  # a cap does not thaw
    with pytest.raises(BudgetExceeded, match="frozen"):
        desk.ask(bob, COUNT, epsilon="0.5")
    assert desk.ask(bob, COUNT, epsilon=1).repeated  # what is paid for is theirs
    owner.thaw(analyst="bob", reason="looked")
    assert not desk.ask(bob, COUNT, epsilon="0.5").repeated
    owner.set_cap(Guarantee(1), purpose="a study", reason="its protocol")
    with pytest.raises(BudgetExceeded):
        desk.ask(bob, COUNT, epsilon="1.2", purpose="a study")


def test_a_new_version_of_the_data_is_asked_anew(desk: Desk) -> None:
    bob = comer(desk, "bob")
    first, version = desk.ask(bob, COUNT, epsilon=1), desk.version
    desk.owner(comer(desk, "olga")).new_version(reason="the May delivery")
    assert desk.version != version
    assert not desk.ask(bob, COUNT, epsilon=1).repeated
    assert desk.stored(bob, first.number).number == first.number


def test_the_last_entries_are_found_wherever_they_are(desk: Desk) -> None:
    bob, owner = comer(desk, "bob"), desk.owner(comer(desk, "olga"))
    for each in range(3):
        desk.ask(bob, COUNT, epsilon=1, purpose=f"study {each}")
    for each in range(30):
        owner.freeze(analyst=f"nobody {each}", reason="a look")
    assert [each.purpose for each in owner.entries(last=1)] == ["study 2"]
    assert owner.entries(last=1000) == owner.entries()
    assert owner.entries(last=2) == owner.entries()[-2:]
    assert [each["reason"] for each in owner.acts(last=2)] == ["a look (by olga)"] * 2
    assert [each["sequence"] for each in owner.acts(last=1)] == [head(desk)]
    assert len(owner.acts(last=1000)) == 31


def test_an_auditor_sees_everything_and_no_secret(desk: Desk) -> None:
    owner = desk.owner(comer(desk, "olga"))
    secret = owner.invite("eve", cap=Guarantee(1), reason="a new colleague")
    token = owner.make_token("ada", label="notebook", seconds=None, reason="asked for it")
    desk.ask(comer(desk, "bob"), COUNT, epsilon=1)
    audit = desk.owner(comer(desk, "audrey", role=Role.AUDITOR))
    for csv in (False, True):
        text = io.StringIO()
        audit.export(text, csv=csv)
        assert "person invited" in text.getvalue()
        for hidden in (secret, token, *secret.split("."), token.rpartition("_")[2]):
            assert hidden not in text.getvalue()
    assert {"person invited", "token made"} <= {each.get("act") for each in audit.acts()}
    assert [each["analyst"] for each in audit.questions()] == ["bob"]
    assert audit.entries(last=1)[0].analyst == "bob"
    assert audit.report()["dataset"] == "patient"
    assert {each.name for each in audit.people()} == {"ada", "audrey", "bob", "olga"}
    assert {each.name for each in audit.invitations()} == {"eve", "greta"}
