"""describe: what a loss, an answer, a model or a whole ledger means for one unit."""

from fractions import Fraction
from typing import Any, NamedTuple

from privet.core import Release, Unit
from privet.core.balance import Balance
from privet.errors import InvalidParameter
from privet.explain.description import Description
from privet.loss import ApproximateCurve, ConcentratedCurve, ConcentratedGuarantee, Guarantee, LossCurve, PrivacyLoss
from privet.loss.exact import Exact, exact_within, shown, whole
from privet.loss.guarantee import Promise
from privet.loss.neighbors import Neighbors

RARE = Fraction(1, 10**6)  # at which ε is told where nobody said and no loss is certain
LONGEST = 100  # years


class _Found(NamedTuple):
    """What is known of the thing described."""

    what: str
    loss: PrivacyLoss
    unit: Unit | None = None
    delta: Fraction = Fraction(0)
    gamma: Fraction = Fraction(0)
    spent: str = ""


def describe(subject: Any, *, delta: Exact | None = None, years: int = 10, unit: str = "person") -> Description:  # noqa: ANN401 - whatever has a loss
    """Say what a loss means for one unit: in words, numbers and pictures, all rounded against us.

    Args:
        subject: a `PrivacyLoss`, a `Release`, an answer of a session, a fitted model, a mechanism, a `Guarantee` or
            `ConcentratedGuarantee`; or a `Ledger`, of which its limit is described: everything it will ever let out.
        delta: at which ε is told, and how often a belief may go further, where the loss is not pure: that of the
            promise if there is one, else a millionth.
        years: how long as much may be released once a year, for the longest that is told; 1 for none.
        unit: what one unit is called, where the subject does not say.

    Privacy: nothing is read and nothing is charged.
    Not covered: what is known of the data's population; units whose data depend on each other.

    Example:
        >>> from privet import Guarantee
        >>> print(describe(Guarantee(1)))
        the promise: (ε=1)-DP per person, one unit more or less
          telling       whoever guesses whether one person's data is there gains at most 46.3 % over tossing a coin
          belief        of 1 % rises to at most 2.68 % and falls to at least 0.37 %; of 10 % rises to at most 23.2 % and
                        falls to at least 3.92 %; of 50 % rises to at most 73.2 % and falls to at least 26.8 %
          accusing      a test with 1 % false alarms finds at most 2.72 % of those who are there; at 5 % at most 13.6 %
          together      2 persons at once have (ε=2)-DP, a gain of at most 76.2 %; 5 persons at once have (ε=5)-DP, a
                        gain of at most 98.7 %
          over years    as much once a year: 5 years have (ε=5)-DP, a gain of at most 75.2 %; 10 years have (ε=10)-DP,
                        a gain of at most 87 %
          not promised  that nothing is learned about people like one person: that comes from the others; and beliefs
                        may move further where one person's data follows from another's
    """
    found = _found(subject)
    chance = found.delta or RARE if delta is None else exact_within(delta, "delta", low=0, high=1)
    if not 0 < chance < 1 and delta is not None:
        raise InvalidParameter(f"delta must lie between 0 and 1, both excluded, got {shown(delta)}: leave it out")
    who = found.unit or Unit(unit, _relation(found.loss))
    ends = whole(years, "years", high=LONGEST)
    return Description(found.what, found.loss, who, chance, found.gamma, ends, found.spent)


def _found(subject: Any) -> _Found:  # noqa: ANN401 - as above
    if isinstance(subject, PrivacyLoss):
        return _Found(repr(subject), subject)
    if isinstance(subject, Guarantee | ConcentratedGuarantee):
        said = "the promise" if isinstance(subject, Guarantee) else f"the promise {subject!r}"
        return _promised(said, subject)
    if isinstance(subject, LossCurve):
        return _Found(repr(PrivacyLoss.of(subject)), PrivacyLoss.of(subject))
    if isinstance(subject, Balance):
        spent = f"{subject.spent} of {subject.limit!r} is spent"
        limit = _promised("everything this ledger lets out", subject.limit)
        return limit._replace(unit=subject.unit, spent=spent)
    if isinstance(subject, Release):
        gamma = subject.gamma
        return _Found(f"the answer {subject.purpose!r}", subject.loss, subject.unit, gamma=gamma)
    receipt = getattr(subject, "privacy_", subject)  # a fitted model keeps its receipt so
    loss, unit = getattr(receipt, "loss", None), getattr(receipt, "unit", None)
    if not isinstance(loss, PrivacyLoss):
        raise InvalidParameter(
            "describe needs a loss, a release, an answer, a fitted model, a mechanism, a guarantee or a ledger, "
            f"got {shown(subject)}: give it what holds the loss"
        )
    purpose = getattr(receipt, "purpose", None)
    what = f"the answer {purpose!r}" if isinstance(purpose, str) else type(subject).__name__
    return _Found(what, loss, unit if isinstance(unit, Unit) else None)


def _promised(what: str, promise: Promise) -> _Found:
    if isinstance(promise, ConcentratedGuarantee):
        return _Found(what, PrivacyLoss.of(ConcentratedCurve(promise.rho)))
    loss = PrivacyLoss.of(ApproximateCurve(promise.epsilon, promise.delta))
    return _Found(what, loss, delta=promise.delta, gamma=promise.gamma)


def _relation(loss: PrivacyLoss) -> Neighbors:
    """One of those that the loss holds for; units that come and go, if it may be either."""
    return Neighbors.ADD_REMOVE if Neighbors.ADD_REMOVE in loss.neighbors else Neighbors.REPLACE
