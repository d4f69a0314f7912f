"""Trainings audited by canaries that coins put in."""

from typing import Any

import numpy as np
import pytest

from privet.audit import training
from privet.audit.zoo.draws import Draws
from privet.errors import InvalidParameter
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.noise import BitSource

CANARIES = 500


def responses(epsilon: float, source: BitSource) -> Any:  # noqa: ANN401 - a fit
    """What is "trained" are answers about each canary, so private as is said and no more."""

    def fit(chosen: list[int]) -> np.ndarray[Any, Any]:
        draws, there = Draws(source), np.isin(np.arange(CANARIES), chosen)
        return np.where(draws.coin(1 / (1 + np.exp(-epsilon)), CANARIES), there, ~there)

    return fit


def test_what_is_claimed_is_kept_and_what_is_not_is_found(source: BitSource) -> None:
    """α = 1e-6; the control claims a third of what it costs. Three trainings are as one."""
    one = lambda told, canary: told[canary]  # noqa: E731 - a score
    kept = training(responses(2.0, source), range(CANARIES), one, claim=Guarantee(2), alpha=1e-6, source=source)
    assert not kept.violated
    assert "so many right guesses do not contradict" in kept.verdict
    few = training(responses(6.0, source), range(CANARIES), one, claim=Guarantee(2), alpha=1e-6, source=source)
    assert few.violated
    assert 2 < few.epsilon < 6
    more = training(
        responses(6.0, source), range(CANARIES), one, claim=Guarantee(2), alpha=1e-6, source=source, trainings=3
    )
    assert (more.trials, more.tested) == (3, 3 * CANARIES)
    assert 2 < more.epsilon < 6


def test_a_curve_is_contradicted_where_no_single_delta_is(source: BitSource) -> None:
    """All of 500 canaries leak with probability 500 δ under some (ε, δ), so that proves nothing; a ρ it does."""
    whole = lambda told, canaries: told * 1.0  # noqa: ARG005, E731 - a score of all at once
    loud = responses(40.0, source)
    guarantee = training(loud, range(CANARIES), whole, claim=Guarantee(1, "1e-4"), alpha=1e-6, source=source)
    assert not guarantee.violated
    rho = training(
        loud, range(CANARIES), whole, claim=ConcentratedGuarantee("0.05"), alpha=1e-6, source=source, guesses=CANARIES
    )
    assert rho.violated
    assert rho.verdict.startswith("violates the claim")
    assert rho._lines()[0].endswith("of 500 guesses are right")  # not all: coins seldom put in just half


def test_rows_of_arrays_and_scores_that_are_none(source: BitSource) -> None:
    rows = np.eye(50)
    seen = training(
        lambda chosen: chosen.sum(axis=0), rows, lambda sums, row: np.inf if sums @ row else -np.inf, source=source
    )
    assert seen.epsilon > 1
    blind = training(lambda chosen: chosen.sum(axis=0), rows, lambda sums, row: np.nan, source=source)  # noqa: ARG005 - none
    assert blind.epsilon == 0
    with pytest.raises(InvalidParameter, match="one for each canary"):
        training(lambda chosen: chosen, rows, lambda sums, canaries: [1.0], source=source)  # noqa: ARG005 - too few
    with pytest.raises(InvalidParameter, match="needs canaries"):
        training(lambda chosen: chosen, [], lambda sums, canary: 1.0)  # noqa: ARG005 - never asked
