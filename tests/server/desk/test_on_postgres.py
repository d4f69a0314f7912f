"""The desk with its ledger and its people in PostgreSQL: several servers on several machines."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import pytest

from privet.errors import ApprovalNeeded, NotAllowed
from privet.server.desk import Desk
from privet.server.people import People, Role
from privet.server.settings import Settings
from tests.support.desks import people_catalog
from tests.support.desks_on_disk import QUICK, comer

pytestmark = pytest.mark.whole
COUNT = "SELECT COUNT(*) AS n FROM patient"


@pytest.fixture
def desks(server_address: str) -> Iterator[list[Desk]]:
    """Two servers on one database."""
    with ExitStack() as stack:
        opened = []
        for _ in range(2):
            people = People.open(server_address, work=QUICK, iterations=4096)
            stack.callback(people.close)
            catalog = replace(people_catalog(), ledger=server_address)
            opened.append(Desk.open(catalog, people=people, settings=Settings(), create=True))
            stack.callback(opened[-1].close)
        yield opened


def test_two_servers_are_one(desks: list[Desk]) -> None:
    comer(desks[0], "ada")
    with ThreadPoolExecutor(4) as pool:
        asked = list(
            pool.map(lambda turn: desks[turn % 2].ask(comer(desks[turn % 2], "ada"), COUNT, epsilon=1), range(8))
        )
    one, two = desks
    assert len({each.number for each in asked}) == 1
    assert one.budget(comer(one, "ada")).spent.epsilon == two.budget(comer(two, "ada")).spent.epsilon == 1
    assert two.stored(comer(two, "ada"), asked[0].number).repeated
    assert one.version == two.version
    olga = comer(one, "olga", role=Role.OWNER)
    one.owner(olga).change("ada", largest_epsilon=None, needs_approval=True, reason="a look")
    ada = comer(two, "ada")
    with pytest.raises(ApprovalNeeded):
        two.ask(ada, COUNT, epsilon=2)
    one.owner(olga).approve(two.request(ada, COUNT, epsilon=2).number, reason="fine")
    assert not two.ask(ada, COUNT, epsilon=2, key="k").repeated
    assert one.ask(ada, COUNT, epsilon=2).repeated
    one.owner(olga).deactivate("ada", reason="left")
    with pytest.raises(NotAllowed):
        two.ask(comer(two, "ada"), COUNT, epsilon=2)
    assert {"person changed", "request approved", "person deactivated"} <= {
        each.get("act") for each in two.owner(comer(two, "olga")).acts()
    }
    two.owner(comer(two, "olga")).verify()
