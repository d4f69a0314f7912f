"""Runs in a peer's own environment: how long OpenDP or Tumult Analytics take, and how far off they are.

Without arguments: how long OpenDP plans a grouped count, sum and mean. With the peer's name and a JSON object (file,
rows, truth; timed and errors: kinds, and how often): a line of JSON for each kind, as soon as it is known.
"""

import dataclasses
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from query_truth import CITIES, HIGH, LOW, ROWS_PER_UNIT, error_of, read_truth

BOUNDS = (float(LOW), float(HIGH))
EPSILON = 1.0
REPEATS = 3
PLANNED = 1 << 23  # rows that a plan is made for

Answer = Mapping[str, Mapping[str, float]]  # by kind, by city


def opendp_query(frame: Any, kind: str, *, rows: int, epsilon: float) -> Any:  # noqa: ANN401 - their types are not here
    """A grouped query for a total of epsilon, with at most four rows of each user, drawn by chance.

    At most twice the rows there are is what is said about the table's length: with more, their sums have more noise.
    """
    import opendp.prelude as dp  # type: ignore[import-not-found] # noqa: PLC0415 - only in the peer's environment
    import polars as pl  # noqa: PLC0415 - the same

    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=frame,
        privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("user_id")),
        privacy_loss=dp.loss_of(epsilon=epsilon),
        split_evenly_over=1,
        margins=[dp.polars.Margin(by=by, max_length=2 * rows) for by in ([], ["city"])],
    )
    salary = pl.col("salary").fill_null(BOUNDS[0]).fill_nan(BOUNDS[0])
    count = dp.len().alias("count")
    total, mean = salary.dp.sum(BOUNDS).alias("sum"), salary.dp.mean(BOUNDS).alias("avg")  # type: ignore[attr-defined] # the same
    together = {"joint": [count, total], "planning": [count, total, mean]}
    chosen = {"count": [count], "sum": [total], "avg": [mean], **together}[kind]
    bounded = context.query().truncate_per_group(ROWS_PER_UNIT)
    return bounded.group_by("city").agg(*chosen).with_keys(pl.LazyFrame({"city": list(CITIES)}))


def opendp(file: str, rows: int) -> Callable[[str], Answer]:
    """Count and sum together; the mean is their quotient."""
    import polars as pl  # noqa: PLC0415 - only in the peer's environment

    def ask(kind: str) -> Answer:
        answer = opendp_query(pl.scan_parquet(file), kind, rows=rows, epsilon=EPSILON).release().collect()
        return {name: dict(zip(answer["city"], answer[name], strict=True)) for name in answer.columns if name != "city"}

    return ask


def tumult(file: str, _: int) -> Callable[[str], Answer]:
    """One aggregate at a time: a query of theirs has no more."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession  # noqa: PLC0415 - only in the peer's environment
    from tmlt.analytics import (  # type: ignore[import-not-found] # noqa: PLC0415 - the same
        AddRowsWithID,
        KeySet,
        MaxRowsPerID,
        PureDPBudget,
        QueryBuilder,
        Session,
    )

    settings = {"spark.driver.memory": "12g", "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "8"}
    settings["spark.ui.showConsoleProgress"] = "false"
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    people = spark.read.parquet(file)
    keys = KeySet.from_dict({"city": list(CITIES)})

    def ask(kind: str) -> Answer:
        budget = PureDPBudget(EPSILON)
        session = Session.from_dataframe(
            privacy_budget=budget, source_id="people", dataframe=people, protected_change=AddRowsWithID("user_id")
        )
        rows = QueryBuilder("people").enforce(MaxRowsPerID(ROWS_PER_UNIT)).groupby(keys)
        bounds: dict[str, Any] = {"low": LOW, "high": HIGH, "name": kind}
        query = {
            "count": lambda: rows.count(name=kind),
            "sum": lambda: rows.sum("salary", **bounds),
            "avg": lambda: rows.average("salary", **bounds),
        }[kind]()
        return {kind: {row["city"]: float(row[kind]) for row in session.evaluate(query, budget).collect()}}

    return ask


def measured(peer: str, task: Mapping[str, Any]) -> None:
    """Print a line for each kind."""
    ask = {"opendp": opendp, "tumult": tumult}[peer](task["file"], task["rows"])
    for kind, repeats in task["timed"].items():
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            ask(kind)
            times.append(time.perf_counter() - start)
        print(json.dumps({"kind": kind, "seconds": min(times), "all": times}), flush=True)
    truth = read_truth(Path(task["truth"]))
    for kind, repeats in task["errors"].items():
        answers = [ask(kind)[kind] for _ in range(repeats)]
        print(json.dumps({"kind": kind, "error": dataclasses.asdict(error_of(kind, answers, truth))}), flush=True)


def planning() -> None:
    """Find the mechanisms for count, sum and mean; no row is read."""
    import polars as pl  # noqa: PLC0415 - only in the peer's environment

    frame = pl.LazyFrame({"user_id": [1], "city": list(CITIES[:1]), "salary": [50_000.0]})
    times = []
    for repeat in range(REPEATS):
        start = time.perf_counter()
        opendp_query(frame, "planning", rows=PLANNED, epsilon=EPSILON + repeat / 16).resolve()
        times.append(time.perf_counter() - start)
    print(json.dumps({"kind": "planning", "seconds": min(times), "all": times}), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if len(sys.argv) < 2 or sys.argv[1] == "planning":
        planning()
    else:
        measured(sys.argv[1], json.loads(sys.argv[2]))
