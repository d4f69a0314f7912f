"""SamplingPlan: the inequality behind it, in exact arithmetic, and what it promises, by drawing."""

import math
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from privet.errors import InvalidParameter
from privet.stats.functions.sampling_plan import SamplingPlan


def promised(plan: SamplingPlan) -> bool:
    """Whether k/m >= 1 - gamma + rho + √(ln(1/rho)/(2m)) surely, in ball arithmetic with 200 bits."""
    before = flint.ctx.prec
    flint.ctx.prec = 200
    try:
        rho, gamma = (flint.arb(flint.fmpq(x.numerator, x.denominator)) for x in (plan.rho, plan.gamma))
        least = 1 - gamma + rho + (-rho.log() / (2 * plan.m)).sqrt()
        return bool(flint.arb(flint.fmpq(plan.k, plan.m)) >= least)
    finally:
        flint.ctx.prec = before


@given(st.fractions(min_value=Fraction(1, 500), max_value=Fraction(99, 100)))
def test_gamma_alone_gives_the_least_m_about(gamma: Fraction) -> None:
    plan = SamplingPlan.of(gamma=gamma)
    assert plan.gamma == gamma
    assert promised(plan)
    assert plan.k <= plan.m
    fewer = max(1, math.floor(plan.m * 0.97) - 2)
    with pytest.raises(InvalidParameter, match="gamma must be at least"):
        SamplingPlan.of(gamma=gamma, m=fewer) if fewer > 1 else SamplingPlan.of(gamma="1e-9", m=1)


@given(st.integers(2, 10**6))
def test_m_alone_gives_the_least_gamma(m: int) -> None:
    plan = SamplingPlan.of(m=m)
    assert plan.k == m
    assert promised(plan)
    others = (plan.rho * Fraction(101, 100), plan.rho * Fraction(99, 100))
    assert all(rho + math.sqrt(-math.log(rho) / (2 * m)) >= plan.gamma - Fraction(1, 10**12) for rho in others)


@given(st.integers(20, 10**5), st.integers(1, 99))
def test_m_and_gamma_give_the_least_k(m: int, percent: int) -> None:
    try:
        plan = SamplingPlan.of(m=m, gamma=Fraction(percent, 100))
    except InvalidParameter as refused:
        assert "draw more pairs" in str(refused)  # noqa: PT017 - whether it is refused depends on m
        return
    assert promised(plan)
    assert plan.k == 1 or not promised(SamplingPlan(m, plan.k - 1, plan.gamma, plan.rho))


def test_m_and_k_are_charged_the_gamma_they_amount_to() -> None:
    """The manual form of other packages leaves gamma out; here it is never better than what the two promise."""
    plan = SamplingPlan.of(m=500, k=450)
    assert promised(plan)
    assert plan.gamma > SamplingPlan.of(m=500).gamma
    assert SamplingPlan.of(m=500, gamma=plan.gamma).k == 450
    with pytest.raises(InvalidParameter, match="promise nothing"):
        SamplingPlan.of(m=10, k=1)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({}, "give gamma, or m"),
        ({"k": 3}, "give gamma, or m"),
        ({"m": 9, "k": 3, "gamma": "0.5"}, "give gamma, or m"),
        ({"gamma": 0}, "between 0 and 1"),
        ({"gamma": 1}, "between 0 and 1"),
        ({"gamma": math.nan}, "gamma must be a finite number"),
        ({"m": 0}, "m must be a whole number"),
        ({"m": 2.5}, "m must be a whole number"),
        ({"m": 10**9}, "at most 100,000,000"),
        ({"m": 9, "k": 10}, "k must be at most m = 9"),
        ({"m": 9, "k": 0}, "k must be a whole number"),
        ({"m": 100, "gamma": "0.1"}, "gamma must be at least 0.159724 for m = 100"),
        ({"gamma": "1e-6"}, "needs more than"),
    ],
)
def test_plans_that_make_no_sense_are_refused(asked: Any, says: str) -> None:  # noqa: ANN401 - arguments
    with pytest.raises(InvalidParameter, match=says):
        SamplingPlan.of(**asked)


def test_another_pair_moves_farther_with_at_most_gamma() -> None:
    """n=20,000 runs of m=100, gamma=0.3 on uniform moves; false alarm 1e-6; the control takes the median instead."""
    plan = SamplingPlan.of(m=100, gamma="0.3")
    runs = 20_000
    moves = np.sort(np.random.default_rng(3).random((runs, plan.m)), axis=1)
    new = np.random.default_rng(4).random(runs)
    failed = int((new > moves[:, plan.k - 1]).sum())
    assert binom.sf(failed - 1, runs, float(plan.gamma)) > 1e-6
    assert binom.sf(int((new > moves[:, 49]).sum()) - 1, runs, float(plan.gamma)) < 1e-6
    unlucky = np.mean(moves[:, plan.k - 1] < 1 - float(plan.gamma - plan.rho))  # the stronger statement: of draws
    assert binom.sf(int(unlucky * runs) - 1, runs, float(plan.rho)) > 1e-6
