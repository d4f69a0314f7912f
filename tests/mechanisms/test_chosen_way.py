"""ChosenWay: the smallest error is chosen, and all that was compared is told."""

import pytest

from privet.mechanisms.chosen_way import ChosenWay


@pytest.mark.parametrize(
    ("errors", "unit", "words"),
    [
        ({"one": 2.0}, "", "noise: one"),
        ({"one": 2.0, "two": 2.0}, "", "noise: one; two would err as much"),
        ({"one": 3.0, "two": 2.0, "three": 4.0}, "", "noise: two; one would err 1.5 times as much; three"),
        ({"one": 3.0, "two": 2.0}, "rows", "noise: two (expected error 2 rows); one would err by 3 rows"),
        ({"one": 3.0, "two": 0.0}, "", "noise: two; one would err more"),
    ],
)  # fmt: skip
def test_the_least_is_taken_and_all_are_told(errors: dict[str, float], unit: str, words: str) -> None:
    assert ChosenWay.least("noise", errors, unit=unit).words.startswith(words)


def test_another_reason_is_told() -> None:
    assert ChosenWay("bounds", "found", 2.0, {}, why="as was said").words == "bounds: found, as was said"
