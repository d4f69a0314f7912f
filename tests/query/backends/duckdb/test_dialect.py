"""DuckDB's words: the hash that rows and groups of a unit are chosen by is even."""

import itertools

import duckdb
import pytest

from privet.query.backends.duckdb.dialect import DuckDBDialect
from tests.support.statistics import assert_does_not_follow, assert_follows

GROUPS = 12
UNITS = 20_000
CHOSEN = """
SELECT k FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY u1 ORDER BY {order}, k) AS place
    FROM (SELECT {unit} AS u1, k, {key} AS k1 FROM range({units}) AS u(i), range({groups}) AS g(k))
) WHERE place <= {most}
"""


def chosen(order: str, unit: str, key: str, most: int) -> list[int]:
    text = CHOSEN.format(order=order, unit=unit, key=key, units=UNITS, groups=GROUPS, most=most)
    with duckdb.connect() as connection:
        return [number for (number,) in connection.execute(text).fetchall()]


@pytest.mark.parametrize(
    ("unit", "key"),
    [("i", "'city' || k"), ("7 * i + 3", "k"), ("'user' || i", "DATE '2024-01-01' + CAST(k AS INTEGER)")],
)
def test_every_group_of_a_unit_is_as_likely_as_every_other(unit: str, key: str) -> None:
    """n = 20,000 units, chi-square over 12 groups at a false-alarm rate of 1e-6; units are independent."""
    even = dict.fromkeys(range(GROUPS), 1 / GROUPS)
    digest = DuckDBDialect().digest(("u1", "k1"))
    assert_follows(chosen(digest, unit, key, 1), even)
    assert_does_not_follow(chosen("HASH(u1, k1)", unit, key, 1), even)  # once is not enough


def test_two_groups_are_chosen_as_if_apart() -> None:
    """n = 20,000 units: each pair of 12 groups is as likely as every other, at 1e-6."""
    found = chosen(DuckDBDialect().digest(("u1", "k1")), "i", "'city' || k", 2)
    pairs = [GROUPS * min(two) + max(two) for two in zip(found[::2], found[1::2], strict=True)]
    each = [GROUPS * low + high for low, high in itertools.combinations(range(GROUPS), 2)]
    assert_follows(pairs, dict.fromkeys(each, 1 / len(each)))


def test_what_is_equal_has_one_hash_and_null_has_one() -> None:
    digest = DuckDBDialect().digest(("u1", "k1"))
    rows = "VALUES (1, 'a'), (1, 'a'), (1, NULL), (1, NULL), (1, ''), (NULL, 'a')"
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT u1, k1, {digest} FROM ({rows}) AS t(u1, k1)").fetchall()  # noqa: S608 - of our own
    assert len({(unit, key) for unit, key, _ in found}) == len({number for *_, number in found}) == 4
