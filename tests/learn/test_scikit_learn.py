"""The ledger survives what scikit-learn does to models: every fit is charged once, wherever it runs."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - HalvingGridSearchCV needs it
from sklearn.model_selection import GridSearchCV, GroupKFold, HalvingGridSearchCV, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from privet import Guarantee, Ledger, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from tests.contracts.scikit_learn import EXCLUDED
from tests.learn.most_frequent import MostFrequent

ROWS = 40
X = np.linspace(0, 1, 2 * ROWS).reshape(ROWS, 2)
Y = np.array(["no", "yes"] * (ROWS // 2))
OWNERS = np.repeat(np.arange(ROWS // 4), 4)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(Guarantee(10), unit=Unit("person"))


@pytest.fixture
def routed() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def model(ledger: Ledger | str, **more: Any) -> MostFrequent:  # noqa: ANN401 - parameters
    return MostFrequent(classes=["no", "yes"], epsilon="0.25", ledger=ledger, **more)


def fits(ledger: Ledger) -> int:
    return len(ledger.entries)


def test_the_exclusions_are_few() -> None:
    assert len(EXCLUDED) <= 5
    assert all(EXCLUDED.values())


@pytest.mark.parametrize("copied", [clone, copy.copy, copy.deepcopy])
def test_copies_share_the_ledger(ledger: Ledger, copied: Any) -> None:  # noqa: ANN401 - a function
    first = model(ledger).fit(X, Y)
    second = copied(first)
    assert second.ledger is ledger
    second.fit(X, Y)
    assert ledger.spent.epsilon == pytest.approx(0.5)
    assert fits(ledger) == 2


def test_cross_validation_charges_every_fold(ledger: Ledger) -> None:
    cross_val_score(model(ledger), X, Y, cv=5, error_score="raise")
    assert fits(ledger) == 5
    cross_validate(model(ledger), X, Y, cv=3, return_train_score=True, return_estimator=True, error_score="raise")
    assert fits(ledger) == 8


def test_a_search_charges_every_fit(ledger: Ledger) -> None:
    grid = {"epsilon": ["0.1", "0.2", "0.3"]}
    search = GridSearchCV(model(ledger), grid, cv=4, error_score="raise").fit(X, Y)
    assert fits(ledger) == 3 * 4 + 1  # and the best one again, on all rows
    assert search.best_estimator_.ledger is ledger


def test_a_search_ends_where_the_budget_does() -> None:
    ledger = Ledger(Guarantee(1), unit=Unit("person"))
    with pytest.raises(BudgetExceeded):
        GridSearchCV(model(ledger), {"purpose": ["one", "two"]}, cv=3, error_score="raise").fit(X, Y)
    assert fits(ledger) == 4
    assert ledger.spent.epsilon == 1


def test_a_search_that_halves_charges_every_fit(ledger: Ledger) -> None:
    grid = {"purpose": ["one", "two", "three", "four"]}
    halving = HalvingGridSearchCV(
        MostFrequent(classes=["no", "yes"], epsilon="0.01", ledger=ledger),
        grid,
        cv=2,
        factor=2,
        error_score="raise",
        random_state=0,
    ).fit(X, Y)
    rounds = [int(count) * 2 for count in halving.n_candidates_]
    assert fits(ledger) == sum(rounds) + 1
    assert len(rounds) > 1


def test_one_model_for_each_class_is_one_charge_each(ledger: Ledger) -> None:
    numbers = MostFrequent(classes=[0, 1], epsilon="0.25", ledger=ledger)
    OneVsRestClassifier(numbers).fit(X, np.arange(ROWS) % 3)
    assert fits(ledger) == 3


@pytest.mark.whole
def test_other_processes_are_refused_a_ledger_in_memory_and_charge_a_journal_by_its_address(
    ledger: Ledger, tmp_path: Path
) -> None:
    with pytest.raises(InvalidParameter, match="pass the address of its journal"):
        cross_val_score(model(ledger), X, Y, cv=2, n_jobs=2, error_score="raise")
    assert fits(ledger) == 0
    place = f"sqlite:///{tmp_path}/ledger.db"
    lasting = Ledger(Guarantee(10), unit=Unit("person"), journal=place)
    cross_val_score(model(place), X, Y, cv=4, n_jobs=2, error_score="raise")
    assert fits(lasting) == 4
    GridSearchCV(model(place), {"purpose": ["one", "two"]}, cv=2, n_jobs=2, error_score="raise").fit(X, Y)
    assert fits(lasting) == 4 + 2 * 2 + 1
    assert lasting.spent.epsilon == pytest.approx(9 / 4)


def test_threads_charge_one_ledger(ledger: Ledger) -> None:
    Parallel(n_jobs=2, prefer="threads")(delayed(model(ledger).fit)(X, Y) for _ in range(6))
    assert fits(ledger) == 6


def test_a_pipeline_of_public_steps(ledger: Ledger) -> None:
    frame = pd.DataFrame({"age": X[:, 0] * 80, "city": ["Bern", "Basel"] * (ROWS // 2)})
    cities = OneHotEncoder(categories=[["Basel", "Bern"]], sparse_output=False, handle_unknown="ignore")
    columns = ColumnTransformer([("age", FunctionTransformer(np.log1p), ["age"]), ("city", cities, ["city"])])
    steps = make_pipeline(columns, model(ledger))
    assert set(steps.fit(frame, Y).predict(frame)) <= {"no", "yes"}
    assert steps[-1].n_features_in_ == 3
    cross_val_score(steps, frame, Y, cv=3, error_score="raise")
    assert fits(ledger) == 4
    search = GridSearchCV(steps, {"mostfrequent__epsilon": ["0.1", "0.2"]}, cv=2, error_score="raise")
    search.fit(frame, Y)
    assert fits(ledger) == 4 + 2 * 2 + 1


def kept(found: MostFrequent) -> float:
    return float(found.class_count_.sum())


@pytest.mark.usefixtures("routed")
def test_groups_reach_the_model_of_a_pipeline() -> None:
    units = MostFrequent(classes=["no", "yes"], epsilon=10**6, rows_per_unit=2).set_fit_request(groups=True)
    assert kept(units.fit(X, Y, groups=OWNERS)) == ROWS // 2
    steps = Pipeline([("same", FunctionTransformer()), ("model", units)]).fit(X, Y, groups=OWNERS)
    assert kept(steps[-1]) == ROWS // 2
    assert steps[-1].privacy_.rows_per_unit == 2


@pytest.mark.usefixtures("routed")
def test_groups_reach_the_models_of_a_cross_validation() -> None:
    units = MostFrequent(classes=["no", "yes"], epsilon=10**6, rows_per_unit=2).set_fit_request(groups=True)
    found = cross_validate(
        units, X, Y, cv=GroupKFold(5), params={"groups": OWNERS}, return_estimator=True, error_score="raise"
    )
    assert [kept(each) for each in found["estimator"]] == [2 * 8] * 5  # of 8 units each, two rows


@pytest.mark.usefixtures("routed")
def test_groups_that_nobody_asked_for_are_refused_by_scikit_learn() -> None:
    units = MostFrequent(classes=["no", "yes"], epsilon=1, rows_per_unit=2)
    with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="groups"):
        cross_val_score(units, X, Y, cv=2, params={"groups": OWNERS})
