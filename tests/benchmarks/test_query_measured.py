"""What came of a process that measured something."""

import json

from query_measured import Measured, ratio_text, size_text, time_text
from query_memory import Watched
from query_truth import Error

TIMED = json.dumps({"kind": "joint", "seconds": 0.5, "all": [0.7, 0.5]})
ERROR = json.dumps({"kind": "joint", "error": {"rmse": 5.0, "give_or_take": 0.1, "answers": 10}})


def test_every_line_that_says_something_counts() -> None:
    measured = Measured.of(Watched(("noise", TIMED, "[1]", "{}", "3", ERROR, "{half"), 10**9, "died"))
    assert measured.seconds() == 0.5
    assert measured.error("joint") == Error(5.0, 0.1, 10)
    assert measured.seconds("planning") is None
    assert measured.error("count") is None
    assert (measured.peak, measured.problem) == (10**9, "died")


def test_nothing_is_known_of_what_failed() -> None:
    failed = Measured.failed("no Java")
    assert (failed.seconds(), failed.error("count"), failed.peak, failed.problem) == (None, None, None, "no Java")


def test_two_measurements_of_one_peer() -> None:
    first, second = (Measured.of(Watched((line,), peak, None)) for line, peak in ((TIMED, 5), (ERROR, 7)))
    both = first.joined(second)
    assert (both.seconds(), both.error("joint"), both.peak) == (0.5, Error(5.0, 0.1, 10), 7)
    assert first.joined(Measured.failed("late")).seconds() == 0.5
    assert first.joined(Measured.failed("late")).problem == "late"


def test_cells() -> None:
    assert [time_text(each) for each in (None, 0.6123, 37.0)] == ["–", "612 ms", "37 s"]
    assert [size_text(each) for each in (None, 196_000_000, 1_607_000_000)] == ["–", "196 MB", "1.61 GB"]
    assert [ratio_text(*each) for each in ((None, 1.0), (1.0, None), (0.61, 0.1))] == ["–", "–", "6.1x"]
