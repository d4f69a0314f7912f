import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from privet.errors import InvalidParameter
from privet.loss.divergences.divergence import hockey_stick
from privet.loss.divergences.f_divergence import (
    CHI_SQUARED,
    HELLINGER_SQUARED,
    KL,
    TOTAL_VARIATION,
    FDivergence,
    LogDensity,
    hockey_stick_at,
    power,
)
from tests.loss.divergences.test_divergence import pairs

ALL = [KL, TOTAL_VARIATION, CHI_SQUARED, HELLINGER_SQUARED, hockey_stick_at(0.7), power(2.5)]
TYPED = {
    "Kullback-Leibler": FDivergence.of(lambda t: t * math.log(t) if t else 0.0, name="KL", slope=math.inf),
    "total variation": FDivergence.of(lambda t: abs(t - 1) / 2, name="TV", slope=0.5),
    "chi-squared": FDivergence.of(lambda t: (t - 1) ** 2, name="chi2", slope=math.inf),
    "squared Hellinger": FDivergence.of(lambda t: (math.sqrt(t) - 1) ** 2 / 2, name="H2", slope=0.5),
    "hockey-stick at ε=0.7": FDivergence.of(lambda t: max(t - math.exp(0.7), 0.0), name="HS", slope=1.0),
    "power 2.5": FDivergence.of(lambda t: t**2.5 - 1, name="power", slope=math.inf),
}


@pytest.mark.parametrize("divergence", ALL, ids=lambda d: d.name)
@given(pq=pairs())
def test_named_divergences_are_those_of_their_functions(
    divergence: FDivergence, pq: tuple[list[float], list[float]]
) -> None:
    typed = TYPED[divergence.name](*pq)
    assert divergence(*pq) == (typed if math.isinf(typed) else pytest.approx(typed, rel=1e-9, abs=1e-12))


@pytest.mark.parametrize("divergence", ALL, ids=lambda d: d.name)
@given(pq=pairs(), seed=st.integers(0, 2**32 - 1))
def test_merging_never_raises_and_the_best_of_two_parts_is_the_best(
    divergence: FDivergence, pq: tuple[list[float], list[float]], seed: int
) -> None:
    size = len(pq[0])
    labels = [seed >> (2 * i) & 3 for i in range(size)]
    whole = divergence(*pq)
    room = 0.0 if math.isinf(whole) else 1e-9 * (1 + whole)
    assert divergence.quantised(*pq, cells=labels) <= whole + room
    value, _ = divergence.best_quantised(*pq, cells=2)
    others = [divergence.quantised(*pq, cells=[mask >> i & 1 for i in range(size)]) for mask in range(1 << size)]
    best = max(others)
    assert value == (best if math.isinf(best) else pytest.approx(best, rel=1e-9, abs=1e-12))


@given(pairs(), st.floats(0.01, 5))
def test_hockey_stick_agrees_with_the_bound(pq: tuple[list[float], list[float]], epsilon: float) -> None:
    assert hockey_stick_at(epsilon)(*pq) == pytest.approx(hockey_stick(*pq, epsilon=epsilon), abs=1e-12)


@pytest.mark.parametrize("order", [1.5, 2, 3])
def test_power_between_normals_is_renyi(order: float) -> None:
    line = (-math.inf, math.inf)
    value = power(order).between_densities(norm(0).logpdf, norm(1).logpdf, support=line, breaks=[-1, 0, 1])
    assert math.log1p(value) / (order - 1) == pytest.approx(order / 2, rel=1e-8)


def test_total_variation_of_densities_needs_its_kink() -> None:
    value = TOTAL_VARIATION.between_densities(
        norm(0).logpdf, norm(1).logpdf, support=(-math.inf, math.inf), breaks=[0.5]
    )
    assert value == pytest.approx(2 * norm.cdf(0.5) - 1, rel=1e-9)


def test_densities_with_different_supports() -> None:
    """Uniform on [0, 1] against uniform on [1/2, 3/2]."""

    def uniform(low: float) -> LogDensity:
        return lambda x: 0.0 if low <= x <= low + 1 else -math.inf

    def value(divergence: FDivergence) -> float:
        return divergence.between_densities(uniform(0), uniform(0.5), support=(-1, 2), breaks=[0, 0.5, 1, 1.5])

    assert [value(divergence) for divergence in (KL, CHI_SQUARED, power(2))] == [math.inf] * 3
    assert value(TOTAL_VARIATION) == pytest.approx(0.5)
    assert value(HELLINGER_SQUARED) == pytest.approx(0.5)
    assert value(hockey_stick_at(3)) == pytest.approx(0.5)
    assert value(TYPED["total variation"]) == pytest.approx(0.5)


def test_user_function_on_densities_far_apart() -> None:
    typed = TYPED["Kullback-Leibler"].between_densities(
        norm(0).logpdf, norm(30).logpdf, support=(-math.inf, math.inf), breaks=[0, 30]
    )
    assert typed == pytest.approx(450, rel=1e-9)


def test_user_functions_survive_ratios_beyond_the_floats() -> None:
    p = [1 - 1e-300, 1e-300]
    q = [1.0, 5e-324]
    far = [1.0 - 2**-53, 1e-320], [1e-320, 1.0]
    assert TYPED["total variation"](*far) == pytest.approx(1)
    assert TYPED["power 2.5"](*far) == math.inf
    assert TYPED["squared Hellinger"](p, q) == pytest.approx(0, abs=1e-12)


def test_bad_arguments_are_refused() -> None:
    p = [0.5, 0.5]
    for call in (
        lambda: FDivergence.of(lambda t: t, name="shifted", slope=1.0),
        lambda: hockey_stick_at(-1),
        lambda: hockey_stick_at(math.inf),
        lambda: power(1),
        lambda: power(math.nan),
        lambda: KL.quantised(p, p, cells=[0]),
        lambda: KL.best_quantised(p, p, cells=0),
    ):
        with pytest.raises(InvalidParameter):
            call()
