"""Every short bit string: the mass decided for each outcome, added up exactly, brackets the exact probability.

A sampler that knows only the first d bits of its uniform either returns what every continuation would return, or says
that it is undecided. So decided <= exact <= decided + undecided must hold for every outcome, with nothing random about
it; and each further bit must shrink what is undecided.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, ctx
from numpy.typing import NDArray

from privet.noise import (
    BernoulliLaw,
    CategoricalLaw,
    CauchyLaw,
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    GaussianLaw,
    LaplaceLaw,
    PermutationLaw,
    UniformLaw,
)
from privet.noise.bernoulli import decide_survival
from privet.noise.lazy import LazyUniform, try_floors
from tests.noise.reference import LAWS, ball, discrete_laplace_tail, gaussian_tail

pytestmark = pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")  # the interval that touches zero
SCALES = [Fraction(1, 3), Fraction(1), Fraction(10, 3), Fraction(12)]


def prefixes(bits: int) -> tuple[NDArray[np.float64], float]:
    """Centre and radius of every interval of reals that share their first `bits` bits."""
    return (np.arange(2**bits) + 0.5) / 2**bits, 0.5 / 2**bits


def counts(outcomes: NDArray[np.float64], undecided: NDArray[np.bool_]) -> dict[int, int]:
    values, frequency = np.unique(outcomes[~undecided], return_counts=True)
    return {int(value): int(count) for value, count in zip(values, frequency, strict=True)}


def assert_brackets(decided: Mapping[int, int], undecided: int, strings: int, exact: Mapping[int, arb]) -> None:
    for outcome, probability in exact.items():
        assert not ball(Fraction(decided.get(outcome, 0), strings)) > probability, f"too much mass on {outcome}"
        assert not ball(Fraction(decided.get(outcome, 0) + undecided, strings)) < probability, (
            f"too little on {outcome}"
        )


def assert_shrinks(undecided: Mapping[int, Fraction], *, to: float) -> None:
    """Every step of depth must leave at most the fraction `to` of what was undecided before."""
    for (_, before), (_, after) in pairwise(sorted(undecided.items())):
        assert after <= before * Fraction(to)


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("law", [LaplaceLaw, DiscreteLaplaceLaw, CauchyLaw], ids=lambda law: law.__name__)
def test_laplace_and_cauchy(law: type[LaplaceLaw | DiscreteLaplaceLaw | CauchyLaw], scale: Fraction) -> None:
    tail = LAWS[law]
    exact = {k: tail(scale, k) - tail(scale, k + 1) for k in range(60)}
    open_mass = {}
    for bits in (12, 16, 20):
        magnitudes, undecided = law(scale).decide(*prefixes(bits))
        assert isinstance(undecided, np.ndarray)
        assert_brackets(counts(magnitudes, undecided), int(undecided.sum()), 2**bits, exact)
        open_mass[bits] = Fraction(int(undecided.sum()), 2**bits)
    assert_shrinks(open_mass, to=1 / 8 if law is not CauchyLaw else 0.3)  # 16 bits decide 4 of a heavy tail
    assert open_mass[20] <= Fraction(1, 2**10 if law is not CauchyLaw else 2**7)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_gaussian(scale: Fraction) -> None:
    exact = {k: gaussian_tail(scale, k) - gaussian_tail(scale, k + 1) for k in range(60)}
    open_mass = {}
    for bits in (8, 9, 10):  # of each of the two uniforms
        centres, radius = prefixes(bits)
        first, second = (grid.ravel() for grid in np.meshgrid(centres, centres))
        both, undecided = GaussianLaw(scale).decide(first, second, radius)
        assert isinstance(undecided, np.ndarray)
        for magnitudes in both:
            assert_brackets(counts(magnitudes, undecided), int(undecided.sum()), 4**bits, exact)
        open_mass[bits] = Fraction(int(undecided.sum()), 4**bits)
    assert_shrinks(open_mass, to=0.65)


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(2), Fraction(5)], ids=str)
def test_discrete_gaussian(scale: Fraction) -> None:
    law = DiscreteGaussianLaw(scale)
    exact = {}
    for k in range(30):
        proposal = discrete_laplace_tail(scale, k) - discrete_laplace_tail(scale, k + 1)
        exact[k] = proposal * (-law.exponent_ball(k)).exp()
        gauss = (-ball(k * k / (2 * scale**2))).exp() * (1 if k == 0 else 2)
        assert (exact[k] / gauss).overlaps(
            exact[0]
        )  # proposal times acceptance is the Gaussian weight, up to one factor
    open_mass = {}
    for bits in (8, 9, 10):
        centres, radius = prefixes(bits)
        first, second = (grid.ravel() for grid in np.meshgrid(centres, centres))
        magnitudes, unsure = law._proposal.decide(first, radius)
        kept, doubtful = decide_survival(second, radius, law.exponent(np.where(unsure, 0.0, magnitudes)))
        undecided = np.asarray(unsure | doubtful)
        assert_brackets(counts(magnitudes, undecided | ~np.asarray(kept)), int(undecided.sum()), 4**bits, exact)
        open_mass[bits] = Fraction(int(undecided.sum()), 4**bits)
    assert_shrinks(open_mass, to=0.65)


@pytest.mark.parametrize(
    "p", [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(999, 1000), Fraction(1)]
)
def test_bernoulli(p: Fraction) -> None:
    for bits in (16, 18, 20):
        coins, undecided = BernoulliLaw(p).decide(np.arange(2**bits, dtype=np.uint64), bits=bits)
        assert undecided.sum() == (p * 2**bits).denominator.__gt__(1)  # one string at most, none for dyadic p
        assert_brackets({1: int((coins & ~undecided).sum())}, int(undecided.sum()), 2**bits, {1: ball(p)})


@pytest.mark.parametrize("exponent", [0.0, 0.001, 0.5, 1.0, 7.25], ids=str)
def test_bernoulli_exp(exponent: float) -> None:
    open_mass = {}
    for bits in (12, 16, 20):
        centres, radius = prefixes(bits)
        coins, undecided = decide_survival(centres, radius, np.full(2**bits, exponent))
        exact = (-ball(Fraction(exponent))).exp()
        assert_brackets({1: int(np.sum(coins))}, int(np.sum(undecided)), 2**bits, {1: exact})
        open_mass[bits] = Fraction(int(np.sum(undecided)), 2**bits)
    assert open_mass[20] <= Fraction(4, 2**20)


@pytest.mark.parametrize("below", [2, 3, 6, 100, 65_535, 65_536])
def test_uniform(below: int) -> None:
    words = np.arange(2**16, dtype=np.uint64) << np.uint64(48)
    frequency = np.bincount(UniformLaw(below).decide(words), minlength=below)
    assert len(frequency) == below
    assert set(frequency.tolist()) == {2**16 >> (below - 1).bit_length()}


@pytest.mark.parametrize(("length", "bits"), [(2, 8), (3, 5), (4, 4), (4, 5)])
def test_permutation(length: int, bits: int) -> None:
    grids = np.meshgrid(*[np.arange(2**bits, dtype=np.uint64)] * length)
    orders, tied = PermutationLaw.decide(np.stack([grid.ravel() for grid in grids], axis=1))
    _, frequency = np.unique(orders[~tied], axis=0, return_counts=True)
    assert len(frequency) == np.prod(range(1, length + 1))
    assert len(set(frequency.tolist())) == 1
    assert tied.mean() <= length * (length - 1) / 2 / 2**bits  # the union bound over pairs


def test_categorical() -> None:
    law = CategoricalLaw([3.0, 2.0, 3.0, 0.0, -40.0, -1e9], rate=Fraction(1, 2))
    masses = {}
    for candidate in range(6):
        level = next(b for b in range(law._deepest + 1) if candidate in _owners(law, b))
        centres, radius = prefixes(16)
        exponent = float(law.exponent_ball(candidate, level).mid())
        coins, undecided = decide_survival(centres, radius, np.full(2**16, exponent))
        slots = Fraction(1, 2**level)
        masses[candidate] = (slots * int(np.sum(coins)), slots * int(np.sum(coins) + np.sum(undecided)))
    for i, (low, high) in masses.items():
        for j, (least, most) in masses.items():
            odds = ball(Fraction(law._scores[i]) / 2 - Fraction(law._scores[j]) / 2).exp()
            assert not ball(high) < odds * ball(least), (i, j)
            assert not ball(low) > odds * ball(most), (i, j)


def _owners(law: CategoricalLaw, level: int) -> set[int]:
    """Candidates on a level, after checking that each owns exactly its 2^(deepest - level) slots."""
    width = 2 ** (law._deepest - level)
    starts = np.arange(int(law._start[level]), int(law._start[level + 1]), width)
    first, levels = law.propose(starts)
    last, _ = law.propose(starts + width - 1)
    assert (first == last).all()
    assert (levels == level).all()
    assert len(set(first.tolist())) == len(first)
    return set(first.tolist())


@pytest.mark.parametrize("law", [kind(Fraction(10, 3)) for kind in (LaplaceLaw, DiscreteLaplaceLaw, CauchyLaw)])
def test_balls_decide_as_floats_do(law: LaplaceLaw | DiscreteLaplaceLaw | CauchyLaw) -> None:
    bits = 12
    magnitudes, undecided = law.decide(*prefixes(bits))
    assert isinstance(undecided, np.ndarray)
    for string in range(2**bits):
        uniform = LazyUniform(None, bits=string, known=bits)  # type: ignore[arg-type]  # draws nothing
        if not undecided[string]:
            assert try_floors(law.magnitude, [uniform], precision=80) == (magnitudes[string],)


def test_balls_decide_both_gaussians_as_floats_do() -> None:
    law = GaussianLaw(Fraction(10, 3))
    bits = 6
    centres, radius = prefixes(bits)
    for first in range(2**bits):
        both, undecided = law.decide(np.full(2**bits, centres[first]), centres, radius)
        for second in np.flatnonzero(~np.asarray(undecided)):
            uniforms = [LazyUniform(None, bits=int(b), known=bits) for b in (first, second)]  # type: ignore[arg-type]
            assert try_floors(law.magnitudes, uniforms, precision=80) == tuple(int(half[second]) for half in both)


def test_float_errors_stay_far_below_the_reserve() -> None:
    """The reserve is at least 2^10 above the worst float64 error found, so no decision can be wrong."""
    rng = np.random.default_rng(5)  # picks places to look at, not noise
    centres = np.concatenate([rng.random(4000), 2.0 ** -rng.uniform(0, 52, 4000), 1 - 2.0 ** -rng.uniform(1, 52, 4000)])
    ctx.prec, before = 200, ctx.prec
    try:
        for law in (LaplaceLaw(10), DiscreteLaplaceLaw(Fraction(1, 7)), LaplaceLaw(2**20)):
            values = -np.log(centres) * law._scale + law._offset
            exact = [law.magnitude(ball(Fraction(u)))[0] for u in centres.tolist()]
            errors = [abs(float((ball(Fraction(v)) - e).mid())) for v, e in zip(values.tolist(), exact, strict=True)]
            allowed = 2.0**-50 * (float(law.scale) * (1 - np.log(centres)) + law._offset)
            assert (np.array(errors) <= allowed).all()
        tangents, _ = CauchyLaw(1).size(centres, 2.0**-53)
        exact = [CauchyLaw(1).size_ball(ball(Fraction(v))) for v in centres.tolist()]
        errors = [abs(float((ball(Fraction(t)) / e - 1).mid())) for t, e in zip(tangents.tolist(), exact, strict=True)]
        assert max(errors) <= 2.0**-50
        gauss = GaussianLaw(1)
        from privet.noise.gaussian import _turned  # noqa: PLC0415 - the one private step worth looking into

        along, across = _turned(centres)
        angles = [(ball(Fraction(v)) / 2).sin_cos_pi() for v in centres.tolist()]
        for floats, place in ((along, 1), (across, 0)):
            errors = [
                abs(float((ball(Fraction(f)) - a[place] * arb(2).sqrt()).mid()))
                for f, a in zip(floats.tolist(), angles, strict=True)
            ]
            assert max(errors) <= 2.0**-50
        assert gauss.scale == 1
    finally:
        ctx.prec = before
