"""Exact audits of densities: against closed forms."""

import math

import pytest
from scipy.stats import norm

from privet.audit import Densities, audit_densities
from privet.audit.densities import laplace, normal
from privet.loss import Guarantee


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Balle and Wang (2018), Theorem 8."""
    return float(norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu))


@pytest.mark.parametrize("mu", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_bounds_enclose_the_gaussian_delta(mu: float, epsilon: float) -> None:
    low, high = Densities(normal(0, 1), normal(mu, 1)).delta(epsilon)
    truth = gaussian_delta(epsilon, mu)
    assert low <= truth * (1 + 1e-9)
    assert high >= truth * (1 - 1e-9)
    assert high - low < 5e-3 * truth + 1e-12


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 0.999])
def test_bounds_enclose_the_laplace_delta(epsilon: float) -> None:
    low, high = Densities(laplace(0, 1), laplace(1, 1)).delta(epsilon)
    truth = 1 - math.exp((epsilon - 1) / 2)
    assert low <= truth * (1 + 1e-9) <= high * (1 + 1e-6)
    assert high - low < 0.01 * truth
    assert Densities(laplace(0, 1), laplace(1, 1)).delta(1.0)[0] < 1e-9


def test_the_classical_formula_fails_at_epsilon_ten() -> None:
    """δ is 2.27e-5 where 1e-5 is claimed."""
    deviation = math.sqrt(2 * math.log(1.25e5)) / 10
    pair = Densities(normal(0, deviation), normal(1, deviation))
    found = audit_densities(pair, claim=Guarantee(10, "1e-5"))
    assert found.violated
    assert found.delta == pytest.approx(2.27e-5, abs=1e-7)
    assert found.delta == pytest.approx(gaussian_delta(10, 1 / deviation), rel=1e-3)
    assert not audit_densities(pair, claim=Guarantee(10, "2.3e-5")).violated
    assert found.rates[0] > math.exp(10) * found.rates[1]


def test_different_widths_have_no_pure_epsilon() -> None:
    pair = Densities(normal(0, 1), normal(0.5, 0.5), breaks=(2 / 3,))
    found = audit_densities(pair, claim=Guarantee(1))
    assert found.violated
    assert found.epsilon > 20
    assert audit_densities(Densities(normal(0, 1), normal(0, 1)), claim=Guarantee(0)).epsilon == 0


def test_what_lies_between_the_bounds_is_not_decided() -> None:
    pair = Densities(normal(0, 1), normal(1, 1))
    low, high = pair.delta(1.0)
    found = audit_densities(pair, claim=Guarantee(1, str((low + high) / 2)))
    assert not found.violated
    assert "not decided" in found.notes[0]
