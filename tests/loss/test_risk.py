"""Risks: the ε of a risk keeps it against the worst mechanism there is, and a little more does not."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee, Risk
from privet.loss.divergences.inference import posterior, tradeoff

MORE = 1.002  # a four-digit ε is at most a part in a thousand too small
RISKS = [
    Risk.advantage("0.1"),
    Risk.advantage("0.01"),
    Risk.advantage("0.9"),
    Risk.power(true_positive="0.2", false_positive="0.01"),
    Risk.power(true_positive="0.06", false_positive="0.05"),
    Risk.power(true_positive="0.99", false_positive="0.6"),
]


def worst_pair(epsilon: float, delta: float) -> tuple[list[float], list[float]]:
    """What every (ε, δ)-DP mechanism is a post-processing of (Kairouz, Oh and Viswanath 2015)."""
    likely = (1 - delta) / (1 + math.exp(-epsilon))
    return [delta, likely, 1 - delta - likely, 0.0], [0.0, 1 - delta - likely, likely, delta]


def gained(risk: Risk, epsilon: float, delta: float) -> float:
    """What the best attacker gains against the worst mechanism."""
    test = tradeoff(*worst_pair(epsilon, delta))
    return test.advantage if risk.kind == "advantage" else 1 - test(float(risk.base))


@pytest.mark.parametrize("delta", ["0", "1e-3"])
@pytest.mark.parametrize("risk", RISKS, ids=repr)
def test_the_worst_mechanism_keeps_the_risk_and_a_larger_epsilon_breaks_it(risk: Risk, delta: str) -> None:
    promise = risk.guarantee(delta=delta)
    assert gained(risk, float(promise.epsilon), float(delta)) <= float(risk.most) * (1 + 1e-9)
    assert gained(risk, float(promise.epsilon) * MORE, float(delta)) > float(risk.most)


@pytest.mark.parametrize(("prior", "most"), [("0.5", "0.6"), ("0.01", "0.02"), ("0.9", "0.999")])
def test_no_posterior_is_higher(prior: str, most: str) -> None:
    def highest(epsilon: float) -> float:
        true = 1 / (1 + math.exp(-epsilon))
        belief = float(Fraction(prior))
        return float(posterior([[true, 1 - true], [1 - true, true]], [belief, 1 - belief])[:, 0].max())

    epsilon = float(Risk.posterior(prior, most).guarantee().epsilon)
    assert highest(epsilon) <= float(Fraction(most)) < highest(epsilon * MORE)


def coins_within(rho: float, alarms: list[float]) -> list[tuple[float, float]]:
    """False and true positives of tests that ρ-zCDP allows, found by trying: all orders, both directions."""
    orders = np.concatenate([[1.0001], np.linspace(1.05, 60, 300)])
    rates = np.linspace(0.001, 0.999, 250)

    def most(p: float, q: float) -> float:
        sums = p**orders * q ** (1 - orders) + (1 - p) ** orders * (1 - q) ** (1 - orders)
        return float((np.log(sums) / (orders - 1) / orders).max())

    return [(a, b) for a in alarms for b in rates if b > a and max(most(b, a), most(a, b)) <= rho]


@pytest.mark.parametrize("risk", RISKS[1:], ids=repr)
def test_no_coin_and_no_gaussian_noise_of_this_rho_gains_more(risk: Risk) -> None:
    rho = float(risk.concentrated().rho)
    shift = math.sqrt(2 * rho)
    if risk.kind == "advantage":
        assert 2 * norm.cdf(shift / 2) - 1 <= float(risk.most)
        assert all(b - a <= float(risk.most) for a, b in coins_within(rho, [0.02, 0.3, 0.5, 0.8]))
    else:
        alarm = float(risk.base)
        assert norm.cdf(norm.ppf(alarm) + shift) <= float(risk.most)
        found = max(b for _, b in coins_within(rho, [alarm]))
        assert 0.9 * float(risk.most) < found <= float(risk.most)


def test_rounding_is_down_to_four_digits() -> None:
    assert Risk.posterior("0.5", "0.75").guarantee() == Guarantee("1.098")  # ln 3 = 1.0986…
    assert Risk.advantage("0.1").concentrated() == ConcentratedGuarantee("0.02")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("50% to 60%", Risk.posterior("0.5", "0.6")),
        ("from 0.5 to 60 %", Risk.posterior("0.5", "0.6")),
        ("Advantage 10%", Risk.advantage("0.1")),
        ("20% at 1%", Risk.power(true_positive="0.2", false_positive="0.01")),
    ],
)
def test_texts_say_the_same(text: str, same: Risk) -> None:
    assert Risk.of(text) == same


@pytest.mark.parametrize(
    "text", ["", "60%", "60% to 50%", "0 to 0.5", "50% to 100%", "advantage", "1% at 1%", "nan to 1", 3]
)
def test_what_says_no_risk_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter, match="risk"):
        Risk.of(text)


def test_what_a_delta_or_a_rho_cannot_promise_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="no posterior is certain"):
        Risk.posterior("0.5", "0.6").guarantee(delta="1e-9")
    with pytest.raises(InvalidParameter, match="no posterior"):
        Risk.posterior("0.5", "0.6").concentrated()
    with pytest.raises(InvalidParameter, match="alone allows more"):
        Risk.advantage("0.01").guarantee(delta="0.01")
