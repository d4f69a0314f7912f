"""The heart: never below the exact answer, and close to it."""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import fft

from privet.loss import (
    ApproximateCurve,
    FiniteCurve,
    GaussianCurve,
    LaplaceCurve,
    PrivacyLoss,
    RandomizedResponseCurve,
    RenyiBoundCurve,
)
from privet.loss.pricing.composition import LONG, UNIT, Composition, Values, compose, discretised
from privet.loss.pricing.figures import delta as grid_delta
from privet.loss.pricing.figures import directed
from privet.loss.pricing.figures import epsilon as grid_epsilon
from privet.loss.pricing.grid_layout import GridLayout, layout_for
from privet.loss.pricing.growing import Parts
from tests.support.exact_sums import exact_epsilon, hockey_stick, joint, repeated_response_delta

ROUNDING = 1e-12  # of the brute-force sums themselves


def rows(size: int) -> st.SearchStrategy[list[float]]:
    """A probability row, often with zeros."""
    weights = st.lists(st.sampled_from([0, 0, 1, 2, 3, 5, 9, 20]), min_size=size, max_size=size)
    return weights.filter(any).map(lambda w: [x / sum(w) for x in w])


@st.composite
def finite_compositions(draw: st.DrawFn) -> list[tuple[list[list[float]], int]]:
    kinds = draw(st.integers(1, 3))
    room = 8
    parts = []
    for _ in range(kinds):
        size = draw(st.integers(2, 3))
        times = draw(st.integers(1, max(1, room // kinds)))
        parts.append(([draw(rows(size)), draw(rows(size))], times))
    return parts


@settings(deadline=None, max_examples=40)
@given(finite_compositions(), st.floats(0, 6), st.sampled_from([0.3, 1e-2, 1e-4, 1e-7]))
def test_never_below_brute_force(parts: list[tuple[list[list[float]], int]], epsilon: float, delta: float) -> None:
    loss = sum((PrivacyLoss.of(FiniteCurve(matrix), n) for matrix, n in parts), PrivacyLoss())
    p, q = joint([(m[0], m[1]) for m, n in parts for _ in range(n)])
    for one, other in ((p, q), (q, p)):
        exact = hockey_stick(one, other, epsilon)
        assert loss.delta(epsilon) >= exact * (1 - ROUNDING) - 1e-15
    if any(hockey_stick(a, b, 200.0) > delta for a, b in ((p, q), (q, p))):
        assert loss.epsilon(delta) == math.inf
    else:
        assert loss.epsilon(delta) >= max(exact_epsilon(p, q, delta), exact_epsilon(q, p, delta)) - 1e-9


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 8), st.sampled_from([0.6, 0.75, 0.9]), st.sampled_from([0.3, 1e-2, 1e-4]))
def test_symmetric_response_is_exact(times: int, truth: float, delta: float) -> None:
    loss = PrivacyLoss.of(RandomizedResponseCurve.truthful(truth), times)
    p, q = joint([((truth, 1 - truth), (1 - truth, truth))] * times)
    assert loss.epsilon(delta) == pytest.approx(exact_epsilon(p, q, delta), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize(("times", "epsilon"), [(10, "0.5"), (100, "3"), (100, "8"), (1000, "60"), (2000, "150")])
def test_optimal_homogeneous_composition_down_to_tiny_deltas(times: int, epsilon: str) -> None:
    exact = float(repeated_response_delta("0.1", times, epsilon))
    assert exact > 1e-308
    found = (PrivacyLoss.of(ApproximateCurve("0.1")) * times).delta(epsilon)
    assert exact * (1 - 1e-13) <= found <= exact * (1 + 1e-4)


def test_a_million_responses() -> None:
    found = (PrivacyLoss.of(ApproximateCurve(1)) * 10**6).epsilon(1e-6)
    mean = 1e6 * math.tanh(0.5)
    spread = 2e3 * math.exp(0.5) / (1 + math.e)
    assert found == pytest.approx(mean + 4.7534 * spread, rel=1e-5)


@pytest.mark.parametrize("delta", [0.3, 1e-2, 1e-6, 1e-20, 1e-100, 1e-300])
@pytest.mark.parametrize("times", [3, 100, 10_000])
def test_gaussians_on_the_grid_match_the_closed_form_at_every_depth(times: int, delta: float) -> None:
    """The closed form is one Gaussian; `reading` is asked directly, so that parts are not fused."""
    curve = GaussianCurve(1 / math.sqrt(times))
    exact = PrivacyLoss.of(curve, times).epsilon(delta)
    found = grid_epsilon(directed([(curve, times)], adding=False), delta)
    assert exact * (1 - 1e-12) <= found <= exact + 1e-4 * (exact + 0.1)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from([0.05, 0.1, 0.3, 1.0]), min_size=2, max_size=6), st.floats(0.01, 4))
def test_grid_delta_is_above_the_exact_gaussian_delta(scales: list[float], epsilon: float) -> None:
    parts = directed([(GaussianCurve(mu), 1) for mu in sorted(set(scales))] + [(LaplaceCurve(0), 1)], adding=False)
    mu = math.sqrt(math.fsum(m * m for m in set(scales)))
    exact = float(GaussianCurve(mu).removing(np.array([epsilon]))[0])
    assert grid_delta(parts, epsilon) >= exact * (1 - 1e-11)


def test_the_rounding_allowance_covers_the_rounding() -> None:
    """The transform against a direct convolution in extended precision: it errs, by less than what is added."""
    parts = directed([(LaplaceCurve("0.3"), 8)], adding=False)
    found = compose(parts, layout_for(parts, log_delta=math.log(1e-10)))
    direct = directly(parts, found.layout)
    error = np.abs(direct - (found.mass - found.noise))
    assert 0 < float(error.max()) < found.noise
    assert bool(np.all(found.mass >= direct))


@pytest.mark.skipif(LONG == UNIT, reason="this machine has no long floats")
def test_the_allowance_of_long_floats_is_kept_by_long_transforms_alone() -> None:
    """Far from the answer nothing but the transform errs: weights stay short, and err in proportion."""
    parts = directed([(LaplaceCurve("0.3"), 8)], adding=False)
    layout = layout_for(parts, log_delta=math.log(1e-10))
    short = compose(parts, layout)  # first: it must not be remembered as the long one
    long = compose(parts, replace(layout, precise=True))
    direct = directly(parts, layout)

    def kept(found: Composition) -> bool:
        """Well within what is allowed: bounds are loose, and a short transform may not come close to them."""
        error = np.abs(direct - (found.mass - found.noise))
        return bool(np.all(error < long.noise / 8 + found.slack * direct))

    assert long.noise < short.noise / 1000
    assert kept(long)
    assert not kept(short)  # the control


def directly(parts: Parts, layout: GridLayout) -> NDArray[np.longdouble]:
    """The tilted masses of one part that runs several times, in long floats, as the layout's window shows them."""
    [(direction, times)] = parts
    atoms = discretised(direction, layout.step, 0.0, layout.tilt)
    weight = atoms.mass.astype(np.longdouble) * np.exp(np.longdouble(layout.tilt) * atoms.losses)
    direct = one = weight / weight.sum()
    for _ in range(times - 1):
        direct = np.convolve(direct, one)
    low = times * round(float(atoms.losses[0]) / layout.step)
    places = (np.arange(low, low + len(direct)) - layout.first) % layout.size
    folded = np.zeros(layout.size, dtype=np.longdouble)
    np.add.at(folded, places, direct)
    return folded


def test_parts_are_priced_the_same_in_any_order_and_after_any_history() -> None:
    losses = [PrivacyLoss.of(LaplaceCurve(1 / (20 + i))) for i in range(12)]
    forward = backward = PrivacyLoss()
    for one, other in zip(losses, reversed(losses), strict=True):
        forward, backward = forward + one, backward + other
        forward.epsilon(1e-6)
    assert forward == backward
    assert forward.epsilon(1e-6) == pytest.approx(backward.epsilon(1e-6), rel=1e-9)


def test_what_is_folded_into_a_narrow_window_stays_away_from_the_answer() -> None:
    """Windows are narrower than the losses they show; too narrow ones gave 107.3 and 218 here."""
    sampled = PrivacyLoss.of(GaussianCurve("0.56")).sampled("0.5") * 1000
    loss = PrivacyLoss.of(LaplaceCurve("0.7586"), 3) + sampled
    assert loss.lower_bound(1e-10) < loss.epsilon(1e-10) < 102
    deep = PrivacyLoss.of(LaplaceCurve("0.218"), 1000)
    assert deep.lower_bound(1e-30) < deep.epsilon(1e-30) < 95.8


def test_a_loss_that_grew_is_read_as_one_that_did_not() -> None:
    """Sums hand on what is known of their terms: nothing may get lost, whatever is added to what."""
    one_sided = RandomizedResponseCurve("0.4", "0.45")
    fused = GaussianCurve("0.05")
    bound = RenyiBoundCurve(2, "0.01")
    curves = [LaplaceCurve("0.1"), one_sided, LaplaceCurve("0.05"), fused, GaussianCurve("0.1"), bound, one_sided]
    for order in (curves, curves[::-1], curves[1:2] * 2 + curves):
        loss = PrivacyLoss()
        for curve in order:
            loss += PrivacyLoss.of(curve)
            fresh = PrivacyLoss(loss.parts)
            assert (loss.neighbors, loss.symmetric) == (fresh.neighbors, fresh.symmetric)
            assert loss.epsilon(1e-6) == pytest.approx(fresh.epsilon(1e-6), rel=1e-9)
            assert loss.delta("0.2") == pytest.approx(fresh.delta("0.2"), rel=1e-9)


def test_many_threads_price_the_same() -> None:
    """The memories are shared; readings from eight threads agree with those of one."""
    losses = [
        PrivacyLoss.of(LaplaceCurve(1 / (20 + i)), 1 + i % 3) + PrivacyLoss.of(ApproximateCurve("0.1"))
        for i in range(40)
    ]
    alone = [loss.epsilon(1e-6) for loss in losses]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda loss: loss.epsilon(1e-6), losses * 4))
    assert together == pytest.approx(alone * 4, rel=1e-9)


@pytest.mark.skipif(LONG == UNIT, reason="this machine has no long floats")
@pytest.mark.parametrize("size", [64, 96, 768])
def test_long_floats_err_by_their_own_unit(size: int) -> None:
    """The bound of the docstring with the smaller unit, against exact transforms; short floats break it."""
    values = np.random.default_rng(size).random(size)
    with ctx.workprec(300):
        exact = acb.dft([acb(float(value)) for value in values])[: size // 2 + 1]

        def error(found: Values) -> float:
            """In the Euclidean norm over the whole circle, relative; long floats are passed on in two parts."""
            total = arb(0)
            for place, (each, true) in enumerate(zip(found, exact, strict=True)):
                halves = [(float(part), float(part - np.longdouble(float(part)))) for part in (each.real, each.imag)]
                real, imag = (arb(high) + arb(low) for high, low in halves)
                weight = 1 if place in (0, size // 2) else 2
                total += weight * ((real - true.real) ** 2 + (imag - true.imag) ** 2)
            return math.sqrt(float(total) / (size * float(values @ values)))

        allowed = 16 * LONG * math.log2(size)
        assert error(fft.rfft(values.astype(np.longdouble))) < allowed / 8
        assert error(fft.rfft(values)) > 8 * allowed  # the control
