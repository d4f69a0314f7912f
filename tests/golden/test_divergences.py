"""Mission rows R108 to R130: divergences, Rényi privacy, conversions, and six misprints."""

import inspect
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import norm

from privet.explain.theorems import (
    compare_notions,
    event_bounds,
    gaussian_curve,
    gaussian_epsilon,
    group_renyi,
    laplace_curve,
    pure_to_renyi,
    pure_to_zcdp,
    pure_to_zcdp_standard,
    renyi_to_epsilon,
    renyi_to_epsilon_standard,
    response_curve,
    weak_triangle,
    zcdp_to_epsilon,
    zcdp_to_epsilon_standard,
)
from privet.loss.divergences.divergence import max_divergence, renyi_divergence
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
from privet.loss.divergences.inference import posterior
from privet.loss.divergences.merged_outcomes import cut
from tests.golden.printed import agrees

TRUTH, LIE = [0.75, 0.25], [0.25, 0.75]
ALL = [KL, TOTAL_VARIATION, CHI_SQUARED, HELLINGER_SQUARED, hockey_stick_at(0.5), power(3)]


def normal(mean: float) -> LogDensity:
    return lambda x: -((x - mean) ** 2) / 2 - math.log(2 * math.pi) / 2


@pytest.mark.parametrize(
    ("divergence", "printed"),
    [
        (KL, "0.549306"),
        (TOTAL_VARIATION, "0.500000"),
        (CHI_SQUARED, "1.333333"),
        (HELLINGER_SQUARED, "0.133975"),
    ],
)
def test_r108_f_divergences(divergence: FDivergence, printed: str) -> None:
    assert agrees(divergence(TRUTH, LIE), printed)


@pytest.mark.parametrize("divergence", ALL, ids=lambda d: d.name)
def test_r109_merging_cells_never_raises_a_divergence(divergence: FDivergence) -> None:
    p, q = [0.4, 0.1, 0.2, 0.3], [0.1, 0.3, 0.4, 0.2]
    whole = divergence(p, q)
    for cells in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0], [0, 1, 2, 2], [0, 0, 0, 0]):
        assert divergence.quantised(p, q, cells=cells) <= whole + 1e-15
    assert divergence.quantised(p, q, cells=[0, 0, 0, 0]) == 0
    assert divergence.best_quantised(p, q, cells=4)[0] == pytest.approx(whole, rel=1e-12)


def test_r109_the_supremum_over_partitions_of_the_line_is_the_integral() -> None:
    cuts = [np.linspace(-8, 9, cells) for cells in (2, 5, 17, 65, 1025)]
    values = [KL(cut(norm(0).cdf, edges=list(edges)), cut(norm(1).cdf, edges=list(edges))) for edges in cuts]
    assert values == sorted(values)
    assert values[-1] <= 0.5
    assert values[-1] == pytest.approx(0.5, abs=1e-4)


def test_r110_divergence_of_densities() -> None:
    line = (-math.inf, math.inf)
    assert agrees(KL.between_densities(normal(0), normal(1), support=line, breaks=[0, 1]), "0.500000")
    far = KL.between_densities(normal(0), normal(30), support=line, breaks=[0, 30])
    assert far == pytest.approx(450, rel=1e-9)  # where a plain density underflows


@pytest.mark.parametrize(("order", "printed"), [(2, "0.847298"), (5, "1.026704"), (100, "1.095706")])
def test_r111_renyi_divergence(order: float, printed: str) -> None:
    assert agrees(renyi_divergence(TRUTH, LIE, order=order), printed)
    assert agrees(response_curve(0.75, order=order), printed)


def test_r111_limits_at_one_and_infinity() -> None:
    assert renyi_divergence(TRUTH, LIE, order=1) == pytest.approx(KL(TRUTH, LIE), rel=1e-12)
    assert renyi_divergence(TRUTH, LIE, order=math.inf) == max_divergence(TRUTH, LIE)
    assert renyi_divergence(TRUTH, LIE, order=1 + 1e-8) == pytest.approx(KL(TRUTH, LIE), rel=1e-7)


@pytest.mark.parametrize("order", [1.5, 2.0, 3.0, 10.0])
def test_r112_power_divergence_is_the_exponential_of_renyi_less_one(order: float) -> None:
    correct = math.expm1((order - 1) * renyi_divergence(TRUTH, LIE, order=order))
    assert power(order)(TRUTH, LIE) == pytest.approx(correct, rel=1e-12)


def test_r112_without_the_minus_one_equal_distributions_differ() -> None:
    misprint = math.exp(renyi_divergence(TRUTH, LIE, order=2))
    assert agrees(misprint, "2.333333")
    assert agrees(power(2)(TRUTH, LIE), "1.333333")
    assert power(2)(TRUTH, TRUTH) == 0 != math.exp(renyi_divergence(TRUTH, TRUTH, order=2))


def test_r113_renyi_is_not_negative_and_rises_with_the_order() -> None:
    values = [renyi_divergence(TRUTH, LIE, order=order) for order in (1, 1.1, 2, 5, 100, math.inf)]
    assert values == sorted(values)
    assert values[0] > 0
    assert renyi_divergence(TRUTH, TRUTH, order=7) == 0


def test_r114_probability_preservation() -> None:
    _, high = event_bounds(0.25, bound=renyi_divergence(TRUTH, LIE, order=2), order=2)
    assert agrees(high, "0.763763")
    assert high >= 0.75


def test_r114_exponent_without_brackets_is_unsafe() -> None:
    misprint = (math.exp(renyi_divergence(TRUTH, LIE, order=2)) * 0.25) ** (2 - 1 / 2)
    assert agrees(misprint, "0.445528")
    assert misprint < 0.75  # the probability it claims to bound


def test_r115_weak_triangle() -> None:
    direct = gaussian_curve("0.5", order=2)  # means 0 and 2, variance 1
    first, second = gaussian_curve(1, order=4), gaussian_curve(1, order=3)
    through = weak_triangle(order=2, share=2, first=first, second=second)
    assert (direct, through) == (4.0, 4.5)
    assert direct <= through


@pytest.mark.parametrize(
    "function", [renyi_divergence, renyi_to_epsilon, pure_to_renyi, event_bounds, group_renyi, gaussian_curve]
)
def test_r116_the_order_is_always_named(function: Callable[..., float]) -> None:
    assert inspect.signature(function).parameters["order"].kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("order", [1.5, 2.0, 5.0, 50.0, math.inf])
def test_r117_event_bounds_hold_on_both_sides(order: float) -> None:
    bound = renyi_divergence(TRUTH, LIE, order=order)
    for p, q in ((0.75, 0.25), (0.25, 0.75), (1.0, 1.0)):
        low, high = event_bounds(q, bound=bound, order=order)
        assert low <= p <= high


def test_r117_exponents_without_brackets_are_unsafe() -> None:
    """Q^{a/a-1} claims at least 0.43 where the truth is 0.25; (e^ε Q)^{a-1/a} at most 0.45 for 0.75."""
    bound = renyi_divergence(TRUTH, LIE, order=2)
    assert math.exp(-bound) * 0.75 ** (2 / 2 - 1) > 0.25
    assert (math.exp(bound) * 0.25) ** (2 - 1 / 2) < 0.75
    low, high = event_bounds(0.75, bound=bound, order=2)
    assert low <= 0.25 <= high


@pytest.mark.parametrize("prior", [0.1, 0.5, 0.8])
def test_r118_bayes_factor(prior: float) -> None:
    """The mean of the Bayes factor to the power a-1 over outputs of the data is exactly e^{(a-1)D}."""
    after = posterior([TRUTH, LIE], [prior, 1 - prior])
    factor = after[:, 0] / after[:, 1] * (1 - prior) / prior
    mean = float(np.dot(TRUTH, factor**2))
    assert agrees(mean, "6.777778")
    assert agrees(math.exp(2 * renyi_divergence(TRUTH, LIE, order=3)), "6.777778")
    assert float(np.dot(TRUTH, np.log(factor))) <= response_curve(0.75, order=1)
    assert np.log(factor).max() > response_curve(0.75, order=1)  # the log bound holds in the mean only


def test_r119_renyi_is_closed_under_post_processing_and_sequencing() -> None:
    p, q = np.outer(TRUTH, [0.6, 0.4]).ravel(), np.outer(LIE, [0.4, 0.6]).ravel()
    for order in (1.0, 2.0, 9.0, math.inf):
        parts = renyi_divergence(TRUTH, LIE, order=order) + renyi_divergence([0.6, 0.4], [0.4, 0.6], order=order)
        joint = renyi_divergence(p, q, order=order)
        assert joint == pytest.approx(parts, rel=1e-12)
        merged = renyi_divergence([p[0] + p[1], p[2], p[3]], [q[0] + q[1], q[2], q[3]], order=order)
        assert merged <= joint


@pytest.mark.parametrize(("doublings", "order", "printed", "exact"), [(1, 8, "1.5", 1.0), (2, 4, "4.5", 2.0)])
def test_r120_group_renyi(doublings: int, order: float, printed: str, exact: float) -> None:
    """Gaussian noise of scale 4 at order 16 has divergence 1/2 for one unit."""
    bound = gaussian_curve(4, order=16)
    assert group_renyi(bound, order=16, doublings=doublings) == (order, float(printed))
    assert gaussian_curve(4 / 2**doublings, order=order) == exact <= float(printed)


def test_r120_halving_the_order_only_once_is_unsafe() -> None:
    """At order 16 / 2 eight units have divergence 32 ε, above the 27 ε claimed; at 16 / 8 they have 8 ε."""
    bound = gaussian_curve(4, order=16)
    assert gaussian_curve("0.5", order=8) == 32 * bound > 27 * bound
    assert group_renyi(bound, order=16, doublings=3) == (2.0, 27 * bound)
    assert gaussian_curve("0.5", order=2) <= 27 * bound


def test_r121_gaussian_renyi() -> None:
    assert gaussian_curve(math.sqrt(10), order=10) == pytest.approx(0.5, rel=1e-12)
    assert gaussian_curve(4, order=10) < 0.5  # a larger scale is as good: "at least", not "exactly"


@pytest.mark.parametrize(
    ("truth", "order", "printed"), [(0.75, 2, "0.847298"), (0.75, 1, "0.549306"), (0.6, 2, "0.154151")]
)
def test_r122_randomized_response_renyi(truth: float, order: float, printed: str) -> None:
    assert agrees(response_curve(truth, order=order), printed)
    assert agrees(renyi_divergence([truth, 1 - truth], [1 - truth, truth], order=order), printed)


@pytest.mark.parametrize(
    ("order", "printed"), [(2, "0.200304"), (4, "0.320927"), (math.inf, "0.500000"), (1, "0.106531")]
)
def test_r123_laplace_renyi(order: float, printed: str) -> None:
    assert agrees(laplace_curve(2, order=order), printed)


@pytest.mark.parametrize("order", [2, 4])
def test_r123_laplace_renyi_by_quadrature(order: float) -> None:
    def log_density(centre: float) -> LogDensity:
        return lambda x: -abs(x - centre) / 2 - math.log(4)

    integral = power(order).between_densities(log_density(0), log_density(1), support=(-200, 201), breaks=[0, 1])
    assert math.log1p(integral) / (order - 1) == pytest.approx(laplace_curve(2, order=order), abs=1e-9)


def test_r124_comparison_of_pure_and_renyi_has_six_rows() -> None:
    """For randomized response with truth 3/4 at order 2, where every entry is known."""
    table = compare_notions(epsilon=math.log(3), order=4, bound=response_curve(0.75, order=4), probability="0.25")
    assert len(table.rows) == 6
    event, factor, logarithm, group, sequence, processed = table.rows
    assert event.pure == "0.0833333 to 0.75"
    assert factor.pure == "R <= 3"
    assert factor.renyi == "E[R^3] <= 20.2593"  # .75 * 27 + .25 / 27, not e^{ε(a-1)ε}
    assert logarithm.renyi.endswith("in the mean")
    assert group.renyi.endswith("at order 2")  # the order is halved, the bound tripled
    assert sequence.pure == "ε = 2.19722"  # two releases cost 2ε, not 3ε
    assert processed.pure == processed.renyi == "unchanged"
    assert len(str(table).splitlines()) == 7
    large = compare_notions(epsilon=1000, order=64, bound=900)
    assert large.rows[1].renyi == "E[R^63] <= e^56700"


def test_r125_parameters_of_the_three_mechanisms() -> None:
    assert gaussian_curve(3, order=16) == pytest.approx(16 / (2 * 9))
    assert gaussian_curve(3, order=math.inf) == math.inf
    assert laplace_curve(3, order=math.inf) == pytest.approx(1 / 3)
    assert response_curve(0.75, order=math.inf) == pytest.approx(math.log(3))


@pytest.mark.parametrize(
    ("curve", "parameter", "printed"),
    [
        (response_curve, 0.52, ".041802"),
        (response_curve, 0.6, ".371410"),
        (response_curve, 0.75, "1.079433"),
        (laplace_curve, 2, ".455907"),
        (laplace_curve, 3, ".289242"),
        (laplace_curve, 5, ".156033"),
        (gaussian_curve, 2, "2.000000"),
        (gaussian_curve, 3, ".888889"),
        (gaussian_curve, 5, ".320000"),
    ],
)
def test_r126_curves_at_order_sixteen(curve: Callable[..., float], parameter: float, printed: str) -> None:
    assert agrees(curve(parameter, order=16), printed)


def test_r126_gaussian_curves_are_not_below_one_everywhere() -> None:
    assert gaussian_curve(5, order=51) > 1


def test_r127_pure_to_renyi_is_randomized_response() -> None:
    """Tight: below min(aε²/2, ε) and hence three times below the valid min(3aε²/2, ε)."""
    ratios = []
    for epsilon in np.geomspace(0.001, 20, 40):
        for order in (1.001, 1.5, 2, 5, 30, 1000):
            value = pure_to_renyi(float(epsilon), order=order)
            simple = min(order * epsilon**2 / 2, epsilon)
            assert value <= simple * (1 + 1e-12) <= min(3 * order * epsilon**2 / 2, epsilon) * (1 + 1e-12)
            ratios.append(value / simple)
    assert max(ratios) > 0.999


def test_r128_renyi_to_approximate() -> None:
    assert agrees(renyi_to_epsilon_standard(1, order=10, delta="1e-5"), "2.279214")
    assert agrees(renyi_to_epsilon(1, order=10, delta="1e-5"), "1.918011")
    assert agrees(zcdp_to_epsilon_standard("0.5", delta="1e-5"), "5.298526")  # Gaussian noise of scale 1
    assert agrees(zcdp_to_epsilon("0.5", delta="1e-5"), "4.728387")
    assert agrees(gaussian_epsilon(1, delta=1e-5), "4.377178")


def test_r128_the_smaller_of_two_bounds_is_unsafe() -> None:
    """P(B) <= max(e^ε' Q(B), δ); with min in place of max it claims 0.1 for an event of probability 0.75."""
    epsilon = renyi_to_epsilon_standard(response_curve(0.75, order=2), order=2, delta="0.1")
    assert max(math.exp(epsilon) * 0.25, 0.1) >= 0.75
    misprint = min(math.exp(epsilon) * 0.25, 0.1)
    assert misprint == 0.1
    assert misprint < TRUTH[0]


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 5.0])
def test_r129_conversions_go_one_way_and_only_lose(epsilon: float) -> None:
    rho = pure_to_zcdp(epsilon)
    back = zcdp_to_epsilon(pure_to_zcdp(epsilon), delta="1e-9")
    assert rho <= pure_to_zcdp_standard(epsilon)
    assert back > 0
    for order in (1.5, 2, 10, 100):
        bound = pure_to_renyi(epsilon, order=order)
        assert bound <= min(epsilon, rho * order) * (1 + 1e-12)
        assert renyi_to_epsilon(bound, order=order, delta="1e-9") <= renyi_to_epsilon_standard(
            bound, order=order, delta="1e-9"
        )


def test_r130_zcdp_of_pure() -> None:
    assert pure_to_zcdp_standard(0.1) == 0.005
    assert pure_to_zcdp(0.1) < 0.005
