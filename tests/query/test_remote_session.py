"""A session with a server, beside one with the same catalog here."""

import datetime as dt
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

import privet
from privet.errors import InvalidParameter, PrivetError, SignInNeeded
from privet.loss.risk import Risk
from privet.query.remote_session import RemoteSession
from privet.query.session import Session
from tests.support.served import BY_CITY, COUNT, Served, clinic, on_a_socket, served

pytestmark = pytest.mark.whole
SMALL = "SELECT AVG(age) AS age FROM patient WHERE city = :city"


@pytest.fixture(scope="module")
def there() -> Iterator[tuple[Served, str]]:
    with served() as found, on_a_socket(found) as address:
        yield found, address


@pytest.fixture
def both(there: tuple[Served, str]) -> Iterator[tuple[Session, Session]]:
    """The session here has the name of the one there, so that their texts are the same."""
    found, address = there
    with privet.connect(address, token=found.tokens["ada"]) as far:
        near = privet.connect(clinic(), analyst="ada")
        yield near, far
        near.close()


def raised(ask: Callable[[], object]) -> tuple[type[BaseException], str]:
    with pytest.raises(PrivetError) as problem:
        ask()
    return problem.type, str(problem.value)


def test_what_is_public_looks_the_same(both: tuple[Session, Session]) -> None:
    near, far = both
    assert isinstance(far, RemoteSession)
    assert repr(far.catalog) == repr(near.catalog)
    assert far.catalog._repr_html_() == near.catalog._repr_html_()
    assert repr(far).partition(";")[0] == repr(near).partition(";")[0]
    assert (far.ledger.limit, far.ledger.unit, far.ledger.analyst) == (near.ledger.limit, near.ledger.unit, "ada")
    assert far.ledger.remaining.units == near.ledger.remaining.units


@pytest.mark.parametrize(
    "said",
    [
        {"epsilon": "0.5", "delta": 1e-7},
        {"risk": Risk.advantage("0.1"), "delta": Fraction(1, 10**9)},
        {"error": {"n": 20}, "delta": "1e-9"},
        {"epsilon": 1, "weights": {"n": 3, "age": 1}, "confidence": 0.9, "rows_per_unit": 1},
    ],
)
def test_prices_are_the_same_but_for_the_engines_sql(both: tuple[Session, Session], said: dict[str, Any]) -> None:
    near, far = (session.explain(BY_CITY, **said) for session in both)
    assert far.queries == ()
    for each in (near, far):
        object.__setattr__(each, "queries", ())
        object.__setattr__(each, "remaining", near.remaining)  # others have asked there
    assert far == near
    assert (repr(far), repr(far.details)) == (repr(near), repr(near.details))


def test_answers_are_the_same_but_for_the_noise(both: tuple[Session, Session]) -> None:
    near, far = (session.sql(BY_CITY, epsilon=2, delta="1e-6", purpose="a test") for session in both)
    assert far.table.schema.names == near.table.schema.names
    assert far.table.schema.types == near.table.schema.types
    same = ("loss", "spent", "unit", "purpose", "intervals", "limits", "clipped", "notes", "hidden")
    assert [getattr(far, name) for name in same] == [getattr(near, name) for name in same]
    assert [len(line) for line in repr(far).split("\n")[-3:]] == [len(line) for line in repr(near).split("\n")[-3:]]
    asked = [session.batch({"a": COUNT, "b": BY_CITY}, epsilon=3, weights={"a": 2}) for session in both]
    assert [each.spent for each in asked[::-1]] == [each.spent for each in asked]
    assert asked[1]["a"].spent == asked[0]["a"].spent
    found = [session.sql(SMALL, epsilon=1, params={"city": "Bern"}).purpose for session in both]
    assert found[0] == found[1]
    framed = [session.table("patient").where("age > 40").group_by("city").agg(n="COUNT(*)") for session in both]
    assert framed[0].sql == framed[1].sql
    assert framed[1].answer(epsilon=1).spent == framed[0].answer(epsilon=1).spent


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: s.sql("SELECT * FROM patient", epsilon=1),
        lambda s: s.sql("SELECT agee FROM patient", epsilon=1),
        lambda s: s.sql("SELEC", epsilon=1),
        lambda s: s.sql(COUNT),
        lambda s: s.sql(COUNT, epsilon=-1),
        lambda s: s.sql(COUNT, epsilon=float("nan")),
        lambda s: s.sql(COUNT, epsilon="nan"),
        lambda s: s.sql(COUNT, epsilon=10**399),
        lambda s: s.sql(COUNT, epsilon=1, epsilom=2),
        lambda s: s.sql(COUNT, epsilon=1, weights=[1]),
        lambda s: s.sql(COUNT, epsilon=1, confidence=1.5),
        lambda s: s.sql(COUNT, 1),
        lambda s: s.sql(SMALL, epsilon=1),
        lambda s: s.sql(SMALL, epsilon=1, params={"city": b"x"}),
        lambda s: s.sql(SMALL, epsilon=1, params={"city": dt.datetime(2024, 1, 1, tzinfo=dt.UTC)}),
        lambda s: s.sql(SMALL, epsilon=1, params={"city": dt.date(2024, 1, 1)}),
        lambda s: s.batch([], epsilon=1),
        lambda s: s.batch([COUNT, "SELECT * FROM patient"], epsilon=1),
        lambda s: s.batch([COUNT], epsilon=1, weights=[1, 2]),
        lambda s: s.explain([COUNT, "x"], epsilon=1),
        lambda s: s.table("patiend"),
        lambda s: s.table("patient").agg(n="COUNT(*"),
    ],
)
def test_refusals_are_the_same(both: tuple[Session, Session], ask: Callable[[Session], object]) -> None:
    near, far = (raised(lambda each=session: ask(each)) for session in both)  # type: ignore[misc] # a default is bound
    assert far == near


def test_what_needs_the_data_is_refused(both: tuple[Session, Session]) -> None:
    _, far = both
    with pytest.raises(InvalidParameter, match="needs the data itself, which is behind http://127"):
        far.rows("SELECT age FROM patient")
    far.close()
    assert "this session is closed: connect again" in raised(lambda: far.sql(COUNT, epsilon=1))[1]


def test_a_key_brings_the_answer_back(both: tuple[Session, Session]) -> None:
    _, far = both
    first = far.sql(COUNT, epsilon="0.7", key="mine")
    before = far.ledger.spent
    assert far.sql(COUNT, epsilon="0.7", key="mine") == first
    assert far.ledger.spent == before


def test_who_asks_is_said_by_a_token(there: tuple[Served, str], monkeypatch: pytest.MonkeyPatch) -> None:
    found, address = there
    with pytest.raises(SignInNeeded):
        privet.connect(address, token="privet_0_0")  # noqa: S106 - of a test
    with pytest.raises(InvalidParameter, match="PRIVET_TOKEN"):
        privet.connect(address)
    with pytest.raises(InvalidParameter, match="are the server's"):
        privet.connect(address, token="x", threads=2)  # noqa: S106 - of a test
    with pytest.raises(InvalidParameter, match="for servers"):
        privet.connect(clinic(), token="x")  # noqa: S106 - of a test
    monkeypatch.setenv("PRIVET_TOKEN", found.tokens["bob"])
    with privet.connect(address) as session:
        assert session.ledger.analyst == "bob"
