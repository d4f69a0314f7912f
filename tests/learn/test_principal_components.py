"""PCA: the contract, its limit without noise, the noise it tells of, and what diffprivlib's does wrong."""

import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import decomposition

from privet.asking.budget import Budget
from privet.errors import InvalidParameter
from privet.learn.around_middle import ball_around, box_around
from privet.learn.features import Ball, Box
from privet.learn.first_look import Cloud
from privet.learn.principal_axes import PrincipalAxes
from privet.learn.principal_components import PCA
from privet.mechanisms import CubeNoise
from privet.noise.for_tests import seeded_entropy_for_tests
from tests.contracts.estimator import EstimatorContract, Example

ROWS = np.random.default_rng(5).normal(size=(3000, 4)) @ np.diag([3.0, 2.0, 1.0, 0.5]) @ np.linalg.qr(
    np.random.default_rng(6).normal(size=(4, 4))
)[0] + np.array([1.0, -2.0, 0.0, 3.0])


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(
            PCA,
            declared,
            required=tuple(declared),
            supervised=False,
            columns=3,
            methods=("transform",),
        )
        for declared in ({"bounds": (0, 1)}, {"norm": 2})
    ]


@pytest.mark.parametrize("declared", [{"bounds": (-40, 40)}, {"norm": 60}])
@pytest.mark.parametrize("price", [{"epsilon": 10**8}, {"rho": 10**9}])
def test_without_noise_it_is_pca(declared: dict[str, Any], price: dict[str, Any]) -> None:
    plain, model = decomposition.PCA().fit(ROWS), PCA(**declared, **price).fit(ROWS)
    assert np.allclose(model.mean_, plain.mean_, atol=0.01)
    assert np.allclose(model.explained_variance_, plain.explained_variance_, rtol=0.02)
    assert np.allclose(model.explained_variance_ratio_, plain.explained_variance_ratio_, rtol=0.02)
    assert np.allclose(np.abs((model.components_ * plain.components_).sum(axis=1)), 1, atol=1e-3)
    assert np.allclose(model.inverse_transform(model.transform(ROWS)), ROWS)
    white = PCA(2, whiten=True, **declared, **price).fit(ROWS)
    assert np.allclose(white.transform(ROWS).std(axis=0), 1, atol=0.01)
    assert np.allclose(white.transform(white.inverse_transform(np.eye(2))), np.eye(2))


def test_rows_are_not_changed_and_signs_follow_from_what_was_released() -> None:  # diffprivlib centres X in place
    before = ROWS.copy()
    models = [PCA(bounds=(-40, 40), epsilon=10**7).fit(rows) for rows in (ROWS, 0.0 - ROWS)]
    assert (before == ROWS).all()
    for model in models:
        assert (np.take_along_axis(model.components_, np.abs(model.components_).argmax(axis=1)[:, None], 1) > 0).all()


def test_components_that_do_not_stand_out_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.core.ledger.Entropy", lambda: seeded_entropy_for_tests(1))  # noise may stand out
    line = np.outer(np.sin(np.arange(20_000)), [3.0, 4.0, 0.0])
    model = PCA("auto", bounds=(-5, 5), epsilon=1).fit(line)  # the line's variance is 12.5, the floor near 0.1
    assert model.n_components_ == 1
    assert model.transform(line).shape == (20_000, 1)
    assert model.get_feature_names_out().tolist() == ["pca0"]
    nothing = PCA(3, bounds=(-5, 5), epsilon="0.001", whiten=True).fit(line[:5])
    assert np.isfinite(nothing.transform(line[:5])).all()
    assert (nothing.explained_variance_ >= 0).all()
    assert nothing.explained_variance_ratio_.sum() <= 1 + 1e-9


@pytest.mark.parametrize("budget", [Budget.of(epsilon=1), Budget.of(rho="0.1")])
def test_the_floor_is_what_noise_alone_shows(budget: Budget) -> None:
    # The largest eigenvalue of Gaussian noise of width 30 lies near 2√30 deviations, and has itself one of half of one;
    # the floor is two deviations higher. The least of three below a half, or the most above it, is far beyond 1e-6.
    price = {"epsilon": 1} if budget.epsilon else {"rho": "0.1"}
    shown = []
    for _ in range(3):
        model = PCA(bounds=(-1, 1), **price).fit(np.zeros((1, 30)))
        shown.append(model.explained_variance_[0] / model.noise_floor_)
    assert 0.5 < np.median(shown) < 1.2


CORNERS = [-math.inf, -1.0, -0.3, 0.0, 0.2, 1.0, math.inf, math.nan, 1e300]


@given(
    rows=st.lists(st.tuples(*[st.sampled_from(CORNERS)] * 3), min_size=1, max_size=3),
    middle=st.tuples(*[st.floats(-1, 1)] * 3),
    spread=st.floats(0.01, 0.6),
)
def test_rows_around_a_middle_are_bounded(rows: Any, middle: Any, spread: float) -> None:  # noqa: ANN401 - rows of numbers
    cloud, table = Cloud(10.0, np.array(middle), spread, 0.01), np.array(rows)
    inside = box_around(Box.of((-1, 1), width=3), cloud, 1.0).unit(table)
    assert np.abs(inside).max() <= 1
    for features in (Box.of((-1, 1), width=3), Ball.of(1)):
        unit = ball_around(features, cloud, 1.0).unit(table) * 2**20
        assert (np.square(unit).sum(axis=1) <= 2**40).all()
        assert (unit == np.rint(unit)).all()


def test_noise_is_made_for_these_rows() -> None:
    pure = PrincipalAxes.of(Budget.of(epsilon=1), 3, rows=2, replaces=True)
    assert isinstance(pure.way.mechanism, CubeNoise)
    assert pure.way.mechanism.reach == 4 * 2**30  # two rows, replaced
    assert pure.way.mechanism.loss.epsilon(0) + pure.first.mechanism.loss.epsilon(0) == 1
    wide = PrincipalAxes.of(Budget.of(epsilon=1, delta=Fraction(1, 10**6)), 50, rows=1, replaces=False)
    assert not wide.pure
    assert (wide.first.mechanism.loss + wide.way.mechanism.loss).epsilon(1e-6) <= 1


@pytest.mark.parametrize("wrong", [0, 4, 1.5, "all", True])
def test_wrong_numbers_of_components_are_refused(wrong: Any) -> None:  # noqa: ANN401 - what must be refused
    with pytest.raises(InvalidParameter, match="n_components"):
        PCA(wrong, bounds=(0, 1), epsilon=1).fit(np.zeros((5, 3)))
