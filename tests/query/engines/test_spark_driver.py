"""What Spark's driver gathers while it answers: nothing about one unit, in the plans as they were run."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from privet.query.backends.spark.engine import SparkBackend
from privet.query.backends.spark.settings import PINNED
from tests.query.engines.test_golden import STATEMENTS
from tests.support.hospital import HOSPITAL
from tests.support.neighbor_hospitals import CROWDED, world
from tests.support.on_spark import Spark, spark
from tests.support.replaying_ledger import TIGHT, play, quote_of

PUBLIC = {name for name, table in HOSPITAL.tables.items() if table.public}
ROWS = TIGHT[2]  # two rows of each unit, weighed down one by one
JOINED = {  # with what is joined: weights of units, units, paths to units, public tables, also by an inequality
    "group_by_public_column": ROWS,
    "join_units_full": None,
    "join_path": ROWS,
    "anti_join": None,
    "join_public_unequal": ROWS,
    "join_public_left": None,
}
SPARKS_OWN = {"spark.sql.autoBroadcastJoinThreshold": "10MB", "spark.sql.adaptive.autoBroadcastJoinThreshold": "10MB"}


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkBackend]:
    """The crowded hospital in files, which tell private leaves of a plan from public ones."""
    try:
        engine: Spark = spark()
    except OSError as problem:
        pytest.skip(str(problem))
    folder = tmp_path_factory.mktemp("hospital")
    tables = {}
    for name, frame in world(CROWDED).frames().items():
        pq.write_table(frame, folder / f"{name}.parquet")
        tables[name] = replace(HOSPITAL.tables[name], files=str(folder / f"{name}.parquet"))
    made = SparkBackend(replace(HOSPITAL, source=engine.cluster.source, tables=tables))
    yield made
    made.close()


def run(backend: SparkBackend, name: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Answer a statement; the plans that were run, in the end."""
    frames: list[Any] = []
    plain = backend._session.sql

    def kept(text: str) -> Any:  # noqa: ANN401 - a frame of Spark's
        frames.append(plain(text))
        return frames[-1]

    monkeypatch.setattr(backend._session, "sql", kept)
    plan = quote_of(STATEMENTS[name], HOSPITAL, JOINED[name])
    assert plan is not None
    play(plan, backend, HOSPITAL)
    monkeypatch.undo()
    return [frame._jdf.queryExecution().executedPlan() for frame in frames]


def nodes(plan: Any) -> Iterator[Any]:  # noqa: ANN401 - a plan of Spark's
    """A plan's own nodes: also those of stages that adaptive execution has made of it, and of subqueries."""
    yield plan
    kind = plan.getClass().getSimpleName()
    inner = [plan.executedPlan()] if kind == "AdaptiveSparkPlanExec" else []
    inner += [plan.plan()] if kind.endswith("QueryStageExec") else []
    for more in (plan.children(), plan.subqueries()):
        inner += [more.apply(place) for place in range(more.size())]
    for each in inner:
        yield from nodes(each)


def gathered(plans: list[Any]) -> list[set[str]]:
    """Which tables each thing is made of that the driver gathers: to broadcast it, or as the value of a subquery."""
    return [
        {Path(file).stem for leaf in nodes(node) for file in files(leaf)}
        for plan in plans
        for node in nodes(plan)
        if node.getClass().getSimpleName() in {"BroadcastExchangeExec", "SubqueryExec", "SubqueryBroadcastExec"}
    ]


def files(node: Any) -> list[str]:  # noqa: ANN401 - a plan of Spark's
    is_scan = node.getClass().getSimpleName() == "FileSourceScanExec"
    return list(node.relation().location().inputFiles()) if is_scan else []


@pytest.mark.parametrize("name", JOINED)
def test_no_unit_passes_through_the_driver(backend: SparkBackend, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plans = run(backend, name, monkeypatch)
    read = {Path(file).stem for plan in plans for node in nodes(plan) for file in files(node)}
    assert read - PUBLIC, "private tables are read"
    found = gathered(plans)
    assert all(tables <= PUBLIC for tables in found), found
    if "public" in name:
        assert found == [read & PUBLIC], "a small public table is sent to the workers as a whole"


@pytest.mark.parametrize("name", ["join_path"])
def test_what_spark_would_do_by_itself_is_noticed(
    backend: SparkBackend, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for word, size in SPARKS_OWN.items():
        backend._session.conf.set(word, size)
    try:
        assert any(tables - PUBLIC for tables in gathered(run(backend, name, monkeypatch)))
    finally:
        for word in SPARKS_OWN:
            backend._session.conf.set(word, PINNED[word])
