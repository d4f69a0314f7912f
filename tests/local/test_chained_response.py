"""Golden second rounds: (ε∞, ε₁) = (2, 1); the formula in use elsewhere is right for two values only."""

import itertools
import math

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import ChainedResponse
from privet.noise import BitSource
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (Example(ChainedResponse(4, 1, lifetime=2), 1, range(4), shares=(0.4, 0.3, 0.2, 0.1)),)
    REFUSED = (4, None)


@pytest.mark.parametrize(("values", "second"), [(2, 1.407606), (4, 1.573172), (5, 1.646695), (8, 1.839507)])
def test_golden_second_rounds(values: int, second: float) -> None:
    protocol = ChainedResponse(values, 1, lifetime=2)
    assert protocol.second.epsilon == pytest.approx(second, abs=6e-7)
    assert 1 - 1e-9 < protocol.epsilon <= 1
    assert 2 - 1e-9 < protocol.lifetime <= 2


@pytest.mark.parametrize("reports", [1, 2, 3])
def test_many_reports_cost_what_all_their_sequences_say(reports: int) -> None:
    """By enumeration of every sequence of reports about one value."""
    protocol = ChainedResponse(3, "0.7", lifetime=3)
    first = np.array(protocol.first.channel().matrix, dtype=float)
    second = np.array(protocol.second.channel().matrix, dtype=float)
    worst = 0.0
    for sequence in itertools.product(range(3), repeat=reports):
        law = first @ np.prod(second[:, list(sequence)], axis=1)
        worst = max(worst, math.log(law.max() / law.min()))
    assert protocol.epsilon_after(reports) == pytest.approx(worst, abs=1e-9)


def test_kept_answers_stop_a_majority_vote(source: BitSource) -> None:
    """200 reports of each of 4,000 devices: with kept answers most frequent reports are the kept ones, no better."""
    protocol = ChainedResponse(2, 1, lifetime=2)
    truth = np.arange(4000) % 2
    kept = protocol.permanent(truth, entropy=source)
    votes = np.mean([protocol.fresh(kept, entropy=source) for _ in range(200)], axis=0) > 0.5
    right = float(np.mean(votes == truth))
    assert abs(right - float(protocol.first.true_support)) < 5 * math.sqrt(0.25 / 4000)
    alone = np.mean([protocol.privatize(truth, entropy=source) for _ in range(200)], axis=0) > 0.5
    assert float(np.mean(alone == truth)) > 0.99  # the control: fresh noise every time


@pytest.mark.parametrize(("epsilon", "lifetime"), [("1", "1.0000000000000001"), ("19.9", "20"), ("1", "1.000000001")])
def test_a_lifetime_close_to_epsilon_needs_hardly_a_second_round(epsilon: str, lifetime: str) -> None:
    protocol = ChainedResponse(4, epsilon, lifetime=lifetime)
    assert float(epsilon) * 0.9 < protocol.epsilon <= float(epsilon)
    assert protocol.second.epsilon > 19
    assert protocol.lifetime <= float(lifetime)


def test_refuses_a_lifetime_that_is_none() -> None:
    with pytest.raises(InvalidParameter, match="lifetime must be above"):
        ChainedResponse(4, 2, lifetime=2)
