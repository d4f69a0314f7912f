"""Weights in blocks: every unit finds its own, the answers are the same as without, and other texts are refused."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import InvalidParameter
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.catalog.toml_file import catalog_from
from privet.query.measures.request import PART
from privet.query.plan.limits import Limits
from privet.query.printing.weight_blocks import MOST_CAP
from privet.query.second_price.engine_text import read_back
from privet.query.second_price.price_check import refuse_another_price
from tests.query.engines.test_golden import STATEMENTS, refuse_unequal
from tests.support.engines import engine_of
from tests.support.exact_session import ExactSession
from tests.support.nasty_values import HOSPITALS
from tests.support.neighbor_hospitals import SETTINGS
from tests.support.replaying_ledger import play, quote_of

STATEMENT = "SELECT stay, COUNT(*), SUM(cost - 9), MEDIAN(cost) FROM visit GROUP BY stay"
FIRST = -(1 << 63)
LAST = (1 << 63) - 1
TEXT = "SELECT city, COUNT(*) AS n, SUM(pay) AS pay, AVG(pay) AS mean FROM t GROUP BY city"


def in_blocks(backend: DuckDBBackend) -> DuckDBBackend:
    backend._close_units = True
    return backend


@pytest.fixture(name="packed", scope="module")
def _packed() -> Iterator[DuckDBBackend]:
    backend = engine_of("duckdb").backend(HOSPITALS["crowded"], SETTINGS[0].catalog)
    assert isinstance(backend, DuckDBBackend)
    with closing(in_blocks(backend)):
        yield backend


def text_of(backend: DuckDBBackend, cap: int = 3) -> str:
    plan = quote_of(STATEMENT, SETTINGS[0].catalog, Limits(rows_per_unit=cap))
    assert plan is not None
    return backend.forms(plan.stages[0].needs.request)[-1]


def test_what_is_shown_does_not_follow_rows(packed: DuckDBBackend) -> None:
    plan = quote_of(STATEMENT, SETTINGS[0].catalog, Limits(rows_per_unit=3))
    assert plan is not None
    request = plan.stages[0].needs.request
    assert packed._close_units
    assert ["blocks AS" in text for text in (packed.text(request), *packed.forms(request))] == [False, False, True]


@pytest.mark.parametrize("hospital", HOSPITALS)
@pytest.mark.parametrize("share", [3, pytest.param(1, marks=pytest.mark.soak)])
def test_the_same_numbers_reach_the_noise(hospital: str, share: int) -> None:
    catalog = SETTINGS[0].catalog
    plain, packed = (engine_of("duckdb").backend(HOSPITALS[hospital], catalog) for _ in range(2))
    assert isinstance(packed, DuckDBBackend)
    assert isinstance(plain, DuckDBBackend)
    compared = 0
    with closing(plain), closing(in_blocks(packed)):
        for statement in list(STATEMENTS.values())[::share]:
            plan = quote_of(statement, catalog, Limits(rows_per_unit=2))
            requests = [] if plan is None else [stage.needs.request for stage in plan.stages]
            if plan is None or not any("blocks AS" in packed.forms(request)[-1] for request in requests):
                continue
            compared += 1
            refuse_another_price(plan, packed, catalog)
            theirs = play(plan, plain, catalog)
            refuse_unequal(play(plan, packed, catalog, theirs), theirs)
    assert compared >= 30 / share


@pytest.mark.parametrize("cap", [1, 2, 5, 64, MOST_CAP])
def test_every_weight_is_found_again(packed: DuckDBBackend, cap: int) -> None:
    """Each number of rows up to 20,000 and some beyond, at units of all kinds, against what was put in."""
    text = text_of(packed, cap)
    steps = text[text.index("codes AS") : text.index(",\nweighed AS")].replace("k1, ", "u1, ")
    counts = [*range(cap, 20_000), *(1 << bits for bits in range(15, 40)), *(10**each + 1 for each in range(5, 12))]
    close, drawn = range(-8_000, 12_000), Random(cap)  # noqa: S311 - no secret
    far = [drawn.randrange(20_000, LAST) * drawn.choice((-1, 1)) for _ in counts]
    units = [*close, FIRST, LAST, *far][: len(counts)]
    weights = [(cap * PART) // count for count in drawn.sample(counts, len(counts))]
    with duckdb.connect() as connection:
        connection.register("given", pa.table({"u1": pa.array(units, pa.int64()), "weight": pa.array(weights)}))
        connection.execute("CREATE TABLE weights AS SELECT * FROM given")
        connection.execute("CREATE TABLE placed AS SELECT u1, 1 AS a1, 2 AS a2, 3 AS a3 FROM given, range(2)")
        found = connection.execute(f"WITH {steps} SELECT DISTINCT u1, weight FROM weighted").fetchall()  # noqa: S608 - ours
    assert dict(found) == dict(zip(units, weights, strict=True))
    assert len(found) == len(units)


def test_a_row_that_was_not_counted_counts_nothing(packed: DuckDBBackend) -> None:
    """As if a file were replaced between two scans: the block of such a row may be there, its weight is not."""
    text = text_of(packed)
    steps = text[text.index("codes AS") : text.index(",\nweighed AS")].replace("k1, ", "u1, ")
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE weights AS SELECT 5 AS u1, 1048576 AS weight")
        connection.execute("CREATE TABLE placed AS SELECT range AS u1, 1 AS a1, 2 AS a2, 3 AS a3 FROM range(99)")
        found = connection.execute(f"WITH {steps} SELECT u1, weight FROM weighted").fetchall()  # noqa: S608 - ours
    assert {unit: weight for unit, weight in found if weight is not None} == {5: 1048576}
    assert {unit for unit, _ in found} == set(range(16))


def test_a_larger_cap_has_no_blocks(packed: DuckDBBackend) -> None:
    assert "blocks AS" in text_of(packed, MOST_CAP)
    assert "blocks AS" not in text_of(packed, MOST_CAP + 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("15 * ", "14 * "),
        ("32767", "16383"),
        (" + CAST(u1 >= 0 AS BIGINT)", ""),
        ("u1 // 16", "u1 // 32"),
        ("(u1 & 3)", "(u1 & 1)"),
        ("WHEN (u1 & 12) = 4 THEN p2", "WHEN (u1 & 12) = 4 THEN p3"),
        ("ELSE p4 END", "ELSE p1 END"),
        ("code - CAST(16384 AS BIGINT)", "code"),
        ("weight < CAST(384 AS BIGINT)", "weight < CAST(3840000 AS BIGINT)"),
        ("((CAST(3145728 AS BIGINT)) // code)", "((CAST(3200000 AS BIGINT)) // code)"),
        ("((CAST(3145728 AS BIGINT)) // code)", "CAST(1048576 AS BIGINT)"),
        ("FROM codes GROUP BY (u1 // 16 + CAST(u1 >= 0 AS BIGINT))", "FROM codes GROUP BY u1"),
        ("FROM weights)", "FROM placed)"),
        ("FROM weighted)", "FROM coded)"),
        ("JOIN blocks", "LEFT JOIN blocks"),
        ("JOIN blocks", "CROSS JOIN codes JOIN blocks"),
    ],
)
def test_another_text_is_refused(packed: DuckDBBackend, old: str, new: str) -> None:
    text = text_of(packed)
    read_back(text, "duckdb")
    assert old in text
    with pytest.raises(InvalidParameter, match="cannot be read back"):
        read_back(text.replace(old, new), "duckdb")


def write(folder: Path, units: list[int] | list[str], rows: int) -> Catalog:
    """Units in turn, in cities in turn."""
    turns = -(-rows // len(units))
    columns = {"u": units * turns, "city": ["a", "b", "b"] * rows, "pay": [float(each % 7) for each in range(rows)]}
    pq.write_table(pa.table({name: values[:rows] for name, values in columns.items()}), folder / "t.parquet")
    kind = "text" if isinstance(units[0], str) else "integer"
    return catalog_from(
        f"""
        name = "c"
        unit = "person"
        limit = {{ epsilon = "9" }}
        [tables.t]
        parquet = "t.parquet"
        unit_column = "u"
        rows_per_unit = 2
        columns.u = {{ type = "{kind}" }}
        columns.city = {{ type = "text", values = ["a", "b"] }}
        columns.pay = {{ type = "real", bounds = [0, 5] }}
        """,
        folder=folder,
    )


@pytest.mark.parametrize(
    ("units", "rows", "close"),
    [
        ([-700_000, -1, 0, 1, 15, 16, 17, 900_000], 600_000, True),
        ([-700_000, -1, 0, 1, 15, 16, 17, 900_000], 40_000, False),  # an array is larger than the table
        ([0, 5, 7, 500_000], 400_000, False),  # few enough for an array of their own
        ([0, 5, 7, 1 << 25], 400_000, False),  # too far apart
        ([FIRST, -1, LAST], 300, False),
        (["a", "b"], 300, False),
    ],
)
def test_blocks_are_for_units_that_are_close_together(
    units: list[int] | list[str], rows: int, *, close: bool, tmp_path: Path
) -> None:
    catalog = write(tmp_path, units, rows)
    with closing(DuckDBBackend(catalog, threads=1, memory="8GiB")) as backend:
        assert backend._close_units is close
        found = ExactSession(catalog, backend=backend).sql(TEXT).rows
        backend._close_units = not close and not isinstance(units[0], str)
        assert ExactSession(catalog, backend=backend).sql(TEXT).rows == found
    with closing(DuckDBBackend(catalog, threads=1, memory="100MB")) as backend:
        assert not backend._close_units, "there is no room for arrays"
