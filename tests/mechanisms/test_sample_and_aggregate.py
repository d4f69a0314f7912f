"""SampleAndAggregate: the contract with laws summed over every way to deal the units, and functions that misbehave."""

import itertools
import math
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import laplace, norm

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee, Neighbors
from privet.mechanisms import Gaussian, Laplace
from privet.mechanisms.sample_and_aggregate import GroupedRows, Rows, SampleAndAggregate, share_of
from privet.noise import BitSource
from privet.noise.for_tests import seeded_entropy_for_tests
from tests.contracts.mechanism import Cells, Example, MechanismContract
from tests.support.statistics import assert_does_not_follow, assert_follows

pytestmark = pytest.mark.whole


def holds_one(block: Any) -> float:  # noqa: ANN401 - rows
    return float((block == 1).any())


def exact_means(value: Rows, blocks: int, answer: Callable[[list[Any]], float]) -> Counter[float]:
    """The chance of each mean of block answers, summed over all ways to deal the units."""
    rows = value.rows if isinstance(value, GroupedRows) else value
    owners = list(value.unit_ids) if isinstance(value, GroupedRows) else list(range(len(rows)))
    units = sorted(set(owners), key=str)
    chances: Counter[float] = Counter()
    for places in itertools.product(range(blocks), repeat=len(units)):
        where = dict(zip(units, places, strict=True))
        dealt = [[row for row, who in zip(rows, owners, strict=True) if where[who] == b] for b in range(blocks)]
        chances[sum(answer(block) for block in dealt) / blocks] += 1 / blocks ** len(units)
    return chances


def example(
    mechanism: SampleAndAggregate,
    pair: tuple[Rows, Rows],
    answer: Callable[[list[Any]], float],
    tightness: float = 0.0,
) -> Example:
    scale = float(mechanism.scale)
    family = laplace if isinstance(mechanism.noise, Laplace) else norm
    cells = Cells(width=scale / 4, low=-12 * 4, high=14 * 4)

    def law(value: Any, width: float = scale) -> dict[int, float]:  # noqa: ANN401 - rows
        means = exact_means(value, mechanism.blocks, answer)
        return cells.law(lambda x: sum(chance * family(mean, width).cdf(x) for mean, chance in means.items()))

    return Example(
        mechanism=mechanism,
        pair=pair,
        law=law,
        wrong_law=lambda value: law(value, 1.3 * scale),
        sensitivity=Sensitivity(1),
        outcome=lambda released: cells.of(released)[0],
        tightness=tightness,
        too_far=Sensitivity(2),
        trials=4000,  # each deals rows and calls a function
    )


def mean_or_middle(block: list[Any]) -> float:
    return sum(block) / len(block) if block else 0.5


WORST = SampleAndAggregate(holds_one, blocks=2, bounds=(0, 1), epsilon=1)
MEAN = SampleAndAggregate(lambda block: sum(block.tolist()) / len(block), blocks=2, bounds=(0, 1), epsilon=8)
FOUR = np.array([1.0, 0.0, 1.0, 0.0])


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        # one unit more: in whichever block it is dealt to, the answer moves by the whole width
        example(WORST, (np.zeros(3), np.array([0, 0, 0, 1])), lambda block: float(1 in block), tightness=0.95),
        # the first unit leaves with its two rows: blocks cut by position would all change
        example(MEAN, (GroupedRows(FOUR, ["a", "a", "b", "c"]), GroupedRows(FOUR[2:], ["b", "c"])), mean_or_middle),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [None, 3, "rows", [1.0, 2.0], np.array(5.0), (np.zeros(2), np.zeros(2))]


def test_the_scale_is_the_width_over_blocks_and_epsilon() -> None:
    mechanism = SampleAndAggregate(np.mean, blocks=50, bounds=("-0.5", "1.5"), epsilon="0.1")
    assert mechanism.scale == Fraction(2, 5)
    assert mechanism.loss.epsilon(0) == 0.1
    assert mechanism.loss.neighbors == {Neighbors.ADD_REMOVE, Neighbors.REPLACE}


def test_many_numbers_share_the_loss() -> None:
    bounds = [(0, 1), (0, 100), (-1, 1)]
    mechanism = SampleAndAggregate(lambda block: block[0], blocks=10, bounds=bounds, epsilon=1)
    assert mechanism.noise == Laplace(3, 3)
    assert mechanism.loss.epsilon(0) == 1
    assert mechanism.scale == 30  # of the widest number
    many = SampleAndAggregate(lambda block: block[0], blocks=10, bounds=[(0, 1)] * 26, epsilon=1, delta=1e-5)
    assert isinstance(many.noise, Gaussian)
    assert many.loss.meets(Guarantee(1, 1e-5))
    assert not many.loss.meets(Guarantee("0.99999", 1e-5))
    assert many.promise == Guarantee(1, 1e-5)


@pytest.mark.parametrize(("delta", "family"), [(0, laplace), ("0.01", norm)])
def test_each_number_has_its_own_width(delta: Any, family: Any, source: BitSource) -> None:  # noqa: ANN401 - a scipy law
    """n=4,000 runs: the noise of each number follows its own scale, and the control, a scale 30 % off, is rejected."""
    bounds = [(0, 1), (-100, 100), *[(0, 1)] * 6]
    mechanism = SampleAndAggregate(lambda _: [0.25, 50.0, *[0] * 6], blocks=4, bounds=bounds, epsilon=1, delta=delta)
    answers = np.array([mechanism.sample(np.zeros(3), source) for _ in range(4000)])
    for place, center, width in ((0, 0.25, 1), (1, 50, 200)):
        scale = float(mechanism.noise.scale) * width / 4
        cells = Cells(width=scale / 2, low=-30, high=30)
        drawn = cells.of(answers[:, place] - center)
        assert_follows(drawn, cells.law(family(0, scale).cdf))
        assert_does_not_follow(drawn, cells.law(family(0, 1.3 * scale).cdf))


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        (lambda _: math.nan, 0.5),
        (lambda _: None, 0.5),
        (lambda _: "text", 0.5),
        (lambda _: [1.0, 2.0], 0.5),
        (lambda _: [3.0], 0.5),
        (lambda _: 1j, 0.5),
        (lambda _: [[1, 2], [3]], 0.5),
        (lambda _: 1 / 0, 0.5),
        (lambda block: block[999], 0.5),
        (lambda _: 10**400, 0.5),
        (lambda _: math.inf, 1.0),
        (lambda _: -math.inf, 0.0),
        (lambda _: 1e300, 1.0),
        (lambda _: -1e300, 0.0),
        (lambda _: True, 0.3),
        (lambda _: np.float32(4), 0.6),
    ],
)
def test_no_answer_of_a_block_is_an_error(answer: Callable[[Any], Any], share: float) -> None:
    mechanism = SampleAndAggregate(answer, blocks=5, bounds=(-2, 8), epsilon=10**6)
    got = mechanism.sample(np.zeros((7, 2)), seeded_entropy_for_tests(3))
    assert got == pytest.approx(-2 + 10 * share, abs=1e-3)


def test_warnings_of_the_function_are_not_shown() -> None:
    def loud(block: Any) -> float:  # noqa: ANN401 - rows
        warnings.warn(f"row {block}", UserWarning, stacklevel=1)
        return float(np.log(np.zeros(1))[0])

    mechanism = SampleAndAggregate(loud, blocks=2, bounds=(0, 1), epsilon=10**6)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert mechanism.sample(np.ones(4), seeded_entropy_for_tests(1)) == pytest.approx(0, abs=1e-3)
    assert not seen


@pytest.mark.parametrize("rows", [np.empty(0), np.empty((0, 3)), np.array([math.nan]), np.array(["x", None], object)])
def test_no_data_is_refused_for_what_it_holds(rows: Any) -> None:  # noqa: ANN401 - any array
    """An empty table is the neighbor of one row: to refuse it would tell them apart."""
    unit = Unit("person")
    ledger = Ledger(Guarantee(1), unit=unit)
    mechanism = SampleAndAggregate(np.mean, blocks=10, bounds=(0, 1), epsilon=1)
    assert isinstance(ledger.release(Sensitive(rows, Sensitivity(1), unit), mechanism, purpose="mean").value, float)


def test_every_row_goes_to_one_block_in_its_order(source: BitSource) -> None:
    seen: list[list[int]] = []
    mechanism = SampleAndAggregate(lambda block: seen.append(block.tolist()), blocks=7, bounds=(0, 1), epsilon=1)
    mechanism.sample(np.arange(100), source)
    assert len(seen) == 7
    assert sorted(itertools.chain(*seen)) == list(range(100))
    assert all(block == sorted(block) for block in seen)


def test_all_rows_of_a_unit_go_to_one_block(source: BitSource) -> None:
    seen: list[set[str]] = []
    owners = [f"unit {number % 20}" for number in range(200)]
    mechanism = SampleAndAggregate(lambda block: seen.append(set(block.tolist())), blocks=5, bounds=(0, 1), epsilon=1)
    mechanism.sample(GroupedRows(np.array(owners), owners), source)
    for one, other in itertools.combinations(seen, 2):
        assert not one & other
    assert set().union(*seen) == set(owners)


@pytest.mark.parametrize("nobody", [math.nan, None, [1]])
def test_rows_without_an_id_are_one_unit(nobody: Any, source: BitSource) -> None:  # noqa: ANN401 - anything
    sizes: list[int] = []
    mechanism = SampleAndAggregate(lambda block: sizes.append(len(block)), blocks=50, bounds=(0, 1), epsilon=1)
    mechanism.sample(GroupedRows(np.zeros(40), [nobody] * 40), source)
    assert max(sizes) == 40


def test_a_unit_of_a_hundred_rows_moves_one_block(source: BitSource) -> None:
    """The exact sum, read through noise of a millionth, moves by at most one block's width."""
    rows = GroupedRows(np.append(np.zeros(50), np.ones(100)), [*range(50), *["ada"] * 100])
    mechanism = SampleAndAggregate(holds_one, blocks=10, bounds=(0, 1), epsilon=10**7)
    assert mechanism.sample(rows, source) == pytest.approx(0.1, abs=1e-4)


def test_blocks_are_dealt_evenly(source: BitSource) -> None:
    """n=20,000 units: each block is as likely; the control, blocks 30 % apart, is rejected."""
    sizes: list[int] = []
    mechanism = SampleAndAggregate(lambda block: sizes.append(len(block)), blocks=4, bounds=(0, 1), epsilon=1)
    mechanism.sample(np.zeros(20_000), source)
    drawn = dict(enumerate(sizes))
    assert_follows(drawn, dict.fromkeys(range(4), 0.25))
    assert_does_not_follow(drawn, {0: 0.325, 1: 0.225, 2: 0.225, 3: 0.225})


def test_the_type_of_the_rows_does_not_depend_on_one_of_them() -> None:
    """A longer text would widen numpy's type for all blocks; the function sees plain objects."""
    kinds: set[Any] = set()
    mechanism = SampleAndAggregate(lambda block: kinds.add(block.dtype), blocks=2, bounds=(0, 1), epsilon=1)
    for rows in (np.array(["a", "b"]), np.array(["a", "a very long name"])):
        mechanism.sample(rows, seeded_entropy_for_tests(1))
    assert kinds == {np.dtype(object)}


@pytest.mark.parametrize(("low", "high"), [("0.1", "0.3"), (2**51, 2**51 + 1), ("-1/3", "1/7"), (-(10**30), 10**30)])
def test_answers_lie_on_a_public_lattice(low: Any, high: Any, source: BitSource) -> None:  # noqa: ANN401 - numbers
    mechanism = SampleAndAggregate(np.mean, blocks=3, bounds=(low, high), epsilon=1)
    step = mechanism._lattices[0].step
    answers = [mechanism.sample(np.zeros(4), source) for _ in range(50)]
    assert all(isinstance(answer, float) and Fraction(answer) % step == 0 for answer in answers)
    assert len(set(answers)) > 5  # few floats lie between 2^51 and the next whole number


def test_the_sum_of_shares_never_moves_by_more_than_one() -> None:
    """A share is a whole number of steps between 0 and 2^32, whatever the answer: so is every move."""
    extremes = [0.1, 0.3, 0.1 + 1e-17, math.nextafter(0.3, 1), -1e308, 5e-324, math.nan, math.inf, -math.inf, -0.0]
    shares = [share_of(number, Fraction("0.1"), Fraction("0.3")) for number in extremes]
    assert all(0 <= share <= 2**32 for share in shares)
    assert max(shares) - min(shares) == 2**32


def wild(block: Any) -> Any:  # noqa: ANN401 - rows
    """An answer that depends on every bit of the block, and is now and then none."""
    number = zlib.crc32(block.tobytes())
    return [[number / 2**32, -number], "nothing", [math.nan, math.inf], [0.5]][number % 4]


@given(st.lists(st.floats(), max_size=12), st.floats(), st.integers(0, 2**32), st.booleans())
def test_one_unit_changes_one_block(rows: list[float], extra: float, seed: int, replace: bool) -> None:  # noqa: FBT001
    """The same draws on neighbors: one block differs, and the sums of shares by at most 1 in each number, exactly."""
    mechanism = SampleAndAggregate(wild, blocks=8, bounds=[("0.1", "0.7"), (-(10**9), 0)], epsilon=1)
    one = np.array([*rows, -1.0] if replace else rows, dtype=np.float64)
    other = np.array([*rows, extra], dtype=np.float64)
    dealt = [list(mechanism._dealt(data, seeded_entropy_for_tests(seed))) for data in (one, other)]
    differing = sum(a.tobytes() != b.tobytes() for a, b in zip(*dealt, strict=True))
    assert differing <= 1
    sums = [np.sum([mechanism._shares(block) for block in blocks], axis=0) for blocks in dealt]
    assert (np.abs(sums[0] - sums[1]) <= 2**32).all()


def test_the_margin_holds(source: BitSource) -> None:
    """n=2,000: how often the answer is farther from the exact mean of block answers than the 90 % margin."""
    mechanism = SampleAndAggregate(lambda _: 0.7, blocks=20, bounds=(0, 1), epsilon=1)
    margin = mechanism.uncertainty.margin(0.9)
    errors = [abs(float(mechanism.sample(np.zeros(5), source)) - 0.7) for _ in range(2000)]
    assert margin == pytest.approx(0.05 * math.log(10), rel=1e-5)
    assert 130 < sum(error > margin for error in errors) < 270  # Binomial(2000, 0.1), 4.9 standard deviations
    assert sum(error > margin / 1.3 for error in errors) > 270  # the control


@pytest.mark.parametrize(
    "wrong",
    [
        {"blocks": 0},
        {"blocks": 2.5},
        {"blocks": True},
        {"blocks": 2**21},
        {"bounds": (1, 0)},
        {"bounds": (1, 1)},
        {"bounds": (0,)},
        {"bounds": ()},
        {"bounds": [(0, 1), (0, 1, 2)]},
        {"bounds": (0, math.inf)},
        {"bounds": (None, 1)},
        {"epsilon": 0},
        {"epsilon": -1},
        {"delta": 2},
        {"function": 3},
    ],
)
def test_bad_parameters_are_refused(wrong: dict[str, Any]) -> None:
    parameters = {"function": np.mean, "blocks": 10, "bounds": (0, 1), "epsilon": 1, **wrong}
    with pytest.raises(InvalidParameter):
        SampleAndAggregate(parameters.pop("function"), **parameters)


def test_ids_must_match_the_rows() -> None:
    with pytest.raises(InvalidParameter, match="one id for each row"):
        GroupedRows(np.zeros(3), ["a", "b"])
    with pytest.raises(InvalidParameter, match="one id for each row"):
        GroupedRows(np.zeros(3), np.zeros((3, 2)))
    with pytest.raises(InvalidParameter, match="numpy array"):
        GroupedRows([1, 2], ["a", "b"])  # type: ignore[arg-type]
    assert repr(GroupedRows(np.zeros(1), ["ada"])) == "GroupedRows(hidden)"


def test_the_repr_names_the_function_and_no_more() -> None:
    mechanism = SampleAndAggregate(np.median, blocks=10, bounds=[(0, 1)] * 9, epsilon=1)
    assert repr(mechanism).startswith("SampleAndAggregate(median, blocks=10, bounds=(0, 1), (0, 1), (0, 1), … 6 more")
