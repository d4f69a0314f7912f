"""Random allocation: against sums over all outcomes, against simulation, and where runs follow each other."""

import math
from itertools import product

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, GaussianCurve, LaplaceCurve, PrivacyLoss
from privet.loss.curve import Array
from privet.loss.curves.allocated import AllocatedCurve
from privet.noise import BitSource
from tests.support.exact_sums import hockey_stick
from tests.support.statistics import FALSE_ALARM

of = PrivacyLoss.of
TRIED = (0.0, 0.05, 0.2, 0.5, 0.9)
TIGHT = 2e-3  # how far the bound may lie above what is exact, relatively


def numpy_of(source: BitSource) -> np.random.Generator:
    """Numpy's generator, seeded by the bits of the test."""
    return np.random.default_rng(int(source.words(1)[0]))


def told(strengths: dict[tuple[int, ...], float], steps: int) -> tuple[Array, Array]:
    """The laws with and without the unit, where a step's strength (and side) follows what earlier steps said."""
    p, q = [], []
    for outcome in product((0, 1), repeat=steps):
        ratios, absent = [], 1.0
        for step, bit in enumerate(outcome):
            truth = 1 / (1 + math.exp(strengths[outcome[:step]]))  # of saying 1 without the unit; with it 1 - truth
            absent *= truth if bit else 1 - truth
            ratios.append((1 - truth) / truth if bit else truth / (1 - truth))
        q.append(absent)
        p.append(absent * math.fsum(ratios) / steps)
    return np.array(p), np.array(q)


@pytest.mark.parametrize("steps", [2, 3, 5])
def test_randomized_responses_against_all_outcomes(steps: int) -> None:
    loss = of(ApproximateCurve(1)).allocated(steps)
    histories = [past for known in range(steps) for past in product((0, 1), repeat=known)]
    p, q = told(dict.fromkeys(histories, 1.0), steps)
    for epsilon in TRIED:
        (curve, _), *_ = loss.parts
        for adding, exact in ((False, hockey_stick(p, q, epsilon)), (True, hockey_stick(q, p, epsilon))):
            found = float((curve.adding if adding else curve.removing)(np.array([epsilon]))[0])
            assert exact * (1 - 1e-13) <= found <= exact * (1 + TIGHT) + 1e-4
    assert loss.epsilon(0) == 1


def test_steps_that_follow_each_other_cost_no_more(source: BitSource) -> None:
    """Each of three steps chooses its strength, up to 1, and its side by what came before; the control: up to 1.5."""
    rng = numpy_of(source)
    loss = of(ApproximateCurve(1)).allocated(3)
    histories = [past for known in range(3) for past in product((0, 1), repeat=known)]
    worst = dict.fromkeys((1.0, 1.5), 0.0)
    for strongest in worst:
        for _ in range(300):
            chosen = rng.choice([-1.0, -0.6, 0.0, 0.6, 1.0], len(histories)) * strongest
            p, q = told(dict(zip(histories, chosen, strict=True)), 3)
            for epsilon in TRIED:
                exact = max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))
                worst[strongest] = max(worst[strongest], exact / loss.delta(epsilon))
    assert worst[1.0] <= 1
    assert worst[1.5] > 1


def around(values: Array) -> tuple[float, float]:
    """An interval that misses the mean of values in [0, 1] once in a million (Maurer and Pontil 2009, both sides)."""
    room = math.log(4 / FALSE_ALARM)
    stray = math.sqrt(2 * float(values.var(ddof=1)) * room / len(values)) + 7 * room / (3 * (len(values) - 1))
    return float(values.mean()) - stray, float(values.mean()) + stray


@pytest.mark.parametrize(("noise", "steps"), [("0.6", 50), ("1.1", 235), ("2", 7)])
def test_gaussian_epochs_against_simulation(noise: str, steps: int, source: BitSource) -> None:
    """40,000 epochs, both ways, in intervals that miss once in a million. The control: 30 % less noise."""
    rng, draws, mu = numpy_of(source), 40_000, 1 / float(noise)
    others = np.zeros(draws)
    for _ in range(steps - 1):
        others += np.exp(mu * rng.standard_normal(draws) - mu * mu / 2)
    own = mu * rng.standard_normal(draws)
    absent, present = ((others + np.exp(own + sign * mu * mu / 2)) / steps for sign in (-1, 1))
    level = math.sqrt(math.expm1(mu * mu) / steps) / 4
    removed = around(np.maximum(1 - math.exp(level) / present, 0))
    added = around(np.maximum(1 - math.exp(level) * absent, 0))
    for moved, agrees in ((mu, True), (mu / 0.7, False)):
        curve = AllocatedCurve(of(GaussianCurve(moved)), steps)
        removing, adding = (float(each(np.array([level]))[0]) for each in (curve.removing, curve.adding))
        assert (removed[0] <= removing <= removed[1]) == agrees
        assert (added[0] <= adding <= added[1]) == agrees


def test_one_run_is_itself_and_more_never_cost_more() -> None:
    loss = of(GaussianCurve(1))
    assert loss.allocated(1) == loss
    assert PrivacyLoss().allocated(9) == PrivacyLoss()
    costs = [loss.allocated(steps).epsilon(1e-6) for steps in (1, 2, 3, 10)]
    assert costs == sorted(costs, reverse=True)
    assert loss.allocated(10).zcdp() == 0.5


def test_far_tails_keep_their_digits() -> None:
    """Two runs: a mean of two ratios is hardly ever beyond a unless one of them is beyond 2a."""
    curve = AllocatedCurve(of(GaussianCurve(1)), 2)
    far = np.array([6.0, 9.0])
    one = GaussianCurve(1).removing(far + math.log(2))
    assert 0 < one[1] < 1e-20
    assert np.all(curve.removing(far) >= one)
    assert np.all(curve.removing(far) <= 1.25 * one)


def test_several_answers_a_run_and_infinite_losses() -> None:
    inner = of(LaplaceCurve(1)) + of(ApproximateCurve("0.5", "1e-3"))
    loss = inner.allocated(20)
    ((curve, _),) = loss.parts
    assert 1e-3 <= float(curve.removing(np.array([math.inf]))[0]) <= 1e-3 * (1 + 1e-9)
    assert loss.delta(2) >= 1e-3
    assert loss.epsilon(0.01) < inner.epsilon(0.01) / 2
    assert PrivacyLoss.from_json(loss.to_json()) == loss


def test_refuses_replacement_and_no_runs() -> None:
    with pytest.raises(InvalidParameter, match="random allocation needs a loss under ADD_REMOVE"):
        of(ApproximateCurve(1)).drawn(1, 10).allocated(10)
    with pytest.raises(InvalidParameter, match="steps must be"):
        of(ApproximateCurve(1)).allocated(0)
