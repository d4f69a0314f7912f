"""KaryRandomizedResponse: the contract, its inverse, and what it does to categories."""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from privet.core import Sensitivity
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms.kary_randomized_response import KaryRandomizedResponse
from privet.noise import BitSource
from tests.contracts.mechanism import Example, Law, MechanismContract


def row(categories: int, epsilon: float, value: int) -> Law:
    grown = math.exp(epsilon)
    return {k: (grown if k == value else 1.0) / (grown + categories - 1) for k in range(categories)}


def example(categories: int, epsilon: str, pair: tuple[int, int]) -> Example:
    mechanism = KaryRandomizedResponse(categories, epsilon)
    size = float(Fraction(epsilon))
    return Example(
        mechanism=mechanism,
        pair=pair,
        law=lambda value: row(categories, size, value),
        wrong_law=lambda value: row(categories, 1.3 * size, value),
        sensitivity=Sensitivity(categories - 1),
        draw=lambda value, source, count: np.asarray(mechanism.sample(np.full(count, value), source)).tolist(),
        tightness=1 - 1e-9,
        too_far=Sensitivity(1, cells=2),
    )


def pair_of_values() -> Example:
    """One unit owns two values of three categories."""
    mechanism = KaryRandomizedResponse(3, 1, cells=2)

    def law(values: tuple[int, int], epsilon: float = 1) -> Law:
        first, second = (row(3, epsilon, value) for value in values)
        return {3 * i + j: first[i] * second[j] for i in range(3) for j in range(3)}

    return Example(
        mechanism=mechanism,
        pair=((0, 2), (1, 0)),
        law=law,
        wrong_law=lambda values: law(values, 1.3),
        sensitivity=Sensitivity(2, cells=2),
        draw=lambda values, source, count: (
            np.asarray(mechanism.sample(np.tile(values, (count, 1)), source)) @ [3, 1]
        ).tolist(),
        tightness=1 - 1e-6,
        too_far=Sensitivity(1, cells=3),
    )


class TestContract(MechanismContract):
    EXAMPLES: ClassVar[Sequence[Example]] = [
        example(4, "1", (1, 3)),
        example(2, "0.5", (0, 1)),
        example(10, "3", (9, 0)),
        example(128, "2", (5, 100)),
        pair_of_values(),
    ]
    REFUSED: ClassVar[Sequence[Any]] = [
        -1,
        4,
        1.0,
        True,
        "1",
        None,
        [],
        [0, 4],
        [0, -1],
        [[0, 1], [2]],
        np.array([np.nan]),
        2**70,
    ]


@pytest.mark.parametrize("categories", [1, 0, -2, 2.0, True, None, 2**60 + 1])
def test_bad_categories_are_refused(categories: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="categories"):
        KaryRandomizedResponse(categories, 1)


@pytest.mark.parametrize("epsilon", [-1, "nan", "inf", None, 1e7, "1e308"])
def test_bad_epsilons_are_refused(epsilon: Any) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match="epsilon"):
        KaryRandomizedResponse(4, epsilon)


def test_epsilon_is_exactly_what_was_typed() -> None:
    response = KaryRandomizedResponse(4, 0.1)
    assert response.loss.largest_loss == Fraction(1, 10)
    assert (response.loss * 10).meets(Guarantee(1))
    assert KaryRandomizedResponse(4, 1, cells=3).loss.epsilon(0) == 3


@pytest.mark.parametrize(("categories", "truth"), [(10, "0.5"), (5, "0.6"), (2, "0.75"), (128, "0.01"), (3, "0.999")])
def test_the_inverse_is_rounded_towards_privacy(categories: int, truth: str) -> None:
    share = Fraction(truth)
    response = KaryRandomizedResponse.truthful(categories=categories, truth=truth)
    assert response.truth == pytest.approx(float(share), rel=1e-12)
    odds = share * (categories - 1) / (1 - share)
    assert float(response.epsilon) == pytest.approx(math.log(odds), rel=1e-14)
    with localcontext(prec=50):
        exact = (Decimal(odds.numerator) / Decimal(odds.denominator)).ln()
        assert Decimal(response.epsilon.numerator) / Decimal(response.epsilon.denominator) <= exact


def test_a_blind_guess_is_private_and_less_is_refused() -> None:
    assert KaryRandomizedResponse.truthful(categories=4, truth="1/4").epsilon == 0
    for truth in ("0.2499", 1, "1.5", "nan"):
        with pytest.raises(InvalidParameter, match="truth"):
            KaryRandomizedResponse.truthful(categories=4, truth=truth)


def test_probabilities_are_a_row_of_the_table() -> None:
    response = KaryRandomizedResponse(6, 2)
    for value in range(6):
        assert response.probabilities(value) == pytest.approx(list(row(6, 2, value).values()))
    for bad in (-1, 6, 1.0, True):
        with pytest.raises(InvalidParameter, match="value"):
            response.probabilities(bad)  # type: ignore[arg-type]


def test_two_categories_are_randomized_response() -> None:
    response = KaryRandomizedResponse(2, 1)
    assert response.probabilities(0)[0] == pytest.approx(math.e / (1 + math.e))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_arrays_keep_their_shape(dtype: type, source: BitSource) -> None:
    values = np.arange(120).reshape(2, 3, 20) % 120
    answer = KaryRandomizedResponse(120, 50).sample(values.astype(dtype), source)  # 50: the truth, but once in 10^19
    assert isinstance(answer, np.ndarray)
    assert answer.dtype == np.int64
    assert np.array_equal(answer, values)
    assert type(KaryRandomizedResponse(4, 1).sample(np.int32(3), source)) is int


@pytest.mark.parametrize("categories", [2, 2**31, 2**60])
@pytest.mark.parametrize("epsilon", [0, "1e-300", 50, 10**6])
def test_any_size_is_drawn_in_time(categories: int, epsilon: str, source: BitSource) -> None:
    values = np.array([0, categories - 1, categories // 2])
    answer = np.asarray(KaryRandomizedResponse(categories, epsilon).sample(values, source))
    assert ((answer >= 0) & (answer < categories)).all()


def test_how_far_a_category_moves_does_not_matter() -> None:
    response = KaryRandomizedResponse(100, 1)
    assert response.covers(Sensitivity(99))
    assert not response.covers(Sensitivity(99, cells=2))
    assert response.uncertainty is None
