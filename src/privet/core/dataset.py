"""Dataset: records of a finite universe, as how often each value occurs."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from privet.errors import InvalidParameter
from privet.loss import Neighbors


@dataclass(frozen=True)
class Dataset:
    """A multiset of records: their order, and who is who, does not count.

    Args:
        universe: all values a record can have, each once.
        counts: how many records have each value.

    Privacy: this is the plain mathematics of small datasets, for definitions and for `enumerated_sensitivity`; it is
        not a secret and hides nothing.

    Example:
        >>> data = Dataset.of("abb", universe="abcd")
        >>> data.counts, data.norm, data.distance(Dataset.of("b", universe="abcd"))
        ((1, 2, 0, 0), 3, 2)
    """

    universe: tuple[Hashable, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(set(self.universe)) != len(self.universe) or len(self.universe) != len(self.counts):
            raise InvalidParameter("universe must list every value once, and counts one number for each of them")
        if any(count < 0 for count in self.counts):
            raise InvalidParameter("counts must be >= 0")

    @classmethod
    def of(cls, records: Iterable[Hashable], *, universe: Iterable[Hashable]) -> "Dataset":
        """Return the counts of these records."""
        values, found = tuple(universe), Counter(records)
        if found.keys() - set(values):
            raise InvalidParameter("every record must be a value of the universe: list all values that can occur")
        return cls(values, tuple(found[value] for value in values))

    @property
    def norm(self) -> int:
        """The number of records: the 1-norm of the counts."""
        return sum(self.counts)

    @property
    def records(self) -> tuple[Hashable, ...]:
        """The records, in the order of the universe."""
        return tuple(value for value, count in zip(self.universe, self.counts, strict=True) for _ in range(count))

    def difference(self, other: "Dataset") -> tuple[int, ...]:
        """By how much each count differs."""
        if other.universe != self.universe:
            raise InvalidParameter("two datasets must have the same universe to be compared")
        return tuple(abs(mine - theirs) for mine, theirs in zip(self.counts, other.counts, strict=True))

    def distance(self, other: "Dataset") -> int:
        """The 1-distance: how many records must be added or removed to get from one to the other."""
        return sum(self.difference(other))

    def within(self, part: Iterable[Hashable]) -> "Dataset":
        """Only the records whose values lie in a part of the universe; norms and distances of disjoint parts add up."""
        kept = set(part)
        pairs = zip(self.universe, self.counts, strict=True)
        return replace(self, counts=tuple(count if value in kept else 0 for value, count in pairs))

    def is_neighbor(self, other: "Dataset", relation: Neighbors) -> bool:
        """True if the two differ in one unit: one record more or less, or one record replaced."""
        moved = self.distance(other)
        if relation is Neighbors.ADD_REMOVE:
            return moved == 1
        return moved == 2 and self.norm == other.norm  # noqa: PLR2004 - one out, one in

    def neighbors(self, relation: Neighbors) -> Iterator["Dataset"]:
        """All neighbors, each once."""
        fewer = [self._changed(value, -1) for value, count in enumerate(self.counts) if count]
        if relation is Neighbors.ADD_REMOVE:
            yield from fewer
            yield from (self._changed(value, 1) for value in range(len(self.counts)))
            return
        for less in fewer:
            for value in range(len(self.counts)):
                replaced = less._changed(value, 1)  # noqa: SLF001 - its own class
                if replaced != self:
                    yield replaced

    def _changed(self, value: int, by: int) -> "Dataset":
        counts = (*self.counts[:value], self.counts[value] + by, *self.counts[value + 1 :])
        return replace(self, counts=counts)


def hamming_distance(rows: Sequence[object], others: Sequence[object]) -> int:
    """Return in how many places two lists of rows differ: here the order counts, unlike for a `Dataset`.

    Two lists with the same rows in another order have Hamming distance 2 or more, and are one and the same `Dataset`.

    Example:
        >>> hamming_distance("abc", "abd"), hamming_distance("abc", "bac")
        (1, 2)
    """
    if len(rows) != len(others):
        raise InvalidParameter(f"lists of rows must have the same length, got {len(rows)} and {len(others)}")
    return sum(mine != theirs for mine, theirs in zip(rows, others, strict=True))
