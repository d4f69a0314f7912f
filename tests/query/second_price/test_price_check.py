"""The second price: the same as the first on what is printed, and another as soon as a clip or a cap is missing."""

import itertools
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from privet.core import Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee, Neighbors
from privet.mechanisms.grouped_interval import GroupedInterval
from privet.query.backends.backend import Backend
from privet.query.backends.duckdb import DuckDBBackend
from privet.query.catalog import Catalog
from privet.query.measures.request import Bounded
from privet.query.options import Keywords, Options
from privet.query.plan.limits import Limits
from privet.query.pricing.quote import Quote, quote_statement
from privet.query.second_price.engine_text import read_back
from privet.query.second_price.price_check import refuse_another_price, second_loss
from privet.query.session import Session
from privet.query.sql import read
from tests.support.hospital import by_day, public_values, row_level
from tests.support.hospital_sessions import hospital, session_with

pytestmark = pytest.mark.whole

COLUMNS = (
    "COUNT(*)",
    "COUNT(cost)",
    "COUNT(DISTINCT note)",
    "SUM(cost)",
    "SUM(cost - 4000)",
    "SUM(stay) FILTER (WHERE cost > 10)",
    "AVG(stay - 20)",
    "STDDEV(cost)",
    "MEDIAN(cost)",
    "MAX(stay)",
)
LIMITS = (
    Limits(rows_per_unit=1),
    Limits(rows_per_unit=7),
    Limits(groups_per_unit=4, rows_per_group=5),
    Limits(groups_per_unit=1, rows_per_group=1),
    Limits(rows_per_unit=7, bounding="sample"),
    Limits(groups_per_unit=4, rows_per_group=5, bounding="sample"),
)
KEYS = ("", "stay", "note", "stay, day")
OPTIONS = Options.of({"epsilon": 1, "delta": "1e-6"})
ENDS: dict[str, Any] = {"epsilon": "0.7", "delta": "1e-7", "quantile_intervals": True}


@pytest.fixture(name="place", scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Catalog, DuckDBBackend]:
    catalog = hospital(tmp_path_factory.mktemp("hospital"))
    return catalog, DuckDBBackend(catalog, threads=1)


def quoted(catalog: Catalog, text: str, *, limits: Limits | None = None, options: Options = OPTIONS) -> Quote:
    return quote_statement(read(text, catalog, values=public_values), catalog, replace(options, limits=limits))


@given(
    columns=st.lists(st.sampled_from([*COLUMNS, "COUNT(DISTINCT pid)"]), min_size=1, max_size=4, unique=True),
    keys=st.sampled_from(KEYS),
    limits=st.sampled_from(LIMITS),
    neighbors=st.sampled_from(list(Neighbors)),
    spend=st.sampled_from([{"epsilon": "0.3", "delta": "1e-7"}, {"rho": "0.2"}, {"epsilon": 1}, ENDS]),
)
@example(  # distinct values where groups are private and rows are counted over all of them
    columns=["COUNT(DISTINCT note)"],
    keys="note",
    limits=Limits(rows_per_unit=3),
    neighbors=Neighbors.ADD_REMOVE,
    spend={"epsilon": "1", "delta": "1e-6"},
)
def test_both_prices_are_one(  # noqa: PLR0913 - one for each thing that varies
    *,
    place: tuple[Catalog, DuckDBBackend],
    columns: list[str],
    keys: str,
    limits: Limits,
    neighbors: Neighbors,
    spend: dict[str, Any],
) -> None:
    catalog = replace(place[0], unit=Unit("patient", neighbors))
    if keys == "note" and "delta" not in spend:
        spend = {"epsilon": "1", "delta": "1e-6"}
    text = f"SELECT {', '.join(columns)} FROM visit" + (f" GROUP BY {keys}" if keys else "")  # noqa: S608 - of this file
    plan = quoted(catalog, text, limits=limits, options=Options.of(cast("Keywords", spend)))
    assert second_loss(plan, place[1], catalog) == plan.loss


def test_both_prices_are_one_for_rows_and_for_windows(tmp_path: Path) -> None:
    for number, (kind, columns) in enumerate(itertools.product((row_level(), by_day(3)), COLUMNS)):
        catalog = hospital(tmp_path, catalog=kind, name=f"h{number}")
        backend = DuckDBBackend(catalog, threads=1)
        plan = quoted(catalog, f"SELECT stay, {columns} FROM visit GROUP BY stay")  # noqa: S608 - of this file
        refuse_another_price(plan, backend, catalog)
        backend.close()


class Forged:
    """A backend whose SQL is changed on its way; it has no data."""

    name = "duckdb"

    def __init__(self, backend: Backend, old: str, new: str) -> None:
        self._backend = backend
        self._old = old
        self._new = new
        self.changed = 0

    def text(self, request: Bounded) -> str:
        """The text with one thing changed."""
        text = self._backend.text(request)
        self.changed += text.count(self._old)
        return text.replace(self._old, self._new)


GROUPED = "SELECT note, COUNT(*), AVG(cost) FROM visit GROUP BY note"
COUNTED = "SELECT note, COUNT(*) FROM visit GROUP BY note"
NAMED = "SELECT note FROM visit GROUP BY note"
LOOSE = "SELECT stay, COUNT(*), SUM(cost - 4000) FROM visit GROUP BY stay"
AVERAGES = "SELECT stay, AVG(cost) FROM visit GROUP BY stay"
FORGERIES = [
    ("one group more", GROUPED, LIMITS[2], "place <= 4", "place <= 5"),
    ("no limit on groups", GROUPED, LIMITS[2], "WHERE place <= 4", ""),
    ("groups ranked over all units", GROUPED, LIMITS[2], "PARTITION BY u1 ORDER", "PARTITION BY k1 ORDER"),
    ("the kept pairs left out", GROUPED, LIMITS[2], "FROM kept)", "FROM pairs)"),
    ("one row more", GROUPED, LIMITS[2], "WHEN n <= CAST(5 AS BIGINT)", "WHEN n <= CAST(6 AS BIGINT)"),
    ("rows not weighed down", GROUPED, LIMITS[2], "* CAST(5 AS BIGINT)) // n)", "* CAST(5 AS BIGINT)) // 1)"),
    ("a wider clip", GROUPED, LIMITS[2], "THEN CAST('1048576.0' AS DOUBLE)", "THEN CAST('2097152.0' AS DOUBLE)"),
    (
        "no clip from above",
        GROUPED,
        LIMITS[2],
        "WHEN x2 > CAST('1048576.0' AS DOUBLE)",
        "WHEN x2 > CAST('1e300' AS DOUBLE)",
    ),
    ("no clip from below", GROUPED, LIMITS[2], "WHEN x2 < CAST('0.0' AS DOUBLE)", "WHEN x2 < CAST('-1e300' AS DOUBLE)"),
    (
        "no clip in between",
        GROUPED,
        LIMITS[2],
        "WHEN x2 > CAST('1048576.0' AS DOUBLE)",
        "WHEN x2 > CAST('1e12' AS DOUBLE)",
    ),
    ("a sum added twice", GROUPED, LIMITS[2], "COALESCE(s2, 0) AS", "2 * COALESCE(s2, 0) AS"),
    ("pairs of groups, not units", GROUPED, LIMITS[2], "GROUP BY u1, k1", "GROUP BY k1"),
    ("unclipped rows", GROUPED, LIMITS[2], "FROM placed GROUP", "FROM found GROUP"),
    ("seven rows for one", LOOSE, LIMITS[0], "COUNT(*) <= CAST(1 AS", "COUNT(*) <= CAST(7 AS"),
    ("weights not for the unit", LOOSE, LIMITS[1], "FROM placed GROUP BY u1)", "FROM placed GROUP BY u1, k1)"),
    ("weights that do not fall", LOOSE, LIMITS[1], "// COUNT(*)", "// CAST(7 AS BIGINT)"),
    ("the rest of more than a row", AVERAGES, LIMITS[1], "(weight - ((a1", "(2 * weight - ((a1"),
    ("what is left of nothing", AVERAGES, LIMITS[1], "AS m1_1, (weight -", "AS m1_1, (CAST(1048576 AS BIGINT) -"),
    ("weights left out", LOOSE, LIMITS[1], "* weight) >> 20", "* weight) >> 10"),
    ("a larger part", LOOSE, LIMITS[1], "THEN CAST(1048576 AS BIGINT)", "THEN CAST(2097152 AS BIGINT)"),
    ("a median of more rows", "SELECT MEDIAN(cost) FROM visit", LIMITS[2], "n <= CAST(5 AS", "n <= CAST(50 AS"),
    ("a median of more places", "SELECT MEDIAN(cost) FROM visit", LIMITS[2], "'4095.0'", "'8190.0'"),
    ("more distinct values", "SELECT COUNT(DISTINCT note) FROM visit", LIMITS[2], "place <= 5", "place <= 50"),
    (
        "rows chosen among all units",
        GROUPED,
        LIMITS[5],
        "PARTITION BY u1, k1 ORDER BY HASH(HASH",
        "PARTITION BY k1 ORDER BY HASH(HASH",
    ),
    ("rows numbered among all units", GROUPED, LIMITS[5], "OVER (PARTITION BY u1, k1, a2", "OVER (PARTITION BY k1, a2"),
    ("rows that were not chosen", LOOSE, LIMITS[4], "FROM sampled GROUP BY", "FROM placed GROUP BY"),
    ("weights of other rows", LOOSE, LIMITS[4], "FROM sampled JOIN weights", "FROM placed AS sampled JOIN weights"),
    ("as many as there are", LOOSE, LIMITS[4], "WHERE place <= 7", ""),
    ("chosen rows of another place", GROUPED, LIMITS[5], "FROM placed),\nsampled", "FROM near),\nsampled"),
    ("sampled rows not weighed", LOOSE, LIMITS[4], "COUNT(*) <= CAST(7 AS", "COUNT(*) <= CAST(70 AS"),
    ("names by units that are not counted", COUNTED, LIMITS[0], ", COUNT(*) AS units", ""),
    ("names by units in two groups", COUNTED, LIMITS[0], "place <= 1", "place <= 2"),
    ("a unit told as two", COUNTED, LIMITS[0], "SELECT k1, 1 AS m1_1", "SELECT k1, 2 AS m1_1"),
    ("named in more groups", NAMED, LIMITS[2], "place <= 4", "place <= 5"),
    ("members that were not kept", NAMED, LIMITS[2], "AS member FROM kept", "AS member FROM pairs"),
    ("members that are groups", NAMED, LIMITS[2], "DENSE_RANK() OVER (ORDER BY u1)", "DENSE_RANK() OVER (ORDER BY k1)"),
    ("a member for each pair", NAMED, LIMITS[2], "DENSE_RANK() OVER", "ROW_NUMBER() OVER"),
    ("other numbers in each group", NAMED, LIMITS[2], "OVER (ORDER BY u1)", "OVER (PARTITION BY k1 ORDER BY u1)"),
    ("one member for all", NAMED, LIMITS[2], "ARRAY_AGG(member)", "ARRAY_AGG(k1)"),
    ("a list of pairs", NAMED, LIMITS[2], "FROM weighed GROUP BY k1", "FROM weighed, kept GROUP BY k1"),
    ("a list of everybody", NAMED, LIMITS[2], "members FROM weighed GROUP", "members FROM placed GROUP"),
    ("something else", GROUPED, LIMITS[2], "WITH ", "DELETE FROM visit; WITH "),
]


@pytest.mark.parametrize(
    ("text", "limits", "old", "new"), [row[1:] for row in FORGERIES], ids=[row[0] for row in FORGERIES]
)
def test_another_sql_has_another_price(
    place: tuple[Catalog, DuckDBBackend], text: str, limits: Limits, old: str, new: str
) -> None:
    catalog, backend = place
    plan = quoted(catalog, text, limits=limits)
    refuse_another_price(plan, backend, catalog)
    forged = Forged(backend, old, new)
    with pytest.raises(InvalidParameter, match="nothing"):
        refuse_another_price(plan, forged, catalog)  # type: ignore[arg-type] # only its text is asked for
    assert forged.changed, "the control: there was something to change"


def test_a_session_stops_before_the_charge_if_prices_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, backend = session_with(hospital(tmp_path))
    plain = DuckDBBackend.text

    def forged(self: DuckDBBackend, request: Bounded) -> str:
        return plain(self, request).replace("<= CAST(5", "<= CAST(9")

    monkeypatch.setattr(DuckDBBackend, "text", forged)
    for ask in (Session.sql, Session.explain):
        with pytest.raises(InvalidParameter, match="differs"):
            ask(session, "SELECT COUNT(*) FROM visit", epsilon=1)
    assert not session.ledger.entries
    assert not backend.calls
    monkeypatch.undo()
    assert session.sql("SELECT COUNT(*) FROM visit", epsilon=1).spent.epsilon == 1


def test_a_changed_first_price_is_noticed(place: tuple[Catalog, DuckDBBackend]) -> None:
    catalog, backend = place
    plan = quoted(catalog, GROUPED)
    cheap = quoted(catalog, GROUPED, options=Options(Guarantee("0.5", "1e-6")))
    cheaper = replace(plan, loss=cheap.loss)
    with pytest.raises(InvalidParameter, match="differs"):
        refuse_another_price(cheaper, backend, catalog)


def test_the_ends_of_quantiles_are_in_both_prices(place: tuple[Catalog, DuckDBBackend]) -> None:
    """The control: a price without the ends is noticed."""
    catalog, backend = place
    plan = quoted(catalog, "SELECT MEDIAN(cost) FROM visit", options=Options.of(cast("Keywords", ENDS)))
    assert second_loss(plan, backend, catalog).epsilon(0) == pytest.approx(0.7)
    (interval,) = plan.stages[0].mechanisms
    assert isinstance(interval, GroupedInterval)
    with pytest.raises(InvalidParameter, match="differs"):
        refuse_another_price(replace(plan, loss=interval.choices[0].loss), backend, catalog)


@pytest.mark.parametrize(
    "text", ["", "SELECT 1", "SELECT", "DROP TABLE visit", "WITH x AS (SELECT 1) SELECT k1 FROM x", "(("]
)
def test_what_is_no_request_is_refused(text: str) -> None:
    if not text:
        assert read_back(text, "duckdb") == ()
        return
    with pytest.raises(InvalidParameter, match="cannot be read back"):
        read_back(text, "duckdb")


def test_what_is_read_back_is_what_is_there(place: tuple[Catalog, DuckDBBackend]) -> None:
    catalog, backend = place
    plan = quoted(catalog, "SELECT note, COUNT(DISTINCT pid), SUM(cost - 4000) FROM visit GROUP BY note")
    (request,) = read_back(backend.text(plan.stages[0].needs.request), "duckdb")
    assert (request.keyed, request.groups, request.shared, request.cap, request.counts_units) == (
        True,
        4,
        False,
        5,
        True,
    )
    units, total = request.numbers
    assert units.size == 1
    assert units.by_unit
    step = plan.stages[0].needs.draws[1].measure.span.step
    assert [float(end * step) for end in (total.lowest, total.highest)] == pytest.approx([-4000, 1000], abs=0.01)
    assert total.size == abs(total.lowest)
    assert Fraction(total.highest) > 0


def test_a_unit_on_a_day_is_told_apart_by_both(tmp_path: Path) -> None:
    """Rows counted, or chosen, for a unit on all its days at once are not its rows on one."""
    catalog = hospital(tmp_path, catalog=by_day(3))
    with closing(DuckDBBackend(catalog, threads=1)) as backend:
        for limits, step in ((LIMITS[1], "GROUP BY"), (LIMITS[4], "PARTITION BY")):
            plan = quoted(catalog, "SELECT stay, COUNT(*) FROM visit GROUP BY stay", limits=limits)
            refuse_another_price(plan, backend, catalog)
            forged = Forged(backend, f"{step} u1, u2", f"{step} u1")
            with pytest.raises(InvalidParameter, match="nothing"):
                refuse_another_price(plan, forged, catalog)  # type: ignore[arg-type]
            assert forged.changed
