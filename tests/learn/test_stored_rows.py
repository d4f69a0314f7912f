"""Models of rows that an engine keeps: its sums are exact, no unit moves them farther than told, each fit is paid."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet
from privet import Guarantee
from privet.errors import BudgetExceeded, InvalidParameter, PrivetError
from privet.learn import BayesianLinearRegression, LinearRegression, Ridge
from privet.learn.second_moments import ONE
from privet.query.catalog import Catalog
from privet.query.measures.request import PART
from privet.query.session import Session

COLUMNS = {"a": {"bounds": [0, 1]}, "b": {"bounds": [-4, 4]}, "k": {"bounds": [0, 8]}}
STEPS = 2**15
ALL = "SELECT a, b, k FROM people"
values = st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 0.0, 0.5, 1.0, -4.0, 4.0, 1e300, 0.3, None])
people = st.lists(st.tuples(st.integers(1, 3), values, values, st.integers(-2, 12) | st.none()), max_size=9)


def opened(rows: Any, *, each: bool = False, **said: Any) -> Session:  # noqa: ANN401 - rows and words of a catalog
    """A session with people: unit, a, b and k."""
    kinds: Any = {"id": pa.int64(), "a": pa.float64(), "b": pa.float64(), "k": pa.int64()}
    columns: Any = list(zip(*rows, strict=True)) or [[]] * 4
    table = pa.table({name: pa.array(list(c), kinds[name]) for name, c in zip(kinds, columns, strict=True)})
    unit: Any = {"unit": "row"} if each else {"unit": "person", "unit_column": "id"}
    catalog = Catalog.of(
        table, table="people", limit=said.pop("limit", Guarantee(10**7, "0.1")), columns=COLUMNS, **unit, **said
    )
    return privet.connect(catalog)


def place(value: float | None, low: float, high: float) -> int | None:
    """From -STEPS to STEPS; these bounds have steps that are powers of two, so floats are exact."""
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return None
    inside = min(max(value, low), high)
    return 2 * math.floor(Fraction(inside - low) / Fraction(high - low) * STEPS + Fraction(1, 2)) - STEPS


def expected(rows: Any, cap: int, *, each: bool) -> list[int]:  # noqa: ANN401 - rows
    """The triangle, by Python's integers."""
    whole = []
    for unit, *numbers in rows:
        places = [place(v, *COLUMNS[name]["bounds"]) for v, name in zip(numbers, "abk", strict=True)]
        if None not in places:
            whole.append((unit, [STEPS, *places]))
    total = [0] * 10
    for unit, v in whole:
        have = sum(other == unit for other, _ in whole)
        weight = PART if each or have <= cap else cap * PART // have
        for cell, (i, j) in enumerate(combinations_with_replacement(range(4), 2)):
            total[cell] += weight * v[i] * v[j]  # type: ignore[operator] # none is None
    return [each_sum // PART for each_sum in total]


@settings(max_examples=25, deadline=None)
@given(people, st.integers(1, 3), st.booleans())
def test_the_engine_adds_up_exactly(rows: Any, cap: int, each: bool) -> None:  # noqa: ANN401, FBT001
    said: Any = {} if each else {"rows_per_unit": cap}
    with opened(rows, each=each, **said) as session:
        stored = session.rows(ALL)
        assert stored.rows_per_unit == (1 if each else cap)
        assert stored.products(stored.columns).tolist() == expected(rows, cap, each=each)
        computed = session.rows("SELECT a + 0 AS a, b, k FROM people WHERE k < 3 OR k >= 3 OR k IS NULL")
        assert computed.products(computed.columns).tolist() == expected(rows, cap, each=each)


@settings(max_examples=25, deadline=None)
@given(people, people, st.integers(1, 3))
def test_no_unit_moves_the_sums_farther_than_told(others: Any, mine: Any, cap: int) -> None:  # noqa: ANN401 - rows
    """One person, with any number of rows, comes: in every sum, and in Frobenius length."""
    mine = [(9, *numbers) for _, *numbers in mine]
    sums = []
    for rows in (others, others + mine):
        with opened(rows, rows_per_unit=cap) as session:
            sums.append(session.rows(ALL).products(["a", "b", "k"]).astype(object))
    move = sums[1] - sums[0]
    square = np.zeros((4, 4), dtype=object)
    square[np.triu_indices(4)] = move
    assert max(map(abs, move)) <= cap * ONE
    length = math.sqrt(float(sum(int(x) ** 2 for x in (square + np.triu(square, 1).T).ravel())))
    assert length <= cap * 4 * ONE + 16


def test_a_line_is_found_whoever_adds_up() -> None:
    source = np.random.default_rng(2)
    a, k = source.uniform(0, 1, 20_000), source.integers(0, 9, 20_000)
    b = 2 * a - 0.25 * k
    with opened(list(zip(range(20_000), a.tolist(), b.tolist(), k.tolist(), strict=True))) as session:
        for model in (
            LinearRegression(epsilon=1000),
            Ridge(alpha=0, epsilon=1000),
            BayesianLinearRegression(epsilon=1000),
        ):
            model.fit(session.rows(ALL), "b")
            assert model.feature_names_in_.tolist() == ["a", "k"]
            assert model.coef_ == pytest.approx([2, -0.25], abs=0.01)
            assert model.intercept_ == pytest.approx(0, abs=0.02)
            assert model.predict(pd.DataFrame({"a": [0.5], "k": [4.0]})) == pytest.approx([0], abs=0.02)
            assert "catalog" in model.privacy_.public["bounds"]
        few = LinearRegression(epsilon=1000).fit(session.rows("SELECT a, b FROM people WHERE k = 0"), "b")
        assert few.coef_ == pytest.approx([2], abs=0.05)


def test_a_fit_is_charged_to_the_session_once_and_before_rows_are_read() -> None:
    rows = [(i, 0.5, 1.0, 3) for i in range(50)]
    with opened(rows, limit=Guarantee(1), rows_per_unit=2) as session:
        stored = session.rows(ALL)
        assert not session.ledger.entries
        model = LinearRegression(epsilon=1).fit(stored, "b")
        assert len(session.ledger.entries) == 1
        assert model.privacy_.rows_per_unit == 2
        assert model.privacy_.unit == session.ledger.unit
        with pytest.raises(BudgetExceeded):
            LinearRegression(epsilon="0.1").fit(stored, "b")
    with opened(rows, neighbors="replace") as session:
        assert LinearRegression(epsilon=1).fit(session.rows(ALL), "b").privacy_.unit.neighbors.name == "REPLACE"


def test_no_rows_and_strange_rows_are_learned_from_like_others() -> None:
    for rows in ([], [(1, math.nan, math.inf, None)] * 3, [(1, math.inf, -math.inf, 10**9)] * 3):
        with opened(rows) as session:
            LinearRegression(epsilon=1).fit(session.rows(ALL), "b")


@pytest.mark.parametrize(
    ("text", "target", "said"),
    [
        (ALL, "c", {}),
        (ALL, None, {}),
        (ALL, "b", {"bounds": (0, 1)}),
        (ALL, "b", {"target_bounds": (0, 1)}),
        (ALL, "b", {"rows_per_unit": 1}),
        (ALL, "b", {"epsilon": None}),
        (ALL, "b", {"alpha": -1}),
        ("SELECT b FROM people", "b", {}),
        ("SELECT a, b, 1 AS one FROM people", "b", {}),
        ("SELECT a, COUNT(*) AS b FROM people GROUP BY a", "b", {}),
        ("SELECT 1 AS a, 2 AS b", "b", {}),
        ("SELECT a, b FROM people) AS x; DROP TABLE people; --", "b", {}),
    ],
)
def test_what_cannot_be_learned_from_is_refused_before_anything_is_paid(text: str, target: Any, said: Any) -> None:  # noqa: ANN401
    with opened([(1, 0.5, 1.0, 3)]) as session:
        with pytest.raises(PrivetError):
            Ridge(**{"epsilon": 1, **said}).fit(session.rows(text), target)
        assert session.ledger.entries == ()


def test_limits_that_are_not_known_and_windows_are_refused() -> None:
    with opened([(1, 0.5, 1.0, 3)], rows_per_unit="auto") as session, pytest.raises(InvalidParameter, match="known"):
        session.rows(ALL)
    session = opened([(1, 0.5, 1.0, 3)])
    session.close()
    with pytest.raises(InvalidParameter, match="closed"):
        session.rows(ALL)


def test_rows_that_are_units_count_once_however_often_they_are_selected() -> None:
    """What may give a row twice is refused; where a key is declared unique and is not, both copies are weighed."""
    rows = [(1, 0.5, 1.0, 3), (2, 1.0, -4.0, 8)]
    kinds = pa.table({"kind": pa.array([3, 3, 8, 8], pa.int64())})
    with opened(rows, each=True, public={"kinds": kinds}, unique=["kinds.kind"]) as session:
        once = session.rows(ALL).products(["a", "b", "k"]).tolist()
        twice = session.rows("SELECT a, b, k FROM people JOIN kinds ON people.k = kinds.kind").products(["a", "b", "k"])
        assert twice.tolist() == once
        for text in (
            f"{ALL} UNION ALL {ALL}",
            "SELECT a, b, k FROM people CROSS JOIN (SELECT 1 AS one UNION ALL SELECT 2 AS one) AS t",
            "SELECT p.a, q.b, p.k FROM people AS p JOIN people AS q ON p.a <= q.a",
            "SELECT a, b, k FROM people JOIN (VALUES (1), (2), (3)) AS v(n) ON v.n > 0",
        ):
            with pytest.raises(PrivetError):
                session.rows(text)
