"""Readings against exact sums in ball arithmetic: never below the truth, by not even one unit in the last place."""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import pytest
from flint import arb, arb_poly

from privet.loss import (
    ApproximateCurve,
    DiscreteLaplaceCurve,
    FiniteCurve,
    GaussianCurve,
    KaryResponseCurve,
    LaplaceCurve,
    PrivacyLoss,
    RandomizedResponseCurve,
)
from tests.support.loss_oracle import ball, digits


@pytest.fixture(autouse=True)
def many_digits() -> Iterator[None]:
    with digits():
        yield


@dataclass(frozen=True)
class Case:
    """A composed loss, and its loss distribution: mass of each whole multiple of `unit`, from `low` upwards."""

    loss: PrivacyLoss
    unit: arb
    low: int
    masses: list[arb]

    def delta(self, epsilon: float) -> arb:
        """The hockey stick, summed."""
        level = ball(epsilon)
        terms = (
            mass * (1 - (level - (self.low + i) * self.unit).exp())
            for i, mass in enumerate(self.masses)
            if (self.low + i) * self.unit > level
        )
        return sum(terms, arb(0))


def composed(loss: PrivacyLoss, times: int, unit: arb, atoms: dict[int, arb]) -> Case:
    low = min(atoms)
    power = arb_poly([atoms.get(low + i, arb(0)) for i in range(max(atoms) - low + 1)]) ** times
    return Case(loss * times, unit, low * times, [power[i] for i in range(power.length())])


def kary_case(rng: random.Random) -> Case:
    k = rng.randint(2, 20)
    epsilon = Fraction(rng.choice([1, 7, 30, 120, 400]), 100)
    grown = ball(epsilon).exp()
    whole = grown + k - 1
    atoms = {1: grown / whole, 0: (k - 2) / whole, -1: 1 / whole}
    return composed(PrivacyLoss.of(KaryResponseCurve(k, epsilon)), rng.choice([1, 2, 5, 40]), ball(epsilon), atoms)


def pure_case(rng: random.Random) -> Case:
    epsilon = Fraction(rng.choice([1, 10, 33, 100, 300]), 100)
    truth = 1 / (1 + (-ball(epsilon)).exp())
    loss = PrivacyLoss.of(ApproximateCurve(epsilon))
    return composed(loss, rng.choice([1, 2, 10, 100, 400]), ball(epsilon), {1: truth, -1: 1 - truth})


def geometric_case(rng: random.Random) -> Case:
    scale = Fraction(rng.randint(1, 400), rng.choice([1, 3, 10, 50]))
    shift = rng.choice([1, 1, 2, 7])
    ratio = (-1 / ball(scale)).exp()
    atoms = {shift: 1 - ratio / (1 + ratio), -shift: ratio**shift / (1 + ratio)}
    for k in range(1, shift):
        atoms[shift - 2 * k] = (1 - ratio) / (1 + ratio) * ratio**k
    loss = PrivacyLoss.of(DiscreteLaplaceCurve(scale, shift))
    return composed(loss, rng.choice([1, 2, 3, 20, 60]), ball(1 / scale), atoms)


CASES = [kary_case, pure_case, geometric_case]


def check(case: Case, rng: random.Random) -> None:
    top = float(case.loss.largest_loss)
    for epsilon in (0.0, rng.random() * top, top * rng.random() ** 3, top * (1 - rng.random() ** 4 / 10)):
        assert not ball(case.loss.delta(epsilon)) < case.delta(epsilon), (case.loss, epsilon)
    for delta in (1e-3, 1e-6, 1e-10, 1e-50):
        assert not case.delta(case.loss.epsilon(delta)) > ball(delta), (case.loss, delta)
        low = case.loss.lower_bound(delta)
        assert low == 0 or not case.delta(low * (1 - 1e-12)) < ball(delta), (case.loss, delta)


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("seed", range(12))
def test_compositions(make: Callable[[random.Random], Case], seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - picks cases
    for _ in range(4):
        check(make(rng), rng)


@pytest.mark.soak
@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
def test_many_compositions(make: Callable[[random.Random], Case]) -> None:
    rng = random.Random()  # noqa: S311 - picks cases
    for _ in range(1_000):
        check(make(rng), rng)


def test_a_reading_one_part_in_a_trillion_too_low_is_caught() -> None:
    """The control: the exact sums would notice."""
    truth = 1 / (1 + ball(-1.0).exp())
    case = composed(PrivacyLoss.of(ApproximateCurve(1)), 1, ball(1.0), {1: truth, -1: 1 - truth})
    assert ball(case.loss.delta(0.3) * (1 - 1e-12)) < case.delta(0.3)


@pytest.mark.parametrize("times", [1, 2, 10, 60])
@pytest.mark.parametrize("rate", ["0.001", "0.05", "0.5", "0.99"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_sampled_compositions(epsilon: str, rate: str, times: int) -> None:
    """Sampled randomized response has two outcomes, so all of its compositions can be summed, in both directions."""
    truth = 1 / (1 + (-ball(epsilon)).exp())
    share = ball(rate)
    present = share * truth + (1 - share) * (1 - truth)
    loss = PrivacyLoss.of(ApproximateCurve(epsilon)).sampled(rate) * times
    for level in (0.0, float(loss.largest_loss) * 0.1, float(loss.largest_loss) * 0.7):
        grown = ball(level).exp()
        exact = arb(0)
        for p, q in ((present, 1 - truth), (1 - truth, present)):
            gaps = (
                math.comb(times, k) * (p**k * (1 - p) ** (times - k) - grown * q**k * (1 - q) ** (times - k))
                for k in range(times + 1)
            )
            exact = max(exact, sum((gap for gap in gaps if gap > 0), arb(0)), key=lambda found: float(found.mid()))
        found = loss.delta(level)
        assert not ball(found) < exact
        assert found <= float(exact.mid()) * 1.01 + 1e-9


@pytest.mark.parametrize("rate", ["0.01", "0.3", "0.9"])
@pytest.mark.parametrize("times", [1, 2, 5])
def test_sampled_compositions_of_compositions(rate: str, times: int) -> None:
    """The inner curve is itself computed; its wiggles must neither fall below the truth nor add up."""
    inner_levels = [ball("0.77")] * 3 + [ball("0.85")]
    share = ball(rate)
    inner = PrivacyLoss.of(ApproximateCurve("0.77"), 3) + PrivacyLoss.of(ApproximateCurve("0.85"))
    p, q = [arb(1)], [arb(1)]
    for one in inner_levels:
        truth = 1 / (1 + (-one).exp())
        p = [x * t for x in p for t in (truth, 1 - truth)]
        q = [x * t for x in q for t in (1 - truth, truth)]
    pairs = Counter[str]()
    outcomes: dict[str, tuple[arb, arb]] = {}
    for x, y in zip(p, q, strict=True):  # equal outcomes are counted together, or five runs would be a million
        key = str((x / y).log().mid())[:20]
        pairs[key] += 1
        outcomes[key] = (share * x + (1 - share) * y, y)
    both = [(pairs[key] * x, pairs[key] * y) for key, (x, y) in outcomes.items()]
    joint = [(arb(1), arb(1))]
    for _ in range(times):
        joint = [(x * a, y * b) for x, y in joint for a, b in both]
    loss = inner.sampled(rate) * times
    for level in (0.0, 0.05, 0.3):
        grown = ball(level).exp()
        sums = [
            sum((gap for gap in ((x - grown * y) if leaving else (y - grown * x) for x, y in joint) if gap > 0), arb(0))
            for leaving in (True, False)
        ]
        exact = max(sums, key=lambda found: float(found.mid()))
        assert not ball(loss.delta(level)) < exact
        assert loss.delta(level) <= float(exact.mid()) * 1.001 + 1e-6


SMALL = [Fraction(1, 10**6), Fraction(3, 1000), Fraction(1, 3), Fraction(2), Fraction(40)]
ORDERS = [1.0001, 1.015, 1.5, 2.0, 17.0, 300.0]


def divergence(p: list[arb], q: list[arb], order: float) -> arb:
    a = ball(order)
    return sum((x**a * y ** (1 - a) for x, y in zip(p, q, strict=True)), arb(0)).log() / (a - 1)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("epsilon", SMALL, ids=str)
def test_renyi_divergences(epsilon: Fraction, order: float) -> None:
    level, a = ball(epsilon), ball(order)
    truth = 1 / (1 + (-level).exp())
    response = divergence([truth, 1 - truth], [1 - truth, truth], order)
    grown = a / (2 * a - 1) * ((a - 1) * level).exp() + (a - 1) / (2 * a - 1) * (-a * level).exp()
    whole = level.exp() + 4
    kary = [level.exp() / whole, 1 / whole, 3 / whole]
    expected = [
        (PrivacyLoss.of(ApproximateCurve(epsilon)), response),
        (PrivacyLoss.of(LaplaceCurve(epsilon)), grown.log() / (a - 1)),
        (PrivacyLoss.of(GaussianCurve(epsilon)), a * level**2 / 2),
        (PrivacyLoss.of(KaryResponseCurve(5, epsilon)), divergence(kary, [kary[1], kary[0], kary[2]], order)),
    ]
    for loss, exact in expected:
        assert not ball(loss.renyi(order)) < exact, loss
        assert loss.renyi(order) <= float(exact.mid()) * (1 + 1e-6), loss


@pytest.mark.parametrize("order", ORDERS)
def test_renyi_divergences_of_tables(order: float) -> None:
    rows = (
        (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)),
        (Fraction(499, 1000), Fraction(301, 1000), Fraction(1, 5)),
    )
    first, second = ([ball(x) for x in row] for row in rows)
    both = (divergence(first, second, order), divergence(second, first, order))
    exact = max(both, key=lambda found: float(found.mid()))
    loss = PrivacyLoss.of(FiniteCurve(rows))
    assert not ball(loss.renyi(order)) < exact
    assert loss.renyi(order) <= float(exact.mid()) * (1 + 1e-8)
    nearly_fair = PrivacyLoss.of(RandomizedResponseCurve("0.499988", "0.499988"))
    p = [ball(Fraction("0.500012")), ball(Fraction("0.499988"))]
    assert not ball(nearly_fair.renyi(order)) < divergence(p, p[::-1], order)


def test_a_window_that_begins_above_epsilon_hides_nothing() -> None:
    rows = (
        (Fraction(1, 50), Fraction(97, 100), Fraction(1, 100)),
        (Fraction(25, 74), Fraction(1, 148), Fraction(97, 148)),
    )
    loss = PrivacyLoss.of(FiniteCurve(rows)) * 4
    assert loss.delta(0.0128) >= 0.999622  # 0.970148 while the window hid what lay below it
    deltas = [(PrivacyLoss.of(FiniteCurve(rows)) * times).delta(0) for times in range(1, 9)]
    assert deltas == sorted(deltas)


def test_exact_costs_stay_exact() -> None:
    """Ten answers of 0.1 are one, in every currency a rule adds up."""
    tenth = PrivacyLoss.of(ApproximateCurve("0.1"))
    assert (tenth * 10).epsilon(0) == 1.0
    assert PrivacyLoss.of(GaussianCurve("0.2")).zcdp() == 0.02
    assert (PrivacyLoss.of(GaussianCurve("0.2")) * 50).zcdp() == 1.0
    assert math.isinf(PrivacyLoss.of(GaussianCurve("0.2")).epsilon(0))
