"""NestedLabels: a public tree of labels, such as nation > state > county, and which leaf each row is in."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.labeled import distinct_labels, label_numbers
from privet.errors import InvalidParameter
from privet.postprocessing.tree import Tree

Path = tuple[Any, ...]


@dataclass(frozen=True)
class NestedLabels:
    """Labels within labels, all of the same depth.

    Args:
        levels: of every level below the root, the paths of its cells, those of one parent together.

    Example:
        >>> NestedLabels.of({"north": ["a", "b"], "south": ["a"]}).tree.sizes
        (1, 2, 3)
    """

    levels: tuple[tuple[Path, ...], ...]

    @classmethod
    def of(cls, labels: Any) -> "NestedLabels":  # noqa: ANN401 - whatever a caller hands over
        """Return the labels of nested mappings with lists at the end; one list is a single level."""
        levels: list[list[Path]] = []
        _collect(labels, (), levels, 0)
        depths = {len(path) for path in _ends(labels, ())}
        if len(depths) != 1:
            raise InvalidParameter("categories must have the same depth everywhere: give every cell its own below")
        return cls(tuple(map(tuple, levels)))

    @property
    def depth(self) -> int:
        """How many columns say where a row is."""
        return len(self.levels)

    @cached_property
    def tree(self) -> Tree:
        """Which cells lie in which."""
        parents = []
        above: dict[Path, int] = {(): 0}
        for paths in self.levels:
            parents.append(np.array([above[path[:-1]] for path in paths], dtype=np.int64))
            above = {path: number for number, path in enumerate(paths)}
        return Tree(tuple(parents))

    @cached_property
    def names(self) -> tuple[tuple[Any, ...], ...]:
        """Of every level, the different labels that occur."""
        return tuple(tuple(dict.fromkeys(path[-1] for path in paths)) for paths in self.levels)

    def leaves(self, numbers: tuple[NDArray[np.int64], ...]) -> NDArray[np.int64]:
        """Return the leaf of every row from the number of its label on each level, -1 where that is not listed."""
        cell = np.zeros(len(numbers[0]), dtype=np.int64)
        for parents, names, paths, number in zip(self.tree.parents, self.names, self.levels, numbers, strict=True):
            known = label_numbers(np.array([path[-1] for path in paths], dtype=np.object_), names)
            keys = parents * len(names) + known
            order = np.argsort(keys)
            wanted = np.where((cell < 0) | (number < 0), -1, cell * len(names) + number)
            place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
            cell = np.where(keys[order][place] == wanted, order[place], -1)
        return cell


def _collect(labels: Any, path: Path, levels: list[list[Path]], depth: int) -> None:  # noqa: ANN401 - nested labels
    if len(levels) == depth:
        levels.append([])
    known = distinct_labels(list(labels) if isinstance(labels, Iterable) and not isinstance(labels, str) else labels)
    levels[depth] += [(*path, label) for label in known]
    if isinstance(labels, Mapping):
        for label in known:
            _collect(labels[label], (*path, label), levels, depth + 1)


def _ends(labels: Any, path: Path) -> list[Path]:  # noqa: ANN401 - nested labels
    if not isinstance(labels, Mapping):
        return [(*path, None)]
    return [end for label in labels for end in _ends(labels[label], (*path, label))]
