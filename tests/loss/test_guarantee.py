from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.loss.exact import Exact, exact, float_at_least, shortest


@pytest.mark.parametrize(
    ("guarantee", "text"),
    [
        (Guarantee(1, 1e-6), "(ε=1, δ=1e-6)-DP"),
        (Guarantee(1, gamma=0.05), "(ε=1, γ=0.05) random DP"),
        (Guarantee("1/3"), "(ε=1/3)-DP"),
        (Guarantee(0.5, "1e-12", 0.1), "(ε=0.5, δ=1e-12, γ=0.1) random DP"),
        (Guarantee(10**30), "(ε=1e30)-DP"),
    ],
)
def test_reads_as_people_write_it(guarantee: Guarantee, text: str) -> None:
    assert repr(guarantee) == text


@pytest.mark.parametrize("value", [0.1, "0.1", Decimal("0.1"), Fraction(1, 10), np.float64(0.1), "1/10"])
def test_what_was_typed_is_what_is_kept(value: Exact) -> None:
    assert Guarantee(value).epsilon == Fraction(1, 10)
    assert hash(Guarantee(value)) == hash(Guarantee("0.1"))


def test_ten_tenths_are_one() -> None:
    assert sum((Guarantee(0.1).epsilon for _ in range(10)), Fraction(0)) == 1


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "nan", "", None, True, "1/0", [1]])
def test_refuses_what_is_no_epsilon(value: Exact) -> None:
    with pytest.raises(InvalidParameter, match="epsilon must be"):
        Guarantee(value)


@pytest.mark.parametrize("value", [-1e-9, 1, 1.5, float("nan")])
def test_refuses_what_is_no_delta_or_gamma(value: Exact) -> None:
    with pytest.raises(InvalidParameter, match="delta must be"):
        Guarantee(1, value)
    with pytest.raises(InvalidParameter, match="gamma must be"):
        Guarantee(1, 0, value)


@pytest.mark.parametrize(
    "number", [Fraction(1, 3), Fraction(10) ** 400, Fraction(1, 10**400), Fraction(3, 10), Fraction(7)]
)
def test_text_and_floats_do_not_lose_the_number(number: Fraction) -> None:
    assert exact(shortest(number), "number") == number
    assert float_at_least(number) == float("inf") or Fraction(repr(float_at_least(number))) >= number
