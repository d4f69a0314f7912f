"""Neighbors that are tried, and the search among them."""

import math
from typing import Any

import numpy as np
import pytest

from privet import audit
from privet.audit import Domain
from privet.errors import InvalidParameter
from privet.loss import Guarantee, Neighbors
from privet.mechanisms import DiscreteLaplace
from privet.noise import BitSource

NOISE = DiscreteLaplace(10, 10)


def total(rows: list[float], source: BitSource, count: int) -> Any:  # noqa: ANN401 - an array
    """A clipped sum, right."""
    kept = [min(max(row, 0), 10) for row in rows if not math.isnan(row)]
    return NOISE.sample(np.full(count, int(sum(kept))), source)


def unclipped(rows: list[float], source: BitSource, count: int) -> Any:  # noqa: ANN401 - an array
    exact = [row for row in rows if math.isfinite(row)]
    return NOISE.sample(np.full(count, int(min(sum(exact), 2.0**50)), dtype=np.int64), source)


def test_neighbors_differ_in_one_row() -> None:
    for one, other in Domain(bounds=(0, 10), rows=3).pairs():
        assert len(one) == len(other) == 3
        assert sum(repr(a) != repr(b) for a, b in zip(one, other, strict=True)) == 1


def test_neighbors_have_one_row_more() -> None:
    pairs = list(Domain(bounds=(0, 10), rows=3, neighbors=Neighbors.ADD_REMOVE).pairs())
    assert all(len(other) - len(one) == 1 for one, other in pairs)
    assert any(not one for one, _ in pairs)
    assert any(repr(other[-1]) == "-0.0" for _, other in pairs)
    assert any(math.isnan(other[-1]) for _, other in pairs)


def test_rows_may_have_several_numbers_and_be_made_into_anything() -> None:
    pairs = list(Domain(bounds=(0, 1), rows=2, columns=3, strange=False, make=np.array).pairs())
    assert all(one.shape == (2, 3) for one, _ in pairs)
    assert any((other[-1] != one[-1]).sum() == 1 for one, other in pairs)


@pytest.mark.parametrize("neighbors", list(Neighbors), ids=lambda each: each.name)
def test_an_outlier_is_found(neighbors: Neighbors, source: BitSource) -> None:
    domain = Domain(bounds=(0, 10), rows=2, neighbors=neighbors)
    found = audit.test(unclipped, domain=domain, source=source, trials=4_000)
    assert found.violated
    assert "the most promising of" in found.notes[-1]
    assert any("1e+10" in side or "10000000" in side or "1e+308" in side for side in found.pair)


def test_a_right_sum_is_not_flagged_and_its_worst_pair_is_found(source: BitSource) -> None:
    found = audit.test(total, domain=Domain(bounds=(0, 10), rows=2), claim=Guarantee(1), source=source, trials=10_000)
    assert not found.violated
    assert found.epsilon > 0.75


def test_a_not_a_number_that_passes_is_found(source: BitSource) -> None:
    def passing(rows: list[float], source: BitSource, count: int) -> Any:  # noqa: ANN401 - an array
        return float(np.clip(rows, 0, 10).sum()) + NOISE.sample(np.zeros(count, dtype=np.int64), source)

    found = audit.test(passing, domain=Domain(bounds=(0, 10), rows=2), source=source, trials=2_000)
    assert found.violated
    assert "nan" in " ".join(found.pair)


@pytest.mark.parametrize(
    "words",
    [{"bounds": (1, 0)}, {"bounds": (0, math.inf)}, {"bounds": (0, 1), "rows": 0}, {"bounds": (0, 1), "columns": 0}],
)
def test_wrong_words_are_refused(words: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        Domain(**words)


def test_a_pair_or_a_domain_is_needed() -> None:
    for words in ({}, {"pair": (0, 1), "domain": Domain(bounds=(0, 1))}):
        with pytest.raises(InvalidParameter, match="two neighboring inputs, or the domain"):
            audit.test(abs, trials=100, **words)  # type: ignore[arg-type]
