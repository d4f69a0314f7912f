"""Bounding: which way is the choice and why that is right, what sampling keeps, and how it is said."""

import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any, Unpack

import pyarrow as pa
import pytest

import privet
from privet.errors import InvalidParameter
from privet.query.backends.backend import Keys
from privet.query.catalog import Catalog
from privet.query.catalog.toml_file import read_catalog
from privet.query.catalog.toml_text import catalog_text
from privet.query.measures.overflow import CROWD, WORST, bounding_note, samples, weighs_up_to
from privet.query.measures.request import PART, Bounded, Measure, Shape, Span
from privet.query.options import Keywords, Options, bounding_of, limits_of
from privet.query.plan.build import joined_limits
from privet.query.plan.limits import Limits
from privet.query.plan.relations import Owner, Table
from privet.query.plan.statement import Key
from privet.query.pricing.quote import quote_statement
from privet.query.scalars.expressions import Column, Reference
from privet.query.scalars.facts import Facts, Type
from privet.query.session import Session
from tests.support.hospital_sessions import crowd, hospital, session_with

PID = Column("pid", Facts(Type.INTEGER))
CITY = Column("city", Facts(Type.TEXT, values=("a", "b")))
PAY = Column("pay", Facts(Type.REAL, low=Fraction(0), high=Fraction(8)))
ROWS = Table("visit", (PID, CITY, PAY), Owner((PID,), Limits(rows_per_unit=4)))
BY_CITY = (Key(CITY, Reference(CITY), ("a", "b")),)
MEAN = Measure(Shape.MEAN, Reference(PAY), span=Span.between(Fraction(0), Fraction(8), whole=False))


def request(*measures: Measure, cap: int = 4, keys: bool = True, bounding: str | None = None) -> Bounded:
    limits = Limits(rows_per_unit=cap, bounding=bounding)
    return Bounded(ROWS, BY_CITY if keys else (), limits, measures or (MEAN,), cap_groups=False)


# --- which way, and why ---


@pytest.mark.parametrize(("cap", "rows"), [(c, n) for n in range(2, 10) for c in range(1, n)])
def test_sampling_at_worst_errs_as_much_as_is_said(cap: int, rows: int) -> None:
    """All choices of `cap` of n rows, half of which add 1: the variance of what is chosen, exactly."""
    values = [n % 2 for n in range(rows)]
    sums = [sum(chosen) for chosen in itertools.combinations(values, cap)]
    mean = Fraction(sum(sums), len(sums))
    assert mean == Fraction(cap * sum(values), rows)  # what weighing estimates
    assert sum((Fraction(each) - mean) ** 2 for each in sums) / len(sums) >= WORST**2


@pytest.mark.parametrize("rows", [5, 7, 1000, 209_715])
@pytest.mark.parametrize("place", [0, 1, 3, PART // 3, PART - 1, PART])
def test_weighing_errs_less_than_sampling_at_worst_up_to_so_many_rows(rows: int, place: int) -> None:
    cap = 4
    most = weighs_up_to(request())
    assert most == 209_715
    share = PART * cap // rows
    lost = Fraction(place * cap) - rows * (place * share // PART)
    assert 0 <= lost < rows * 2
    assert lost <= WORST * PART


def test_the_choice_follows_from_public_numbers() -> None:
    assert weighs_up_to(request(keys=False)) is None  # a unit's sum is weighed as one number
    assert weighs_up_to(request(Measure(Shape.ROWS))) == int(PART * WORST)
    assert weighs_up_to(request(Measure(Shape.SPREAD, Reference(PAY), span=Span(Fraction(1), 0, 1 << 14)))) == 416_179
    assert weighs_up_to(request(Measure(Shape.SUM, Reference(PAY), span=Span(Fraction(1), -3, 40)))) == 15
    edge = 209_715 // CROWD
    assert [samples(request(cap=cap)) for cap in (1, 4, edge, edge + 1)] == [False, False, False, True]
    assert not samples(request(cap=1 << 30, keys=False))
    assert samples(request(bounding="sample"))
    assert not samples(request(cap=1 << 30, bounding="weigh"))
    assert not samples(request(Measure(Shape.UNITS), bounding="sample"))  # groups are chosen by a hash of their own


def test_what_is_told_says_which_and_why() -> None:
    weighed = bounding_note(request(), whose="patient")
    assert "weighed, not sampled (chosen from public numbers)" in weighed
    assert "up to 209,715 rows" in weighed
    assert "any patient" in bounding_note(request(keys=False), whose="patient")
    chosen = request(bounding="sample")
    said = bounding_note(Bounded(ROWS, BY_CITY, chosen.limits, (MEAN,), cap_groups=False, sample=True), whose="patient")
    assert "sampled (as was said)" in said
    assert "not at all" in said


# --- what is said about it ---


def test_words_that_mean_nothing_are_refused() -> None:
    assert bounding_of(None) is None
    with pytest.raises(InvalidParameter, match="bounding must be"):
        bounding_of("drop")
    assert limits_of(bounding="sample") == Limits(bounding="sample")
    assert limits_of(rows_per_unit=3, bounding="weigh") == Limits(rows_per_unit=3, bounding="weigh")


def test_a_join_keeps_what_one_side_says() -> None:
    one = Owner((PID,), Limits(rows_per_unit=1, bounding="sample"))
    few = Owner((PID,), Limits(rows_per_unit=3))
    assert joined_limits(one, few) == joined_limits(few, one) == Limits(rows_per_unit=3, bounding="sample")
    assert joined_limits(few, Owner((PID,), Limits(2, bounding="sample"))) == Limits(6, bounding="sample")


FILE = """
unit = "patient"
limit = {{ epsilon = 1000, delta = "1e-3" }}
ledger = "ledger.db"
[tables.visit]
unit_column = "pid"
csv = "visit.csv"
{words}
columns.cost = {{ type = "integer", bounds = [0, 8], nullable = false }}
columns.kind = {{ type = "text", values = {kinds}, nullable = false }}
"""


def visits(folder: Path, words: str, rows: list[tuple[int, int, str]]) -> Path:
    lines = ["pid,cost,kind", *(f"{pid},{cost},{kind}" for pid, cost, kind in rows)]
    (folder / "visit.csv").write_text("\n".join(lines) + "\n")
    kinds = json.dumps(sorted({"a", "b", *(kind for _, _, kind in rows)}))
    (folder / "visits.toml").write_text(FILE.format(words=words, kinds=kinds))
    return folder / "visits.toml"


def test_a_catalog_says_it_and_is_written_as_it_is_read(tmp_path: Path) -> None:
    catalog = read_catalog(visits(tmp_path, 'rows_per_unit = 3\nbounding = "sample"', []))
    assert catalog.tables["visit"].limits == Limits(rows_per_unit=3, bounding="sample")
    assert 'bounding = "sample"' in catalog_text(catalog)
    alone = read_catalog(visits(tmp_path, 'bounding = "weigh"', []))
    assert alone.tables["visit"].limits == Limits(rows_per_unit=1, bounding="weigh")
    with pytest.raises(InvalidParameter, match=r'tables.visit.bounding: must be "weigh" or "sample", got "drop"'):
        read_catalog(visits(tmp_path, 'bounding = "drop"', []))
    with pytest.raises(InvalidParameter, match="public"):
        read_catalog(visits(tmp_path, 'public = true\nbounding = "sample"', []))


def test_a_frame_may_say_it() -> None:
    declared: dict[str, Any] = {
        "unit": "patient",
        "limit": privet.Guarantee(1),
        "unit_column": "pid",
        "columns": {"cost": {"bounds": [0, 8]}},
    }
    frame = pa.table({"pid": [1], "cost": [2]})
    limits = next(iter(Catalog.of(frame, **declared, bounding="sample").tables.values())).limits
    assert limits == Limits(rows_per_unit=1, bounding="sample")
    with pytest.raises(InvalidParameter, match="bounding"):
        Catalog.of(frame, **declared, bounding="drop")


# --- what it does ---


def bounded_sums(session: Session, text: str, **keywords: Unpack[Keywords]) -> list[dict[Keys, Any]]:
    """The exact bounded sums of a statement, before any noise."""
    quote = quote_statement(session.read(text), session.catalog, Options.of(keywords, budget=session.catalog.budget))
    return [dict(session._backend.sums(stage.needs.request).groups) for stage in quote.stages]


def test_a_sample_has_whole_rows_of_the_unit_and_as_many_as_may_count(tmp_path: Path) -> None:
    rows = [(1, 0, "a"), (1, 8, "a"), (1, 8, "b"), (1, 3, "b"), (1, 3, "b"), (2, 5, "a")]
    with privet.connect(visits(tmp_path, "rows_per_unit = 2", rows)) as session:
        text = "SELECT SUM(cost) AS s, COUNT(cost) AS n FROM visit"
        ((found,),) = [each.values() for each in bounded_sums(session, text, epsilon=1, bounding="sample")]
        ((weighed,),) = [each.values() for each in bounded_sums(session, text, epsilon=1)]
    above, below = found[0]
    steps = 1 << 20
    assert above + below == 3 * steps  # two rows of the first unit and one of the second, each in full
    possible = {one + other for one, other in itertools.combinations([0, 8, 8, 3, 3], 2)}
    assert Fraction(above * 8, steps) - 5 in possible
    assert weighed[0][0] * 8 // steps == 5 + 22 * 2 // 5


def test_where_rows_are_stored_does_not_matter(tmp_path: Path) -> None:
    rows = [(unit, (unit * 7 + n * n) % 9, "ab"[n % 2]) for unit in range(40) for n in range(unit % 9)]
    text = "SELECT kind, SUM(cost) AS s, COUNT(*) AS n FROM visit GROUP BY kind"
    found = []
    for order in (rows, rows[::-1], sorted(rows, key=lambda row: row[1])):
        with privet.connect(visits(tmp_path, 'rows_per_unit = 3\nbounding = "sample"', order)) as session:
            found.append(bounded_sums(session, text, epsilon=1))
    assert found[0] == found[1] == found[2]


def test_equal_rows_are_chosen_one_by_one(tmp_path: Path) -> None:
    """Twenty units, each in a group of its own, with two rows of 0 and two of 8, of which two count.

    One of each is chosen with probability 2/3, and in no unit with 3^-20; if equal rows went together, it never were.
    """
    rows = [(unit, cost, f"k{unit}") for unit in range(20) for cost in (0, 0, 8, 8)]
    with privet.connect(visits(tmp_path, 'rows_per_unit = 2\nbounding = "sample"', rows)) as session:
        (found,) = bounded_sums(session, "SELECT kind, AVG(cost) AS c FROM visit GROUP BY kind", epsilon=1)
    assert {cells[0][0] >> 20 for keys, cells in found.items() if keys[0] not in {"a", "b"}} == {0, 1, 2}
    assert {sum(cells[0]) >> 20 for cells in found.values()} == {2}


def test_samples_are_on_average_what_weighing_gives(tmp_path: Path) -> None:
    """3,000 units with 6 rows, one of them 8 and all others 0, of which 2 count: 2/6 of the eights, and no other.

    Each unit's eight is chosen with probability 1/3: 1000 of 3000 with a standard deviation of 25.8; 130 is 5 of them.
    """
    rows = [(unit, 8 if n == unit % 6 else 0, "a") for unit in range(3000) for n in range(6)]
    with privet.connect(visits(tmp_path, "rows_per_unit = 2", rows)) as session:
        text = "SELECT SUM(cost) AS s, COUNT(cost) AS n FROM visit"
        ((found,),) = [each.values() for each in bounded_sums(session, text, epsilon=1, bounding="sample")]
        ((weighed,),) = [each.values() for each in bounded_sums(session, text, epsilon=1, bounding="weigh")]
    eights = Fraction(found[0][0], 1 << 20)
    assert eights.denominator == 1
    assert abs(eights - 1000) < 130
    assert eights != 1000  # it is a sample
    assert abs(Fraction(weighed[0][0], 1 << 20) - 1000) < Fraction(3000, 1 << 20)


def test_a_session_takes_it_explains_it_and_keeps_it_apart(tmp_path: Path) -> None:
    patients, visits_ = crowd(30, 3)
    session, _ = session_with(hospital(tmp_path, patients=patients, visits=visits_))
    text = "SELECT COUNT(*) AS n FROM visit"
    weighed = session.explain(text, epsilon=1)
    sampled = session.explain(text, epsilon=1, bounding="sample")
    assert weighed.price == sampled.price
    assert any("not sampled" in line for line in weighed.bounding)
    assert any("sampled (as was said)" in line for line in sampled.bounding)
    assert "chosen by a hash" in sampled.bounding[0]
    assert "sampled AS" in sampled.queries[0]
    assert "sampled AS" not in weighed.queries[0]
    first = session.sql(text, epsilon=1, key="k", bounding="sample")
    assert session.sql(text, epsilon=1, key="k", bounding="sample").table == first.table
    with pytest.raises(privet.errors.PrivetError):
        session.sql(text, epsilon=1, key="k", bounding="weigh")
    with pytest.raises(InvalidParameter, match="bounding must be"):
        session.sql(text, epsilon=1, bounding="drop")
