"""total: the clipped sum."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet import Unit
from privet.errors import InvalidParameter
from privet.mechanisms import Laplace
from privet.stats import total
from tests.support.recording_ledger import Recording


def exact_total(values: Any, bounds: Any, **asking: Any) -> float:  # noqa: ANN401 - any column, any keyword
    """The noise-free answer, in the values' unit."""
    ledger = Recording(Unit("person", asking.pop("neighbors", "add_remove")))
    total(values, bounds=bounds, epsilon=1, ledger=ledger, **asking)
    mechanism: Any = ledger.mechanisms[0]
    return float(ledger.secrets[0][0] * mechanism.factor + mechanism.offset)


@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
@pytest.mark.parametrize("bounds", [(0, 10), (-5, 10), (2, 10), (-10, -1), (-10.5, 0.25)])
@pytest.mark.parametrize("missing", ["drop", "none", 3])
def test_each_value_is_clipped_and_added(neighbors: str, bounds: tuple[float, float], missing: Any) -> None:  # noqa: ANN401 - a policy
    values = np.array([1.25, -7.5, 100.0, -np.inf, np.inf, 9.75, 0.0, np.nan])
    fill = {"drop": 0.0, "none": sum(bounds) / 2, 3: min(max(3, bounds[0]), bounds[1])}[missing]
    expected = float(np.clip(values[:-1], *bounds).sum()) + fill
    answer = exact_total(values, bounds, neighbors=neighbors, missing=missing)
    assert answer == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("bounds", "neighbors", "values", "factor"),
    [
        ((20_000, 200_000), "replace", np.array([50_000]), 180_000),
        ((20_000, 200_000), "replace", np.array([50_000.0]), 200_000),
        ((20_000, 200_000), "add_remove", np.array([50_000]), 200_000),
        ((-3, 2), "add_remove", np.array([1]), 3),
        ((-3, 2), "replace", np.array([1.0]), 5),
        ((-3, -1), "replace", np.array([1.0]), 3),
    ],
)
def test_how_far_one_row_moves_it(bounds: Any, neighbors: str, values: Any, factor: int) -> None:  # noqa: ANN401 - any column
    ledger = Recording(Unit("person", neighbors))
    total(values, bounds=bounds, epsilon="0.5", ledger=ledger, rows_per_unit=2)
    mechanism: Any = ledger.mechanisms[0]
    assert mechanism.factor * ledger.sensitivities[0].l1 == 2 * factor


def test_a_ready_mechanism_is_in_the_values_unit() -> None:
    answer = total(np.array([1, 2]), bounds=(0, 50), mechanism=Laplace(l1_sensitivity=50, scale=25))
    assert answer.mechanism == "50 × Laplace(l1_sensitivity=1, scale=0.5)"
    assert answer.margin(0.9) == pytest.approx(25 * np.log(10), rel=1e-6)
    with pytest.raises(InvalidParameter, match="does not cover"):
        total(np.array([1, 2]), bounds=(0, 50), mechanism=Laplace(l1_sensitivity=49, scale=25))


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ((10, 0), "swap them"),
        ((1, 1), "values can differ"),
        ((0, float("inf")), "finite"),
        ((float("nan"), 1), "finite"),
        (("0", "1"), "finite numbers"),
        ("01", "pair"),
        (5, "pair"),
        ((0, 1, 2), "pair"),
        (None, "pair"),
        ((0, 10**151), "1e150"),
        ((0, 1e-151), "smaller unit"),
        ((Fraction(1), Fraction(1) + Fraction(1, 10**30)), "low < high"),
        ((True, 2), "number"),
    ],
)
def test_bounds_are_refused_with_the_fix(bounds: Any, said: str) -> None:  # noqa: ANN401 - anything
    with pytest.raises(InvalidParameter, match=said):
        total([1.0], bounds=bounds, epsilon=1)


def test_bounds_are_required() -> None:
    with pytest.raises(InvalidParameter, match="bounds is missing"):
        total([1.0], epsilon=1)  # type: ignore[call-arg] # on purpose
