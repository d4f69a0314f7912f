"""What is claimed, and whether bounds of an event's two probabilities contradict it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from privet.audit.adapters.adapted import Adapted
from privet.audit.bounds import Box
from privet.core import Mechanism
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, GaussianCurve, Guarantee, PrivacyLoss
from privet.loss.exact import readable
from privet.wording.printable import printable

Claim: TypeAlias = Guarantee | ConcentratedGuarantee | PrivacyLoss | str
SLACK = 1e-9  # a contradiction by less is a rounding
HUGE = 10**300  # no event shows so much
SMALL = 1e-5  # the δ at which a loss without a pure ε is attacked
LEVELS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 1.25, 1.5)  # of that ε: where a loss is compared
ORDERS = (1.01, 1.1, 1.5, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0, 64.0)


@dataclass(frozen=True)
class Claimed:
    """A claim, and the ε and δ of it that an attack aims at.

    Args:
        words: what is claimed, for people.
        epsilon: at `delta`.
        delta: of the attack.
        broken_by: whether an event with these probabilities contradicts the claim.
    """

    words: str
    epsilon: float
    delta: float
    broken_by: Callable[[Box], bool]


def claimed(claim: Claim | None, subject: Any) -> Claimed:  # noqa: ANN401 - a mechanism or any function
    """What is claimed of a subject: what is said, or else what a mechanism says of itself."""
    said = _its_own(subject) if claim is None else claim_of(claim) if isinstance(claim, str) else claim
    if isinstance(said, Guarantee):
        return of_guarantee(said)
    if isinstance(said, ConcentratedGuarantee):
        return _of_concentrated(said)
    if isinstance(said, PrivacyLoss):
        return _of_loss(said)
    raise InvalidParameter(
        f"a claim must be a Guarantee, a ConcentratedGuarantee, a PrivacyLoss or a text, got {type(said).__name__}: "
        'write claim="epsilon=1"'
    )


def claim_of(words: str) -> Guarantee | ConcentratedGuarantee | PrivacyLoss:
    """A claim that is written: "epsilon=1", "epsilon=1, delta=1e-6", "rho=0.5" or "mu=1" (Gaussian privacy).

    Example:
        >>> claim_of("epsilon=1, delta=1e-6"), claim_of("rho=1/2")
        ((ε=1, δ=1e-6)-DP, (ρ=0.5)-zCDP)
    """
    parts = [part.partition("=") for part in words.replace("ε", "epsilon").replace("δ", "delta").split(",")]
    said = {name.strip(): value.strip() for name, _, value in parts}
    if len(said) == len(parts) and all(value for value in said.values()):
        if set(said) in ({"epsilon"}, {"epsilon", "delta"}):
            return Guarantee(**said)
        if set(said) == {"rho"}:
            return ConcentratedGuarantee(said["rho"])
        if set(said) == {"mu"}:
            return PrivacyLoss.of(GaussianCurve(said["mu"]))
    raise InvalidParameter(
        f'a claim is written "epsilon=1", "epsilon=1, delta=1e-6", "rho=0.5" or "mu=1", got "{printable(words)}"'
    )


def _its_own(subject: Any) -> Claim:  # noqa: ANN401 - a mechanism or any function
    if isinstance(subject, Adapted) and subject.claim is not None:
        return subject.claim
    if isinstance(subject, Mechanism):
        return subject.loss if subject.promise is None else subject.promise
    return Guarantee(1)


def of_guarantee(said: Guarantee) -> Claimed:
    """An ε at one δ."""
    if said.gamma:
        raise InvalidParameter("random DP holds over data drawn at random, so no pair of inputs contradicts it")
    epsilon, delta = float(min(said.epsilon, Fraction(HUGE))), float(said.delta)

    def broken_by(box: Box) -> bool:
        return box.epsilon(delta) > epsilon * (1 + SLACK) + SLACK

    return Claimed(repr(said), epsilon, delta, broken_by)


def _of_concentrated(said: ConcentratedGuarantee) -> Claimed:
    """Compared by Rényi divergences; attacked at a small δ, where rare events are not worth more than they weigh."""
    rho = float(min(said.rho, Fraction(HUGE)))

    def broken_by(box: Box) -> bool:
        return any(box.renyi(order) > rho * order * (1 + SLACK) for order in ORDERS)

    epsilon = rho + 2 * math.sqrt(rho * -math.log(SMALL))
    return Claimed(repr(said), epsilon, SMALL, broken_by)


def _of_loss(said: PrivacyLoss) -> Claimed:
    """The whole curve δ(ε): an event contradicts it at any ε."""
    pure = said.epsilon(0)
    delta = 0.0 if math.isfinite(pure) else SMALL
    epsilon = pure if math.isfinite(pure) else said.epsilon(SMALL)
    levels = np.array([share * epsilon for share in LEVELS]) if math.isfinite(epsilon) else np.array([0.0, 1.0, 10.0])
    allowed = [said.delta(level) for level in levels.tolist()]

    def broken_by(box: Box) -> bool:
        return any(box.delta(level) > most + SLACK for level, most in zip(levels.tolist(), allowed, strict=True))

    words = f"ε={readable(epsilon)}" + (f" at δ={readable(delta)}" if delta else "")
    return Claimed(f"a loss of {words}", epsilon, delta, broken_by)
