"""exchangeable_beliefs: how far a belief about one person moves where people have a cause in common."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privet.errors import InvalidParameter
from privet.explain.shapes import DiscreteLaplaceShape
from privet.loss.divergences.inference import posterior_bounds
from privet.loss.exact import whole

REACH = 12  # scales of noise beyond which no answer is looked at


@dataclass(frozen=True)
class ExchangeableBeliefs:
    """Beliefs in a yes of one person, before and after a private count of all.

    Args:
        prior: before.
        highest: after the answer that speaks most for a yes, over all answers.
        product_bound: what e^ε allows if people were independent.
        within: the highest belief for each value of the common cause, if the attacker knows it.
        within_bounds: what e^ε allows of each.

    Example:
        >>> alone = exchangeable_beliefs(1, epsilon=1, rates=(0.5,))
        >>> round(alone.highest, 6), round(alone.product_bound, 6)
        (0.731059, 0.731059)
    """

    prior: float
    highest: float
    product_bound: float
    within: tuple[float, ...]
    within_bounds: tuple[float, ...]


def exchangeable_beliefs(
    people: int, *, epsilon: float, rates: Sequence[float], weights: Sequence[float] | None = None
) -> ExchangeableBeliefs:
    """Beliefs about one of several exchangeable people after a count with discrete Laplace noise at ε.

    The rate of yes is one of `rates`, unknown to the attacker; given the rate, people are independent. A prior that
    does not care for the order of people is such a mixture (de Finetti).

    Args:
        people: how many, from 1 to 10,000.
        epsilon: of the count, above 0.
        rates: the probabilities of yes that are possible.
        weights: how likely each rate is; alike if left out.

    Privacy: with the rate known the bound e^ε holds. Without, it does not: the count tells the rate, from which one
        person's answer follows, whether or not she took part. That is knowledge about people, not about her data.
    Proof: given the rate the prior is a product, so Bayes' rule moves odds by e^ε at most. For a mixture the odds of
        her answer are averaged over the posterior of the rate, which all people move together (Kifer and
        Machanavajjhala 2011).

    Example:
        >>> found = exchangeable_beliefs(100, epsilon=0.1, rates=(0.1, 0.9))
        >>> round(found.prior, 3), round(found.product_bound, 3), round(found.highest, 3)
        (0.5, 0.525, 0.908)
        >>> all(one <= bound for one, bound in zip(found.within, found.within_bounds, strict=True))
        True
    """
    number = whole(people, "people", high=10_000)
    shares, chances = np.asarray(rates, dtype=float), np.asarray(weights or np.ones(len(rates)), dtype=float)
    if not len(shares) or shares.shape != chances.shape or not ((shares > 0) & (shares < 1)).all() or chances.min() < 0:
        raise InvalidParameter("rates must lie between 0 and 1, both excluded, each with a weight >= 0")
    if not 0 < epsilon < 100 or not chances.sum():  # noqa: PLR2004 - beyond, everything is known
        raise InvalidParameter("epsilon must lie between 0 and 100, and some weight be above 0")
    chances = chances / chances.sum()
    noise = DiscreteLaplaceShape(1 / epsilon)
    reach = int(REACH / epsilon) + 1
    seen = np.arange(-reach, number + reach + 1)
    yes = np.array([_answers(number, rate, 1, noise, seen) for rate in shares])
    no = np.array([_answers(number, rate, 0, noise, seen) for rate in shares])
    joint_yes, joint_no = ((chances * part)[:, None] * law for part, law in ((shares, yes), (1 - shares, no)))
    after = joint_yes.sum(axis=0) / (joint_yes + joint_no).sum(axis=0)
    alone = joint_yes / (joint_yes + joint_no)
    prior = float(chances @ shares)
    bounds = tuple(posterior_bounds(float(rate), epsilon=epsilon)[1] for rate in shares)
    top = posterior_bounds(prior, epsilon=epsilon)[1]
    return ExchangeableBeliefs(prior, float(after.max()), top, tuple(alone.max(axis=1).tolist()), bounds)


def _answers(people: int, rate: float, own: int, noise: DiscreteLaplaceShape, seen: np.ndarray) -> np.ndarray:
    """The law of the noisy count, given the rate and one person's own answer."""
    others = np.zeros(people)  # of those who say yes, beside her
    others[0] = 1.0
    for _ in range(people - 1):
        others[1:] = others[1:] * (1 - rate) + others[:-1] * rate
        others[0] *= 1 - rate
    counts = np.arange(people) + own
    law: np.ndarray = noise.density(seen[:, None] - counts[None, :]) @ others
    return law
