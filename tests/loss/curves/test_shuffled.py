import math
from fractions import Fraction

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.loss import (
    ApproximateCurve,
    FiniteCurve,
    GaussianCurve,
    KaryResponseCurve,
    PrivacyLoss,
    RandomizedResponseCurve,
    ShuffledResponseCurve,
)
from privet.loss.curves.shuffled import ShuffledCurve, positive_part
from privet.loss.curves.tallies import TallyProfile
from tests.support.exact_sums import hockey_stick

of = PrivacyLoss.of


@pytest.mark.parametrize(
    ("reports", "local", "central"),
    [(1000, 1, 0.18241), (1000, 3, 1.26463), (10_000, 2, 0.15505), (100_000, 4, 0.16977), (100_000, 6, 0.52418)],
)
def test_clones_bound_reproduces_independent_values(reports: int, local: int, central: float) -> None:
    assert of(ApproximateCurve(local)).shuffled(reports).epsilon(1e-6) == pytest.approx(central, abs=6e-6)


def test_the_apple_repository_brackets_it() -> None:
    found = of(ApproximateCurve(4)).shuffled(100_000).epsilon(1e-6)
    assert 0.1675385583317841 < found < 0.172790550755978


@pytest.mark.parametrize(
    ("categories", "local", "reports", "central"),
    [
        (10, 1, 1000, 0.0802),
        (100, 2, 1000, 0.1013),
        (10, 2, 10_000, 0.0798),
        (100, 4, 10_000, 0.2339),
    ],
)
def test_blanket_bound_of_kary_response(categories: int, local: int, reports: int, central: float) -> None:
    found = of(KaryResponseCurve(categories, local)).shuffled(reports).epsilon(1e-6)
    assert central * 0.999 <= found <= central * 1.01


def test_one_report_is_not_amplified_and_many_never_cost_more_than_the_local_loss() -> None:
    assert of(ApproximateCurve(1)).shuffled(1).epsilon(1e-6) == pytest.approx(
        of(ApproximateCurve(1)).epsilon(1e-6), rel=1e-9
    )
    assert of(ApproximateCurve(6)).shuffled(20).epsilon(1e-9) <= 6


def test_clones_bound_against_the_whole_sum() -> None:
    """Every count of clones and of their kinds, by brute force."""
    n = 12
    local = 1.5
    epsilon = 0.3
    truth = 1 / (1 + math.exp(-local))
    clone = math.exp(-local)
    total = 0.0
    for c in range(n):
        weight = math.comb(n - 1, c) * clone**c * (1 - clone) ** (n - 1 - c)
        law: dict[int, float] = {}
        for a in range(c + 1):
            mass = math.comb(c, a) / 2**c
            for own, chance in ((1, truth), (0, 1 - truth)):
                law[a + own] = law.get(a + own, 0.0) + mass * chance
        total += weight * sum(max(law[k] - math.exp(epsilon) * law[c + 1 - k], 0) for k in law)
    found = ShuffledCurve(local, n).removing(np.array([epsilon]))[0]
    assert total <= found <= total * (1 + 1e-6)


def test_positive_part_against_the_binomial() -> None:
    values = np.array([1.0, -2.0])
    chances = np.array([0.6, 0.4])
    times = 50
    exact = sum(
        math.comb(times, k) * 0.6**k * 0.4 ** (times - k) * max(k - 2 * (times - k), 0) for k in range(times + 1)
    )
    assert exact <= positive_part(values, chances, times) <= exact * 1.001


# --- yes or no: the tally, exactly --------------------------------------------------------------------------------


def tally_of(chances: list[float]) -> np.ndarray:
    """The law of a sum of independent bits."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return law


def worst_tally(low: float, high: float, reports: int, epsilon: float) -> float:
    """The definition: all values of the others, both directions, every outcome."""
    worst = 0.0
    for ones in range(reports):
        others = [high] * ones + [low] * (reports - 1 - ones)
        one, other = tally_of([*others, high]), tally_of([*others, low])
        worst = max(worst, hockey_stick(one, other, epsilon), hockey_stick(other, one, epsilon))
    return worst


@pytest.mark.parametrize(
    ("flip_zero", "flip_one"), [("0.25", "0.25"), ("0.1", "0.3"), ("0.02", "0.02"), ("0.4", "0.5")]
)
@pytest.mark.parametrize("reports", [1, 2, 5, 23, 60])
def test_binary_response_against_every_value_of_the_others(flip_zero: str, flip_one: str, reports: int) -> None:
    """Never below, and exact to a thousandth."""
    loss = of(RandomizedResponseCurve(flip_zero, flip_one)).shuffled(reports)
    low = float(flip_zero)
    high = 1 - float(flip_one)
    for share in (0.0, 0.03, 0.3, 0.9):
        epsilon = share * float(loss.largest_loss)
        truth = worst_tally(low, high, reports, epsilon)
        assert truth * (1 - 1e-12) <= loss.delta(epsilon) <= truth * 1.001
    assert loss.delta(loss.largest_loss) == 0


def test_the_others_all_alike_are_not_always_the_worst() -> None:
    """Why all of them are tried: n = 10, flips of 0.1, epsilon 0.05."""
    alike = [_stick([0.9] * ones + [0.1] * (9 - ones), 0.05) for ones in (0, 9)]
    assert worst_tally(0.1, 0.9, 10, 0.05) > 1.2 * max(alike)


def _stick(others: list[float], epsilon: float) -> float:
    one, other = tally_of([*others, 0.9]), tally_of([*others, 0.1])
    return max(hockey_stick(one, other, epsilon), hockey_stick(other, one, epsilon))


@pytest.mark.parametrize(("reports", "central"), [(1000, 0.126614), (10_000, 0.035659)])
def test_binary_response_has_one_shuffle_price(reports: int, central: float) -> None:
    """The values are exact for others who all hold a zero, so no bound may be below; and however it is written down."""
    truth = 1 / (1 + Fraction(math.exp(-1)))
    prices = [
        of(curve).shuffled(reports).epsilon(1e-6)
        for curve in (
            KaryResponseCurve(2, 1),
            RandomizedResponseCurve.truthful(truth),
            FiniteCurve([[truth, 1 - truth], [1 - truth, truth], ["1/2", "1/2"]]),
        )
    ]
    assert prices == pytest.approx([prices[0]] * 3, rel=1e-9)
    assert central * (1 - 1e-5) < prices[0] < central * 1.001


def test_people_of_whom_nothing_is_said_are_given_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of many numbers of ones: dearer than the truth, and never cheaper."""
    monkeypatch.setattr("privet.loss.curves.tallies.BLOCKS", 5)
    monkeypatch.setattr("privet.loss.curves.tallies.FINEST", 1)
    for epsilon in (0.0, 0.1, 0.5):
        truth = worst_tally(0.2, 0.7, 60, epsilon)
        coarse = [TallyProfile(*chances, 60) for chances in ((0.2, 0.7), (0.3, 0.8))]
        gains = [high - math.exp(epsilon) * low for low, high in ((0.2, 0.7), (0.3, 0.8))]
        found = max(
            gain * float(profile(np.array([math.expm1(epsilon) / gain]))[0])
            for gain, profile in zip(gains, coarse, strict=True)
        )
        assert truth < found < 2 * truth


@pytest.mark.parametrize(("low", "high", "reports"), [(0.25, 0.75, 40), (0.1, 0.7, 900), (0.27, 0.73, 10_000)])
def test_chords_lie_just_above_single_values(low: float, high: float, reports: int) -> None:
    """Two computations of one number: a table for many values, and the definition's geometric sums for each."""
    profile = TallyProfile(low, high, reports)
    places = np.linspace(0.0, 5 / math.sqrt(reports), 20)
    many = profile(places)
    single = np.concatenate([profile(places[:8]), profile(places[8:16]), profile(places[16:])])
    assert (single * (1 - 1e-9) <= many).all()
    assert (many <= single * 1.005).all()


def test_a_run_of_counts_of_clones_costs_no_less(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = ShuffledCurve(1, 4000).removing(np.array([0.05]))[0]
    monkeypatch.setattr("privet.loss.curves.shuffled.FINEST", 100)
    assert exact < ShuffledCurve(1, 4000).removing(np.array([0.05]))[0] < exact * 1.2


def test_flips_that_exchange_zero_and_one_cost_the_same() -> None:
    price = of(RandomizedResponseCurve("0.2", "0.3")).shuffled(500).delta("0.1")
    assert of(RandomizedResponseCurve("0.7", "0.8")).shuffled(500).delta("0.1") == pytest.approx(price, rel=1e-9)
    assert of(RandomizedResponseCurve("0.4", "0.6")).shuffled(500).delta(0) == 0
    with pytest.raises(InvalidParameter, match="flip_zero and flip_one"):
        ShuffledResponseCurve("0.7", "0.8", 500)
    with pytest.raises(InvalidParameter, match="flip_zero and flip_one"):
        ShuffledResponseCurve(0, "0.8", 500)


def test_very_many_bits_are_priced_by_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = of(RandomizedResponseCurve("0.3", "0.3")).shuffled(200)
    level = exact.epsilon(1e-6)
    monkeypatch.setattr("privet.loss.curves.shuffled.MOST", 100)
    top = of(RandomizedResponseCurve("0.3", "0.3")).epsilon(0)
    assert exact.delta(level) == pytest.approx(ShuffledCurve(top, 200).removing(np.array([level]))[0], rel=1e-9)
    kary = of(KaryResponseCurve(2, top)).shuffled(200)
    assert 1.1e-6 < kary.delta(level) <= exact.delta(level) * (1 + 1e-9)


def test_refuses_what_has_no_local_guarantee() -> None:
    with pytest.raises(InvalidParameter, match="pure local loss"):
        of(GaussianCurve(1)).shuffled(100)
    with pytest.raises(InvalidParameter, match="pure local loss"):
        of(RandomizedResponseCurve(0, "0.5")).shuffled(100)
    with pytest.raises(InvalidParameter, match="REPLACE"):
        of(ApproximateCurve(1)).sampled(0.5).shuffled(100)
    with pytest.raises(InvalidParameter, match="reports"):
        of(ApproximateCurve(1)).shuffled(0)
