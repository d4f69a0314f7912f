"""Intervals of counts that groups are named by: they hold the exact count among the groups that are told."""

import numpy as np
import pytest

from privet.mechanisms import PartitionCounts
from privet.query.measures.told_counts import told_ends


def coverage(selection: PartitionCounts, confidence: float, *, plainly: bool) -> float:
    """The least, over exact counts, that the intervals of told ones hold them with; summed over the exact law."""
    bound = selection.largest_error
    noise = np.arange(-bound, bound + 1)
    law = np.exp(-float(selection.epsilon) * np.abs(noise))
    margin = selection.noise.uncertainty.margin(confidence)
    found = []
    for exact in range(1, 4 * bound):
        values = (exact + noise).astype(np.float64)
        told = values > bound
        plain = (values - margin, values + margin)
        low, high = plain if plainly else told_ends(values, plain, selection, confidence)
        held = (low <= exact) & (exact <= high)
        found.append(float(law[told & held].sum() / law[told].sum()))
    return min(found)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize(("epsilon", "delta"), [("0.2", "1e-6"), (1, "1e-5"), (4, "0.001")])
def test_among_the_groups_that_are_told_as_many_intervals_hold_as_were_said(
    epsilon: object, delta: str, confidence: float
) -> None:
    selection = PartitionCounts(epsilon, delta)  # type: ignore[arg-type] # a number as people write it
    assert coverage(selection, confidence, plainly=False) >= confidence - 1e-12
    assert coverage(selection, confidence, plainly=True) < 0.01  # a group far below the bound is told with noise alone
