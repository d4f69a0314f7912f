"""Approvals: what is dear waits for the owner, and an approval is good for one answer."""

import time
from collections.abc import Iterator
from fractions import Fraction

import pytest

from privet.errors import ApprovalNeeded, InvalidParameter, NotAllowed
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.query.catalog import Catalog
from privet.server.desk import Desk
from privet.server.desk.requests import WEEK
from privet.server.people import Role
from tests.support.desks import a_desk, people_catalog
from tests.support.desks_on_disk import comer

COUNT = "SELECT COUNT(*) AS n FROM patient"


@pytest.fixture
def desk() -> Iterator[Desk]:
    with a_desk() as opened:
        yield opened


def test_what_costs_more_than_the_largest_epsilon_waits(desk: Desk) -> None:
    ada = comer(desk, "ada", largest_epsilon=Fraction(1))
    assert not desk.ask(ada, COUNT, epsilon=1).repeated
    with pytest.raises(ApprovalNeeded, match="has to approve first") as needed:
        desk.ask(ada, COUNT, epsilon="1.001")
    assert needed.value.number is None
    with pytest.raises(ApprovalNeeded):
        desk.batch(ada, [COUNT, "SELECT AVG(age) AS m FROM patient"], epsilon=2)
    assert desk.budget(ada).spent.epsilon == 1


def test_an_approval_is_good_for_one_answer_which_repeats_for_free(desk: Desk) -> None:
    ada, olga = comer(desk, "ada", needs_approval=True), comer(desk, "olga", role=Role.OWNER)
    request = desk.request(ada, COUNT, epsilon=2, why="the yearly report")
    assert desk.request(ada, f"{COUNT};", epsilon=2).number == request.number  # not asked twice
    with pytest.raises(ApprovalNeeded, match="waits") as waits:
        desk.ask(ada, COUNT, epsilon=2)
    assert waits.value.number == request.number
    (seen,) = desk.owner(olga).requests()
    assert (seen.text, seen.why, seen.epsilon, seen.analyst) == (COUNT, "the yearly report", "2", "ada")
    desk.owner(olga).approve(request.number, reason="fine")
    first = desk.ask(ada, COUNT, epsilon=2, key="k")
    assert not first.repeated
    assert desk.ask(ada, COUNT, epsilon=2).number == desk.ask(ada, COUNT, epsilon=2, key="k").number == first.number
    for again in ({"fresh": True}, {"fresh": True, "key": "new"}):
        with pytest.raises(ApprovalNeeded, match="that was used"):
            desk.ask(ada, COUNT, epsilon=2, **again)
    for other in ({"epsilon": 3}, {"epsilon": 2, "confidence": 0.9}, {"epsilon": 2, "purpose": "another"}):
        with pytest.raises(ApprovalNeeded):
            desk.ask(ada, COUNT, **other)
    assert desk.budget(ada).spent.epsilon == 2


def test_what_is_declined_stays_so_until_it_is_asked_for_again(desk: Desk) -> None:
    ada, olga = comer(desk, "ada", needs_approval=True), comer(desk, "olga", role=Role.OWNER)
    request = desk.request(ada, COUNT, epsilon=1)
    desk.owner(olga).decline(request.number, reason="too detailed")
    with pytest.raises(ApprovalNeeded, match="declined"):
        desk.ask(ada, COUNT, epsilon=1)
    assert [(each.state, each.reason) for each in desk.requests(ada)] == [("declined", "too detailed")]
    with pytest.raises(InvalidParameter, match="does not wait any more"):
        desk.owner(olga).approve(request.number, reason="changed my mind")
    with pytest.raises(ApprovalNeeded, match="declined"):
        desk.ask(ada, COUNT, epsilon=1)
    assert desk.request(ada, COUNT, epsilon=1).number != request.number


def test_nobody_approves_for_others_or_themselves(desk: Desk) -> None:
    ada, bob = comer(desk, "ada", needs_approval=True), comer(desk, "bob", needs_approval=True)
    olga = comer(desk, "olga", role=Role.OWNER)
    request = desk.request(ada, COUNT, epsilon=1)
    for who in (ada, bob):
        with pytest.raises(NotAllowed):
            desk.owner(who)
    with pytest.raises(NotAllowed):
        desk.owner(comer(desk, "audrey", role=Role.AUDITOR)).approve(request.number, reason="fine")
    desk.owner(olga).approve(request.number, reason="fine")
    with pytest.raises(ApprovalNeeded):
        desk.ask(bob, COUNT, epsilon=1)
    assert desk.requests(bob) == ()
    assert not desk.ask(ada, COUNT, epsilon=1).repeated


@pytest.mark.parametrize(
    ("catalog", "dear"),
    [
        (people_catalog(limit=ConcentratedGuarantee(1)), {"rho": "0.5"}),  # type: ignore[arg-type]
        (people_catalog(limit=Guarantee(10, 1e-6, gamma=0.1)), {"epsilon": 2}),
        (people_catalog(limit=Guarantee(10, 1e-3)), {"epsilon": 2, "delta": 1e-6}),
    ],
)
def test_what_is_dear_is_told_by_every_rule(catalog: Catalog, dear: dict[str, object]) -> None:
    with a_desk(catalog) as desk:
        ada = comer(desk, "ada", largest_epsilon=Fraction(1))
        with pytest.raises(ApprovalNeeded):
            desk.ask(ada, COUNT, **dear)  # type: ignore[arg-type]
        cheap = dict.fromkeys(dear, "0.00001")
        assert not desk.ask(ada, COUNT, **cheap).repeated  # type: ignore[arg-type]


def test_an_approval_is_good_for_a_week(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, olga = comer(desk, "ada", needs_approval=True), comer(desk, "olga", role=Role.OWNER)
    for each in (1, 2):
        desk.owner(olga).approve(desk.request(ada, COUNT, epsilon=each).number, reason="fine")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + WEEK - 60)
    assert not desk.ask(ada, COUNT, epsilon=1).repeated
    monkeypatch.setattr(time, "time", lambda: now + WEEK + 60)
    with pytest.raises(ApprovalNeeded, match="has to approve first"):
        desk.ask(ada, COUNT, epsilon=2)
    assert desk.ask(ada, COUNT, epsilon=1).repeated


def test_requests_are_limited(desk: Desk) -> None:
    ada = comer(desk, "ada", needs_approval=True)
    for each in range(20):
        desk.request(ada, COUNT, epsilon=each + 1)
    with pytest.raises(InvalidParameter, match="wait already"):
        desk.request(ada, COUNT, epsilon=30)
