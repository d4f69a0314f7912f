"""A journal against a model of 30 lines: whatever is done to it in whatever order, both say the same."""

import os
import shutil
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from privet.core import DATASET, Ledger, Scope
from privet.core.journals.books import Books
from privet.core.journals.sqlite import SqliteJournal
from privet.errors import AnswerLost, BudgetExceeded, KeyReused, LedgerDamaged, LedgerUnavailable
from privet.loss import Guarantee
from privet.mechanisms import Laplace
from tests.core.journals.conftest import MEMORY_DISK
from tests.support.ledger_processes import SECRET, new_ledger

PRICES = st.sampled_from(["0.1", "0.25", "1/3", "1"])
ANALYSTS = st.sampled_from([None, "ada", "bob"])
PURPOSES = st.sampled_from(["beds", "wards"])
KEYS = st.sampled_from(["k1", "k2", "k3"])
SCOPES = st.sampled_from([DATASET, Scope("ada"), Scope(purpose="beds"), Scope("bob", "wards")])
POINTS = ["after check", "before commit", "after commit", "after anchor", "before store", "after store"]


class Model:
    """What a ledger must do, in the simplest words."""

    def __init__(self) -> None:
        self.caps: dict[Scope, Fraction | None] = {DATASET: Fraction(3)}
        self.frozen: set[Scope] = set()
        self.since: dict[Scope, int] = {}  # how many spends there were at the last renewal
        self.spends: list[tuple[str | None, str, Fraction]] = []
        self.keys: dict[tuple[str | None, str], tuple[tuple[str, str], str | None]] = {}

    def scopes(self, analyst: str | None, purpose: str) -> list[Scope]:
        wide = [DATASET, Scope(purpose=purpose)]
        return wide if analyst is None else [*wide, Scope(analyst), Scope(analyst, purpose)]

    def spent(self, scope: Scope) -> Fraction:
        counted = self.spends[self.since.get(scope, 0) :]
        return sum((price for a, p, price in counted if scope in self.scopes(a, p)), Fraction(0))

    def allows(self, analyst: str | None, purpose: str, price: Fraction) -> bool:
        for scope in self.scopes(analyst, purpose):
            cap = self.caps.get(scope)
            if scope in self.frozen or (cap is not None and self.spent(scope) + price > cap):
                return False
        return True


class Dies(BaseException):
    """The process ends here, as far as the handle is concerned."""


class Comparison(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=MEMORY_DISK if MEMORY_DISK.is_dir() else None))
        self.address = f"sqlite:///{self.folder}/ledger.db"
        self.ledger = new_ledger(self.address, Guarantee(3))
        self.model = Model()

    def handle(self, analyst: str | None) -> Ledger:
        return Ledger.open(self.ledger.journal, analyst=analyst)

    @rule(analyst=ANALYSTS, purpose=PURPOSES, price=PRICES, key=st.none() | KEYS)
    def spend(self, analyst: str | None, purpose: str, price: str, key: str | None) -> None:
        mechanism = Laplace(l1_sensitivity=1, scale=1 / Fraction(price))
        known = self.model.keys.get((analyst, key)) if key else None
        allowed = self.model.allows(analyst, purpose, Fraction(price))
        try:
            told = self.handle(analyst).release(SECRET, mechanism, purpose=purpose, key=key).to_json()
        except BudgetExceeded:
            assert known is None
            assert not allowed
        except KeyReused:
            assert known is not None
            assert known[0] != (purpose, price)
        except AnswerLost:
            assert known == ((purpose, price), None)
        else:
            if known is not None:
                assert known == ((purpose, price), told)
                return
            assert allowed
            self.model.spends.append((analyst, purpose, Fraction(price)))
            if key:
                self.model.keys[analyst, key] = ((purpose, price), told)

    @rule(purpose=PURPOSES, price=PRICES, key=KEYS, point=st.sampled_from(POINTS))
    def crash(self, purpose: str, price: str, key: str, point: str) -> None:
        """The process ends somewhere on the way of a spend; another one opens the journal."""
        if (None, key) in self.model.keys or not self.model.allows(None, purpose, Fraction(price)):
            return

        def reached(here: str) -> None:
            if here == point:
                raise Dies

        mechanism = Laplace(l1_sensitivity=1, scale=1 / Fraction(price))
        with pytest.MonkeyPatch.context() as patch:
            for module in ("journal", "sqlite"):
                patch.setattr(f"privet.core.journals.{module}.reached", reached)
            with pytest.raises(Dies):
                self.ledger.release(SECRET, mechanism, purpose=purpose, key=key)
        self.restart()
        if POINTS.index(point) >= POINTS.index("after commit"):
            self.model.spends.append((None, purpose, Fraction(price)))
            stored = None
            if point == "after store":
                stored = self.ledger.release(SECRET, mechanism, purpose=purpose, key=key).to_json()
            self.model.keys[None, key] = ((purpose, price), stored)

    @rule()
    def restart(self) -> None:
        self.ledger.close()
        self.ledger = Ledger.open(self.address)

    @rule(scope=SCOPES, cap=st.sampled_from(["0.5", "1", "2", "4"]), frozen=st.booleans())
    def cap(self, scope: Scope, cap: str, *, frozen: bool) -> None:
        self.ledger.journal.cap(Guarantee(cap), scope=scope, frozen=frozen, reason="agreed")
        self.model.caps[scope] = Fraction(cap)
        (self.model.frozen.add if frozen else self.model.frozen.discard)(scope)

    @rule(scope=SCOPES)
    def renew(self, scope: Scope) -> None:
        if self.model.caps.get(scope) is not None:
            self.ledger.journal.renew(scope, reason="a new period")
            self.model.since[scope] = len(self.model.spends)

    @precondition(lambda self: self.model.spends)
    @rule(data=st.data())
    def tamper(self, data: st.DataObject) -> None:
        """Flip one bit of the rows, or put an old copy back: refused; then put the right file back."""
        self.ledger.close()
        path = self.folder / "ledger.db"
        good = path.read_bytes()
        place = data.draw(st.sampled_from([n for n in range(len(good)) if good[n : n + 9] == b'"purpose"']))
        bad = bytearray(good)
        bad[place + data.draw(st.integers(0, 8))] ^= 1
        path.write_bytes(bad)
        with pytest.raises((LedgerDamaged, LedgerUnavailable)):
            Ledger.open(self.address)
        for name in ("ledger.db-wal", "ledger.db-shm"):
            (self.folder / name).unlink(missing_ok=True)
        path.write_bytes(good)
        self.ledger = Ledger.open(self.address)

    @invariant()
    def totals_agree(self) -> None:
        books = self.ledger.journal.books()
        for scope, cap in self.model.caps.items():
            assert books.account(scope).spent.parts == (self.model.spent(scope), 0)
            assert books.account(scope).limit == (None if cap is None else Guarantee(cap))
        assert books.spends == len(self.model.spends)

    def teardown(self) -> None:
        self.ledger.verify()
        assert self.ledger.journal.books().dataset.total.epsilon == sum(price for _, _, price in self.model.spends)
        self.ledger.close()
        shutil.rmtree(self.folder, ignore_errors=True)


SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
TestComparison = Comparison.TestCase
TestComparison.settings = settings(
    max_examples=500 if SOAK else 60,
    stateful_step_count=50 if SOAK else 20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def test_the_model_is_not_blind(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """The control: a journal that forgets to compare one scope is told apart."""
    ledger = new_ledger(f"sqlite:///{folder}/ledger.db", Guarantee(1))
    monkeypatch.setattr(Books, "refusal", lambda *_: None)
    two = Laplace(l1_sensitivity=1, scale="1/2")
    ledger.release(SECRET, two, purpose="beds")
    assert not Model().allows(None, "beds", Fraction(4))
    assert ledger.spent.epsilon == 2
    monkeypatch.undo()
    with pytest.raises(LedgerDamaged, match="row 1 spends more than the dataset allows"):
        Ledger.open(SqliteJournal(folder / "ledger.db"))
