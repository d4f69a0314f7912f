"""Ledger: the only way out for protected data."""

import threading
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NoReturn, Self, TypeVar

from privet.core.journal import Entry, Journal, MemoryJournal
from privet.core.mechanism import Mechanism, refuse_uncovered
from privet.core.release import Release
from privet.core.sensitive import Sensitive
from privet.core.unit import Unit
from privet.errors import BudgetExceeded, EntropyError, InvalidParameter, ReleaseFailed
from privet.loss import (
    Amount,
    ConcentratedGuarantee,
    EpsilonSum,
    Guarantee,
    Neighbors,
    PrivacyLoss,
    Promise,
    SpendingRule,
    ZcdpSum,
    compare_rules,
)
from privet.loss.exact import Exact
from privet.loss.privacy_loss import sum_of
from privet.loss.rule_choice import RuleComparison
from privet.noise import Entropy

In = TypeVar("In")
Out = TypeVar("Out")


class Ledger:
    """Who is protected, how much may be revealed about them, and what was revealed so far.

    Args:
        limit: the promise that is never broken: a `Guarantee` (ε, δ) or a `ConcentratedGuarantee` (ρ).
        unit: who is protected; every secret must be about the same unit.
        rule: how spends add up, fixed from now on. Without one, ε and δ add up (ten answers at ε=1 fill a limit of
            10), or ρ for a limit on ρ. `Ledger.compare_rules` says how many answers each rule admits.
        journal: where entries are kept; in memory by default.

    Privacy: everything released through one ledger together keeps `limit`, however the questions were chosen.
    Proof: each loss is priced before its answer is drawn and charged before the data is touched; the rule is a filter
        (see `SpendingRule` and docs/proofs/composition.md); draws from a reservation are covered by `reserve`.
    Not covered: a second ledger over the same data has a limit of its own, which adds to this one; time.

    Example:
        >>> from privet import Guarantee, Sensitive, Sensitivity
        >>> from privet.mechanisms import DiscreteLaplace
        >>> person = Unit("person")
        >>> ledger = Ledger(Guarantee(1), unit=person)
        >>> count = DiscreteLaplace(l1_sensitivity=1, scale=2)
        >>> answer = ledger.release(Sensitive(42, Sensitivity(1), person), count, purpose="patients in ward 3")
        >>> answer.margin(0.95), ledger.spent, ledger.remaining
        (6.0, ε=0.5, δ=0, ε=0.5, δ=0)
    """

    def __init__(
        self, limit: Promise, *, unit: Unit, rule: SpendingRule | None = None, journal: Journal | None = None
    ) -> None:
        if not isinstance(limit, Guarantee | ConcentratedGuarantee):
            raise InvalidParameter(f"limit must be a Guarantee, such as Guarantee(1, 1e-6), got {limit!r}")
        if not isinstance(unit, Unit):
            raise InvalidParameter(f'unit must be a Unit, such as Unit("person"), got {unit!r}')
        if isinstance(limit, Guarantee) and limit.gamma:
            raise InvalidParameter("a ledger cannot promise random DP: no rule adds up γ; leave gamma out")
        self.limit, self.unit = limit, unit
        self.rule = rule or (ZcdpSum() if isinstance(limit, ConcentratedGuarantee) else EpsilonSum())
        self._capacity = self.rule.capacity(limit)
        self._journal: Journal = MemoryJournal() if journal is None else journal
        self._entropy = Entropy()

    # --- spending ---------------------------------------------------------------------------------------------

    def release(
        self, secret: Sensitive[In], mechanism: Mechanism[In, Out], *, purpose: str, delta: Exact | None = None
    ) -> Release[Out]:
        """Check, charge, then touch the data and sample; a refused or failed run never returns a value.

        Args:
            secret: the exact answer, or how to compute it.
            mechanism: must cover the secret's sensitivity.
            purpose: what the answer is for; it is recorded.
            delta: the δ at which a rule that counts ε and δ charges an answer; by default the mechanism's own.

        Raises:
            InvalidParameter: before the charge, when something does not fit together.
            BudgetExceeded: before the charge, when it does not fit the limit.
            ReleaseFailed: after the charge, when the secret cannot be computed; the spend stays.
        """
        self._refuse(secret, mechanism, purpose)
        loss = self._pay(mechanism, purpose, delta)
        value = self._run(secret, mechanism)
        return Release(value, mechanism.uncertainty, loss, purpose, repr(mechanism), self.unit)

    def reserve(
        self, plan: PrivacyLoss | Iterable[Mechanism[Any, Any]], *, purpose: str, delta: Exact | None = None
    ) -> "Reservation":
        """Pay for a fixed plan at its composed price; release from the reservation without further charge.

        Args:
            plan: the loss of the whole plan, or its mechanisms; each may be drawn once, in any order.
            purpose: what the plan is for.
            delta: the δ at which a rule that counts ε and δ charges the plan: composition is far cheaper than the
                sum of the parts as soon as this is above 0.

        Proof: the set of curves is fixed now. Whichever is drawn first, the rest are, given its answer, again a fixed
            set; so by induction the run is dominated by the composition of all curves in any one order (adaptive
            composition of dominating pairs: Zhu, Dong and Wang 2022, Theorem 10). What is not drawn reveals nothing.
        """
        loss = self._plan(plan, purpose)
        cost = self.rule.cost(loss, delta=delta)
        number = self._spend(Entry("reservation", purpose, "a plan", loss, cost))
        return Reservation(self, loss, purpose=purpose, number=number)

    def _plan(self, plan: PrivacyLoss | Iterable[Mechanism[Any, Any]], purpose: str) -> PrivacyLoss:
        _refuse_purpose(purpose)
        loss = plan if isinstance(plan, PrivacyLoss) else sum_of(each.loss for each in plan)
        if not loss.parts:
            raise InvalidParameter("plan must hold at least one loss or mechanism, got none")
        return loss.under(self.unit.neighbors)

    def _refuse(self, secret: Sensitive[In], mechanism: Mechanism[In, Out], purpose: str) -> None:
        """Check everything that can be checked before the charge."""
        if not isinstance(secret, Sensitive):
            raise InvalidParameter(
                f"a ledger releases Sensitive values, got {type(secret).__name__}: "
                "wrap it as Sensitive(value, Sensitivity(…), unit)"
            )
        if not isinstance(mechanism, Mechanism):
            raise InvalidParameter(f"mechanism must be a Mechanism, got {type(mechanism).__name__}")
        _refuse_purpose(purpose)
        if secret.unit != self.unit:
            raise InvalidParameter(f"this ledger protects {self.unit!r}, but the secret is about {secret.unit!r}")
        refuse_uncovered(mechanism, secret.sensitivity)
        if not secret.deferred:
            mechanism.check(secret.reveal_to_ledger())

    def _pay(self, mechanism: Mechanism[In, Out], purpose: str, delta: Exact | None) -> PrivacyLoss:
        """Charge one run and return its loss under the ledger's neighbors."""
        loss, cost = _priced(mechanism.loss, self.unit.neighbors, self.rule, mechanism.promise, delta)
        self._spend(Entry("release", purpose, repr(mechanism), loss, cost))
        return loss

    def _spend(self, entry: Entry) -> int:
        number = self._journal.spend(entry, limit=self._capacity)
        if number is None:
            raise BudgetExceeded(self._refusal(entry))
        return number

    def _refusal(self, entry: Entry) -> str:
        asked, left = entry.cost, self.remaining
        advice = "ask for less, or for a smaller ε"
        if isinstance(self.rule, EpsilonSum) and entry.cost.epsilon == float("inf"):
            advice = (
                "its loss is not pure, so it needs a δ: calibrate it with delta=…, or pass delta=… here"
                if self.limit != Guarantee(self._capacity.epsilon)
                else "its loss is not pure, and this limit has no δ: use a pure mechanism, or a limit with a δ"
            )
        return f"{entry.purpose!r} requests {asked}, {left} remains of the limit {self.limit!r}: {advice}"

    def _run(self, secret: Sensitive[In], mechanism: Mechanism[In, Out]) -> Out:
        """Touch the data and sample. What goes wrong from here on may depend on the data, so it is not told."""
        try:
            value = secret.reveal_to_ledger()
            if secret.deferred:
                mechanism.check(value)
            return mechanism.sample(value, self._entropy)
        except EntropyError:
            raise
        except Exception:  # noqa: BLE001, S110 - the reason could be one person's data
            pass
        raise ReleaseFailed(
            "the answer could not be computed; it stays paid for. The reason is not shown, for it may depend on the "
            "data: run the computation on data of your own invention to see it"
        )

    # --- reading ----------------------------------------------------------------------------------------------

    @property
    def spent(self) -> Amount:
        """What has been charged so far, exactly, in the rule's own terms."""
        total = self._journal.total()
        return self._capacity * 0 if total is None else total

    @property
    def remaining(self) -> Amount:
        """What may still be charged, exactly."""
        return self._capacity.less(self.spent)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every spend, in order."""
        return self._journal.entries()

    @staticmethod
    def compare_rules(limit: Guarantee, answer: PrivacyLoss | Mechanism[Any, Any]) -> RuleComparison:
        """How many answers of one size each rule would admit under a limit, best first.

        Example:
            >>> from privet.mechanisms import Laplace
            >>> print(Ledger.compare_rules(Guarantee(1, 1e-6), Laplace(l1_sensitivity=1, scale=100)))
            rule                                  answers
            Rényi divergence of order 22 adds up      492
            zCDP: ρ adds up                           488
            Gaussian: μ² adds up                      356
            ε and δ add up                            100
        """
        return compare_rules(limit, answer=answer.loss if isinstance(answer, Mechanism) else answer)

    def __repr__(self) -> str:
        return (
            f"Ledger({self.limit!r} per {self.unit.name}, {self.unit.neighbors.value}; {self.rule.name}; "
            f"spent {self.spent}; {_counted(len(self.entries))})"
        )

    # --- a ledger is a handle, not data -----------------------------------------------------------------------

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        """Nothing to let go of: the journal in memory lives as long as its ledger."""

    def __copy__(self) -> Self:
        """A budget cannot be duplicated: whoever copies a ledger gets the same one."""
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Ledger cannot be pickled: that would be a second budget; open its journal again instead")


class Reservation(Ledger):
    """A plan that is paid for: each release draws its curves from the plan and is charged no more.

    Everything else is the ledger's it was made from: the limit, the unit, the rule, what is spent and the entries.

    Example:
        >>> from privet import Guarantee, Sensitive, Sensitivity
        >>> from privet.mechanisms import Gaussian
        >>> person = Unit("person")
        >>> ledger = Ledger(Guarantee(1, 1e-6), unit=person)
        >>> noisy = Gaussian(l2_sensitivity=1, scale=50)
        >>> plan = ledger.reserve(noisy.loss * 50, purpose="monthly means", delta=1e-6)
        >>> round(float(ledger.spent.epsilon), 3)  # 50 prices one by one would add up to 4.434
        0.575
        >>> mean = plan.release(Sensitive(3.5, Sensitivity(1), person), noisy, purpose="mean in May")
        >>> plan.left
        PrivacyLoss(gaussian(mu=0.02) × 49)
    """

    def __init__(self, ledger: Ledger, plan: PrivacyLoss, *, purpose: str, number: int) -> None:
        self.limit, self.unit, self.rule = ledger.limit, ledger.unit, ledger.rule
        self._capacity, self._journal, self._entropy = ledger._capacity, ledger._journal, ledger._entropy  # noqa: SLF001 - its own class
        self._purpose, self._number, self._lock = purpose, number, threading.Lock()
        self._left = Counter(dict(plan.parts))

    @property
    def left(self) -> PrivacyLoss:
        """The curves that have not been drawn."""
        with self._lock:
            return PrivacyLoss(frozenset((+self._left).items()))

    def reserve(
        self,
        plan: PrivacyLoss | Iterable[Mechanism[Any, Any]],
        *,
        purpose: str,
        delta: Exact | None = None,  # noqa: ARG002 - paid for already
    ) -> "Reservation":
        """Set a part of the plan aside as a plan of its own; it is paid for, so `delta` changes nothing."""
        loss = self._plan(plan, purpose)
        return Reservation(self, loss, purpose=purpose, number=self._draw(loss, "a plan", purpose))

    def _pay(self, mechanism: Mechanism[In, Out], purpose: str, delta: Exact | None) -> PrivacyLoss:  # noqa: ARG002 - paid for already
        loss = mechanism.loss.under(self.unit.neighbors)
        self._draw(loss, repr(mechanism), purpose)
        return loss

    def _draw(self, loss: PrivacyLoss, mechanism: str, purpose: str) -> int:
        """Take the curves out of the plan, all or none, and record it."""
        with self._lock:
            if any(self._left[curve] < times for curve, times in loss.parts):
                left = PrivacyLoss(frozenset((+self._left).items()))
                raise BudgetExceeded(
                    f"{purpose!r} needs {loss!r}, and the plan {self._purpose!r} has {left!r} left: "
                    "reserve the very losses that will be drawn, or release through the ledger"
                )
            self._left.subtract(dict(loss.parts))
            free = self._capacity * 0
            return self._spend(Entry("draw", purpose, mechanism, loss, free, reservation=self._number))


@lru_cache(maxsize=4096)
def _priced(
    loss: PrivacyLoss, neighbors: Neighbors, rule: SpendingRule, promise: Guarantee | None, delta: Exact | None
) -> tuple[PrivacyLoss, Amount]:
    """The loss under these neighbors and its cost, remembered: the same mechanism runs again and again."""
    under = loss.under(neighbors)
    return under, rule.cost(under, promise=promise, delta=delta)


def _refuse_purpose(purpose: object) -> None:
    if not isinstance(purpose, str) or not purpose.strip():
        raise InvalidParameter(f"purpose must say in words what the answer is for, got {purpose!r}")


def _counted(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries:,} entries"
