"""RandomizedResponse: the contract, its calibration, and what it does to bits."""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import binom

from privet.core import Ledger, Sensitive, Sensitivity, Unit
from privet.errors import BudgetExceeded, InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms.randomized_response import Bits, FlipError, RandomizedResponse
from privet.noise import BitSource
from tests.contracts.mechanism import Example, Law, MechanismContract


def table(flip_zero: float, flip_one: float, bits: Sequence[int]) -> Law:
    """The probability of every report, as a binary number, by multiplying over bits."""
    law = {}
    for report in product((0, 1), repeat=len(bits)):
        chances = [
            (flip_one if bit else flip_zero) if bit != said else (1 - flip_one if bit else 1 - flip_zero)
            for bit, said in zip(bits, report, strict=True)
        ]
        law[int("".join(map(str, report)), 2)] = math.prod(chances)
    return law


def one_bit(flip_zero: str, flip_one: str, pair: tuple[Any, Any]) -> Example:
    mechanism = RandomizedResponse(flip_zero, flip_one)
    p, q = float(Fraction(flip_zero)), float(Fraction(flip_one))
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda bit: table(p, q, [int(bit)]),
        wrong_law=lambda bit: table(1.3 * p + 0.02, 1.3 * q + 0.02, [int(bit)]),
        sensitivity=Sensitivity(1),
        draw=lambda bit, source, count: np.asarray(mechanism.sample(np.full(count, bit), source)).astype(int).tolist(),
        tightness=1 - 1e-9,
        too_far=Sensitivity(1, cells=2),
    )


def many_bits(flips: tuple[str, str], cells: int, pair: tuple[list[int], list[int]], tightness: float) -> Example:
    mechanism = RandomizedResponse(*flips, cells=cells)
    p, q = (float(Fraction(flip)) for flip in flips)
    weights = 2 ** np.arange(len(pair[0]))[::-1]
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda bits: table(p, q, bits),
        wrong_law=lambda bits: table(1.3 * p, 1.3 * q, bits),
        sensitivity=Sensitivity(1, cells=cells),
        draw=lambda bits, source, count: (
            np.asarray(mechanism.sample(np.tile(bits, (count, 1)), source)) @ weights
        ).tolist(),
        outcome=lambda report: int(np.asarray(report) @ weights),
        tightness=tightness,
        too_far=Sensitivity(1, cells=cells + 1),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        one_bit("1/4", "1/4", (0, 1)),
        one_bit("0.1", "0.3", (False, True)),
        one_bit("1/7", "0.01", (1, 0)),
        many_bits(("0.2", "0.2"), 2, ([0, 1, 1], [1, 0, 1]), 1 - 1e-6),
        many_bits(("0.4", "0.4"), 3, ([0, 0, 0], [1, 1, 1]), 1 - 1e-6),
        many_bits(("0.1", "0.3"), 2, ([0, 1], [1, 0]), 0.9),  # one up, one down: the curve covers both at once
        many_bits(("0.1", "0.3"), 2, ([0, 0], [1, 1]), 0.9),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [
        2,
        -1,
        0.0,
        1.0,
        float("nan"),
        "1",
        None,
        [],
        [[]],
        [0, 2],
        [0, 1, None],
        [[0, 1], [1]],
        np.array([0.0, 1.0]),
        2**70,
        b"1",
    ]


@pytest.mark.parametrize("flip", [-0.1, 1.1, "nan", "inf", None, True, "x", "1e-400", Fraction(1, 2**1001)])
def test_bad_parameters_are_refused(flip: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter):
        RandomizedResponse(flip, 0.25)
    with pytest.raises(InvalidParameter):
        RandomizedResponse(0.25, flip)


@pytest.mark.parametrize("cells", [0, -1, 1.5, True, None])
def test_bad_cells_are_refused(cells: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="cells"):
        RandomizedResponse(0.1, 0.1, cells=cells)


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "1", "2.5", "10", "30", "300"])
@pytest.mark.parametrize("cells", [1, 3])
def test_calibration_is_tight_and_private(epsilon: str, cells: int) -> None:
    mechanism = RandomizedResponse.calibrated(epsilon=epsilon, cells=cells)
    flip = mechanism.flip_zero
    share = float(Fraction(epsilon)) / cells
    assert flip == mechanism.flip_one
    assert mechanism.loss.meets(Guarantee(epsilon))
    assert mechanism.promise == Guarantee(epsilon)
    assert float(flip) == pytest.approx(1 / (1 + math.exp(share)), rel=1e-10)
    less = flip * (1 - Fraction(1, 10**9))
    assert not RandomizedResponse(less, less, cells=cells).loss.meets(Guarantee(epsilon))


@pytest.mark.parametrize("unit", [Fraction(1, 97), Fraction(1, 97 * 10**9)], ids=["usual", "tiny"])
def test_calibration_never_rounds_to_the_wrong_side(unit: Fraction) -> None:
    """The odds of truth and lie, as an exact fraction, against 60 digits of e^ε; for tiny ε floats cannot tell."""
    for k in range(1, 60):
        epsilon = k * k * unit
        flip = RandomizedResponse.calibrated(epsilon=epsilon).flip_zero
        with localcontext(prec=60):
            odds = (1 - flip) / flip
            most = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
            assert Decimal(odds.numerator) / Decimal(odds.denominator) <= most.exp()


@pytest.mark.parametrize("epsilon", ["1e-12", "1e-6", "700", "1e6"])
def test_extreme_calibrations_keep_their_promise(epsilon: str, source: BitSource) -> None:
    mechanism = RandomizedResponse.calibrated(epsilon=epsilon)
    assert mechanism.loss.meets(Guarantee(epsilon))
    assert 0 < mechanism.flip_zero <= Fraction(1, 2)
    assert mechanism.sample(1, source) in (0, 1)


@pytest.mark.parametrize("epsilon", [0, -1, "nan", None])
def test_calibration_refuses_bad_promises(epsilon: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="epsilon"):
        RandomizedResponse.calibrated(epsilon=epsilon)


def test_a_promise_that_is_not_kept_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="does not keep"):
        RandomizedResponse(0.25, 0.25, promise=Guarantee(1))


def test_ten_calibrated_answers_fill_a_limit() -> None:
    unit = Unit("person", neighbors="replace")
    ledger = Ledger(Guarantee(1), unit=unit)
    secret = Sensitive[Bits](1, Sensitivity(1), unit)
    for _ in range(10):
        ledger.release(secret, RandomizedResponse.calibrated(epsilon="0.1"), purpose="smoker?")
    assert ledger.remaining.epsilon == 0
    with pytest.raises(BudgetExceeded):
        ledger.release(secret, RandomizedResponse("0.49", "0.49"), purpose="smoker?")


def test_every_further_bit_costs_as_much_again() -> None:
    one, three = (RandomizedResponse.symmetric(truth=0.75, cells=cells).loss for cells in (1, 3))
    assert three.epsilon(0) == pytest.approx(3 * math.log(3))
    assert three == one * 3


def test_what_a_unit_can_change_is_counted_in_bits() -> None:
    two = RandomizedResponse(0.1, 0.2, cells=2)
    assert two.covers(Sensitivity(1, cells=2))
    assert two.covers(Sensitivity(1, cells=1000, l1=2))  # at most two of a thousand bits
    assert not two.covers(Sensitivity(1, cells=1000, l1=3))
    assert not two.covers(Sensitivity(1, cells=3))
    assert not two.covers(Sensitivity("0.5", cells=10))  # five bits could move by 1 each


@pytest.mark.parametrize(
    ("value", "kind"),
    [(0, int), (1, int), (True, bool), (False, bool), (np.int64(1), int), (np.bool_(1), bool), (np.array(1), int)],
)
def test_a_bit_for_a_bit(value: Any, kind: type, source: BitSource) -> None:  # noqa: ANN401 - kinds of bits
    answer = RandomizedResponse(0.5, 0.5).sample(value, source)
    assert type(answer) is kind
    assert answer in (0, 1)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int64, np.uint64])
def test_arrays_keep_type_and_shape(dtype: type, source: BitSource) -> None:
    bits = np.arange(24).reshape(2, 3, 4) % 2
    answer = RandomizedResponse(0, 0).sample(bits.astype(dtype), source)
    assert isinstance(answer, np.ndarray)
    assert answer.dtype == dtype
    assert np.array_equal(answer, bits)
    assert np.array_equal(np.asarray(RandomizedResponse(1, 1).sample(bits.astype(dtype), source)), 1 - bits)


def test_zeros_and_ones_have_their_own_flip(source: BitSource) -> None:
    bits = np.tile([False, True], 5000)
    answer = np.asarray(RandomizedResponse(0, 1).sample(bits, source))
    assert not answer.any()
    assert np.asarray(RandomizedResponse(1, 0).sample(bits, source)).all()


def test_the_input_is_not_changed(source: BitSource) -> None:
    bits = np.zeros(100, dtype=np.int64)
    RandomizedResponse(1, 1).sample(bits, source)
    assert not bits.any()


def test_certain_answers_have_no_privacy() -> None:
    assert RandomizedResponse(0, 0).loss.epsilon(0) == math.inf
    assert RandomizedResponse(0, 0.5).loss.epsilon(0) == math.inf
    assert RandomizedResponse(0, 0.5).loss.delta(0) == pytest.approx(0.5)
    assert RandomizedResponse(1, 1).loss.epsilon(0) == math.inf  # a lie that is certain is the truth
    assert RandomizedResponse(0, 1).loss.epsilon(0) == 0  # always 0


def test_the_error_is_the_flip() -> None:
    error = RandomizedResponse("0.1", "0.3").uncertainty
    assert error == FlipError(0.3)
    assert (error.tail(0), error.tail(0.99), error.tail(1)) == (0.3, 0.3, 0)
    assert (error.margin(0.69), error.margin(0.71)) == (0, 1)
    assert error.margin(0.6, cells=2) == 1  # 0.7² is less than 0.6


def test_the_bound_on_flips_holds_for_every_input_and_is_exact_for_equal_flips() -> None:
    p, q = 0.1, 0.3
    mechanism = RandomizedResponse(p, q)
    for ones, count in product(range(7), range(7)):
        exact = sum(binom.pmf(j, ones, q) * binom.pmf(count - j, 6 - ones, p) for j in range(count + 1))
        assert mechanism.flipped(count, bits=6) >= exact * (1 - 1e-12)
    equal = RandomizedResponse(p, p)
    assert [equal.flipped(count, bits=6) for count in range(7)] == pytest.approx(binom.pmf(range(7), 6, p))


def test_the_bound_on_flips_is_a_probability() -> None:
    loose = RandomizedResponse("0.9", "0.1")
    assert 10 * 0.9 * 0.9**9 > 1  # the textbook's bound
    assert loose.flipped(1, bits=10) == 1
    assert loose.flipped(11, bits=10) == 0
    with pytest.raises(InvalidParameter):
        loose.flipped(-1, bits=10)
