"""FiniteMechanism: the contract, the definition over all sets of outputs, and post-processing by a matrix."""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms.finite_mechanism import FiniteMechanism
from tests.contracts.mechanism import Example, MechanismContract

THREE = [["0.5", "0.3", "0.2"], ["0.3", "0.5", "0.2"], ["0.2", "0.3", "0.5"]]
LEAKY = [["0.9", "0.1", "0"], ["0.8", "0.19", "0.01"]]
IDENTITY = [[1, 0], [0, 1]]


def truncated_geometric(rows: int) -> list[list[Fraction]]:
    """The count 0 … rows - 1 plus two-sided geometric noise of ratio 1/2, cut off at both ends."""
    ratio = Fraction(1, 2)
    table = []
    for count in range(rows):
        inner = [(1 - ratio) / (1 + ratio) * ratio ** abs(count - z) for z in range(rows)]
        inner[0] = ratio**count / (1 + ratio)
        inner[-1] = ratio ** (rows - 1 - count) / (1 + ratio)
        table.append(inner)
    return table


def example(matrix: list[list[Any]], pair: tuple[int, int], **more: Any) -> Example:  # noqa: ANN401 - fields
    rows = [[float(Fraction(x)) for x in row] for row in matrix]

    def wrong(row: int) -> dict[int, float]:
        tilted = [p * (1.3 if column == int(np.argmin(rows[row])) else 1) + 0.01 for column, p in enumerate(rows[row])]
        return {column: p / sum(tilted) for column, p in enumerate(tilted)}

    near = more.pop("near", None)
    return Example(
        mechanism=FiniteMechanism(matrix, sensitivity=near),
        pair=pair,
        law=lambda row: {column: p for column, p in enumerate(rows[row]) if p},
        wrong_law=wrong,
        sensitivity=Sensitivity(abs(pair[0] - pair[1])),
        tightness=1 - 1e-9,
        **more,
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(THREE, (0, 2)),
        example([["3/4", "1/4"], ["1/4", "3/4"]], (0, 1)),
        example([["0.9", "0.1", "0"], ["0.8", "0.199995", "0.000005"]], (1, 0)),
        example(truncated_geometric(6), (2, 3), near=1, too_far=Sensitivity(2)),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [-1, 3, 0.0, True, "0", None, [0], np.array([0, 1]), float("nan"), 2**70]


@pytest.mark.parametrize(
    "matrix",
    [[], [[]], [["0.5", "0.5"], ["1"]], [[0.5, 0.6]], [[0.5, 0.4999]], [[1.5, -0.5]], [["x"]], [[math.nan]], 3, [1, 2],
     None, "ab", [["1e-400", 1]]],
)  # fmt: skip
def test_bad_tables_are_refused(matrix: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        FiniteMechanism(matrix)


@pytest.mark.parametrize("sensitivity", [0, -1, 1.0, True])
def test_bad_sensitivities_are_refused(sensitivity: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="sensitivity"):
        FiniteMechanism(THREE, sensitivity=sensitivity)


def test_rows_that_were_rounded_are_divided_by_their_sum() -> None:
    table = FiniteMechanism(np.full((2, 3), 1 / 3))
    assert table.matrix == ((Fraction(1, 3),) * 3,) * 2
    assert table.loss.epsilon(0) == 0


# --- the definition, by brute force -----------------------------------------------------------------------------


def holds_for_all_sets(matrix: Sequence[Sequence[Fraction]], grown: Fraction, delta: Fraction) -> bool:
    """P(T) <= grown P'(T) + δ for every set T of columns and every ordered pair of rows, in fractions."""
    columns = range(len(matrix[0]))
    for one, other in permutations(matrix, 2):
        for chosen in (set_ for size in columns for set_ in combinations(columns, size + 1)):
            if sum(one[c] for c in chosen) > grown * sum(other[c] for c in chosen) + delta:
                return False
    return True


weights = st.integers(0, 6)


def tables(rows: int, columns: int) -> st.SearchStrategy[list[list[Fraction]]]:
    row = st.lists(weights, min_size=columns, max_size=columns).filter(any)
    return st.lists(row.map(lambda r: [Fraction(x, sum(r)) for x in r]), min_size=rows, max_size=rows)


@given(tables(3, 3), st.sampled_from([0, "0.1", "0.5", "0.9", "1.6", "3"]), st.sampled_from([0, "0.05", "0.3"]))
def test_keeps_says_what_all_sets_say(matrix: list[list[Fraction]], epsilon: str, delta: str) -> None:
    grown = Fraction(math.exp(float(Fraction(epsilon)))) if epsilon else Fraction(1)
    verdict = FiniteMechanism(matrix).keeps(Guarantee(epsilon, delta))
    assert verdict == holds_for_all_sets(matrix, grown, Fraction(delta))


@given(tables(3, 4))
def test_the_worst_case_is_the_largest_ratio(matrix: list[list[Fraction]]) -> None:
    worst = FiniteMechanism(matrix).worst()
    ratios = [
        p / q if q else math.inf for one, other in permutations(matrix, 2) for p, q in zip(one, other, strict=True) if p
    ]
    assert worst.ratio == max(ratios)
    if worst.ratio > 1:
        top, bottom = (matrix[row][worst.column] for row in worst.rows)
        assert worst.ratio == (top / bottom if bottom else math.inf)
    assert FiniteMechanism(matrix).loss.epsilon(0) == pytest.approx(worst.epsilon, abs=1e-12)
    if worst.ratio < math.inf:
        with localcontext(prec=40):
            ratio = Fraction(worst.ratio)
            exact = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
            assert exact <= Decimal(worst.epsilon) <= exact * (1 + Decimal("1e-15"))


def test_promises_beyond_any_number_are_decided_in_time() -> None:
    assert FiniteMechanism(THREE).keeps(Guarantee(10**15))
    assert not FiniteMechanism(IDENTITY).keeps(Guarantee(10**15, "0.99"))


# --- neighboring rows --------------------------------------------------------------------------------------------


def test_counts_that_move_by_one_have_fewer_neighbors() -> None:
    table = truncated_geometric(6)
    near = FiniteMechanism(table, sensitivity=1)
    anyone = FiniteMechanism(table)
    assert near.worst().ratio == 2
    assert near.loss.epsilon(0) == pytest.approx(math.log(2))
    assert anyone.worst().ratio == 32
    assert FiniteMechanism(table, sensitivity=2).worst().ratio == 4
    assert FiniteMechanism(table, sensitivity=5).loss == anyone.loss
    assert near.keeps(Guarantee("0.6932"))
    assert not near.keeps(Guarantee("0.6931"))
    assert not anyone.keeps(Guarantee("0.6932"))
    assert near.keeps(Guarantee(0, "0.34"))  # the total variation of neighboring rows is 1/3
    assert not near.keeps(Guarantee(0, "0.33"))
    assert near.covers(Sensitivity(1))
    assert not near.covers(Sensitivity(2))
    assert anyone.covers(Sensitivity(1000))


def test_one_row_reveals_nothing() -> None:
    alone = FiniteMechanism([["1/3", "2/3"]])
    assert alone.worst().epsilon == 0
    assert alone.loss.epsilon(0) == 0
    assert alone.keeps(Guarantee(0))


def test_outputs_that_nobody_gives_are_skipped() -> None:
    table = FiniteMechanism([["1/2", 0, "1/2"], ["1/4", 0, "3/4"]])
    assert table.worst().ratio == 2
    assert table.loss.epsilon(0) == pytest.approx(math.log(2))


def test_an_output_that_only_one_row_gives_is_infinite_and_counts_as_delta() -> None:
    table = FiniteMechanism(LEAKY)
    assert table.worst() == type(table.worst())(2, (1, 0), math.inf, math.inf)
    assert table.delta(5) == pytest.approx(0.01)
    assert table.keeps(Guarantee("0.65", "0.01"))
    assert not table.keeps(Guarantee("0.65", "0.0099"))
    assert not table.keeps(Guarantee(10**6))


# --- post-processing -----------------------------------------------------------------------------------------------


@given(tables(3, 3), tables(3, 2), st.sampled_from([0.0, 0.3, 1.0]))
def test_a_further_table_never_reveals_more(
    matrix: list[list[Fraction]], further: list[list[Fraction]], epsilon: float
) -> None:
    before = FiniteMechanism(matrix)
    after = before @ further
    assert after.worst().ratio <= before.worst().ratio
    assert after.delta(epsilon) <= before.delta(epsilon) + 1e-12


def test_the_product_is_that_of_matrices() -> None:
    first = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    second = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    product = FiniteMechanism(first) @ FiniteMechanism(second)
    assert np.array(product.matrix, dtype=float) == pytest.approx(first @ second)
    assert (FiniteMechanism(truncated_geometric(3), sensitivity=1) @ np.eye(3)).sensitivity == 1


def test_tables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="3 rows"):
        FiniteMechanism(THREE) @ IDENTITY


# --- use -----------------------------------------------------------------------------------------------------------


def test_a_ledger_refuses_the_identity() -> None:
    unit = Unit("person", neighbors="replace")
    for limit in (Guarantee(1000), Guarantee(1000, "0.99")):
        ledger = Ledger(limit, unit=unit)
        with pytest.raises(BudgetExceeded):
            ledger.release(Sensitive(1, Sensitivity(1), unit), FiniteMechanism(IDENTITY), purpose="the truth")
        assert not ledger.entries


def test_accuracy_is_the_share_of_right_outputs() -> None:
    assert FiniteMechanism(THREE).accuracy() == (Fraction(1, 2),) * 3
    assert FiniteMechanism(THREE).accuracy(truth=[1, 1, 0]) == (Fraction(3, 10), Fraction(1, 2), Fraction(1, 5))
    with pytest.raises(InvalidParameter, match="truth"):
        FiniteMechanism(THREE).accuracy(truth=[0])


def test_its_repr_stays_short_for_large_tables() -> None:
    table = FiniteMechanism([[Fraction(1, 100)] * 100] * 50)
    assert repr(table) == "FiniteMechanism(50 rows, 100 columns, ε=0)"
