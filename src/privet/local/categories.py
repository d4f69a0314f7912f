"""Categories: the public list of values that a device may have."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.column import ArrayColumn
from privet.asking.elements import EXACT
from privet.asking.labeled import distinct_labels, label_numbers
from privet.errors import InvalidParameter
from privet.loss.exact import whole

MOST = 1 << 24  # of which one estimate each still fits into memory
Numbers = NDArray[np.int64]


@dataclass(frozen=True, init=False)
class Categories:
    """What values there are: k of them, by their numbers 0 to k - 1 or by labels.

    Args:
        listed: k >= 2, or a list of labels, each once. It is public: no label may be there because a device has it.

    Example:
        >>> Categories(["no", "yes"]).numbers(["yes", "no"]).tolist(), len(Categories(3))
        ([1, 0], 3)
    """

    labels: tuple[Any, ...] | None
    size: int

    def __init__(self, listed: Any) -> None:  # noqa: ANN401 - a number or any list
        if isinstance(listed, Categories):
            labels, size = listed.labels, listed.size
        elif isinstance(listed, int | np.integer):
            labels, size = None, whole(listed, "categories", low=2, high=MOST)
        else:
            labels = distinct_labels(listed)
            if not all(map(_held_by_json, labels)):
                raise InvalidParameter(
                    "categories must be texts that UTF-8 can write, or numbers below 2^53, which JSON can hold: "
                    "write dates as texts, and larger numbers"
                )
            size = whole(len(labels), "the number of categories", low=2, high=MOST)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "size", size)

    def __len__(self) -> int:
        return self.size

    def numbers(self, values: Any) -> Numbers:  # noqa: ANN401 - any column
        """The number of each value.

        Privacy: this runs on the device, or in a simulation of devices. A refusal names no value.
        """
        read, missing = _read(values)
        if missing:
            raise InvalidParameter("no value may be missing: list a category for devices without one, such as 'none'")
        found = _whole_numbers(read) if self.labels is None else label_numbers(read, self.labels)
        if found.size and not (found.min() >= 0 and found.max() < self.size):
            raise InvalidParameter(
                "every value must be one of the categories: list a category for all others, such as 'other' or 'none'"
            )
        return found

    @property
    def names(self) -> list[Any]:
        """What the categories are called in tables."""
        return list(range(self.size)) if self.labels is None else list(self.labels)

    @property
    def config(self) -> Any:  # noqa: ANN401 - a number or a list
        """As JSON holds them, and as `Categories` reads them back."""
        return self.size if self.labels is None else list(self.labels)

    def __repr__(self) -> str:
        return repr(self.size) if self.labels is None else repr(list(self.labels))


def _held_by_json(label: object) -> bool:
    if isinstance(label, str):
        return label.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in label)
    return isinstance(label, int | float) and abs(label) < EXACT


def _read(values: Any) -> tuple[NDArray[Any], bool]:  # noqa: ANN401 - any column
    """The values, and whether one is missing."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biu":
        return values, False
    column = ArrayColumn.of(values)
    read, missing = column.read()
    return read, bool(np.any(missing))


def _whole_numbers(read: NDArray[Any]) -> Numbers:
    numbers = np.asarray(read.tolist()) if read.dtype.kind == "O" and read.size else read
    if numbers.size and (numbers.ndim != 1 or numbers.dtype.kind not in "biu"):
        raise InvalidParameter("values must be a column of whole numbers: give the labels as categories=[…] instead")
    return numbers.astype(np.int64, copy=False)
