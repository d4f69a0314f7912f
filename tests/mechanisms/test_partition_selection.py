"""PartitionSelection: the contract against the published closed form, and what must not leak around it."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.loss import ApproximateCurve, Guarantee, PrivacyLoss
from privet.mechanisms.partition_counts import PartitionCounts
from privet.mechanisms.partition_selection import Counts, PartitionSelection
from privet.noise import BitSource
from tests.contracts.mechanism import Example, MechanismContract
from tests.support.statistics import assert_does_not_follow, assert_follows


def closed_form(count: int, epsilon: float, delta: float) -> float:
    """The closed form of Desfontaines, Voss, Gipson and Mandayam 2022."""
    grown = math.exp(epsilon)
    first = 1 + math.floor(math.log((grown + 2 * delta - 1) / ((grown + 1) * delta)) / epsilon)

    def rising(n: int) -> float:
        return delta * math.expm1(n * epsilon) / math.expm1(epsilon)

    if count <= first:
        return rising(count)
    last = first + math.floor(math.log1p(math.expm1(epsilon) / delta * (1 - rising(first))) / epsilon)
    if count > last:
        return 1.0
    fall = math.exp(-(count - first) * epsilon)
    return (1 - fall) * (1 + delta / math.expm1(epsilon)) + fall * rising(first)


def example(mechanism: PartitionSelection, pair: tuple[int, int]) -> Example:
    epsilon, delta = float(mechanism.epsilon), float(mechanism.delta)

    def law(counts: Sequence[int], factor: float = 1.0) -> dict[int, float]:
        kept = closed_form(counts[0], epsilon, delta) * factor
        return {1: kept, 0: 1 - kept}

    return Example(
        mechanism=mechanism,
        pair=([pair[0]], [pair[1]]),
        law=law,
        wrong_law=lambda counts: law(counts, 0.7),
        sensitivity=Sensitivity(1),
        outcome=lambda kept: int(kept[0]),
        draw=lambda counts, source, count: np.asarray(mechanism.sample(counts * count, source)).astype(int).tolist(),
        tightness=0.5,
        too_far=Sensitivity(2),
    )


def keyed_example() -> Example:
    """A unit leaves one group and joins another: two counts move."""
    mechanism = PartitionSelection(epsilon="0.5", delta="1e-6", partitions_per_unit=2)

    def law(counts: dict[str, int], factor: float = 1.0) -> dict[int, float]:
        one, other = (factor * closed_form(counts[key], 0.5, 1e-6) for key in ("a", "b"))
        return {0: (1 - one) * (1 - other), 1: one * (1 - other), 2: (1 - one) * other, 3: one * other}

    def draw(counts: dict[str, int], source: BitSource, count: int) -> Sequence[int]:
        """Many copies of the two groups in one mapping: groups are kept independently."""
        kept = mechanism.sample({(run, key): counts[key] for run in range(count) for key in counts}, source)
        outcomes = [0] * count
        for run, key in kept:
            outcomes[run] += {"a": 1, "b": 2}[key]
        return outcomes

    return Example(
        mechanism=mechanism,
        pair=({"b": 26, "a": 25}, {"b": 25, "a": 26}),
        law=law,
        wrong_law=lambda counts: law(counts, 0.7),
        sensitivity=Sensitivity(1, cells=2),
        draw=draw,
        too_far=Sensitivity(1, cells=3),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(PartitionSelection(epsilon=1, delta="9e-6"), (11, 12)),
        example(PartitionSelection(epsilon="0.3", delta="1e-6"), (40, 41)),
        keyed_example(),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [
        [],
        [1.5],
        [-1],
        [float("nan")],
        3,
        [[1, 2]],
        ["a"],
        None,
        [True],
        {"a": -1},
        {"a": 1.5},
        {"a": "many"},
    ]


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("1", "1e-5"), ("0.1", "1e-6"), ("3", "0.01"), ("0.01", "0.2"), ("20", "1e-9")]
)
def test_the_probabilities_are_the_published_ones(epsilon: str, delta: str) -> None:
    mechanism = PartitionSelection(epsilon=epsilon, delta=delta)
    assert mechanism.probability(0) == 0
    assert mechanism.probability(1) == Fraction(delta)
    for count in range(2 * mechanism.units_for(1)):
        expected = closed_form(count, float(epsilon), float(delta))
        assert float(mechanism.probability(count)) == pytest.approx(expected, rel=1e-9), count
    assert mechanism.probability(10**9) == 1


@settings(max_examples=30)
@given(st.fractions("1/20", 8, max_denominator=50), st.integers(1, 12))
def test_neighbors_keep_the_promise_exactly_and_nothing_is_wasted(epsilon: Fraction, digits: int) -> None:
    """All four constraints with e^ε from below, in exact arithmetic; and one of the two upper ones is met."""
    delta = Fraction(1, 10**digits)
    mechanism = PartitionSelection(epsilon=epsilon, delta=delta)
    below = Fraction(math.exp(epsilon)) * (1 - Fraction(1, 2**50))
    chances = [mechanism.probability(n) for n in range(mechanism.units_for(1) + 2)]
    exact = Fraction(math.exp(epsilon)) * (1 + Fraction(1, 2**50))
    for less, more in itertools.pairwise(chances):
        assert less <= more
        assert more <= exact * less + delta
        assert 1 - less <= exact * (1 - more) + delta
        assert (
            more == 1
            or more >= (below * less + delta) * (1 - Fraction(1, 2**40))
            or (1 - more <= (1 - less - delta) / below * (1 + Fraction(1, 2**40)))
        )


def test_rounding_never_exceeds_the_ideal() -> None:
    """With e^ε to 60 digits: the table satisfies both constraints at the true ε, down to the last digit."""
    from decimal import Decimal, localcontext  # noqa: PLC0415 - used here only

    mechanism = PartitionSelection(epsilon=1, delta="1e-5")
    with localcontext(prec=65):
        exact = Fraction(Decimal(1).exp())
    chances = [mechanism.probability(n) for n in range(30)]
    for less, more in itertools.pairwise(chances):
        assert more <= exact * less + Fraction("1e-5")
        assert 1 - less <= exact * (1 - more) + Fraction("1e-5")


def test_a_single_unit_shows_itself_with_probability_delta(source: BitSource) -> None:
    """Attack B8: the stated δ is the chance of the very coin that filters. n = 400,000 groups of one."""
    mechanism = PartitionSelection(epsilon=1, delta="0.005")
    kept = np.asarray(mechanism.sample(np.ones(400_000, dtype=np.int64), source)).astype(int)
    assert_follows(kept, {1: 0.005, 0: 0.995})
    assert_does_not_follow(kept, {1: 0.005 * 1.3, 0: 1 - 0.005 * 1.3})
    assert not np.asarray(mechanism.sample(np.zeros(1000, dtype=np.int64), source)).any()


def test_a_mapping_tells_kept_keys_only_and_in_an_order_of_their_own(source: BitSource) -> None:
    """Attack B14: neither the number of groups nor the order in which the data came may show."""
    mechanism = PartitionSelection(epsilon=1, delta="1e-9")
    large = {"rome": 500, "oslo": 400, "bern": 300}
    assert mechanism.sample({**large, "one": 1}, source) == ("bern", "oslo", "rome")
    assert mechanism.sample({"none": 0, **dict(reversed(large.items()))}, source) == ("bern", "oslo", "rome")
    assert mechanism.sample({2: 500, "x": 500, 1: 500}, source) == ("x", 1, 2)


def test_kept_keys_have_one_order_whatever_they_are(source: BitSource) -> None:
    """Sets are ordered in part only and NaN not at all: sorted() leaves them as they came. A zero has no sign."""
    nan = float("nan")
    keys = [frozenset({1}), frozenset({2}), frozenset({1, 2}), nan, 3, -0.0, 1, "b", "a", None, (2, -0.0), (2, None)]
    for mechanism in (PartitionSelection(epsilon=1, delta="1e-9"), PartitionCounts(epsilon=1, delta="1e-9")):
        shown = set()
        for turn in range(12):
            turned = keys[turn:] + keys[:turn]
            told = mechanism.sample(dict.fromkeys(turned[:: -1 if turn % 2 else 1], 500), source)
            assert len(told) == len(keys)
            shown.add(str(list(told)))
        assert len(shown) == 1
        assert "-0.0" not in shown.pop()


def test_no_data_at_all_is_an_answer() -> None:
    """A neighbor of no data has data: to refuse the one and not the other would tell them apart."""
    person = Unit("person")
    ledger = Ledger(Guarantee(1, "1e-5"), unit=person)
    nothing = Sensitive[Counts]({}, Sensitivity(1), person)
    release = ledger.release(nothing, PartitionSelection(epsilon=1, delta="1e-5"), purpose="cities")
    assert release.value == ()
    assert ledger.remaining.epsilon == ledger.remaining.delta == 0


def test_a_replaced_unit_moves_twice_as_many_groups() -> None:
    """Under "replace" a unit of one group leaves it and joins another: two cells, two prices."""
    person = Unit("person", neighbors="replace")
    ledger = Ledger(Guarantee(2, "2e-5"), unit=person)
    secret = Sensitive[Counts]({"a": 30}, Sensitivity(1, cells=2), person)
    with pytest.raises(InvalidParameter, match="does not cover"):
        ledger.release(secret, PartitionSelection(epsilon=1, delta="1e-5"), purpose="groups")
    made = PartitionSelection(epsilon=1, delta="1e-5", partitions_per_unit=2)
    ledger.release(secret, made, purpose="groups")
    assert ledger.remaining.epsilon == ledger.remaining.delta == 0


def test_the_loss_is_one_for_each_group() -> None:
    mechanism = PartitionSelection(epsilon="0.1", delta="1e-7", partitions_per_unit=5)
    assert mechanism.loss == PrivacyLoss.of(ApproximateCurve("0.1", "1e-7"), 5)
    assert mechanism.promise == Guarantee("0.5", "5e-7")
    assert mechanism.covers(Sensitivity(1, cells=9, l1=5))  # whole numbers: five of nine move
    assert not mechanism.covers(Sensitivity(1, cells=6))
    assert not mechanism.covers(Sensitivity(2))


@pytest.mark.parametrize("groups", [1, 2, 7, 100])
def test_calibration_keeps_its_promise_and_spends_it(groups: int) -> None:
    made = PartitionSelection.calibrated(epsilon=1, delta="1e-6", sensitivity=Sensitivity(1, cells=groups))
    assert made.promise == Guarantee(1, "1e-6")
    assert made.loss.meets(Guarantee(1, "1e-6"))
    assert not made.loss.meets(Guarantee(1, "0.9e-6"))
    assert made.covers(Sensitivity(1, cells=groups))
    with pytest.raises(InvalidParameter, match="1e-300"):
        PartitionSelection.calibrated(epsilon=1, delta="1e-400", sensitivity=Sensitivity(1, cells=groups))
    with pytest.raises(InvalidParameter, match="once"):
        PartitionSelection.calibrated(epsilon=1, delta="1e-6", sensitivity=Sensitivity(2))


def test_calibration_for_many_groups_composes() -> None:
    """With a hundred groups for each unit, half of δ buys an ε for each group far above a hundredth."""
    made = PartitionSelection.calibrated(epsilon=1, delta="1e-6", sensitivity=Sensitivity(1, cells=100))
    shared = PartitionSelection(epsilon="0.01", delta="1e-8", partitions_per_unit=100)
    assert made.units_for("1/2") < 0.5 * shared.units_for("1/2")


def test_a_promise_that_is_not_kept_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="does not keep"):
        PartitionSelection(epsilon=1, delta="1e-5", promise=Guarantee("0.9", "1e-5"))


@pytest.mark.parametrize(
    ("epsilon", "delta", "groups"),
    [(0, 0.1, 1), (-1, 0.1, 1), (1, 0, 1), (1, 1, 1), (1, 2, 1), (1, 0.1, 0), (1, "1e-400", 1), ("1e-9", "1e-9", 1)],
)
def test_bad_parameters_are_refused(epsilon: Any, delta: Any, groups: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        PartitionSelection(epsilon=epsilon, delta=delta, partitions_per_unit=groups)


def test_units_for_is_the_first_count_that_suffices() -> None:
    mechanism = PartitionSelection(epsilon=1, delta="1e-5")
    half = mechanism.units_for("0.5")
    assert mechanism.probability(half - 1) < Fraction(1, 2) <= mechanism.probability(half)
    assert mechanism.probability(mechanism.units_for(1)) == 1
    with pytest.raises(InvalidParameter):
        mechanism.units_for("1.5")


def test_a_huge_epsilon_is_no_reason_to_fail() -> None:
    assert PartitionSelection(epsilon=10**6, delta="1e-9").probability(2) > Fraction(999, 1000)
