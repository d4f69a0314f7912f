"""What is asked about nested cells: trees, or the sums of a strategy where they err less, by public numbers alone."""

from typing import Any

import numpy as np
import pytest

from privet.asking.question import Question
from privet.stats.cells.asked_cells import AskedStrategy, AskedTree, best_asked

LEAVES = np.arange(64)


def way(leaves: int = 64, *, known: bool = False, prefixes: bool = False, **asking: Any) -> AskedTree | AskedStrategy:  # noqa: ANN401 - keywords
    return best_asked(Question.of("counts", ([1.0],), asking), leaves, known=known, prefixes=prefixes)


def test_the_price_decides() -> None:
    assert isinstance(way(rho="0.1"), AskedStrategy)
    assert isinstance(way(epsilon=1, delta="0.01", leaves=1000), AskedStrategy)
    assert isinstance(way(epsilon=1), AskedTree)
    assert isinstance(way(epsilon=20, delta="1e-12", leaves=8), AskedTree), "Laplace noise errs less here"
    assert isinstance(way(leaves=1025, rho=1), AskedTree), "too many to search for a strategy"
    assert isinstance(way(leaves=1, epsilon=1, delta="0.01"), AskedTree), "one bin is one count"


def test_prefixes_have_a_strategy_of_their_own() -> None:
    ranges, prefixes = way(rho=1), way(rho=1, prefixes=True)
    assert isinstance(ranges, AskedStrategy)
    assert isinstance(prefixes, AskedStrategy)
    assert ranges.strategy is not prefixes.strategy


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("neighbors", ["add_remove", "replace"])
def test_units_move_a_strategy_by_all_their_rows(rows: int, neighbors: str) -> None:
    question = Question.of("counts", ([1.0],), {"rho": 1, "rows_per_unit": rows, "neighbors": neighbors})
    asked = best_asked(question, 8, known=False, prefixes=False)
    assert isinstance(asked, AskedStrategy)
    unit = np.zeros((2, 8), dtype=np.int64)
    unit[0, 0] = unit[1, 7] = rows
    moved = asked.asked(unit[0]) - (asked.asked(unit[1]) if neighbors == "replace" else 0)
    assert 0.98 * float(asked.moves(question).l2) <= np.sqrt((moved**2).sum()) <= asked.moves(question).l2


def test_sums_of_a_strategy_are_whole_numbers() -> None:
    asked = way(rho=1)
    sums = asked.asked(np.full(64, 2**23))
    assert sums.tolist() == [int(each) for each in sums]
    assert sums.tolist() == (asked.strategy.asked.astype(object) @ np.full(64, 2**23)).tolist()  # type: ignore[union-attr] # a strategy
