import math

from privet.loss.guarantee import Guarantee
from privet.loss.privacy_loss import PrivacyLoss
from privet.loss.rule_choice import admitted, best_rule, compare_rules
from privet.loss.rules import EpsilonSum, GaussianSum, RenyiSum, ZcdpSum
from tests.loss.losses import LEAK, UNPRICEABLE, normal, response


def test_gaussian_answers_go_furthest_by_their_squares() -> None:
    limit = Guarantee(1, "1e-6")
    assert best_rule(limit, answer=normal("0.01")) == GaussianSum()
    by_square = admitted(limit, rule=GaussianSum(), answer=normal("0.01"))
    assert (normal("0.01") * int(by_square)).meets(limit)  # as many as if fixed in advance: no price of adaptivity
    assert not (normal("0.01") * int(by_square + 1)).meets(limit)


def test_small_answers_are_admitted_by_the_square() -> None:
    limit = Guarantee(1, "1e-6")
    large, small = (compare_rules(limit, answer=response(level)) for level in (0.1, 0.001))
    assert isinstance(large.best, EpsilonSum)
    assert large.admissions[0].answers == 10
    assert isinstance(small.best, RenyiSum | ZcdpSum)
    assert small.admissions[0].answers > 30_000
    assert small.admissions[-1].answers == 1000
    assert str(small).splitlines()[0].split() == ["rule", "answers"]
    assert len(str(small).splitlines()) == 5


def test_the_share_of_delta_is_chosen_for_the_answer() -> None:
    limit = Guarantee(2, "1e-6")
    comparison = compare_rules(limit, answer=normal(0.05))
    sums = next(found for found in comparison.admissions if isinstance(found.rule, EpsilonSum))
    assert sums.answers >= 5
    shares = ("1e-9", "1e-8", "1e-7", "5e-7")
    assert all(
        admitted(limit, rule=EpsilonSum(delta_per_answer=share), answer=normal(0.05)) <= sums.answers
        for share in shares
    )
    assert comparison.admissions[0].answers > 3 * sums.answers


def test_a_free_answer_is_admitted_for_ever_and_an_unpayable_one_never() -> None:
    limit = Guarantee(1, "1e-6")
    assert {found.answers for found in compare_rules(limit, answer=PrivacyLoss()).admissions} == {math.inf}
    for loss in (LEAK, *UNPRICEABLE):
        assert {found.answers for found in compare_rules(limit, answer=loss).admissions} == {0}
