"""R038: density, distribution and quantile of every law agree with each other, with draws and with the textbook."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import privet.noise
from privet.errors import InvalidParameter
from privet.explain.shapes import (
    CauchyShape,
    GaussianShape,
    LaplaceShape,
    RoundedShape,
    Shape,
    StaircaseShape,
    TableShape,
    shape_of,
)
from privet.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Staircase
from privet.noise import (
    BernoulliExpLaw,
    BernoulliLaw,
    BitSource,
    CauchyLaw,
    CubeLaw,
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    GaussianLaw,
    LaplaceLaw,
    PoissonLaw,
    RankLaw,
    StaircaseLaw,
    TruncatedNegativeBinomialLaw,
    UniformLaw,
)
from tests.support.statistics import assert_does_not_follow, assert_follows, tally

N = 4_000
LAWS: dict[str, Callable[[], object]] = {
    "LaplaceLaw": lambda: LaplaceLaw(3),
    "GaussianLaw": lambda: GaussianLaw(3),
    "CauchyLaw": lambda: CauchyLaw(3),
    "DiscreteLaplaceLaw": lambda: DiscreteLaplaceLaw(3),
    "DiscreteGaussianLaw": lambda: DiscreteGaussianLaw(3),
    "StaircaseLaw": lambda: StaircaseLaw(1, width=8, rise=3),
    "CubeLaw": lambda: CubeLaw(3, 4),
    "UniformLaw": lambda: UniformLaw(6),
    "BernoulliLaw": lambda: BernoulliLaw(Fraction(1, 3)),
    "BernoulliExpLaw": lambda: BernoulliExpLaw(2),
    "PoissonLaw": lambda: PoissonLaw(5),
    "TruncatedNegativeBinomialLaw": lambda: TruncatedNegativeBinomialLaw(Fraction(1, 4), shape=Fraction(1, 2)),
}
NO_PUBLIC_SHAPE = {"Law", "RankLaw", "CategoricalLaw", "PermutationLaw"}  # ranks and scores come from rows; orders
SMOOTH = [
    (LaplaceShape(2, center=10), stats.laplace(10, 2)),
    (GaussianShape(2, center=-1), stats.norm(-1, 2)),
    (CauchyShape(3), stats.cauchy(0, 3)),
]


def test_every_law_has_a_shape_or_a_reason() -> None:
    laws = {name for name in privet.noise.__all__ if name.endswith("Law")}
    assert laws == LAWS.keys() | NO_PUBLIC_SHAPE


@pytest.mark.parametrize(("shape", "known"), SMOOTH, ids=lambda each: type(each).__name__)
def test_smooth_shapes_are_the_textbooks(shape: Shape, known: stats.rv_continuous) -> None:
    at = np.linspace(-20, 30, 101)
    assert shape.density(at) == pytest.approx(known.pdf(at), rel=1e-12)
    assert shape.cdf(at) == pytest.approx(known.cdf(at), rel=1e-9, abs=1e-15)
    for share in (1e-6, 0.3, 0.5, 0.975):
        assert shape.quantile(share) == pytest.approx(known.ppf(share), rel=1e-9)


@pytest.mark.parametrize("name", LAWS)
def test_draws_follow_the_shape(name: str, source: BitSource) -> None:
    """n = 4,000 against the cells below each decile, at a false-alarm rate of 1e-6; the control is moved by one."""
    law = LAWS[name]()
    shape = shape_of(law)
    draws = np.asarray(law.many(source, N))  # type: ignore[attr-defined] # every law here has it
    draws = (draws[:, 0] if draws.ndim > 1 else draws).astype(np.float64)
    edges = sorted({shape.quantile(share) for share in np.arange(0.1, 1, 0.1)})
    sums = [0.0, *shape.cdf(edges).tolist(), 1.0]
    chances = dict(enumerate(np.diff(sums).tolist()))
    chances = {cell: chance for cell, chance in chances.items() if chance > 1e-12}
    assert_follows(tally(np.searchsorted(edges, draws).tolist()), chances)
    assert_does_not_follow(tally(np.searchsorted(edges, draws - 1).tolist()), chances)


@pytest.mark.parametrize("name", LAWS)
def test_density_distribution_and_quantile_belong_together(name: str) -> None:
    shape = shape_of(LAWS[name]())
    assert shape.whole
    at = np.arange(-400, 401)
    assert np.cumsum(shape.density(at)) + float(shape.cdf(-401)) == pytest.approx(shape.cdf(at), abs=1e-12)
    assert shape.density([0.5, -3.25]).tolist() == [0, 0]
    for share in (0.01, 0.5, 0.77, 0.99):
        place = shape.quantile(share)
        assert float(shape.cdf(place)) >= share * (1 - 1e-9)
        assert float(shape.cdf(place - 1)) < share


def test_staircase_integrates_to_one_and_falls_by_e_to_the_epsilon() -> None:
    shape = StaircaseShape(epsilon=1, width=2)
    at = np.linspace(-60, 60, 1_200_001)
    assert float(shape.density(at).sum() * 1e-4) == pytest.approx(1, abs=1e-4)
    sums = np.cumsum(shape.density(at)) * 1e-4
    assert sums[::100_000] == pytest.approx(shape.cdf(at)[::100_000], abs=1e-3)
    assert (shape.density(at - 2) / shape.density(at)).max() == pytest.approx(math.e)
    assert float(shape.cdf(shape.quantile(0.9))) == pytest.approx(0.9)
    assert shape.quantile(0.1) == pytest.approx(-shape.quantile(0.9))


def test_mechanisms_have_the_shape_of_their_noise() -> None:
    assert shape_of(Laplace(1, 2)) == LaplaceShape(2.0)
    assert shape_of(Gaussian(1, 2)) == GaussianShape(2.0)
    assert float(shape_of(DiscreteLaplace(1, 1)).density(0)) == pytest.approx(0.462117, abs=1e-6)
    assert float(shape_of(DiscreteGaussian(1, 50)).density(0)) == pytest.approx(1 / 50 / math.sqrt(2 * math.pi))
    noise = Staircase(2, 1)
    for share in (0.7, 0.95, 0.999):
        distance = shape_of(noise).quantile((1 + share) / 2)
        assert noise.uncertainty.margin(share) == pytest.approx(distance, rel=1e-5)


def test_what_has_no_shape_is_refused() -> None:
    for wrong in (RankLaw(np.array([3]), top=9, target=0, rate=1), 3, DiscreteGaussianLaw(2**30)):
        with pytest.raises(InvalidParameter, match=r"shape of|too long to list"):
            shape_of(wrong)
    for share in (0, 1, -1, math.nan):
        with pytest.raises(InvalidParameter, match="share must lie"):
            LaplaceShape(1).quantile(share)
    for make in (
        lambda: LaplaceShape(0),
        lambda: StaircaseShape(-1),
        lambda: TableShape.of([]),
        lambda: TableShape.of([-1]),
    ):
        with pytest.raises(InvalidParameter):
            make()
    assert RoundedShape(LaplaceShape(1)).quantile(0.5) == 0
