"""Every accepted statement of the golden corpus: what would reach the noise is the same on every engine."""

from functools import cache

import pyarrow as pa
import pytest

from privet.errors import InvalidParameter
from privet.query.pricing.quote import Quote
from privet.query.second_price.price_check import refuse_another_price
from tests.golden.corpus import accepted
from tests.support.engines import OTHERS, chosen_alike, engine_of
from tests.support.nasty_values import HOSPITALS
from tests.support.neighbor_hospitals import SETTINGS
from tests.support.replaying_ledger import TIGHT, Played, numbers, play, quote_of

STATEMENTS = accepted() | {
    "bounds_found": "SELECT SUM(weight), AVG(1 / weight), MEDIAN(LENGTH(note)) FROM visit",
    "groups_of_reals": "SELECT weight, COUNT(*) FROM visit GROUP BY weight",
    "groups_of_texts": "SELECT UPPER(note), COUNT(*), COUNT(DISTINCT LOWER(clinic)) FROM visit GROUP BY 1",
    "numbers_in_texts": "SELECT SUM(CLIP(CAST(note AS DOUBLE), -9, 9)), COUNT(CAST(note AS DATE)) FROM visit",
    "reals_as_texts": "SELECT CAST(weight AS VARCHAR), COUNT(*) FROM visit GROUP BY 1",
    "wide_steps": "SELECT SUM(CLIP(weight, 0, 1000000000)), AVG(CLIP(weight, 0, 1000000000)) FROM visit",
    "rests": "SELECT SUM(CLIP(weight % 7, -7, 7)), SUM(CLIP(vid % 10, 0, 9)) FROM visit",
    "ties": "SELECT SUM(cost) FROM (SELECT cost, ROW_NUMBER() OVER (PARTITION BY pid ORDER BY note) k FROM visit) "
    "WHERE k = 2",
    # with a report on clipping
    "report_of_sums": "SELECT SUM(cost), AVG(stay), MEDIAN(day) FROM visit",
    "report_by_group": "SELECT clinic, COUNT(*), SUM(cost) FROM visit GROUP BY clinic",
    "report_of_joins": "SELECT sex, AVG(age), SUM(stay) FROM visit JOIN patient USING (pid) GROUP BY sex",
    "report_of_parts": "SELECT AVG(v) FROM (SELECT pid, SUM(cost) AS v FROM visit GROUP BY pid UNION ALL "
    "SELECT pid, age FROM patient)",
}
REFUSED: dict[str, dict[str, str]] = {  # by engine: statement to the reason it gives
    "postgres": {},
    "spark": {
        "angles": "may differ from others' in the last digit",
        "reals_as_texts": "writes real numbers as texts differently",
        "sum_functions": "may differ from others' in the last digit",
        "sum_logarithm_with_nulls": "may differ from others' in the last digit",
        "sum_product_and_logarithm": "may differ from others' in the last digit",
        "sum_square": "may differ from others' in the last digit",
    },
}


@cache
def plan_of(name: str, setting: int) -> Quote | None:
    """A statement under limits that a tiny hospital goes beyond: each has one of them."""
    limits = TIGHT[list(STATEMENTS).index(name) % len(TIGHT)]
    return quote_of(STATEMENTS[name], SETTINGS[setting].catalog, limits, clipping=name.startswith("report_"))


def refuse_unequal(here: Played, there: Played) -> None:
    """Raise unless the same secrets reached the ledger, and the same tables were released."""
    assert [repr(draw.mechanism) for draw in here.drawn] == [repr(draw.mechanism) for draw in there.drawn]
    for one, other in zip(here.drawn, there.drawn, strict=True):
        assert numbers(one) == numbers(other)
    assert here.table.schema == there.table.schema
    assert lines(here.table) == lines(there.table)


def lines(table: pa.Table) -> list[str]:
    """The rows of a table as texts, in an order of their own: engines have none."""
    return sorted(map(str, table.to_pylist()))


def compare(engine: str, hospital: str, setting: int, names: list[str]) -> int:
    """How many statements were compared."""
    catalog = SETTINGS[setting].catalog
    found = HOSPITALS[hospital]
    compared = 0
    here, there = (engine_of(name).backend(found, catalog) for name in (engine, "duckdb"))
    wrong: list[tuple[str, str]] = []
    for name in names:
        plan = plan_of(name, setting)
        if plan is None:
            continue
        compared += 1
        if name in REFUSED[engine]:
            with pytest.raises(InvalidParameter, match=REFUSED[engine][name]):
                refuse_another_price(plan, here, catalog)
            continue
        refuse_another_price(plan, here, catalog)
        with chosen_alike():
            theirs = play(plan, there, catalog)
        try:
            refuse_unequal(play(plan, here, catalog, theirs), theirs)
        except Exception as problem:  # noqa: BLE001 - all are told at once
            wrong.append((name, repr(problem)[:300]))
    there.close()
    assert not wrong, f"{len(wrong)} differ: {wrong[:20]}"
    return compared


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize(
    ("hospital", "share"),
    [
        *((each, 1) for each in HOSPITALS if each != "crowded"),
        ("crowded", 3),
        pytest.param("crowded", 1, marks=pytest.mark.soak),
    ],
)
def test_the_same_numbers_reach_the_noise(engine: str, hospital: str, share: int) -> None:
    names = list(STATEMENTS)[::share]
    assert compare(engine, hospital, 0, names) == len(names)


@pytest.mark.parametrize("engine", OTHERS)
@pytest.mark.parametrize("hospital", HOSPITALS)
@pytest.mark.parametrize("setting", [2, 4], ids=["rows", "days"])
@pytest.mark.parametrize("share", [9, pytest.param(1, marks=pytest.mark.soak)])
def test_the_same_where_rows_or_days_are_protected(engine: str, hospital: str, setting: int, share: int) -> None:
    names = list(STATEMENTS)[setting // 4 :: share]
    assert compare(engine, hospital, setting, names) >= 50 / share / 2
