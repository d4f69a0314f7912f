"""Draws around a real center: the whole number nearest to center + X, as if the sum were one of real numbers."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray

from privet.noise import BitSource, CauchyLaw, GaussianLaw, LaplaceLaw, Lattice
from privet.noise.for_tests import bit_string_for_tests, seeded_entropy_for_tests
from privet.noise.lazy import LazyUniform, Steps, ball_of, collect_around, try_floors
from tests.noise.reference import BEYOND, Rounded, around_pmf, ball
from tests.noise.test_attacks import naive_laplace, naive_normal, porous
from tests.noise.test_exhaustive import assert_brackets, assert_shrinks, counts, prefixes
from tests.noise.test_lazy import decay, edge_at, tape
from tests.support.statistics import assert_does_not_follow, assert_follows

pytestmark = [
    pytest.mark.whole,
    pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning"),  # the interval that touches zero
]
N = 1_000_000
ALMOST = 1 - 2.0**-53
CENTERS = [0.0, 0.25, 0.3, 0.5, ALMOST, -0.3, -0.5, -1234.7, -(2.0**-60), 2.0**54 + 4, -(2.0**70), 1e300]
ONE_UNIFORM = [LaplaceLaw, CauchyLaw]
EVERY = [LaplaceLaw, GaussianLaw, CauchyLaw]


def cells(draws: Steps, edges: list[int]) -> NDArray[np.int64]:
    kind = np.int64 if draws.dtype == np.int64 and all(abs(edge) < 2**63 for edge in edges) else np.object_
    return np.searchsorted(np.array(edges, dtype=kind), draws.astype(kind), side="right").astype(np.int64)


def edges_about(center: float, scale: Fraction) -> list[int]:
    """Every whole number near the center for small scales, sixteenths of the scale for large ones."""
    marks = {round(Fraction(j, 16) * scale) for j in range(-96, 97)} | set(range(-3, 4))
    return sorted(round(Fraction(center)) + mark for mark in marks)


def check(law: type[Rounded], scale: Fraction, center: float, n: int, source: BitSource) -> None:
    edges = edges_about(center, scale)
    draws = cells(law(scale).around(source, np.full(n, center)), edges)
    assert_follows(draws, around_pmf(law, scale, Fraction(center), edges))
    assert_does_not_follow(draws, around_pmf(law, scale, Fraction(center), edges, wrong=Fraction(13, 10)))
    if scale < 10:  # the fraction matters: the law around the nearest whole number must be rejected
        shifted = Fraction(center) + (Fraction(1, 4) if Fraction(center) % 1 == 0 else -(Fraction(center) % 1) / 2)
        assert_does_not_follow(draws, around_pmf(law, scale, shifted, edges))


@pytest.mark.parametrize("center", CENTERS)
@pytest.mark.parametrize("law", EVERY, ids=lambda law: law.__name__)
def test_draws_follow_the_law(law: type[Rounded], center: float, source: BitSource) -> None:
    n = N if abs(center) < 2**53 else N // 5  # Python ints are slow
    check(law, Fraction(7, 5), center, n, source)


@pytest.mark.parametrize("scale", [Fraction(1, 5), Fraction(10, 3), Fraction(1000), Fraction(2**20)], ids=str)
@pytest.mark.parametrize("law", EVERY, ids=lambda law: law.__name__)
def test_draws_follow_the_law_at_every_scale(law: type[Rounded], scale: Fraction, source: BitSource) -> None:
    check(law, scale, 0.3, N, source)


@pytest.mark.parametrize("scale", [Fraction(2**45), Fraction(2**200, 3)], ids=["2^45", "2^200/3"])
@pytest.mark.parametrize("center", [0.3, -(2.0**54)])
@pytest.mark.parametrize("law", EVERY, ids=lambda law: law.__name__)
def test_refined_draws_follow_the_law(law: type[Rounded], center: float, scale: Fraction, source: BitSource) -> None:
    check(law, scale, center, 20_001, source)


@pytest.mark.parametrize("center", [0.3, -0.3, -(2.0**-60), 2.0**54 + 4, 1e300])
@pytest.mark.parametrize("scale", [Fraction(7, 5), Fraction(2**70, 3)], ids=["7/5", "2^70/3"])
@pytest.mark.parametrize("law", EVERY, ids=lambda law: law.__name__)
def test_single_draws_follow_the_law(law: type[Rounded], scale: Fraction, center: float, source: BitSource) -> None:
    edges = edges_about(center, scale)
    sampler = law(scale)
    singles = np.empty(10_000, dtype=np.object_)
    singles[:] = [sampler.near(source, center) for _ in range(10_000)]
    draws = cells(singles, edges)
    assert_follows(draws, around_pmf(law, scale, Fraction(center), edges))
    assert_does_not_follow(draws, around_pmf(law, scale, Fraction(center), edges, wrong=Fraction(13, 10)))


@pytest.mark.parametrize("law", EVERY, ids=lambda law: law.__name__)
def test_one_center_is_as_many(law: type[Rounded]) -> None:
    """Word for word: a pair of normals takes two words and gives its first member to `near`."""
    one, many = seeded_entropy_for_tests(4), seeded_entropy_for_tests(4)
    for center in CENTERS * 20:
        assert law(Fraction(10, 3)).near(one, center) == law(Fraction(10, 3)).around(many, np.array([center]))[0]


@pytest.mark.parametrize("law", EVERY, ids=lambda law: law.__name__)
def test_around_zero_is_the_plain_law(law: type[Rounded], source: BitSource) -> None:
    """The two samplers against each other: the same words in, the same magnitudes out, but for ties of rounding."""
    edges = edges_about(0, Fraction(10))
    for draws in (law(10).around(source, np.zeros(N)), law(10).many(source, N)):
        assert_follows(cells(draws, edges), around_pmf(law, Fraction(10), Fraction(0), edges))


@pytest.mark.parametrize("law", EVERY, ids=lambda law: law.__name__)
def test_the_same_words_give_the_same_noise(law: type[Rounded]) -> None:
    """Around whole centers `around` is `many` plus the center, word for word: rounding is symmetric."""
    centers = np.arange(-500.0, 501.0)
    plain = law(Fraction(10, 3)).many(seeded_entropy_for_tests(3), len(centers))
    moved = law(Fraction(10, 3)).around(seeded_entropy_for_tests(3), centers)
    assert (moved == plain + centers.astype(np.int64)).all()


@pytest.mark.parametrize("fraction", [0.0, 0.25, 0.3, -0.5, 0.5, -0.3, 2.0**-60], ids=str)
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(10, 3)], ids=str)
@pytest.mark.parametrize("law", ONE_UNIFORM, ids=lambda law: law.__name__)
def test_every_short_string(law: type[LaplaceLaw | CauchyLaw], scale: Fraction, fraction: float) -> None:
    """decided <= exact <= decided + undecided, for both signs together."""
    open_mass = {}
    for bits in (12, 16):
        centres, radius = prefixes(bits)
        both = np.concatenate((centres, centres))
        signs = np.repeat([1.0, -1.0], 2**bits)
        outcomes, undecided = law(scale).decide_around(both, radius, signs, np.full(2 * 2**bits, fraction))
        assert isinstance(undecided, np.ndarray)
        exact = exact_masses(law, scale, Fraction(fraction))
        assert_brackets(counts(outcomes, undecided), int(undecided.sum()), 2 * 2**bits, exact)
        open_mass[bits] = Fraction(int(undecided.sum()), 2 * 2**bits)
    assert_shrinks(open_mass, to=0.3)


@pytest.mark.parametrize("fractions", [(0.0, 0.25), (0.3, -0.3), (-0.5, 0.5)], ids=str)
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(10, 3)], ids=str)
def test_every_short_pair_of_strings(scale: Fraction, fractions: tuple[float, float]) -> None:
    open_mass = {}
    for bits in (7, 8, 9):
        centres, radius = prefixes(bits)
        first, second = (np.tile(grid.ravel(), 4) for grid in np.meshgrid(centres, centres))
        one, other = (np.repeat(signs, 4**bits) for signs in ([1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]))
        outcomes, undecided = GaussianLaw(scale).decide_around(
            first, second, radius, np.concatenate((one, other)), np.repeat(fractions, 4 * 4**bits)
        )
        assert isinstance(undecided, np.ndarray)
        for member, fraction in zip(np.split(outcomes, 2), fractions, strict=True):
            exact = exact_masses(GaussianLaw, scale, Fraction(fraction))
            assert_brackets(counts(member, undecided), int(undecided.sum()), 4 * 4**bits, exact)
        open_mass[bits] = Fraction(int(undecided.sum()), 4 * 4**bits)
    assert_shrinks(open_mass, to=0.7)


def exact_masses(law: type[Rounded], scale: Fraction, center: Fraction) -> dict[int, arb]:
    beyond = {k: BEYOND[law](ball((k - Fraction(1, 2) - center) / scale)) for k in range(-30, 32)}
    return {k: beyond[k] - beyond[k + 1] for k in range(-30, 31)}


@pytest.mark.parametrize("law", ONE_UNIFORM, ids=lambda law: law.__name__)
def test_balls_decide_as_floats_do(law: type[LaplaceLaw | CauchyLaw]) -> None:
    bits = 10
    fraction = -0.3
    sampler = law(Fraction(10, 3))
    centres, radius = prefixes(bits)
    for sign in (1, -1):
        outcomes, undecided = sampler.decide_around(
            centres, radius, np.full(2**bits, float(sign)), np.full(2**bits, fraction)
        )
        assert isinstance(undecided, np.ndarray)
        for string in np.flatnonzero(~undecided):
            uniform = LazyUniform(None, bits=int(string), known=bits)  # type: ignore[arg-type]  # draws nothing
            sums = try_floors(
                lambda u: [
                    ball_of(Fraction(-0.3) + Fraction(1, 2)) + sign * ball_of(sampler.scale) * sampler.size_ball(u)  # noqa: B023 - called at once
                ],
                [uniform],
                precision=80,
            )
            assert sums == (outcomes[string],)


@pytest.mark.parametrize("center", [0.25, -0.3, 2.0**-60, 0.5], ids=str)
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(2**20 + 1, 7)], ids=str)
@pytest.mark.parametrize("law", ONE_UNIFORM, ids=lambda law: law.__name__)
def test_both_sides_of_a_boundary(law: type[LaplaceLaw | CauchyLaw], scale: Fraction, center: float) -> None:
    """Two uniforms that differ in their 127th bit give the two results; the scale is no float, nor f + 1/2."""
    step = 9
    beyond = BEYOND[law]
    for sign in (0, 1):
        gap = (step - Fraction(1, 2)) - (-1) ** sign * Fraction(center)  # |X| beyond this reaches the step
        if law is LaplaceLaw:
            edge = edge_at(lambda: 2 * beyond(ball(gap / scale)))  # noqa: B023 - called at once
            # a larger uniform is a smaller magnitude
            nearer = 1
            farther = -1
        else:
            edge = edge_at(lambda: 1 - 2 * beyond(ball(gap / scale)))  # noqa: B023 - called at once
            nearer = -1
            farther = 1
        for shift, expected in ((nearer, step - 1), (farther, step)):
            string = tape(edge + shift, sign=sign)
            drawn = law(scale).around(bit_string_for_tests(string), np.array([center]))
            assert drawn.tolist() == [(-1) ** sign * expected]


@pytest.mark.parametrize("member", [0, 1])
def test_a_pair_is_settled_together(member: int) -> None:
    """An angle of pi/4: one member hangs on a boundary, and both get the value of the same reals."""
    centers = np.array([0.0, 0.0])
    centers[member] = 0.3
    gap = (Fraction(7, 2) - Fraction(0.3)) / 10
    edge = edge_at(lambda: decay(ball(gap) ** 2))  # r cos(pi/4) = gap
    for shift, expected in ((1 << 30, 3), (-(1 << 30), 4)):
        first = tape(edge + shift)
        second = tape((1 << 51) << 75)
        string = first[:64] + second[:64] + first[64:] + second[64:]
        drawn = GaussianLaw(10).around(bit_string_for_tests(string), centers).tolist()
        assert drawn[member] == expected
        assert drawn[1 - member] == 3


def test_the_rest_of_a_center_is_exact() -> None:
    rng = np.random.default_rng(2)  # picks places to look at, not noise
    centers = np.concatenate(
        [rng.normal(0, 10.0**power, 300) for power in range(-20, 25, 3)] + [[-(2.0**-60), -0.3, ALMOST, 5e-324, 2.5]]
    )
    seen: list[NDArray[np.float64]] = []

    def draw(rests: NDArray[np.float64]) -> Steps:
        seen.append(rests)
        return np.zeros(len(rests), dtype=np.int64)

    nearest = collect_around(centers, draw)
    for center, whole, rest in zip(centers.tolist(), nearest.tolist(), np.concatenate(seen).tolist(), strict=True):
        assert whole + Fraction(rest) == Fraction(center)
        assert abs(rest) <= 0.5


def test_the_floor_would_not_have_been_exact() -> None:
    """The control: with the floor, a small negative center leaves a rest of exactly 1."""
    assert -(2.0**-60) - np.floor(-(2.0**-60)) == 1.0


@pytest.mark.parametrize("law", EVERY, ids=lambda law: law.__name__)
def test_shapes_and_kinds(law: type[Rounded], source: BitSource) -> None:
    assert law(3).around(source, np.empty(0)).tolist() == []
    assert law(3).around(source, np.zeros(2**15 + 3)).dtype == np.int64
    wide = law(3).around(source, np.array([2.0**63, -(2.0**80), 0.5]))
    assert wide.dtype == np.object_
    assert abs(wide[1] + 2**80) < 2**60
    edge = law(3).around(source, np.full(200, np.nextafter(2.0**63, 0)))
    assert all(abs(value - 2**63) < 2**50 for value in edge.tolist())


@pytest.mark.parametrize("attack", ["A1", "A2"])
@pytest.mark.parametrize("law", EVERY, ids=lambda law: law.__name__)
def test_low_bits_tell_nothing(attack: str, law: type[Rounded], source: BitSource) -> None:
    """A1 and A2: whatever the center, all answers lie on one public lattice."""
    lattice = Lattice.finer_than(1)
    for truth in (0.0, 1.0, 1 / 3, -(2.0**-40)):
        steps = law(1 / lattice.step).around(source, np.full(100_000, truth / float(lattice.step)))
        values = lattice.to_floats(steps)
        assert porous(values) == 0
        assert (values / float(lattice.step) == np.floor(values / float(lattice.step))).all()
    naive = {"A1": naive_laplace, "A2": naive_normal}[attack]
    assert porous(naive(0.0, 1000)) > 0.05  # the control
    assert porous(naive(1.0, 1000)) == 0
