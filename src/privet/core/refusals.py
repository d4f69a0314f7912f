"""Refusals: what does not fit together, and what there is no room for, each in one sentence."""

from fractions import Fraction

from privet.core.journals.books import Refusal
from privet.core.journals.entry import Entry
from privet.core.journals.scope import DATASET
from privet.core.mechanism import Mechanism, refuse_uncovered
from privet.core.sensitive import Sensitive
from privet.core.unit import Unit
from privet.errors import InvalidParameter
from privet.loss import Amount, EpsilonSum, Guarantee, Promise, SpendingRule
from privet.loss.exact import readable

ROUNDED = 1 + Fraction(1, 10**12)  # a cost that exceeds what remains by less differs in the last digits of a float only


def refuse_misfit(secret: object, mechanism: object, *, purpose: str, unit: Unit) -> None:
    """Refuse a secret that is none or about another unit, and a mechanism that is none or does not cover it."""
    if not isinstance(secret, Sensitive):
        raise InvalidParameter(
            f"a ledger releases Sensitive values, got {type(secret).__name__}: "
            "wrap it as Sensitive(value, Sensitivity(…), unit)"
        )
    if not isinstance(mechanism, Mechanism):
        raise InvalidParameter(f"mechanism must be a Mechanism, got {type(mechanism).__name__}")
    refuse_purpose(purpose)
    if secret.unit != unit:
        raise InvalidParameter(f"this ledger protects {unit!r}, but the secret is about {secret.unit!r}")
    refuse_uncovered(mechanism, secret.sensitivity)


def refuse_purpose(purpose: object) -> None:
    """Refuse a purpose that says nothing."""
    if not isinstance(purpose, str) or not purpose.strip():
        raise InvalidParameter(f"purpose must say in words what the answer is for, got {purpose!r}")


def frozen(purpose: str) -> str:
    """Why an analyst whose answers failed is not answered any more."""
    return (
        f"{purpose!r} is refused, and nothing was charged: too many answers failed after they were paid for, which may "
        "tell about the data: ask the owner, who can look for the reason and run `privet ledger unfreeze`"
    )


WITHHELD = (
    "while this was computed other answers failed too often, so neither an answer is told nor whether there is one; it "
    "stays paid for: ask the owner, who can look for the reason and run `privet ledger unfreeze`"
)


def no_random_dp(purpose: str, gamma: Fraction, limit: Promise) -> str:
    """Why a secret whose sensitivity was sampled is not released under a limit without a γ."""
    return (
        f"{purpose!r} requests γ={readable(gamma)}, because its sensitivity was sampled, and "
        f"the limit {limit!r} is not random DP: only a ledger whose owner made it with a γ, such as "
        "Guarantee(1, gamma=0.05), can release it"
    )


def no_room(  # noqa: PLR0913 - what the sentences are made of, each by name
    entry: Entry, refused: Refusal, *, left: Amount, limit: Promise, rule: SpendingRule, counts_gamma: bool
) -> tuple[str, str]:
    """Why an entry does not fit, and what to do about it; and the same for who may not know which limit it is.

    Args:
        entry: what was to be spent.
        refused: the scope that has no room for it.
        left: the least that remains of all its scopes.
        limit: of the ledger.
        rule: how the ledger counts.
        counts_gamma: whether it counts γ as well.
    """
    account, scope = refused.account, refused.scope
    if account is None or scope is None:
        raise TypeError("only a reservation draws from a plan")
    if account.frozen:
        told = f"{entry.purpose!r} is refused: the owner has frozen what it would be charged to"
        return f"{entry.purpose!r} is refused: {scope!r} is frozen until its owner thaws it", told
    remains = account.remaining
    of = "limit" if scope == DATASET else f"cap of {scope!r}:"
    said = f"of the {of} {account.limit!r}"
    about = (limit, rule, counts_gamma)
    return _no_room(entry, remains, said, about), _no_room(entry, left, "for you", about)


def _no_room(entry: Entry, left: Amount | None, of: str, about: tuple[Promise, SpendingRule, bool]) -> str:
    """The sentence, for what is left of something."""
    limit, rule, counts_gamma = about
    asked = entry.cost
    advice = "ask for less, or for a smaller ε"
    if left is not None and _by_rounding(asked, left):
        advice = "that is a rounding too much: make the mechanism with .calibrated for what remains, or ask for less"
    if isinstance(rule, EpsilonSum) and left is not None and asked.epsilon <= left.epsilon:
        advice = "its δ does not fit: make it for a smaller δ, or use a pure mechanism"
    if counts_gamma and left is not None and asked.gamma > left.gamma:
        advice = "its γ does not fit: sample the sensitivity for a smaller one, or prove a bound"
    if isinstance(rule, EpsilonSum) and entry.cost.epsilon == float("inf"):
        advice = (
            "its loss is not pure, and this limit has no δ: use a pure mechanism, or a limit with a δ"
            if isinstance(limit, Guarantee) and not limit.delta
            else "its loss is not pure, so it needs a δ: calibrate it with delta=…, or pass delta=… here"
        )
    requested, remains = (asked, left) if left is None else (asked.beside(left), left.beside(asked))
    return f"{entry.purpose!r} requests {requested}, but {remains} remains {of}: {advice}"


def _by_rounding(asked: Amount, left: Amount) -> bool:
    """Whether every part fits but for the last digits: most likely one of the two is the other, rounded."""
    pairs = zip(asked.parts, left.parts, strict=True)
    return all(mine <= theirs * ROUNDED for mine, theirs in pairs)
