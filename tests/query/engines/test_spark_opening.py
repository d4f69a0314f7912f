"""What a session on Spark opens: tables of its catalog, files, frames; and how the page about it runs."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import privet
from privet import Catalog, Guarantee
from privet.errors import InvalidParameter
from privet.query.backends.spark.engine import SparkBackend
from privet.query.backends.spark.settings import PINNED
from tests.support.hospital import HOSPITAL
from tests.support.neighbor_hospitals import CROWDED, world
from tests.support.on_spark import Spark, spark
from tests.test_tutorials import paste

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "on-spark.md"


@pytest.fixture(scope="module")
def engine() -> Spark:
    try:
        return spark()
    except OSError as problem:
        pytest.skip(str(problem))


@pytest.fixture
def people(engine: Spark) -> Iterator[Any]:
    """A table that everybody on the cluster knows."""
    engine.session.range(100).selectExpr("id AS pid", "id % 90 AS age").createOrReplaceGlobalTempView("people")
    yield engine.session.table("global_temp.people")
    engine.session.catalog.dropGlobalTempView("people")


def catalog(frame: object) -> Catalog:
    return Catalog.of(
        frame,
        table="people",
        unit="person",
        unit_column="pid",
        limit=Guarantee(1000),
        columns={"age": {"type": "integer", "bounds": [0, 110]}},
    )


def test_a_table_of_the_catalog(engine: Spark, people: object) -> None:
    made = catalog(people)
    table = replace(made.tables["people"], location="global_temp.people")
    session = privet.connect(replace(made, frames={}, source=engine.cluster.source, tables={"people": table}))
    assert abs(session.sql("SELECT COUNT(*) AS n FROM people", epsilon=50).table.to_pylist()[0]["n"] - 100) < 5
    missing = replace(table, location="nowhere.people")
    with pytest.raises(InvalidParameter, match="cannot be read from Spark's catalog"):
        privet.connect(replace(made, frames={}, source="spark", tables={"people": missing}))


def test_the_settings_are_ours_and_the_users_stay(people: Any) -> None:  # noqa: ANN401 - a frame of Spark's
    user = people.sparkSession
    user.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    assert user.sparkContext.getConf().get("spark.sql.legacy.doLooseUpcast") == "true"  # as the cluster is set up
    backend = SparkBackend(catalog(people))
    assert {word: backend._session.conf.get(word) for word in PINNED} == PINNED
    assert user.conf.get("spark.sql.session.timeZone") == "Asia/Tokyo"
    assert backend._session.conf.get("spark.sql.legacy.doLooseUpcast") == "false"
    user.conf.set("spark.sql.session.timeZone", "UTC")


@pytest.mark.parametrize("what", ["limit", "random", "sample"])
def test_a_frame_that_changes_is_refused(people: Any, what: str) -> None:  # noqa: ANN401 - a frame of Spark's
    changing = {
        "limit": lambda: people.limit(7),
        "random": lambda: people.where("rand() < 0.5"),
        "sample": lambda: people.sample(0.5),
    }
    with pytest.raises(InvalidParameter, match="other rows each time"):
        SparkBackend(catalog(changing[what]()))


def test_what_is_no_parquet_and_no_frame_is_refused(engine: Spark, tmp_path: Path) -> None:
    (tmp_path / "patient.csv").write_text("pid,age\n1,30\n", encoding="utf-8")
    (tmp_path / "patient.parquet").write_text("no", encoding="utf-8")
    made = replace(HOSPITAL, source=engine.cluster.source, folder=tmp_path)
    patient = HOSPITAL.tables["patient"]
    for file, why in (("patient.csv", "convert it to Parquet"), ("patient.parquet", "cannot be read as Parquet")):
        with pytest.raises(InvalidParameter, match=why):
            SparkBackend(replace(made, tables={"patient": replace(patient, files=file)}))
    with pytest.raises(InvalidParameter, match="must be a Spark DataFrame"):
        SparkBackend(replace(made, tables={"patient": patient}, frames={"patient": world(CROWDED).frames()["patient"]}))


@pytest.mark.usefixtures("engine")
def test_another_master_is_refused_while_one_is_used() -> None:
    with pytest.raises(InvalidParameter, match="runs a Spark on spark://"):
        SparkBackend(replace(HOSPITAL, source="spark+local[1]"))


@pytest.mark.filterwarnings("ignore")
def test_the_page_runs_as_printed(engine: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")
    assert page.count('"spark+local[2]" ') == 1
    (checked,) = paste(page.replace('"spark+local[2]" ', f'"{engine.cluster.source}" '))
    assert "Ready: privet ask people.toml" in checked
