"""What an analyst sees of budgets: their own, and not which limit is the smaller."""

import re

import pytest

from privet.errors import BudgetExceeded
from privet.loss import Guarantee
from privet.server.desk import Desk
from privet.server.people import Role
from tests.support.desks import a_desk, people_catalog
from tests.support.desks_on_disk import comer

COUNT = "SELECT COUNT(*) AS n FROM patient"


def told(desk: Desk, text: str = COUNT, **asked: object) -> str:
    with pytest.raises(BudgetExceeded) as refused:
        desk.ask(comer(desk, "ada"), text, **asked)  # type: ignore[arg-type]
    return str(refused.value)


def capped(limit: int, cap: int, others: int) -> dict[str, object]:
    """What ada sees and is told where the dataset has a limit, she has a cap, and others have spent."""
    with a_desk(people_catalog(limit=Guarantee(limit))) as desk:
        ada, bob = comer(desk, "ada"), comer(desk, "bob")
        desk.owner(comer(desk, "olga", role=Role.OWNER)).set_cap(Guarantee(cap), analyst="ada", reason="a cap")
        if others:
            desk.ask(bob, COUNT, epsilon=others)
        facts = desk.budget(ada)
        explained = desk.explain(ada, COUNT, epsilon=9)
        return {
            "limit": facts.limit,
            "spent": facts.spent,
            "remaining": facts.remaining,
            "explained": repr(explained),
            "refused": told(desk, epsilon=9),
            "wanted": told(desk, "SELECT SUM(age) AS total FROM patient", error=5),
        }


def test_whether_it_is_the_cap_or_what_others_left_is_not_told() -> None:
    own, others = capped(10, 4, 0), capped(10, 4, 6)  # 4 is left by either
    both = capped(10, 4, 3)
    assert own == others == both
    assert "remains for you" in str(own["refused"])
    for word in ("bob", "limit", "cap", "dataset", "analyst"):
        assert not re.search(rf"\b{word}\b", str(own["refused"])), word


def test_the_smaller_is_what_remains() -> None:
    assert "ε=2" in repr(capped(10, 4, 8)["remaining"])
    assert "ε=2" in str(capped(10, 4, 8)["refused"])
    assert "ε=4" in str(capped(10, 4, 5)["refused"])


def test_a_frozen_dataset_and_a_frozen_analyst_say_the_same() -> None:
    said = set()
    for scope in ({"analyst": "ada"}, {}, {"purpose": COUNT}):
        with a_desk() as desk:
            desk.owner(comer(desk, "olga", role=Role.OWNER)).freeze(**scope, reason="a look")
            said.add(told(desk, epsilon=1))
    assert len(said) == 1
