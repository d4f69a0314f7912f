"""Numbers beside their formulas; coverage is summed over every number of yes, so nothing is drawn."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from privet.errors import InvalidParameter
from privet.local.survey import Crosswise, ForcedResponse, SurveyDesign, SurveyEstimate, TwoCoins, Warner
from privet.local.survey.survey_estimate import Method


@pytest.mark.parametrize(
    ("found", "value", "deviation", "wald"),
    [
        (ForcedResponse("2/3").estimate(yes=60, answers=200), 0.2, 0.048606, (0.10473, 0.29527)),
        (Warner("0.75").estimate(yes=400, answers=1000), 0.3, 0.030984, (0.23927, 0.36073)),
        (TwoCoins().estimate(yes=35, answers=100), 0.2, 0.095394, (0.01303, 0.38697)),
    ],
)
def test_golden_estimates(found: SurveyEstimate, value: float, deviation: float, wald: tuple[float, float]) -> None:
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.standard_error == pytest.approx(deviation, abs=6e-7)
    assert found.interval(method="wald") == pytest.approx(wald, abs=6e-6)


def test_estimates_may_leave_zero_to_one_and_the_likeliest_never_does() -> None:
    few = TwoCoins().estimate(yes=1, answers=10)
    assert few.value == pytest.approx(-0.3)
    assert few.no == pytest.approx(1.3)
    assert few.likeliest == 0.0
    assert few.interval()[0] == 0.0
    assert TwoCoins().estimate(yes=9, answers=10).likeliest == 1.0


def test_the_likeliest_is_the_peak_of_the_likelihood() -> None:
    shares = np.linspace(0, 1, 1001)
    for yes in (0, 3, 5, 9, 12):
        chances = 0.25 + 0.5 * shares
        peak = shares[np.argmax(binom.logpmf(yes, 12, chances))]
        assert TwoCoins().estimate(yes=yes, answers=12).likeliest == pytest.approx(peak, abs=1e-3)


def test_a_mean_of_estimates_is_the_truth_and_their_deviation_the_formula() -> None:
    """Summed over all outcomes: unbiased, and Warner's variance π(1-π)/n + p(1-p)/(n(2p-1)²)."""
    design, n, truth = Warner("0.7"), 30, 0.2
    chance = 0.3 + 0.4 * truth
    mass = binom.pmf(np.arange(n + 1), n, chance)
    values = np.array([design.estimate(yes=yes, answers=n).value for yes in range(n + 1)])
    mean = float(mass @ values)
    assert mean == pytest.approx(truth, abs=1e-12)
    assert float(mass @ (values - mean) ** 2) == pytest.approx(truth * 0.8 / n + 0.21 / (n * 0.16), rel=1e-12)


def coverage(design: SurveyDesign, answers: int, truth: float, method: Method) -> float:
    chance = float(design.yes_if_no) + float(design.slope) * truth
    mass = binom.pmf(np.arange(answers + 1), answers, chance)
    ends = [design.estimate(yes=yes, answers=answers).interval(method=method) for yes in range(answers + 1)]
    return float(sum(m for m, (low, high) in zip(mass, ends, strict=True) if low <= truth <= high))


@pytest.mark.parametrize("design", [TwoCoins(), ForcedResponse("0.9", yes="0.01"), Crosswise("0.25")], ids=repr)
@pytest.mark.parametrize("truth", [0.0, 0.01, 0.1, 0.5, 1.0])
def test_exact_intervals_hold_everywhere(design: SurveyDesign, truth: float) -> None:
    for answers in (7, 60):
        assert coverage(design, answers, truth, "exact") >= 0.95


def test_textbook_intervals_do_not_hold_near_zero() -> None:
    """The control: what the exact interval is for."""
    design = ForcedResponse("0.9", yes="0.01")
    assert coverage(design, 60, 0.01, "wald") < 0.75
    assert 0.93 < coverage(design, 60, 0.1, "wilson") < 0.98
    assert 0.93 < coverage(TwoCoins(), 1000, 0.3, "wald") < 0.97


def test_shown_numbers_still_hold() -> None:
    found = TwoCoins().estimate(yes=40, answers=100)
    low, high = found.interval()
    text = repr(found)
    assert "from 0.10 to 0.51" in text
    assert low >= 0.10
    assert high <= 0.51
    assert "<div" in found._repr_html_()
    assert found.to_dict()["epsilon"] == pytest.approx(math.log(3))
    assert found.loss == found.design.loss


def test_refuses_other_words() -> None:
    found = TwoCoins().estimate(yes=40, answers=100)
    with pytest.raises(InvalidParameter, match="exact, wilson, wald"):
        found.interval(method="normal")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="confidence"):
        found.interval(1.0)
