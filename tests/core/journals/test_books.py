"""Books: sums that are exact, and rows that no journal would have written."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.core.journals import DATASET, Account, Books, Scope, owner
from privet.core.journals.tally import Tally, added, tallied
from privet.core.journals.terms import FINEST, Terms, kept
from privet.core.unit import Unit
from privet.errors import InvalidParameter, LedgerDamaged, LedgerUnavailable
from privet.loss import Amount, EpsilonSum, Guarantee
from tests.support.ledger_processes import COUNT, ask, new_ledger, priced

UNITS = ("epsilon", "delta")
TERMS = Terms(Guarantee(3), Unit("person"), EpsilonSum())
OPENED: dict[str, Any] = {"kind": "opened", "schema": 1, "terms": TERMS.facts}


def opened() -> Books:
    books = Books()
    books.apply(0, OPENED)
    return books


def spend(cost: object = "1", **more: object) -> dict[str, Any]:
    return priced(Amount(Fraction(1), Fraction(0), units=UNITS)).facts | {"cost": [cost, "0"]} | more


@pytest.mark.parametrize("times", [10_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_very_many_very_small_spends_add_up_exactly(times: int) -> None:
    nothing = Amount(Fraction(0), Fraction(0), units=UNITS)
    tiny = Amount(Fraction(1, 10**12), Fraction(0), units=UNITS)
    account = Account(nothing, nothing, capacity=tiny * times)
    for _ in range(times):
        assert account.allows(tiny)
        account = account.charged(tiny)
    assert account.spent.epsilon == Fraction(times, 10**12)
    assert not account.allows(tiny)


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        (OPENED, "not where it belongs"),
        (spend("4"), "spends more than the dataset allows"),
        (spend("-1"), "does not count"),
        (spend("nan"), "cannot be read"),
        (spend("1/0"), "cannot be read"),
        (spend(None), "cannot be read"),
        (spend() | {"cost": ["1"]}, "does not count"),
        (spend(kind="draw", reservation=7), "more than its plan allows"),
        ({"kind": "refund", "cost": ["1", "0"]}, "unknown kind"),
        ({"cost": ["1", "0"]}, "cannot be read"),
        ({"kind": "cap", "scope": {}, "limit": None, "frozen": False, "spent": ["0", "0"]}, "takes away the limit"),
        (
            {"kind": "cap", "scope": {}, "limit": {"epsilon": "9"}, "frozen": False, "spent": ["1", "0"]},
            "another total",
        ),
        ({"kind": "renewal", "scope": {"analyst": "eve"}}, "cannot be read"),
        ({"kind": "checkpoint", "state": {}}, "not those of the rows before"),
        ({"kind": "lost", "cost": ["29/10", "0"]}, "charges less for lost rows"),
        ({"kind": "lost", "cost": ["-3", "0"]}, "charges less for lost rows"),
        ({"kind": "lost", "cost": ["3"]}, "cannot be read"),
    ],
)
def test_rows_that_no_journal_writes_are_refused(facts: dict[str, Any], says: str) -> None:
    with pytest.raises(LedgerDamaged, match=says):
        opened().apply(1, facts)


def test_a_purposes_total_is_checked_by_who_counts_it_from_the_start() -> None:
    scope = Scope(purpose="by hand")
    cap = {"kind": "cap", "scope": scope.facts, "limit": {"epsilon": "2"}, "frozen": False}
    for counting in ((), (scope,)):
        books = Books(counting=counting)
        books.apply(0, OPENED)
        books.apply(1, spend())
        assert books.state() == {**opened().state(), "spends": 1, "accounts": books.state()["accounts"]}
        assert len(books.state()["accounts"]) == 1
        if counting:
            with pytest.raises(LedgerDamaged, match="another total"):
                books.apply(2, cap | {"spent": ["0", "0"]})
        else:
            books.apply(2, cap | {"spent": ["1", "0"]})
            assert books.account(scope).remaining == Amount(Fraction(1), Fraction(0))


def test_a_full_check_counts_the_purposes_that_got_a_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = new_ledger(None)
    ask(ledger, "beds")
    with monkeypatch.context() as patch:
        patch.setattr(owner, "_spent_before", lambda *_: ledger.journal.books().nothing)
        ledger.journal.cap(Guarantee(1), scope=Scope(purpose="beds"), reason="forged")
    assert ledger.journal.books().account(Scope(purpose="beds")).spent.epsilon == 0
    with pytest.raises(LedgerDamaged, match="row 2 states another total"):
        ledger.verify()


PARTS = st.sampled_from([Fraction(n, d) for n in (0, 1, 7) for d in (1, 3, 10, 1000, 2**60, 3**400, 7**300)])


@settings(deadline=None)
@given(st.lists(st.tuples(PARTS, PARTS), max_size=30), st.tuples(PARTS, PARTS))
def test_sums_over_common_denominators_are_those_of_fractions(costs: list[tuple[Fraction, ...]], most: Any) -> None:  # noqa: ANN401 - fractions
    plain: Amount = Amount(Fraction(0), Fraction(0), units=UNITS)
    tally = tallied(plain)
    limit = Amount(*most, units=UNITS)
    for cost in costs:
        plain = kept(plain + Amount(*cost, units=UNITS))
        tally = added(tally, tallied(Amount(*cost, units=UNITS)))
        assert isinstance(tally, Tally)
        assert max(tally.overs) <= FINEST
        assert (tally, hash(tally), repr(tally)) == (plain, hash(plain), repr(plain))
        assert plain == tally
        assert tally.fits(limit) == tally.fits(tallied(limit)) == plain.fits(limit)


def test_what_is_infinite_never_fits() -> None:
    endless = tallied(Amount(Fraction(1), math.inf, units=UNITS))
    nothing = tallied(Amount(Fraction(0), Fraction(0), units=UNITS))
    assert not isinstance(endless, Tally)
    assert not added(nothing, endless).fits(tallied(Amount(Fraction(10), Fraction(10), units=UNITS)))
    assert not nothing.fits(endless)
    assert nothing != endless


def test_books_without_terms_say_so() -> None:
    with pytest.raises(LedgerDamaged, match="does not begin with its terms"):
        _ = Books().terms
    with pytest.raises(LedgerDamaged, match="checkpoint"):
        Books.at_checkpoint(10_000, {"state": {}})


def test_rounding_is_up_and_only_where_it_must() -> None:
    third = Amount(Fraction(1, 3), Fraction(0), units=UNITS)
    assert kept(third) is third
    odd = Fraction(1, 3**700)
    (rounded, _) = kept(Amount(odd, Fraction(0), units=UNITS)).parts
    assert odd < rounded < odd + Fraction(2, FINEST)


def test_accounts_without_caps_have_no_rest() -> None:
    books = opened()
    assert books.account(Scope("ada")).remaining is None
    assert books.accounts[DATASET].remaining == Amount(Fraction(3), Fraction(0))
    assert COUNT.loss.parts


@pytest.mark.parametrize("bad", [{"dataset": " "}, {"shared_by": ("",)}, {"declared": {"x": "y"}}])
def test_terms_need_names(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        Terms(Guarantee(1), Unit("person"), EpsilonSum(), **bad)


@pytest.mark.parametrize("bad", [" ", 7])
def test_scopes_need_names(bad: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="must be a name"):
        Scope(bad)


@pytest.mark.parametrize("key", [None, "a key"])  # plain releases in memory are counted before they are rows
def test_an_interrupt_while_counting_breaks_the_handle(key: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C between two lines must not leave books that count a row twice."""
    ledger = new_ledger(None)

    def interrupted(self: Books, *_: object, **__: object) -> None:  # noqa: ARG001 - a stand-in
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Books, "_spend", interrupted)
        patch.setattr(Books, "spend", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ask(ledger, key=key)
    with pytest.raises(LedgerUnavailable, match="interrupted while it counted"):
        ask(ledger)
