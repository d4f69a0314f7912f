"""Mission rows R089, R090, R093, R095, R096: Gaussian noise, its exact sigma, and the formulas to refuse."""

import math

import pytest

from privet.errors import InvalidParameter
from privet.explain.theorems import gaussian_delta, gaussian_epsilon, gaussian_scale, gaussian_scale_classical
from privet.loss.divergences.f_divergence import LogDensity, hockey_stick_at
from tests.golden.printed import agrees


def classical(epsilon: float, delta: float) -> float:
    """The textbook's formula without its condition."""
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def test_r089_classical_sigma() -> None:
    assert agrees(gaussian_scale_classical(1, delta="1e-4"), "4.343612")
    assert gaussian_scale_classical(0.5, delta="1e-4", l2_sensitivity=3) == pytest.approx(6 * 4.343612, rel=1e-6)


def test_r089_sigma_without_epsilon_is_unsafe() -> None:
    printed = classical(1, 1e-5)
    assert agrees(printed, "4.8448")
    assert agrees(gaussian_delta(1 / printed, epsilon=0.1), "0.0438")
    for scale in (gaussian_scale_classical("0.1", delta="1e-5"), gaussian_scale(0.1, delta=1e-5)):
        assert scale > 5 * printed
        assert gaussian_delta(1 / scale, epsilon=0.1) <= 1e-5


@pytest.mark.parametrize("epsilon", [1.01, 3, 8, 20])
def test_r089_classical_sigma_is_refused_above_one(epsilon: float) -> None:
    with pytest.raises(InvalidParameter, match="gaussian_scale"):
        gaussian_scale_classical(epsilon, delta="1e-4")


def test_r090_exact_sigma() -> None:
    assert agrees(gaussian_scale(1, delta=1e-4), "3.185703")
    assert agrees(gaussian_scale(3, delta=1e-4), "1.223157")
    assert agrees(classical(3, 1e-4), "1.447871")


@pytest.mark.parametrize(
    ("epsilon", "delta", "printed"),
    [(3, 1e-4, "4.32e-6"), (8.00, 1e-4, "1.0048e-4"), (20, 1e-4, "0.0133"), (8, 0.1, "0.236")],
)
def test_r090_true_delta_of_the_classical_sigma(epsilon: float, delta: float, printed: str) -> None:
    assert agrees(gaussian_delta(1 / classical(epsilon, delta), epsilon=epsilon), printed)


@pytest.mark.parametrize(("delta", "first"), [(1e-4, 8.00), (1e-5, 8.42)])
def test_r090_classical_sigma_breaks_near_eight(delta: float, first: float) -> None:
    assert gaussian_delta(1 / classical(first, delta), epsilon=first) > delta
    assert gaussian_delta(1 / classical(first - 0.01, delta), epsilon=first - 0.01) <= delta


def test_r093_epsilon_against_delta_at_fixed_sigma() -> None:
    assert agrees(gaussian_delta(1, epsilon=1), "0.126937")
    assert agrees(gaussian_epsilon(1, delta=0.1), "1.160334")


def test_r093_epsilon_is_not_inversely_proportional_to_delta() -> None:
    assert gaussian_epsilon(1, delta=1e-6) / gaussian_epsilon(1, delta=1e-3) < 2  # the claim says 1000


def test_r095_sigma_one_is_not_enough_for_one_and_a_tenth() -> None:
    assert agrees(gaussian_delta(1, epsilon=1), "0.126937")
    assert agrees(gaussian_delta(math.sqrt(2), epsilon=1), "0.286208")
    assert gaussian_delta(1, epsilon=1) > 0.1
    assert gaussian_scale(1, delta=0.1) > 1


def test_r095_sigma_that_is_enough() -> None:
    assert agrees(gaussian_scale_classical(1, delta="0.1"), "2.247545")
    assert agrees(gaussian_scale(1, delta=0.1), "1.085878")
    assert agrees(gaussian_scale_classical(1, delta=1 / math.e), "1.564061")
    assert agrees(gaussian_scale(1, delta=1 / math.e), "0.617191")


VALUES = [0.0, 1.0, 2.0, 5.0]
AT_A_POINT = [5 / 3, 2.0, 3.0, 3.0]  # Lipschitz constant at each point
AMONG_NEIGHBORS = [1.0, 1.0, 3.0, 3.0]


def localised_delta(here: int, there: int, sensitivity: list[float]) -> float:
    """The δ at ε = 0.5 when the noise is scaled to the point's own sensitivity."""

    def log_density(point: int) -> LogDensity:
        scale = sensitivity[point] * classical(0.5, 1e-5)
        return lambda x: -(((x - VALUES[point]) / scale) ** 2) / 2 - math.log(scale * math.sqrt(2 * math.pi))

    breaks = [-200, -100, -50, -20, 0, 20, 50, 100, 200]
    return hockey_stick_at(0.5).between_densities(
        log_density(here), log_density(there), support=(-2000, 2000), breaks=breaks
    )


def test_r096_noise_scaled_to_the_point_is_not_private() -> None:
    assert agrees(localised_delta(2, 1, AT_A_POINT), "0.112160")
    assert agrees(localised_delta(1, 0, AT_A_POINT), "0.022514")
    assert agrees(localised_delta(2, 1, AMONG_NEIGHBORS), "0.432102")
    assert min(0.112160, 0.022514, 0.432102) > 1000 * 1e-5  # what was claimed


def test_r096_noise_scaled_to_the_global_sensitivity_is() -> None:
    scale = gaussian_scale_classical(0.5, delta="1e-5", l2_sensitivity=3)
    assert agrees(gaussian_delta(3 / scale, epsilon=0.5), "1.6e-8")
