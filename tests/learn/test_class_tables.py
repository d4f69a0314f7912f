"""Tables of counts: exact cells, how far a unit moves them, how wide their noise is, and what is read from them."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from privet import Guarantee, Ledger, Unit
from privet.learn import BinnedNB, CategoricalNB, GaussianNB, HistogramClassifier, HistogramDensity, PrivateEstimator
from privet.learn.class_tables import ClassTables
from privet.loss import ConcentratedGuarantee
from privet.noise import BitSource
from tests.learn.neighbor_fits import EVIL, moved, secrets
from tests.support.recording_ledger import LARGE, RecordingPlans

ROWS = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]])
LABELS = ["a", "b", "a"]
CORNERS = [np.array(each, dtype=float) for each in itertools.product((0, 1, 2, 9), repeat=2)]
ODD = [np.array([each, each]) for each in EVIL]
PRICE: dict[str, Any] = {"epsilon": 1}


def categorical(**more: Any) -> CategoricalNB:  # noqa: ANN401 - parameters
    return CategoricalNB(**{"classes": ["a", "b"], "categories": [3, 2], **PRICE, **more})


def binned(**more: Any) -> BinnedNB:  # noqa: ANN401 - parameters
    return BinnedNB(**{"classes": ["a", "b"], "edges": [[0, 1, 2], [0, 1, 2, 9]], **PRICE, **more})


def cells(**more: Any) -> HistogramClassifier:  # noqa: ANN401 - parameters
    return HistogramClassifier(**{"classes": ["a", "b"], "bounds": (0, 2), "bins": [2, 3], **PRICE, **more})


def density(**more: Any) -> HistogramDensity:  # noqa: ANN401 - parameters
    return HistogramDensity(**{"bounds": (0, 2), "bins": [2, 3], **PRICE, **more})


def test_cells_are_exact() -> None:
    rows = np.array([[0, 1], [2, 1], [1, 0], [0.5, np.nan], [np.inf, 0], [2, -0.0]])
    labels = ["a", "a", "b", "b", "b", None]
    person = Unit("person")
    assert secrets(categorical(ledger=RecordingPlans(person)), rows, labels) == [
        (1, 0, 1, 0, 0, 2, 0, 0, 1, 0, 2, 2, 0, 1)  # of a: 0, 1, 2, others; 0, 1, others; then of b
    ]
    assert secrets(binned(ledger=RecordingPlans(person)), rows, labels) == [
        (1, 1, 0, 0, 2, 0, 0, 1, 2, 0, 2, 0, 0, 1)  # of a: below 1, from 1, missing; below 1, 1 to 2, from 2, missing
    ]
    assert secrets(cells(ledger=RecordingPlans(person)), rows, labels) == [
        (0, 1, 0, 0, 1, 0, 0, 1, 0, 2, 0, 0)  # of a: left, then right; below 2/3, to 4/3, above; missing in the middle
    ]
    assert secrets(density(ledger=RecordingPlans(person)), rows) == [(0, 2, 0, 3, 1, 0)]


@pytest.mark.parametrize("model", [categorical, binned, cells])
def test_one_row_moves_classifiers_as_far_as_declared_and_no_farther(model: Any) -> None:  # noqa: ANN401 - makes models
    shares = []
    for row, label in itertools.product([*CORNERS, *ODD], ("a", "b", "c")):
        found = moved(model, (ROWS, LABELS), (np.vstack([ROWS, row]), [*LABELS, label]))
        assert found == [1 if label != "c" else 0]
    for (one, first), (other, second) in itertools.combinations(itertools.product(CORNERS[::5], "ab"), 2):
        mine, theirs = (np.vstack([ROWS, row]) for row in (one, other))
        shares += moved(model, (mine, [*LABELS, first]), (theirs, [*LABELS, second]), replaced=True)
    assert max(shares) == 1


def test_one_row_moves_a_density_as_far_as_declared_and_no_farther() -> None:
    for row in (*CORNERS, *ODD):
        assert moved(density, (ROWS,), (np.vstack([ROWS, row]),)) == [1]
    pairs = [(np.vstack([ROWS, one]), np.vstack([ROWS, other])) for one, other in itertools.combinations(CORNERS, 2)]
    assert max(moved(density, (mine,), (theirs,), replaced=True)[0] for mine, theirs in pairs) == 1


def test_units_with_several_rows_move_as_many() -> None:
    ledger = RecordingPlans(Unit("person"))
    mine = secrets(categorical(rows_per_unit=2, ledger=ledger), ROWS, LABELS, groups=[1, 2, 3])[0]
    more = np.vstack([ROWS, np.ones((5, 2))])
    again = RecordingPlans(Unit("person"))
    theirs = secrets(categorical(rows_per_unit=2, ledger=again), more, [*LABELS, *"aaaaa"], groups=[1, 2, 3, *[4] * 5])
    assert sum(abs(x - y) for x, y in zip(mine, theirs[0], strict=True)) == ledger.sensitivities[0].l1 == 4


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("price", [{"delta": "1e-9"}, {"delta": "0.1"}, {"epsilon": None, "rho": "1e-6"}])
def test_every_price_has_noise_for_one_table(price: dict[str, Any], neighbors: str) -> None:
    for model in (cells, density):
        fitted = model(neighbors=neighbors, **price)
        assert fitted.fit(*(ROWS, LABELS)[: 2 if model is cells else 1]).privacy_.unit.name == "person"


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"epsilon": "0.3", "delta": "1e-5"}, {"rho": "0.05"}])
def test_the_noise_is_as_wide_as_said_and_costs_what_it_may(price: dict[str, Any], source: BitSource) -> None:
    """2,000 cells without rows; mean squares within 6 deviations of themselves, and the control is 30 % off."""
    limit = ConcentratedGuarantee(1) if "rho" in price else LARGE
    ledger = RecordingPlans(Unit("person"), source, limit=limit)
    model = categorical(categories=[499, 499], ledger=ledger, **{"epsilon": None, **price})
    model.fit(np.zeros((0, 2)), np.zeros(0, dtype=object))
    found: ClassTables = model._learned
    squares = found.counts.ravel() ** 2
    slack = 6 * float(squares.std()) / math.sqrt(len(squares))
    assert abs(float(squares.mean()) - found.noise**2) < slack
    assert abs(float(squares.mean()) - 1.69 * found.noise**2) > slack
    if "rho" in price:
        assert 0.0499 < model.privacy_.loss.zcdp() <= 0.05
    else:
        assert model.privacy_.loss.meets(Guarantee(price["epsilon"], price.get("delta", 0)))
        assert not model.privacy_.loss.meets(Guarantee("0.95" if price["epsilon"] == 1 else "0.28", "1e-5"))


def test_every_table_says_how_many_rows_a_class_has(source: BitSource) -> None:
    """4,000 tables without rows: the totals vary as said, within 6 deviations; with equal weights 2.5 times as much."""
    draws = np.random.default_rng(int(source.words(1)[0]))
    sizes = (2, 20, 2)
    totals = []
    for _ in range(4000):
        found = ClassTables(draws.normal(size=(1, sum(sizes))), sizes, 1.0)
        totals.append(found.totals[0][0] ** 2)
        said = found.totals[1] ** 2
    slack = 6 * np.std(totals) / math.sqrt(len(totals))
    assert abs(np.mean(totals) - said) < slack
    assert abs(np.mean(totals) - sum(sizes) / 9) > slack
    exact = ClassTables(np.array([[3.0, 4.0, 5.0, 2.0, 0.0]]), (2, 3), 1.0)
    assert exact.totals[0].tolist() == [7]


@pytest.mark.parametrize("model", [categorical, binned, cells, density])
def test_models_explain_their_noise(model: Any) -> None:  # noqa: ANN401 - makes models
    made: PrivateEstimator = model()
    assert "± " in repr(made.explain(columns=2, rows=1000))


def test_known_numbers_of_naive_bayes() -> None:
    """Each of d tables is moved by 1: noise of scale d/ε in every cell; counts below 0 become no probabilities."""
    model = categorical().fit(ROWS[:0], LABELS[:0])
    assert "DiscreteLaplace(l1_sensitivity=2, scale=2)" in repr(model.privacy_)
    for table in model.feature_log_prob_:
        assert np.exp(table).sum(axis=1) == pytest.approx(1)
        assert np.isfinite(table).all()


def test_no_delta_is_spent_where_pure_noise_is_best() -> None:
    models: list[tuple[Any, dict[str, Any]]] = [
        (CategoricalNB, {"categories": [3, 2]}),
        (GaussianNB, {"bounds": (0, 9)}),
    ]
    for model, declared in models:
        ledger = Ledger(Guarantee(1, "1e-6"), unit=Unit("person"))
        model(classes=["a", "b"], epsilon=1, delta="1e-6", ledger=ledger, **declared).fit(ROWS, LABELS)
        assert (ledger.spent.epsilon, ledger.spent.delta) == (1, 0)
