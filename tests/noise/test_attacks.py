"""Known attacks on samplers, A1 to A17: each is tried on Privet, and on a naive sampler as the control.

A7 (a weak generator) is also kept out by test_architecture.py; A8, A9 and A10 (shared state, seeds, a failing system)
are in test_entropy.py; A16 (a step chosen from data) is in test_lattice.py.
"""

import json
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray
from scipy.stats import binomtest, spearmanr

from privet.noise import (
    BernoulliLaw,
    BitSource,
    CauchyLaw,
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    Entropy,
    GaussianLaw,
    LaplaceLaw,
    Lattice,
    Law,
)
from privet.noise.entropy import Words
from privet.noise.for_tests import bit_string_for_tests
from tests.noise.reference import LAWS, ball
from tests.support.statistics import FALSE_ALARM

Floats = NDArray[np.float64]
N = 100_000


def release(true_value: float, law: Law, lattice: Lattice, n: int, source: BitSource) -> Floats:
    """What a mechanism does: round to the lattice, add whole steps, convert once."""
    steps = np.full(n, lattice.to_step(true_value), dtype=np.int64)
    return lattice.to_floats(lattice.add(steps, law.many(source, n)))


def naive_laplace(true_value: float, n: int) -> Floats:
    return true_value + np.random.default_rng(1).laplace(0.0, 1.0, n)


def naive_normal(true_value: float, n: int) -> Floats:
    return true_value + np.random.default_rng(1).normal(0.0, 1.0, n)


def many_uniforms_laplace(true_value: float, n: int) -> Floats:
    """Noise from four uniforms each: the low bits of the sum still show the true value."""
    a, b, c, d = np.random.default_rng(1).random((4, n))
    noise = np.log1p(-a) * np.cos(np.pi * b) + np.log1p(-c) * np.cos(np.pi * d)
    return np.asarray(true_value + noise, dtype=np.float64)


def porous(outputs: Floats) -> float:
    """Share of outputs below 1/4 that are no multiple of 2^-53: impossible when the true value is 1."""
    small = np.abs(outputs) < 0.25
    scaled = outputs[small] * 2.0**53
    return float(np.sum(scaled != np.floor(scaled)) / len(outputs))


@pytest.mark.parametrize("attack", ["A1", "A2", "A3"])
@pytest.mark.parametrize("law", [LaplaceLaw, GaussianLaw])
def test_low_bits_tell_nothing(attack: str, law: type[LaplaceLaw | GaussianLaw], source: BitSource) -> None:
    """A1 to A3 (Mironov 2012 and after): with f = 0 and f = 1 both outputs live on one public lattice."""
    lattice = Lattice.finer_than(1)
    sampler = law(1 / lattice.step)
    outputs = [release(truth, sampler, lattice, N, source) for truth in (0.0, 1.0)]
    for values in outputs:
        assert porous(values) == 0
        steps = values / float(lattice.step)
        assert (steps == np.floor(steps)).all()
        assert np.isfinite(values).all()
    naive: Callable[[float, int], Floats] = {
        "A1": naive_laplace,
        "A2": naive_normal,
        "A3": many_uniforms_laplace,
    }[attack]
    assert porous(naive(0.0, 1000)) > 0.05  # the control: caught with 1,000 draws
    assert porous(naive(1.0, 1000)) == 0


def test_a4_rounding_has_no_direction() -> None:
    """Snapping towards zero or with uneven ties moves neighbors apart; ours is shift-invariant, checked in eighths."""
    rounded = Lattice(0).to_steps(np.arange(-80, 81) / 8)
    assert (rounded[8:] == rounded[:-8] + 1).all()
    towards_zero = np.trunc(np.arange(-80, 81) / 8)
    assert not (towards_zero[8:] == towards_zero[:-8] + 1).all()  # the control


@pytest.mark.parametrize("x", [Fraction(1, 1000), Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(40)], ids=str)
def test_a5_balls_hold_the_truth(x: Fraction) -> None:
    """A bug in a number library must not bias noise: exp and log against rational series summed here."""
    term = total = Fraction(1)
    for k in range(1, 400):
        term *= x / k
        total += term
    bound = term * x / 400 / (1 - x / 401)  # of the rest of the series for exp(x)
    exact = ball(x).exp()
    assert not exact < ball(total)
    assert not exact > ball(total + bound)
    assert ball(x).exp().log().overlaps(ball(x))
    assert (-ball(x)).exp().overlaps(1 / exact)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_a6_zero_mass_sign_and_tail_by_exact_binomial_tests(law: type[Law], source: BitSource) -> None:
    scale = Fraction(5)
    n = 1_000_000
    draws = law(scale).many(source, n)  # type: ignore[call-arg]  # every law here takes a scale
    events = {"zero": draws == 0, "positive": draws > 0, "beyond 15": np.abs(draws) >= 15}

    def probabilities(scale: Fraction) -> dict[str, float]:
        nonzero, far = (float(LAWS[law](scale, k).mid()) for k in (1, 15))
        return {"zero": 1 - nonzero, "positive": nonzero / 2, "beyond 15": far}

    wrong = probabilities(scale * Fraction(13, 10))
    for event, probability in probabilities(scale).items():
        hits = int(events[event].sum())
        assert binomtest(hits, n, probability).pvalue > FALSE_ALARM, event
        assert binomtest(hits, n, wrong[event]).pvalue < FALSE_ALARM, event  # the control


def test_a7_every_release_draws_on_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> bytes:
        raise OSError

    monkeypatch.setattr("os.urandom", refuse)
    for law in LAWS:
        with pytest.raises(RuntimeError, match="gave no randomness"):
            law(2).many(Entropy(), 3)  # type: ignore[call-arg]  # every law here takes a scale


def test_a11_randomized_response_has_exactly_its_probability() -> None:
    """Truth with probability 3/4 is (ln 3)-DP; "lie, which may be true, with 1/4" would be 7/8 and ln 7."""
    tells_truth, undecided = BernoulliLaw(Fraction(3, 4)).decide(np.arange(2**16, dtype=np.uint64), bits=16)
    assert not undecided.any()
    truth = Fraction(int(tells_truth.sum()), 2**16)
    assert truth / (1 - truth) == 3
    assert (truth + (1 - truth) / 2) / ((1 - truth) / 2) == 7  # the broken reading, for comparison


class Counting:
    """A source that counts the words it gives."""

    def __init__(self, source: BitSource) -> None:
        self.source = source
        self.used = 0

    def words(self, count: int) -> Words:
        self.used += count
        return self.source.words(count)


def loop_geometric(source: BitSource) -> int:
    """The textbook loop: one toss a step, so its running time is its result."""
    magnitude = 0
    while BernoulliLaw(0.9).one(source):
        magnitude += 1
    return magnitude


@pytest.mark.parametrize("law", [law(10) for law in LAWS], ids=repr)  # type: ignore[call-arg]
def test_a12_work_does_not_reveal_the_noise(law: Law, source: BitSource) -> None:
    """Bits used, and so rounds made, carry no information on |noise|; times themselves are in the benchmark."""
    counting = Counting(source)
    work = []
    noise = []
    for _ in range(20_000):
        before = counting.used
        noise.append(abs(law.one(counting)))
        work.append(counting.used - before)
    if len(set(work)) > 1:
        assert spearmanr(work, noise).pvalue > FALSE_ALARM
    else:
        assert work[0] <= 2


def test_a12_a_loop_would_be_caught(source: BitSource) -> None:
    counting = Counting(source)
    work = []
    noise = []
    for _ in range(2_000):
        before = counting.used
        noise.append(loop_geometric(counting))
        work.append(counting.used - before)
    assert spearmanr(work, noise).pvalue < FALSE_ALARM


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("exponent", [-200, 200])
def test_a13_extreme_scales_neither_hang_nor_fill_memory(law: type[Law], exponent: int, source: BitSource) -> None:
    """Counted in bits, not in seconds: no draw may need more than a few hundred words."""
    counting = Counting(source)
    sampler = law(Fraction(2) ** exponent)  # type: ignore[call-arg]  # every law here takes a scale
    for _ in range(100):
        sampler.one(counting)
    assert counting.used < 100 * 60


def test_a14_noise_is_not_cut_off() -> None:
    """Six words of zeros are a uniform below 2^-380: noise of 265 scales, returned exactly, not clamped."""
    tape = "0" * 64 * 6 + "1" + "0" * 64 * 4 + "1" * 63
    far = LaplaceLaw(2**61).one(bit_string_for_tests(tape))
    assert far > 2**61 * 260 > 2**63
    assert LaplaceLaw(2**61).many(bit_string_for_tests(tape), 1).tolist() == [far]
    assert -math.log(2.0**-383) < far / 2**61 + 1e-9 < -math.log(2.0**-385)


@pytest.mark.parametrize("law", [DiscreteLaplaceLaw(1), DiscreteGaussianLaw(1)], ids=repr)
def test_a15_output_is_canonical(law: Law, source: BitSource) -> None:
    """One text for each value: no -0.0, no exponent form that depends on the path, always the same type."""
    lattice = Lattice(-2)
    values = lattice.to_floats(law.many(source, 10_000))
    assert values.dtype == np.float64
    assert (values == 0).any()
    texts = {json.dumps(value) for value in values.tolist()}
    assert "-0.0" not in texts
    assert len(texts) == len(set(values.tolist()))
    assert json.dumps(float(np.clip(-0.0, 0.0, 1.0))) == "-0.0"  # the control: what a clip lets through


def test_a15_arithmetic_on_steps_cannot_make_a_negative_zero() -> None:
    lattice = Lattice(0)
    steps = lattice.add(np.array([-3]), np.array([3]))
    assert math.copysign(1, lattice.to_floats(steps)[0]) == 1
    assert math.copysign(1, lattice.to_float(-3 + 3)) == 1


@pytest.mark.parametrize("bit", "01")
@pytest.mark.parametrize("law", [law(10) for law in LAWS], ids=repr)  # type: ignore[call-arg]
def test_a17_the_edges_of_the_uniform(law: Law, bit: str) -> None:
    """All-zero and all-one strings: u = 0 is an interval that needs more bits, not a logarithm of zero."""
    mixed = "01" * 32 * 40
    value = law.one(bit_string_for_tests(bit * 64 * 4 + mixed))
    far = 2**260 if isinstance(law, CauchyLaw) else 10 * 200  # a tangent, and no logarithm, of one part in 2^255
    assert abs(value) < far
    batch = law.many(bit_string_for_tests(bit * 64 * 4 + mixed * 4), 2)
    assert all(abs(int(value)) < far for value in batch)


def test_a17_a_naive_logarithm_would_fail() -> None:
    with pytest.raises(ValueError, match=r"math domain|expected a positive"):
        math.log(int("0" * 64, 2) / 2**64)
    assert not arb(mid=(1, -65), rad=(1, -65)).log().is_finite()  # a ball that touches zero says so
