"""Exact audits: by the same fractions worked out by hand."""

import math
from fractions import Fraction
from typing import Any

import pytest

from privet.audit import compare_laws, every_string, exact
from privet.audit.exact import Bits, OutOfBitsError
from privet.loss import ConcentratedGuarantee, Guarantee
from privet.mechanisms import FiniteMechanism

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def test_randomized_response_is_judged_to_the_last_digit() -> None:
    table = FiniteMechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    assert not exact(table, pair=(0, 1)).violated
    assert not exact(table, pair=(0, 1), claim=Guarantee("1.09861228866810969139525")).violated  # ln 3, rounded up
    found = exact(table, pair=(0, 1), claim=Guarantee("1.09861228866810969139524"))  # and down
    assert found.violated
    assert found.epsilon == pytest.approx(math.log(3), rel=1e-12)
    assert found.exact
    assert found.rates == (0.75, 0.25)


def test_delta_is_what_epsilon_leaves() -> None:
    one = {"a": HALF, "b": HALF - Fraction(1, 100), "c": Fraction(1, 100)}
    other = {"a": HALF, "b": HALF}
    found = compare_laws(one, other, claim=Guarantee(1, "0.01"))
    assert not found.violated
    assert found.delta == pytest.approx(0.01)
    worse = compare_laws(one, other, claim=Guarantee(1, "0.0099"))
    assert worse.violated
    assert worse.epsilon == math.inf
    assert worse.event == "the outcome is 'c'"
    assert "ε is at least infinite" in worse.verdict


def test_a_deterministic_function_is_found_at_once() -> None:
    found = exact(lambda data, bits: data, pair=(0, 1), claim=Guarantee(100))  # noqa: ARG005 - no bits
    assert found.violated
    assert found.epsilon == math.inf
    assert not exact(lambda data, bits: 1, pair=(0, 1)).violated  # noqa: ARG005 - a constant


@pytest.mark.parametrize("depth", [4, 8, 12])
def test_undecided_mass_never_counts_as_evidence(depth: int) -> None:
    """Geometric noise by coins, moved by one: the truth is ln 2 for each input, whatever the depth."""

    def geometric(data: int, bits: Bits) -> int:
        noise = 0
        while bits.take(1):
            noise += 1
        return data + noise if noise >= 0 else 0

    laws = [every_string(lambda bits, data=data: geometric(data, bits), depth=depth) for data in (0, 0)]  # type: ignore[misc]
    law, undecided = laws[0]
    assert sum(law.values()) + undecided == 1
    assert undecided == Fraction(1, 2**depth)
    assert law[2] == Fraction(1, 8)
    same = compare_laws(law, law, claim=Guarantee(0), undecided=(undecided, undecided))
    assert (same.violated, same.epsilon) == (False, 0.0)
    moved = exact(geometric, pair=(0, 1), claim=Guarantee(1), depth=depth)
    assert moved.violated  # 0 is impossible for the second input, but for what is undecided
    assert moved.epsilon <= math.log(2**depth)
    assert f"undecided after so many bits: {float(undecided):.3g}" in moved.notes[0]


def test_failures_are_outcomes() -> None:
    def failing(data: int, bits: Bits) -> list[int]:
        if data and bits.take(1):
            raise ValueError("half the time")
        return [data * 0]

    found = exact(failing, pair=(0, 1), claim=Guarantee(1))
    assert found.violated
    assert "half the time" in found.event


def test_other_claims_are_compared_by_all_sets() -> None:
    """Permute and flip at [0, 0] and [1, -1]: (1/2, 1/2) and (0.932, 0.068); a Rényi divergence of 1.377 at order 2."""
    one = {0: HALF, 1: HALF}
    other = {0: 1 - Fraction(math.exp(-2)) / 2, 1: Fraction(math.exp(-2)) / 2}
    assert compare_laws(one, other, claim=ConcentratedGuarantee("0.5")).violated
    assert compare_laws(one, other, claim=ConcentratedGuarantee("0.68")).violated
    assert not compare_laws(one, other, claim=ConcentratedGuarantee("0.9")).violated


def test_bits_are_handed_out_from_the_front() -> None:
    tape = Bits("1101")
    assert [tape.take(2), tape.take(0), tape.take(2)] == [3, 0, 1]
    with pytest.raises(OutOfBitsError):
        tape.take(1)


def test_the_trade_off_curve_is_that_of_the_best_tests() -> None:
    found = exact(FiniteMechanism([["3/4", "1/4"], ["1/4", "3/4"]]), pair=(0, 1))
    points: list[Any] = [(point[0], point[3]) for point in found.tradeoff]
    assert points == [(0.0, 1.0), (0.25, 0.25), (1.0, 0.0)]
