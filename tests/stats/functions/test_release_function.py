"""release_function: charged before the data is seen, chosen from public numbers, labelled by its sensitivity."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.core import Ledger, Release, Sensitivity, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.mechanisms import Bernstein, BernsteinFunction, Gaussian, Laplace
from privet.stats.functions.bernstein_grid import BernsteinGrid
from privet.stats.functions.nadaraya_watson import NadarayaWatson
from privet.stats.functions.priestley_chao import PriestleyChao
from privet.stats.functions.release_function import release_function
from privet.stats.functions.sampled_sensitivity import sampled_sensitivity
from tests.support.recording_ledger import Recording

PERSON = Unit("person", "replace")
ROWS = np.random.default_rng(1).random((200, 2))


def shares(rows: NDArray[Any]) -> Any:  # noqa: ANN401 - a function
    """The share of rows up to a point: one row replaced moves it by at most 1/200."""
    return lambda at: float(np.mean(rows[:, 0] <= at))


def ask(**change: Any) -> Release[BernsteinFunction]:  # noqa: ANN401 - keywords
    asked: dict[str, Any] = {"f": shares, "data": ROWS, "sensitivity": "1/200", "degree": 10, "epsilon": 1} | change
    if "ledger" not in asked:
        asked.setdefault("neighbors", "replace")
    asked = {name: value for name, value in asked.items() if value is not None}
    return release_function(asked.pop("f"), asked.pop("data"), **asked)


def test_the_secret_is_the_function_on_the_grid() -> None:
    ledger = Recording(PERSON)
    ask(ledger=ledger)
    assert ledger.secrets[0] == tuple(Fraction(float(np.mean(ROWS[:, 0] <= at / 10))) for at in range(11))
    assert ledger.sensitivities == [Sensitivity("1/200")]
    assert repr(ledger.mechanisms[0]) == repr(Bernstein.calibrated(epsilon=1, function_sensitivity="1/200", degree=10))


@pytest.mark.parametrize("kind", [PriestleyChao("0.2", bounds=(0, 2)), NadarayaWatson("0.2", bounds=(0, 2))])
def test_a_regression_is_released_on_its_own_domain(kind: Any) -> None:  # noqa: ANN401 - a regression
    ledger = Recording(PERSON)
    release = ask(f=kind, ledger=ledger, degree=4)
    assert np.allclose(np.array(ledger.secrets[0], dtype=float), [kind(ROWS)(at) for at in (0, 0.5, 1, 1.5, 2)])
    assert repr(release.value).endswith("on [0, 2])")
    assert repr(ask(f=kind, bounds=(0, 1), degree=4).value).endswith("on [0, 1])")


def test_degree_and_order_are_the_best_for_what_is_declared() -> None:
    known: dict[str, Any] = {"waves": 2, "amplitude": 1}
    best = BernsteinGrid.best(sensitivity=Sensitivity("1/200"), epsilon=1, **known)
    found = ask(degree=None, **known).value
    assert (found.degree, found.order) == (best.degree, best.order)
    assert ask(degree=None, order=1, **known).value.order == 1
    assert ask(degree=7, **known).value.degree == 7
    assert (ask(degree=7).value.degree, ask(degree=7).value.order) == (7, 1)
    regression = PriestleyChao("0.1")
    own = BernsteinGrid.best(sensitivity=Sensitivity("1/200"), epsilon=1, waves=regression.waves, amplitude=1)
    assert ask(f=regression, degree=None, amplitude=1).value.degree == own.degree


def test_the_choice_does_not_see_the_data() -> None:
    for rows in (ROWS, ROWS * 0, np.full((200, 2), np.nan), ROWS[:3]):
        found = ask(f=PriestleyChao("0.1"), data=rows, degree=None, amplitude=1)
        assert found.mechanism == ask(f=PriestleyChao("0.1"), degree=None, amplitude=1).mechanism


def test_prices() -> None:
    assert ask().loss.epsilon(0) == 1
    with_delta = ask(epsilon=1, delta="1e-5", degree=30)
    assert "Gaussian" in with_delta.mechanism
    assert with_delta.loss.meets(Guarantee(1, "1e-5"))
    concentrated = ask(epsilon=None, rho="0.1")
    assert concentrated.loss.zcdp() <= 0.1 * (1 + 1e-9)
    ready = Bernstein(Laplace(l1_sensitivity="5/200", scale="5/200"), degree=4)
    assert ask(epsilon=None, degree=None, mechanism=ready).loss.epsilon(0) == 1
    noisy = Bernstein(Gaussian(l2_sensitivity="1/10", scale=1), degree=4)
    assert ask(epsilon=None, degree=None, mechanism=noisy, delta="1e-6").value.degree == 4


def test_a_ledger_is_charged_once_and_the_function_is_free() -> None:
    ledger = Ledger(Guarantee(1), unit=PERSON)
    release = ask(ledger=ledger, purpose="distribution of incomes")
    assert ledger.spent.epsilon == 1
    for _ in range(3):
        release.value(np.linspace(0, 1, 7))
    assert "distribution of incomes" in repr(release)
    assert "spent ε=1 per person" in repr(release)
    with pytest.raises(BudgetExceeded):
        ask(ledger=ledger)
    assert len(release.value.curve(50)[0]) == 50


def test_nothing_is_computed_before_the_charge() -> None:
    touched: list[int] = []

    def f(_: object) -> Any:  # noqa: ANN401 - a function
        touched.append(1)
        return float

    with pytest.raises(BudgetExceeded):
        ask(f=f, ledger=Ledger(Guarantee("0.5"), unit=PERSON))
    assert not touched
    ask(f=f)
    assert touched == [1]


def test_the_margin_is_of_the_noise_everywhere() -> None:
    """n=300 releases at 99.99 %: 6 misses or more have a chance of 1e-12; the control is a tenth of the margin."""
    exact = BernsteinFunction(np.array([np.mean(ROWS[:, 0] <= at / 10) for at in range(11)]), 3)
    at = np.linspace(0, 1, 101)
    releases = [ask(order=3) for _ in range(300)]
    errors = np.array([np.abs(release.value(at) - exact(at)).max() for release in releases])
    margin = releases[0].margin(0.9999)
    assert (errors > margin).sum() < 6
    assert (errors > margin / 10).sum() > 100


def test_a_sampled_sensitivity_makes_it_random_dp() -> None:
    seeds = iter(range(10**6))
    regression = PriestleyChao("0.1")
    sampled = sampled_sensitivity(
        regression.on(np.arange(11) / 10),
        lambda count: np.random.default_rng(next(seeds)).random((count, 2)),
        200,
        m=200,
        gamma="0.2",
        norm="linf",
    )
    alone = ask(f=regression, sensitivity=sampled)
    assert alone.gamma == Fraction(1, 5)
    assert "(ε=1, γ=0.2) random DP" in repr(alone)
    with pytest.raises(BudgetExceeded, match="was sampled"):
        ask(f=regression, sensitivity=sampled, ledger=Ledger(Guarantee(5), unit=PERSON))
    with pytest.raises(InvalidParameter, match="no place for"):
        ask(f=regression, sensitivity=sampled, epsilon=None, rho=1)
    ledger = Ledger(Guarantee(5, gamma="0.3"), unit=PERSON)
    assert ask(f=regression, sensitivity=sampled, ledger=ledger).gamma == ledger.spent.gamma


def test_surfaces() -> None:
    def paraboloid(rows: NDArray[Any]) -> Any:  # noqa: ANN401 - a function
        return lambda at: float(at[0] * at[1] + len(rows) * 0)

    release = ask(f=paraboloid, dimension=2, degree=3, bounds=[(0, 1), (0, 10)], epsilon=1000)
    assert release.value([0.5, 5.0]) == pytest.approx(2.5, abs=0.1)
    chosen = ask(f=paraboloid, dimension=2, degree=None, waves=1, amplitude=1)
    assert chosen.value.dimension == 2


def test_asking_again_with_a_key_returns_the_same_function() -> None:
    ledger = Ledger(Guarantee(1), unit=PERSON)
    first = ask(ledger=ledger, key="k")
    assert ask(ledger=ledger, key="k").value == first.value
    assert ledger.spent.epsilon == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"f": 3}, "f must be a function"),
        ({"sensitivity": 0}, "per_cell must be > 0"),
        ({"degree": None}, "give the degree, or waves and amplitude"),
        ({"degree": None, "waves": 1}, "give the degree, or waves and amplitude"),
        ({"degree": 0}, "degree must be a whole number"),
        ({"epsilon": None}, "the price must be exactly one of"),
        ({"epsilon": 0}, "epsilon must be > 0"),
        ({"epsilom": 1}, "did you mean epsilon"),
        ({"unit_ids": [1]}, "does not take unit_ids"),
        ({"missing": 0}, "does not take missing"),
        ({"ledger": 5}, "ledger must be a Ledger"),
        ({"ledger": Ledger(Guarantee(1), unit=Unit("visit")), "unit": PERSON}, "this ledger protects"),
        ({"f": PriestleyChao("0.1"), "bounds": (0, 2)}, "points must lie within the bounds"),
        ({"f": PriestleyChao("0.1"), "dimension": 2}, "dimension must be 1"),
        ({"f": PriestleyChao("0.1"), "data": np.zeros(5)}, "two columns"),
        ({"f": PriestleyChao("0.1"), "data": np.zeros((5, 3))}, "two columns"),
        ({"epsilon": None, "mechanism": Laplace(1, 1), "degree": None}, "must be a Bernstein"),
        ({"epsilon": None, "mechanism": Bernstein(Laplace(1, 1), degree=4)}, "leave out degree"),
        ({"epsilon": None, "mechanism": Bernstein(Laplace("1/1000", 1), degree=4), "degree": None}, "does not cover"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_spent(change: dict[str, Any], says: str) -> None:
    ledger = Ledger(Guarantee(10), unit=PERSON)
    with pytest.raises(InvalidParameter, match=says):
        ask(**({"ledger": ledger} | change))
    assert not ledger.entries


def test_a_limit_on_rho_is_enough_for_rho() -> None:
    ledger = Ledger(ConcentratedGuarantee("0.1"), unit=PERSON)
    ask(epsilon=None, rho="0.1", ledger=ledger)
    assert 0 <= ledger.remaining.rho < Fraction(1, 10**15)
