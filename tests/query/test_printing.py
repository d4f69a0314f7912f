"""What is printed means, on a real engine, what the oracle says."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from privet.query.backends.duckdb import DuckDBBackend, plain_value
from privet.query.bounded import Bounded
from privet.query.facts import Value
from privet.query.plan import Relation
from privet.query.printing import print_relation
from tests.query import tiny
from tests.query.oracle import Oracle

SLOW = settings(
    max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate)
)


def engine_rows(backend: DuckDBBackend, relation: Relation) -> Counter[tuple[Value, ...]]:
    """The rows of an owned relation: for tests only, no method of a backend gives them."""
    text = print_relation(relation, backend._dialect, backend._sources())
    rows = backend._connection.execute(text).fetchall()
    return Counter(tuple(plain_value(value) for value in row) for row in rows)


@given(data=tiny.databases(), relation=tiny.relations(depth=3))
@SLOW
def test_a_relation_has_the_rows_of_the_oracle(data: tiny.Data, relation: Relation) -> None:
    catalog = tiny.catalog(data)
    backend = DuckDBBackend(catalog, threads=1)
    expected = Counter(
        tuple(row[column] for column in relation.columns) for row in Oracle(catalog, data).rows(relation)
    )
    assert engine_rows(backend, relation) == expected
    backend.close()


@given(data=tiny.databases(), request_=st.deferred(tiny.requests))
@SLOW
def test_bounded_sums_are_those_of_the_oracle(data: tiny.Data, request_: Bounded) -> None:
    catalog = tiny.catalog(data)
    backend = DuckDBBackend(catalog, threads=1)
    found, expected = backend.sums(request_), Oracle(catalog, data).sums(request_)
    nothing = tuple((0,) * measure.cells for measure in request_.measures)
    assert {k: v for k, v in found.groups.items() if v != nothing} == {
        k: v for k, v in expected.groups.items() if v != nothing
    }
    backend.close()


@given(data=tiny.databases(), request_=tiny.requests(ranks=True))
@SLOW
def test_ranks_are_those_of_the_oracle(data: tiny.Data, request_: Bounded) -> None:
    catalog = tiny.catalog(data)
    backend = DuckDBBackend(catalog, threads=1)
    assert backend.ranks(request_) == Oracle(catalog, data).ranks(request_)
    backend.close()


if __name__ == "__main__":
    pytest.main([__file__])
