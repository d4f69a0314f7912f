"""Ledger: the only way out for protected data."""

import warnings
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from privet.core.failure_log import keep_reason
from privet.core.journals.entry import Entry, loss_facts
from privet.core.journals.failures import ALLOWED
from privet.core.journals.journal import Journal, reached
from privet.core.journals.places import journal_at
from privet.core.journals.repeat import Repeat
from privet.core.journals.scope import Scope
from privet.core.journals.terms import Terms
from privet.core.mechanism import Mechanism
from privet.core.plans import Plans
from privet.core.refusals import WITHHELD, no_random_dp, refuse_misfit
from privet.core.release import Release
from privet.core.requests import request_of
from privet.core.sensitive import Sensitive
from privet.core.signals import deferred, heard
from privet.core.silence import FAILED, Failure, silently
from privet.core.spending import writable
from privet.core.unit import Unit
from privet.errors import (
    AnalystFrozen,
    AnswerLost,
    BudgetExceeded,
    EntropyError,
    InvalidParameter,
    LedgerUnavailable,
    NewLedger,
    PrivetError,
    ReleaseFailed,
)
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
)
from privet.loss.exact import Exact, exact, shown
from privet.noise import Entropy
from privet.wording.called_like import called_like

In = TypeVar("In")
Out = TypeVar("Out")


class Ledger(Plans):
    """Who is protected, how much may be revealed about them, and what was revealed so far.

    Args:
        limit: the promise that is never broken: a `Guarantee` (ε, δ) or a `ConcentratedGuarantee` (ρ). With a γ it is
            random DP, and only then are secrets released whose sensitivity was sampled; their γ add up exactly.
        unit: who is protected; every secret must be about the same unit.
        rule: how spends add up, fixed from now on. Without one, ε and δ add up (ten answers at ε=1 fill a limit of
            10), or ρ for a limit on ρ. `Ledger.compare_rules` says how many answers each rule admits.
        journal: where entries are kept: "sqlite:///ledger.db", "postgresql://…", or in memory by default. One that
            is there already is opened if it has these terms, and refused if not.
        analyst: who asks through this handle; an analyst may have a cap of their own.
        dataset: the name of the data. Copies and views of it share the ledger, if its owner has recorded them.
        anchor: where the journal's anchor is, if not beside it (see docs/ledger.md).
        failures: after so many answers that failed after the charge an analyst is frozen until the owner has looked.
        create: whether to make a ledger where there is none. Not said, one is made with a warning (`NewLedger`): where
            there was one before, a new one is a second limit.

    Privacy: everything released through one ledger together keeps `limit`, however the questions were chosen, by
        whatever number of handles, threads, processes and hosts (see docs/ledger.md).
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

    @called_like('privet.Ledger(privet.Guarantee(1, 1e-6), unit=privet.Unit("person"))')
    def __init__(  # noqa: PLR0913 - the terms of a ledger, each by name
        self,
        limit: Promise,
        *,
        unit: Unit,
        rule: SpendingRule | None = None,
        journal: Journal | str | None = None,
        analyst: str | None = None,
        dataset: str = "default",
        anchor: str | Path | None = None,
        failures: int = ALLOWED,
        create: bool | None = None,
    ) -> None:
        if not isinstance(limit, Guarantee | ConcentratedGuarantee):
            raise InvalidParameter(f"limit must be a Guarantee, such as Guarantee(1, 1e-6), got {shown(limit)}")
        if not isinstance(unit, Unit):
            raise InvalidParameter(f'unit must be a Unit, such as Unit("person"), got {shown(unit)}')
        chosen = rule or (ZcdpSum() if isinstance(limit, ConcentratedGuarantee) else EpsilonSum())
        terms = Terms(limit, unit, chosen, dataset, failures=failures)
        self._open(journal_at(journal, anchor=anchor), terms, analyst, create=create is not False)
        if create is None and self._journal.made and self._journal.lasting:
            warnings.warn(NEW.format(place=self._journal.place), NewLedger, stacklevel=3)

    @classmethod
    def open(
        cls,
        journal: Journal | str,
        *,
        analyst: str | None = None,
        anchor: str | Path | None = None,
        dataset: str | None = None,
    ) -> "Ledger":
        """Open the ledger that a journal holds, with the terms it was made with.

        Args:
            journal: where it is.
            analyst: who asks through this handle.
            anchor: where its anchor is, if not beside it.
            dataset: the name of the data that will be asked about; refused if the ledger is not that data's.
        """
        ledger = cls.__new__(cls)
        ledger._open(journal_at(journal, anchor=anchor), None, analyst)  # noqa: SLF001 - its own class
        names = ledger._journal.books().names  # noqa: SLF001 - its own class
        if dataset is not None and dataset not in names:
            raise InvalidParameter(
                f"this is the ledger of {', '.join(sorted(names))}, not of {dataset!r}: if that is a copy or view of "
                "the same data, its owner records it with `privet ledger share`"
            )
        return ledger

    def _open(self, journal: Journal, terms: Terms | None, analyst: str | None, *, create: bool = True) -> None:
        self.analyst = Scope(analyst).analyst
        known = journal.open(terms, create=create)
        self._journal = journal
        self.unit = known.unit
        self.rule = known.rule
        self.dataset = known.dataset
        self._counts_gamma = known.counts_gamma
        self._nothing = known.capacity(known.limit) * 0
        self._entropy = Entropy()

    # --- spending ---------------------------------------------------------------------------------------------

    def release(  # noqa: PLR0913 - the secret, the mechanism, and how to ask, each by name
        self,
        secret: Sensitive[In],
        mechanism: Mechanism[In, Out],
        *,
        purpose: str,
        delta: Exact | None = None,
        key: str | None = None,
        kinds: Iterable[type] = (),
    ) -> Release[Out]:
        """Check, charge, then touch the data and sample; a refused or failed run never returns a value.

        Args:
            secret: the exact answer, or how to compute it.
            mechanism: must cover the secret's sensitivity.
            purpose: what the answer is for; it is recorded.
            delta: the δ at which a rule that counts ε and δ charges an answer; by default the mechanism's own.
            key: makes asking again safe: the same key with the same question returns the stored answer, for free.
            kinds: with a key, the classes of values that are not numbers, texts or arrays (see `Release.from_json`).

        Raises:
            InvalidParameter: before the charge, when something does not fit together.
            BudgetExceeded: before the charge, when it does not fit the limit or a cap.
            AnalystFrozen: too many answers failed; before the charge, or after it where they failed meanwhile.
            KeyReused: before the charge, when the key belongs to another question.
            ReleaseFailed: after the charge, when the secret cannot be computed; the spend stays.
            AnswerLost: the key was charged before, and its answer was never stored.
            LedgerUnavailable, LedgerDamaged: the journal cannot be written or believed; nothing is computed.
        """
        self._refuse(secret, mechanism, purpose)
        asked = None if key is None else self._request(secret, mechanism, purpose=purpose, delta=delta, key=key)
        gamma = secret.sensitivity.gamma
        with deferred():  # Ctrl-C is heard while others are waited for and while the answer is computed, not in between
            loss, number = self._pay(mechanism, purpose, delta, key=key, request=asked, gamma=gamma)
            if isinstance(number, Repeat):
                return Release.from_json(self._journal.stored(number), kinds=kinds)
            held = [secret]
            del secret  # what is raised from here on shows this frame
            try:
                value = self._run(held, mechanism, number)
                release = Release(value, mechanism.uncertainty, loss, purpose, repr(mechanism), self.unit, gamma=gamma)
                if key is not None:
                    self._store(number, release)
                return release
            finally:
                if key is not None:
                    self._journal.done(number)

    def _store(self, number: int, release: Release[Any]) -> None:
        """Keep an answer before anybody sees it."""
        text = silently(release.to_json)
        if isinstance(text, Failure):
            raise self._failed(text, number)
        try:
            self._journal.answer_surely(number, text)
        except PrivetError as problem:
            raise AnswerLost(f"spent, answer lost: it could not be stored, so it is not shown ({problem})") from problem
        reached("before send")

    def _request(
        self, secret: Sensitive[In], mechanism: Mechanism[In, Out], *, purpose: str, delta: Exact | None, key: str
    ) -> str:
        share = None if delta is None else str(exact(delta, "delta"))
        facts = [repr(mechanism), loss_facts(mechanism.loss), repr(secret.sensitivity), share]
        return request_of(self.analyst, self.dataset, purpose, facts, key=key)

    def _refuse(self, secret: Sensitive[In], mechanism: Mechanism[In, Out], purpose: str) -> None:
        """Check everything that can be checked before the charge."""
        refuse_misfit(secret, mechanism, purpose=purpose, unit=self.unit)
        if secret.sensitivity.gamma and not self._counts_gamma:
            raise BudgetExceeded(no_random_dp(purpose, secret.sensitivity.gamma, self.limit))
        if not secret.deferred:
            mechanism.check(secret.reveal_to_ledger())

    def _pay(  # noqa: PLR0913 - what is charged, and how it was asked
        self,
        mechanism: Mechanism[In, Out],
        purpose: str,
        delta: Exact | None,
        *,
        key: str | None,
        request: str | None,
        gamma: Fraction,
    ) -> tuple[PrivacyLoss, int | Repeat]:
        """Charge one run and return its loss under the ledger's neighbors."""
        asked = (mechanism.loss, self.unit.neighbors, self.rule, mechanism.promise, delta)
        loss, cost, known = heard(partial(_priced, *asked))
        cost = self._with_gamma(cost, gamma)
        words = repr(mechanism)
        entry = Entry("release", purpose, words, loss, cost, analyst=self.analyst, key=key, request=request)
        return loss, self._spend(entry, known=known)

    def _run(self, held: list[Sensitive[In]], mechanism: Mechanism[In, Out], number: int) -> Out:
        """Touch the data and sample. What goes wrong from here on may depend on the data, so it is not told.

        Args:
            held: the secret, which is taken out, so that no frame of what is raised still has it.
            mechanism: what runs.
            number: the place of the spend.
        """
        outcome = silently(partial(_sampled, held.pop(), mechanism, self._entropy), passing=(EntropyError,))
        if not isinstance(outcome, Failure):
            if not self._is_frozen():
                return outcome
            del outcome  # nor does a frame tell that there is one
            raise AnalystFrozen(WITHHELD)
        problem = self._failed(outcome, number)
        del outcome
        try:
            raise problem
        finally:
            del problem  # its own frame would keep it alive

    def _is_frozen(self) -> bool:
        """Whether what was computed must be withheld."""
        try:
            return self._journal.frozen(self.analyst)
        except LedgerUnavailable as problem:
            raise AnswerLost(f"spent, answer lost: the ledger cannot be read, so it is not shown ({problem})") from None

    def _failed(self, failure: Failure, number: int) -> BaseException:
        """Count a failure, tell the owner why, and return what is raised.

        Privacy: it is counted before it is told, and told only to who was not frozen before it: whoever asks many
            questions at once is told no more failures than who asks them one after the other, and answers that were
            on their way are withheld, too. Ctrl-C is not counted: that it was pressed is known.
        """
        if failure.interrupted:
            return failure.problem
        keep_reason(failure.reason, ledger=self._journal.place, analyst=self.analyst, entry=number)
        problem = failure.problem
        del failure  # from here on the journal may fail
        return problem if self._journal.fail(number, self.analyst) else AnalystFrozen(WITHHELD)


def _sampled(secret: Sensitive[In], mechanism: Mechanism[In, Out], source: Entropy) -> Out:
    """Everything that happens to a value between the data and the noise."""
    try:
        value = secret.reveal_to_ledger()
        if secret.deferred:
            mechanism.check(value)
    except EntropyError:  # not from the noise
        raise ReleaseFailed(FAILED) from None
    try:
        return mechanism.sample(value, source)
    except EntropyError:  # in words of our own, whoever raised it
        raise EntropyError(NO_RANDOMNESS) from None


NEW = (
    "there was no ledger at {place}, so a new one was made, with nothing spent: if there should have been one, stop, "
    "remove the new one and put the old one back, or what it counted is forgotten; in Python create=True says "
    "that it may be new, and create=False that it must be there"
)
NO_RANDOMNESS = (
    "there was no randomness for the noise, so nothing is released; it stays paid for: check /dev/urandom and "
    "the limit on open files, then ask again, which costs anew"
)


@lru_cache(maxsize=4096)
def _priced(
    loss: PrivacyLoss, neighbors: Neighbors, rule: SpendingRule, promise: Guarantee | None, delta: Exact | None
) -> tuple[PrivacyLoss, Amount, bool]:
    """The loss under these neighbors, its cost, and whether that can be written down.

    Remembered, because the same mechanism runs again and again.
    """
    under = loss.under(neighbors)
    cost = rule.cost(under, promise=promise, delta=delta)
    return under, cost, writable(cost)
