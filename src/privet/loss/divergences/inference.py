"""What an observer can infer: the best hypothesis test between two distributions, and the Bayes posterior."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privet.errors import InvalidParameter
from privet.loss.divergences.divergence import RESERVE, UNIT, Array, Masses, hockey_stick, log_ratio, masses, pair
from privet.loss.outward import nonnegative, probability_of

_LARGEST_EXPONENT = 709.0  # e^709 is still a float


@dataclass(frozen=True)
class Tradeoff:
    """The best test between two finite distributions: the smallest miss rate at each false alarm rate.

    Made by `tradeoff`. Piecewise linear, convex and falling; rates are rounded down, in the attacker's
    favour.

    Example:
        >>> test = tradeoff([0.75, 0.25], [0.25, 0.75])
        >>> round(test(0.25), 6), round(test(0.125), 6), test.advantage
        (0.25, 0.625, 0.5)
    """

    false_alarms: tuple[float, ...]
    misses: tuple[float, ...]
    advantage: float

    def __call__(self, false_positive: float) -> float:
        """Return the smallest probability of missing Q among tests that accuse P at most this often."""
        if not 0 <= false_positive <= 1:
            raise InvalidParameter(f"false_positive must lie between 0 and 1; got {false_positive}.")
        return float(np.interp(false_positive, self.false_alarms, self.misses)) * (1 - RESERVE)

    @property
    def smallest_error_sum(self) -> float:
        """Return the least possible false alarm rate plus miss rate: 1 - total variation."""
        return 1.0 - self.advantage


def tradeoff(p: Masses, q: Masses) -> Tradeoff:
    """Return the trade-off between the hypotheses "the output came from P" and "it came from Q".

    Args:
        p: the output distribution under the null hypothesis.
        q: the output distribution under the alternative, over the same cells.

    Proof: By the Neyman-Pearson lemma a best test accuses the outcomes with the largest q/p first; the
    corners of the curve are the cumulative sums in that order, and randomised tests fill the lines between
    them.

    Example:
        >>> round(tradeoff([0.75, 0.25], [0.25, 0.75]).smallest_error_sum, 6)
        0.5
    """
    null, alternative = pair(p, q)
    order = np.argsort(log_ratio(null, alternative), kind="stable")
    drift = 2 * UNIT * null.size
    accused, caught = (np.concatenate([[0.0], np.cumsum(mass[order])]) for mass in (null, alternative))
    alarms = np.append(accused[:-1] * (1 - drift), 1.0)
    misses = np.append(np.maximum(0.0, 1.0 - caught[:-1] - drift), 0.0)
    last = np.append(np.diff(alarms) > 0, [True])  # outcomes the null never has are accused for free
    return Tradeoff(
        false_alarms=tuple(alarms[last].tolist()),
        misses=tuple(misses[last].tolist()),
        advantage=hockey_stick(null, alternative, epsilon=0),
    )


def smallest_miss(false_positive: float, *, epsilon: float, delta: float = 0.0) -> float:
    """Return the least miss rate that (ε, δ)-differential privacy allows a test with this false alarm rate.

    Proof: Any rejection set S has P(S) <= e^ε Q(S) + δ and the reverse, so the miss rate is at least
    1 - δ - e^ε a and e^{-ε}(1 - δ - a) (Wasserman and Zhou 2010; Kairouz, Oh and Viswanath 2015).

    Example:
        >>> round(smallest_miss(0.1, epsilon=1), 6)
        0.728172
    """
    level = float(nonnegative(epsilon, "epsilon"))
    leak = float(probability_of(delta, "delta"))
    alarm = float(probability_of(false_positive, "false_positive"))
    grown = _exp(level) * alarm if alarm > 0 else 0.0
    steep = 1 - leak - grown - RESERVE * (1 + grown)
    flat = math.exp(-level) * (1 - leak - alarm - RESERVE)
    return max(0.0, steep, flat)


def smallest_error_sum(*, epsilon: float, delta: float = 0.0) -> float:
    """Return the least false alarm rate plus miss rate under (ε, δ)-DP: (1 - δ) 2/(1 + e^ε).

    The best advantage of an attacker is the rest, δ + (1 - δ) tanh(ε/2).

    Example:
        >>> round(smallest_error_sum(epsilon=1), 6)
        0.537883
    """
    level, leak = float(nonnegative(epsilon, "epsilon")), float(probability_of(delta, "delta"))
    return (1 - leak) * 2 / (1 + _exp(level)) * (1 - RESERVE)


def _exp(value: float) -> float:
    return math.exp(value) if value <= _LARGEST_EXPONENT else math.inf


def posterior(matrix: Sequence[Sequence[float]] | Array, prior: Masses) -> Array:
    """Return what Bayes' rule makes of a prior after each output of a finite mechanism.

    Args:
        matrix: one row per input, one column per output; each row is a distribution.
        prior: the observer's belief over the inputs.

    Returns:
        One row per output, each a distribution over the inputs. An output that cannot occur teaches nothing:
        its row is the prior.

    Example:
        >>> posterior([[0.75, 0.25], [0.25, 0.75]], [0.1, 0.9]).round(6).tolist()
        [[0.25, 0.75], [0.035714, 0.964286]]
    """
    belief = masses(prior, "prior")
    rows = [masses(row, f"row {number} of the matrix") for number, row in enumerate(matrix)]
    if len(rows) != belief.size or len({row.size for row in rows}) != 1:
        raise InvalidParameter(f"the matrix needs {belief.size} rows of one length, one row per input of the prior.")
    joint = np.array(rows).T * belief
    total = joint.sum(axis=1, keepdims=True)
    after: Array = np.where(total > 0, np.divide(joint, total, out=np.zeros_like(joint), where=total > 0), belief)
    return after


def posterior_bounds(prior: float, *, epsilon: float) -> tuple[float, float]:
    """Return the lowest and the highest posterior of one record's value under ε-DP, for independent records.

    Args:
        prior: probability of the value before the release.
        epsilon: the guarantee for the record.

    Proof: The odds move by a factor between e^{-ε} and e^ε, and only when the other records are independent
    of this one (a product prior); with dependent records the bound is false (Kifer and Machanavajjhala
    2011).

    Example:
        >>> [round(bound, 6) for bound in posterior_bounds(0.1, epsilon=math.log(3))]
        [0.035714, 0.25]
    """
    belief, level = float(probability_of(prior, "prior")), float(nonnegative(epsilon, "epsilon"))
    shrink = math.exp(-level)
    low = belief * shrink / (belief * shrink + (1 - belief)) if belief < 1 else 1.0
    high = belief / (belief + (1 - belief) * shrink) if belief > 0 else 0.0
    return low * (1 - RESERVE) if belief < 1 else low, min(1.0, high * (1 + RESERVE))
