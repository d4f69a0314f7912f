"""Payloads: reports as bytes, all of one length; and back."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import InvalidParameter

Rows = NDArray[np.uint8]  # one report a row


def bytes_needed(outcomes: int) -> int:
    """How many bytes a number below `outcomes` takes."""
    return max(1, -(-(outcomes - 1).bit_length() // 8))


def packed_numbers(numbers: NDArray[Any], width: int) -> Rows:
    """Numbers as bytes, the most significant first.

    Example:
        >>> packed_numbers(np.array([258, 3]), 2).tolist()
        [[1, 2], [0, 3]]
    """
    wide = np.ascontiguousarray(numbers, dtype=np.uint64).astype(">u8").view(np.uint8)
    return wide.reshape(-1, 8)[:, 8 - width :]


def unpacked_numbers(rows: Rows) -> NDArray[np.int64]:
    """The numbers that `packed_numbers` wrote."""
    wide = np.zeros((len(rows), 8), dtype=np.uint8)
    wide[:, 8 - rows.shape[1] :] = rows
    return wide.reshape(-1).view(">u8").astype(np.int64)


def rows_of(payloads: Iterable[Any], width: int) -> Rows:
    """Payloads one below the other; refused if one has another length."""
    every = list(payloads)
    if any(not isinstance(each, bytes | bytearray | memoryview) or len(each) != width for each in every):
        raise InvalidParameter(f"every report must be {width} bytes long: drop those that are not, they are forged")
    return np.frombuffer(b"".join(every), dtype=np.uint8).reshape(-1, width)


def refuse_other_rows(rows: NDArray[Any], width: int) -> None:
    """Raise unless these are reports as rows of so many bytes."""
    if rows.ndim != 2 or rows.shape[1] != width or rows.dtype != np.uint8:  # noqa: PLR2004 - rows
        raise InvalidParameter(f"reports must be rows of {width} bytes, as `privatize` or `encode` returns them")


def packed_pairs(pairs: NDArray[Any], widths: tuple[int, int]) -> Rows:
    """Rows of two numbers as bytes, of which each number has its own width.

    Example:
        >>> packed_pairs(np.array([[258, 3]]), (2, 1)).tolist(), unpacked_pairs(np.uint8([[1, 2, 3]]), (2, 1)).tolist()
        ([[1, 2, 3]], [[258, 3]])
    """
    return np.hstack([packed_numbers(pairs[:, place], width) for place, width in enumerate(widths)])


def unpacked_pairs(rows: Rows, widths: tuple[int, int]) -> NDArray[np.int64]:
    """The numbers that `packed_pairs` wrote."""
    first = widths[0]
    return np.stack([unpacked_numbers(rows[:, :first]), unpacked_numbers(rows[:, first:])], axis=1)
