"""Partition: blocks of units that do not overlap, so that answers about different blocks cost only the worst."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TypeVar

from privet.errors import InvalidParameter
from privet.loss import PrivacyLoss

T = TypeVar("T")


@dataclass(frozen=True, init=False)
class Partition:
    """Blocks of units, told apart by a label that every unit carries: a region, an age group, a year of birth.

    Args:
        blocks: the labels of each block, by its name. No label may be in two blocks. Blocks are declared before the
            data is seen; they are lists of labels, so a block cannot depend on chance or on other units.

    Privacy: answers about different blocks cost the worst of them when a unit comes or goes, and the two worst
        together when a unit is replaced, because it may move from one block to another (`PrivacyLoss |`). Then each
        block's loss must hold both for a unit that joins or leaves the block and for one replaced inside it: the sum
        of a block's salaries between 20 and 200 moves by up to 200, not 180, even if the number of people is fixed.
    Proof: a unit has one label, so it is in at most one block (McSherry 2009, Theorem 4).

    Example:
        >>> from privet.loss import LaplaceCurve, Neighbors
        >>> regions = Partition({"north": ["Turin", "Milan"], "south": ["Naples"]})
        >>> counts = {"north": PrivacyLoss.of(LaplaceCurve(1)), "south": PrivacyLoss.of(LaplaceCurve("0.5"))}
        >>> loss = regions.loss(counts)
        >>> loss.under(Neighbors.ADD_REMOVE).epsilon(delta=0), loss.under(Neighbors.REPLACE).epsilon(delta=0)
        (1.0, 1.5)
    """

    blocks: tuple[tuple[str, frozenset[Hashable]], ...]

    def __init__(self, blocks: Mapping[str, Iterable[Hashable]]) -> None:
        named = tuple((name, frozenset(labels)) for name, labels in blocks.items())
        if not named or not all(labels for _, labels in named):
            raise InvalidParameter("blocks must hold at least one block, and each at least one label")
        every = [label for _, labels in named for label in labels]
        if len(set(every)) != len(every):
            twice = sorted({repr(label) for label in every if every.count(label) > 1})
            raise InvalidParameter(f"blocks must not overlap, but these labels are in two: {', '.join(twice)}")
        object.__setattr__(self, "blocks", named)

    def split(self, units: Iterable[T], *, label: Callable[[T], Hashable]) -> dict[str, list[T]]:
        """Return the units of each block; a unit whose label is in no block is left out.

        Args:
            units: one thing for each unit, not for each record of a unit.
            label: reads the label off one unit; it must give the same answer when asked again.
        """
        block_of = {each: name for name, labels in self.blocks for each in labels}
        parts: dict[str, list[T]] = {name: [] for name, _ in self.blocks}
        for unit in units:
            mine = label(unit)
            if label(unit) != mine:
                raise InvalidParameter("label must not be random: it gave one unit two labels; read it off the unit")
            if mine in block_of:
                parts[block_of[mine]].append(unit)
        return parts

    def loss(self, losses: Mapping[str, PrivacyLoss]) -> PrivacyLoss:
        """Return the loss of one computation in each of these blocks; read it `under` the ledger's neighbors."""
        unknown = losses.keys() - {name for name, _ in self.blocks}
        if unknown or not losses:
            raise InvalidParameter(f"losses must name blocks of the partition, got {sorted(unknown) or 'none'}")
        return reduce(or_, losses.values())
