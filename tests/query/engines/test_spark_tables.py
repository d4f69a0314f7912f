# ruff: noqa: S608 - names and values of this file
"""Which tables Spark is believed: those whose rows are the same each time, cannot fail, and are written one way."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privet
from privet import Catalog, Guarantee
from privet.errors import InvalidParameter, ReleaseFailed
from privet.query.backends.spark.engine import SparkBackend
from privet.query.backends.spark.settings import KEPT, PINNED
from tests.support.on_spark import Spark, spark
from tests.support.spark import HOSTILE

pytestmark = pytest.mark.filterwarnings("ignore")
COUNT = "SELECT COUNT(*) AS n FROM people"
BY_KEY = "SELECT k, COUNT(*) AS n FROM people GROUP BY k"
MODES = {"strict": "true", "lenient": "false"}  # of ANSI, where a frame is made
PYTHON: dict[str, Callable[[Any], Any]] = {
    "a function": lambda frame: frame.select("pid", _function()("age").alias("age")),
    "a function in a filter": lambda frame: frame.where(_function()("age") > 3),
    "a function in an aggregate": lambda frame: frame.groupBy("pid", "age").count().where(_function()("pid") > 3),
    "a function that is cached": lambda frame: frame.select("pid", _function()("age").alias("age")).cache(),
    "pandas": lambda frame: frame.mapInPandas(lambda parts: parts, "pid bigint, age bigint"),
    "rows": lambda frame: frame.rdd.toDF("pid bigint, age bigint"),
    "a source": lambda frame: _source(frame.sparkSession),
}
REFUSED = {
    "any row": "SELECT pid, FIRST(age) AS age FROM p GROUP BY pid",
    "any order of sums": "SELECT pid, SUM(x) AS age FROM p GROUP BY pid",
    "any zero": "SELECT pid, MAX(x) AS age FROM p GROUP BY pid",
    "any spelling": "SELECT DISTINCT pid, t COLLATE UTF8_LCASE AS age FROM p",
    "a clock": "SELECT * FROM p WHERE CURRENT_TIMESTAMP() > TIMESTAMP '2020-01-01 00:00:00'",
    "a day": "SELECT * FROM p WHERE CURRENT_DATE() > DATE '2020-01-01'",
    "who asks": "SELECT * FROM p WHERE CURRENT_USER() = 'me'",
    "a place": "SELECT pid, MONOTONICALLY_INCREASING_ID() AS age FROM p",
    "Java": "SELECT pid, CAST(JAVA_METHOD('java.lang.System', 'nanoTime') AS BIGINT) AS age FROM p",
    "a random number in a subquery": "SELECT pid, (SELECT COUNT(*) FROM p WHERE RAND() < 0.5) AS age FROM p",
    "two rows for one": "SELECT pid, (SELECT age FROM p AS q WHERE q.pid >= p.pid) AS age FROM p",
    "a random partner": "SELECT * FROM p WHERE EXISTS (SELECT 1 FROM p AS q WHERE q.pid = p.pid AND RAND() < 0.5)",
    "a sample": "SELECT * FROM p TABLESAMPLE (50 PERCENT)",
    "a window": "SELECT pid, ROW_NUMBER() OVER (ORDER BY age) AS age FROM p",
    "an error": "SELECT pid, IF(age > 3, RAISE_ERROR('3'), age) AS age FROM p",
    "a pattern": "SELECT pid, LENGTH(REGEXP_REPLACE('a', t, 'b')) AS age FROM p",
    "a far date": "SELECT pid, CAST(DATE_ADD(DATE '2020-01-01', CAST(age AS INT)) AS TIMESTAMP) AS age FROM p",
}
STRICT = {  # refused if made where ANSI rules hold
    "a cast": "SELECT pid, CAST(t AS INT) AS age FROM p",
    "a sum": "SELECT pid, age + 1 AS age FROM p",
    "a quotient": "SELECT pid, 1 / age AS age FROM p",
    "a negative": "SELECT pid, -age AS age FROM p",
    "an aggregate": "SELECT pid, SUM(age) AS age FROM p GROUP BY pid",
}
BELIEVED = {  # by any rules
    "rows": "SELECT * FROM p",
    "a condition": "SELECT * FROM p WHERE age BETWEEN 3 AND 5 AND (t IN ('a', 'b') OR NOT t IS NULL)",
    "a join": "WITH a AS (SELECT pid FROM p) SELECT p.* FROM p JOIN a USING (pid)",
    "a union": "SELECT pid, age FROM p UNION ALL SELECT pid, 5 FROM VALUES (1L) AS v(pid)",
    "a largest": "SELECT pid, MAX(age) AS age, COUNT(*) AS n FROM p GROUP BY pid ORDER BY pid",
    "a choice": "SELECT pid, CASE WHEN age > 3 THEN TRY_ADD(age, 1) ELSE TRY_CAST(t AS BIGINT) END AS age FROM p",
    "a text": "SELECT pid, LENGTH(TRIM(LOWER(CONCAT(CAST(age AS STRING), t)))) AS age FROM p",
}


@pytest.fixture(scope="module")
def engine() -> Spark:
    try:
        return spark()
    except OSError as problem:
        pytest.skip(str(problem))


@pytest.fixture(scope="module")
def user(engine: Spark, tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: ANN401 - a session of Spark's
    """Somebody's own session, with people in a file."""
    made = engine.session.newSession()
    made.conf.set("spark.sql.ansi.enforceReservedKeywords", "false")
    path = tmp_path_factory.mktemp("people") / "people.parquet"
    rows = {"pid": list(range(40)), "age": [number % 90 for number in range(40)], "t": ["a"] * 40, "x": [0.5] * 40}
    pq.write_table(pa.table(rows), path)
    made.read.parquet(f"file:{path}").createOrReplaceTempView("p")
    return made


@pytest.fixture
def table(user: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:  # noqa: ANN401 - as above
    """A table of Spark's catalog, of which everybody knows."""
    names: list[str] = []

    def made(columns: str, rows: str, *, name: str = "", kept: str = "parquet") -> Any:  # noqa: ANN401 - a frame
        names.append(name or f"made_{len(names)}")
        user.sql(f"CREATE TABLE {names[-1]} ({columns}) USING {kept} LOCATION 'file:{tmp_path}/{names[-1]}'")
        user.sql(f"INSERT INTO {names[-1]} VALUES {rows}")
        return user.table(names[-1])

    yield made
    for name in names:
        user.sql(f"DROP TABLE {name}")


def catalog(frame: object, **columns: Mapping[str, object]) -> Catalog:
    return Catalog.of(
        frame,
        table="people",
        unit="person",
        unit_column="pid",
        limit=Guarantee(1000),
        columns=columns or {"age": {"type": "integer", "bounds": [0, 110]}},
    )


def counts(found: Catalog, text: str = BY_KEY) -> dict[object, int]:
    rows = privet.connect(found).sql(text, epsilon=60).table.to_pylist()
    return {row.get("k"): row["n"] for row in rows if row["n"] > 2}


def _function() -> Any:  # noqa: ANN401 - of Spark's
    from pyspark.sql.functions import udf  # noqa: PLC0415 - an extra

    return udf(lambda number: number, "bigint")


def _source(session: Any) -> Any:  # noqa: ANN401 - as above
    from pyspark.sql.datasource import DataSource  # noqa: PLC0415 - an extra

    class Made(DataSource):
        @classmethod
        def name(cls) -> str:
            return "made"

        def schema(self) -> str:
            return "pid bigint, age bigint"

    session.dataSource.register(Made)
    return session.read.format("made").load()


def refused(frames: dict[str, Any]) -> dict[str, str]:
    """Which are, and why."""
    found = {}
    for name, frame in frames.items():
        try:
            SparkBackend(catalog(frame))
        except InvalidParameter as problem:
            found[name] = str(problem)
    return found


def test_python_is_refused_wherever_it_stands(user: Any) -> None:  # noqa: ANN401 - a session
    frames = {name: made(user.table("p").select("pid", "age")) for name, made in PYTHON.items()}
    why = refused(frames)
    assert set(why) == set(frames)
    assert all("Python code; here " in word for word in why.values()), why


@pytest.mark.parametrize("mode", MODES)
def test_only_what_is_known_is_believed(user: Any, mode: str) -> None:  # noqa: ANN401 - as above
    user.conf.set("spark.sql.ansi.enabled", MODES[mode])
    asked = REFUSED | STRICT | BELIEVED
    why = refused({name: user.sql(text) for name, text in asked.items()})
    assert set(why) == set(REFUSED) | (set(STRICT) if mode == "strict" else set())
    assert all("write it to a table or Parquet files first" in word for word in why.values())


def test_files_of_lines_and_hostile_options_are_refused(user: Any, tmp_path: Path, table: Callable[..., Any]) -> None:  # noqa: ANN401 - as above
    table("pid BIGINT, age BIGINT", "(1, 2)", kept="csv")
    folder = tmp_path / "folders" / "age=3"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"pid": [1]}), folder / "a.parquet")
    why = refused(
        {
            "CSV": user.table("made_0"),
            "JSON": user.read.schema("pid bigint, age bigint").json(f"file:{folder}"),
            "ignoremissingfiles": user.read.option("ignoreMissingFiles", "true").parquet(f"file:{folder.parent}"),
            "folders": user.read.option("pathGlobFilter", "*.parquet").parquet(f"file:{folder.parent}"),
        }
    )
    assert all(name in word for name, word in why.items()), why
    assert len(why) == 4
    assert not refused({"a folder as it is called": user.table("p")})


def test_texts_are_compared_letter_by_letter(table: Callable[..., Any]) -> None:
    kinds = ("UTF8_LCASE", "UNICODE_CI", "UTF8_BINARY_RTRIM")
    columns = ", ".join(f"k{n} STRING COLLATE {kind}" for n, kind in enumerate(kinds))
    few = [f"('p{n}', 'abc', 'abc', 'abc')" for n in range(40)] + [f"('P{n}', 'ABC', 'ABC', 'abc ')" for n in range(9)]
    rows = ", ".join(few)
    keys = ({"type": "text", "values": ["abc", other]} for other in ("ABC", "ABC", "abc "))
    stored = table(f"pid STRING COLLATE UTF8_LCASE, {columns}", rows)
    one_of_each = stored.sparkSession.sql("SELECT DISTINCT * FROM made_0")
    assert refused({"one of each": one_of_each}), "which spelling is left is chance"
    made = catalog(stored, **{f"k{n}": key for n, key in enumerate(keys)})
    found = counts(made, "SELECT k0 || k1 || k2 AS k, COUNT(*) AS n FROM people GROUP BY k0, k1, k2")
    assert set(found) == {"abcabcabc", "ABCABCabc "}
    assert abs(found["abcabcabc"] - 40) <= 2
    assert abs(found["ABCABCabc "] - 9) <= 2, "of which no unit is one of the others"


def test_a_char_and_a_varchar_are_one_person(user: Any, table: Callable[..., Any]) -> None:  # noqa: ANN401 - a session
    user.conf.set("spark.sql.legacy.charVarcharAsString", "false")  # else there are no CHARs
    table("pid CHAR(6), k BIGINT", ", ".join(f"('p{n}', 1)" for n in range(30)))
    table("pid VARCHAR(9), k BIGINT", ", ".join(f"('p{n}', 1)" for n in range(30)))
    user.conf.set("spark.sql.legacy.charVarcharAsString", "true")
    made = catalog(user.table("made_0"), k={"type": "integer", "bounds": [0, 1]})
    tables = {f"t{n}": replace(made.tables["people"], name=f"t{n}", location=f"made_{n}") for n in range(2)}
    joined = "SELECT COUNT(*) AS n FROM t0 JOIN t1 ON t0.pid = t1.pid"
    assert abs(counts(replace(made, frames={}, source="spark", tables=tables), joined)[None] - 30) < 3


def test_a_table_is_not_taken_for_one_of_ours(user: Any, table: Callable[..., Any]) -> None:  # noqa: ANN401 - a session
    table("pid BIGINT, k BIGINT", ", ".join(f"({n}, 1)" for n in range(20)), name="table_2")
    table("pid BIGINT, k BIGINT", ", ".join(f"({n}, 1)" for n in range(60)), name="table_1")
    made = catalog(user.table("p").withColumnRenamed("age", "k"), k={"type": "integer", "bounds": [0, 1]})
    tables = {name: replace(made.tables["people"], name=name) for name in ("table_2", "table_1")}
    found = replace(made, frames={}, source="spark", tables=tables)
    assert abs(counts(found, "SELECT COUNT(*) AS n FROM table_1")[None] - 60) < 3
    assert abs(counts(found, "SELECT COUNT(*) AS n FROM table_2")[None] - 20) < 3


def test_names_that_differ_in_capitals_are_refused(user: Any, tmp_path: Path) -> None:  # noqa: ANN401 - a session
    for number, name in enumerate(("pid", "PID")):
        pq.write_table(pa.table({name: [1, 2], "age": [3, 4]}), tmp_path / f"{number}.parquet")
    made = catalog(user.table("p"))
    tables = {"people": replace(made.tables["people"], files=f"{tmp_path}/*.parquet")}
    with pytest.raises(InvalidParameter, match="capital letters only"):
        SparkBackend(replace(made, frames={}, source="spark", tables=tables))


@pytest.mark.parametrize("partitioned", [False, True])
def test_files_that_are_written_meanwhile_are_refused(
    table: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, *, partitioned: bool
) -> None:
    frame = table("pid BIGINT, age BIGINT", "(1, 2), (2, 3)", kept="parquet" + " PARTITIONED BY (age)" * partitioned)
    session = privet.connect(catalog(frame))
    session.sql(COUNT, epsilon=1)
    backend: Any = session._backend
    plain = backend._session.sql

    def while_it_runs(text: str) -> Any:  # noqa: ANN401 - a frame
        made = plain(text)
        frame.sparkSession.sql("INSERT INTO made_0 VALUES (3, 4)")
        return made

    monkeypatch.setattr(backend._session, "sql", while_it_runs)
    with pytest.raises(ReleaseFailed, match="could not be computed"):
        session.sql(COUNT, epsilon=1)
    monkeypatch.undo()
    before = session.ledger.spent
    with pytest.raises(InvalidParameter, match="files of the tables have changed: connect again"):
        session.sql(COUNT, epsilon=1)
    assert session.ledger.spent == before


def test_what_a_cluster_sets_is_forgotten(engine: Spark, user: Any) -> None:  # noqa: ANN401 - as above
    conf = engine.session.sparkContext.getConf()
    assert {word: conf.get(word) for word in HOSTILE} == HOSTILE
    session = SparkBackend(catalog(user.table("p")))._session
    ours = {row[0] for row in session.sql("SET").collect() if row[0].startswith("spark.sql.")}
    free = {word for word in ours if not word.startswith(KEPT) and session.conf.isModifiable(word)}
    assert free == {*PINNED, "spark.sql.shuffle.partitions"}


def test_a_spark_of_ours_keeps_no_account(engine: Spark) -> None:
    conf = engine.session.sparkContext.getConf()
    assert conf.get("spark.eventLog.enabled") == conf.get("spark.ui.enabled") == "false"
