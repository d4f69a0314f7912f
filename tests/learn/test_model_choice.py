"""The choice between models follows from public numbers, and is the one that the measured tables call for."""

import pytest

from privet.errors import InvalidParameter
from privet.learn.model_choice import ModelChoice


@pytest.mark.parametrize(
    ("table", "price", "name"),
    [
        ((2, 105, 31_000), (0.5, 1e-6), "LogisticRegression"),  # Adult
        ((3, 4, 105), (0.5, 0), "RandomForestClassifier"),  # iris
        ((10, 64, 1_250), (1, 0), "RandomForestClassifier"),  # digits
        ((2, 30, 400), (1, 0), "LogisticRegression"),  # breast cancer
        ((None, 8, 14_000), (1, 1e-6), "GradientBoostingRegressor"),  # houses
        ((None, 8, 14_000), (1, 0), "LinearRegression"),
        ((None, 10, 300), (1, 0), "GradientBoostingRegressor"),  # diabetes
    ],
)
def test_the_better_one_of_the_measured(
    table: tuple[int | None, int, float], price: tuple[float, float], name: str
) -> None:
    (classes, columns, rows), (epsilon, delta) = table, price
    found = ModelChoice.of(classes=classes, columns=columns, rows=rows, epsilon=epsilon, delta=delta)
    assert found.name == name


def test_votes_get_no_delta_and_unknown_names_are_refused() -> None:
    votes = ModelChoice.of(classes=3, columns=4, rows=100, epsilon=0.5, delta=1e-6)
    assert votes.model(bounds=(0, 1), classes=["a", "b", "c"], epsilon=1, delta=1e-6).get_params()["delta"] is None
    with pytest.raises(InvalidParameter, match="did you mean LogisticRegression"):
        ModelChoice.named("LogisticRegresion", classes=2)
