import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local.survey import TwoCoins, Warner
from privet.noise import BitSource


def test_reports_and_counts_are_one_estimate() -> None:
    assert TwoCoins().estimate([True, False, False, 1, 0]) == TwoCoins().estimate(yes=2, answers=5)
    assert TwoCoins().estimate(np.array([1, 0], dtype=np.uint8)).yes == 1


def test_an_estimate_of_privatized_answers_finds_the_truth(source: BitSource) -> None:
    """n = 100,000: off by six standard errors with probability 2e-9; the control is a design that is not theirs."""
    truths = np.arange(100_000) % 10 < 3
    answers = Warner("0.7").privatize(truths, source=source)
    found = Warner("0.7").estimate(answers)
    assert abs(found.value - 0.3) < 6 * found.standard_error
    other = TwoCoins().estimate(answers)
    assert abs(other.value - 0.3) > 6 * other.standard_error


@pytest.mark.parametrize("reports", [[], [0, 2], [None, 1], ["yes"], [[1, 0]], 1, [float("nan")], [True, None]])
def test_refuses_what_is_no_row_of_answers(reports: object) -> None:
    with pytest.raises(InvalidParameter, match="True or False"):
        TwoCoins().estimate(reports)  # type: ignore[arg-type]


def test_refuses_half_of_a_count() -> None:
    with pytest.raises(InvalidParameter, match="yes=40, answers=100"):
        TwoCoins().estimate(yes=4)
    with pytest.raises(InvalidParameter, match="not both"):
        TwoCoins().estimate([1], yes=1, answers=1)
    with pytest.raises(InvalidParameter, match="from 0 to 3"):
        TwoCoins().estimate(yes=4, answers=3)
    with pytest.raises(InvalidParameter, match="answers must be"):
        TwoCoins().estimate(yes=0, answers=0)
