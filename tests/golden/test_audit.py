"""Mission rows R001, R015, R021, R022, R105 and R184 and published figures, reproduced by the audit."""

import math
from typing import Any

import numpy as np
import pytest

from privet import audit
from privet.audit.right_guesses import chance_of, epsilon_of
from privet.loss import Guarantee, Neighbors
from privet.mechanisms import DiscreteLaplace, FiniteMechanism, RandomizedResponse
from privet.noise import BitSource

RESPONSE = FiniteMechanism([["3/4", "1/4"], ["1/4", "3/4"]])


def test_r001_randomized_response_keeps_ln_3_and_no_less() -> None:
    """P(M(X) in T) <= e^ε P(M(X') in T) for all T: it holds at ln 3 = 1.098612, and fails at 1.0986."""
    assert not audit.exact(RESPONSE, pair=(0, 1), claim=Guarantee(math.log(3))).violated
    assert audit.exact(RESPONSE, pair=(0, 1), claim=Guarantee("1.0986")).violated


def test_r015_a_mechanism_that_prints_the_data_now_and_then() -> None:
    """With probability 1/1,000 it does: δ(ε) >= 0.001 for every ε, and no ε holds at a smaller δ."""
    printed = FiniteMechanism([["0.001", 0, "0.999"], [0, "0.001", "0.999"]])
    for epsilon in (0, 1, 10, 100, 600):
        found = audit.exact(printed, pair=(0, 1), claim=Guarantee(epsilon, "0.0009"))
        assert found.violated
        assert found.delta == pytest.approx(0.001)
        assert found.epsilon == math.inf
    assert not audit.exact(printed, pair=(0, 1), claim=Guarantee(0, "0.001")).violated


def test_r015_by_samples(source: BitSource) -> None:
    def printing(data: int, source: BitSource, count: int) -> Any:  # noqa: ANN401 - an array
        return np.where(source.words(count) % np.uint64(1000) == 0, data, 7)

    found = audit.test(printing, pair=(0, 1), claim=Guarantee(1, "1e-4"), source=source, trials=300_000)
    assert found.violated
    assert 1e-4 < found.delta <= 1e-3


@pytest.mark.parametrize("epsilon", ["1.0987", 2, 10])
def test_r021_any_larger_epsilon_is_valid_and_the_smallest_is_told(epsilon: Any) -> None:  # noqa: ANN401 - a number
    found = audit.exact(RESPONSE, pair=(0, 1), claim=Guarantee(epsilon))
    assert not found.violated
    assert found.epsilon == pytest.approx(math.log(3), rel=1e-9)


def test_r022_a_deterministic_function_that_is_not_constant_has_no_epsilon() -> None:
    identity = FiniteMechanism([[1, 0], [0, 1]])
    for claim in (Guarantee(1), Guarantee(10**6)):
        found = audit.exact(identity, pair=(0, 1), claim=claim)
        assert found.violated
        assert found.epsilon == math.inf
    assert audit.test(lambda data: data, pair=(0, 1), claim=Guarantee(3), trials=2_000).violated


@pytest.mark.parametrize("rounds", [1, 4])
def test_r105_no_adversary_of_the_composition_game_beats_tanh(rounds: int, source: BitSource) -> None:
    """The majority of coins at ε = 1/2 each; n = 4,000 games, bounds at 1e-6. One round reaches the bound."""
    coin = RandomizedResponse.calibrated(epsilon="0.5")
    found = audit.play(
        lambda seen: (coin, (0, 1)),  # noqa: ARG005 - the same each time
        lambda seen: 2 * sum(seen) >= len(seen),
        rounds=rounds,
        source=source,
    )
    assert found.bound == pytest.approx(math.tanh(rounds / 4), abs=1e-4)
    assert not found.violated
    assert found.low <= found.bound
    if rounds == 1:
        assert found.high >= found.bound
        assert found.advantage == pytest.approx(found.bound, abs=0.08)


def test_r184_the_outlier_is_the_pair_that_shows_most(source: BitSource) -> None:
    """A mean's sum: found by search. Clipped, no pair shows more than ε; without clipping, an outlier shows it."""
    noise = DiscreteLaplace(100, 100)

    def summed(rows: list[float], source: BitSource, count: int, *, most: float = 100) -> Any:  # noqa: ANN401 - an array
        kept = [min(max(row, 0.0), most) for row in rows if row == row]  # noqa: PLR0124 - NaN is not
        return noise.sample(np.full(count, int(sum(kept))), source)

    def unclipped(rows: list[float], source: BitSource, count: int) -> Any:  # noqa: ANN401 - an array
        return summed(rows, source, count, most=2.0**50)

    domain = audit.Domain(bounds=(0, 100), rows=3, neighbors=Neighbors.REPLACE)
    right = audit.test(summed, domain=domain, claim=Guarantee(1), source=source, trials=20_000)
    assert not right.violated
    assert right.epsilon > 0.85
    wrong = audit.test(unclipped, domain=domain, claim=Guarantee(1), source=source, trials=20_000)
    assert wrong.violated
    assert wrong.epsilon > 6


@pytest.mark.parametrize(
    ("numbers", "epsilon"),
    [((1000, 100, 75, 1e-4), 0.673), ((10**5, 1510, 1439, 1e-5), 2.676), ((1000, 1000, 1000, 1e-5), 5.782)],
)
def test_one_run_bounds_of_steinke_nasr_and_jagielski(numbers: tuple[int, int, int, float], epsilon: float) -> None:
    """At 95 %: 75 of 100 guesses; their headline example; and the ceiling of 1,000 canaries, all guessed right."""
    canaries, guesses, right, delta = numbers
    below, above = (chance_of(canaries, guesses, right, epsilon + off, delta) for off in (-5e-4, 5e-4))
    assert below < 0.05 < above
    assert epsilon_of(*numbers, 0.05) > epsilon - 5e-4  # what is reported: the better of theirs and a later one


def test_one_run_chance_of_steinke_nasr_and_jagielski() -> None:
    assert chance_of(100, 100, 75, math.log(3), 0) == pytest.approx(0.5535, abs=5e-5)
