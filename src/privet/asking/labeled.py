"""Columns of labels: which of the listed labels each row has."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.asking.column import NUMBERS, ArrayColumn
from privet.asking.elements import EXACT, number_of
from privet.asking.stored import Read
from privet.errors import InvalidParameter
from privet.loss.exact import shown

UNLISTED = -1  # the number of a row whose label is not in the list


def distinct_labels(labels: Any, name: str = "categories") -> tuple[Any, ...]:  # noqa: ANN401 - whatever is handed over
    """Return the labels as a tuple; each once, at least one, none missing."""
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable) or getattr(labels, "shape", (1,)) == ():
        raise InvalidParameter(f'{name} must be a list of labels, got {shown(labels)}: for example {name}=["a", "b"]')
    known = tuple(label.item() if isinstance(label, np.generic) else label for label in labels)
    try:
        once = len(set(known)) == len(known)
    except TypeError:
        raise InvalidParameter(f"{name} must hold texts, numbers or dates, each one label") from None
    if not known or not once or any(label is None or label != label for label in known):  # noqa: PLR0124 - NaN
        raise InvalidParameter(f"{name} must hold at least one label, each once and none missing, got {len(known)}")
    return known


def refuse_filling(missing: object) -> None:
    """Raise if missing values shall count as a number: among labels that is none."""
    if not isinstance(missing, str):
        raise InvalidParameter(
            'missing must be "drop" or "none" for categories: list a label for missing values instead'
        )


def labeled(values: Any, labels: tuple[Any, ...], name: str = "values") -> ArrayColumn:  # noqa: ANN401 - any column
    """Return the column of label numbers: the place of each row's label in the list, -1 if it is not there.

    Args:
        values: a column of texts, numbers or dates.
        labels: distinct.
        name: what the column is called in errors.

    Privacy: the list is the caller's and public; a label found in the data must not decide what is listed. What is
        missing stays missing. Nothing is read before the charge.
    """
    column = ArrayColumn.of(values, name)
    texts = [isinstance(label, str) for label in labels]
    if (column.kind in NUMBERS and any(texts)) or (column.kind == "text" and not all(texts)):
        raise InvalidParameter(f"the labels must be of the column's type, which is {column.dtype}: convert either")

    if column.rounded and any(abs(number_of(label)) >= EXACT for label in labels):
        raise InvalidParameter(
            "labels must stay below 2^53 here, because pandas makes floats of whole numbers where a value is missing: "
            'make the column with dtype="Int64"'
        )

    def read() -> Read:
        return label_numbers(column.read()[0], labels), column.presence().read()[1]

    return replace(column, kind="whole", read=read, code=None, peek=None)


def label_numbers(values: NDArray[Any], labels: tuple[Any, ...]) -> NDArray[np.int64]:
    """Return the place of each value among the labels, -1 where it has none.

    Example:
        >>> label_numbers(np.array(["b", "a", "z"]), ("a", "b")).tolist()
        [1, 0, -1]
    """
    sortable = values.dtype.kind in "biufU" and np.asarray(labels).dtype.kind in "biufU"
    if sortable and len(values):
        listed = np.asarray(labels)
        order = np.argsort(listed, kind="stable")
        ranked = listed[order]
        places = np.minimum(np.searchsorted(ranked, values), len(ranked) - 1)
        return np.where(ranked[places] == values, order[places], UNLISTED).astype(np.int64)
    numbers = {label: number for number, label in enumerate(labels)}
    return np.array([_looked_up(value, numbers) for value in values.tolist()], dtype=np.int64)


def _looked_up(value: Any, numbers: dict[Any, int]) -> int:  # noqa: ANN401 - whatever a row holds
    try:
        return numbers.get(value, UNLISTED)
    except Exception:  # noqa: BLE001 - what cannot be looked up is no label, and one row must not stop the others
        return UNLISTED
