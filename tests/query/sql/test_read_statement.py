"""What statements mean as plans."""

from fractions import Fraction

import pytest

from privet.errors import QueryRefused
from privet.query.catalog import Catalog
from privet.query.plan.aggregation import Function
from privet.query.plan.limits import ONE_ROW, Limits
from privet.query.plan.relations import (
    Filter,
    Group,
    Join,
    JoinKind,
    Project,
    Relation,
    Released,
    Table,
    Union,
    Values,
    Window,
)
from privet.query.plan.statement import Aggregate, Statement
from privet.query.scalars.expressions import Call, Literal, Reference, facts_of
from privet.query.scalars.facts import Type
from privet.query.sql import read
from privet.query.sql.parsing import parse
from tests.support.hospital import HOSPITAL, by_day, public_values, row_level


def plan(text: str, catalog: Catalog = HOSPITAL) -> Statement:
    return read(text, catalog, values=public_values)


def aggregate(text: str, catalog: Catalog = HOSPITAL) -> Aggregate:
    source = plan(text, catalog).stages[-1].source
    assert isinstance(source, Aggregate)
    return source


def below(relation: Relation, kind: type) -> Relation:
    """The first node of a kind, from the top."""
    while not isinstance(relation, kind):
        relation = relation.left if isinstance(relation, Join) else relation.source  # type: ignore[union-attr] # it is there
    return relation


def refusal(text: str, catalog: Catalog = HOSPITAL) -> str:
    with pytest.raises(QueryRefused) as error:
        plan(text, catalog)
    return str(error.value)


def argument_bounds(text: str) -> tuple[float, float]:
    argument = aggregate(text).items[0][1].argument
    assert argument is not None
    facts = facts_of(argument)
    assert facts.low is not None
    assert facts.high is not None
    return float(facts.low), float(facts.high)


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("SELECT COUNT(*) FROM visit", Function.COUNT_ROWS),
        ("SELECT COUNT(1) FROM visit", Function.COUNT_ROWS),
        ("SELECT COUNT(cost) FROM visit", Function.COUNT),
        ("SELECT COUNT(DISTINCT clinic) FROM visit", Function.COUNT_DISTINCT),
        ("SELECT COUNT(DISTINCT pid) FROM visit", Function.COUNT_UNITS),
        ("SELECT COUNT(DISTINCT who) FROM (SELECT pid AS who FROM visit)", Function.COUNT_UNITS),
        ("SELECT COUNT(DISTINCT pid + 1) FROM visit", Function.COUNT_DISTINCT),
        ("SELECT COUNT(DISTINCT pid) FROM lab", Function.COUNT_UNITS),
        ("SELECT MEAN(age) FROM patient", Function.AVG),
        ("SELECT MIN(age) FROM patient", Function.MINIMUM),
        ("SELECT MAX(age) FROM patient", Function.MAXIMUM),
        ("SELECT MEDIAN(age) FROM patient", Function.QUANTILE),
    ],
)
def test_aggregates(text: str, function: Function) -> None:
    assert aggregate(text).items[0][1].function is function


@pytest.mark.parametrize(
    ("text", "fraction"),
    [
        ("SELECT MEDIAN(age) FROM patient", Fraction(1, 2)),
        ("SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age) FROM patient", Fraction(9, 10)),
        ("SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age DESC) FROM patient", Fraction(1, 10)),
        ("SELECT QUANTILE_CONT(age, 0.1) FROM patient", Fraction(1, 10)),
    ],
)
def test_quantiles(text: str, fraction: Fraction) -> None:
    assert aggregate(text).items[0][1].fraction == fraction


def test_spreads_of_samples_and_populations() -> None:
    items = aggregate("SELECT VAR_SAMP(age), VAR_POP(age), STDDEV(age), STDDEV_POP(age) FROM patient").items
    assert [item.sample for _, item in items] == [True, False, True, False]


def test_equal_aggregates_are_paid_once() -> None:
    source = aggregate("SELECT COUNT(*), COUNT(*) + 1, AVG(age) FROM patient HAVING COUNT(*) > 3 ORDER BY AVG(age)")
    assert [item.function for _, item in source.items] == [Function.COUNT_ROWS, Function.AVG]


def test_filter_becomes_a_condition() -> None:
    item = aggregate("SELECT COUNT(*) FILTER (WHERE cost > 100) FROM visit").items[0][1]
    assert isinstance(item.condition, Call)
    assert item.condition.function == "gt"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT SUM(cost) FROM visit", (0, 5000)),
        ("SELECT SUM(cost) FROM visit WHERE cost > 20 AND cost < 90", (20, 90)),
        ("SELECT SUM(age) FROM patient WHERE age > 20 AND age < 90", (21, 89)),
        ("SELECT SUM(weight) FROM visit WHERE weight BETWEEN 30 AND 200", (30, 200)),
        ("SELECT SUM(CLIP(weight, 0, 100)) FROM visit", (0, 100)),
        ("SELECT SUM(LEAST(GREATEST(weight, 0), 100)) FROM visit", (0, 100)),
        ("SELECT SUM(CASE WHEN age > 80 THEN 1 ELSE 0 END) FROM patient", (0, 1)),
        ("SELECT SUM(CASE WHEN cost > 100 THEN 100 ELSE cost END) FROM visit", (0, 100)),
        ("SELECT SUM(1 / (age - 40)) FROM patient", (-1, 1)),
        ("SELECT SUM(age > 3) FROM patient", (0, 1)),
        ("SELECT AVG(n) FROM (SELECT pid, COUNT(*) AS n FROM visit GROUP BY pid)", (1, 20)),
        ("SELECT AVG(n) FROM (SELECT pid, COUNT(cost) AS n FROM visit GROUP BY pid)", (0, 20)),
        ("SELECT AVG(s) FROM (SELECT pid, SUM(cost) AS s FROM visit GROUP BY pid)", (0, 100_000)),
        ("SELECT AVG(s) FROM (SELECT pid, MAX(cost) AS s FROM visit GROUP BY pid)", (0, 5000)),
        ("SELECT AVG(x) FROM (SELECT cost AS x FROM visit UNION ALL SELECT -age FROM patient)", (-110, 5000)),
        ("SELECT MIN(day) FROM visit", (19_723, 20_088)),
    ],
)
def test_bounds_of_arguments(text: str, expected: tuple[float, float]) -> None:
    assert argument_bounds(text) == expected


def test_released_averages_bound_later_stages() -> None:
    text = (
        "WITH m AS (SELECT AVG(cost) a, STDDEV(cost) s FROM visit) SELECT AVG((cost - a) / s) FROM visit, m WHERE s > 1"
    )
    first, last = plan(text).stages
    assert (first.name, last.name) == ("m", "answer")
    assert argument_bounds(text) == (-5000, 5000)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("SELECT COUNT(*) FROM patient", ONE_ROW),
        ("SELECT COUNT(*) FROM visit", Limits(groups_per_unit=4, rows_per_group=5)),
        ("SELECT COUNT(*) FROM visit WHERE cost > 3", Limits(groups_per_unit=4, rows_per_group=5)),
        ("SELECT COUNT(*) FROM visit JOIN clinic USING (clinic)", Limits(groups_per_unit=4, rows_per_group=5)),
        ("SELECT COUNT(*) FROM visit JOIN patient USING (pid)", Limits(groups_per_unit=4, rows_per_group=5)),
        ("SELECT COUNT(*) FROM visit a JOIN visit b USING (pid)", Limits(rows_per_unit=400)),
        ("SELECT COUNT(*) FROM (SELECT pid FROM visit UNION ALL SELECT pid FROM patient)", Limits(rows_per_unit=21)),
        ("SELECT COUNT(*) FROM (SELECT pid FROM visit GROUP BY pid)", ONE_ROW),
        ("SELECT COUNT(*) FROM (SELECT pid, day FROM visit GROUP BY pid, day)", Limits(None, 4, 5)),
        ("SELECT COUNT(*) FROM visit WHERE pid IN (SELECT pid FROM patient)", Limits(None, 4, 5)),
    ],
)
def test_limits_of_derived_relations(text: str, limits: Limits) -> None:
    assert aggregate(text).limits == limits


def test_joins_of_units() -> None:
    join = below(
        aggregate("SELECT COUNT(*) FROM patient p JOIN visit v ON p.pid = v.pid AND v.cost > p.age").source, Join
    )
    assert isinstance(join, Join)
    assert join.same_unit
    assert join.kind is JoinKind.INNER
    assert isinstance(join.condition, Call)
    assert join.condition.function == "gt"  # the unit's equality is the compiler's to add


@pytest.mark.parametrize("text", ["patient p, visit v WHERE p.pid = v.pid", "visit v, patient p WHERE (v.pid = p.pid)"])
def test_comma_joins_meet_on_the_unit(text: str) -> None:
    join = below(aggregate(f"SELECT COUNT(*) FROM {text}").source, Join)  # noqa: S608 - words of this test
    assert isinstance(join, Join)
    assert join.same_unit


def test_full_joins_have_the_unit_of_either_side() -> None:
    source = aggregate(
        "SELECT COUNT(DISTINCT p.pid), COUNT(DISTINCT v.pid) FROM patient p FULL JOIN visit v USING (pid)"
    )
    for _, item in source.items:
        assert item.function is Function.COUNT_UNITS
        assert item.condition is not None
    merged = aggregate("SELECT COUNT(DISTINCT pid) FROM patient p FULL JOIN visit v USING (pid)").items[0][1]
    assert (merged.function, merged.condition) == (Function.COUNT_UNITS, None)


def test_right_joins_are_turned_around() -> None:
    join = below(aggregate("SELECT COUNT(*) FROM clinic c RIGHT JOIN visit v USING (clinic)").source, Join)
    assert isinstance(join, Join)
    assert join.kind is JoinKind.LEFT
    assert isinstance(join.left, Table)
    assert join.left.name == "visit"


def test_lists_of_units_become_left_joins_with_distinct_units() -> None:
    join = below(aggregate("SELECT COUNT(*) FROM visit WHERE pid IN (SELECT pid FROM patient)").source, Join)
    assert isinstance(join, Join)
    assert (join.kind, join.same_unit) == (JoinKind.LEFT, True)
    assert isinstance(join.right, Group)
    assert join.right.owner is not None
    assert join.right.owner.limits == ONE_ROW


def test_keys() -> None:
    keys = aggregate("SELECT sex, zip, COUNT(*) FROM patient GROUP BY sex, zip").keys
    assert [key.domain for key in keys] == [("F", "M"), None]
    assert aggregate("SELECT smoker, COUNT(*) FROM patient GROUP BY smoker").keys[0].domain == (False, True, None)
    region = aggregate("SELECT region, COUNT(*) FROM visit LEFT JOIN clinic USING (clinic) GROUP BY region").keys[0]
    assert region.domain == ("North", "South", "West", None)
    clinic = aggregate(
        "SELECT v.clinic, COUNT(*) FROM visit v JOIN clinic c ON v.clinic = c.clinic GROUP BY v.clinic"
    ).keys[0]
    assert clinic.domain == ("A", "B", "C", "D")
    assert aggregate("SELECT age, COUNT(*) FROM patient WHERE age BETWEEN 3 AND 5 GROUP BY age").keys[0].domain == (
        3,
        4,
        5,
    )


def test_which_groups_there_are_is_private() -> None:
    for text in ("SELECT DISTINCT sex FROM patient", "SELECT sex FROM patient GROUP BY sex"):
        source = aggregate(text)
        assert [key.domain for key in source.keys] == [None]
        assert not source.items


def test_the_other_bucket() -> None:
    key = aggregate("SELECT blood, COUNT(*) FROM patient GROUP BY blood").keys[0]
    assert key.domain == ("A", "B", "AB", "0", "unknown", None)
    assert isinstance(key.expression, Call)
    assert key.expression.function == "case"


def test_too_many_combinations_make_a_key_private() -> None:
    keys = aggregate("SELECT age, day, stay, COUNT(*) FROM patient JOIN visit USING (pid) GROUP BY ALL").keys
    assert [key.domain is None for key in keys] == [False, True, False]


def test_what_is_done_with_released_columns() -> None:
    output = (
        plan("SELECT sex, COUNT(*) AS n FROM patient GROUP BY sex HAVING n > 3 ORDER BY n DESC, sex LIMIT 5 OFFSET 2")
        .stages[0]
        .output
    )
    assert [column.name for column, _ in output.items] == ["sex", "n"]
    assert isinstance(output.condition, Call)
    assert [descending for _, descending in output.order] == [True, False]
    assert (output.limit, output.offset, output.distinct) == (5, 2, False)


def test_stages_that_nobody_needs_are_not_paid() -> None:
    assert len(plan("WITH a AS (SELECT COUNT(*) FROM patient) SELECT COUNT(*) FROM visit").stages) == 1
    twice = plan("WITH a AS (SELECT COUNT(*) AS n FROM patient) SELECT a.n + b.n FROM a, a AS b").stages
    assert [stage.name for stage in twice] == ["a", "answer"]


def test_values_beside_aggregates_are_joined_afterwards() -> None:
    text = "SELECT sex, COUNT(*) / (SELECT COUNT(*) FROM patient) AS share FROM patient GROUP BY sex"
    stages = plan(text).stages
    assert [isinstance(stage.source, Aggregate) for stage in stages] == [True, True, False]
    join = stages[-1].source
    assert isinstance(join, Join)
    assert isinstance(join.left, Released)


def test_stage_names_are_distinct() -> None:
    names = [
        stage.name
        for stage in plan(
            "WITH answer AS (SELECT COUNT(*) AS n FROM patient), visit AS (SELECT AVG(age) AS n FROM patient) "
            "SELECT answer.n + visit.n FROM answer, visit"
        ).stages
    ]
    assert len(set(names)) == 3
    assert names[-1] == "answer"


def test_public_statements_are_free() -> None:
    stages = plan("SELECT region, MAX(beds) FROM clinic GROUP BY region").stages
    assert len(stages) == 1
    assert isinstance(stages[0].source, Group)
    assert isinstance(plan("SELECT 1 AS x").stages[0].source, Values)


def test_windows() -> None:
    node = below(
        aggregate(
            "SELECT AVG(k) FROM (SELECT CLIP(ROW_NUMBER() OVER (PARTITION BY pid ORDER BY day), 1, 9) k FROM visit)"
        ).source,
        Window,
    )
    assert isinstance(node, Window)
    assert node.owner is not None
    assert Reference(node.source.owner.unit[0]) in node.partition  # type: ignore[union-attr] # owned


def test_unions_carry_the_unit() -> None:
    union = below(
        aggregate("SELECT AVG(x) FROM (SELECT cost AS x FROM visit UNION ALL SELECT age FROM patient)").source, Union
    )
    assert isinstance(union, Union)
    assert union.owner is not None
    assert [column.facts.type for column in union.columns] == [Type.REAL, Type.INTEGER]


def test_a_union_has_the_facts_of_all_its_parts() -> None:
    union = below(
        aggregate("SELECT AVG(x) FROM (SELECT age AS x FROM patient UNION ALL SELECT -cost FROM visit)").source, Union
    )
    (x, *_) = union.columns
    assert (x.facts.low, x.facts.high, x.facts.nullable) == (Fraction(-5000), Fraction(110), True)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM PATIENT WHERE AGE > 3",
        'SELECT COUNT(*) FROM "patient" WHERE "patient"."age" > 3',
        "SELECT COUNT(*) FROM patient P WHERE p.Age > 3",
        "WITH Größe AS (SELECT age FROM patient) SELECT COUNT(*) FROM gröSSE WHERE age > 3",
        'WITH G AS (SELECT age AS "Ä" FROM patient) SELECT COUNT(ä) FROM g',
        'WITH G AS (SELECT age AS "A\u0308" FROM patient) SELECT COUNT("Ä") FROM g',
    ],
)
def test_names(text: str) -> None:
    assert aggregate(text).items


def test_names_that_differ_in_case_only() -> None:
    inner = 'SELECT age AS "a", stay AS "A" FROM patient JOIN visit USING (pid)'
    assert "did you mean a?" in refusal(f'SELECT SUM("A") FROM ({inner})')  # noqa: S608 - an engine would mix them up
    assert argument_bounds(f"SELECT SUM(a) FROM ({inner})") == (0, 110)  # noqa: S608 - the same


class TestRowLevel:
    """Every row is a unit of its own."""

    def test_accepted(self) -> None:
        source = aggregate("SELECT region, COUNT(*) FROM visit JOIN clinic USING (clinic) GROUP BY region", row_level())
        assert source.source.owner is not None
        assert [column.name for column in source.source.owner.unit] == ["row"]
        assert aggregate("SELECT pid, COUNT(*) FROM visit GROUP BY pid", row_level()).keys[0].domain is None
        assert aggregate(
            "SELECT COUNT(*) FROM visit, (SELECT MAX(beds) AS m FROM clinic) WHERE stay > m", row_level()
        ).items
        assert aggregate("SELECT COUNT(*) FROM visit WHERE clinic IN (SELECT clinic FROM clinic)", row_level()).items

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("SELECT COUNT(*) FROM visit JOIN clinic ON visit.stay = clinic.beds", "a row may have several partners"),
            ("SELECT COUNT(*) FROM visit, clinic", "a row may have several partners"),
            ("SELECT COUNT(*) FROM visit JOIN clinic c ON c.clinic = c.region", "a row may have several partners"),
            ("SELECT COUNT(*) FROM visit a JOIN visit b ON a.vid = b.vid", "every row is a unit"),
            ("SELECT COUNT(*) FROM (SELECT vid FROM visit UNION ALL SELECT vid FROM visit)", "every row is a unit"),
            ("SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY pid ORDER BY day) FROM visit)", "every row"),
            ("SELECT COUNT(*) FROM visit WHERE vid IN (SELECT vid FROM visit)", "every row is a unit"),
            ("SELECT COUNT(*) FROM (SELECT DISTINCT ON (vid) vid FROM visit)", "every row is a unit"),
            ("SELECT COUNT(*) FROM visit v WHERE EXISTS (SELECT 1 FROM visit w WHERE w.vid = v.vid)", "every row is a"),
            ("SELECT vid FROM visit", "shows rows"),
            ('SELECT "row" FROM visit', "no such column"),
        ],
    )
    def test_refused(self, text: str, reason: str) -> None:
        assert reason in refusal(text, row_level())


class TestWindowCatalog:
    """What a patient did within a few days is protected: a unit is a patient on one day."""

    def test_the_day_is_part_of_the_unit(self) -> None:
        source = aggregate("SELECT day, COUNT(*) FROM visit GROUP BY day", by_day())
        assert source.source.owner is not None
        assert [column.name for column in source.source.owner.unit] == ["pid", "day"]
        assert len(source.keys[0].domain or ()) == 366

    def test_counting_patients_is_counting_values(self) -> None:
        assert (
            aggregate("SELECT COUNT(DISTINCT pid) FROM visit", by_day()).items[0][1].function is Function.COUNT_DISTINCT
        )

    def test_per_unit_means_per_day(self) -> None:
        assert aggregate(
            "SELECT AVG(n) FROM (SELECT pid, day, COUNT(*) AS n FROM visit GROUP BY pid, day)", by_day()
        ).items
        for text in (
            "SELECT AVG(n) FROM (SELECT pid, COUNT(*) AS n FROM visit GROUP BY pid)",
            "SELECT COUNT(*) FROM visit a JOIN visit b ON a.pid = b.pid",
            "SELECT AVG(cost) FROM (SELECT SUM(cost) OVER (PARTITION BY pid) AS cost FROM visit)",
            "SELECT COUNT(*) FROM visit WHERE pid IN (SELECT pid FROM visit)",
        ):
            assert refusal(text, by_day())
        assert aggregate("SELECT COUNT(*) FROM visit a JOIN visit b ON a.pid = b.pid AND a.day = b.day", by_day()).items


def test_literals_keep_their_types() -> None:
    items = plan("SELECT 1 AS a, 1.5 AS b, 'x' AS c, DATE '2024-01-01' AS d, NULL IS NULL AS e").stages[0].output.items
    found = [expression for _, expression in items]
    assert all(isinstance(one, Literal) for one in found)
    assert [facts_of(one).type for one in found] == [Type.INTEGER, Type.REAL, Type.TEXT, Type.DATE, Type.BOOLEAN]


def test_filters_make_new_versions() -> None:
    source = aggregate("SELECT SUM(cost) FROM visit WHERE cost > 20").source
    assert isinstance(source, Filter)
    assert not set(source.columns) & set(source.source.columns)


def test_a_redefined_column_has_its_own_facts() -> None:
    """A bound of one version is no bound of the next."""
    assert "needs bounds" in refusal(
        "SELECT SUM(cost) FROM (SELECT weight AS cost FROM (SELECT cost, weight FROM visit))"
    )
    text = "SELECT SUM(cost) FROM (SELECT cost * 1000 AS cost FROM visit WHERE cost < 10)"
    assert argument_bounds(text) == (0, 10_000)
    project = aggregate(text).source
    assert isinstance(project, Project)


def test_an_alias_is_not_looked_up_inside_itself() -> None:
    output = plan("SELECT sex, age + 1 AS age, COUNT(*) FROM patient GROUP BY sex, age ORDER BY age").stages[0].output
    assert output.order[0][0] == output.items[1][1]


def test_using_of_a_right_join_is_the_side_that_is_kept() -> None:
    key = aggregate("SELECT clinic, COUNT(*) FROM clinic RIGHT JOIN visit USING (clinic) GROUP BY clinic").keys[0]
    assert key.domain is None
    assert not facts_of(key.expression).nullable
    item = aggregate("SELECT COUNT(DISTINCT pid) FROM visit RIGHT JOIN patient USING (pid)").items[0][1]
    assert (item.function, item.condition) == (Function.COUNT_UNITS, None)


def test_the_other_bucket_holds_what_is_not_listed() -> None:
    assert aggregate("SELECT UPPER(blood), COUNT(*) FROM patient GROUP BY 1").keys[0].domain is None
    assert aggregate("SELECT COALESCE(blood, '?'), COUNT(*) FROM patient GROUP BY 1").keys[0].domain is None
    assert aggregate("SELECT blood, COUNT(*) FROM patient WHERE blood = 'Z' GROUP BY blood").keys[0].domain == ("Z",)


def test_bounds_do_not_grow_without_end() -> None:
    assert "needs bounds" in refusal("SELECT SUM(POWER(POWER(POWER(POWER(cost, 64), 64), 64), 64)) FROM visit")
    assert "needs bounds" in refusal(f"SELECT SUM({' * '.join(['cost'] * 100)}) FROM visit")  # noqa: S608 - words of this test


@pytest.mark.parametrize("count", [100, 5_000])
def test_long_statements_are_read_or_refused(count: int) -> None:
    text = "SELECT COUNT(*) FROM patient WHERE " + " AND ".join(f"age <> {value}" for value in range(count))  # noqa: S608 - words of this test
    if count > 200:
        assert "nested too deeply" in refusal(text)
    else:
        assert aggregate(text).items


@pytest.mark.parametrize("opens", ["ARRAY[", "[", "(", "CASE WHEN 1 = 1 THEN ", "CAST(", "x(", "(SELECT "])
@pytest.mark.parametrize("often", [30, 150])
def test_what_is_nested_is_read_in_a_bounded_number_of_steps(opens: str, often: int) -> None:
    with pytest.raises(QueryRefused):
        parse(f"SELECT {opens * often}1")
