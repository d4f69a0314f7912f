"""PrivateSearchCV: one price, one entry, and nothing that tells how many runs there were."""

import copy
import pickle
import sys
import time
import warnings
from fractions import Fraction
from typing import Any, Self, Unpack

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import uniform
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import LogisticRegression as PlainRegression
from sklearn.model_selection import cross_val_score

from privet import Guarantee, Ledger, Unit
from privet.asking.budget import Budget
from privet.core.silence import is_computing
from privet.errors import BudgetExceeded, InvalidParameter, ReleaseFailed
from privet.learn import MLPClassifier, PrivateSearchCV
from privet.learn import search_run as searching
from privet.learn.fitting import Fitting
from privet.learn.planned_fit import PlannedFit
from privet.learn.priced import Priced, priced
from privet.learn.search_parts import SearchParts
from privet.learn.search_run import SearchRun
from privet.loss import MixtureCurve, PrivacyLoss
from privet.loss.curves.best_of import BestOfCurve
from privet.mechanisms import RandomRuns
from privet.noise.for_tests import seeded_entropy_for_tests
from tests.learn.first_column import FirstColumn
from tests.learn.most_frequent import MostFrequent
from tests.support.recording_ledger import assert_within, exactly

ROWS = 60
X = np.linspace(0, 1, 2 * ROWS).reshape(ROWS, 2)
Y = np.repeat(np.resize(["no", "no", "yes"], ROWS // 3), 3)
OWNERS = np.repeat(np.arange(ROWS // 3), 3)


class Stubborn(MostFrequent):
    """Says the first label, or the last one; what it releases is the same. For settings that differ."""

    fitted = 0

    @priced
    def __init__(self, *, classes: Any = None, first: bool = True, fails: Any = None, **_: Unpack[Priced]) -> None:  # noqa: ANN401 - any labels
        self.classes = classes
        self.first = first
        self.fails = fails

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        super().fit(X, y, groups=groups)
        type(self).fitted += 1
        warnings.warn(f"run {self.fitted}", stacklevel=1)
        if self.fails is not None and len(y) and (np.asarray(y) == self.fails).any():
            raise ZeroDivisionError(f"{self.fails} is there")
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: ANN401, N803 - scikit-learn's names
        return np.repeat(self.classes_[0 if self.first else -1], len(self._matrix(X)))


def stubborn(**more: Any) -> Stubborn:  # noqa: ANN401 - parameters
    return Stubborn(classes=["no", "yes"], **more)


def search(model: Any = None, grid: Any = None, **more: Any) -> PrivateSearchCV:  # noqa: ANN401 - parameters
    asked = {"epsilon": 30, "mean_runs": 6, **more}
    return PrivateSearchCV(stubborn() if model is None else model, grid or {"first": [True, False]}, **asked)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(Guarantee(30, "1e-6"), unit=Unit("person"))


# --- what is found, and what it costs -------------------------------------------------------------------------------


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_better_setting_is_found_at_one_price(neighbors: str, grouped: bool) -> None:  # noqa: FBT001 - a case
    more: dict[str, Any] = {"rows_per_unit": 2} if grouped else {}
    # e^-15 that it is not tried, and far less that nine tenths of 20 people hold more "yes" than "no" in some run
    found = search(epsilon=3000, mean_runs=30, runs="poisson", held_out="0.9", neighbors=neighbors, **more)
    found.fit(X, Y, **({"groups": OWNERS} if grouped else {}))
    assert found.best_params_ == {"first": True}
    assert found.best_index_ == 0
    assert found.settings_ == [{"first": True}, {"first": False}]
    assert found.best_score_ == pytest.approx(0.7, abs=0.4)
    assert found.privacy_.loss.meets(Guarantee(3000))
    assert found.best_estimator_.privacy_ is found.privacy_
    assert found.one_fit_.epsilon < 3000
    assert found.predict(X).tolist() == found.best_estimator_.predict(X).tolist() == ["no"] * ROWS
    assert found.score(X, Y) == pytest.approx(0.7)
    assert found.private_score(X, Y, epsilon=1000).value == pytest.approx(0.7, abs=0.1)


@pytest.mark.parametrize("runs", ["geometric", "logarithmic", "poisson"])
@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_the_price_of_all_runs_is_that_of_one_by_the_law_of_their_number(
    ledger: Ledger, runs: str, delta: str | None
) -> None:
    found = search(runs=runs, mean_runs=5, epsilon=3, delta=delta, ledger=ledger).fit(X, Y)
    (entry,) = ledger.entries
    assert entry.loss == found.privacy_.loss
    assert found.privacy_.loss.meets(Guarantee(3, delta or 0))
    assert ledger.spent.epsilon == 3
    assert ledger.spent.delta == 0  # none was needed: all runs are pure
    ((curve, times),) = found.privacy_.loss.parts
    assert times == 1
    one = curve.inner  # type: ignore[attr-defined] # it is the best of runs
    assert RandomRuns(5, runs).best_of(one) == found.privacy_.loss
    ((worst, _),) = one.parts
    fit = MostFrequent(classes=["no", "yes"], epsilon=found.one_fit_.epsilon).fit(X, Y).privacy_.loss
    assert (
        fit == one if delta is None else fit in worst.alternatives
    )  # the score is of other people, at as much or less


def test_the_price_is_nearly_all_that_was_allowed() -> None:
    found = search(epsilon=1).fit(X, Y)
    assert "runs: 6 expected, geometric" in repr(search(epsilon=1).explain(columns=2))
    assert 0.97 < found.privacy_.loss.epsilon(0) <= 1
    assert found.one_fit_.epsilon > Fraction(1, 3)  # a third is what any law of this kind would leave


class Choosy(Stubborn):
    """Has no plan below an ε of 0.3, as logarithmic losses have none with a small penalty."""

    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:  # noqa: ANN401, N803 - scikit-learn's names
        if float(self.epsilon) < 0.3:
            raise InvalidParameter("epsilon must be at least 0.3")
        return super().fit(X, y, groups=groups)


def test_a_setting_that_needs_some_price_gets_it(ledger: Ledger) -> None:
    """The search for the price of a fit begins at a quarter of what all may cost."""
    found = search(Choosy(classes=["no", "yes"]), epsilon=1).fit(X, Y)
    assert found.one_fit_.epsilon >= Fraction(3, 10)
    with pytest.raises(InvalidParameter, match="at least"):
        search(Choosy(classes=["no", "yes"]), epsilon="0.3", ledger=ledger).fit(X, Y)
    assert not ledger.entries


def test_rows_of_one_person_that_nobody_marks_may_be_in_both_parts() -> None:
    apart, both = (search(epsilon=1, rows_per_unit=rows).fit(X, Y) for rows in (1, 2))
    fit_and_score = next(iter(both.privacy_.loss.parts))[0].inner  # type: ignore[attr-defined] # the best of runs
    assert len(fit_and_score.parts) == 2
    assert both.one_fit_.epsilon < apart.one_fit_.epsilon


class Recording(PlannedFit):
    """Keeps the exact numbers of all fits and scores."""

    secrets: list[tuple[Any, Any]] = []  # noqa: RUF012 - emptied by the test

    def release(self, secret: Any, mechanism: Any, **more: Any) -> Any:  # noqa: ANN401 - a ledger's
        if self._planned is not None:
            self.secrets.append((exactly(secret.reveal_to_ledger()), secret.sensitivity))
        return super().release(secret, mechanism, **more)


@pytest.mark.parametrize("replaced", [False, True])
def test_a_person_moves_the_fit_or_the_score_of_a_run_and_never_both(
    replaced: bool,  # noqa: FBT001 - a case
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searching, "PlannedFit", Recording)
    unit = Unit("person", "replace" if replaced else "add_remove")
    moved = {"fit": 0, "score": 0}
    for seed in range(24):
        told = []
        for labels in (Y, np.append(Y[:-1], "yes")) if replaced else (Y, np.append(Y, "no")):
            Recording.secrets.clear()
            model = MostFrequent(classes=["no", "yes"])
            rows = np.resize(X, (len(labels), 2))
            payment = search(unit=unit)._payment()
            like = clone(model).set_params(epsilon=1, unit=unit)
            fitting = Fitting(payment, like._begin(rows, labels).rows)
            parts = SearchParts(rows, labels, None, fitting.rows, fitting.public_length, Fraction(1, 2))
            SearchRun([model], Budget.of(epsilon=10**6), "accuracy", parts, fitting).sample(
                parts, seeded_entropy_for_tests(seed)
            )
            told.append(list(Recording.secrets))
        changed = []
        for name, (mine, sensitivity), (theirs, _) in zip(("fit", "score"), *told, strict=True):
            assert_within(mine, theirs, sensitivity)
            if mine != theirs:
                changed.append(name)
        assert len(changed) <= 1
        for name in changed:
            moved[name] += 1
    assert all(moved.values())  # it was in either part, now and then


# --- what is seen ---------------------------------------------------------------------------------------------------


def test_nothing_tells_how_many_runs_there_were(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    seen, counts = set(), set()
    names = set()
    for _ in range(8):
        one = Ledger(Guarantee(30), unit=Unit("person"))
        before = Stubborn.fitted
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = search(grid={"first": [True]}, ledger=one).fit(X, Y)
        counts.add(Stubborn.fitted - before)
        (entry,) = one.entries
        seen.add((entry.kind, entry.purpose, entry.mechanism, entry.loss, str(entry.cost), repr(found.privacy_)))
        names.add(tuple(sorted(vars(found))))
    assert len(counts) > 1  # the runs were not as many each time
    assert len(seen) == len(names) == 1
    assert capfd.readouterr() == ("", "")
    assert not any("result" in name for name in next(iter(names)))


def test_a_training_within_a_search_shows_no_steps(capfd: pytest.CaptureFixture[str]) -> None:
    network = MLPClassifier(bounds=(0, 1), classes=["no", "yes"], steps=3, expected_rows=50, verbose=True)
    assert not is_computing()
    search(network, {"learning_rate": [0.1, 0.2]}, epsilon=2, delta="1e-5", mean_runs=3).fit(X, Y)
    assert capfd.readouterr().err == ""


def test_a_run_that_fails_is_one_sentence_of_the_whole() -> None:
    words = set()
    for grid in ({"fails": ["yes"]}, {"fails": [None, "yes", "no"]}):
        one = Ledger(Guarantee(3000), unit=Unit("person"))
        with pytest.raises(ReleaseFailed) as failure:
            search(grid=grid, ledger=one, epsilon=3000, runs="poisson", mean_runs=50).fit(X, Y)
        assert failure.value.__cause__ is None
        assert failure.value.__context__ is None
        assert len(one.entries) == 1
        words.add(str(failure.value))
    assert len(words) == 1
    assert "ZeroDivision" not in next(iter(words))


def test_what_is_wrong_with_a_setting_is_told_before_anything_is_paid(ledger: Ledger) -> None:
    with pytest.raises(InvalidParameter, match="classes"):
        search(grid={"classes": [["no", "yes"], None]}, ledger=ledger).fit(X, Y)
    assert not ledger.entries


def test_no_sooner_than_said(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    search(least_seconds=1000).fit(X, Y)
    with pytest.raises(ReleaseFailed):
        search(grid={"fails": ["yes"]}, least_seconds=1000).fit(X, Y)
    assert len([wait for wait in waits if 900 < wait < 1000]) == 2  # a search that fails, too


def test_if_nothing_runs_a_public_model_is_kept() -> None:
    found = search(runs="poisson", mean_runs="1e-9").fit(X, Y)
    assert found.predict(X).tolist() == ["no"] * ROWS
    assert found.best_params_ == {"first": True}
    assert np.isnan(found.best_score_)
    assert found.privacy_.loss.meets(Guarantee(30))
    numbers = search(FirstColumn(target_bounds=(0, 10)), {"target_bounds": [(0, 10)]}, runs="poisson", mean_runs="1e-9")
    assert numbers.fit(X, X[:, 0]).predict(X).tolist() == [5.0] * ROWS


# --- conventions ----------------------------------------------------------------------------------------------------


def test_a_ledger_that_cannot_pay_refuses_before_anything_runs() -> None:
    small = Ledger(Guarantee(1), unit=Unit("person"))
    before = Stubborn.fitted
    with pytest.raises(BudgetExceeded):
        search(ledger=small).fit(X, Y)
    assert Stubborn.fitted == before
    assert not small.entries


@pytest.mark.parametrize("copied", [clone, copy.copy, copy.deepcopy])
def test_copies_charge_the_same_ledger(copied: Any) -> None:  # noqa: ANN401 - a function
    large = Ledger(Guarantee(100), unit=Unit("person"))
    first = search(ledger=large).fit(X, Y)
    copied(first).fit(X, Y)
    assert len(large.entries) == 2
    assert first.best_estimator_.ledger is large
    stored = pickle.loads(pickle.dumps(first))  # noqa: S301 - our own bytes
    assert stored.predict(X).tolist() == first.predict(X).tolist()
    with pytest.raises(InvalidParameter, match="its ledger stayed behind"):
        stored.fit(X, Y)


def test_cross_validation_charges_every_search() -> None:
    large = Ledger(Guarantee(100), unit=Unit("person"))
    scores = cross_val_score(search(ledger=large), X, Y, cv=3, error_score="raise")
    assert len(scores) == len(large.entries) == 3


@pytest.mark.parametrize("metric", [None, "r2", "mse"])
def test_numbers_are_searched_too(metric: str | None) -> None:
    grid = {"target_bounds": [(0, 1), (0, 2)]}
    found = search(FirstColumn(), grid, metric=metric, epsilon=3000).fit(X, X[:, 0])
    assert found.best_score_ == pytest.approx(0 if metric == "mse" else 1, abs=0.05)
    assert is_regressor(found)
    assert is_classifier(search())


def test_frames_and_lists_are_divided_as_they_are() -> None:
    frame = pd.DataFrame(X, columns=["one", "two"])
    found = search().fit(frame, pd.Series(Y))
    assert found.feature_names_in_.tolist() == ["one", "two"]
    assert len(found.predict(frame)) == ROWS
    assert search().fit(X.tolist(), Y.tolist()).n_features_in_ == 2


def test_distributions_are_drawn_from_before_anything_else() -> None:
    found = search(grid={"first": [True], "fails": uniform(5, 6)}, n_iter=7, random_state=3).fit(X, Y)
    assert len(found.settings_) == 7
    again = search(grid={"first": [True], "fails": uniform(5, 6)}, n_iter=7, random_state=3).fit(X, Y)
    assert again.settings_ == found.settings_


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"model": PlainRegression()}, "must be a Privet classifier or regressor"),
        ({"model": MostFrequent(classes=["no", "yes"], epsilon=1)}, "epsilon is the search's to say"),
        ({"grid": {"epsilon": [1, 2]}}, "must not hold 'epsilon'"),
        ({"model": MLPClassifier(), "grid": {"checkpoint": ["there"]}}, "checkpoint must be left out"),
        ({"grid": {"first": []}}, "first"),
        ({"grid": "first"}, "param_grid must be names"),
        ({"grid": {"first": [True] * 40, "fails": [None] * 40}}, "between 1 and 1000"),
        ({"epsilon": None, "rho": 1}, "no rho"),
        ({"epsilon": None}, "price"),
        ({"held_out": 0}, "held_out"),
        ({"held_out": 1}, "held_out"),
        ({"held_out": 2}, "held_out"),
        ({"mean_runs": "0.5"}, "at least 1"),
        ({"runs": "binomial"}, '"poisson", got'),
        ({"metric": "r2"}, "metric must be one of accuracy"),
        ({"least_seconds": -1}, "least_seconds"),
    ],
)
def test_refuses_in_words(asked: dict[str, Any], words: str, ledger: Ledger) -> None:
    with pytest.raises((InvalidParameter, ValueError), match=words):
        search(**{"ledger": ledger, **asked}).fit(X, Y)
    assert not ledger.entries


def test_the_loss_of_a_search_survives_json() -> None:
    found = search(delta="1e-6").fit(X, Y)
    assert PrivacyLoss.from_json(found.privacy_.loss.to_json()) == found.privacy_.loss
    ((curve, _),) = found.privacy_.loss.parts
    assert isinstance(curve, BestOfCurve)
    assert all(isinstance(inner, MixtureCurve) for inner, _ in curve.inner.parts)


def test_a_fit_that_costs_what_was_not_priced_is_refused() -> None:
    model = MostFrequent(classes=["no", "yes"], epsilon=1)
    planned = PlannedFit(Unit("person"), MostFrequent(classes=["no", "yes"], epsilon=2).fit(X, Y).privacy_.loss)
    with pytest.raises(InvalidParameter, match="must cost what it was priced at"):
        model.set_params(ledger=planned).fit(X, Y)
    twice = PlannedFit(Unit("person"), MostFrequent(classes=["no", "yes"], epsilon=1).fit(X, Y).privacy_.loss)
    model.set_params(ledger=twice).fit(X, Y)
    with pytest.raises(InvalidParameter, match="once"):
        model.fit(X, Y)
