"""Golden numbers of the designs: Warner 1965, Blair, Imai and Zhou 2015, and textbooks, recomputed by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local.survey import (
    Crosswise,
    Disguised,
    ForcedResponse,
    MirroredQuestion,
    SurveyDesign,
    TwoCoins,
    UnrelatedQuestion,
    Warner,
)
from privet.loss import PrivacyLoss, RandomizedResponseCurve
from privet.mechanisms import FiniteMechanism
from privet.noise import BitSource, UniformLaw
from tests.support.statistics import assert_does_not_follow, assert_follows

DESIGNS = [
    (TwoCoins(), math.log(3)),
    (Warner("0.75"), math.log(3)),
    (Warner("0.6"), 0.405465),
    (Warner("0.4"), 0.405465),  # the logarithm is negative there: its absolute value counts
    (Warner("0.9"), 2.197225),
    (Warner("0.7"), 0.847298),
    (MirroredQuestion("2/3"), math.log(2)),
    (ForcedResponse("2/3"), math.log(5)),
    (ForcedResponse("0.5", yes="0.1"), math.log(6)),
    (ForcedResponse("0.5", yes="0.4"), math.log(6)),
    (UnrelatedQuestion("2/3", prevalence="1/3"), math.log(7)),
    (Disguised("0.7", "0.1"), math.log(7)),
    (Disguised("0.1", "0.7"), math.log(7)),
    (Crosswise("0.25"), math.log(3)),
]


@pytest.mark.parametrize(("design", "epsilon"), DESIGNS, ids=repr)
def test_an_answer_costs_what_the_ratios_say(design: SurveyDesign, epsilon: float) -> None:
    assert design.epsilon == pytest.approx(epsilon, abs=6e-7)
    assert FiniteMechanism(design.channel()).worst().epsilon == pytest.approx(epsilon, abs=6e-7)


@pytest.mark.parametrize(("design", "_"), DESIGNS, ids=repr)
def test_every_draw_leads_to_the_answer_that_the_channel_says(design: SurveyDesign, _: float) -> None:
    """By enumeration: each number that can be drawn is drawn once."""
    for truth, row in enumerate(design.channel()):
        answers = [design.instructions[_told(design, drawn)].says[truth] for drawn in range(design.total)]
        assert Fraction(sum(answers), design.total) == row[1]


def _told(design: SurveyDesign, drawn: int) -> int:
    """What a number stands for, one instruction after the other."""
    for place, instruction in enumerate(design.instructions):
        if drawn < instruction.weight:
            return place
        drawn -= instruction.weight
    raise AssertionError


def test_drawing_uses_the_weights(source: BitSource) -> None:
    """n = 200,000, false alarm 1e-6; the control has another design's weights."""
    design = ForcedResponse("0.5", yes="0.1")
    drawn = design.instruct(200_000, source=source)
    assert_follows(drawn, {0: 0.5, 1: 0.1, 2: 0.4})
    assert_does_not_follow(drawn, {0: 0.5, 1: 0.11, 2: 0.39})
    answers = design.privatize(np.arange(200_000) % 2, source=source)
    assert_follows(answers[1::2], {0: 0.4, 1: 0.6})
    assert_follows(answers[::2], {0: 0.9, 1: 0.1})


def test_weights_beyond_a_word_are_drawn_exactly(source: BitSource) -> None:
    design = Warner(1 - Fraction(1, 2**70))
    assert design.total == 2**70
    assert not design.instruct(20, source=source).any()
    assert isinstance(UniformLaw(design.total).one(source), int)


def test_the_coin_for_an_epsilon_keeps_it() -> None:
    """P[heads] = e/(1 + e) at ε = 1: 0.731059, ratios e and 1/e."""
    design = Warner.calibrated(epsilon=1)
    assert Warner.calibrated(epsilon=20).total <= 2**52  # what browsers draw exactly
    assert float(design.yes_if_yes) == pytest.approx(0.731059, abs=5e-7)
    assert float(design.yes_if_no) == pytest.approx(0.268941, abs=5e-7)
    assert 1 - 1e-9 < design.epsilon <= 1


def test_two_coins_and_negating_after_two_heads_are_one_price() -> None:
    assert TwoCoins().loss == Warner("3/4").loss == PrivacyLoss.of(RandomizedResponseCurve.truthful("3/4"))


def test_facts_about_people_are_an_assumption() -> None:
    for design, _ in DESIGNS:
        stated = isinstance(design, UnrelatedQuestion | Crosswise)
        assert bool(design.assumption) is stated
        assert ("does not know" in repr(design.estimate(yes=1, answers=2))) is stated


def test_designs_are_shown_as_they_are_typed() -> None:
    assert repr(UnrelatedQuestion("0.5", prevalence="0.2")) == "UnrelatedQuestion(truth=0.5, prevalence=0.2)"
    assert repr(ForcedResponse("0.5", yes="0.1")) == "ForcedResponse(truth=0.5, yes=0.1)"
    assert repr(Disguised("0.7", "0.1")) == "Disguised(red_if_yes=0.7, red_if_no=0.1)"


def test_refuses_what_is_no_design() -> None:
    for broken in (lambda: Warner("0.5"), lambda: Crosswise("1/2"), lambda: ForcedResponse(0), lambda: Disguised(1, 1)):
        with pytest.raises(InvalidParameter, match="depend on the truth"):
            broken()
    with pytest.raises(InvalidParameter, match="at most 1"):
        ForcedResponse("0.8", yes="0.3")
    with pytest.raises(InvalidParameter, match="truth must be in"):
        Warner("1.2")
    for epsilon in (0, 1000, "1e-12"):
        with pytest.raises(InvalidParameter, match="epsilon must be in"):
            Warner.calibrated(epsilon=epsilon)


def test_an_answer_that_proves_the_truth_has_no_epsilon() -> None:
    assert ForcedResponse("0.5", yes="0.5").epsilon == math.inf
    assert Warner(1).epsilon == math.inf
