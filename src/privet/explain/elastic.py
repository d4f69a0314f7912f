"""elastic_count: how FLEX priced counts of joins, beside what Privet does instead."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from privet.errors import InvalidParameter
from privet.loss.exact import Exact, exact_within, whole

MOST_JOINS = 6


@dataclass(frozen=True)
class ElasticCount:
    """The noise of a count of joined rows by elastic sensitivity (Johnson, Near and Song 2018).

    Args:
        at_distance: how many changed rows away the smoothed sensitivity is reached.
        smooth_sensitivity: e^(-β k) times the elastic sensitivity there.
        scale: of the Laplace noise: twice that over ε.
        capped_scale: of Privet's noise at the same ε, if each unit counts for at most `cap` joined rows.
        cap: of rows for each unit.

    Example:
        >>> round(elastic_count([250], epsilon="0.1", delta="1e-8").smooth_sensitivity, 6)
        270.459093
    """

    at_distance: int
    smooth_sensitivity: float
    scale: float
    capped_scale: float
    cap: int

    def __str__(self) -> str:
        return (
            f"elastic sensitivity: Laplace noise of scale {self.scale:,.6f} (at distance {self.at_distance}); "
            f"capped at {self.cap} rows a unit: {self.capped_scale:,.6g}"
        )


def elastic_count(frequencies: Sequence[int], *, epsilon: Exact, delta: Exact, cap: int = 1) -> ElasticCount:
    """Price a count over joins whose keys occur at most so often, as FLEX did, and as Privet does.

    The elastic sensitivity of a join, k changed rows away, is the product of (frequency + k); noise is
    in proportion to its largest value after e^(-β k), with β = ε / (2 ln(2/δ)).

    Args:
        frequencies: how often the most frequent key of each join occurs, at most.
        epsilon: of the count, above 0.
        delta: of the count, between 0 and 1; Privet's noise does not need it.
        cap: of joined rows that count for each unit, which is what Privet bounds.

    Privacy: an explanation, not a mechanism. The frequencies are read off the data, and a row, not a person, is hidden.
        Privet hides a person with all rows: it bounds what each contributes inside the engine (docs/proofs/queries.md).

    Example:
        >>> print(elastic_count([250], epsilon="0.1", delta="1e-8", cap=20))
        elastic sensitivity: Laplace noise of scale 5,409.181856 (at distance 132); capped at 20 rows a unit: 200
    """
    level = float(exact_within(epsilon, "epsilon", low=1e-9, high=1000))
    failure = float(exact_within(delta, "delta", low=1e-300, high=0.5))
    counts = [whole(each, "a frequency") for each in frequencies]
    if not 1 <= len(counts) <= MOST_JOINS:
        raise InvalidParameter(f"from 1 to {MOST_JOINS} joins are priced, got {len(counts)}")
    beta = level / (2 * math.log(2 / failure))

    def logarithm(distance: int) -> float:
        return sum(math.log(count + distance) for count in counts) - beta * distance

    top = _top(counts, beta)
    best = max(range(max(0, top - 2), top + 3), key=logarithm)
    smooth = math.exp(logarithm(best))
    limit = whole(cap, "cap")
    return ElasticCount(best, smooth, 2 * smooth / level, limit / level, limit)


def _top(counts: Sequence[int], beta: float) -> int:
    """Where the logarithm stops to rise: the sum of 1/(count + k) falls to beta; it is concave in k."""
    low, high = 0, math.ceil(len(counts) / beta) + 1
    while low < high:
        middle = (low + high) // 2
        if sum(1 / (count + middle) for count in counts) > beta:
            low = middle + 1
        else:
            high = middle
    return low
