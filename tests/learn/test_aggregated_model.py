"""Sample-and-aggregate for any estimator: the contract, what a failing block counts as, and that blocks are apart."""

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from privet.errors import InvalidParameter
from privet.learn import SampleAndAggregateClassifier, SampleAndAggregateRegressor
from privet.learn.aggregated_model import AggregatedModel, _seeded
from privet.learn.fitting import Fitting
from tests.contracts.estimator import EstimatorContract, Example


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(
            SampleAndAggregateClassifier,
            {"bounds": (0, 1), "classes": [0, 1], "blocks": 5},
            required=("bounds", "classes"),
            classes=(0, 1),
            rho=False,
            poor=True,
            checks={"blocks": 1},
        ),
        Example(
            SampleAndAggregateRegressor,
            {"bounds": (0, 1), "target_bounds": (0, 1), "blocks": 5},
            required=("bounds", "target_bounds"),
            rho=False,
            poor=True,
            checks={"blocks": 1},
        ),
    ]


ROWS = np.random.default_rng(3).uniform(-1, 1, size=(4000, 3))
NUMBERS = ROWS @ [0.5, -0.25, 0.0] + 0.125
WHERE: dict[str, Any] = {"bounds": (-1, 1), "target_bounds": (-1, 1)}


def test_averages_of_exact_fits_are_exact_without_noise() -> None:
    model = SampleAndAggregateRegressor(LinearRegression(), blocks=20, epsilon=10**9, **WHERE).fit(ROWS, NUMBERS)
    assert np.allclose(model.estimator_.coef_, [0.5, -0.25, 0], atol=1e-3)  # targets have 15 bits
    assert model.estimator_.intercept_ == pytest.approx(0.125, abs=1e-3)
    assert np.allclose(model.predict(ROWS), NUMBERS, atol=1e-3)


def test_any_attribute_of_any_estimator() -> None:
    labels = np.where(NUMBERS > 0, "up", "down")
    said: dict[str, Any] = {"bounds": (-1, 1), "classes": ["down", "up"], "epsilon": 10**9, "blocks": 10}
    bayes = {"theta_": (-1, 1), "var_": (0.01, 1), "class_prior_": (0.01, 1)}
    for estimator, attributes in (
        (GaussianNB(), bayes),
        (SGDClassifier(), {"coef_": (-30, 30), "intercept_": (-30, 30)}),
    ):
        model = SampleAndAggregateClassifier(estimator, attributes=attributes, **said).fit(ROWS, labels)
        assert model.score(ROWS, labels) > 0.8


class Counting(BaseEstimator):
    """Remembers nothing itself; what it was fitted to is kept here, for the tests alone."""

    seen: ClassVar[list[Any]] = []

    def __init__(self, limit: float = 2.0) -> None:
        self.limit = limit

    def fit(self, rows: Any, _: Any) -> "Counting":  # noqa: ANN401 - rows of numbers
        Counting.seen.append(rows)
        if np.abs(rows).max() >= self.limit:
            raise SystemExit("a row that an estimator cannot stand")
        self.coef_ = np.ones(len(rows) + 1 if len(rows) == 1 else 2)  # another shape for a single row
        self.intercept_ = float("nan") if len(rows) == 2 else 1.0
        return self

    def predict(self, rows: Any) -> Any:  # noqa: ANN401 - rows of numbers
        return np.zeros(len(rows))


@pytest.mark.parametrize(("count", "expected"), [(0, 0), (64, 1)])
def test_a_block_that_fails_counts_as_the_middle(count: int, expected: int) -> None:
    rows = np.full((count, 2), 0.5)
    model = SampleAndAggregateRegressor(Counting(), blocks=1, epsilon=10**9, **WHERE).fit(rows, rows[:, 0])
    assert model.estimator_.coef_ == pytest.approx([expected] * 2, abs=1e-6)
    failing = SampleAndAggregateRegressor(Counting(limit=1.0), blocks=1, epsilon=10**9, **WHERE)
    with pytest.raises(SystemExit):  # of invented rows, which are public, an error is told
        SampleAndAggregateRegressor(Counting(limit=0.1), blocks=1, epsilon=1, **WHERE).fit(rows, rows[:, 0])
    spoiled = np.vstack([rows, [[np.inf, 0]]])
    assert failing.fit(spoiled, spoiled[:, 1]).estimator_.coef_ == pytest.approx([0, 0], abs=1e-6)


def test_single_numbers_that_are_missing_count_as_the_middle() -> None:
    two = np.zeros((2, 2))
    model = SampleAndAggregateRegressor(Counting(), blocks=1, epsilon=10**9, **WHERE).fit(two, two[:, 0])
    assert model.estimator_.coef_ == pytest.approx([1, 1], abs=1e-6)
    assert model.estimator_.intercept_ == pytest.approx(0, abs=1e-6)


def test_one_unit_is_in_one_block() -> None:
    rows = np.repeat(np.linspace(-1, 1, 50), 4)[:, None]
    Counting.seen.clear()
    model = SampleAndAggregateRegressor(Counting(), blocks=7, rows_per_unit=3, epsilon=1, **WHERE)
    model.fit(rows, rows[:, 0], groups=np.repeat(np.arange(50), 4))
    blocks = [set(np.round(block[:, 0], 3).tolist()) for block in Counting.seen[1:]]
    assert len(blocks) == 7
    assert sum(map(len, blocks)) == len(set.union(*blocks)) == 50
    assert sum(len(block) for block in Counting.seen[1:]) == 150
    with pytest.raises(InvalidParameter, match="groups must say"):
        model.fit(rows, rows[:, 0])


def test_the_noise_is_made_for_one_block() -> None:
    model = SampleAndAggregateRegressor(Ridge(), attributes={"coef_": (-3, 3)}, blocks=40, epsilon=2, **WHERE)
    plan = model._plan(model._payment(), 3)
    assert plan.mechanism.scale == Fraction(3 * 6, 2 * 40)  # three numbers that move by 6 at most, ε = 2
    assert plan.mechanism.loss.epsilon(0) == 2


def test_what_draws_at_random_is_no_channel_between_blocks() -> None:
    made = _seeded(make_pipeline(SGDClassifier()))
    assert made.get_params()["sgdclassifier__random_state"] == 0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"attributes": {"coef_": 3}}, "pair"),
        ({"attributes": {"nothing_": (0, 1)}}, "has no nothing_"),
        ({"blocks": 0}, "blocks"),
        ({"estimator": "ridge"}, "scikit-learn estimator"),
        ({"epsilon": None, "rho": 1}, "priced by epsilon"),
    ],
)
def test_wrong_parameters_are_refused(wrong: dict[str, Any], said: str) -> None:
    model = SampleAndAggregateRegressor(**{"estimator": Ridge(), "epsilon": 1, **WHERE, **wrong})
    with pytest.raises(InvalidParameter, match=said):
        model.fit(ROWS, NUMBERS)


def test_the_rows_of_owners_stay_together() -> None:
    model = SampleAndAggregateRegressor(Ridge(), epsilon=1, rows_per_unit=1, **WHERE)
    fitting = model._begin(ROWS[:4], NUMBERS[:4], groups=["a", "a", "b", None])
    assert isinstance(fitting, Fitting)
    owners = fitting.rows.read_pair_owners()
    assert owners is not None
    assert len(owners) == len(fitting.rows.read_pairs()[0]) == len(set(owners.tolist())) == 2


def test_logistic_regression_is_asked_for_its_shape() -> None:
    plan = AggregatedModel.of(
        LogisticRegression(),
        {"coef_": (-1, 1), "intercept_": (-1, 1)},
        blocks=3,
        price=SampleAndAggregateRegressor(epsilon=1)._payment().price,
        columns=2,
        labels=np.array(["a", "b", "c"]),
    )
    assert len(plan.mechanism.bounds) == 3 * 2 + 3
