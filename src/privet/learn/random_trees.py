"""RandomTrees: trees whose questions are drawn from public numbers before a row is read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privet.asking.labeled import distinct_labels
from privet.errors import InvalidParameter
from privet.learn.features import Box, Floats
from privet.noise import BitSource

Leaves: TypeAlias = NDArray[np.uint16]
BLOCK = 1 << 14  # rows
DEEPEST = 12  # levels; each more doubles the numbers that noise is added to


@dataclass(frozen=True)
class Questions:
    """What may be asked of each column: "above a cut?", or "is it this category?".

    Args:
        box: the public bounds, within which cuts are drawn.
        categories: for each column its public categories, or None where it is a number.
        cuts: for each column the cuts to draw from, released before; None where any within the bounds will do.
    """

    box: Box
    categories: tuple[Floats | None, ...]
    cuts: tuple[Floats | None, ...]

    @classmethod
    def of(cls, box: Box, categories: Any) -> "Questions":  # noqa: ANN401 - whatever a caller hands over
        """Return the questions that bounds and categories allow; refuse categories that are not lists of numbers."""
        width = box.width
        if categories is None:
            return cls(box, (None,) * width, (None,) * width)
        if isinstance(categories, str) or not hasattr(categories, "__len__") or len(categories) != width:
            raise InvalidParameter(
                f"categories must have one entry for each of the {width} columns, a list of numbers, or None where "
                "the column is a number: for example categories=[None, [0, 1, 2]]"
            )
        return cls(box, tuple(None if each is None else _codes(each) for each in categories), (None,) * width)

    def cut(self, column: int, places: Floats) -> Floats:
        """Return what is compared with, at places in [0, 1) of all that may be."""
        listed = self.categories[column] if self.categories[column] is not None else self.cuts[column]
        if listed is not None:
            found: Floats = listed[np.floor(places * len(listed)).astype(np.intp)]
            return found
        low, high = float(self.box.columns[column].low), float(self.box.columns[column].high)
        return np.asarray(low + places * (high - low), dtype=np.float64)


@dataclass(frozen=True)
class RandomTrees:
    """Trees that ask the same question everywhere on a level, so that a leaf is the number its answers spell.

    Args:
        columns: which column each level of each tree asks about.
        cuts: what it compares with.
        equals: whether it asks for that very category, not for more.

    Privacy: drawn from public numbers and random bits; no row is read. A row is in one leaf of each tree, whatever it
        holds: what is missing answers no.

    Example:
        >>> from privet.noise.for_tests import seeded_entropy_for_tests
        >>> questions = Questions.of(Box.of((0, 1), width=2), None)
        >>> trees = RandomTrees.drawn(questions, trees=3, depth=2, source=seeded_entropy_for_tests(1))
        >>> trees.leaves(np.array([[0.0, 0.0], [1.0, 1.0], [np.nan, 1.0]]).T.copy(), 0).tolist()
        [0, 3, 1]
    """

    columns: NDArray[np.intp]
    cuts: Floats
    equals: NDArray[np.bool_]

    @classmethod
    def drawn(cls, questions: Questions, *, trees: int, depth: int, source: BitSource) -> "RandomTrees":
        """Draw trees: all columns are asked about equally often, and the cuts of a column are spread evenly.

        A column's range is divided into as many parts as there are cuts, and each is drawn from the middle half of one.
        """
        width, slots = questions.box.width, trees * depth
        rounds = -(-slots // width)
        asked = np.argsort(_uniform(source, rounds * width).reshape(rounds, width), axis=1).ravel()[:slots]
        places, ranks = _uniform(source, slots), _uniform(source, slots)
        cuts = np.empty(slots)
        for column in np.unique(asked).tolist():
            here = np.flatnonzero(asked == column)
            spread = (np.argsort(np.argsort(ranks[here])) + 0.25 + places[here] / 2) / len(here)
            cuts[here] = questions.cut(column, spread)
        listed = np.array([each is not None for each in questions.categories])
        shape = (trees, depth)
        return cls(asked.reshape(shape), cuts.reshape(shape), listed[asked].reshape(shape))

    @property
    def count(self) -> int:
        """How many trees."""
        return len(self.columns)

    @property
    def depth(self) -> int:
        """How many questions lead to a leaf."""
        return int(self.columns.shape[1])

    def leaves(self, columns: Floats, tree: int) -> Leaves:
        """Return in which leaf of a tree each row is; columns are those of the rows, one after the other."""
        half = (self.depth + 1) // 2  # answers of up to 8 levels fit a byte, which is fastest
        upper, lower = (self._spelled(columns, tree, levels) for levels in (slice(half), slice(half, None)))
        found: Leaves = (upper.astype(np.uint16) << np.uint16(self.depth - half)) | lower
        return found

    def _spelled(self, columns: Floats, tree: int, levels: slice) -> NDArray[np.uint8]:
        """The number that the answers of some levels spell, for each row."""
        found = np.zeros(columns.shape[1], dtype=np.uint8)
        answers = np.empty(columns.shape[1], dtype=np.bool_)
        asked = zip(
            self.columns[tree, levels].tolist(), self.cuts[tree, levels], self.equals[tree, levels], strict=True
        )
        for column, cut, equals in asked:
            (np.equal if equals else np.greater)(columns[column], cut, out=answers)
            found <<= 1
            found |= answers.view(np.uint8)
        return found

    def total(self, rows: Floats, values: NDArray[np.float64]) -> Floats:
        """Return for each row the sum over all trees of the values of its leaves; values[tree, leaf] may be rows."""
        found = np.zeros((len(rows), *values.shape[2:]))
        for block, columns in blocks(rows):
            for tree in range(self.count):
                found[block] += values[tree][self.leaves(columns, tree)]
        return found


def blocks(rows: Floats) -> Iterator[tuple[slice, Floats]]:
    """Yield rows some thousand at a time, column by column, so that they stay near the processor.

    The columns are a copy, which the next block overwrites.
    """
    room = np.empty((rows.shape[1], min(BLOCK, len(rows))))
    for start in range(0, len(rows), BLOCK):
        block = slice(start, min(start + BLOCK, len(rows)))
        columns = room[:, : block.stop - start]
        np.copyto(columns, rows[block].T)
        yield block, columns


def columns_of(rows: Floats) -> Floats:
    """Return the columns of rows, each in one piece."""
    return np.ascontiguousarray(rows.T)


def _uniform(source: BitSource, count: int) -> Floats:
    """Uniform multiples of 2^-53 in [0, 1)."""
    return (source.words(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _codes(categories: Sequence[Any]) -> Floats:
    """The numbers that stand for the categories of a column."""
    known = distinct_labels(categories)
    if not all(isinstance(each, int | float) for each in known):
        raise InvalidParameter(
            "categories must be numbers, since X holds numbers: give texts numbers first, with an OrdinalEncoder that "
            "is told the public categories"
        )
    return np.array(known, dtype=np.float64)
