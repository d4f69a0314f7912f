"""Explanation: what is said beforehand is what is charged and what margins come, and nothing is read for it."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import privet
from privet.core import Unit
from privet.errors import InvalidParameter
from privet.loss import Guarantee
from privet.mechanisms import PartitionSelection
from privet.query.plan.limits import Limits
from privet.query.results.explanation import FREE
from privet.query.results.limit_words import held, hidden_by
from tests.support.hospital_sessions import hospital, session_with

MIXED = (
    "SELECT sex, COUNT(*) AS n, SUM(age) AS s, AVG(age) AS a, STDDEV(age) AS d, MEDIAN(age) AS m, MIN(age) AS least "
    "FROM patient GROUP BY sex"
)


def test_it_reads_and_spends_nothing_and_tells_the_price(tmp_path: Path) -> None:
    session, backend = session_with(hospital(tmp_path))
    told = session.explain(MIXED, epsilon=2)
    assert not backend.calls
    assert not session.ledger.entries
    answer = session.sql(MIXED, epsilon=2)
    assert told.price == answer.spent
    assert told.loss == answer.loss
    assert [each.name for each in told.columns] == ["n", "s", "a", "d", "m", "least"]
    assert told.affordable


def test_margins_told_beforehand_are_those_of_the_answer(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    text = "SELECT COUNT(*) AS n, SUM(cost) AS s, AVG(stay) AS a, MEDIAN(cost) AS m, VARIANCE(stay) AS v FROM visit"
    told = {each.name: each.margin for each in session.explain(text, epsilon=1, confidence=0.9).columns}
    answer = session.sql(text, epsilon=1, confidence=0.9)
    (row,) = answer.rows
    width = (row["s_high"] - row["s_low"]) / 2
    assert float(told["s"].replace(",", "")) == pytest.approx(width, rel=0.02)
    assert told["a"].endswith("in 1,000 rows")
    assert told["m"].endswith("rows in rank")
    assert told["v"] == ""
    assert answer.notes["m"].startswith("the 50 % quantile")


def test_it_prints_price_limits_and_thresholds(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path), limit=Guarantee("0.5", "1e-5"))
    told = session.explain("SELECT zip, COUNT(*) AS n FROM patient GROUP BY zip", epsilon=1, delta="1e-6")
    text = repr(told)
    assert "costs ε 1 and δ 1e-6 per patient, and only ε 0.5 and δ 1e-5 is left: not enough" in text
    assert "50 % sure that one patient's rows are in the data can become at most 73.2 % sure by this alone" in text
    assert "but for one chance in 1,000,000" in text
    assert "groups are private: names and counts are one release. A group is shown if its noisy count of" in text
    assert "each patient counts in at most 1 group" in text
    assert "PartitionCounts" not in text
    assert "PartitionCounts" in repr(told.details)
    assert "one unit more or less" in repr(told.details)
    apart = session.explain("SELECT zip, SUM(age) AS s FROM patient GROUP BY zip", epsilon=1, delta="1e-6")
    assert "groups are private: one of" in repr(apart)
    assert "each patient counts for at most 1 row in all" in repr(apart)
    assert "rows are weighed, not sampled" in repr(apart.details)


def test_bounds_are_named_wherever_values_are_clipped(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    joined = "SELECT SUM(cost * 2) AS s FROM visit JOIN patient USING (pid) WHERE patient.age > 40"
    within = "SELECT AVG(s) AS a FROM (SELECT pid, SUM(cost) AS s FROM visit GROUP BY pid)"
    by_age = "SELECT age, COUNT(*) AS n FROM patient GROUP BY age"
    clipped = "SELECT AVG(CLIP(age, 20, 60)) AS a, COUNT(*) FILTER (WHERE age > 100) AS n FROM patient"
    found = {text: session.explain(text, epsilon=1).clipped for text in (joined, within, by_age, clipped)}
    assert set(found[joined]) == {"cost", "age"}
    assert set(found[within]) == {"cost", "SUM(cost)"}
    assert set(found[by_age]) == {"age"}
    assert found[clipped]["CLIP(age)"] == ("20", "60")
    assert not session.explain("SELECT COUNT(*) AS n FROM patient", epsilon=1).clipped
    answer = session.sql(joined, epsilon=1)
    assert answer.clipped == found[joined]
    low, high = answer.clipped["cost"]
    assert f"count as the nearest bound: cost [{low}, {high}], age" in repr(answer)
    assert answer.limits[0] in repr(answer)


def test_a_batch_names_for_each_statement_its_own_bounds(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    told = session.explain(["SELECT COUNT(*) FROM patient", "SELECT SUM(age) FROM patient"], epsilon=1)
    assert [set(each.clipped) for each in told] == [set(), {"age"}]


def test_a_maximum_is_called_what_it_is(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    text = "SELECT MAX(age) AS oldest, MIN(age), MEDIAN(age) AS half FROM patient"
    told = session.explain(text, epsilon=1)
    assert [each.remark.split(";")[0] for each in told.columns[:2]] == [
        "MAX(age) is answered by the 99 % quantile",
        "MIN(age) is answered by the 1 % quantile",
    ]
    answer = session.sql(text, epsilon=1)
    assert answer.table.column_names[0] == "oldest"
    assert answer.stand_ins == {"oldest": "99 % quantile", "MIN(age)": "1 % quantile"}
    assert "oldest (99 % quantile)" in repr(answer)
    assert "half (" not in repr(answer)
    assert answer.notes["oldest"].startswith("MAX(age) is answered by the 99 % quantile")


def test_computed_columns_say_what_to_expect(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    text = (
        "SELECT SUM(age) + 100 * COUNT(*) AS d, 100.0 * COUNT(*) / SUM(age) AS r, MAX(age) - MIN(age) AS w, "
        "AVG(age) AS a FROM patient"
    )
    told = {each.name: each for each in session.explain(text, epsilon=1).columns}
    answer = session.sql(text, epsilon=1)
    (row,) = answer.rows
    assert float(told["d"].margin.replace(",", "")) == pytest.approx((row["d_high"] - row["d_low"]) / 2, rel=0.1)
    assert [told[name].margin for name in "rw"] == ["", "none"]
    assert told["r"].note == "computed from SUM(age), COUNT(*)"
    assert "MAX(age) is answered by the 99 % quantile" in repr(answer)


def test_a_price_that_a_ledger_cannot_count_says_what_to_do(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    told = session.explain("SELECT COUNT(*) FROM patient", rho="0.1")
    assert "has no price in this ledger, which counts ε and δ: pass delta=1e-6" in repr(told)


def test_public_groups_and_public_statements_say_so(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    assert "every group of the public domain is shown" in repr(session.explain(MIXED, epsilon=1))
    for free in ("SELECT COUNT(*) FROM clinic", "SELECT region FROM clinic"):
        assert repr(session.explain(free)) == "this costs nothing: only public and released tables are read"
        assert session.sql(free, epsilon=1).spent.epsilon == 0
    assert not session.ledger.entries


def test_without_an_amount_it_is_priced_at_one(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    assert session.explain("SELECT COUNT(*) FROM patient").price.epsilon == 1


def test_it_shows_the_engines_sql(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    queries = session.explain("SELECT COUNT(*), MEDIAN(age) FROM patient", epsilon=1).queries
    assert len(queries) == 2
    assert all("SELECT" in query for query in queries)


@pytest.mark.parametrize(
    ("limits", "keys", "words"),
    [
        (Limits(rows_per_unit=1), True, "each person counts for at most 1 row in all; more are weighted down"),
        (Limits(rows_per_unit=3), False, "each person counts for at most 3 rows in all; more are weighted down"),
        (
            Limits(groups_per_unit=4, rows_per_group=5),
            True,
            "each person counts in at most 4 groups, for at most 5 rows in each; more are weighted down",
        ),
        (
            Limits(groups_per_unit=1, rows_per_group=1),
            False,
            "each person counts for at most 1 row; more are weighted down",
        ),
    ],
)
def test_limits_in_words(*, limits: Limits, keys: bool, words: str) -> None:
    assert held(limits, keys=keys, whose="person") == words


def test_what_is_hidden_is_what_the_selection_does() -> None:
    selection = PartitionSelection(epsilon=1, delta="1e-5")
    words = hidden_by(selection, unit=Unit("person"))
    half, mostly, seldom = (int(words.split(mark)[1].split(" ")[0]) for mark in ("one of ", "more, of ", "fewer than "))
    assert selection.probability(half) >= 0.5 > selection.probability(half - 1)
    assert selection.probability(mostly) >= 0.95 > selection.probability(mostly - 1)
    assert selection.probability(seldom - 1) < 0.05 <= selection.probability(seldom)
    assert words.endswith("of a single person with 1e-5")


def test_a_notebook_shows_the_price_and_every_column(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    shown = session.explain(MIXED, epsilon=1)._repr_html_()
    assert "this costs ε 1 per patient" in shown
    assert shown.count("<tr>") == 1 + 6
    both = session.explain({"<b>": MIXED, "free": "SELECT 1 AS one"}, epsilon=1)._repr_html_()
    assert "all of this costs ε 1" in both
    assert "&lt;b&gt;" in both
    assert FREE in both


def test_nothing_is_said_of_weighing_where_every_row_is_a_unit() -> None:
    declared: dict[str, Any] = {"table": "t", "limit": privet.Guarantee(5), "columns": {"age": {"bounds": [0, 99]}}}
    rows = pa.table({"id": [1, 2], "age": [34, 61]})
    text = "SELECT AVG(age) AS age FROM t"
    units: list[tuple[dict[str, Any], bool]] = [
        ({"unit": "row"}, False),
        ({"unit": "person", "unit_column": "id"}, True),
    ]
    for unit, says in units:
        with privet.connect(privet.Catalog.of(rows, **declared, **unit)) as session:
            assert ("rows are weighed" in repr(session.explain(text, epsilon=1).details)) == says


def test_it_says_which_noise_was_chosen_and_what_the_other_would_err_by(tmp_path: Path) -> None:
    """One number is best with Laplace noise, and 30 with Gaussian; without a delta there is no choice to tell."""
    session, _ = session_with(hospital(tmp_path))
    text = "SELECT SUM(age) FROM patient"
    sums = text.replace("SUM(age)", ", ".join(f"SUM(age + {shift})" for shift in range(30)))
    one = session.explain(text, epsilon=1, delta="1e-6")
    many = session.explain(sums, epsilon=1, delta="1e-6")
    assert "noise: Laplace; Gaussian would err 3.37 times as much" in repr(one)
    assert "noise: Gaussian; Laplace would err" in repr(many)
    assert "noise: Gaussian; Laplace would err" in many._repr_html_()
    assert not session.explain(text, epsilon=1).choices
    for part in session.explain([sums, "SELECT COUNT(*) FROM patient"], epsilon=1, delta="1e-6"):
        assert part.choices[0].way == "Gaussian"


def test_columns_of_several_groupings_are_told_apart(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    told = session.explain("SELECT sex, COUNT(*) AS n, SUM(age) AS s FROM patient GROUP BY ROLLUP (sex)", epsilon=1)
    assert [each.name for each in told.columns] == ["n by sex", "s by sex", "n of all", "s of all"]


def test_whoever_calls_it_otherwise_is_told_how(tmp_path: Path) -> None:
    session, _ = session_with(hospital(tmp_path))
    calls: list[tuple[Any, tuple[object, ...], str]] = [
        (session.sql, ("SELECT COUNT(*) FROM patient", 1), r"write session\.sql\(.*epsilon=1\): too many positional"),
        (session.explain, ("SELECT COUNT(*) FROM patient", 1), r"write session\.explain\("),
        (session.batch, (["SELECT COUNT(*) FROM patient"], 1), r"write session\.batch\("),
        (privet.connect, (), r"write privet\.connect\("),
        (privet.Ledger, (Guarantee(1),), r"unit=privet\.Unit\(.person.\)\): missing a required argument: 'unit'"),
    ]
    for function, arguments, words in calls:
        with pytest.raises(InvalidParameter, match=words):
            function(*arguments)
    assert not session.ledger.entries
