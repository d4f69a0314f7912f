"""Members: which units are in which groups, and how much they weigh there while some groups are left out."""

from collections.abc import Collection, Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.mechanisms import TwoRoundSelection
from privet.query.scalars.facts import Value

Keys: TypeAlias = tuple[Value, ...]
Numbers: TypeAlias = NDArray[np.int64]


class Members:
    """Secret: of each group the numbers of its units. Called with groups that are left out, it weighs the others.

    Args:
        groups: keys, and the numbers of the units that are in it, from 0 on, each once; of a group that is listed
            again, because it is written in two ways, units are counted once. Where there are more than `most` units
            they are counted all the same: a number is any whole number >= 0.

    Privacy: only `TwoRoundSelection` may see it. A unit in t of the groups that are not left out gives each of them
        `TwoRoundSelection.weight(t)`: its groups are the engine's, chosen once, and no other comes in the place of one
        that is left out.
    """

    def __init__(self, groups: Iterable[tuple[Keys, Numbers]]) -> None:
        found: dict[Keys, list[Numbers]] = {}
        for keys, units in groups:
            found.setdefault(keys, []).append(units)
        lists = [each[0] if len(each) == 1 else np.unique(np.concatenate(each)) for each in found.values()]
        self._keys = list(found)
        self._sizes = np.array([len(each) for each in lists], dtype=np.int64)
        self._units = np.concatenate(lists) if lists else np.zeros(0, dtype=np.int64)
        self._most = int(self._units.max(initial=-1)) + 1

    def __call__(self, left_out: Collection[Keys]) -> dict[Keys, int]:
        """The weight of every group that is not left out, in steps."""
        without = left_out if isinstance(left_out, set | frozenset) else set(left_out)
        open_ = np.array([keys not in without for keys in self._keys], dtype=np.bool_)
        units = self._units[np.repeat(open_, self._sizes)] if without else self._units
        counts = np.bincount(units, minlength=self._most)
        weights = _weights(int(counts.max(initial=0)))
        ends = np.cumsum(np.where(open_, self._sizes, 0))
        added = np.concatenate([[0], np.cumsum(weights[counts[units]])])
        totals = np.diff(added[np.concatenate([[0], ends])])
        return {keys: int(total) for keys, total, here in zip(self._keys, totals, open_, strict=True) if here}

    def groups_of_units(self) -> list[frozenset[Keys]]:
        """The groups of every unit; for tests, which compare neighbors."""
        found: dict[int, set[Keys]] = {}
        places = np.repeat(np.arange(len(self._keys)), self._sizes)
        for unit, place in zip(self._units.tolist(), places.tolist(), strict=True):
            found.setdefault(unit, set()).add(self._keys[place])
        return [frozenset(each) for each in found.values()]

    def __repr__(self) -> str:
        return "Members(values hidden)"


def _weights(most: int) -> Numbers:
    """What a unit in 0, 1, … groups gives to each."""
    return np.array([0, *(TwoRoundSelection.weight(number) for number in range(1, most + 1))], dtype=np.int64)
