"""What a loss means for one unit: numbers of the sources, rounded against us, of everything that has a loss."""

import json
import math
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

import privet
from privet import ConcentratedGuarantee, Guarantee, Ledger, PrivacyLoss, Unit, describe
from privet.errors import InvalidParameter
from privet.explain.stated import Level, belief_level, raised
from privet.loss import ApproximateCurve, GaussianCurve, LaplaceCurve, RandomizedResponseCurve
from privet.mechanisms import Laplace

PERSON = Unit("person")
COINS = PrivacyLoss.of(RandomizedResponseCurve("1/4", "1/4"))  # ln 3


@pytest.mark.parametrize(
    ("epsilon", "advantage"), [("0.1", 0.049958), ("1", 0.462117), ("2", 0.761594)], ids=["0.1", "1", "2"]
)
def test_the_best_attacker_gains_tanh_of_half_epsilon(epsilon: str, advantage: float) -> None:
    found = describe(Guarantee(epsilon)).advantage
    assert found == pytest.approx(advantage, abs=1e-6)
    assert found >= math.tanh(float(epsilon) / 2)


def test_two_coins_move_beliefs_as_bayes_says() -> None:
    one, ten, half = describe(COINS).beliefs
    assert (ten.at_least, ten.at_most) == pytest.approx((0.035714, 0.25), abs=1e-6)
    assert (half.at_least, half.at_most) == pytest.approx((0.25, 0.75), abs=1e-9)
    assert one.at_most == pytest.approx(0.029412, abs=1e-6)
    assert ten.at_most >= 0.25
    assert ten.failure == 0


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_tests_with_few_false_alarms_find_few(epsilon: float) -> None:
    loss = PrivacyLoss.of(ApproximateCurve(epsilon))
    found = [each.found for each in describe(loss).accusations]
    true = [min(math.exp(epsilon) * a, 1 - math.exp(-epsilon) * (1 - a)) for a in (0.01, 0.05)]
    assert found == pytest.approx(true, rel=1e-6)
    assert all(said >= known * (1 - 1e-15) for said, known in zip(found, true, strict=True))


def test_beliefs_agree_with_the_loss() -> None:
    for loss in (PrivacyLoss.of(GaussianCurve(1)), PrivacyLoss.of(LaplaceCurve(1)), COINS * 3):
        level, chance = belief_level(loss, failure=1e-5)
        assert (chance == 0) == math.isfinite(loss.epsilon(0))
        low, high = loss.posterior(0.1, failure=chance)
        assert math.log(high / (1 - high) * 9) == pytest.approx(level, rel=1e-9)
        assert math.log(low / (1 - low) * 9) == pytest.approx(-level, rel=1e-9)


def test_a_loss_that_may_be_infinite_has_beliefs_with_twice_the_failure() -> None:
    level, chance = belief_level(PrivacyLoss.of(ApproximateCurve(1, "1e-6")), failure=1e-6)
    assert level == pytest.approx(1 + math.log(2), rel=1e-6)
    assert chance == 2e-6


def test_groups_and_years_are_bounds() -> None:
    """A group of pure losses: k ε and tanh(k ε/2). Of (ε, δ): the δ of a group grows by (e^(kε) - 1)/(e^ε - 1)."""
    found = describe(Guarantee(1))
    assert [(size, level.epsilon) for size, level in found.groups] == [(2, 2.0), (5, 5.0)]
    assert [level.advantage for _, level in found.groups] == pytest.approx([math.tanh(1), math.tanh(2.5)], rel=1e-9)
    two = Level.of_group(PrivacyLoss.of(ApproximateCurve(1, "1e-6")), 2, delta=Fraction("1e-6"))
    assert two.epsilon == 2
    assert two.delta == pytest.approx(1e-6 * (1 + math.e), rel=1e-6)
    gauss = PrivacyLoss.of(GaussianCurve(1))
    assert Level.of_group(gauss, 3, delta=Fraction("1e-6")) == Level.of(
        PrivacyLoss.of(GaussianCurve(3)), delta=Fraction("1e-6")
    )
    assert dict(found.over_years)[10].epsilon == 10
    assert dict(found.over_years)[10].advantage == pytest.approx((found.loss * 10).advantage())


def test_years_of_a_delta_add_up() -> None:
    found = describe(Guarantee(1, "1e-6"), years=4)
    told = [(years, raised(level.epsilon), level.delta) for years, level in found.over_years]
    assert told == [(2, "2", 2e-6), (4, "4", 4e-6)]
    assert describe(Guarantee(1), years=1).over_years == ()


def test_a_ledger_is_described_at_its_limit() -> None:
    ledger = Ledger(Guarantee(2, "1e-6"), unit=Unit("household", "replace"))
    before = describe(ledger)
    privet.count([1, 2, 3], epsilon=1, ledger=ledger, unit=ledger.unit, purpose="people")
    found = describe(ledger)
    assert (before.level, before.groups) == (found.level, found.groups)
    assert (found.level.epsilon, found.level.delta) == (2.0, 1e-6)
    assert "ε=1, δ=0 of (ε=2, δ=1e-6)-DP is spent" in repr(found)
    assert "which of two possible data one household has" in repr(found)
    assert len(ledger.entries) == 1  # describing is free


def test_answers_models_mechanisms_and_curves_are_described() -> None:
    answer = privet.count([1, 2, 3], epsilon="0.5", purpose="people")
    assert describe(answer).title == "the answer 'people': (ε=0.5)-DP per person, one unit more or less"
    assert describe(Laplace(1, 2)).level == describe(LaplaceCurve("0.5")).level
    assert describe(answer).level == describe(answer.loss).level
    model = SimpleNamespace(privacy_=SimpleNamespace(loss=answer.loss, unit=PERSON, purpose="a model"))
    assert describe(model).title == "the answer 'a model': (ε=0.5)-DP per person, one unit more or less"
    assert describe(ConcentratedGuarantee("0.1")).level.epsilon == pytest.approx(2.1411, abs=1e-3)


def test_random_dp_says_that_it_may_fail() -> None:
    assert "with probability 5 % over the data none of this holds" in repr(describe(Guarantee(1, 0, "0.05")))


def test_losses_without_a_bound_say_so() -> None:
    found = describe(PrivacyLoss.of(ApproximateCurve(0, "0.1")), delta="1e-6")
    assert "no ε holds" in found.title
    assert found.to_dict()["epsilon"] is None
    assert found.beliefs[0].at_most == 1.0


def test_nothing_reveals_nothing() -> None:
    found = describe(PrivacyLoss())
    assert (found.advantage, found.level.epsilon) == (0.0, 0.0)
    assert "gains at most 0 %" in repr(found)


def test_json_holds_every_number() -> None:
    found = describe(PrivacyLoss.of(GaussianCurve(1)), unit="patient", delta="1e-5")
    said = json.loads(found.to_json())
    assert said["delta"] == 1e-5
    assert said["epsilon"] == pytest.approx(4.377178, abs=1e-6)
    assert said["unit"] == {"name": "patient", "neighbors": "add_remove"}
    assert said["beliefs"][2]["at_most"] == found.beliefs[2].at_most
    assert said["years"][-1] == {"years": 10, **vars(found.over_years[-1][1])}
    assert PrivacyLoss.from_json(json.dumps(said["loss"])) == found.loss


def test_a_notebook_shows_the_same_words_and_no_tags() -> None:
    ledger = Ledger(Guarantee(1), unit=Unit("<b>"))
    shown = describe(ledger)._repr_html_()
    assert "46.3 %" in shown
    assert "<b>" not in shown
    assert "http" not in shown


def test_the_picture_has_four_panels(tmp_path: Path) -> None:
    found = describe(Guarantee(1, "1e-6"))
    assert repr(found.chart()) == "Chart(4 panels)"
    assert found.chart().save(tmp_path / "described.png").stat().st_size > 20_000
    assert repr(describe(Guarantee(1), years=1).chart()) == "Chart(3 panels)"


@pytest.mark.parametrize("wrong", [1, "ε = 1", None, [1], object()], ids=["1", "text", "None", "list", "object"])
def test_what_has_no_loss_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidParameter, match="describe needs a loss"):
        describe(wrong)


def test_wrong_words_are_refused() -> None:
    for wrong in (0, 1):
        with pytest.raises(InvalidParameter, match="delta must lie between 0 and 1"):
            describe(Guarantee(1), delta=wrong)
    for years in (0, 101, "two"):
        with pytest.raises(InvalidParameter, match="years must be a whole number"):
            describe(Guarantee(1), years=years)  # type: ignore[arg-type] # wrong on purpose


def test_bounds_for_people_are_not_below() -> None:
    for number in (0.3, 1 / 3, 4.606906, 1e-6, 12345.6):
        assert Fraction(raised(number)) >= Fraction(number) * (1 - Fraction(1, 10**15))
