"""The best of a random number of runs, against its exact law on finite mechanisms."""

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import logsumexp

from privet.errors import InvalidParameter
from privet.loss import (
    ApproximateCurve,
    BestOfCurve,
    BestOfPoissonCurve,
    FiniteCurve,
    GaussianCurve,
    Guarantee,
    PrivacyLoss,
)
from privet.loss.curve import Array, LossCurve
from privet.loss.curves.best_of import BestOf

Row = Sequence[Fraction]
Generating = Callable[[float], float]
LEVELS = np.array([0.0, 0.05, 0.2, 0.5, 1.0, 1.7, 3.0])
SHAPES = ["-0.5", "0", "0.5", "1", "3"]
of = PrivacyLoss.of


def generating(curve: BestOf) -> Generating:
    """f(x) = E[x^J], in the words of the paper."""
    if isinstance(curve, BestOfPoissonCurve):
        return lambda x: math.exp(float(curve.mean_runs) * (x - 1))
    assert isinstance(curve, BestOfCurve)
    stop, shape = float(curve.stop), float(curve.shape)
    if not shape:
        return lambda x: math.log1p(-(1 - stop) * x) / math.log(stop)
    return lambda x: ((1 - (1 - stop) * x) ** -shape - 1) / (stop**-shape - 1)


def best_law(row: Row, scores: Sequence[int], f: Generating) -> list[float]:
    """How likely each outcome is to be the best of J runs; of equals each is as likely as it is among them."""
    found = []
    for chance, score in zip(row, scores, strict=True):
        below = sum((p for p, other in zip(row, scores, strict=True) if other < score), Fraction(0))
        level = sum((p for p, other in zip(row, scores, strict=True) if other == score), Fraction(0))
        found.append(float(chance / level) * (f(float(below + level)) - f(float(below))) if level else 0.0)
    return found


def hockey(p: Sequence[float], q: Sequence[float], epsilon: Array) -> Array:
    gaps = np.array(p)[:, None] - np.exp(epsilon)[None, :] * np.array(q)[:, None]
    return np.asarray(np.maximum(gaps, 0.0).sum(axis=0))


def drawn_pair(rng: random.Random) -> tuple[Row, Row, list[int]]:
    size = rng.randint(2, 6)
    rows = []
    for _ in range(2):
        weights = [rng.choice([1, 1, 2, 5, 40, 300]) for _ in range(size)]
        rows.append([Fraction(w, sum(weights)) for w in weights])
    return rows[0], rows[1], [rng.randint(0, 3) for _ in range(size)]


def curves(inner: PrivacyLoss, rng: random.Random) -> list[BestOf]:
    stop = rng.choice(["0.5", "0.1", "0.02", "0.001"])
    return [*(BestOfCurve(inner, stop, shape) for shape in SHAPES), BestOfPoissonCurve(inner, rng.choice([1, 4, 15]))]


def check(seed: int) -> float:
    """Assert that no exact hockey stick or Rényi divergence is above; return how near they came."""
    rng = random.Random(seed)  # noqa: S311 - picks cases
    p, q, scores = drawn_pair(rng)
    near = 0.0
    for curve in curves(of(FiniteCurve((p, q))), rng):
        f = generating(curve)
        none = f(0.0)
        mine, theirs = ([*best_law(row, scores, f), none] for row in (p, q))
        for one, other in ((mine, theirs), (theirs, mine)):
            exact, told = hockey(one, other, LEVELS), curve.removing(LEVELS)
            assert (exact <= told + 1e-12).all(), (seed, curve)
            near = max(near, float(np.max(exact[exact > 1e-3] / told[exact > 1e-3], initial=0.0)))
            for order in (1.5, 4.0, 30.0):
                parts = [order * math.log(a) + (1 - order) * math.log(b) for a, b in zip(one, other, strict=True) if a]
                assert logsumexp(parts) / (order - 1) <= curve.renyi(order)[0] + 1e-9, (seed, curve, order)
    return near


def test_no_finite_mechanism_costs_more_than_is_told() -> None:
    assert max(map(check, range(25))) > 0.7  # and some cost nearly that


@pytest.mark.soak
def test_no_finite_mechanism_of_many_costs_more_than_is_told() -> None:
    assert max(map(check, range(1000, 4000))) > 0.8


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("stop", ["0.3", "0.01", "0.0001"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_the_pure_price_is_attained(epsilon: str, stop: str, shape: str) -> None:
    """Below a top that is lost lies an outcome that is gained: the price of this pair is the price of any."""
    grown, sliver = Fraction(math.exp(float(epsilon))), Fraction(1, 10**6)
    inner = of(ApproximateCurve(epsilon))
    curve = BestOfCurve(inner, stop, shape)
    top, rest = 1 / (1 + grown), grown / (1 + grown)
    p = [rest - sliver, sliver, top]
    q = [1 - rest - sliver / grown, sliver / grown, rest]
    mine, theirs = (best_law(row, [0, 1, 2], generating(curve)) for row in (p, q))
    worst = max(math.log(a / b) for a, b in zip(mine, theirs, strict=True))
    claimed = of(curve).epsilon(0)
    assert claimed <= (2 + float(shape)) * float(epsilon) + 1e-9
    assert claimed * 0.999 <= worst + 1e-4 <= claimed * (1 + 1e-6) + 1e-4


def test_who_learns_how_often_it_ran_learns_more_than_is_told() -> None:
    """The control: with J beside it, the best of ten runs of randomized response is far beyond the claim."""
    truth = Fraction(math.exp(0.3)) / (1 + Fraction(math.exp(0.3)))
    curve = BestOfCurve(of(ApproximateCurve("0.3")), "0.1", 1)
    ratios = []
    for runs in (1, 10):
        mine, theirs = (best_law(row, [0, 1], lambda x: x**runs) for row in ((truth, 1 - truth), (1 - truth, truth)))  # noqa: B023 - called at once
        ratios.append(max(math.log(a / b) for a, b in zip(mine, theirs, strict=True)))
    assert ratios[0] < of(curve).epsilon(0) < 0.91 < ratios[1]


def test_what_forgets_the_price_of_the_score_is_told_too_little() -> None:
    """The control: the model costs nothing, and its score tells all; the claim of a free run is broken."""
    p, q = [Fraction(9, 10), Fraction(1, 10)], [Fraction(1, 10), Fraction(9, 10)]
    curve = BestOfCurve(PrivacyLoss(), "0.1", 0)
    mine, theirs = (best_law(row, [0, 1], generating(curve)) for row in (p, q))
    assert (hockey(mine, theirs, LEVELS) > curve.removing(LEVELS) + 0.01).any()


def test_one_run_costs_what_it_costs() -> None:
    inner = of(GaussianCurve("0.5"))
    one = BestOfCurve(inner, 1, 0)
    assert one.mean == 1
    assert one.removing(LEVELS) == pytest.approx(inner.profile(LEVELS), rel=1e-10)


def test_a_pure_promise_is_kept_to_the_last_digit() -> None:
    third = of(BestOfCurve(of(ApproximateCurve("1/3")), "0.05", 1))
    assert third.meets(Guarantee(1))
    assert third.epsilon(0) <= 1


def test_means_are_those_of_the_laws() -> None:
    for shape in SHAPES:
        curve = BestOfCurve(of(GaussianCurve(1)), "0.05", shape)
        step = 1e-6
        f = generating(curve)
        assert curve.mean == pytest.approx((f(1.0) - f(1 - step)) / step, rel=1e-3)


@pytest.mark.parametrize(("stop", "shape"), [(0, 0), ("1e-13", 0), ("0.5", -1), ("0.5", -2), (2, 0)])
def test_refuses_what_is_no_law(stop: str, shape: str) -> None:
    with pytest.raises(InvalidParameter):
        BestOfCurve(of(GaussianCurve(1)), stop, shape)
    with pytest.raises(InvalidParameter):
        BestOfPoissonCurve(of(GaussianCurve(1)), 0)


def test_larger_groups_see_every_run() -> None:
    curve: LossCurve = BestOfCurve(of(ApproximateCurve("0.2")), "0.1", 0)
    assert curve.grouped(3) == BestOfCurve(of(ApproximateCurve("0.6")), "0.1", 0)
