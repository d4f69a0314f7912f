"""trust_models: what the central, the local and the shuffle model cost in accuracy, at one promise."""

import math
from dataclasses import dataclass

from privet.loss import PrivacyLoss, RandomizedResponseCurve
from privet.loss.exact import Exact, exact_within, whole
from privet.loss.outward import float_up
from privet.mechanisms import DiscreteLaplace
from privet.mechanisms.least_noise import standard_deviation

ROUNDS = 24  # halvings of the range of local epsilons
MOST_LOCAL = 20.0
MOST_PEOPLE = 1 << 22
CENTRAL, LOCAL, SHUFFLE = "central", "local", "shuffle"


@dataclass(frozen=True)
class TrustModel:
    """One answer to the question who must be trusted.

    Args:
        name: "central", "local" or "shuffle".
        trusted: who holds what could harm.
        checked: what people can check by themselves.
        deviation: the standard deviation of a count of yes, over the noise.
        if_betrayed: ε against those who are trusted, or against everybody if they tell.
    """

    name: str
    trusted: str
    checked: str
    deviation: float
    if_betrayed: float


def trust_models(people: int, *, epsilon: Exact, delta: Exact) -> tuple[TrustModel, TrustModel, TrustModel]:
    """A count of yes among so many people, in the three models, at one promise.

    Args:
        people: how many answer, from 2 to 2^22.
        epsilon: what those who see the count may learn, above 0 and at most 20.
        delta: what the shuffle model may fail by; between 0 and 1. The other two do not fail.

    Central: discrete Laplace noise on the count. Local: everybody flips the own answer with probability 1/(1 + e^ε).
    Shuffle: the same flips, as few as the mixed answers allow. `privet.local.compare_models` says more of the same.

    Example:
        >>> [round(model.deviation, 2) for model in trust_models(10_000, epsilon=1, delta=1e-6)]
        [1.36, 95.95, 5.84]
    """
    number = whole(people, "people", low=2, high=MOST_PEOPLE)
    level = float_up(exact_within(epsilon, "epsilon", low=1e-6, high=20))
    failure = float_up(exact_within(delta, "delta", low=1e-300, high=0.5))
    mixed = _most_local(number, level, failure)
    return (
        TrustModel(
            CENTRAL,
            "whoever keeps the data, which are all there",
            "nothing; the keeper can let others audit the ledger and the code",
            standard_deviation(DiscreteLaplace(1, 1 / exact_within(level, "epsilon", low=0))),
            math.inf,
        ),
        TrustModel(
            LOCAL,
            "nobody but the own device",
            "everything: what the device runs, and the report it sends",
            _deviation(number, level),
            level,
        ),
        TrustModel(
            SHUFFLE,
            "whoever mixes the reports, to mix and to be silent; and the others, to report",
            "the own device; not that the reports are mixed",
            _deviation(number, mixed),
            mixed,
        ),
    )


def _flips(epsilon: float) -> float:
    return 1 / (1 + math.exp(epsilon))


def _loss(epsilon: float) -> PrivacyLoss:
    return PrivacyLoss.of(RandomizedResponseCurve(_flips(epsilon), _flips(epsilon)))


def _deviation(people: int, epsilon: float) -> float:
    """Of the unbiased estimate of a count from flipped answers, over the flips."""
    flip = _flips(epsilon)
    return math.sqrt(people * flip * (1 - flip)) / (1 - 2 * flip)


def _most_local(people: int, epsilon: float, delta: float) -> float:
    """The largest local ε whose shuffled answers keep the promise."""
    low, high = epsilon, MOST_LOCAL
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        if _loss(middle).shuffled(people).delta(epsilon) <= delta:
            low = middle
        else:
            high = middle
    return low
