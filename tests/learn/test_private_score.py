from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.metrics import mean_squared_error, r2_score

from privet import Guarantee, Ledger, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from tests.contracts.estimator import EstimatorContract, Example
from tests.learn.first_column import FirstColumn
from tests.learn.most_frequent import MostFrequent
from tests.support.recording_ledger import assert_within, recorded
from tests.support.statistics import FALSE_ALARM

NEVER = 10**6  # an ε without noise, nearly
RANDOM = np.random.default_rng(5)
X = RANDOM.uniform(0, 10, size=(500, 2))
Y = np.clip(X[:, 0] + RANDOM.normal(size=500), 0, 10)
LABELS = np.where(X[:, 0] < 7, "no", "yes")


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(FirstColumn, {"target_bounds": (0, 1)}, required=("target_bounds",), poor=True),
    ]


def classifier(**more: Any) -> MostFrequent:  # noqa: ANN401 - parameters
    return MostFrequent(classes=["no", "yes"], epsilon=NEVER, **more).fit(X, LABELS)


def regressor(**more: Any) -> FirstColumn:  # noqa: ANN401 - parameters
    return FirstColumn(target_bounds=(0, 10), epsilon=NEVER, **more).fit(X, Y)


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_scores_are_those_of_scikit_learn_but_for_noise(neighbors: str) -> None:
    model = classifier(neighbors=neighbors)
    found = model.private_score(X, LABELS, epsilon=NEVER)
    assert found.value == pytest.approx(model.score(X, LABELS), abs=1e-6)
    assert found.rows == (len(X) if neighbors == "replace" else None)  # how many there are is public, or protected
    numbers = regressor(neighbors=neighbors)
    assert float(numbers.private_score(X, Y, epsilon=NEVER)) == pytest.approx(r2_score(Y, X[:, 0]), abs=1e-4)
    mse = numbers.private_score(X, Y, epsilon=NEVER, metric="mse")
    assert mse.value == pytest.approx(mean_squared_error(Y, X[:, 0]), abs=1e-4)
    for each in (found, mse):
        low, high = each.interval()
        assert low <= each.value <= high


def test_a_score_is_paid_for() -> None:
    ledger = Ledger(Guarantee(NEVER + 1), unit=Unit("person"))
    model = classifier(ledger=ledger)
    found = model.private_score(X, LABELS, epsilon="0.75", purpose="is it any good?")
    assert found.loss.epsilon(0) <= 0.75
    assert [entry.purpose for entry in ledger.entries] == ["MostFrequent", "is it any good?"]
    assert "spent" in repr(found)
    assert "accuracy" in repr(found)
    with pytest.raises(BudgetExceeded):
        model.private_score(X, LABELS, epsilon="0.75")
    with pytest.raises(InvalidParameter, match="epsilon"):
        model.private_score(X, LABELS)  # the price of the fit is not that of a score
    other = Ledger(Guarantee(1), unit=Unit("person"))
    model.private_score(X, LABELS, epsilon=1, ledger=other)
    assert other.spent.epsilon == 1


def test_what_does_not_fit_is_refused_before_anything_is_paid() -> None:
    ledger = Ledger(Guarantee(1), unit=Unit("person"))
    model = classifier().set_params(ledger=ledger)
    for wrong in ({"epsilon": 1, "metrics": "r2"}, {"epsilon": 1, "groups": LABELS}, {"epsilon": 0}, {}):
        with pytest.raises(InvalidParameter):
            model.private_score(X, LABELS, **wrong)
    with pytest.raises(InvalidParameter):
        model.private_score(X, None, epsilon=1)
    with pytest.raises(ValueError, match="features"):
        model.private_score(X[:, :1], LABELS, epsilon=1)
    with pytest.raises(InvalidParameter, match="mse"):
        regressor().private_score(X, Y, epsilon=1, metric="accuracy")  # type: ignore[arg-type] # what is tested
    assert ledger.entries == ()


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("made", [classifier, regressor])
@settings(max_examples=25)
@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, 10.0, 5.0, 2.9, np.nan, np.inf, -np.inf, 1e308])] * 2), max_size=4),
    st.data(),
)
def test_a_unit_moves_the_sums_no_farther_than_declared(
    made: Any,  # noqa: ANN401 - a function
    neighbors: str,
    rows: list[tuple[float, float]],
    data: st.DataObject,
) -> None:
    """The unit is the last row, or two rows of one owner; corners of the bounds and what is no number."""
    model = made(neighbors=neighbors)
    labels = isinstance(model, MostFrequent)
    targets = [
        data.draw(st.sampled_from(["no", "yes", "?"] if labels else [0.0, 10.0, 4.0, np.nan, 99.0])) for _ in rows
    ]
    metric = {} if labels else {"metric": data.draw(st.sampled_from(["r2", "mse"]))}
    unit = Unit("person", neighbors=neighbors)
    add = neighbors == "add_remove"

    def asked(count: int, *, change: bool = False) -> Any:  # noqa: ANN401 - a secret and its sensitivity
        table = np.array(rows, dtype=float).reshape(-1, 2)[:count].copy()
        wanted = np.array(targets[:count], dtype=object if labels else float)
        if change and count:
            table[-1], wanted[-1] = (0.0, 9.0), "no" if labels else 0.0
        return recorded(lambda ledger: model.private_score(table, wanted, epsilon=1, ledger=ledger, **metric), unit)

    mine, sensitivity = asked(len(rows))
    theirs, same = asked(max(len(rows) - 1, 0)) if add else asked(len(rows), change=True)
    assert sensitivity == same
    assert_within(mine, theirs, sensitivity)


def test_rows_without_a_prediction_count_as_wrong() -> None:
    spoiled = np.full_like(X, np.nan)
    assert regressor().private_score(spoiled, Y, epsilon=NEVER, metric="mse").value == pytest.approx(100, abs=1e-3)
    model = classifier()
    assert model.private_score(X, ["?"] * len(X), epsilon=NEVER).value == pytest.approx(0, abs=1e-5)
    assert model.private_score(X[:0], LABELS[:0], epsilon=1).interval()[1] <= 1
    assert regressor().private_score(X[:0], Y[:0], epsilon=1).interval()[1] <= 1


def test_owners_with_many_rows_count_as_one() -> None:
    owners = np.repeat([1, 2], 250)
    ledger = Ledger(Guarantee(10), unit=Unit("person"))
    found = classifier().private_score(X, LABELS, groups=owners, rows_per_unit=3, epsilon=10, ledger=ledger)
    assert abs(sum(np.asarray(found.sums.value)) - 6) < 30  # noise of scale 3/10 twice, exceeded with 1e-21


@pytest.mark.parametrize("metric", ["accuracy", "mse", "r2"])
def test_intervals_hold(metric: str) -> None:
    """Of 400 intervals at 80 %, fewer hold than `least` with a chance of 1e-6; those at 0.1 % are the control."""
    model: Any = classifier() if metric == "accuracy" else regressor()
    wanted = LABELS if metric == "accuracy" else Y
    exact = {"mse": mean_squared_error(Y, X[:, 0]), "r2": r2_score(Y, X[:, 0])}
    truth = exact[metric] if metric in exact else float(model.score(X, LABELS))
    more = {"metric": metric} if metric in exact else {}
    scores = [model.private_score(X, wanted, epsilon="0.5", **more) for _ in range(400)]
    least = binom.ppf(FALSE_ALARM, 400, 0.8)

    def held(confidence: float) -> int:
        ends = [score.interval(confidence) for score in scores]
        return sum(low - 1e-6 <= truth <= high + 1e-6 for low, high in ends)

    assert held(0.8) >= least
    assert held(0.001) < least


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("made", [classifier, regressor])
def test_a_unit_of_several_rows_moves_the_sums_no_farther_than_declared(made: Any, neighbors: str) -> None:  # noqa: ANN401 - a function
    """Three rows of the last owner at one corner are taken away, or moved to the other."""
    model = made(neighbors=neighbors)
    wanted = LABELS.copy() if isinstance(model, MostFrequent) else Y.copy()
    low, high = ("no", "yes") if isinstance(model, MostFrequent) else (0.0, 10.0)
    owners = np.r_[np.zeros(30), np.ones(4)]
    unit = Unit("person", neighbors=neighbors)

    def asked(rows: int, last: Any, place: float) -> Any:  # noqa: ANN401 - a label or a number; a secret
        table, targets = X[:rows].copy(), wanted[:rows].copy()
        table[30:], targets[30:] = place, last
        limits: dict[str, Any] = {"groups": owners[:rows], "rows_per_unit": 3, "epsilon": 1}
        return recorded(lambda ledger: model.private_score(table, targets, ledger=ledger, **limits), unit)

    mine, sensitivity = asked(34, high, 0.0)
    theirs, _ = asked(30, low, 0.0) if neighbors == "add_remove" else asked(34, low, 10.0)
    assert_within(mine, theirs, sensitivity)
    assert sum(abs(one - other) for one, other in zip(mine, theirs, strict=True)) >= 3  # it is as near as can be
