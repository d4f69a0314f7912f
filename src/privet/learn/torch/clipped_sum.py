"""The sum of clipped gradients, in exact whole steps."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from privet.learn.torch.unit_gradients import CANCELED, REACH, UnitGradients

EXACT = 2.0**52  # sums of whole numbers up to here are floats
SAFE = 1 - 2.0**-30  # more than all roundings of scales together, which are parts in 2^53 of at most 2^14 lengths


def clipped_sum(gradients: Sequence[UnitGradients], clip: float, present: Tensor, size: int) -> NDArray[np.int64]:
    """Return Σ of the units' gradients, each scaled down to length `clip`, in steps of clip / 2^36.

    Args:
        gradients: of all parameters, place by place.
        clip: the largest length of a unit's gradient.
        present: which units are in the sample; others add nothing.
        size: how many numbers there are in all.

    Privacy: a unit adds one whole vector that follows from its own numbers, of Euclidean length at most 2^36; one whose
        gradient is infinite or not a number adds zeros.
    Proof: s is at most (2^36 - slack) / length, rounded down, and length is at least the Euclidean length of the whole
        gradient, so the vector is no longer than s length + slack (see `UnitGradients`). Units are added up in blocks
        within which float64 is exact, and blocks as whole numbers: what the blocks are changes nothing.
    """
    squares, slack = sum(each.squares for each in gradients), sum(each.slack for each in gradients)
    spread = sum(each.spread for each in gradients)
    if not isinstance(squares, Tensor) or not isinstance(slack, Tensor) or not isinstance(spread, Tensor):
        return np.zeros(size, dtype=np.int64)
    length = torch.maximum(squares.sqrt() / SAFE, spread * CANCELED)
    known = torch.isfinite(length)
    counted = present & known & (slack < REACH)
    scales = torch.clamp((REACH - slack) / length * SAFE, max=REACH / clip)
    scales = torch.where(counted, scales, 0)
    if not bool(known.all()):  # 0 times infinity would be no number
        for each in gradients:
            each.drop(~known)
    reaches = torch.where(counted, scales * spread + slack, 0)
    total = np.zeros(size, dtype=np.int64)
    for start, end in pairwise(blocks(reaches.tolist())):
        for each in gradients:
            total[each.place.stretch] += each.summed(scales, slice(start, end)).cpu().numpy().astype(np.int64)
    return total


def blocks(reaches: Sequence[float]) -> list[int]:
    """Where blocks of units begin and the last one ends, so that none reaches beyond what float64 adds up exactly.

    Example:
        >>> blocks([2.0**51, 2.0**50, 2.0**51, 1.0])
        [0, 2, 4]
    """
    ends, held = [0], 0.0
    for place, reach in enumerate(reaches):
        if held + reach > EXACT and place > ends[-1]:
            ends.append(place)
            held = 0.0
        held += reach
    return [*ends, len(reaches)]
