"""Bernstein: the contract, the grid, the error of the released polynomial, and its approximation bounds."""

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import laplace, norm

from privet.core import Ledger, Release, Sensitive, Sensitivity, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, LaplaceCurve, PrivacyLoss
from privet.mechanisms import Gaussian, Laplace
from privet.mechanisms.bernstein import Bernstein
from privet.mechanisms.bernstein_function import BernsteinFunction
from privet.noise import BitSource
from privet.noise.for_tests import seeded_entropy_for_tests
from tests.contracts.mechanism import Cells, Example, MechanismContract


def example(mechanism: Bernstein, moved: float, family: Any, *, tightness: float, whole: bool) -> Example:  # noqa: ANN401 - a scipy law
    """Every value moves by as much as the mechanism covers; an outcome is the cell of each coefficient.

    With `whole` every draw is one run; else the noise is drawn for many runs at once, which
    `test_a_sample_is_the_polynomial_of_noisy_values` allows.
    """
    scale = float(mechanism.noise.scale)
    count = mechanism.cells
    cells = Cells(scale / 4, -40, 44) if count == 2 else Cells(scale * 2.5, -5, 6)
    places = 1000 ** np.arange(count)

    def joined(coefficients: Any) -> list[int]:  # noqa: ANN401 - an array with the coefficients of each run on a row
        numbers = np.floor(np.reshape(coefficients, (-1, count)) / cells.width).astype(int)
        outcomes: list[int] = ((np.clip(numbers, cells.low - 1, cells.high) + 100) @ places).tolist()
        return outcomes

    def law(value: Any, width: float = scale) -> dict[int, float]:  # noqa: ANN401 - an array
        each = [cells.law(family(float(center), width).cdf) for center in np.ravel(value)]
        masses = [np.array(list(one.values())) for one in each]
        numbers = [(np.array(list(one)) + 100) * place for one, place in zip(each, places, strict=True)]
        chances = functools.reduce(np.multiply.outer, masses).ravel()
        return dict(zip(functools.reduce(np.add.outer, numbers).ravel().tolist(), chances.tolist(), strict=True))

    def many(value: Any, source: BitSource, runs: int) -> list[int]:  # noqa: ANN401 - an array
        return joined(mechanism.noise.sample(np.tile(np.ravel(value), (runs, 1)), source))

    return Example(
        mechanism=mechanism,
        pair=(np.zeros(mechanism.shape), np.full(mechanism.shape, moved)),
        law=law,
        wrong_law=lambda value: law(value, 1.3 * scale),
        sensitivity=Sensitivity(str(moved), cells=mechanism.cells),
        outcome=lambda released: joined(released.coefficients)[0],
        draw=None if whole else many,
        trials=8000 if whole else 20_000,
        tightness=tightness,
        too_far=Sensitivity(Fraction(str(moved)) * Fraction(1001, 1000)),
    )


LINE = Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=1)
CURVED = Bernstein(Gaussian(l2_sensitivity=Fraction(2**0.5), scale=1), degree=1, order=3)
SURFACE = Bernstein.calibrated(epsilon=2, function_sensitivity="0.5", degree=1, dimension=2, bounds=(-1, 1))


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(LINE, 1.0, laplace, tightness=0.9, whole=True),
        example(CURVED, 1.0, norm, tightness=0.9, whole=False),
        example(SURFACE, 0.5, laplace, tightness=0.1, whole=False),  # its cells are coarse
    ]
    REFUSED: ClassVar[Sequence[Any]] = [
        3.0,
        [1.0, 2.0, 3.0],
        [[1.0, 2.0]],
        [0.0, math.nan],
        [0.0, math.inf],
        [],
        None,
        "f",
        ["0", "1"],
        [1j, 2],
    ]


@pytest.mark.parametrize("mechanism", [LINE, CURVED, SURFACE])
def test_a_sample_is_the_polynomial_of_noisy_values(mechanism: Bernstein) -> None:
    values = np.arange(float(mechanism.cells)).reshape(mechanism.shape) / 3 - 7
    released = mechanism.sample(values, seeded_entropy_for_tests(5))
    noisy = mechanism.noise.sample(values, seeded_entropy_for_tests(5))
    assert released.coefficients.tolist() == np.asarray(noisy).tolist()
    assert (released.order, released.bounds) == (mechanism.order, mechanism.bounds)


@pytest.mark.parametrize(
    "wrong",
    [
        {"degree": 0},
        {"degree": 2.5},
        {"degree": True},
        {"dimension": 0},
        {"order": 0},
        {"order": "2"},
        {"bounds": (1, 0)},
        {"bounds": (0, 0)},
        {"bounds": [(0, 1), (0, 1)]},
        {"bounds": (0, 1, 2)},
        {"bounds": ("a", "b")},
        {"function_sensitivity": 0},
        {"function_sensitivity": -1},
        {"function_sensitivity": "nan"},
        {"epsilon": 0},
        {"epsilon": -1},
        {"delta": 1},
        {"degree": 5000, "dimension": 3},
    ],
)
def test_bad_parameters_are_refused(wrong: dict[str, Any]) -> None:
    parameters: dict[str, Any] = {"epsilon": 1, "function_sensitivity": 1, "degree": 3, **wrong}
    with pytest.raises(InvalidParameter):
        Bernstein.calibrated(**parameters)


def test_the_noise_is_laplace_or_gaussian() -> None:
    with pytest.raises(InvalidParameter, match="Laplace or a Gaussian"):
        Bernstein(3, degree=2)  # type: ignore[arg-type]


@pytest.mark.parametrize(("degree", "dimension"), [(1, 1), (4, 1), (2, 2), (25, 1), (2, 3)])
def test_pure_calibration_is_exact(degree: int, dimension: int) -> None:
    mechanism = Bernstein.calibrated(epsilon="0.7", function_sensitivity="0.3", degree=degree, dimension=dimension)
    assert mechanism.noise.scale == Fraction(3, 7) * (degree + 1) ** dimension
    assert mechanism.loss.meets(Guarantee("0.7"))
    assert not mechanism.loss.meets(Guarantee("0.6999999999"))


def test_the_smaller_noise_is_taken_and_said() -> None:
    for degree, kind in ((1, Laplace), (5, Laplace), (6, Gaussian), (25, Gaussian)):
        mechanism = Bernstein.calibrated(epsilon=1, delta=1e-5, function_sensitivity=1, degree=degree)
        assert type(mechanism.noise) is kind
        assert mechanism.loss.meets(Guarantee(1, 1e-5))
        assert kind.__name__ in repr(mechanism)


def test_with_a_delta_alone_only_gaussian_noise_will_do() -> None:
    mechanism = Bernstein.calibrated(epsilon=0, delta="0.01", function_sensitivity=1, degree=1)
    assert isinstance(mechanism.noise, Gaussian)
    assert mechanism.loss.meets(Guarantee(0, "0.01"))
    assert Bernstein.calibrated(epsilon=1, delta="0", function_sensitivity=1, degree=25).noise == Laplace(26, 26)


def test_gaussian_calibration_is_tight_and_charged_at_its_promise() -> None:
    mechanism = Bernstein.calibrated(epsilon=1, delta=1e-5, function_sensitivity=2, degree=25)
    assert not mechanism.loss.meets(Guarantee("0.999999", 1e-5))
    unit = Unit("person")
    ledger = Ledger(Guarantee(1, 1e-5), unit=unit)
    secret: Sensitive[Any] = Sensitive(np.zeros(26), Sensitivity(2, cells=26), unit)
    ledger.release(secret, mechanism, purpose="curve")
    assert (ledger.spent.epsilon, ledger.spent.delta) == (1, Fraction("1e-5"))
    with pytest.raises(BudgetExceeded):
        ledger.release(secret, mechanism, purpose="curve again")


def test_the_loss_is_that_of_all_values_together() -> None:
    """Every value moves by S: the same pure ε as one number that moves by n S, and far less δ and ρ."""
    mechanism = Bernstein.calibrated(epsilon=1, function_sensitivity=3, degree=25)
    assert mechanism.loss == PrivacyLoss.of(LaplaceCurve(Fraction(1, 26)), 26)
    assert mechanism.loss.epsilon(0) == 1
    assert mechanism.loss.zcdp() < 0.1 * Laplace(26, 26).loss.zcdp()
    ledger = Ledger(ConcentratedGuarantee("0.1"), unit=Unit("person"))
    secret: Sensitive[Any] = Sensitive(np.zeros(26), Sensitivity(3, cells=26), Unit("person"))
    for _ in range(5):
        ledger.release(secret, mechanism, purpose="curve")


def test_all_values_may_move_whatever_cells_says() -> None:
    """A function's sensitivity declared without cells is not mistaken for one coefficient that moves."""
    mechanism = Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=9)
    assert mechanism.covers(Sensitivity(1))
    assert mechanism.covers(Sensitivity(1, cells=10))
    assert not mechanism.covers(Sensitivity("1.01"))
    assert not mechanism.covers(Sensitivity(10))
    gaussian = Bernstein.calibrated(epsilon=1, delta=1e-5, function_sensitivity=1, degree=9)
    assert gaussian.covers(Sensitivity(1))
    assert not gaussian.covers(Sensitivity("1.01"))


def test_the_grid_covers_the_box() -> None:
    line = Bernstein(Laplace(5, 5), degree=4)
    assert line.grid().tolist() == [0, 0.25, 0.5, 0.75, 1]
    plane = Bernstein(Laplace(9, 9), degree=2, dimension=2, bounds=[(0, 1), (-10, 10)])
    assert plane.grid().shape == (3, 3, 2)
    assert plane.grid()[2, 0].tolist() == [1, -10]
    values = plane.values_of(lambda point: point[0] + 100 * point[1])
    assert values[1, 2] == 0.5 + 1000
    assert line.values_of(lambda x: x**2).tolist() == [0, 0.0625, 0.25, 0.5625, 1]


def test_coefficients_lie_on_a_public_lattice(source: BitSource) -> None:
    mechanism = Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=30)
    released = mechanism.sample(np.linspace(0, 1, 31) / 7, source)
    assert all(Fraction(float(x)) % mechanism.noise.lattice.step == 0 for x in released.coefficients)


FUNCTIONS: list[tuple[Callable[[Any], Any], float, float]] = [  # function, Lipschitz constant, curvature on [0, 1]
    (lambda x: x**2, 2, 2),
    (lambda x: x * np.sin(10 * x), 11, 120),
    (lambda x: abs(x - 0.5), 1, math.inf),
]


@pytest.mark.parametrize(("function", "slope", "curvature"), FUNCTIONS)
@pytest.mark.parametrize("degree", [5, 25, 100])
def test_the_bias_stays_within_its_bounds(
    function: Callable[[Any], Any], slope: float, curvature: float, degree: int
) -> None:
    mechanism = Bernstein(Laplace(degree + 1, 1), degree=degree)
    points = np.linspace(0, 1, 301)
    error = float(np.abs(BernsteinFunction(mechanism.values_of(function))(points) - function(points)).max())
    assert error <= mechanism.bias_of_holder(constant=slope, exponent=1)
    if math.isfinite(curvature):
        assert error <= mechanism.bias_of_smooth(curvature=curvature) + 1e-13


def test_bias_bounds_are_met_by_the_worst_functions() -> None:
    """x² is off by exactly curvature/(8 degree) at 1/2; and in any box, in the user's units."""
    mechanism = Bernstein(Laplace(1, 1), degree=10, dimension=2, bounds=[(0, 1), (0, 4)])
    released = BernsteinFunction(mechanism.values_of(lambda p: p[0] ** 2 + p[1] ** 2), 1, mechanism.bounds)
    error = released([0.5, 2.0]) - 4.25
    assert error == pytest.approx(mechanism.bias_of_smooth(curvature=2), rel=1e-12)
    distance = BernsteinFunction(mechanism.values_of(lambda p: math.hypot(p[0] - 0.5, p[1] - 2)), 1, mechanism.bounds)
    assert 0.5 < distance([0.5, 2.0]) / mechanism.bias_of_holder(constant=1, exponent=1) <= 1


@pytest.mark.parametrize("exponent", [0, -1, "1.5", math.nan])
def test_holder_needs_an_exponent_above_zero(exponent: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="exponent"):
        Bernstein(Laplace(3, 3), degree=2).bias_of_holder(constant=1, exponent=exponent)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize(("degree", "dimension"), [(3, 1), (12, 1), (3, 2)])
def test_the_error_factor_bounds_the_polynomial(order: int, degree: int, dimension: int, source: BitSource) -> None:
    """Noise of size 1 with any signs moves the polynomial by at most the factor; the factor is at most 2^order - 1."""
    mechanism = Bernstein(Laplace(1, 1), degree=degree, dimension=dimension, order=order)
    points = np.stack(np.meshgrid(*[np.linspace(0, 1, 41)] * dimension), axis=-1)
    points = points if dimension > 1 else points[..., 0]
    signs = 1.0 - 2.0 * (source.words(50 * mechanism.cells) % 2).astype(np.float64)
    alternating = (-1.0) ** np.indices(mechanism.shape).sum(axis=0)
    worst = max(
        float(np.abs(BernsteinFunction(noise, order)(points)).max())
        for noise in [*signs.reshape(50, *mechanism.shape), alternating]
    )
    factor = mechanism.uncertainty.factor
    assert worst <= factor <= 2**order - 1 + 1e-9
    assert order == 1 or worst > 1.05, "iterating does enlarge noise"


def test_the_margin_holds_everywhere_at_once(source: BitSource) -> None:
    """n=2,000: how often the polynomial leaves the 90 % band anywhere; false alarm 1e-6; the control is half the band.

    Degree 1 is a line, whose worst point is an end, so there the band is exact.
    """
    mechanism = Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=1)
    margin = mechanism.uncertainty.margin(0.9)
    points = np.linspace(0, 1, 11)
    largest = [float(np.abs(mechanism.sample([0.0, 0.0], source)(points)).max()) for _ in range(2000)]
    left = sum(error > margin for error in largest)
    assert 130 < left < 270  # Binomial(2000, 0.1), beyond 4.9 standard deviations
    assert sum(error > margin / 2 for error in largest) > 400


def test_uncertainty_inverts() -> None:
    error = Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=25, order=2).uncertainty
    for tail in (0.5, 0.05, 1e-6):
        assert error.tail(error.distance(tail)) == pytest.approx(tail, rel=1e-6)
    assert error.tail(0) == 1
    assert error.tail(error.distance(0.05) * (1 - 1e-9)) >= 0.05
    plain = Bernstein.calibrated(epsilon=1, function_sensitivity=1, degree=25).uncertainty
    assert plain.margin(0.95) == pytest.approx(-26 * math.log1p(-(0.95 ** (1 / 26))), rel=1e-6)  # 26 Laplace values


def test_a_release_is_a_band_that_survives_json() -> None:
    unit = Unit("person", "replace")
    mechanism = Bernstein.calibrated(epsilon=5, function_sensitivity="0.01", degree=8, order=2, bounds=(0, 100))
    secret: Sensitive[Any] = Sensitive(mechanism.values_of(lambda x: x / 100), Sensitivity("0.01"), unit)
    release = Ledger(Guarantee(5), unit=unit).release(secret, mechanism, purpose="dose and response")
    low, high = release.interval(0.95)
    assert high(50.0) - low(50.0) == pytest.approx(2 * release.margin(0.95))
    back = Release.from_json(release.to_json(), kinds=[BernsteinFunction])
    assert back.value == release.value
    assert back.margin(0.9) == release.margin(0.9)
    assert back.value(33.0) == release.value(33.0)
    assert repr(release).startswith("BernsteinFunction(degree=8, order=2, on [0, 100]) ± 0.11 (95%)")
