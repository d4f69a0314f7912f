"""Linear models: the contract; lines found again; errors and intervals as told; golden numbers."""

import itertools
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import binom
from sklearn import linear_model

from privet import Guarantee, Ledger, Unit
from privet.errors import InvalidParameter
from privet.learn import BayesianLinearRegression, FunctionalRegression, LinearRegression, Ridge
from privet.learn.features import Ball, Box
from privet.learn.functional_regression import functional_sensitivity, squared_cells
from privet.learn.rows import Rows
from privet.learn.second_moments import ONE, SecondMoments
from tests.contracts.estimator import EstimatorContract, Example

DECLARED = {"bounds": (0, 1), "target_bounds": (0, 1)}


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(LinearRegression, DECLARED, required=("bounds", "target_bounds")),
        Example(Ridge, DECLARED, required=("bounds", "target_bounds")),
        Example(BayesianLinearRegression, DECLARED, required=("bounds", "target_bounds")),
        Example(
            FunctionalRegression,
            {"norm": 2, "target_bounds": (-1, 1)},
            required=("norm", "target_bounds"),
            rho=False,
            poor=True,
        ),
    ]


def line(rows: int, *, seed: int = 3, noise: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Features in [10, 20] x [-5, 1], and y = 30 + 2 a - 4 b, with normal noise."""
    source = np.random.default_rng(seed)
    features = source.uniform([10, -5], [20, 1], size=(rows, 2))
    return features, 30 + features @ [2.0, -4.0] + noise * source.normal(size=rows)


WIDE: Any = {"bounds": ([10, -5], [20, 1]), "target_bounds": (40, 100), "epsilon": 10**5}


@pytest.mark.parametrize("kind", [LinearRegression, BayesianLinearRegression])
@pytest.mark.parametrize("said", [WIDE, {**WIDE, "bounds": None, "norm": 21}])
def test_a_line_is_found_in_the_units_of_the_data(kind: Any, said: Any) -> None:  # noqa: ANN401 - a class
    features, target = line(20_000)
    model = kind(**said).fit(features, target)
    assert model.coef_ == pytest.approx([2, -4], abs=0.02)
    assert model.intercept_ == pytest.approx(30, abs=0.3)
    assert model.score(features, target) > 0.999
    assert model.residual_variance_ == pytest.approx(0.01, abs=0.005)


@pytest.mark.parametrize("alpha", [0, 1e4, 1e6])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_without_noise_it_is_the_ridge_regression_that_others_know(alpha: float, fit_intercept: bool) -> None:  # noqa: FBT001
    features, target = line(20_000)
    theirs = linear_model.Ridge(alpha=alpha, fit_intercept=fit_intercept).fit(features, target)
    ours = Ridge(alpha=alpha, fit_intercept=fit_intercept, **WIDE).fit(features, target)
    assert ours.coef_ == pytest.approx(theirs.coef_, abs=0.02)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=0.3)
    assert fit_intercept or abs(ours.intercept_) < 1e-9


def test_a_line_through_zero_with_bounds_around_zero_needs_no_constant() -> None:
    features = np.random.default_rng(1).uniform(-1, 1, size=(20_000, 3))
    said: Any = {"target_bounds": (-1, 1), "fit_intercept": False, "epsilon": 1000}
    for place in ({"bounds": (-1, 1)}, {"norm": 1.8}):
        model = LinearRegression(**place, **said).fit(features, features @ [0.5, 0, -0.25])
        assert model.coef_ == pytest.approx([0.5, 0, -0.25], abs=0.01)
        assert model.intercept_ == 0


def covered(model: Any, halved: float = 1.0) -> int:  # noqa: ANN401 - a linear model
    """How many of 200 fits, of 1,000 rows each, hold the first coefficient between the ends for 90 %."""
    hits = 0
    for seed in range(200):
        source = np.random.default_rng(seed)
        features = source.uniform(-1, 1, size=(1000, 2))
        target = features @ [0.4, -0.3] + source.uniform(-0.2, 0.2, size=1000)
        low, high = model.fit(features, target).confidence_intervals(0.9)[0]
        hits += bool(abs((low + high) / 2 - 0.4) <= halved * (high - low) / 2)
    return hits


@pytest.mark.whole
@pytest.mark.parametrize("price", [{"epsilon": 1}, {"rho": "0.02"}, {"epsilon": 30}], ids=str)
def test_intervals_count_the_noise_and_the_sample(price: Any) -> None:  # noqa: ANN401 - a budget
    """n = 200 fits: at least 85 % are right, except with 1e-6; the control, of half the width, is not."""
    model = LinearRegression(bounds=(-1, 1), target_bounds=(-1, 1), **price)
    least = int(binom.ppf(1e-6, 200, 0.85))
    assert covered(model) >= least
    assert covered(model, halved=0.4) < least


def test_predictions_say_how_far_off_they_may_be() -> None:
    features, target = line(20_000, noise=2.0)
    model = BayesianLinearRegression(**WIDE).fit(features, target)
    mean, spread = model.predict(features, return_std=True)
    assert mean.tolist() == model.predict(features).tolist()
    assert spread == pytest.approx(np.full(20_000, 2.0), rel=0.1)
    wide = BayesianLinearRegression(prior_scale=0.001, **{**WIDE, "epsilon": "0.001"}).fit(features, target)
    assert abs(wide.coef_[0]) < 0.01  # noise says nothing, the prior all


def test_what_is_declared_is_checked_before_anything_is_paid() -> None:
    ledger = Ledger(Guarantee(1), unit=Unit("person"))
    features, target = line(10)
    said: Any = {**WIDE, "epsilon": 1, "ledger": ledger}
    for model in (
        Ridge(alpha=-1, **said),
        Ridge(alpha=float("nan"), **said),
        BayesianLinearRegression(prior_scale=0, **said),
        LinearRegression(fit_intercept=False, **{**said, "bounds": (10**9, 10**9 + 1)}),
        LinearRegression(norm=1, **said),
        FunctionalRegression(norm=1, target_bounds=(0, 1), epsilon=1, ledger=ledger),
        FunctionalRegression(norm=1, target_bounds=(-1, 1), rho=1, ledger=ledger),
    ):
        with pytest.raises(InvalidParameter):
            model.fit(features, target)
    assert ledger.entries == ()


def test_explain_tells_how_far_a_coefficient_errs() -> None:
    model = LinearRegression(bounds=(-1, 1), target_bounds=(-1, 1), epsilon=1)
    told = model.explain(columns=3, rows=10_000).foreseen
    assert "CubeNoise" in told["released"]
    assert "half width" in told["noise of a coefficient"]
    assert (
        "SymmetricGaussian" in LinearRegression(norm=1, epsilon=1, delta=1e-6).explain(columns=30).foreseen["released"]
    )


def test_extreme_declarations_neither_raise_nor_warn() -> None:
    features, target = line(100)
    for bounds, ends in (((-1e150, 1e150), (0, 1e-149)), ((0, 1e-149), (-1e150, 1e150))):
        LinearRegression(bounds=bounds, target_bounds=ends, epsilon=1).fit(features, target).predict(features)
        Ridge(alpha=1e100, bounds=bounds, target_bounds=ends, epsilon=1).fit(features, target)
    for epsilon in ("1e-12", 10**9):
        LinearRegression(bounds=(0, 1), target_bounds=(0, 1), epsilon=epsilon).fit(features, target)


# --- the functional mechanism, for comparison ---


def test_the_published_sensitivity_and_ours() -> None:
    """R157: 50 for four features. Ours, for the same rows and replaced units, needs less than a quarter of it."""
    assert functional_sensitivity(4) == 50
    plan = SecondMoments(Ball.of(1), 4, target=Box.of((-1, 1), width=1), constant=False)
    ours = plan._pure(Fraction(1), 1, replaces=True)[-1].sensitivity.l1 / ONE
    assert ours == 11  # ((1 + 2)² + 2) / 2, twice


def test_no_row_moves_the_loss_farther_than_the_functional_mechanism_says() -> None:
    plan = SecondMoments(Ball.of(1), 3, target=Box.of((-1, 1), width=1), constant=False)
    most = 0.0
    for signs in itertools.product([-1, 1], repeat=4):
        row = np.array(signs, dtype=float)
        rows = Rows.of(row[None, :3], row[3:], width=3)
        most = max(most, float(np.abs(plan.sums(rows) * squared_cells(4)).sum()) / ONE)
    assert (1 + 3**0.5) ** 2 - 0.01 < most <= (1 + 3**0.5) ** 2 <= functional_sensitivity(3) / 2
