"""Mission rows R171 to R174, R176 and R184: attacks that work on exact answers, and what is left on private ones."""

import math
from collections.abc import Callable
from fractions import Fraction

import differencing
import height
import linkage
import membership
import numpy as np
import pytest
import reconstruction
from scipy.stats import binom

import privet
from privet.core import Ledger, Sensitivity
from privet.errors import BudgetExceeded
from privet.loss import Guarantee
from privet.mechanisms import DiscreteLaplace
from privet.noise import BitSource
from tests.support.statistics import FALSE_ALARM

pytestmark = pytest.mark.whole

RATINGS = linkage.ratings()


def at_least(share: float, of: int) -> float:
    """The smallest share of n trials that chance leaves at this probability, but for one run in a million."""
    return float(binom.ppf(FALSE_ALARM, of, share)) / of


def at_most(share: float, of: int) -> float:
    return float(binom.isf(FALSE_ALARM, of, share)) / of


@pytest.mark.parametrize(("scale", "recovered"), [(1, 0.9996), (3, 0.88), (12, 0.61), (512, 0.505)])
def test_r171_reconstruction_by_least_squares(scale: int, recovered: float) -> None:
    """128 bits of 40 people's databases, n = 5,120 bits; they depend on one another, so twice the binomial slack."""
    bits = 40 * reconstruction.PEOPLE
    share = reconstruction.attack(scale, repeats=40, programs=0).least_squares
    slack = 2 * max(recovered - at_least(recovered, bits), at_most(recovered, bits) - recovered)
    assert abs(share - recovered) <= slack + 0.005  # the row's own figure has two digits
    assert slack < 0.08


def test_r171_the_linear_program_does_better_and_fails_at_a_small_epsilon_too() -> None:
    sharp, blind = (reconstruction.attack(scale, repeats=2, programs=2) for scale in (1, 512))
    assert sharp.linear_program > 0.97
    assert blind.linear_program < at_most(0.53, 2 * reconstruction.PEOPLE)
    assert [sharp.epsilon, blind.epsilon] == [512, 1]


def test_r171_the_expected_share_is_that_of_least_squares() -> None:
    """Each bit errs by a normal of variance 2 b² 4/(512 - 128): rounding is right with probability Φ(0.5/deviation)."""
    for scale, recovered in ((1, 0.9996), (3, 0.88), (12, 0.61), (512, 0.505)):
        deviation = math.sqrt(2 * scale**2 * 4 / (reconstruction.QUESTIONS - reconstruction.PEOPLE))
        expected = 0.5 * (1 + math.erf(0.5 / deviation / math.sqrt(2)))
        assert expected == pytest.approx(recovered, abs=0.006)


def test_r171_a_ledger_ends_the_attack() -> None:
    answered, problem = reconstruction.refused()
    assert answered == 3
    assert "remains of the limit" in problem


@pytest.mark.parametrize("make", differencing.STORIES, ids=lambda make: make.__name__)
def test_r172_differencing(make: Callable[[], differencing.Story]) -> None:
    """200 attacks each: a guess does as well, and the attacker's own interval holds as often as it says."""
    story = make()
    assert story.without_privacy() == pytest.approx(story.secret, rel=1e-9)  # exact, without privacy
    runs = [story.with_privacy() for _ in range(200)]
    width = story.high - story.low
    assert all(margin > 2 * width for _, margin in runs)
    found = np.array([value for value, _ in runs])
    near = float((np.abs(found - story.secret) < width / 10).mean())
    assert near < at_most(0.1, 200)
    covered = float((np.abs(found - story.secret) <= [margin for _, margin in runs]).mean())
    assert covered >= at_least(0.95, 200)


def test_r172_a_third_answer_is_refused() -> None:
    """Two totals share the limit: half of ε for each, not ε for each."""
    story = differencing.midterm()
    ledger = Ledger(Guarantee(differencing.EPSILON), unit=differencing.PERSON)
    for column in (story.column, story.column[:-1]):
        privet.total(column, bounds=story.bounds, epsilon=differencing.EPSILON / 2, ledger=ledger)
    with pytest.raises(BudgetExceeded):
        privet.total(story.column, bounds=story.bounds, epsilon="0.01", ledger=ledger)


def test_r173_linkage_finds_people_in_rows_without_names() -> None:
    """The real figures are 99 % and 68 %: the invented ratings show the same shape, n = 200 people each."""
    few = linkage.identified(RATINGS, RATINGS, linkage.Memory(2, 3))
    many = linkage.identified(RATINGS, RATINGS, linkage.Memory(8, 14, wrong=2))
    assert 0.5 < few < 0.8
    assert many >= 0.97
    blind = linkage.identified(RATINGS, RATINGS, linkage.Memory(8, 14, wrong=8))
    assert blind < 0.02  # the control: who remembers nothing true finds nobody


def test_r173_coarser_rows_do_not_hide_people() -> None:
    assert linkage.identified(RATINGS.coarser(), RATINGS, linkage.Memory(8, 14, wrong=2)) > 0.9


def test_r173_private_counts_keep_membership_within_its_bound() -> None:
    """n = 200 pairs; the attacker is right with probability at most e^ε/(1 + e^ε) = (1 + tanh(ε/2))/2."""
    assert linkage.advantage(RATINGS, None) == 1
    right = (1 + linkage.advantage(RATINGS, 1)) / 2
    assert right <= at_most((1 + math.tanh(0.5)) / 2, linkage.TARGETS)


def test_r174_membership_advantage_falls_to_its_bound() -> None:
    """Exact frequencies give members away; at ε = 1 no attack gains more than tanh(1/2). n = 150 of each."""
    half = membership.TRIALS // 2
    exact = membership.attack(None)
    private = membership.attack(1)
    assert exact.advantage > 0.75
    assert exact.informed == 1
    assert private.bound == pytest.approx(0.462117, abs=5e-7)
    slack = 6 * math.sqrt(0.5 / half)  # two independent shares of `half` trials, each of variance at most 1/4 a trial
    assert private.advantage <= private.bound + slack
    assert private.advantage < 0.4
    assert private.informed < 0.4
    assert membership.attack(1000).advantage > 0.55  # the control: at a large ε the attack works again


def test_r174_the_best_attack_on_one_site_reaches_the_bound() -> None:
    """The bound cannot be lowered: one count that moves by its sensitivity, told apart at the middle."""
    mechanism = DiscreteLaplace.calibrated(epsilon=1, sensitivity=Sensitivity(1))
    q = math.exp(-1)
    present, absent = (np.array([(1 - q) / (1 + q) * q ** abs(k - truth) for k in range(-60, 61)]) for truth in (1, 0))
    assert np.abs(present - absent).sum() / 2 == pytest.approx(math.tanh(0.5), abs=1e-9)
    assert mechanism.loss.advantage() == pytest.approx(math.tanh(0.5), abs=1e-9)


def test_the_stories_state_how_far_one_person_moves_their_counts() -> None:
    """Genomes of all two against all zero; forty films against forty others; a bit in every set."""
    extremes = np.full(membership.SITES, 2) - np.zeros(membership.SITES)
    assert np.abs(extremes).sum() == membership.MOVED.l1
    assert np.abs(extremes).max() == membership.MOVED.per_cell
    mine = np.arange(linkage.EACH)
    others = np.arange(linkage.EACH, 2 * linkage.EACH)
    films = [np.bincount(each, minlength=linkage.FILMS) for each in (mine, others)]
    assert np.abs(films[0] - films[1]).sum() == linkage.MOVED.l1
    assert np.abs(films[0] - films[1]).max() == linkage.MOVED.per_cell
    assert all(len(set(row)) == linkage.EACH for row in RATINGS.film.tolist())  # nobody rates a film twice
    sets = reconstruction.questions()
    assert reconstruction.Outcome(1, 0, 0).epsilon >= np.abs(sets).sum(axis=0).max()  # never below what is paid


def test_r176_the_release_is_the_same_with_and_without_her() -> None:
    """The two laws differ by at most e^ε; what is learned of her is the same, though she is not in the data."""
    _, with_her, without = height.compared()
    ratio = np.maximum(with_her / without, without / with_her).max()
    assert 1 < ratio <= math.e * (1 + 1e-9)
    assert 0 < height.advantage() < math.tanh(0.5)
    everywhere = np.linspace(60, 72, 1_200_001)
    densities = [height.density(float(people.mean()), everywhere) for people in (height.with_terry(), height.heights())]
    for density in densities:
        assert density.sum() * 1e-5 == pytest.approx(1, abs=1e-6)
    assert np.abs(densities[0] - densities[1]).sum() * 1e-5 / 2 == pytest.approx(height.advantage(), abs=1e-6)
    assert np.abs(height.with_terry() - height.heights()).sum() <= height.HIGH - height.LOW
    estimates = [float(height.private_mean(height.heights()).value) - 2 for _ in range(20)]
    truth = height.heights().mean() - 2  # Terry's height by the side knowledge
    assert max(abs(each - truth) for each in estimates) < 0.6  # 25 scales of 0.024: a chance of 20 e^-25
    assert height.private_mean(height.heights()).loss.epsilon(0) == pytest.approx(height.EPSILON)


OUTLIER = 10**9
PEOPLE = [20, 35, 50, 41, 28]


def worst_ratio(totals: list[int], scale: Fraction) -> float:
    """The largest |ln ratio| of the two exact laws of a total with discrete Laplace noise: distance / scale."""
    answers = np.arange(min(totals) - 50, min(totals) + 51)
    return float(np.abs(np.abs(answers - totals[0]) - np.abs(answers - totals[1])).max() / float(scale))


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_r184_an_outlier_is_protected_after_clipping(epsilon: str, source: BitSource) -> None:
    """The worst pair replaces the largest value by a billion; clipped to [0, 100] it moves the total by at most 100.

    An audit of it: n = 100,000 totals of each, the event "at least the middle", within six deviations of e^ε.
    """
    moved = Sensitivity(100)
    mechanism = DiscreteLaplace.calibrated(epsilon=epsilon, sensitivity=moved)
    pair = [PEOPLE, [0 if value == max(PEOPLE) else value for value in PEOPLE]]
    pair[0] = [OUTLIER if value == max(PEOPLE) else value for value in PEOPLE]
    clipped = [sum(min(max(value, 0), 100) for value in data) for data in pair]
    assert worst_ratio(clipped, mechanism.scale) == pytest.approx(float(epsilon))
    raw = [sum(data) for data in pair]
    assert worst_ratio(raw, mechanism.scale) > 1e6 * float(epsilon)  # the control: without clipping
    number = 100_000
    middle = sum(clipped) // 2
    rates = [
        float((np.asarray(mechanism.sample(np.full(number, total), source)) >= middle).mean()) for total in clipped
    ]
    slack = 6 * math.sqrt(0.25 / number)
    assert rates[0] <= math.exp(float(epsilon)) * rates[1] + slack * (1 + math.exp(float(epsilon)))
    assert rates[0] > rates[1] + slack or float(epsilon) < 0.05
    exposed = [float((np.asarray(mechanism.sample(np.full(number, total), source)) >= middle).mean()) for total in raw]
    assert exposed == [1.0, pytest.approx(rates[1], abs=2 * slack)]  # an outlier that is not clipped is seen every time


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_r184_statistics_clip_the_outlier_and_pay_for_the_bounds(neighbors: str) -> None:
    """At ε = 10^6 nearly exact answers show what is added up: 100 for a billion, 0 for minus a billion.

    The noise moves a total by at most 1, and a mean of five by 1, but for a chance of e^-1000.
    """
    for outlier, counted in ((OUTLIER, 100), (-OUTLIER, 0)):
        data = np.array([*PEOPLE, outlier])
        total = privet.total(data, bounds=(0, 100), epsilon=10**6, neighbors=neighbors)
        assert float(total.value) == pytest.approx(sum(PEOPLE) + counted, abs=1)
        mean = privet.mean(data, bounds=(0, 100), epsilon=10**6, neighbors=neighbors)
        assert float(mean.value) == pytest.approx((sum(PEOPLE) + counted) / 6, abs=1)
    for statistic in (privet.total, privet.mean):
        prices = {
            statistic(data, bounds=(0, 100), epsilon=1, neighbors=neighbors).mechanism
            for data in (np.array(PEOPLE), np.array([*PEOPLE[:-1], OUTLIER]))
        }
        assert len(prices) == 1  # the noise does not depend on the outlier
