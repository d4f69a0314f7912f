from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression as Plain

from privet import Guarantee, Ledger, Unit
from privet.errors import InvalidParameter
from privet.learn import Comparison, GaussianNB, StandardScaler, compare, learning_curve
from tests.learn.first_column import FirstColumn
from tests.learn.most_frequent import MostFrequent

SOURCE = np.random.default_rng(3)
X = SOURCE.uniform(size=(2000, 2))
Y = np.where(X[:, 0] < 0.8, "no", "yes")
NEVER = 10**6  # an ε without noise, nearly


def means_apart(private: Any, plain: Any, _: Any) -> float:  # noqa: ANN401 - fitted models
    return float(np.abs(private.mean_ - plain.mean_).mean())


def test_nothing_is_charged_and_the_model_stays_as_it_is() -> None:
    ledger = Ledger(Guarantee(1), unit=Unit("person"))
    model = MostFrequent(classes=["no", "yes"], rho=1, ledger=ledger)
    found = compare(model, X, Y, plain=DummyClassifier(), epsilons=[NEVER], repeats=2)
    assert ledger.entries == ()
    assert model.get_params()["rho"] == 1
    (cell,) = found.cells
    assert (cell.rows, cell.distance, cell.score) == (1400, 0, cell.plain)
    assert cell.plain == pytest.approx(0.8, abs=0.05)


def test_regressors_are_as_far_apart_as_their_predictions() -> None:
    model = FirstColumn(target_bounds=(0, 10), epsilon=1)
    found = compare(model, X, X[:, 0] + 0.5, plain=Plain(), epsilons=[1], repeats=3)
    assert found.cells[0].distance == pytest.approx(0.5)
    assert found.cells[0].plain == pytest.approx(1)


def test_the_noise_of_a_mean_falls_like_one_over_n() -> None:
    """The error of a mean with Laplace noise has slope -1 in n.

    Each point is a mean of 60 absolute errors, whose logarithm has a deviation below 0.15; over a factor of 20 in n,
    with five sizes, that of the slope is below 0.07, so that 0.35 is exceeded with a chance below 1e-6.
    """
    sizes = [70, 140, 350, 700, 1400]
    model = StandardScaler(bounds=(0, 1))
    found = learning_curve(model, X, epsilons=[10], sizes=sizes, repeats=30, distance=means_apart)
    assert [each.rows for each in found.cells] == sizes
    assert found.slope(10) == pytest.approx(-1, abs=0.35)


def test_charts_and_tables_say_what_was_found() -> None:
    model = GaussianNB(bounds=(0, 1), classes=["no", "yes"])
    found = learning_curve(model, X[:300], Y[:300], epsilons=[1, NEVER], repeats=2)
    assert len(found.cells) == 10
    assert repr(found.chart()) == "Chart(2 panels)"
    assert len(found.chart().to_altair().to_dict()["concat"]) == 2
    assert repr(found).splitlines()[0].startswith("GaussianNB beside GaussianNB without privacy, on public rows")
    one = compare(model, pd.DataFrame(X, columns=["a", "b"]), Y, epsilons=[1, 10], repeats=2)
    assert "2 lines" in repr(one.chart())
    assert isinstance(one, Comparison)
    assert len(repr(one).splitlines()) == 4


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"epsilons": [0]}, "epsilon"),
        ({"sizes": [1401]}, "at most 1,400"),
        ({"sizes": []}, "sizes"),
        ({"repeats": 0}, "repeats"),
        ({"plain": None}, "scikit-learn has no MostFrequent"),
    ],
)
def test_what_cannot_be_compared_is_refused(more: dict[str, Any], said: str) -> None:
    model = MostFrequent(classes=["no", "yes"])
    with pytest.raises(InvalidParameter, match=said):
        learning_curve(model, X, Y, **{"plain": DummyClassifier(), "repeats": 1, **more})


def test_what_has_no_distance_of_its_own_needs_one() -> None:
    with pytest.raises(InvalidParameter, match="distance="):
        compare(StandardScaler(bounds=(0, 1)), X, epsilons=[1], repeats=1)
    with pytest.raises(InvalidParameter, match="one of privet"):
        compare(Plain(), X, Y)
    with pytest.raises(InvalidParameter, match="two"):
        compare(StandardScaler(bounds=(0, 1)), X, epsilons=[1], repeats=1, distance=means_apart).slope(1)
