"""Golden weights and the variance of (ε∞, ε₁) = (2, 1): that of an optimised unary encoding at ε = 1."""

import itertools
import math

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.local import ChainedEncoding, UnaryEncoding
from privet.noise import BitSource
from tests.contracts.protocol import Example, ProtocolContract


class TestContract(ProtocolContract):
    EXAMPLES = (
        Example(ChainedEncoding(4, 1, lifetime=2), 1, range(4), shares=(0.4, 0.3, 0.2, 0.1)),
        Example(ChainedEncoding(["a", "b", "c"], 2, lifetime="2.5"), 2, "abc", shares=(0.6, 0.3, 0.1)),
    )
    REFUSED = (4, None)


def test_golden_weights() -> None:
    protocol = ChainedEncoding(16, 1, lifetime=2)
    assert protocol.first.other / 2**52 == pytest.approx(0.119203, abs=6e-7)
    assert protocol.stay / 2**52 == pytest.approx(0.803388, abs=6e-7)
    assert protocol.variance() == pytest.approx(3.6827, abs=5e-5)


@pytest.mark.parametrize(("once", "always"), [("0.001", "0.5"), (1, "1.000001"), (1, 20), (5, 8), ("19.9", 20)])
def test_both_prices_are_kept_and_nothing_is_lost(once: float | str, always: float | str) -> None:
    """Per report and for all reports the ε asked for, rounded down; one report is an optimised unary encoding."""
    protocol = ChainedEncoding(5, once, lifetime=always)
    assert float(once) * (1 - 1e-5) <= protocol.epsilon <= float(once)
    assert float(always) * (1 - 1e-5) <= protocol.lifetime <= float(always)
    assert protocol.true_support * 2 == 1
    assert protocol.variance() == pytest.approx(UnaryEncoding(5, once).variance(), rel=1e-4)


@pytest.mark.parametrize("reports", [1, 2, 3])
def test_many_reports_cost_what_all_their_sequences_say(reports: int) -> None:
    """By enumeration of every sequence of rows of three bits, summed over all kept rows."""
    protocol = ChainedEncoding(3, "0.7", lifetime=3)
    rows = protocol.bits(protocol.outcomes())
    first = np.array(protocol.first.channel().matrix, dtype=float)
    turned = (rows[:, None] ^ rows[None]).sum(axis=2)
    stands = protocol.stay / 2**52
    second = stands ** (3 - turned) * (1 - stands) ** turned
    worst = 0.0
    for sequence in itertools.combinations_with_replacement(range(8), reports):  # their order does not matter
        law = first @ np.prod(second[:, list(sequence)], axis=1)
        worst = max(worst, math.log(law.max() / law.min()))
    assert protocol.epsilon_after(reports) == pytest.approx(worst, abs=1e-9)


def test_reports_of_kept_bits_reveal_no_more_than_those(source: BitSource) -> None:
    """The bits that most of 200 reports have are the kept ones; the unused bits of the last byte stay 0."""
    protocol = ChainedEncoding(11, 1, lifetime=2)
    kept = protocol.permanent(np.arange(110) % 11, entropy=source)
    votes = np.mean([protocol.bits(protocol.fresh(kept, entropy=source)) for _ in range(200)], axis=0) > 0.5
    assert np.array_equal(votes, protocol.bits(kept))  # 1,210 bits, each wrong once in 10^19
    assert len(protocol.encode(protocol.fresh(kept, entropy=source))) == 110


def test_refuses_what_tells_nothing_or_too_much() -> None:
    with pytest.raises(InvalidParameter, match="lifetime must be above"):
        ChainedEncoding(4, 2, lifetime=2)
    config = ChainedEncoding(4, 1, lifetime=2).config
    with pytest.raises(InvalidParameter, match="stay must be above"):
        ChainedEncoding.from_config({**config, "stay": 2**51})
