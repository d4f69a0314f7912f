"""KMeans: the contract, its limit without noise, and that nothing but paid numbers tells of the rows."""

from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.cluster import KMeans as PlainKMeans
from sklearn.datasets import make_blobs

from privet import Guarantee, Ledger, Unit
from privet.asking.budget import Budget
from privet.errors import InvalidParameter
from privet.learn.cluster_grid import ClusterGrid, counted
from privet.learn.k_means import KMeans
from privet.mechanisms import DiscreteLaplace
from tests.contracts.estimator import EstimatorContract, Example
from tests.support.recording_ledger import Recording


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(
            KMeans,
            {"bounds": (0, 1), "n_clusters": 3, "method": method},
            required=("bounds",),
            supervised=False,
            columns=columns,
            methods=("predict", "transform"),
        )
        for method, columns in (("auto", 2), ("relative", 5))
    ]


def inertia(rows: Any, centers: Any) -> float:  # noqa: ANN401 - rows of numbers
    return float((((rows[:, None] - centers) ** 2).sum(axis=2)).min(axis=1).sum())


@pytest.mark.parametrize("columns", [2, 6])
def test_without_noise_it_is_k_means(columns: int) -> None:
    """R156: at an ε without end relative rounds are Lloyd's algorithm, and end where it ends."""
    rows, _ = make_blobs(600, columns, centers=3, cluster_std=1.5, center_box=(-8, 8), random_state=4)
    model = KMeans(3, bounds=(-20, 20), epsilon=10**9, method="relative", max_iter=40).fit(rows)
    there = PlainKMeans(3, init=model.cluster_centers_, n_init=1).fit(rows)
    assert np.allclose(model.cluster_centers_, there.cluster_centers_, atol=1e-3)
    assert inertia(rows, model.cluster_centers_) == pytest.approx(there.inertia_, rel=1e-6)
    assert np.allclose(model.cluster_sizes_, np.bincount(there.labels_), atol=1e-3)


def test_without_noise_the_grid_is_as_fine_as_its_cells() -> None:
    rows, _ = make_blobs(600, 2, centers=3, cluster_std=1.5, center_box=(-8, 8), random_state=4)
    model = KMeans(3, bounds=(-20, 20), epsilon=10**9).fit(rows)
    assert model.method_ == "grid"
    assert inertia(rows, model.cluster_centers_) < 1.01 * PlainKMeans(3, n_init=5).fit(rows).inertia_


def test_columns_are_measured_in_their_own_unit() -> None:
    rows = np.repeat([[0.0, 0.0], [0.0, 90.0], [1.0, 0.0], [1.0, 90.0]], 200, axis=0)  # only the second one counts
    for method in ("grid", "relative"):
        model = KMeans(2, bounds=([0, 0], [1, 100]), epsilon=10**6, method=method, max_iter=30).fit(rows)
        assert np.allclose(np.sort(model.cluster_centers_[:, 1]), [0, 90], atol=1)
        assert np.allclose(model.cluster_centers_[:, 0], 0.5, atol=0.01)


def test_how_many_rounds_follows_from_the_price_alone() -> None:
    few, many = np.zeros((1, 5)), np.random.default_rng(2).uniform(size=(500, 5))
    for price in ({"epsilon": "0.1"}, {"epsilon": 10}, {"epsilon": 1, "delta": "1e-6"}, {"rho": 1}):
        models = [KMeans(4, bounds=(0, 1), **price).fit(rows) for rows in (few, many)]
        assert models[0].n_iter_ == models[1].n_iter_
        assert f"rounds: {models[0].n_iter_}," in repr(models[0].explain(columns=5))
        assert vars(models[0]).keys() == vars(models[1]).keys()
        assert not {"labels_", "inertia_"} & vars(models[0]).keys()
    for rows in (few[:0], few, many):
        ledger = Ledger(Guarantee(10), unit=Unit("person"))
        rounds = KMeans(4, bounds=(0, 1), epsilon=10, ledger=ledger).fit(rows).n_iter_
        assert len([each for each in ledger.entries if each.kind == "draw"]) == 1 + rounds
    assert KMeans(4, bounds=(0, 1), epsilon=1, max_iter=3).fit(many).n_iter_ == 3


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"epsilon": 1, "delta": "1e-6"}, {"rho": "0.3"}])
@pytest.mark.parametrize("columns", [2, 40])
def test_the_whole_price_is_spent(price: dict[str, Any], columns: int) -> None:
    rows = np.random.default_rng(2).uniform(size=(50, columns))
    paid = KMeans(2, bounds=(0, 1), **price).fit(rows).privacy_.loss
    if "rho" in price:
        assert 0.299 < paid.zcdp() <= 0.3 * (1 + 1e-12)
    else:
        assert 0.999 < paid.epsilon(float(price.get("delta", 0))) <= 1


@pytest.mark.parametrize("budget", [Budget.of(epsilon=1), Budget.of(rho=1)])
def test_a_row_is_in_one_cell(budget: Budget) -> None:
    there, elsewhere = (counted(np.full((2, 2), place), np.full(2, -0.5), np.full(2, 0.5), 3) for place in (-0.4, 0.1))
    for replaces, move in ((False, there), (True, there - elsewhere)):
        cells = ClusterGrid.of(budget, 3, columns=2, rows=2, replaces=replaces, rounds=None).cells
        made_for = cells.l1_sensitivity if isinstance(cells, DiscreteLaplace) else cells.l2_sensitivity
        order = 1 if isinstance(cells, DiscreteLaplace) else 2
        assert float(made_for) == pytest.approx(np.linalg.norm(move, order))


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_the_inertia_of_protected_rows_is_paid_for(neighbors: str) -> None:
    rows = np.random.default_rng(1).uniform(-3, 9, size=(500, 4))
    model = KMeans(3, bounds=(0, 6), epsilon=1, neighbors=neighbors).fit(rows)
    released = model.private_inertia(rows, epsilon=10**6)
    assert released.value == pytest.approx(-model.score(np.clip(rows, 0, 6)), rel=1e-3)
    corners = np.array([[np.inf] * 4, [-np.inf] * 4, [0.0, 6, 0, 6], [np.nan] * 4])
    secrets = []
    for part in (corners[:0], *(corners[place : place + 1] for place in range(4))):
        ledger = Recording(Unit("person", neighbors=neighbors))
        model.private_inertia(part, epsilon=1, ledger=ledger)
        secrets.append(float(ledger.secrets[0][0]))
        assert ledger.sensitivities[0].l1 == 1
    ledger = Recording(Unit("person", neighbors=neighbors))
    model.private_inertia(corners, epsilon=1, ledger=ledger, rows_per_unit=2)
    assert ledger.sensitivities[0].l1 == 2
    assert secrets[0] == 0
    assert 0.1 < max(secrets) <= 1
    with pytest.raises(InvalidParameter, match="price"):
        model.private_inertia(rows)


def test_rows_beyond_the_cells_count_in_the_outermost() -> None:
    rows = np.array([[-9.0, 0.0], [0.0, 9.0], [0.49, -0.49], [np.inf, -np.inf]])
    assert counted(rows, np.full(2, -0.5), np.full(2, 0.5), 2).tolist() == [0, 1, 2, 1]
    assert counted(rows[:0], np.zeros(2), np.ones(2), 3).tolist() == [0] * 9


@pytest.mark.parametrize(
    "wrong", [{"method": "lloyd"}, {"n_clusters": 0}, {"n_clusters": 2.5}, {"max_iter": 0}, {"n_clusters": 5000}]
)
def test_wrong_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter, match=next(iter(wrong))):
        KMeans(**{"n_clusters": 2, "bounds": (0, 1), "epsilon": 1, **wrong}).fit(np.zeros((3, 2)))
