"""BetaBernoulli, DirichletCategorical, GammaPoisson, NormalMean and NormalInverseGamma."""

import itertools
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import stats

from privet import Guarantee, Ledger, Unit
from privet.errors import InvalidParameter
from privet.learn import BetaBernoulli, DirichletCategorical, GammaPoisson, NormalInverseGamma, NormalMean
from privet.learn.bayesian_model import BayesianModel
from privet.loss import ConcentratedGuarantee
from privet.noise import BitSource
from tests.contracts.estimator import EstimatorContract, Example
from tests.learn.neighbor_fits import EVIL, moved, secrets
from tests.support.recording_ledger import RecordingPlans

NEAR = {"epsilon": 10**8}
ALONE: dict[str, Any] = {"supervised": False, "methods": (), "checks": NEAR}
DECLARED: dict[type[BayesianModel], dict[str, Any]] = {
    BetaBernoulli: {},
    DirichletCategorical: {"categories": 3},
    GammaPoisson: {"limit": 5},
    NormalMean: {"bounds": (0, 10), "sd": 2, "prior_mean": 5, "prior_sd": 5},
    NormalInverseGamma: {"bounds": (0, 10), "prior": (5, 0.1, 2, 4)},
}
KINDS = list(DECLARED)
ROWS = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 9.0]])
CORNERS: list[Any] = [np.array(each, dtype=float) for each in itertools.product((0, 1, 2, 5, 10), repeat=2)]
ODD: list[Any] = [[each, each] for each in EVIL]


class TestContract(EstimatorContract):
    EXAMPLES: ClassVar = [
        Example(BetaBernoulli, {}, **ALONE),
        Example(DirichletCategorical, {"categories": 2}, required=("categories",), **ALONE),
        Example(GammaPoisson, {"limit": 3}, required=("limit",), **ALONE),
        Example(NormalMean, {"bounds": (0, 1)}, required=("bounds",), delta="1e-6", **ALONE),
        Example(NormalInverseGamma, {"bounds": (0, 1)}, required=("bounds",), **ALONE),
    ]


def made(kind: type[BayesianModel], **more: Any) -> BayesianModel:  # noqa: ANN401 - parameters
    return kind(**{"epsilon": 1, **DECLARED[kind], **more})


@pytest.mark.parametrize("kind", KINDS)
def test_one_row_moves_as_far_as_declared_and_no_farther(kind: type[BayesianModel]) -> None:
    def make(**more: Any) -> BayesianModel:  # noqa: ANN401 - parameters
        return made(kind, **more)

    shares = [moved(make, (ROWS,), (np.vstack([ROWS, row]),)) for row in (*CORNERS, *ODD)]
    assert np.max(shares, axis=0).tolist() == [1] * len(shares[0])
    pairs = itertools.combinations([CORNERS[0], CORNERS[1], CORNERS[6], CORNERS[-1], *ODD[:2]], 2)
    replaced = [moved(make, (np.vstack([ROWS, x]),), (np.vstack([ROWS, y]),), replaced=True) for x, y in pairs]
    assert np.max(replaced, axis=0).tolist() == [1] * len(replaced[0])


def test_what_is_summed() -> None:
    rows = np.array([[1.0], [0.6], [np.nan], [7.0], [-3.0], [np.inf]])

    def of(kind: type[BayesianModel]) -> Any:  # noqa: ANN401 - secrets
        return secrets(made(kind, ledger=RecordingPlans(Unit("person"))), rows)

    assert of(BetaBernoulli) == [(2, 4)]
    assert of(DirichletCategorical) == [(0, 1, 5)]
    assert of(GammaPoisson) == [(6,), (1 + 1 + 0 + 5 + 0 + 5,)]
    assert of(NormalMean)[0] == (6,)
    assert float(of(NormalMean)[1][0]) / 2**15 == pytest.approx(-0.8 - 0.88 + 0 + 0.4 - 1 + 1, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("price", [{"epsilon": 1, "delta": "1e-6"}, {"rho": "0.1"}, {"epsilon": 1}])
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("columns", [1, 40])
def test_prices_are_kept_and_used_up(
    kind: type[BayesianModel], price: dict[str, Any], neighbors: str, columns: int
) -> None:
    ledger = Ledger(
        ConcentratedGuarantee("0.1") if "rho" in price else Guarantee(1, price.get("delta", 0)),
        unit=Unit("person", neighbors=neighbors),
    )
    loss = made(kind, **{"epsilon": None, **price}, ledger=ledger).fit(np.ones((40, columns))).privacy_.loss
    if "rho" in price:
        assert 0.0999 < loss.zcdp() <= 0.1
    else:
        assert loss.meets(Guarantee(1, price.get("delta", 0)))
        assert not loss.meets(Guarantee("0.98", price.get("delta", 0)))


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_without_noise_they_are_the_exact_posteriors(neighbors: str) -> None:
    draw = np.random.default_rng(9)
    said: dict[str, Any] = {"epsilon": 10**8, "neighbors": neighbors}
    ones = draw.integers(0, 2, size=(50, 2)).astype(float)
    for place, found in enumerate(made(BetaBernoulli, **said).fit(ones).posterior()):
        total = ones[:, place].sum()
        assert found.interval() == pytest.approx(stats.beta(1 + total, 51 - total).interval(0.95), abs=1e-6)
    kinds = draw.integers(0, 3, size=(50, 1)).astype(float)
    counts = np.bincount(kinds.ravel().astype(int), minlength=3)
    shares = made(DirichletCategorical, **said).fit(kinds)
    assert shares.posterior_mean()[0] == pytest.approx((1 + counts) / 53)
    counted = draw.poisson(1.0, size=(50, 1)).astype(float)
    rate = made(GammaPoisson, **said).fit(counted).posterior()[0]
    assert rate.interval() == pytest.approx(stats.gamma(1 + counted.sum(), scale=1 / 51).interval(0.95), abs=1e-6)
    normal = draw.normal(5, 1, size=(200, 1))
    mean = made(NormalMean, **{**said, "sd": 1}).fit(normal).posterior()[0]
    assert mean.mean == pytest.approx((5 / 25 + normal.sum()) / (1 / 25 + 200), abs=1e-3)
    assert mean.sd == pytest.approx((1 / 25 + 200) ** -0.5, rel=1e-2)
    both = made(NormalInverseGamma, **said).fit(normal).posterior()[0]
    scale = 4 + 0.5 * normal.var() * 200 + 0.1 * 200 / 200.1 * (normal.mean() - 5) ** 2 / 2
    assert both[0].mean == pytest.approx((0.5 + normal.sum()) / 200.1, abs=1e-3)
    assert both[1].mean == pytest.approx(scale / (2 + 100 - 1), rel=0.02)
    assert both[1].sd == pytest.approx(
        stats.invgamma(102, scale=scale).std(), rel=0.06
    )  # sums of 200 squares are nearly normal


COVERED = {"bounds": (-40, 40), "epsilon": 1, "rows": (0, 60)}


def covers(found: list[bool]) -> bool:
    """Whether as many of the intervals of 80% hold as they should, but for a false alarm in a million."""
    low, high = stats.binom.ppf(5e-7, len(found), 0.8), stats.binom.isf(5e-7, len(found), 0.8)
    print(f"{sum(found)} of {len(found)} hold, from {low:.0f} to {high:.0f} would do")  # noqa: T201 - if the test fails
    return bool(low <= sum(found) <= high)


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_intervals_of_means_cover(neighbors: str, source: BitSource) -> None:
    """n = 300 means from the prior, up to 60 rows each. The control believes the noisy mean."""
    draw = np.random.default_rng(int(source.words(1)[0]))
    found, believed = [], []
    for _ in range(300):
        mean = draw.normal(0, 5)
        rows = int(draw.integers(0, 61))
        ledger = RecordingPlans(Unit("person", neighbors=neighbors), source)
        said: dict[str, Any] = {**COVERED, "sd": 3, "prior_mean": 0, "prior_sd": 5, "ledger": ledger}
        model = NormalMean(**said).fit(draw.normal(mean, 3, size=(rows, 1)))
        found.append(0.1 < model.posterior()[0].cdf(mean) < 0.9)
        number = max(float(model.rows_), 0.0)
        sure = (1 / 25 + number / 9) ** -1
        believed.append(abs(mean - sure * model.totals_[0] * 40 / 9) < 1.2816 * sure**0.5)
    assert covers(found)
    assert not covers(believed)


def test_intervals_of_variances_cover(source: BitSource) -> None:
    """n = 100 pairs from the prior, 200 rows each. The control believes the noisy variance."""
    draw = np.random.default_rng(int(source.words(1)[0]))
    means, variances, believed = [], [], []
    for _ in range(100):
        variance = 4 / draw.gamma(3)
        mean = draw.normal(0, (variance / 0.5) ** 0.5)
        ledger = RecordingPlans(Unit("person", neighbors="replace"), source)
        model = NormalInverseGamma(bounds=(-20, 20), prior=(0, 0.5, 3, 4), epsilon=1, ledger=ledger)
        one, other = model.fit(draw.normal(mean, variance**0.5, size=(200, 1))).posterior()[0]
        means.append(0.1 < one.cdf(mean) < 0.9)
        variances.append(0.1 < other.cdf(variance) < 0.9)
        noisy = (model.squares_[0] / 200 + 1) / 2 * 400 - (model.totals_[0] / 200 * 20) ** 2
        believed.append(0.1 < stats.invgamma.cdf(variance, 103, scale=4 + 100 * max(noisy, 0)) < 0.9)
    assert covers(means)
    assert covers(variances)
    assert not covers(believed)


def test_posteriors_say_what_they_know() -> None:
    model = made(BetaBernoulli, epsilon=10**8).fit([[1.0]] * 3 + [[0.0]])
    assert model.credible_interval(0.5).shape == (1, 2)
    assert model.posterior() is model.posterior()
    assert "95%" in repr(model.posterior())
    with pytest.raises(InvalidParameter, match="confidence"):
        model.credible_interval(1)


@pytest.mark.parametrize(
    ("kind", "more", "said"),
    [
        (BetaBernoulli, {"prior": (0, 1)}, "prior must be > 0"),
        (BetaBernoulli, {"rows": 5}, "pair"),
        (BetaBernoulli, {"rows": (5, 1)}, "smaller first"),
        (DirichletCategorical, {"categories": 1}, "at least two"),
        (GammaPoisson, {"limit": 0}, "limit"),
        (NormalMean, {"sd": -1}, "sd must be > 0"),
        (NormalMean, {"sd": [1, 2, 3]}, "one for each of the 1"),
        (NormalInverseGamma, {"prior": (0, 1, 1, -1)}, "prior"),
    ],
)
def test_what_is_refused(kind: type[BayesianModel], more: dict[str, Any], said: str) -> None:
    ledger = Ledger(Guarantee(1), unit=Unit("person"))
    with pytest.raises(InvalidParameter, match=said):
        made(kind, ledger=ledger, **more).fit([[1.0], [0.0]])
    assert ledger.entries == ()
