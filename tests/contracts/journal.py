"""What every journal must do. A test file says where its journals live and subclasses `JournalContract`."""

import copy
import math
import threading
import time
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from privet.core import DATASET, Journal, Ledger, Scope, Sensitive, Sensitivity, Unit, journal_at
from privet.core.journals import handle as handle_module
from privet.core.refusals import WITHHELD
from privet.errors import (
    AnalystFrozen,
    AnswerLost,
    BudgetExceeded,
    InvalidParameter,
    KeyReused,
    LedgerUnavailable,
    ReleaseFailed,
)
from privet.loss import (
    Amount,
    ConcentratedGuarantee,
    EpsilonSum,
    GaussianSum,
    Guarantee,
    RenyiSum,
    SpendingRule,
    ZcdpSum,
)
from privet.mechanisms import Gaussian, Laplace
from tests.support.ledger_processes import (
    COUNT,
    PERSON,
    RUNS,
    SECRET,
    Slow,
    ask,
    in_threads,
    new_ledger,
    priced,
    spend_all,
)

ADA, BOB = Scope("ada"), Scope("bob")
TENTH = Laplace(l1_sensitivity=1, scale=10)


def fail(ledger: Ledger, purpose: str = "fails") -> None:
    """A release that fails after the charge, and is told so."""
    with pytest.raises(ReleaseFailed):
        ledger.release(Sensitive.later(lambda: 1 // 0, Sensitivity(1), PERSON), COUNT, purpose=purpose)


class JournalContract:
    """The address of a new journal comes from the fixture `address`; None stands for memory."""

    handles: ClassVar[bool] = True  # whether a second handle can be opened at the same address

    def another(self, ledger: Ledger, address: str | None, **more: Any) -> Ledger:  # noqa: ANN401 - as Ledger.open
        """A second way to the same budget."""
        return Ledger.open(ledger.journal if address is None else address, **more)

    # --- terms ------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("limit", "rule"),
        [
            (Guarantee("0.3", "1e-6"), EpsilonSum(delta_per_answer="1e-8")),
            (Guarantee(1, 1e-6), ZcdpSum()),
            (ConcentratedGuarantee("1/3"), ZcdpSum()),
            (Guarantee(1, 1e-6), RenyiSum(16)),
            (Guarantee(1, 1e-6), GaussianSum()),
            (Guarantee(1, 1e-6, "0.05"), EpsilonSum()),
            (Guarantee(1, 1e-6, "0.05"), ZcdpSum()),
        ],
        ids=str,
    )
    def test_terms_come_back_as_they_were(self, address: str | None, limit: Any, rule: SpendingRule) -> None:  # noqa: ANN401 - a promise
        unit = Unit("household", "replace")
        first = Ledger(limit, unit=unit, rule=rule, journal=address, dataset="visits")
        again = self.another(first, address, dataset="visits")
        assert (again.limit, again.unit, again.rule, again.dataset) == (limit, unit, rule, "visits")
        gamma: Fraction = getattr(limit, "gamma", Fraction(0))
        room = rule.capacity(limit)
        assert again.remaining == first.remaining == (room.and_gamma(gamma) if gamma else room)

    def test_other_terms_are_refused(self, address: str | None) -> None:
        ledger = new_ledger(address, dataset="visits")
        place: Any = ledger.journal if address is None else address
        same = Ledger(Guarantee(10), unit=PERSON, journal=place, dataset="visits")
        assert same.spent == ledger.spent
        for other, says in (
            ({"limit": Guarantee(11)}, "has the limit"),
            ({"unit": Unit("visit")}, "protects"),
            ({"rule": ZcdpSum()}, "counts by"),
            ({"dataset": "salaries"}, "privet ledger share"),
        ):
            terms: dict[str, Any] = {"limit": Guarantee(10), "unit": PERSON, "dataset": "visits"} | other
            with pytest.raises(InvalidParameter, match=says):
                Ledger(terms.pop("limit"), journal=place, **terms)
        assert ledger.journal.books().rows == 1

    def test_copies_and_views_share_the_budget_once_recorded(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(2), dataset="visits")
        with pytest.raises(InvalidParameter, match="share"):
            self.another(ledger, address, dataset="visits_2024")
        ledger.journal.share("visits_2024", reason="a view of the same rows")
        view = self.another(ledger, address, dataset="visits_2024")
        ask(ledger)
        ask(view)
        for handle in (ledger, view):
            with pytest.raises(BudgetExceeded):
                ask(handle)

    def test_what_is_declared_is_kept(self, address: str | None) -> None:
        ledger = new_ledger(address)
        ledger.journal.declare(purpose="planning of beds", retention="raw rows until 2030")
        ledger.journal.declare(retention="raw rows until 2028", security="disk encrypted")
        assert self.another(ledger, address).journal.books().declared == {
            "purpose": "planning of beds",
            "retention": "raw rows until 2028",
            "security": "disk encrypted",
        }
        with pytest.raises(InvalidParameter, match="cannot be declared"):
            ledger.journal.declare(color="green")
        with pytest.raises(InvalidParameter, match="in words"):
            ledger.journal.declare(retention=" ")

    def test_gamma_is_counted_recorded_and_read_back(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(10, gamma="0.1"))
        sampled = Sensitive(42, Sensitivity(1, gamma="1/30"), PERSON)
        for number in range(3):
            ledger.release(sampled, TENTH, purpose="a tenth", key=str(number))
        again = self.another(ledger, address)
        assert [entry.cost.gamma for entry in again.entries] == [Fraction(1, 30)] * 3
        assert again.spent.gamma == Fraction(1, 10)
        assert again.release(sampled, TENTH, purpose="a tenth", key="0").gamma == Fraction(1, 30)  # the stored answer
        with pytest.raises(BudgetExceeded, match="γ does not fit"):
            again.release(sampled, TENTH, purpose="a tenth")
        ask(again)  # a proven sensitivity costs no γ
        ledger.journal.cap(Guarantee(10, gamma="0.2"), reason="more samples were drawn")
        ledger.journal.cap(Guarantee(10), scope=ADA, reason="nothing sampled for her")
        with pytest.raises(BudgetExceeded, match="cap of"):
            self.another(ledger, address, analyst="ada").release(sampled, TENTH, purpose="a tenth")
        self.another(ledger, address, analyst="bob").release(sampled, TENTH, purpose="a tenth")
        assert ledger.verify() > 0

    def test_a_ledger_made_without_gamma_never_gets_one(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(10))
        with pytest.raises(InvalidParameter, match="made without a γ"):
            ledger.journal.cap(Guarantee(10, gamma="0.1"), reason="to see what happens")
        assert ledger.journal.books().rows == 1

    # --- never more than the cap ------------------------------------------------------------------------------

    def test_the_total_is_exact(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee("0.3"))
        for _ in range(3):
            ledger.release(SECRET, TENTH, purpose="a tenth")
        with pytest.raises(BudgetExceeded, match=r"ε=0, δ=0 remains of the limit \(ε=0.3\)-DP"):
            ledger.release(SECRET, Laplace(l1_sensitivity=1, scale=Fraction(10) ** 15), purpose="a crumb")
        again = self.another(ledger, address)
        assert again.spent.epsilon == Fraction(3, 10)
        assert [entry.loss for entry in again.entries] == [TENTH.loss] * 3
        assert [entry.cost.epsilon for entry in again.entries] == [Fraction(1, 10)] * 3

    @pytest.mark.parametrize("bad", [math.nan, math.inf, Fraction(-1), -0.1, Fraction(10) ** 400, -math.inf])
    def test_spends_that_are_no_amounts_leave_no_entry(self, address: str | None, bad: Any) -> None:  # noqa: ANN401 - no number
        ledger = new_ledger(address)
        cost = Amount(bad, Fraction(0), units=("epsilon", "delta"))
        with pytest.raises(BudgetExceeded):
            ledger._spend(priced(cost))
        assert ledger.journal.books().rows == 1
        assert not ledger.entries

    def test_tiny_spends_count(self, address: str | None) -> None:
        """What floats would lose: 1e-400 is a spend, and so are a thousand of 1e-12."""
        ledger = new_ledger(address, Guarantee("1e-9"))
        tiny = Amount(Fraction(1, 10**12), Fraction(0), units=("epsilon", "delta"))
        for _ in range(40):
            ledger._spend(priced(tiny))
        assert ledger.spent.epsilon == Fraction(40, 10**12)
        ledger._spend(priced(Amount(Fraction(1, 10**400), Fraction(0), units=("epsilon", "delta"))))
        assert Fraction(40, 10**12) < ledger.spent.epsilon < Fraction(41, 10**12)
        with pytest.raises(BudgetExceeded):
            ledger._spend(priced(tiny * 960))
        ledger._spend(priced(tiny * 959))
        ledger.verify()

    def test_odd_fractions_do_not_grow_without_end(self, address: str | None) -> None:
        """Sums of 1/p for many primes p are rounded up on a grid of 2^-1024, never down."""
        ledger = new_ledger(address, Guarantee(10))
        exact = Fraction(0)
        primes = [n for n in range(3, 1500) if all(n % d for d in range(2, math.isqrt(n) + 1))]
        for prime in primes:
            ledger._spend(priced(Amount(Fraction(1, prime), Fraction(0), units=("epsilon", "delta"))))
            exact += Fraction(1, prime)
        spent = Fraction(ledger.spent.epsilon)
        assert exact <= spent <= exact + len(primes) * Fraction(1, 2**1024)
        assert spent.denominator <= 2**1024
        assert self.another(ledger, address).spent == ledger.spent

    def test_threads_spend_exactly_the_cap(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(40))
        answered = in_threads(32, lambda _: spend_all(ledger, 3))
        assert sum(answered) == 40 == len(ledger.entries)
        assert ledger.spent.epsilon == 40
        ledger.verify()

    def test_handles_in_threads_spend_exactly_the_cap(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(20))
        handles = [self.another(ledger, address) for _ in range(8)]
        assert sum(in_threads(8, lambda number: spend_all(handles[number], 5))) == 20
        assert {handle.spent.epsilon for handle in (ledger, *handles)} == {20}
        for handle in handles if address else ():
            handle.close()

    # --- caps -------------------------------------------------------------------------------------------------

    def test_every_scope_keeps_its_cap(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(6))
        owner = ledger.journal
        owner.cap(Guarantee(3), scope=ADA, reason="agreed")
        owner.cap(Guarantee(2), scope=Scope(purpose="beds"), reason="agreed")
        owner.cap(Guarantee(1), scope=Scope("bob", "beds"), reason="agreed")
        ada, bob, eve = (self.another(ledger, address, analyst=name) for name in ("ada", "bob", "eve"))
        assert spend_all(bob, 3, "beds") == 1
        with pytest.raises(BudgetExceeded, match=r"remains of the cap of analyst 'bob' for purpose 'beds': \(ε=1\)-DP"):
            ask(bob, "beds")
        assert spend_all(eve, 3, "beds") == 1
        with pytest.raises(BudgetExceeded, match="cap of purpose 'beds'"):
            ask(ada, "beds")
        assert spend_all(ada, 5, "wards") == 3
        with pytest.raises(BudgetExceeded, match="cap of analyst 'ada'"):
            ask(ada, "wards")
        assert ada.remaining.epsilon == 0
        assert bob.remaining.epsilon == 1 == ledger.remaining.epsilon
        assert spend_all(ledger, 5) == 1
        with pytest.raises(BudgetExceeded, match="of the limit"):
            ask(bob, "wards")
        books = owner.books()
        assert {scope: books.account(scope).spent.epsilon for scope in (DATASET, ADA, BOB, Scope("eve"))} == {
            DATASET: 6,
            ADA: 3,
            BOB: 1,
            Scope("eve"): 1,
        }
        ledger.verify()

    def test_a_cap_counts_what_was_spent_before_it(self, address: str | None) -> None:
        ledger = new_ledger(address)
        ask(ledger, "beds")
        ask(self.another(ledger, address, analyst="ada"), "beds")
        ledger.journal.cap(Guarantee(3), scope=Scope(purpose="beds"), reason="agreed")
        assert ledger.journal.books().account(Scope(purpose="beds")).spent.epsilon == 2
        assert spend_all(ledger, 5, "beds") == 1
        ledger.journal.cap(Guarantee(1), scope=Scope("ada", "beds"), reason="agreed")
        with pytest.raises(BudgetExceeded):
            ask(self.another(ledger, address, analyst="ada"), "beds")
        ledger.verify()

    def test_caps_can_be_raised_lowered_removed_frozen_and_thawed(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(1))
        owner = ledger.journal
        ask(ledger)
        owner.cap(Guarantee(3), reason="the board agreed")
        assert (ledger.limit, ledger.remaining.epsilon) == (Guarantee(3), 2)
        ask(ledger)
        owner.cap(Guarantee(1), reason="the board regretted")
        assert ledger.remaining.epsilon == 0
        assert ledger.spent.epsilon == 2
        with pytest.raises(BudgetExceeded, match=r"limit \(ε=1\)-DP"):
            ask(ledger)
        owner.cap(Guarantee(9), reason="again")
        owner.freeze(reason="an incident")
        with pytest.raises(BudgetExceeded, match="the dataset is frozen"):
            ask(ledger)
        assert self.another(ledger, address).remaining.epsilon == 0
        owner.freeze(reason="all clear", thaw=True)
        ask(ledger)
        owner.cap(Guarantee("0.5"), scope=ADA, reason="little")
        with pytest.raises(BudgetExceeded):
            ask(self.another(ledger, address, analyst="ada"))
        owner.cap(None, scope=ADA, reason="no cap of her own")
        ask(self.another(ledger, address, analyst="ada"))
        with pytest.raises(InvalidParameter, match="without a limit"):
            owner.cap(None, reason="none")
        with pytest.raises(InvalidParameter, match="reason"):
            owner.cap(Guarantee(1), reason=" ")
        with pytest.raises(InvalidParameter, match="1e300"):
            owner.cap(Guarantee(10**301), reason="infinite")
        with pytest.raises(InvalidParameter, match="does not count"):
            owner.cap(ConcentratedGuarantee(1), reason="another currency")
        kinds = [row.facts["kind"] for row in owner.rows()]
        assert kinds.count("cap") == 7
        assert self.another(ledger, address).limit == Guarantee(9)
        ledger.verify()

    def test_a_renewal_starts_a_new_period_and_the_total_goes_on(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(2))
        assert spend_all(ledger, 3) == 2
        ledger.journal.renew(reason="a new year of data")
        assert spend_all(ledger, 3) == 2
        again = self.another(ledger, address)
        account = again.journal.books().dataset
        assert (account.period, account.spent.epsilon, account.total.epsilon) == (2, 2, 4)
        with pytest.raises(InvalidParameter, match="no cap"):
            ledger.journal.renew(ADA, reason="nothing to renew")
        ledger.verify()

    def test_no_clock_renews_or_reorders(self, address: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
        ledger = new_ledger(address, Guarantee(6))
        for moment in (0.0, 2**31 + 10.0, 1e9, -1e9, 9e15, math.nan):  # 1970, 2038, back, 1938, far beyond, none
            monkeypatch.setattr(time, "time", lambda moment=moment: moment)
            ask(ledger, f"at {moment}")
        monkeypatch.undo()
        with pytest.raises(BudgetExceeded):
            ask(self.another(ledger, address))
        assert [entry.sequence for entry in ledger.entries] == [1, 2, 3, 4, 5, 6]
        assert ledger.entries[0].at == "1970-01-01T00:00:00.000+00:00"
        assert ledger.entries[5].at is None
        ledger.verify()

    # --- reservations -----------------------------------------------------------------------------------------

    def test_a_plan_is_drawn_once_whoever_draws(self, address: str | None) -> None:
        ledger = new_ledger(address, analyst="ada")
        plan = ledger.reserve(COUNT.loss * 10, purpose="ten")
        twin = copy.copy(plan)
        assert sum(in_threads(8, lambda number: spend_all((plan, twin)[number % 2], 3))) == 10
        assert ledger.spent.epsilon == 10
        again = self.another(ledger, address, analyst="ada")
        assert not again.journal.books().plans
        part = self.another(ledger, address, analyst="ada")
        with pytest.raises(BudgetExceeded):
            part.reserve(COUNT.loss, purpose="one more")

    def test_a_plan_belongs_to_its_analyst_and_freezes_with_the_dataset(self, address: str | None) -> None:
        ledger = new_ledger(address, analyst="ada")
        plan = ledger.reserve(COUNT.loss * 2, purpose="two")
        plan.analyst = "eve"
        with pytest.raises(BudgetExceeded, match="left"):
            ask(plan)
        plan.analyst = "ada"
        ask(plan)
        ledger.journal.freeze(reason="an incident")
        with pytest.raises(BudgetExceeded, match="frozen"):
            ask(plan)

    # --- asking again -----------------------------------------------------------------------------------------

    def test_the_same_key_gives_the_same_bytes_for_free(self, address: str | None) -> None:
        ledger = new_ledger(address)
        first = ask(ledger, key="k")
        again = ask(self.another(ledger, address), key="k")
        assert first.to_json() == again.to_json()
        assert ledger.spent.epsilon == 1
        ledger.journal.freeze(reason="even then")
        assert ask(ledger, key="k").to_json() == first.to_json()

    def test_the_same_key_for_something_else_is_refused(self, address: str | None) -> None:
        ledger = new_ledger(address)
        ask(ledger, key="k")
        wide = Sensitive(42, Sensitivity("0.5"), PERSON)
        for attempt in (
            lambda: ask(ledger, "another purpose", key="k"),
            lambda: ledger.release(SECRET, TENTH, purpose="a count", key="k"),
            lambda: ledger.release(wide, COUNT, purpose="a count", key="k"),
            lambda: ask(ledger, key="k", delta="1e-9"),
        ):
            with pytest.raises(KeyReused, match="belongs to another question"):
                attempt()
        assert ledger.spent.epsilon == 1
        for bad in ("", " ", 7):
            with pytest.raises(InvalidParameter, match="key must be"):
                ask(ledger, key=bad)

    def test_analysts_have_keys_of_their_own(self, address: str | None) -> None:
        ledger = new_ledger(address)
        for name in (None, "ada", "bob"):
            ask(self.another(ledger, address, analyst=name), key="k")
        assert ledger.spent.epsilon == 3

    def test_fifty_at_once_are_one_run(self, address: str | None) -> None:
        ledger = new_ledger(address)
        slow = Slow(l1_sensitivity=1, scale=1)
        RUNS.clear()
        handles = [ledger, *(self.another(ledger, address) for _ in range(3))]
        texts = in_threads(
            50, lambda number: handles[number % 4].release(SECRET, slow, purpose="slow", key="k").to_json()
        )
        assert len(set(texts)) == 1
        assert len(RUNS) == 1
        assert ledger.spent.epsilon == 1

    def test_a_failed_run_is_spent_and_never_run_again(self, address: str | None) -> None:
        ledger = new_ledger(address)
        secret = Sensitive.later(lambda: 1 // 0, Sensitivity(1), PERSON)
        with pytest.raises(ReleaseFailed):
            ledger.release(secret, COUNT, purpose="fails", key="k")
        for handle in (ledger, self.another(ledger, address)):
            with pytest.raises(AnswerLost, match="spent, answer lost"):
                handle.release(secret, COUNT, purpose="fails", key="k")
        assert ledger.spent.epsilon == 1

    # --- failures ---------------------------------------------------------------------------------------------

    def test_three_failures_freeze_an_analyst_until_the_owner_has_looked(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(100), analyst="ada")
        nobody = self.another(ledger, address)
        for handle in (ledger, self.another(ledger, address, analyst="ada"), ledger):
            assert ask(handle, key=None) is not None
            fail(handle)
        spent = ledger.spent
        rows = ledger.journal.books().rows
        for handle in (ledger, self.another(ledger, address, analyst="ada")):
            for attempt in (ask, fail, lambda each: each.reserve(COUNT.loss, purpose="a plan")):
                with pytest.raises(AnalystFrozen, match=r"nothing was charged.*ask the owner"):
                    attempt(handle)
        assert (ledger.spent, ledger.journal.books().rows) == (spent, rows)
        assert ask(nobody) is not None, "only who failed is frozen"
        with pytest.raises(InvalidParameter, match="no answer of bob"):
            ledger.journal.unfreeze("bob", reason="nothing to unfreeze")
        with pytest.raises(InvalidParameter, match="reason"):
            ledger.journal.unfreeze("ada", reason=" ")
        ledger.journal.unfreeze("ada", reason="a broken file, replaced")
        assert ask(ledger) is not None
        fail(nobody)
        assert self.another(ledger, address).journal.books().failures.counted == {None: 1}
        assert all("failure" not in entry.kind for entry in ledger.entries)
        ledger.verify()

    def test_all_analysts_together_have_failures_of_their_own(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(100), failures=1)
        for name in ("a", "b", "c", None):
            fail(self.another(ledger, address, analyst=name))
        for name in ("a", "e", None):
            with pytest.raises(AnalystFrozen):
                ask(self.another(ledger, address, analyst=name))
        ledger.journal.unfreeze("b", reason="seen")
        assert ask(self.another(ledger, address, analyst="e")) is not None
        with pytest.raises(AnalystFrozen):
            ask(self.another(ledger, address, analyst="a"))
        ledger.journal.unfreeze(everyone=True, reason="all seen")
        assert ask(self.another(ledger, address, analyst="a")) is not None

    def test_no_more_failures_are_told_to_who_asks_at_once(self, address: str | None) -> None:
        """Eight are on their way when the first fails; four of them would be answered."""
        ledger = new_ledger(address, Guarantee(100), failures=2)
        handles = [self.another(ledger, address) for _ in range(8)]
        begun = threading.Barrier(8)

        def ask_at_once(number: int) -> str:
            def compute() -> int:
                begun.wait(20)
                if number % 2:
                    while not ledger.journal.frozen(None):
                        time.sleep(0.001)
                    return 1
                raise ValueError

            try:
                handles[number].release(Sensitive.later(compute, Sensitivity(1), PERSON), COUNT, purpose="at once")
            except (ReleaseFailed, AnalystFrozen) as problem:
                return type(problem).__name__ + str(problem)
            return "an answer"

        told = sorted(in_threads(8, ask_at_once))
        assert [each.startswith("ReleaseFailed") for each in told] == [False] * 6 + [True] * 2
        assert set(told[:6]) == {f"AnalystFrozen{WITHHELD}"}
        assert ledger.spent.epsilon == 8

    def test_draws_of_a_plan_are_counted_one_by_one(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(100))
        plans = [ledger.reserve([COUNT] * 4, purpose="four", draws=[COUNT] * 4) for _ in range(2)]
        for plan in (*plans, plans[0]):
            fail(plan, "four")
        for plan in plans:
            with pytest.raises(AnalystFrozen, match="nothing was charged"):
                ask(plan, "four")

    def test_what_cannot_be_counted_stops_the_handle(
        self, address: str | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ledger = new_ledger(address)

        def full(*_: object) -> bool:
            raise LedgerUnavailable("the disk is full")

        monkeypatch.setattr(Journal, "_fail", full)
        with pytest.raises(LedgerUnavailable, match="the disk is full"):
            fail(ledger)
        monkeypatch.undo()
        with pytest.raises(LedgerUnavailable, match="could not be counted"):
            ask(ledger)

    def test_an_answer_that_cannot_be_written_stays_paid_for(self, address: str | None) -> None:
        ledger = new_ledger(address)
        strange = COUNT.then(lambda value: {value})
        with pytest.raises(ReleaseFailed):
            ledger.release(SECRET, strange, purpose="a set", key="k")
        assert ledger.spent.epsilon == 1
        assert ledger.journal.books().failures.counted == {None: 1}

    def test_an_answer_that_cannot_be_stored_is_not_shown(
        self, address: str | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ledger = new_ledger(address)

        def fail(self: Journal, sequence: int, text: str) -> None:  # noqa: ARG001 - a stand-in
            raise LedgerUnavailable("the disk is full")

        monkeypatch.setattr(Journal, "answer", fail)
        with pytest.raises(AnswerLost, match="the disk is full"):
            ask(ledger, key="k")
        monkeypatch.undo()
        with pytest.raises(AnswerLost):
            ask(ledger, key="k")
        assert ledger.spent.epsilon == 1

    def test_arrays_come_back_whole(self, address: str | None) -> None:
        ledger = new_ledger(address, Guarantee(10, 1e-6))
        mechanism = Gaussian.calibrated(epsilon=1, delta=1e-7, sensitivity=Sensitivity(1))
        secret = Sensitive([1.5, 2.5, 3.5], Sensitivity(1), PERSON)
        first = ledger.release(secret, mechanism, purpose="three means", key="k")
        again = self.another(ledger, address).release(secret, mechanism, purpose="three means", key="k")
        assert first.to_json() == again.to_json()
        assert np.array_equal(first.value, again.value)
        assert first.margin() == again.margin()

    # --- the chain --------------------------------------------------------------------------------------------

    def test_checkpoints_carry_everything(self, address: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(handle_module, "CHECKPOINT", 7)
        ledger = new_ledger(address, Guarantee(30), dataset="visits")
        owner = ledger.journal
        owner.cap(Guarantee(9), scope=Scope(purpose="beds"), reason="agreed")
        owner.cap(Guarantee(5), scope=ADA, frozen=True, reason="away")
        owner.share("a view", reason="the same rows")
        owner.declare(retention="a year")
        fail(ledger)
        plan = ledger.reserve(COUNT.loss * 4, purpose="four")
        for _ in range(5):
            ask(ledger, "beds")
        ask(plan)
        owner.renew(reason="a new year")
        for _ in range(9):
            ask(ledger, "wards")
        again = self.another(ledger, address, dataset="a view")
        assert again.journal.books().state() == owner.books().state()
        assert [row.sequence for row in owner.rows() if row.facts["kind"] == "checkpoint"] == [7, 14, 21]
        again.verify()
        assert plan.left == COUNT.loss * 3
        assert spend_all(again, 10, "beds") == 4

    def test_rows_are_gapless_and_linked(self, address: str | None) -> None:
        ledger = new_ledger(address)
        spend_all(ledger, 5)
        rows = list(ledger.journal.rows())
        assert [row.sequence for row in rows] == [0, 1, 2, 3, 4, 5]
        assert ledger.verify() == 6
        assert ledger.journal.head() == rows[-1]
        told: list[tuple[int, int]] = []
        ledger.journal.verify(lambda done, of: told.append((done, of)))
        assert told[-1] == (6, 6)

    def test_text_of_any_kind_survives(self, address: str | None) -> None:
        ledger = new_ledger(address)
        purpose = "Bettenplanung – 病床 \x00 \ud800 \U0001f6cf '; DROP TABLE entries; --"
        ask(ledger, purpose, key="Schlüssel \x00")
        (entry,) = self.another(ledger, address).entries
        assert entry.purpose == purpose
        assert ask(ledger, purpose, key="Schlüssel \x00").purpose == purpose

    def test_what_owners_did_beside_the_ledger_is_an_entry_that_counts_for_nothing(self, address: str | None) -> None:
        ledger = new_ledger(address)
        ask(ledger)
        state = ledger.spent, ledger.remaining, ledger.entries
        place = ledger.journal.note("person added", by="olga", about={"name": "ada \ud800"}, reason="a colleague")
        other = self.another(ledger, address)
        (row,) = other.journal.rows(place)
        told = {name: row.facts[name] for name in ("kind", "act", "by", "about", "reason")}
        assert told == {
            "kind": "noted",
            "act": "person added",
            "by": "olga",
            "about": {"name": "ada \ud800"},
            "reason": "a colleague",
        }
        assert (other.spent, other.remaining, other.entries) == state
        for act, reason in (("", "why"), ("act", " ")):
            with pytest.raises(InvalidParameter):
                ledger.journal.note(act, by="olga", about={}, reason=reason)
        assert ledger.verify() == place + 1

    def test_a_key_is_found_whatever_was_asked(self, address: str | None) -> None:
        ledger = self.another(new_ledger(address), address, analyst="ada")
        assert ledger.journal.keyed("ada", "k") is None
        answer = ask(ledger, "beds", key="k")
        found = ledger.journal.keyed("ada", "k")
        assert found is not None
        assert ledger.journal.stored(found) == answer.to_json()
        assert (
            ledger.journal.keyed("bob", "k")
            is ledger.journal.keyed(None, "k")
            is ledger.journal.keyed("ada", "")
            is None
        )

    def test_who_may_not_know_which_limit_it_was_is_told_what_is_left_for_them(self, address: str | None) -> None:
        said = set()
        ledger = new_ledger(address)  # of 10
        ledger.journal.cap(Guarantee(4), scope=ADA, reason="agreed")
        ada = self.another(ledger, address, analyst="ada")
        for spent in (0, 6):  # then 4 is left of either
            while ledger.spent.epsilon < spent:
                ask(ledger)
            with pytest.raises(BudgetExceeded) as refused:
                ada.reserve([COUNT] * 9, purpose="beds")
            said.add(refused.value.told)
            assert refused.value.told != str(refused.value)
        assert len(said) == 1
        assert "ε=4, δ=0 remains for you" in str(said)
        ledger.journal.cap(Guarantee(3), scope=Scope("ada", "beds"), reason="agreed")
        with pytest.raises(BudgetExceeded) as refused:
            ada.reserve([COUNT] * 9, purpose="beds")
        assert "ε=3, δ=0 remains for you" in str(refused.value.told)

    def test_a_closed_ledger_opens_again_when_used(self, address: str | None) -> None:
        with new_ledger(address) as ledger:
            ask(ledger)
        assert ask(ledger) is not None
        assert ledger.spent.epsilon == 2

    def test_a_journal_must_be_opened_first(self, address: str | None) -> None:
        journal = journal_at(address)
        with pytest.raises(LedgerUnavailable):
            journal.open()
        with pytest.raises(LedgerUnavailable):
            journal.books()
