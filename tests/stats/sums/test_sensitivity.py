"""No bounded aggregate moves more than it says: random small tables and all their neighbors, in exact arithmetic.

A table is a list of rows (owner, time, value, other). Its neighbors are made from scratch: with all rows of one owner
gone or come, or replaced; or, for w-event privacy, all rows of one owner within a window of times. The secret that
reaches the ledger is compared, exactly, in every norm, with the sensitivity that was declared for it.
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from privet import Ledger, Sensitivity, Unit
from privet.stats import correlation, count, covariance, covariance_matrix, mean, moments, proportion, total, variance
from tests.support.recording_ledger import assert_within, exactly, recorded

Row = tuple[int, int, float, float]  # owner, time, value, other value
Table = list[Row]
Ask = Callable[[Table, Ledger, dict[str, Any]], object]

AWKWARD = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -5e-324, 0.0, 1.0, 1 / 3, 0.1 + 0.2, 2.0**60]
VALUES = st.sampled_from(AWKWARD) | st.floats(-2, 2)
ROWS = st.tuples(st.integers(0, 2), st.integers(0, 3), VALUES, VALUES)
TABLES = st.lists(ROWS, min_size=1, max_size=7)
OTHERS = (math.nan, math.inf, -math.inf, 0.4, 5e-324)  # what a replaced row may hold
BOUNDS = ((0, 1), (-1, 2), (0.3, 1), (-1e150, 1e150), (-2, -0.1))
ASKED: list[tuple[Callable[..., object], tuple[float, float]]] = [
    *((total, bounds) for bounds in BOUNDS),
    (mean, BOUNDS[0]),
    (mean, BOUNDS[3]),
    (variance, BOUNDS[2]),
]
ASKED += [(variance, BOUNDS[3]), (moments, BOUNDS[1])]


def values(table: Table) -> list[float]:
    return [row[2] for row in table]


def others(table: Table) -> list[float]:
    return [row[3] for row in table]


STATISTICS: dict[str, Ask] = {
    "count of rows": lambda t, ledger, how: count(values(t), ledger=ledger, **how),
    "count of true": lambda t, ledger, how: count(values(t), of="true", ledger=ledger, **how),
    "proportion": lambda t, ledger, how: proportion(values(t), ledger=ledger, **how),
    **{
        f"{ask.__name__} within {bounds}": lambda t, ledger, how, ask=ask, bounds=bounds: ask(  # type: ignore[misc] # bound here
            values(t), bounds=bounds, ledger=ledger, **how
        )
        for ask, bounds in ASKED
    },
    "covariance": lambda t, ledger, how: covariance(
        (values(t), others(t)), bounds=((0, 1), (-1, 2)), ledger=ledger, **how
    ),
    "covariance matrix": lambda t, ledger, how: covariance_matrix(
        (values(t), others(t), values(t)), bounds=((0, 1), (-1, 2), (0.3, 1)), ledger=ledger, **how
    ),
    "correlation": lambda t, ledger, how: correlation(
        (values(t), others(t)), bounds=((0, 1), (-1, 2)), ledger=ledger, **how
    ),
}


def check(name: str, table: Table, neighbor: Table, unit: Unit, how: Callable[[Table], dict[str, Any]]) -> None:
    ask = STATISTICS[name]
    mine, declared = recorded(lambda ledger: ask(table, ledger, {"epsilon": 1, **how(table)}), unit)
    theirs, also = recorded(lambda ledger: ask(neighbor, ledger, {"epsilon": 1, **how(neighbor)}), unit)
    assert declared == also, "a sensitivity is public, so it is the same for neighbors"
    assert_within(mine, theirs, declared)


def replaced(row: Row) -> Iterator[Row]:
    for value in OTHERS:
        yield (row[0], row[1], value, row[3])
        yield (row[0], row[1], row[2], value)
        yield (row[0], row[1], value, 1 - value)


def interesting(name: str, table: Table, how: dict[str, Any]) -> bool:
    """Whether a statistic may be asked at all: public rows leave nothing to count, and no variance of one row."""
    public = how.get("neighbors") == "replace" and "unit_ids" not in how and how.get("missing", "drop") != "drop"
    if public and name == "count of rows":
        return False
    return not (public and len(table) < 2 and name.startswith(("variance", "covariance")))


@pytest.mark.parametrize("name", STATISTICS)
@given(table=TABLES, missing=st.sampled_from(["drop", "none", 0.75]))
@settings(max_examples=10)
def test_one_row_more_or_less(name: str, table: Table, missing: Any) -> None:  # noqa: ANN401 - a policy
    for place in range(len(table)):
        less = table[:place] + table[place + 1 :]
        check(name, table, less, Unit("person"), lambda _: {"missing": missing})


@pytest.mark.parametrize("name", STATISTICS)
@given(table=TABLES, missing=st.sampled_from(["drop", "none", 0.75]), place=st.integers(0, 6))
@settings(max_examples=10)
def test_one_row_replaced(name: str, table: Table, missing: Any, place: int) -> None:  # noqa: ANN401 - a policy
    assume(table and interesting(name, table, {"neighbors": "replace", "missing": missing}))
    place %= len(table)
    for row in replaced(table[place]):
        other = [*table[:place], row, *table[place + 1 :]]
        check(name, table, other, Unit("person", "replace"), lambda _: {"missing": missing})


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("most", [1, 2])
@given(table=TABLES, missing=st.sampled_from(["drop", "none"]))
@settings(max_examples=8)
def test_one_owner_more_or_less(name: str, most: int, table: Table, missing: str) -> None:
    def how(rows: Table) -> dict[str, Any]:
        return {"unit_ids": [row[0] for row in rows], "rows_per_unit": most, "missing": missing}

    for owner in {row[0] for row in table}:
        check(name, table, [row for row in table if row[0] != owner], Unit("person"), how)


@pytest.mark.parametrize("name", STATISTICS)
@given(table=TABLES, fresh=st.lists(ROWS, max_size=4), places=st.lists(st.integers(0, 9), min_size=4, max_size=4))
@settings(max_examples=10)
def test_one_owner_replaced(name: str, table: Table, fresh: Table, places: list[int]) -> None:
    """The owner's rows go, and as many or fewer or more others come, anywhere in the table."""

    def how(rows: Table) -> dict[str, Any]:
        return {"unit_ids": [row[0] for row in rows], "rows_per_unit": 2}

    for owner in {row[0] for row in table}:
        other = [row for row in table if row[0] != owner]
        for row, place in zip(fresh, places, strict=False):
            other.insert(place % (len(other) + 1), (owner, *row[1:]))
        check(name, table, other, Unit("person", "replace"), how)


@pytest.mark.parametrize("name", STATISTICS)
@given(table=TABLES, start=st.integers(0, 3), fresh=st.lists(ROWS, max_size=3))
@settings(max_examples=10)
def test_one_window_of_an_owners_times(name: str, table: Table, start: int, fresh: Table) -> None:
    """w-event privacy: all that one owner did within two consecutive times is gone, or replaced."""

    def how(rows: Table) -> dict[str, Any]:
        ids, times = [row[0] for row in rows], [row[1] for row in rows]
        return {"unit_ids": ids, "times": times, "window": 2, "rows_per_time": 1}

    for owner in {row[0] for row in table}:
        rest = [row for row in table if row[0] != owner or not start <= row[1] < start + 2]
        check(name, table, rest, Unit("person's 2 consecutive times"), how)
        new = [(owner, start + row[1] % 2, *row[2:]) for row in fresh]
        check(name, table, new + rest, Unit("person's 2 consecutive times", "replace"), how)


@pytest.mark.parametrize("name", STATISTICS)
@given(table=st.lists(ROWS, min_size=2, max_size=6), both=st.lists(ROWS, min_size=2, max_size=2))
@settings(max_examples=10)
def test_two_rows_of_one_unit_by_promise(name: str, table: Table, both: Table) -> None:
    def how(_: Table) -> dict[str, Any]:
        return {"rows_per_unit": 2, "missing": "none"}

    if interesting(name, table, {"neighbors": "replace", "missing": "none"}):
        check(name, table, [*both, *table[2:]], Unit("person", "replace"), how)
    check(name, table, table[2:], Unit("person"), how)


def test_the_check_can_fail() -> None:
    """The control: a declared sensitivity that is too small by a part in a thousand is noticed."""
    with pytest.raises(AssertionError):
        assert_within(exactly([1.0, 0.0]), exactly([0.0, 0.0]), Sensitivity("0.999", cells=2))
    with pytest.raises(AssertionError):
        assert_within(exactly([1.0, 1.0]), exactly([0.0, 0.0]), Sensitivity(1, cells=2, l2="1.4"))
    with pytest.raises(AssertionError):
        assert_within(exactly([0.5, 0.5]), exactly([0.0, 0.0]), Sensitivity(1, cells=1))


def test_the_largest_move_is_reached() -> None:
    """Declared sensitivities are not only bounds: two rows of all zeros and one of all ones reach them."""
    ask = STATISTICS["mean within (0, 1)"]
    low, high = [(0, 0, 0.0, 0.0)], [(0, 0, 1.0, 1.0)]

    def secret(table: Table, unit: Unit) -> tuple[tuple[Fraction, ...], Sensitivity]:
        return recorded(lambda ledger: ask(table, ledger, {"epsilon": 1}), unit)

    for unit, neighbor, change in ((Unit("person"), [], 1), (Unit("person", "replace"), high, 2)):
        mine, declared = secret(low, unit)
        theirs, _ = secret(neighbor, unit)
        assert sum(abs(a - b) for a, b in zip(mine, theirs, strict=True)) == declared.l1 == change
