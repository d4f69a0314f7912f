import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from privet.errors import InvalidParameter
from privet.local.survey import ForcedResponse, TwoCoins, Warner

DESIGN = ForcedResponse("2/3", yes="1/4")
TRUTH = np.array([-0.5, 1.2, -0.7])


def people(number: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Covariates, and randomized answers whose hidden truth follows the coefficients."""
    draw = np.random.default_rng(seed)
    covariates = np.column_stack([draw.normal(50, 10, number), draw.integers(0, 2, number)])
    scaled = (covariates - [50, 0]) / [10, 1]
    hidden = draw.random(number) < expit(TRUTH[0] + scaled @ TRUTH[1:])
    chance = float(DESIGN.yes_if_no) + float(DESIGN.slope) * hidden
    return covariates, draw.random(number) < chance


def test_the_fit_is_the_peak_of_the_likelihood() -> None:
    covariates, answers = people(2000, 1)
    found = DESIGN.regress(answers, covariates=covariates, names=("age", "urban"))
    rows = np.column_stack([np.ones(2000), covariates])

    def unlikely(b: np.ndarray) -> float:
        mean = 1 / 4 + 2 / 3 * expit(rows @ b)
        return -float(np.log(np.where(answers, mean, 1 - mean)).mean())

    other = minimize(unlikely, found.coefficients * 1.1, method="Nelder-Mead", tol=1e-12)
    assert unlikely(found.coefficients) <= other.fun + 1e-9
    assert found.names == ("intercept", "age", "urban")
    assert found.coefficients == pytest.approx(other.x, abs=2e-2)


def test_intervals_of_coefficients_hold() -> None:
    """200 surveys of 2,000: 95 % intervals miss at most 25 of 200 but once in 10^5; halved ones miss more."""
    truth = np.array([TRUTH[0] - 5 * TRUTH[1], TRUTH[1] / 10, TRUTH[2]])
    fits = [DESIGN.regress(answers, covariates=rows) for rows, answers in (people(2000, seed) for seed in range(200))]
    off = np.array([np.abs(fit.coefficients - truth) / fit.standard_errors for fit in fits])
    assert ((off > 1.96).sum(axis=0) <= 25).all()
    assert ((off > 0.98).sum(axis=0) > 35).all()


def test_answers_that_are_never_randomized_give_the_ordinary_regression() -> None:
    rows = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    found = Warner(1).regress([0, 0, 1, 0, 1, 1], covariates=rows)
    residual = np.array([0, 0, 1, 0, 1, 1]) - found.predict(rows)
    assert [residual.sum(), residual @ rows[:, 0]] == pytest.approx([0, 0], abs=1e-4)


def test_a_table_is_shown() -> None:
    covariates, answers = people(500, 3)
    found = DESIGN.regress(answers, covariates=covariates)
    assert repr(found).splitlines()[1].startswith("intercept")
    assert list(found.to_dict()) == ["name", "coefficient", "standard_error", "low", "high", "p_value"]
    assert ((found.p_values > 0) & (found.p_values <= 1)).all()
    assert found.predict(covariates[:3]).shape == (3,)


def test_refuses_what_cannot_be_fitted() -> None:
    design = TwoCoins()
    with pytest.raises(InvalidParameter, match="do not determine"):
        Warner(1).regress([0, 0, 1, 1], covariates=[[1.0], [2.0], [3.0], [4.0]])  # separated
    with pytest.raises(InvalidParameter, match="do not determine"):
        design.regress([0] * 50, covariates=np.arange(50.0))  # fewer yes than chance alone gives
    with pytest.raises(InvalidParameter, match="do not determine"):
        design.regress([0, 1, 0, 1], covariates=[[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [5.0, 10.0]])
    with pytest.raises(InvalidParameter, match="a row for each"):
        design.regress([0, 1], covariates=[[1.0]])
    with pytest.raises(InvalidParameter, match="differ between people"):
        design.regress([0, 1], covariates=[[1.0], [1.0]])
    with pytest.raises(InvalidParameter, match="numbers up to 1e100"):
        design.regress([0, 1], covariates=[[1.0], [np.nan]])
    with pytest.raises(InvalidParameter, match="numbers up to 1e100"):
        design.regress([0, 1], covariates=[[1.0], [1e300]])
    with pytest.raises(InvalidParameter, match="names"):
        design.regress([0, 1], covariates=[[1.0], [2.0]], names=("a", "b"))
    with pytest.raises(InvalidParameter, match="1 columns"):
        DESIGN.regress(people(100, 1)[1], covariates=people(100, 1)[0][:, 0]).predict([[1.0, 2.0]])
