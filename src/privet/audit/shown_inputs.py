"""Inputs as findings show them: on one line, and of long ones the part in which they differ."""

from itertools import takewhile
from typing import Any

from privet.wording.printable import printable

LONG = 120  # letters
BEFORE = 40  # letters before the first difference


def shown(value: Any) -> str:  # noqa: ANN401 - any input
    """An input for people, cut where it is long."""
    return _cut(_line(value), 0)


def both_shown(one: Any, other: Any) -> tuple[str, str]:  # noqa: ANN401 - any inputs
    """Two inputs for people, cut around the first difference where they are long.

    Example:
        >>> both_shown([0] * 99, [0] * 98 + [1])
        ('… 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]', '… 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]')
    """
    lines = _line(one), _line(other)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*lines, strict=False)))
    start = 0 if same < LONG - BEFORE else same - BEFORE
    return _cut(lines[0], start), _cut(lines[1], start)


def _line(value: Any) -> str:  # noqa: ANN401 - any input
    return " ".join(printable(repr(value)).split())


def _cut(line: str, start: int) -> str:
    if not start and len(line) <= LONG:
        return line
    return f"{'…' if start else ''}{line[start : start + LONG]}{'…' if len(line) > start + LONG else ''}"
