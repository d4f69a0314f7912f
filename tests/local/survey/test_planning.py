"""Golden power: the test file of the R package rr, and its variations recomputed."""

import numpy as np
import pytest
from scipy.stats import binom

from privet.errors import InvalidParameter
from privet.local.survey import ForcedResponse, MirroredQuestion, SurveyDesign, TwoCoins, UnrelatedQuestion, Warner

FORCED = ForcedResponse("2/3")


@pytest.mark.parametrize(
    ("design", "against", "significance", "sides", "power"),
    [
        (FORCED, 0, 0.01, 1, 0.98688716),
        (FORCED, 0, 0.01, 2, 0.978306),
        (FORCED, 0.1, 0.01, 1, 0.464245),
        (FORCED, 0, 0.05, 1, 0.997258),
        (MirroredQuestion("2/3"), 0, 0.01, 1, 0.376750),
        (UnrelatedQuestion("2/3", prevalence="1/3"), 0, 0.01, 1, 0.996389),
    ],
)
def test_golden_power(design: SurveyDesign, against: float, significance: float, sides: int, power: float) -> None:
    found = design.power(0.2, answers=200, against=against, significance=significance, sides=sides)
    assert found == pytest.approx(power, abs=6e-7)


def test_the_power_is_about_that_of_the_test_itself() -> None:
    """Of the exact law: a one-sided test at 200 answers rejects beyond z standard errors under the null."""
    critical = np.ceil(200 * (1 / 6 + 2.3263 * np.sqrt(5 / 36 / 200)))
    assert binom.sf(critical - 1, 200, 1 / 6 + 2 / 3 * 0.2) == pytest.approx(0.9869, abs=0.01)


def test_so_many_answers_have_that_power_and_one_less_has_not() -> None:
    for prevalence, against in ((0.2, 0.1), (0.1, 0.3), (0.05, 0)):
        needed = FORCED.answers_for_power(prevalence, power=0.9, against=against)
        assert FORCED.power(prevalence, answers=needed, against=against) >= 0.9
        assert FORCED.power(prevalence, answers=needed - 1, against=against) < 0.9


@pytest.mark.parametrize(("epsilon", "answers"), [("0.5", 160_106), (1, 44_973), (2, 16_558), (4, 10_334)])
def test_answers_for_a_margin_of_a_hundredth(epsilon: int | str, answers: int) -> None:
    """The printed numbers take 1.96 for z: 0.004 % more."""
    found = Warner.calibrated(epsilon=epsilon).answers_for_margin(0.01)
    assert found == pytest.approx(answers, rel=5e-5)


def test_an_expected_share_needs_fewer_answers_than_the_worst() -> None:
    assert TwoCoins().answers_for_margin(0.05, prevalence=0.1) < TwoCoins().answers_for_margin(0.05)
    lopsided = ForcedResponse("0.5", yes=0)  # at most every second answer is yes: the worst is a truth of 1
    assert lopsided.answers_for_margin(0.05) == lopsided.answers_for_margin(0.05, prevalence=1.0)


def test_refuses_what_is_no_plan() -> None:
    with pytest.raises(InvalidParameter, match="must differ"):
        FORCED.answers_for_power(0.2, power=0.9, against=0.2)
    with pytest.raises(InvalidParameter, match="significance must be below"):
        FORCED.power(0.2, answers=10, significance=0.6, sides=1)
    with pytest.raises(InvalidParameter, match="sides"):
        FORCED.power(0.2, answers=10, sides=3)
    with pytest.raises(InvalidParameter, match="prevalence"):
        FORCED.power(1.2, answers=10)
    with pytest.raises(InvalidParameter, match="margin"):
        FORCED.answers_for_margin(0)
