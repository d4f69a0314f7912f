"""What holds after any load, and after any crash: nothing is free, nobody exceeds a cap, no answer changes."""

from collections.abc import Mapping
from contextlib import closing
from fractions import Fraction

from privet.core.journals import Scope
from tests.support.load import AGAIN, ANSWERED, EPSILON, LOST, ByHttp, Heard, Load
from tests.support.running_server import RunningServer

PRICE = Fraction(EPSILON)
BROUGHT = 20  # keys of each analyst that are asked once more


def settled(
    server: RunningServer, *loads: Load, caps: Mapping[str, str | None], lost: bool = False
) -> dict[str, Fraction]:
    """Compare what analysts were told with what the ledger has charged, which is given back.

    Args:
        server: which has answered all these loads, and no others.
        loads: one after the other.
        caps: on ε, of analysts that have one.
        lost: whether answers may be lost that nobody was told of: then more may be paid for than is known.
    """
    assert [problem for load in loads for problem in load.problems] == []
    charged = spent(server, caps)
    for analyst, cap in caps.items():
        heard = Heard()
        for load in loads:
            heard = heard.and_then(load.heard[analyst])
        assert all(len(rows) <= 1 for rows in heard.pooled.values()), "two answers to one question"
        assert all(told.how != AGAIN for told in heard.keyed.values()), "a key without an end"
        assert cap is None or charged[analyst] <= Fraction(cap)
        if lost:
            assert charged[analyst] >= heard.paid * PRICE
        else:
            assert charged[analyst] == heard.paid * PRICE
            assert not any(told.how == LOST for told in heard.keyed.values())
    return charged


def spent(server: RunningServer, analysts: Mapping[str, str | None]) -> dict[str, Fraction]:
    """What the ledger has charged each analyst, read by who owns it, who checks the whole of it."""
    with closing(server.open_ledger()) as ledger:
        ledger.verify()
        books = ledger.journal.books()
        found = {name: Fraction(books.account(Scope(name)).spent.epsilon) for name in analysts}
        assert sum(found.values()) == ledger.spent.epsilon
        return found


def brought_back(server: RunningServer, load: Load, caps: Mapping[str, str | None]) -> int:
    """Ask some keys once more: each brings its answer back, and nothing is charged. How many there were."""
    before, asked = spent(server, caps), 0
    for analyst, heard in load.heard.items():
        with closing(ByHttp(server, analyst)) as connection:
            ended = [(key, told) for key, told in heard.keyed.items() if told.how in {ANSWERED, LOST}]
            for key, told in ended[:BROUGHT]:
                again = connection.ask(load.text(int(key.removeprefix("key-"))), key)
                assert again.how == told.how
                assert again.door != told.door or again.rows == told.rows
                asked += 1
    assert spent(server, caps) == before
    return asked
